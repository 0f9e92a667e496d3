"""Reductions against NumPy: axes, dtypes, NaN, ties, empty arrays."""

import numpy as np
import pytest

import eqsat.array as xp
from eqsat.array.core import as_dtype
from eqsat.errors import ShapeError
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
