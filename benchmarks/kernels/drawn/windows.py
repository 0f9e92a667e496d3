"""Kinds of drawn workloads: convolutions, pooling, stencils and images."""

from __future__ import annotations

from benchmarks.kernels import functions
from benchmarks.kernels.drawn.draw import Draw, Made, array, tolerance
from benchmarks.kernels.functions import Array, Namespace


def conv2d(draw: Draw) -> Made:
    """A 2-D convolution of any size, stride, padding, dilation and number of groups."""
    groups = draw.choices((1, 2, 4), (6, 1, 1))[0]
    channels, filters = groups * draw.extent(1, 96 // groups), groups * draw.extent(1, 96 // groups)
    taps, stride = draw.choice((1, 2, 3, 3, 3, 5, 7)), draw.choice((1, 1, 2))
    dilation, padding = draw.choices((1, 2), (5, 1))[0], draw.randint(0, taps // 2)
    reach = dilation * (taps - 1) + 1
    height, width = (reach + draw.extent(4, 60) for _ in range(2))
    options = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}

    def convolution(xp: Namespace, images: Array, weights: Array) -> Array:
        return xp.conv2d(images, weights, **options)

    inputs = array(draw.extent(1, 8), channels, height, width), array(filters, channels // groups, taps, taps)
    return Made(convolution, inputs, str(options), tolerance("float32", channels * taps * taps))


def depthwise(draw: Draw) -> Made:
    """A convolution of each channel with its own filter."""
    channels, taps, stride = draw.extent(4, 160), draw.choice((3, 3, 5, 7)), draw.choice((1, 1, 2))

    def convolution(xp: Namespace, images: Array, weights: Array) -> Array:
        return xp.conv2d(images, weights, stride=stride, padding=taps // 2, groups=channels)

    images = array(draw.extent(1, 8), channels, taps + draw.extent(4, 60), taps + draw.extent(4, 60))
    return Made(convolution, (images, array(channels, 1, taps, taps)), f"stride {stride}")


def conv1d(draw: Draw) -> Made:
    """A convolution of signals."""
    channels, taps = draw.extent(1, 64), draw.randint(1, 15)

    def convolution(xp: Namespace, signals: Array, weights: Array) -> Array:
        return xp.conv1d(signals, weights, padding=taps // 2)

    inputs = (
        array(draw.extent(1, 8), channels, taps + draw.extent(16, 4000)),
        array(draw.extent(1, 64), channels, taps),
    )
    return Made(convolution, inputs, tolerance=tolerance("float32", channels * taps))


def transposed(draw: Draw) -> Made:
    """A convolution that makes images larger."""
    taps, stride, channels = draw.choice((2, 3, 4)), draw.choice((1, 2, 2)), draw.extent(2, 64)

    def convolution(xp: Namespace, images: Array, weights: Array) -> Array:
        return xp.conv_transpose2d(images, weights, stride=stride, padding=taps // 4)

    images = array(draw.extent(1, 4), channels, draw.extent(4, 32), draw.extent(4, 32))
    weights = array(channels, draw.extent(1, 32), taps, taps)
    return Made(
        convolution, (images, weights), f"stride {stride}", tolerance("float32", channels * taps * taps)
    )


def max_pool(draw: Draw) -> Made:
    """The greatest elements of adjacent windows."""
    size = draw.choice((2, 2, 3, 4))
    images = array(
        draw.extent(1, 8), draw.extent(1, 64), size * draw.extent(4, 50), size * draw.extent(4, 50)
    )
    return Made(lambda xp, images: xp.max_pool2d(images, size), (images,), f"size {size}")


def average_pool(draw: Draw) -> Made:
    """The mean of each whole channel."""
    images = array(draw.extent(1, 16), draw.extent(1, 256), draw.extent(2, 40), draw.extent(2, 40))
    return Made(lambda xp, images: xp.mean(images, axis=(2, 3)), (images,))


def stencil(draw: Draw) -> Made:
    """A weighted sum of neighbours along each axis; the result lacks the frame."""
    rank, dtype, reach = draw.choice((1, 2, 2, 3)), draw.wide(), draw.choice((1, 1, 2))
    shape = tuple(extent + 2 * reach for extent in draw.shape(rank))
    inner = slice(reach, -reach)

    def neighbours(xp: Namespace, x: Array) -> Array:
        total = -2.0 * rank * x[(inner,) * rank]
        for axis in range(rank):
            for shift in range(-reach, reach + 1):
                if shift:
                    stop = shift + x.shape[axis] - reach
                    place = [inner] * rank
                    place[axis] = slice(reach + shift, stop)
                    total = total + (1.0 / abs(shift)) * x[tuple(place)]
        return total

    return Made(neighbours, (array(*shape, dtype=dtype),), f"reach {reach}", tolerance(dtype))


def blur(draw: Draw) -> Made:
    """A blur along both axes, one after the other."""
    weights = [draw.uniform(0.1, 1.0) for _ in range(draw.choice((3, 5, 7)))]
    shape = tuple(extent + len(weights) for extent in draw.shape(2))

    def along(x: Array, axis: int) -> Array:
        extent = x.shape[axis] - len(weights) + 1
        parts = [
            weight * (x[tap : tap + extent] if axis == 0 else x[:, tap : tap + extent])
            for tap, weight in enumerate(weights)
        ]
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total

    return Made(lambda xp, x: along(along(x, 0), 1), (array(*shape),), f"{len(weights)} taps")


def image(draw: Draw) -> Made:
    """An image of interleaved bytes: turned grey, blended, brightened, or with its channels swapped."""
    height, width = draw.extent(8, 1100), draw.extent(8, 1400)
    name, gain = draw.choice(("grey", "blend", "brighter", "swapped")), draw.randint(100, 400)

    def brighter(xp: Namespace, picture: Array) -> Array:
        return xp.astype(xp.clip((xp.astype(picture, xp.int32) * gain) >> 8, 0, 255), xp.uint8)

    def swapped(xp: Namespace, picture: Array) -> Array:
        return xp.stack([picture[:, :, 2], picture[:, :, 1], picture[:, :, 0]], 2)

    function = {"grey": functions.grey, "blend": functions.blend, "brighter": brighter, "swapped": swapped}[
        name
    ]
    pictures = (4, 3) if name == "blend" else (3,)
    return Made(function, tuple(array(height, width, each, dtype="uint8") for each in pictures), name, 0.0)


KINDS = (conv2d, conv2d, depthwise, conv1d, transposed, max_pool, average_pool, stencil, stencil, blur, image)
