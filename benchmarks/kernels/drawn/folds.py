"""Kinds of drawn workloads: reductions, scans, norms, losses and attention."""

from __future__ import annotations

from benchmarks.kernels import functions, learning
from benchmarks.kernels.drawn.draw import Draw, Made, array, tolerance
from benchmarks.kernels.functions import Array, Namespace


def reduction(draw: Draw) -> Made:
    """A sum, mean, maximum or minimum over some axes."""
    rank = draw.randint(1, 4)
    shape, axes, dtype, name = (
        draw.shape(rank),
        draw.axes(rank),
        draw.number(),
        draw.choice(("sum", "mean", "max", "min")),
    )
    if name == "mean" and not dtype.startswith("float"):
        dtype = "float32"

    def reduced(xp: Namespace, x: Array) -> Array:
        return getattr(xp, name)(x, axis=axes)

    exact = 0.0 if not dtype.startswith("float") or name in ("max", "min") else tolerance(dtype, 1 << 16)
    return Made(reduced, (array(*shape, dtype=dtype),), f"{name} over {axes}", exact)


def deviation(draw: Draw) -> Made:
    """The standard deviation or euclidean norm along an axis."""
    shape, axis = draw.shape_and_axis()
    dtype, name = draw.wide(), draw.choice(("std", "norm"))

    def reduced(xp: Namespace, x: Array) -> Array:
        return xp.std(x, axis=axis) if name == "std" else xp.sqrt(xp.sum(x * x, axis=axis))

    return Made(reduced, (array(*shape, dtype=dtype),), f"{name} along {axis}", tolerance(dtype, 1 << 16))


def position(draw: Draw) -> Made:
    """The position of the greatest or the least element along an axis."""
    shape, axis = draw.shape_and_axis()
    name = draw.choice(("argmax", "argmin"))
    return Made(
        lambda xp, x: getattr(xp, name)(x, axis), (array(*shape, dtype=draw.choice(("float32", "float64", "int32"))),),
        f"{name} along {axis}", 0.0,
    )  # fmt: skip


def scan(draw: Draw) -> Made:
    """Running sums along an axis."""
    shape, axis = draw.shape_and_axis()
    dtype = draw.wide()
    return Made(
        lambda xp, x: xp.cumulative_sum(x, axis=axis),
        (array(*shape, dtype=dtype),),
        f"along {axis}",
        tolerance(dtype, 1 << 16),
    )


def softmax(draw: Draw) -> Made:
    """The softmax along any axis, or its logarithm."""
    shape, axis = draw.shape_and_axis()
    dtype, logarithm = draw.floating(), draw.random() < 0.4

    def normalized(xp: Namespace, x: Array) -> Array:
        if not logarithm:
            return xp.softmax(x, axis=axis)
        shifted = x - xp.max(x, axis=axis, keepdims=True)
        return shifted - xp.log(xp.sum(xp.exp(shifted), axis=axis, keepdims=True))

    def normalized_torch(xp: Namespace, x: Array) -> Array:
        return xp.log_softmax(x, axis) if logarithm else xp.softmax(x, axis=axis)

    detail = f"{'log ' if logarithm else ''}along {axis}"
    inputs = (array(*shape, dtype=dtype),)
    return Made(normalized, inputs, detail, tolerance(dtype, 1 << 10), {"torch": normalized_torch})


def norm(draw: Draw) -> Made:
    """A norm of rows, with scale and shift; or of columns; or by root mean square."""
    rows, columns = draw.shape(2)
    name = draw.choice(("layer_norm", "rms_norm", "standardize"))
    scales = {"layer_norm": 2, "rms_norm": 1, "standardize": 0}[name]
    inputs = array(rows, columns), *scales * [array(columns)]
    return Made(getattr(functions, name), inputs, name, 1e-2 if name == "standardize" else 1e-3)


def loss(draw: Draw) -> Made:
    """The cross-entropy loss, the square loss, or Huber's loss."""
    rows, columns = draw.shape(2)
    name = draw.choice(("cross_entropy", "square", "huber"))
    if name == "cross_entropy":
        labels = array(rows, dtype="int64", end=columns)
        return Made(
            learning.cross_entropy,
            (array(rows, columns), labels),
            name,
            1e-3,
            {"torch": learning.cross_entropy_torch},
        )

    def loss_of(xp: Namespace, x: Array, y: Array) -> Array:
        apart = xp.abs(x - y)
        each = apart * apart if name == "square" else xp.where(apart < 1.0, 0.5 * apart * apart, apart - 0.5)
        return xp.mean(each, axis=(0, 1))

    return Made(loss_of, (array(rows, columns), array(rows, columns)), name, 1e-3)


def attention(draw: Draw) -> Made:
    """Plain or causal attention with few or many tokens."""
    heads, tokens, width = draw.extent(1, 16), draw.extent(2, 512), draw.choice((8, 16, 32, 40, 64, 80))
    if draw.random() < 0.3:
        inputs = tuple(array(heads, tokens, width) for _ in range(3))
        return Made(
            functions.causal_attention, inputs, "causal", 1e-3, {"torch": functions.causal_attention_torch}
        )
    queries = draw.choice((1, tokens, draw.extent(1, 512)))
    inputs = array(heads, queries, width), array(heads, tokens, width), array(heads, tokens, width)
    return Made(functions.attention, inputs, tolerance=1e-3)


def regression(draw: Draw) -> Made:
    """The gradient of a logistic regression."""
    rows, columns = draw.extent(16, 20_000), draw.extent(2, 200)
    return Made(
        learning.logistic_gradient, (array(rows, columns), array(columns), array(rows)), tolerance=1e-2
    )


KINDS = (
    reduction, reduction, reduction, deviation, position, scan, softmax, softmax, norm, loss, attention, attention, regression,
)  # fmt: skip
