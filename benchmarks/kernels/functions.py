"""The functions of the workloads. `xp` is a namespace with eqsat's names: eqsat's own, or one of `benchmarks.kernels.names`.

A function whose name ends in that of a library is what users of the library write, if it has a function for the whole or needs a copy to do the
work.
"""

from __future__ import annotations

from typing import Any

Namespace = Any
Array = Any

GROUPS = 32  # groups of channels of a group norm
HEADS = 4  # heads of keys and values, in attention whose queries have more
STEPS = 12  # steps of the Mandelbrot iteration
EXCHANGES = (
    (1, 2), (4, 5), (7, 8), (0, 1), (3, 4), (6, 7), (1, 2), (4, 5), (7, 8), (0, 3), (5, 8), (4, 7), (3, 6), (1, 4), (2, 5), (4, 7), (4, 2),
    (6, 4), (4, 2),
)  # each moves the lesser element to the left; after all, the median of nine is in the middle  # fmt: skip


def matmul(xp: Namespace, a: Array, b: Array) -> Array:
    """(…, rows, inner), (…, inner, columns) -> (…, rows, columns)."""
    return xp.matmul(a, b)


def gram(xp: Namespace, x: Array) -> Array:
    """The products of all pairs of columns: (rows, columns) -> (columns, columns)."""
    return xp.matmul(xp.matrix_transpose(x), x)


def four_bit_matmul(xp: Namespace, x: Array, packed: Array, scale: Array) -> Array:
    """A product with weights of four bits, two in a byte: (rows, inner), (inner / 2, columns), (columns) -> (rows, columns)."""
    halves = [xp.astype(half, xp.float32) - 8.0 for half in (packed & 15, packed >> 4)]
    weights = xp.reshape(xp.stack(halves, axis=1), (x.shape[1], packed.shape[1]))
    return xp.matmul(x, weights) * scale


def conv_3x3(xp: Namespace, images: Array, weights: Array) -> Array:
    """A convolution that keeps the size of images."""
    return xp.conv2d(images, weights, padding=1)


def conv_strided(xp: Namespace, images: Array, weights: Array) -> Array:
    """A 3×3 convolution that halves the size of images."""
    return xp.conv2d(images, weights, stride=2, padding=1)


def conv_depthwise(xp: Namespace, images: Array, weights: Array) -> Array:
    """A 3×3 convolution of each channel with its own filter."""
    return xp.conv2d(images, weights, padding=1, groups=images.shape[1])


def conv_1x1(xp: Namespace, images: Array, weights: Array) -> Array:
    """A 1×1 convolution, which only mixes channels."""
    return xp.conv2d(images, weights)


def conv_dilated(xp: Namespace, images: Array, weights: Array) -> Array:
    """A 3×3 convolution whose taps are two apart."""
    return xp.conv2d(images, weights, padding=2, dilation=2)


def conv_first_layer(xp: Namespace, images: Array, weights: Array) -> Array:
    """A 7×7 convolution of colours that halves the size of images."""
    return xp.conv2d(images, weights, stride=2, padding=3)


def conv_of_signals(xp: Namespace, signals: Array, weights: Array) -> Array:
    """A convolution with 5 taps along one axis."""
    return xp.conv1d(signals, weights, padding=2)


def conv_of_volumes(xp: Namespace, volumes: Array, weights: Array) -> Array:
    """A 3×3×3 convolution."""
    return xp.conv3d(volumes, weights, padding=1)


def conv_transposed(xp: Namespace, images: Array, weights: Array) -> Array:
    """A transposed convolution that doubles the size of images."""
    return xp.conv_transpose2d(images, weights, stride=2, padding=1)


def softmax(xp: Namespace, x: Array) -> Array:
    """The softmax of each row."""
    return xp.softmax(x)


def softmax_of_columns(xp: Namespace, x: Array) -> Array:
    """The softmax of each column."""
    return xp.softmax(x, axis=0)


def layer_norm(xp: Namespace, x: Array, scale: Array, shift: Array) -> Array:
    """The layer norm of each row."""
    return xp.layer_norm(x, scale, shift)


def rms_norm(xp: Namespace, x: Array, scale: Array) -> Array:
    """Each row divided by its root mean square, then scaled."""
    return xp.rms_norm(x, scale)


def group_norm(xp: Namespace, images: Array, scale: Array, shift: Array) -> Array:
    """Mean 0 and variance 1 for each image and group of channels, then scaled and shifted."""
    grouped = xp.reshape(images, (images.shape[0], GROUPS, -1))
    centred = grouped - xp.mean(grouped, axis=-1, keepdims=True)
    normal = centred / xp.sqrt(xp.mean(centred * centred, axis=-1, keepdims=True) + 1e-5)
    return xp.reshape(normal, images.shape) * scale[:, None, None] + shift[:, None, None]


def group_norm_torch(xp: Namespace, images: Array, scale: Array, shift: Array) -> Array:
    """The same by torch's own function."""
    return xp.group_norm(images, GROUPS, scale, shift)


def standardize(xp: Namespace, x: Array) -> Array:
    """Columns with mean 0 and standard deviation 1, as scikit-learn's StandardScaler does it."""
    return (x - xp.mean(x, axis=0)) / xp.std(x, axis=0)


def attention(xp: Namespace, queries: Array, keys: Array, values: Array) -> Array:
    """Scaled dot-product attention: (heads, tokens, width) three times -> the same."""
    return xp.attention(queries, keys, values)


def causal_attention(xp: Namespace, queries: Array, keys: Array, values: Array) -> Array:
    """Attention of each token to itself and to the tokens before it."""
    tokens = xp.arange(queries.shape[1])
    return xp.attention(queries, keys, values, mask=tokens[:, None] >= tokens)


def causal_attention_torch(xp: Namespace, queries: Array, keys: Array, values: Array) -> Array:
    """The same by torch's own function."""
    return xp.attention(queries, keys, values, is_causal=True)


def grouped_attention(xp: Namespace, queries: Array, keys: Array, values: Array) -> Array:
    """Attention in which several heads of queries share one head of keys and values."""
    grouped = xp.reshape(queries, (HEADS, -1, *queries.shape[1:]))
    return xp.reshape(xp.attention(grouped, keys[:, None], values[:, None]), queries.shape)


def grouped_attention_torch(xp: Namespace, queries: Array, keys: Array, values: Array) -> Array:
    """The same by torch's own function."""
    return xp.attention(queries, keys, values, enable_gqa=True)


def sum_of_all(xp: Namespace, x: Array) -> Array:
    """The sum of all elements."""
    return xp.sum(x)


def cumulative_rows(xp: Namespace, x: Array) -> Array:
    """The running sums of each row; each includes its own element."""
    return xp.cumulative_sum(x, axis=1)


def cumulative_columns(xp: Namespace, x: Array) -> Array:
    """The running sums of each column; each includes its own element."""
    return xp.cumulative_sum(x, axis=0)


def argmax_of_rows(xp: Namespace, x: Array) -> Array:
    """The position of the greatest element of each row."""
    return xp.argmax(x, axis=1)


def argmin_of_columns(xp: Namespace, x: Array) -> Array:
    """The position of the least element of each column."""
    return xp.argmin(x, axis=0)


def scaled_gelu(xp: Namespace, x: Array, scale: Array, shift: Array) -> Array:
    """gelu(x·w + b), by the tanh approximation."""
    return xp.gelu(x * scale + shift, approximate="tanh")


def tridiagonal(xp: Namespace, below: Array, diagonal: Array, above: Array, right: Array) -> Array:
    """The solutions of many tridiagonal systems; the diagonal gets 16 added, so that they are regular."""
    return xp.stack(solved_tridiagonal(below, diagonal * diagonal + 16.0, above, right), axis=0)


def solved_tridiagonal(below: Array, diagonal: Array, above: Array, right: Array) -> list[Array]:
    """The unknowns of tridiagonal systems, by Thomas' algorithm; an equation is a row along the first axis."""
    count = below.shape[0]
    ratios, sums = [above[0] / diagonal[0]], [right[0] / diagonal[0]]
    for row in range(1, count):
        pivot = diagonal[row] - below[row] * ratios[-1]
        ratios.append(above[row] / pivot)
        sums.append((right[row] - below[row] * sums[-1]) / pivot)
    found = [sums[-1]]
    for row in range(count - 2, -1, -1):
        found.insert(0, sums[row] - ratios[row] * found[0])
    return found


def heat_step(xp: Namespace, heat: Array) -> Array:
    """One step of the heat equation; the result lacks the frame."""
    centre = heat[1:-1, 1:-1]
    around = heat[:-2, 1:-1] + heat[2:, 1:-1] + heat[1:-1, :-2] + heat[1:-1, 2:]
    return centre + 0.1 * (around - 4.0 * centre)


def blur(xp: Namespace, image: Array) -> Array:
    """A blur with the binomial weights 1 4 6 4 1 along both axes; the result lacks the frame."""
    rows = image[:-4] + 4.0 * image[1:-3] + 6.0 * image[2:-2] + 4.0 * image[3:-1] + image[4:]
    columns = rows[:, :-4] + 4.0 * rows[:, 1:-3] + 6.0 * rows[:, 2:-2] + 4.0 * rows[:, 3:-1] + rows[:, 4:]
    return columns * (1.0 / 256.0)


def median_of_nine(xp: Namespace, image: Array) -> Array:
    """The median of each 3×3 window, by exchanges; the result lacks the frame."""
    rows, columns = image.shape[0] - 2, image.shape[1] - 2
    near = [image[row : row + rows, column : column + columns] for row in range(3) for column in range(3)]
    for a, b in EXCHANGES:
        near[a], near[b] = xp.minimum(near[a], near[b]), xp.maximum(near[a], near[b])
    return near[4]


def max_pool(xp: Namespace, images: Array) -> Array:
    """The greatest element of each 2×2 window."""
    return xp.max_pool2d(images, 2)


def embedding(xp: Namespace, table: Array, positions: Array) -> Array:
    """The rows of a table at the positions."""
    return xp.take(table, positions, axis=0)


def along_rows(xp: Namespace, x: Array, positions: Array) -> Array:
    """Elements of each row, at positions of its own."""
    return xp.take_along_axis(x, positions, axis=1)


def channels_last(xp: Namespace, images: Array) -> Array:
    """(batch, channels, height, width) -> (batch, height, width, channels)."""
    return xp.permute_dims(images, (0, 2, 3, 1))


def channels_last_numpy(xp: Namespace, images: Array) -> Array:
    """The same as a copy; in NumPy the permutation alone would be a view."""
    return xp.ascontiguousarray(xp.permute_dims(images, (0, 2, 3, 1)))


def channels_last_torch(xp: Namespace, images: Array) -> Array:
    """The same as a copy; in torch the permutation alone would be a view."""
    return xp.permute_dims(images, (0, 2, 3, 1)).contiguous()


def grey(xp: Namespace, image: Array) -> Array:
    """The luminance of interleaved red, green and blue: bytes (height, width, 3) -> bytes (height, width)."""
    wide = xp.astype(image, xp.int32)
    return xp.astype((77 * wide[:, :, 0] + 150 * wide[:, :, 1] + 29 * wide[:, :, 2]) >> 8, xp.uint8)


def blend(xp: Namespace, above: Array, below: Array) -> Array:
    """Interleaved red, green, blue and opacity over red, green and blue: bytes (height, width, 4), (height, width, 3) -> the latter."""
    upper, lower = xp.astype(above, xp.int32), xp.astype(below, xp.int32)
    opacity = upper[:, :, 3:]
    return xp.astype((upper[:, :, :3] * opacity + lower * (255 - opacity) + 127) // 255, xp.uint8)


def lstm_cell(
    xp: Namespace,
    x: Array,
    hidden: Array,
    cell: Array,
    inward: Array,
    across: Array,
    shift: Array,
    again: Array,
) -> tuple[Array, Array]:
    """One LSTM step: (batch, inputs), two states (batch, width), weights (4·width, inputs) and (4·width, width), two biases -> two states."""
    gates = (
        xp.matmul(x, xp.matrix_transpose(inward))
        + shift
        + xp.matmul(hidden, xp.matrix_transpose(across))
        + again
    )
    width = hidden.shape[1]
    entering, forgetting, candidate, leaving = (
        gates[:, part * width : (part + 1) * width] for part in range(4)
    )
    cell = xp.sigmoid(forgetting) * cell + xp.sigmoid(entering) * xp.tanh(candidate)
    return xp.sigmoid(leaving) * xp.tanh(cell), cell


def lstm_cell_torch(
    xp: Namespace,
    x: Array,
    hidden: Array,
    cell: Array,
    inward: Array,
    across: Array,
    shift: Array,
    again: Array,
) -> tuple[Array, Array]:
    """The same by torch's own function."""
    return xp.lstm_cell(x, (hidden, cell), inward, across, shift, again)


def gru_cell(
    xp: Namespace, x: Array, hidden: Array, inward: Array, across: Array, shift: Array, again: Array
) -> Array:
    """One GRU step: (batch, inputs), the state (batch, width), weights (3·width, inputs) and (3·width, width), two biases -> the state."""
    width = hidden.shape[1]
    new = xp.matmul(x, xp.matrix_transpose(inward)) + shift
    old = xp.matmul(hidden, xp.matrix_transpose(across)) + again
    gates = xp.sigmoid(new[:, : 2 * width] + old[:, : 2 * width])
    resetting, keeping = gates[:, :width], gates[:, width:]
    candidate = xp.tanh(new[:, 2 * width :] + resetting * old[:, 2 * width :])
    return (1.0 - keeping) * candidate + keeping * hidden


def gru_cell_torch(
    xp: Namespace, x: Array, hidden: Array, inward: Array, across: Array, shift: Array, again: Array
) -> Array:
    """The same by torch's own function."""
    return xp.gru_cell(x, hidden, inward, across, shift, again)


def distances(xp: Namespace, x: Array, y: Array) -> Array:
    """The distances between all pairs of rows, as scikit-learn's euclidean_distances computes them."""
    squares = xp.sum(x * x, axis=1)[:, None] + xp.sum(y * y, axis=1)
    return xp.sqrt(xp.maximum(squares - 2.0 * xp.matmul(x, xp.matrix_transpose(y)), 0.0))


def distances_torch(xp: Namespace, x: Array, y: Array) -> Array:
    """The same by torch's own function."""
    return xp.cdist(x, y)


def nearest_centres(xp: Namespace, x: Array, centres: Array) -> Array:
    """The nearest centre of each point, a step of k-means."""
    squares = xp.sum(centres * centres, axis=1)
    return xp.argmin(squares - 2.0 * xp.matmul(x, xp.matrix_transpose(centres)), axis=1)


def quantize(xp: Namespace, x: Array) -> tuple[Array, Array]:
    """Rows quantized to 1-byte integers, and the unit of each row."""
    unit = xp.max(xp.abs(x), axis=1, keepdims=True) / 127.0
    return xp.astype(xp.clip(xp.round(x / unit), -127.0, 127.0), xp.int8), unit


def escape_counts(xp: Namespace, real: Array, imaginary: Array) -> Array:
    """The Mandelbrot set: in how many steps of z² + c, clipped, each point is within a circle of radius 2."""
    x, y = 0.0 * real[None] + 0.0 * imaginary[:, None], 0.0 * real[None] + 0.0 * imaginary[:, None]
    count = x
    for _ in range(STEPS):
        x, y = x * x - y * y + real[None], 2.0 * x * y + imaginary[:, None]
        x, y = xp.clip(x, -4.0, 4.0), xp.clip(y, -4.0, 4.0)
        count = count + xp.where(x * x + y * y < 4.0, 1.0, 0.0)
    return count


def error_function(xp: Namespace, x: Array) -> Array:
    """The error function of each element."""
    return xp.erf(x)


def log_add_exp(xp: Namespace, x: Array, y: Array) -> Array:
    """log(eˣ + eʸ)."""
    return xp.logaddexp(x, y)


def add(xp: Namespace, x: Array, y: Array) -> Array:
    """The sum of two arrays."""
    return x + y


def layers(xp: Namespace, x: Array, inward: Array, outward: Array) -> Array:
    """Two layers of a network: (tokens, width), (width, inner), (inner, width) -> (tokens, width)."""
    return xp.matmul(xp.gelu(xp.matmul(x, inward), approximate="tanh"), outward)


def byte_matmul(xp: Namespace, a: Array, b: Array) -> Array:
    """A product of matrices of signed bytes, computed with 4-byte integers."""
    return xp.matmul(xp.astype(a, xp.int32), xp.astype(b, xp.int32))


def byte_matmul_numpy(xp: Namespace, a: Array, b: Array) -> Array:
    """The same by floats, which represent these sums exactly, because NumPy's products of integers are slow."""
    return xp.matmul(a.astype(xp.float32), b.astype(xp.float32)).astype(xp.int32)


def byte_matmul_jax(xp: Namespace, a: Array, b: Array) -> Array:
    """The same by JAX's product of bytes, whose result gets a wider dtype."""
    return xp.matmul(a, b, preferred_element_type=xp.int32)


def byte_matmul_torch(xp: Namespace, a: Array, b: Array) -> Array:
    """The same by torch's own function."""
    return xp.byte_matmul(a, b)


def sum_of_middle_axes(xp: Namespace, x: Array) -> Array:
    """The sums over height and width: (batch, height, width, channels) -> (batch, channels)."""
    return xp.sum(x, axis=(1, 2))
