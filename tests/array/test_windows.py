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
    places, taps = "abc"[:axes], "def"[:axes]
    formula = f"ni{places}{taps},oi{taps}->no{places}"
    return np.concatenate(
        [np.einsum(formula, part, filters) for part, filters in zip(*split, strict=True)], axis=1
    )


def convolve_transposed_in_numpy(x, weights, strides, padding, more, dilations, groups):
    """Each element times a whole filter, added up where it belongs."""
    extents, taps = x.shape[2:], weights.shape[2:]
    sizes = [
        (n - 1) * s + (k - 1) * d + 1 for n, s, k, d in zip(extents, strides, taps, dilations, strict=True)
    ]
    result = np.zeros((len(x), groups * weights.shape[1], *sizes), x.dtype)
    for tap in np.ndindex(taps):
        where = [
            slice(t * d, t * d + (n - 1) * s + 1, s)
            for t, d, n, s in zip(tap, dilations, extents, strides, strict=True)
        ]
        filters = np.split(weights[(..., *tap)], groups, axis=0)
        parts = zip(np.split(x, groups, axis=1), filters, strict=True)
        result[(..., *where)] += np.concatenate(
            [np.einsum("nc...,cf->nf...", part, each) for part, each in parts], axis=1
        )
    result = np.pad(result, ((0, 0), (0, 0), *((0, amount) for amount in more)))
    return result[(..., *(slice(p, n - p) for p, n in zip(padding, result.shape[2:], strict=True)))]


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


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("padding", [0, 1])
@pytest.mark.parametrize("dilation", [1, 2, 3])
@pytest.mark.parametrize("taps", [1, 2, 3, 4])
def test_transposed_convolution_agrees(taps, stride, padding, dilation, groups):
    x, weights = numbers("int32", (2, 4, 5, 4), 1), numbers("int32", (4, 3, taps, 2), 2)
    for more in range(stride):
        options = {"padding": padding, "output_padding": more, "dilation": dilation, "groups": groups}
        given = (stride,) * 2, (padding,) * 2, (more,) * 2, (dilation,) * 2, groups
        expected = convolve_transposed_in_numpy(x, weights, *given)
        assert_agrees(xp.conv_transpose2d(x, weights, stride=stride, **options), expected)
        given = (stride,), (padding,), (more,), (dilation,), groups
        expected = convolve_transposed_in_numpy(x[..., 0], weights[..., 0], *given)
        assert_agrees(xp.conv_transpose1d(x[..., 0], weights[..., 0], stride=stride, **options), expected)


def test_transposed_convolution_takes_one_number_for_each_axis_and_a_bias():
    x, weights, bias = (
        numbers("int64", (2, 3, 3, 4, 2), 1),
        numbers("int64", (3, 2, 3, 1, 4), 2),
        np.array([5, 6]),
    )
    expected = convolve_transposed_in_numpy(x, weights, (2, 3, 1), (0, 1, 2), (1, 0, 0), (1, 2, 3), 1)
    got = xp.conv_transpose3d(
        x, weights, bias, stride=(2, 3, 1), padding=(0, 1, 2), output_padding=(1, 0, 0), dilation=(1, 2, 3)
    )
    assert_agrees(got, expected + bias[:, None, None, None])
    whole = convolve_transposed_in_numpy(x, weights, (2, 2, 2), (0, 0, 0), (0, 0, 0), (1, 1, 1), 1)
    got = xp.conv_transpose3d(x, weights, stride=2, padding=((1, 0), (0, 2), (0, 0)))
    assert_agrees(got, whole[:, :, 1:, :-2])


def test_places_that_no_tap_reaches_take_no_time_to_trace():
    traced = xp.conv_transpose1d(
        xp.placeholder(0, (1, 1, 2), "int8"), np.ones((1, 1, 3), "int8"), stride=1 << 40
    )
    assert traced.shape == (1, 1, (1 << 40) + 3)
    assert len(toposort([traced.uop])) < 500


def test_what_no_tap_reaches_is_zero_whatever_the_elements():
    x = np.array([[[np.inf, np.nan]]])
    got = xp.conv_transpose1d(x, np.ones((1, 1, 1)), stride=3)
    assert_agrees(got, np.array([[[np.inf, 0, 0, np.nan]]]))


@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("dilation", [1, 2])
def test_transposed_convolution_is_the_transpose_of_convolution(stride, dilation):
    x, weights = numbers("int64", (1, 2, 9, 8, 7), 1), numbers("int64", (3, 2, 3, 2, 3), 2)
    how = {"stride": stride, "padding": 1, "dilation": dilation}
    forward = np.asarray(xp.conv3d(x, weights, **how))
    other = numbers("int64", forward.shape, 3)
    whole = [
        (n - 1) * stride - 2 + (k - 1) * dilation + 1
        for n, k in zip(forward.shape[2:], (3, 2, 3), strict=True)
    ]
    more = tuple(n - own for n, own in zip(x.shape[2:], whole, strict=True))
    back = np.asarray(xp.conv_transpose3d(other, weights, output_padding=more, **how))
    assert back.shape == x.shape
    assert (forward * other).sum() == (x * back).sum()


def test_convolution_of_volumes_agrees():
    x, weights = numbers("int32", (2, 4, 6, 5, 7), 1), numbers("int32", (6, 2, 3, 2, 3), 2)
    expected = convolve_in_numpy(x, weights, (2, 1, 2), (1, 0, 2), (1, 2, 1), 2)
    got = xp.conv3d(x, weights, stride=(2, 1, 2), padding=(1, 0, 2), dilation=(1, 2, 1), groups=2)
    assert_agrees(got, expected)


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


AVERAGED = [
    # size, stride, padding, ceil_mode, count_include_pad, of 1 2 3 4 5
    (3, 2, 1, False, True, [1.0, 3.0, 3.0]),
    (3, 2, 1, False, False, [1.5, 3.0, 4.5]),
    (2, 2, 0, True, True, [1.5, 3.5, 5.0]),  # as in PyTorch, what is beyond the frame never counts
    (3, 3, 1, True, True, [1.0, 4.0]),  # a third window would begin in the frame after the signal
    (4, 3, 1, True, True, [1.5, 3.0]),
    (4, 3, 2, True, False, [1.5, 3.5, 5.0]),
    (6, 2, 0, True, True, [3.0]),  # a window larger than the signal
]


@pytest.mark.parametrize(("size", "stride", "padding", "ceil_mode", "include", "expected"), AVERAGED)
def test_what_counts_in_a_mean(size, stride, padding, ceil_mode, include, expected):
    how = {"stride": stride, "padding": padding, "ceil_mode": ceil_mode, "count_include_pad": include}
    signal = np.arange(1.0, 6.0, dtype=np.float32)
    found = xp.avg_pool1d(signal, size, **how).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    image = np.broadcast_to(signal, (5, 5))
    found = xp.avg_pool2d(image, (1, size), **how | {"stride": (1, stride), "padding": (0, padding)}).numpy()
    np.testing.assert_allclose(found, np.broadcast_to(expected, found.shape), rtol=1e-6)


def test_a_window_that_counts_nothing_is_nan():
    found = xp.avg_pool1d(np.ones(3, np.float32), 2, stride=2, padding=2, count_include_pad=False).numpy()
    np.testing.assert_array_equal(found, [np.nan, 1.0, 1.0])


def test_the_last_greatest_may_be_of_a_part_of_a_window():
    x = np.array([3, 1, 2, 5, 4], np.int32)
    np.testing.assert_array_equal(xp.max_pool1d(x, 2, ceil_mode=True).numpy(), [3, 5, 4])
    np.testing.assert_array_equal(xp.max_pool1d(x, 3, stride=4, dilation=2, ceil_mode=True).numpy(), [4])
    np.testing.assert_array_equal(xp.max_pool1d(x, 2, stride=3, padding=1, ceil_mode=True).numpy(), [3, 5])


def test_pooling_of_volumes_agrees():
    x = numbers("float32", (2, 3, 6, 5, 7), 1)
    spread = windows_in_numpy(x, (2, 3, 2), (2, 1, 2), (1, 1, 1))
    axes = (-3, -2, -1)
    assert_agrees(xp.max_pool3d(x, (2, 3, 2), stride=(2, 1, 2)), spread.max(axes))
    assert_agrees(xp.avg_pool3d(x, (2, 3, 2), stride=(2, 1, 2)), spread.mean(axes), absolute=1e-5)


@pytest.mark.parametrize(("axes", "function"), [(1, xp.conv1d), (2, xp.conv2d), (3, xp.conv3d)])
def test_padding_has_names(axes, function):
    x, sizes, dilations = (
        numbers("float32", (2, 3, 7, 6, 5)[: axes + 2], 1),
        (4, 3, 2)[:axes],
        (1, 2, 3)[:axes],
    )
    weights = numbers("float32", (2, 3, *sizes), 2)
    totals = [(size - 1) * dilation for size, dilation in zip(sizes, dilations, strict=True)]
    frame = [(total // 2, total - total // 2) for total in totals]  # PyTorch's
    found = function(x, weights, padding="same", dilation=dilations)
    assert found.shape[2:] == x.shape[2:]
    np.testing.assert_array_equal(
        found.numpy(), function(x, weights, padding=frame, dilation=dilations).numpy()
    )
    valid = function(x, weights, padding="valid", stride=2)
    np.testing.assert_array_equal(valid.numpy(), function(x, weights, stride=2).numpy())


def test_names_of_padding_are_for_convolution():
    for make in (
        lambda: xp.conv_transpose1d(np.ones((1, 1, 3)), np.ones((1, 1, 2)), padding="same"),
        lambda: xp.max_pool1d(np.ones(3), 2, padding="same"),
    ):
        with pytest.raises(ShapeError, match="cannot pad by 'same'; give numbers"):
            make()


def test_transposed_filters_that_do_not_fit_are_refused():
    image, filters = np.ones((1, 4, 8, 8)), np.ones((4, 3, 3, 3))
    for arguments, options, message in [
        ((image, filters[:3]), {}, r"expected .batch, channels, …. and .channels, filters / groups, …."),
        ((image, filters), {"groups": 3}, "in 3 groups"),
        ((image[0], filters), {}, "with 2 more axes each"),
        ((image, filters), {"padding": 6}, "nothing is left of .1, 4, 8, 8."),
        ((image, filters), {"stride": 0}, "use positive numbers"),
        ((image, filters[:, :, :0]), {}, "use positive numbers"),
        ((image, filters), {"dilation": (1, 1, 1)}, "one number, or one for each"),
        ((image, filters), {"output_padding": -1}, "must not be negative"),
        ((image, filters, np.ones(4)), {}, "one element per filter"),
    ]:
        with pytest.raises(ShapeError, match=message):
            xp.conv_transpose2d(*arguments, **options)


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
        ((image, filters), {"padding": "full"}, 'cannot pad by \'full\'; use "same", "valid" or numbers'),
        ((image, filters), {"padding": "same", "stride": 2}, 'cannot pad by "same" with stride .2, 2.'),
        ((image, filters), {"padding": -1}, r"cannot pad by \(-1,\)|cannot pad by -1"),
        ((image, filters), {"stride": 1.5}, r"cannot use the stride 1.5; give an integer for each axis"),
    ]:
        with pytest.raises(ShapeError, match=message):
            xp.conv2d(*arguments, **options)
    with pytest.raises(ShapeError, match="it needs 2 axes at least"):
        xp.max_pool2d(np.ones(3), 2)
