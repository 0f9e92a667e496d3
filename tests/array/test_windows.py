"""Convolution and pooling against loops over windows in NumPy."""

from itertools import product

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

import eqsat.array as xp
from eqsat.array.nodes.views import windows
from eqsat.errors import ShapeError
from eqsat.ops import Op
from eqsat.uop import toposort
from tests.array.compare import assert_agrees, numbers


def windows_in_numpy(x, sizes, strides, dilations):
    """Windows over the last axes: (…, places, positions)."""
    count = len(sizes)
    axes = tuple(range(x.ndim - count, x.ndim))
    reach = tuple((size - 1) * dilation + 1 for size, dilation in zip(sizes, dilations, strict=True))
    view = sliding_window_view(x, reach, axes)
    key = (
        ...,
        *(slice(None, None, stride) for stride in strides),
        *(slice(None, None, dilation) for dilation in dilations),
    )
    return view[key]


def convolve_in_numpy(x, weights, strides, padding, dilations, groups):
    axes = x.ndim - 2
    x = np.pad(x, ((0, 0), (0, 0), *((amount, amount) for amount in padding)))
    spread = windows_in_numpy(x, weights.shape[2:], strides, dilations)
    split = np.split(spread, groups, axis=1), np.split(weights, groups, axis=0)
    letters = "ab"[:axes], "cd"[:axes]
    formula = f"ni{letters[0]}{letters[1]},oi{letters[1]}->no{letters[0]}"
    return np.concatenate(
        [np.einsum(formula, part, filters) for part, filters in zip(*split, strict=True)], axis=1
    )


EVERY_KIND = product((1, 2, 3, 7, 10), (1, 2, 3), (1, 2, 3, 5), (1, 2, 3))


@pytest.mark.parametrize(
    ("extent", "size", "step", "dilation"), [case for case in EVERY_KIND if (case[1] - 1) * case[3] < case[0]]
)
def test_windows_are_those_of_numpy(extent, size, step, dilation):
    x = numbers("int32", (2, extent, 3), 1)
    expected = np.moveaxis(
        windows_in_numpy(np.moveaxis(x, 1, -1), (size,), (step,), (dilation,)), (-2, -1), (1, 2)
    )
    assert_agrees(xp.Array(windows(xp.asarray(x).uop, 1, size, step, dilation)), expected)


def test_windows_are_movement_alone():
    moved = windows(xp.placeholder(0, (5, 40), "float32").uop, 1, 3, 2, 1)
    assert {node.op for node in toposort([moved])} <= {
        Op.PARAM,
        Op.RESHAPE,
        Op.PERMUTE,
        Op.EXPAND,
        Op.PAD,
        Op.SHRINK,
    }


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("padding", [0, 1])
@pytest.mark.parametrize("dilation", [1, 2])
def test_convolution_agrees(stride, padding, dilation, groups):
    options = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    x, weights = numbers("int32", (2, 4, 9, 7), 1), numbers("int32", (6, 4 // groups, 3, 2), 2)
    expected = convolve_in_numpy(x, weights, (stride,) * 2, (padding,) * 2, (dilation,) * 2, groups)
    assert_agrees(xp.conv2d(x, weights, **options), expected)
    expected = convolve_in_numpy(x[..., 0], weights[..., 0], (stride,), (padding,), (dilation,), groups)
    assert_agrees(xp.conv1d(x[..., 0], weights[..., 0], **options), expected)


def test_convolution_takes_one_number_for_each_axis_and_a_bias():
    x, weights, bias = (
        numbers("int64", (1, 2, 9, 7), 1),
        numbers("int64", (3, 2, 3, 3), 2),
        np.array([5, 6, 7]),
    )
    expected = convolve_in_numpy(x, weights, (2, 1), (0, 2), (1, 2), 1) + bias[:, None, None]
    assert_agrees(xp.conv2d(x, weights, bias, stride=(2, 1), padding=(0, 2), dilation=(1, 2)), expected)
    padded = np.pad(x, ((0, 0), (0, 0), (1, 0), (0, 2)))
    expected = convolve_in_numpy(padded, weights, (1, 1), (0, 0), (1, 1), 1)
    assert_agrees(xp.conv2d(x, weights, padding=((1, 0), (0, 2))), expected)


@pytest.mark.parametrize(
    ("size", "stride", "padding"), [(2, None, 0), (3, 2, 1), (2, 1, 0), ((3, 2), (1, 3), (1, 0))]
)
@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_pooling_agrees(size, stride, padding, dtype):
    x = numbers(dtype, (2, 3, 8, 9), 1)
    sizes = (size,) * 2 if isinstance(size, int) else size
    strides = sizes if stride is None else (stride,) * 2 if isinstance(stride, int) else stride
    frame = (padding,) * 2 if isinstance(padding, int) else padding
    widths = ((0, 0), (0, 0), *((amount, amount) for amount in frame))
    low = np.iinfo(dtype).min if dtype == "int32" else -np.inf
    spread = windows_in_numpy(np.pad(x, widths, constant_values=low), sizes, strides, (1, 1))
    assert_agrees(xp.max_pool2d(x, size, stride=stride, padding=padding), spread.max((-2, -1)))
    spread = windows_in_numpy(np.pad(x, widths), sizes, strides, (1, 1))
    assert_agrees(
        xp.avg_pool2d(x, size, stride=stride, padding=padding), spread.mean((-2, -1)), absolute=1e-5
    )
    line = windows_in_numpy(x, sizes[1:], strides[1:], (1,))
    assert_agrees(xp.max_pool1d(x, sizes[1], stride=strides[1]), line.max(-1))
    assert_agrees(xp.avg_pool1d(x, sizes[1], stride=strides[1]), line.mean(-1), absolute=1e-5)


def test_what_does_not_fit_is_refused():
    image, filters = np.ones((1, 3, 8, 8)), np.ones((4, 3, 3, 3))
    for arguments, options, message in [
        (
            (image, filters[:, :2]),
            {},
            r"cannot convolve \(1, 3, 8, 8\) with filters \(4, 2, 3, 3\) in 1 groups",
        ),
        ((image[0], filters), {}, "expected .batch, channels"),
        ((image, filters), {"dilation": 4}, "cannot slide a window of 3"),
        ((image, filters), {"stride": 0}, "use positive numbers"),
        ((image, filters), {"stride": (1, 1, 1)}, "one number, or one for each"),
        ((image, filters), {"padding": (1, 1, 1)}, "cannot frame 2 axes"),
        ((image, filters, np.ones(3)), {}, "one element per filter"),
    ]:
        with pytest.raises(ShapeError, match=message):
            xp.conv2d(*arguments, **options)
    with pytest.raises(ShapeError, match="it needs 2 axes at least"):
        xp.max_pool2d(np.ones(3), 2)
