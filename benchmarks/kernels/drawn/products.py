"""Kinds of drawn workloads: products of matrices, and functions that consist of such products."""

from __future__ import annotations

from benchmarks.kernels import functions
from benchmarks.kernels.drawn.draw import Draw, Made, array, tolerance
from benchmarks.kernels.functions import Array, Namespace


def matmul(draw: Draw) -> Made:
    """The product of two matrices, either of which may be transposed."""
    rows, columns, terms = (draw.extent(2, 1200) for _ in range(3))
    dtype, turned = draw.wide(), draw.choice(("", "left", "right"))

    def product(xp: Namespace, a: Array, b: Array) -> Array:
        a = xp.matrix_transpose(a) if turned == "left" else a
        b = xp.matrix_transpose(b) if turned == "right" else b
        return xp.matmul(a, b)

    left = (terms, rows) if turned == "left" else (rows, terms)
    right = (columns, terms) if turned == "right" else (terms, columns)
    inputs = array(*left, dtype=dtype), array(*right, dtype=dtype)
    return Made(product, inputs, turned, tolerance(dtype, terms))


def matmul_batched(draw: Draw) -> Made:
    """The products of two stacks of matrices; the second may be a single, shared matrix."""
    batch, rows, columns, terms = draw.extent(2, 200), *(draw.extent(2, 160) for _ in range(3))
    shared = draw.random() < 0.3
    right = (terms, columns) if shared else (batch, terms, columns)
    return Made(
        functions.matmul,
        (array(batch, rows, terms), array(*right)),
        "shared" if shared else "",
        tolerance("float32", terms),
    )


def matrix_vector(draw: Draw) -> Made:
    """The product of a matrix and a vector, which may be on either side."""
    rows, columns = draw.extent(8, 4096), draw.extent(8, 4096)
    dtype, left = draw.wide(), draw.random() < 0.5
    matrix, vector = array(rows, columns, dtype=dtype), array(rows if left else columns, dtype=dtype)
    inputs = (vector, matrix) if left else (matrix, vector)
    return Made(functions.matmul, inputs, "left" if left else "right", tolerance(dtype, rows + columns))


def linear(draw: Draw) -> Made:
    """A layer of a network: a product, a shift and an activation."""
    tokens, width, inner = draw.extent(1, 512), draw.extent(8, 1024), draw.extent(8, 1024)
    activation = draw.choice(("relu", "tanh", "sigmoid", "none"))

    def layer(xp: Namespace, x: Array, weights: Array, shift: Array) -> Array:
        out = xp.matmul(x, weights) + shift
        if activation == "none":
            return out
        return xp.maximum(out, 0 * out) if activation == "relu" else getattr(xp, activation)(out)

    inputs = array(tokens, width), array(width, inner), array(inner)
    return Made(layer, inputs, activation, tolerance("float32", width))


def gram(draw: Draw) -> Made:
    """The products of all pairs of columns."""
    return Made(functions.gram, (array(draw.extent(16, 4096), draw.extent(4, 256)),), tolerance=1e-3)


def bilinear(draw: Draw) -> Made:
    """x·A·y for each row."""
    rows, left, right = draw.extent(8, 2000), draw.extent(4, 100), draw.extent(4, 100)

    def form(xp: Namespace, x: Array, a: Array, y: Array) -> Array:
        return xp.sum(xp.matmul(x, a) * y, axis=1)

    return Made(form, (array(rows, left), array(left, right), array(rows, right)), tolerance=1e-3)


def integers(draw: Draw) -> Made:
    """A product of matrices of 4-byte integers."""
    rows, columns, terms = (draw.extent(2, 200) for _ in range(3))
    inputs = array(rows, terms, dtype="int32", end=100), array(terms, columns, dtype="int32", end=100)
    return Made(functions.matmul, inputs, tolerance=0.0)


def distances(draw: Draw) -> Made:
    """The distances between all pairs of rows: euclidean, squared, city-block, or by angle."""
    rows, others, width = draw.extent(4, 1500), draw.extent(4, 800), draw.extent(2, 64)
    metric = draw.choice(("euclidean", "squared", "cities", "angles"))

    def between(xp: Namespace, x: Array, y: Array) -> Array:
        if metric == "euclidean":
            return functions.distances(xp, x, y)
        if metric == "cities":
            return xp.sum(xp.abs(x[:, None] - y[None]), axis=2)
        if metric == "squared":
            return xp.sum((x[:, None] - y[None]) ** 2, axis=2)
        sizes = xp.sqrt(xp.sum(x * x, axis=1))[:, None] * xp.sqrt(xp.sum(y * y, axis=1))
        return xp.matmul(x, xp.matrix_transpose(y)) / sizes

    def between_torch(xp: Namespace, x: Array, y: Array) -> Array:
        if metric == "angles":
            return between(xp, x, y)
        found = xp.cdist(x, y, p=1.0 if metric == "cities" else 2.0)
        return found * found if metric == "squared" else found

    many = metric in ("cities", "squared")
    shapes = (
        (rows if not many else max(2, rows // 4), width),
        (others if not many else max(2, others // 4), width),
    )
    return Made(between, tuple(array(*shape) for shape in shapes), metric, 1e-3, {"torch": between_torch})


def nearest(draw: Draw) -> Made:
    """The nearest centre of each point; in float64, so that rounding makes no other centre the nearest."""
    width = draw.extent(2, 64)
    inputs = (
        array(draw.extent(16, 20_000), width, dtype="float64"),
        array(draw.extent(2, 100), width, dtype="float64"),
    )
    return Made(functions.nearest_centres, inputs, tolerance=0.0)


KINDS = (matmul, matmul, matmul_batched, matrix_vector, linear, gram, bilinear, integers, distances, nearest)
