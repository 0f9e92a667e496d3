"""Kinds of drawn workloads: functions of elements, casts, moves, gathers, scatters and cells."""

from __future__ import annotations

from benchmarks.kernels import functions, learning
from benchmarks.kernels.drawn.draw import Draw, Made, array, tolerance
from benchmarks.kernels.functions import Array, Namespace
from benchmarks.kernels.workload import Function

UNARY = ("exp", "tanh", "sin", "cos", "erf", "sigmoid", "expm1", "atan", "abs", "floor")
OF_POSITIVE = ("log", "log1p", "sqrt", "log2")
BINARY = ("add", "multiply", "maximum", "minimum", "logaddexp", "atan2", "hypot")


def function(draw: Draw) -> Made:
    """One elementary function."""
    dtype, positive = draw.wide(), draw.random() < 0.3
    name = draw.choice(OF_POSITIVE if positive else UNARY)
    (extent,) = draw.shape(1)
    inputs = (array(extent, dtype=dtype, is_positive=positive),)
    return Made(lambda xp, x: getattr(xp, name)(x), inputs, name, tolerance(dtype))


def formula(draw: Draw) -> Made:
    """A drawn formula of two or three arrays, some of which are rows, columns or numbers."""
    rank, dtype = draw.randint(1, 3), draw.wide()
    shape = draw.shape(rank)
    shapes = [shape, *(_broadcast(draw, shape) for _ in range(draw.randint(1, 2)))]
    steps = [
        (draw.choice((*UNARY[1:4], "none", "none")), draw.choice(BINARY)) for _ in range(draw.randint(1, 4))
    ]

    def value(xp: Namespace, *arrays: Array) -> Array:
        result = arrays[0]
        for number, (unary, binary) in enumerate(steps):
            result = getattr(xp, binary)(result, arrays[1 + number % (len(arrays) - 1)])
            result = result if unary == "none" else getattr(xp, unary)(result)
        return result

    return Made(value, tuple(array(*each, dtype=dtype) for each in shapes), str(steps), 10 * tolerance(dtype))


def _broadcast(draw: Draw, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The same shape, or one with some axes of a single element."""
    return shape if draw.random() < 0.4 else tuple(draw.choice((extent, 1)) for extent in shape)


def cast(draw: Draw) -> Made:
    """A cast to another element type."""
    before = draw.number()
    after = draw.choice(
        [each for each in ("float32", "float64", "int32", "int64", "uint8") if each != before]
    )
    (extent,) = draw.shape(1)
    kept = before.startswith("float") and not after.startswith("float")

    def converted(xp: Namespace, x: Array) -> Array:
        return xp.astype(xp.abs(x) if kept else x, getattr(xp, after))

    return Made(converted, (array(extent, dtype=before, end=100),), f"{before} to {after}", 1e-6)


def chosen(draw: Draw) -> Made:
    """One of two values for each element, or a value between two limits."""
    shape, dtype, clipped = draw.shape(draw.randint(1, 3)), draw.wide(), draw.random() < 0.5

    def value(xp: Namespace, x: Array, y: Array) -> Array:
        return xp.clip(x, -0.5, 0.75) * y if clipped else xp.where(x > y, x, 2.0 * y)

    return Made(value, tuple(array(*shape, dtype=dtype) for _ in range(2)), "clip" if clipped else "where")


def moved(draw: Draw) -> Made:
    """Axes in another order; the result is a copy, for which NumPy and torch have to be asked."""
    rank = draw.randint(2, 4)
    shape, order = draw.shape(rank), tuple(draw.sample(range(rank), rank))
    if order == tuple(range(rank)):
        order = order[::-1]
    dtype = draw.choice(("float32", "float32", "float64", "uint8"))
    spelled: dict[str, Function] = {
        "numpy": lambda xp, x: xp.ascontiguousarray(xp.permute_dims(x, order)),
        "torch": lambda xp, x: xp.permute_dims(x, order).contiguous(),
    }
    inputs = (array(*shape, dtype=dtype, end=100),)
    return Made(lambda xp, x: xp.permute_dims(x, order), inputs, str(order), spelled=spelled)


def sliced(draw: Draw) -> Made:
    """Every few elements, from an offset, times two."""
    rank = draw.randint(1, 3)
    shape, steps = draw.shape(rank), [draw.choice((1, 1, 2, 3)) for _ in range(rank)]
    place = tuple(slice(min(1, extent - 1), None, step) for extent, step in zip(shape, steps, strict=True))
    return Made(lambda xp, x: x[place] * 2.0, (array(*shape),), str(steps))


def joined(draw: Draw) -> Made:
    """Two arrays, joined along any axis."""
    shape, axis = draw.shape_and_axis()
    other = (*shape[:axis], draw.extent(1, max(2, shape[axis])), *shape[axis + 1 :])
    return Made(
        lambda xp, x, y: xp.concat([x, y], axis=axis), (array(*shape), array(*other)), f"along {axis}"
    )


def turned(draw: Draw) -> Made:
    """The sum of an array and itself rolled along the last axis."""
    rank = draw.randint(1, 3)
    shape, shift = draw.shape(rank), draw.randint(1, 9)
    return Made(lambda xp, x: x + xp.roll(x, shift, -1), (array(*shape),), f"by {shift}")


def gathered(draw: Draw) -> Made:
    """Rows of a table, or elements of each row."""
    rows, columns = draw.shape(2)
    if draw.random() < 0.5:
        positions = array(draw.extent(2, 9000), dtype="int64", end=rows)
        return Made(functions.embedding, (array(rows, columns), positions), "rows", 0.0)
    positions = array(rows, draw.extent(1, columns), dtype="int64", end=columns)
    return Made(functions.along_rows, (array(rows, columns), positions), "elements", 0.0)


def summed_by_label(draw: Draw) -> Made:
    """Rows added up by label."""
    rows, columns, labels = draw.extent(16, 20_000), draw.extent(1, 64), draw.extent(2, 500)

    def sums(xp: Namespace, x: Array, label: Array) -> Array:
        own = xp.arange(labels) == label[:, None]
        return xp.sum(xp.where(own[:, :, None], x[:, None, :], 0), axis=0)

    def sums_numpy(xp: Namespace, x: Array, label: Array) -> Array:
        total = xp.zeros((labels, columns), x.dtype)
        xp.add.at(total, label, x)
        return total

    def sums_torch(xp: Namespace, x: Array, label: Array) -> Array:
        return x.new_zeros((labels, columns)).index_add_(0, label, x)

    inputs = array(rows, columns), array(rows, dtype="int64", end=labels)
    spelled = {"numpy": sums_numpy, "torch": sums_torch}
    return Made(sums, inputs, f"{labels} labels", 1e-3, spelled)


def adam(draw: Draw) -> Made:
    """A step of the optimizer Adam."""
    shape = draw.shape(1)
    return Made(learning.adam_step, (*3 * (array(*shape),), array(*shape, is_positive=True)))


def cell(draw: Draw) -> Made:
    """A step of a recurrent network."""
    batch, inputs, width = draw.extent(1, 128), draw.extent(4, 300), draw.extent(4, 400)
    gates, states = draw.choice(((4, 2), (3, 1)))
    arrays = (
        array(batch, inputs), *states * (array(batch, width),), array(gates * width, inputs),
        array(gates * width, width), *2 * (array(gates * width),),
    )  # fmt: skip
    if gates == 4:
        return Made(functions.lstm_cell, arrays, "lstm", 1e-3, {"torch": functions.lstm_cell_torch})
    return Made(functions.gru_cell, arrays, "gru", 1e-3, {"torch": functions.gru_cell_torch})


KINDS = (
    function, function, formula, formula, formula, cast, chosen, moved, sliced, joined, turned, gathered, gathered,
    summed_by_label, adam, cell,
)  # fmt: skip
