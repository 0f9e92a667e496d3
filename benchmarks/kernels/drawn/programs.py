"""Kinds of drawn workloads: small programs of science, learning and images, each of several steps."""

from __future__ import annotations

from benchmarks.kernels.drawn.draw import Draw, Made, array, tolerance
from benchmarks.kernels.functions import Array, Namespace


def perceptron(draw: Draw) -> Made:
    """A norm, two layers with an activation between, and the input added."""
    tokens, width, inner = draw.extent(1, 300), draw.extent(8, 400), draw.extent(8, 800)
    gated = draw.random() < 0.4

    def block(xp: Namespace, x: Array, scale: Array, *weights: Array) -> Array:
        normal = xp.rms_norm(x, scale)
        hidden = xp.matmul(normal, weights[0])
        hidden = hidden * xp.sigmoid(hidden)
        if gated:
            hidden = hidden * xp.matmul(normal, weights[2])
        return x + xp.matmul(hidden, weights[1])

    inward, outward = array(width, inner), array(inner, width)
    inputs = array(tokens, width), array(width), inward, outward, *(inward,) * gated
    return Made(block, inputs, "gated" if gated else "", 1e-3)


def convolved(draw: Draw) -> Made:
    """A convolution, a scale and shift of each channel, a rectifier and a pooling."""
    channels, filters, height, width = (
        draw.extent(1, 48),
        draw.extent(4, 64),
        draw.extent(4, 24),
        draw.extent(4, 24),
    )

    def block(xp: Namespace, images: Array, weights: Array, scale: Array, shift: Array) -> Array:
        found = xp.conv2d(images, weights, padding=1) * scale[:, None, None] + shift[:, None, None]
        return xp.max_pool2d(xp.maximum(found, 0 * found), 2)

    images = array(draw.extent(1, 8), channels, 2 * height, 2 * width)
    return Made(
        block, (images, array(filters, channels, 3, 3), array(filters), array(filters)), tolerance=1e-3
    )


def heads(draw: Draw) -> Made:
    """Attention with several heads, and the products before and after it."""
    batch, tokens, count, size = (
        draw.extent(1, 4),
        draw.extent(4, 128),
        draw.randint(1, 6),
        draw.choice((8, 16, 32, 64)),
    )
    width = count * size

    def block(xp: Namespace, x: Array, inward: Array, outward: Array) -> Array:
        parts = xp.reshape(xp.matmul(x, inward), (batch, tokens, 3, count, size))
        queries, keys, values = (
            xp.reshape(xp.permute_dims(parts[:, :, part], (0, 2, 1, 3)), (batch * count, tokens, size))
            for part in range(3)
        )
        seen = xp.reshape(xp.attention(queries, keys, values), (batch, count, tokens, size))
        return xp.matmul(xp.reshape(xp.permute_dims(seen, (0, 2, 1, 3)), (batch, tokens, width)), outward)

    return Made(
        block, (array(batch, tokens, width), array(width, 3 * width), array(width, width)), tolerance=1e-2
    )


def rotated(draw: Draw) -> Made:
    """Pairs of elements, rotated by angles that depend on their positions, as in language models."""
    tokens, count, half = draw.extent(2, 512), draw.extent(1, 16), draw.choice((8, 16, 32, 64))

    def turned(xp: Namespace, x: Array, angles: Array) -> Array:
        cosines, sines = xp.cos(angles)[:, None], xp.sin(angles)[:, None]
        first, second = x[:, :, :half], x[:, :, half:]
        return xp.concat([first * cosines - second * sines, second * cosines + first * sines], axis=2)

    return Made(turned, (array(tokens, count, 2 * half), array(tokens, half)))


def forces(draw: Draw) -> Made:
    """The forces of bodies on each other by gravity."""
    bodies, dtype = draw.extent(8, 1200), draw.wide()

    def acceleration(xp: Namespace, places: Array, masses: Array) -> Array:
        apart = places[None] - places[:, None]
        weight = masses / (xp.sum(apart * apart, axis=2) + 0.01) ** 1.5
        return xp.sum(apart * weight[:, :, None], axis=1)

    inputs = array(bodies, 3, dtype=dtype), array(bodies, dtype=dtype, is_positive=True)
    return Made(acceleration, inputs, tolerance=tolerance(dtype, bodies * bodies))


def overlaps(draw: Draw) -> Made:
    """The intersection over union of all pairs of boxes."""
    first, second = draw.extent(4, 1200), draw.extent(4, 800)

    def of_pairs(xp: Namespace, a: Array, b: Array, c: Array, d: Array) -> Array:
        low = xp.maximum(a[:, None], c[None])
        high = xp.minimum((a + b)[:, None], (c + d)[None])
        inside = high - low
        inside = xp.maximum(inside, 0 * inside)
        common = inside[:, :, 0] * inside[:, :, 1]
        return common / ((b[:, 0] * b[:, 1])[:, None] + (d[:, 0] * d[:, 1])[None] - common + 1e-6)

    inputs = (
        array(first, 2),
        array(first, 2, is_positive=True),
        array(second, 2),
        array(second, 2, is_positive=True),
    )
    return Made(of_pairs, inputs, tolerance=1e-3)


def options(draw: Draw) -> Made:
    """Prices of options by Black and Scholes."""
    dtype = draw.wide()
    (count,) = draw.shape(1)

    def prices(xp: Namespace, spot: Array, strike: Array, years: Array) -> Array:
        root = 0.3 * xp.sqrt(years + 0.1)
        spot, strike = spot + 0.5, strike + 0.5
        first = (xp.log(spot / strike) + 0.06 * (years + 0.1)) / root
        second = first - root
        return 0.5 * spot * (1.0 + xp.erf(0.70710678 * first)) - 0.5 * strike * xp.exp(
            -0.02 * (years + 0.1)
        ) * (1.0 + xp.erf(0.70710678 * second))

    return Made(
        prices,
        tuple(array(count, dtype=dtype, is_positive=True) for _ in range(3)),
        tolerance=10 * tolerance(dtype),
    )


def great_circles(draw: Draw) -> Made:
    """Distances on a sphere between all pairs of places."""
    first, second, dtype = draw.extent(4, 1000), draw.extent(4, 1000), draw.wide()

    def between(xp: Namespace, here: Array, there: Array) -> Array:
        south, east = here[:, None, 0] - there[None, :, 0], here[:, None, 1] - there[None, :, 1]
        part = (
            xp.sin(0.5 * south) ** 2
            + xp.cos(here[:, None, 0]) * xp.cos(there[None, :, 0]) * xp.sin(0.5 * east) ** 2
        )
        return xp.atan2(xp.sqrt(part), xp.sqrt(xp.abs(1.0 - part)))

    return Made(between, (array(first, 2, dtype=dtype), array(second, 2, dtype=dtype)), tolerance=1e-3)


def jacobi(draw: Draw) -> Made:
    """Several Jacobi steps, each of which averages neighbours within a fixed frame."""
    height, width, steps = draw.extent(8, 600), draw.extent(8, 600), draw.randint(1, 4)

    def solved(xp: Namespace, x: Array, source: Array) -> Array:
        for _ in range(steps):
            inner = 0.25 * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] - source[1:-1, 1:-1])
            middle = xp.concat([x[1:-1, :1], inner, x[1:-1, -1:]], axis=1)
            x = xp.concat([x[:1], middle, x[-1:]], axis=0)
        return x

    return Made(solved, (array(height, width), array(height, width)), f"{steps} steps")


def life(draw: Draw) -> Made:
    """A generation of Conway's Life on a torus."""
    height, width = draw.extent(8, 1000), draw.extent(8, 1000)

    def next_one(xp: Namespace, cells: Array) -> Array:
        rows = cells + xp.roll(cells, 1, 0) + xp.roll(cells, -1, 0)
        near = rows + xp.roll(rows, 1, 1) + xp.roll(rows, -1, 1) - cells
        return xp.astype((near == 3) | ((near == 2) & (cells == 1)), xp.uint8)

    return Made(next_one, (array(height, width, dtype="uint8", end=2),), tolerance=0.0)


def mixture(draw: Draw) -> Made:
    """The responsibility of each of several normal distributions for each point."""
    points, centres, width = draw.extent(16, 8000), draw.extent(2, 32), draw.extent(1, 16)

    def responsibilities(xp: Namespace, x: Array, means: Array, precisions: Array) -> Array:
        apart = x[:, None] - means[None]
        likely = -0.5 * xp.sum(apart * apart * precisions[None], axis=2) + 0.5 * xp.sum(
            xp.log(precisions), axis=1
        )
        return xp.softmax(likely, axis=1)

    inputs = array(points, width), array(centres, width), array(centres, width, is_positive=True)
    return Made(responsibilities, inputs, tolerance=1e-2)


def covariance(draw: Draw) -> Made:
    """The covariance of columns."""
    rows, columns, dtype = draw.extent(8, 8000), draw.extent(2, 150), draw.wide()

    def between(xp: Namespace, x: Array) -> Array:
        centred = x - xp.mean(x, axis=0)
        return xp.matmul(xp.matrix_transpose(centred), centred) * (1.0 / rows)

    return Made(between, (array(rows, columns, dtype=dtype),), tolerance=tolerance(dtype, rows))


def edges(draw: Draw) -> Made:
    """The magnitude of the Sobel gradients of a colour image in grey."""
    height, width = draw.extent(8, 900), draw.extent(8, 1200)

    def sizes(xp: Namespace, image: Array) -> Array:
        grey = 0.3 * image[:, :, 0] + 0.6 * image[:, :, 1] + 0.1 * image[:, :, 2]
        down = grey[:-2] + 2.0 * grey[1:-1] + grey[2:]
        across = grey[:, :-2] + 2.0 * grey[:, 1:-1] + grey[:, 2:]
        return xp.sqrt((down[:, 2:] - down[:, :-2]) ** 2 + (across[2:] - across[:-2]) ** 2)

    return Made(sizes, (array(height, width, 3),), tolerance=1e-3)


def routed(draw: Draw) -> Made:
    """The best expert for each token, and the token times its weight; in float64, so that rounding makes no other expert the best."""
    tokens, experts, width = draw.extent(2, 4000), draw.extent(2, 64), draw.extent(8, 128)

    def gate(xp: Namespace, x: Array, scores: Array) -> tuple[Array, Array]:
        weights = xp.softmax(xp.matmul(x, scores), axis=1)
        return xp.argmax(weights, 1), xp.max(weights, axis=1, keepdims=True) * x

    inputs = array(tokens, width, dtype="float64"), array(width, experts, dtype="float64")
    return Made(gate, inputs, tolerance=1e-9)


def smoothed(draw: Draw) -> Made:
    """Differences from a running mean, relative to the deviation in the same window."""
    rows, count, window = draw.extent(1, 64), draw.extent(64, 20_000), draw.choice((4, 10, 32))
    count += window

    def scores(xp: Namespace, x: Array) -> Array:
        total, square = xp.cumulative_sum(x, axis=1), xp.cumulative_sum(x * x, axis=1)
        mean = (total[:, window:] - total[:, :-window]) / window
        spread = (square[:, window:] - square[:, :-window]) / window - mean * mean
        return (x[:, window:] - mean) / xp.sqrt(xp.abs(spread) + 1e-9)

    return Made(scores, (array(rows, count, dtype="float64"),), f"window {window}", 1e-6)


def spheres(draw: Draw) -> Made:
    """The sphere that each ray meets first, and where; in float64, so that rounding makes no other sphere the first."""
    rays, count = draw.extent(16, 10_000), draw.extent(1, 64)

    def first(xp: Namespace, directions: Array, centres: Array) -> tuple[Array, Array]:
        unit = directions / xp.sqrt(xp.sum(directions * directions, axis=1) + 1e-6)[:, None]
        along = xp.matmul(unit, xp.matrix_transpose(centres))
        root = along * along - xp.sum(centres * centres, axis=1) + 0.5
        reached = xp.where(root > 0.0, along - xp.sqrt(xp.abs(root)), 100.0)
        return xp.argmin(reached, 1), xp.min(reached, axis=1)

    inputs = array(rays, 3, dtype="float64"), array(count, 3, dtype="float64")
    return Made(first, inputs, tolerance=1e-6)


KINDS = (
    perceptron, convolved, heads, rotated, forces, overlaps, options, great_circles, jacobi, life, mixture, covariance,
    edges, routed, smoothed, spheres,
)  # fmt: skip
