"""Reductions against NumPy: axes, dtypes, NaN, ties, empty arrays."""

import numpy as np
import pytest

import eqsat as eq
import eqsat.array as xp
from eqsat.array.core import as_dtype
from eqsat.errors import DTypeError, ShapeError
from tests.array.compare import assert_agrees, numbers

ALL = [
    "bool",
    "int8",
    "uint8",
    "int16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float16",
    "float32",
    "float64",
]
AXES = [None, 0, 1, -1, (0, 2), (2, 1, 0), ()]
NAMES = ["sum", "prod", "max", "min", "mean", "var", "std", "any", "all", "count_nonzero"]


def reduce_in_numpy(name, x, axis, keepdims):
    if x.dtype == np.float16 and name in ("sum", "prod", "var", "std"):
        return np.asarray(getattr(np, name)(x.astype(np.float32), axis=axis, keepdims=keepdims)).astype(
            np.float16
        )
    if name == "count_nonzero":
        return np.asarray(np.count_nonzero(x, axis=axis, keepdims=keepdims)).astype(np.int64)
    return getattr(np, name)(x, axis=axis, keepdims=keepdims)


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("name", NAMES)
def test_reductions_agree(name, dtype):
    x = numbers(dtype, (3, 4, 5), 1)
    x = x / 3 if name == "prod" and x.dtype.kind == "f" else x
    for axis in AXES:
        for keepdims in (False, True):
            if name == "count_nonzero" and axis == ():
                continue
            expected = reduce_in_numpy(name, x, axis, keepdims)
            assert_agrees(
                getattr(xp, name)(x, axis=axis, keepdims=keepdims),
                expected,
                40,
                absolute=1e-5 if x.dtype.kind == "f" and name in ("sum", "mean") else 0,
            )


@pytest.mark.parametrize("name", NAMES)
def test_reductions_of_nothing(name):
    for shape, axis in (((0,), None), ((3, 0), 1), ((0, 3), 1), ((0, 3), 0)):
        x = np.ones(shape, np.float32)
        if name in ("max", "min") and x.shape[axis or 0] == 0:
            with pytest.raises(ShapeError, match="no elements"):
                getattr(xp, name)(x, axis=axis)
            continue
        with (
            pytest.warns(RuntimeWarning)
            if name in ("mean", "var", "std") and x.shape[axis or 0] == 0
            else np.errstate()
        ):
            expected = reduce_in_numpy(name, x, axis, False)
        assert_agrees(getattr(xp, name)(x, axis=axis), expected)


def test_reductions_of_a_scalar():
    for name in NAMES:
        assert_agrees(getattr(xp, name)(np.float64(2.0)), reduce_in_numpy(name, np.float64(2.0), None, False))


def test_nan_wins():
    x = np.array([[1.0, np.nan, 3.0], [4.0, 5.0, -np.inf]])
    for name in ("max", "min", "argmax", "argmin"):
        assert_agrees(getattr(xp, name)(x, axis=1), getattr(np, name)(x, axis=1))


@pytest.mark.parametrize("dtype", ALL)
def test_positions_of_extremes_are_the_first(dtype):
    x = numbers(dtype, (4, 30), 1, -2, 3)
    x = np.round(x / 4) if x.dtype.kind == "f" else x
    for name in ("argmax", "argmin"):
        for axis in (None, 0, 1):
            for keepdims in (False, True):
                expected = getattr(np, name)(x, axis=axis, keepdims=keepdims)
                assert_agrees(getattr(xp, name)(x, axis=axis, keepdims=keepdims), expected)
    with pytest.raises(ShapeError, match="cannot find the extreme of no elements"):
        xp.argmax(np.ones((2, 0)), axis=1)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int16", "uint64", "bool"])
def test_positions_along_an_axis_that_is_searched_in_parts(dtype):
    for number, (shape, axis) in enumerate(
        (
            ((1 << 16,), 0),
            ((2, 3 << 16), 1),
            ((1 << 16, 3), 0),
            (((1 << 16) + 64,), 0),
            (((1 << 16) + 77,), 0),
            ((2, 70_001), 1),
            (((1 << 16) + 1, 3), 0),
        )
    ):
        values = np.random.default_rng(number).integers(0, 2, shape)
        x = (values * (values.cumsum(axis).cumsum(axis) > 9_000_000)).astype(dtype)
        for name in ("argmax", "argmin"):
            for keepdims in (False, True):
                expected = getattr(np, name)(x, axis=axis, keepdims=keepdims)
                assert_agrees(getattr(xp, name)(x, axis=axis, keepdims=keepdims), expected)
        if x.dtype.kind == "f":
            x.flat[[5 * 1024 + 7, 60_000, 60_001]] = np.nan
            assert_agrees(xp.argmax(x, axis=axis), np.argmax(x, axis=axis))
            x[:] = -np.inf
            assert_agrees(xp.argmax(x, axis=axis), np.argmax(x, axis=axis))
        x[:] = 0
        np.moveaxis(x, axis, 0)[-1] = 1  # beyond the last equal part, if there is a rest
        assert_agrees(xp.argmax(x, axis=axis), np.argmax(x, axis=axis))
        assert_agrees(xp.argmin(x, axis=axis), np.argmin(x, axis=axis))


def test_dtype_and_correction():
    x = numbers("int16", (30,), 1)
    assert_agrees(xp.sum(x, dtype="float32"), np.sum(x, dtype=np.float32))
    assert_agrees(xp.prod(x[:3], dtype="int32"), np.prod(x[:3], dtype=np.int32))
    assert_agrees(xp.mean(x, dtype="float32"), np.mean(x, dtype=np.float32))
    assert_agrees(xp.var(x, correction=1), np.var(x, ddof=1))
    assert_agrees(xp.std(x, correction=1), np.std(x, ddof=1))


@pytest.mark.parametrize("extent", [0, 1, 5, 64, 65, 130, 5000])
def test_running_sums_agree(extent):
    x = numbers("int64", (2, extent, 3), 1)
    assert_agrees(xp.cumulative_sum(x, axis=1), np.cumsum(x, 1))
    assert_agrees(
        xp.cumulative_sum(x, axis=1, include_initial=True), np.cumulative_sum(x, axis=1, include_initial=True)
    )
    assert_agrees(xp.cumulative_prod(x, axis=1), np.cumprod(x, 1))


def test_running_sums_of_floats_keep_infinities_apart():
    x = np.array([1.0, np.inf, 2.0, -np.inf, 3.0])
    with np.errstate(invalid="ignore"):
        assert_agrees(xp.cumulative_sum(x), np.cumsum(x))
    half = np.ones(3000, np.float16)
    assert_agrees(xp.cumulative_sum(half), np.cumsum(half.astype(np.float32)).astype(np.float16))
    with pytest.raises(ShapeError, match="without an axis"):
        xp.cumulative_sum(np.ones((2, 2)))


def test_logsumexp_agrees():
    x = numbers("float64", (4, 50), 1) * 300
    expected = np.logaddexp.reduce(x, axis=1)
    assert_agrees(xp.logsumexp(x, axis=1), expected)
    assert_agrees(xp.logsumexp(x, axis=1, keepdims=True), expected[:, None])
    assert_agrees(xp.logsumexp(np.full(3, -np.inf)), np.float64(-np.inf))
    assert_agrees(xp.logsumexp(np.array([1.0, np.inf])), np.float64(np.inf))


def test_methods_are_the_functions():
    x = numbers("float32", (3, 4), 1)
    for name in ("sum", "mean", "max", "min"):
        assert_agrees(getattr(xp.asarray(x), name)(axis=0), getattr(x, name)(axis=0))
    assert xp.asarray(x).astype("int8").dtype == as_dtype("int8")


def test_axes_are_checked():
    with pytest.raises(ShapeError, match=r"cannot sum over axis 2 of 2 axes; name one in -2..1"):
        xp.sum(np.ones((2, 2)), axis=2)
    with pytest.raises(ShapeError, match="one is named twice"):
        xp.sum(np.ones((2, 2)), axis=(0, -2))


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64, np.uint8, bool])
@pytest.mark.parametrize(
    ("shape", "axis"), [((7, 33), 1), ((40, 40), 0), ((3, 1, 5), -1), ((4, 0), 1), ((50,), None)]
)
def test_running_extremes(dtype, shape, axis):
    x = (np.random.default_rng(0).standard_normal(shape) * 50).astype(dtype)
    if x.dtype.kind == "f" and x.size > 40:
        x.flat[[9, 17, 25, 40]] = np.inf, -np.inf, -0.0, np.nan
    assert_agrees(xp.cumulative_max(x, axis=axis), np.maximum.accumulate(x, axis=axis or 0))
    assert_agrees(xp.cumulative_min(x, axis=axis), np.minimum.accumulate(x, axis=axis or 0))


def test_running_extremes_of_several_axes_need_one():
    with pytest.raises(ShapeError, match="without an axis"):
        xp.cumulative_max(np.ones((2, 2)))


@pytest.mark.parametrize("axis", [True, False, "0", 0.0, np.array([0.0, 1.0])], ids=repr)
@pytest.mark.parametrize(
    "function",
    [xp.sum, xp.cumulative_sum, xp.argmax, xp.flip, lambda x, axis: xp.shard(x, ["0:1/2", "0:2/2"], axis)],
)
def test_axes_are_integers(function, axis):
    with pytest.raises(ShapeError, match="axes have integers as names"):
        function(xp.ones((2, 3)), axis=axis)


@pytest.mark.parametrize("function", [xp.sum, xp.cumulative_sum, xp.softmax], ids=lambda each: each.__name__)
def test_an_array_without_axes_has_none_to_name(function):
    with pytest.raises(
        ShapeError, match=r"axis 0 of an array without axes; give it one by reshape\(x, \(1,\)\)"
    ):
        function(np.float32(1), axis=0)


@pytest.mark.parametrize("dtype", ["bool", "int32", "uint8", "float32"])
def test_differences_are_numpys(dtype):
    x = np.random.default_rng(0).integers(0, 2 if dtype == "bool" else 9, (3, 1, 4)).astype(dtype)
    for axis in range(-3, 3):
        for times in range(5):
            found = xp.diff(x, axis=axis, n=times).numpy()
            expected = np.diff(x, axis=axis, n=times)
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)
        ends = np.take(x, [0], axis)
        found = xp.diff(x, axis=axis, prepend=ends, append=ends)
        np.testing.assert_array_equal(found.numpy(), np.diff(x, axis=axis, prepend=ends, append=ends))


def test_numbers_beside_differences_are_one_element_in_each_row():
    x = np.arange(6).reshape(2, 3)
    for axis in (0, 1):
        found = xp.diff(x, axis=axis, prepend=7, append=xp.asarray(9))
        np.testing.assert_array_equal(found.numpy(), np.diff(x, axis=axis, prepend=7, append=9))


def test_differences_undo_running_sums():
    x = np.arange(12, dtype=np.int64).reshape(3, 4) ** 2
    running = xp.cumulative_sum(x, axis=1, include_initial=True)
    np.testing.assert_array_equal(xp.diff(running, axis=1).numpy(), x)


def test_differences_that_make_no_sense_are_refused():
    for make, message in [
        (lambda: xp.diff(1.0), "cannot take differences along axis -1"),
        (lambda: xp.diff(np.ones(3), n=-1), "must not be negative"),
        (
            lambda: xp.diff(np.ones((2, 3)), axis=0, prepend=np.ones((1, 2))),
            "must agree in all axes but axis 0",
        ),
    ]:
        with pytest.raises(ShapeError, match=message):
            make()


def sums_by_label(data, labels, count):
    """NumPy's sums, with half precision in float32, of the rows whose labels are in range."""
    inside = (labels >= 0) & (labels < count)
    dtype = np.sum(data[:0]).dtype
    summed = np.zeros((count, *data.shape[1:]), np.float32 if dtype == np.float16 else dtype)
    np.add.at(summed, labels[inside].astype(np.int64), data[inside])
    return summed.astype(dtype)


LABELS = np.array([0, 2, 2, 7, 0, 1, 127, 2, 0, 5])


@pytest.mark.parametrize("dtype", ALL)
def test_sums_by_label_are_numpys(dtype):
    for shape in ((10,), (10, 3), (10, 2, 3), (10, 0)):
        data = numbers(dtype, shape, 3)
        for count in (0, 1, 2, 5, 128):
            assert_agrees(
                xp.segment_sum(data, LABELS, count), sums_by_label(data, LABELS, count), 4, absolute=1e-5
            )
    weights = numbers(dtype, (10,), 4)
    assert_agrees(xp.bincount(LABELS, weights, length=6), sums_by_label(weights, LABELS, 6), 4, absolute=1e-5)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_labels_of_every_integer_dtype_are_counted(dtype):
    extremes = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, np.iinfo(dtype).max - 1], dtype)
    labels = np.concatenate([LABELS.astype(dtype), extremes])
    for length in (0, 1, 3, 300):
        expected = np.bincount(labels[labels < 300].astype(int).clip(-1) + 1, minlength=301)[1 : length + 1]
        counts = xp.bincount(labels, length=length).numpy()
        assert counts.dtype == np.int64
        np.testing.assert_array_equal(counts, expected)
        rows = np.ones((len(labels), 2), np.int32)
        np.testing.assert_array_equal(
            xp.segment_sum(rows, labels, length).numpy(), np.stack([expected, expected], 1)
        )


def test_sums_by_label_of_nothing_and_of_other_than_numbers():
    assert_agrees(xp.segment_sum(np.zeros((0, 3), np.float32), np.zeros(0, int), 2), np.zeros((2, 3), "f4"))
    assert xp.bincount(np.zeros(0, np.int8), length=3).numpy().tolist() == [0, 0, 0]
    assert xp.bincount([True, False, True], length=3).numpy().tolist() == [1, 2, 0]
    special = np.array([np.nan, np.inf, 1, -np.inf, np.nan], np.float32)
    assert_agrees(xp.segment_sum(special, [3, 0, 1, 0, 9], 3), np.array([np.nan, 1, 0], np.float32))


def test_sums_by_label_are_one_scatter_for_any_dtype():
    for dtype in ("bool", "int32", "float16", "float32"):
        data, labels = eq.spec((20_000, 4), dtype), eq.spec((20_000,), "int32")
        program = eq.compile(eq.trace(lambda data, labels: eq.segment_sum(data, labels, 5000), data, labels))
        assert any(each.name.startswith("scatter_sum") for each in program.kernels), dtype


def test_sums_by_label_of_members_and_of_dims():
    data, labels = (
        np.random.default_rng(0).random((4, 10, 3)),
        np.stack([np.roll(LABELS, k) for k in range(4)]),
    )
    summed = eq.jit(eq.vmap(lambda data, labels: xp.segment_sum(data, labels, 3)))(data, labels)
    counts = eq.jit(eq.vmap(lambda labels: xp.bincount(labels, length=3)))(labels)
    n = eq.dim("n", 1, 20)
    of_dims = eq.jit(
        lambda data, labels: xp.segment_sum(data, labels, data.shape[0]),
        dynamic={"data": {0: n}, "labels": {0: n}},
    )
    for member in range(4):
        expected = sums_by_label(data[member], labels[member], 3)
        np.testing.assert_allclose(summed[member], expected)
        np.testing.assert_array_equal(counts[member], sums_by_label(np.ones(10, int), labels[member], 3))
        part = slice(0, 3 * member + 1)
        np.testing.assert_allclose(
            of_dims(data[member, part], labels[member, part]),
            sums_by_label(data[member, part], labels[member, part], 3 * member + 1),
        )


def test_what_has_no_labels_is_refused():
    rows = np.ones((3, 2))
    for error, call, message in [
        (ShapeError, lambda: xp.segment_sum(3.0, 0, 2), "cannot sum by label"),
        (ShapeError, lambda: xp.segment_sum(rows, [0, 1], 2), "give a 1-D array with a label for each row"),
        (ShapeError, lambda: xp.segment_sum(rows, [[0, 1]] * 3, 2), "give a 1-D array"),
        (ShapeError, lambda: xp.segment_sum(rows, [0, 1, 1], -2), "must not be negative"),
        (DTypeError, lambda: xp.segment_sum(rows, [0.0, 1.0, 1.0], 2), "convert with astype"),
        (ShapeError, lambda: xp.bincount([[1]], length=2), "give a 1-D array"),
        (ShapeError, lambda: xp.bincount([1], 2.0, length=2), "give a weight for each"),
        (ShapeError, lambda: xp.bincount([1], length=2.5), "give an integer"),
        (DTypeError, lambda: xp.bincount([1.0], length=2), "convert with astype"),
    ]:
        with pytest.raises(error, match=message):
            call()
