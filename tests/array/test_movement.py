"""Movement against NumPy: every function, zero extents and scalars included."""

import numpy as np
import pytest

import eqsat as eq
import eqsat.array as xp
from eqsat.errors import BuildError, ShapeError
from tests.array.compare import assert_agrees, numbers

X = numbers("float32", (3, 4, 5), 1)


def test_reshape_infers_one_extent():
    for shape in ((-1,), (6, -1), (3, 2, 10), (60,), (1, 60, 1)):
        assert_agrees(xp.reshape(X, shape), X.reshape(shape))
    assert_agrees(xp.asarray(X).reshape(2, -1), X.reshape(2, -1))
    assert_agrees(xp.asarray(X).reshape((4, 15)), X.reshape(4, 15))
    assert_agrees(xp.reshape(np.ones(1), ()), np.ones(()))
    with pytest.raises(
        ShapeError, match=r"cannot infer an extent of \(7, -1\) from \(3, 4, 5\) \(60 elements\)"
    ):
        xp.reshape(X, (7, -1))
    with pytest.raises(ShapeError, match="the products must agree"):
        xp.reshape(X, (7, 2))


def test_axes_are_permuted():
    assert_agrees(xp.permute_dims(X, (2, 0, -2)), X.transpose(2, 0, 1))
    assert_agrees(xp.transpose(X), X.T)
    assert_agrees(xp.asarray(X).T, X.T)
    assert_agrees(xp.asarray(X).mT, X.mT)
    assert_agrees(xp.matrix_transpose(X), X.mT)
    assert_agrees(xp.moveaxis(X, 0, -1), np.moveaxis(X, 0, -1))
    assert_agrees(xp.moveaxis(X, (0, 2), (1, 0)), np.moveaxis(X, (0, 2), (1, 0)))
    assert_agrees(xp.swapaxes(X, 0, 2), np.swapaxes(X, 0, 2))
    with pytest.raises(ShapeError, match="one is named twice"):
        xp.permute_dims(X, (0, 0, 1))
    with pytest.raises(ShapeError, match="name each of its 3 axes once"):
        xp.permute_dims(X, (0, 1))


def test_axes_come_and_go():
    assert_agrees(xp.expand_dims(X, axis=1), np.expand_dims(X, 1))
    assert_agrees(xp.expand_dims(X, axis=(0, -1)), np.expand_dims(X, (0, -1)))
    thin = X[:, :1, :1]
    assert_agrees(xp.squeeze(thin), thin.squeeze())
    assert_agrees(xp.squeeze(thin, axis=1), thin.squeeze(1))
    with pytest.raises(ShapeError, match="only extents of 1 go"):
        xp.squeeze(X, axis=0)


def test_broadcasting():
    assert_agrees(xp.broadcast_to(X[0, 0], (2, 7, 5)), np.broadcast_to(X[0, 0], (2, 7, 5)))
    assert_agrees(xp.broadcast_to(np.ones((1, 3)), (0, 3)), np.ones((0, 3)))
    for actual, expected in zip(xp.broadcast_arrays(X, X[0]), np.broadcast_arrays(X, X[0]), strict=True):
        assert_agrees(actual, expected)
    with pytest.raises(ShapeError, match=r"cannot broadcast \(3, 4, 5\) to \(4, 5\)"):
        xp.broadcast_to(X, (4, 5))


def test_flip_and_roll():
    assert_agrees(xp.flip(X), np.flip(X))
    assert_agrees(xp.flip(X, axis=1), np.flip(X, 1))
    assert_agrees(xp.flip(X, axis=(0, -1)), np.flip(X, (0, -1)))
    for shift in (-7, -1, 0, 2, 5, 11):
        assert_agrees(xp.roll(X, shift), np.roll(X, shift))
        assert_agrees(xp.roll(X, shift, axis=1), np.roll(X, shift, 1))
    assert_agrees(xp.roll(X, (1, 2), axis=(0, 2)), np.roll(X, (1, 2), (0, 2)))
    assert_agrees(xp.roll(np.ones((0, 3)), 1, axis=0), np.ones((0, 3)))


@pytest.mark.parametrize("dtype", ["bool", "int16", "float64"])
def test_joins(dtype):
    parts = [numbers(dtype, (2, extent, 3), extent) for extent in (2, 0, 5, 1, 3)]
    assert_agrees(xp.concat(parts, axis=1), np.concatenate(parts, axis=1))
    assert_agrees(xp.concat(parts, axis=None), np.concatenate(parts, axis=None))
    alike = [numbers(dtype, (2, 3), seed) for seed in range(5)]
    for axis in (0, 1, 2, -1):
        assert_agrees(xp.stack(alike, axis=axis), np.stack(alike, axis=axis))
    assert_agrees(
        xp.concat([alike[0], np.float32(alike[1])]), np.concatenate([alike[0], np.float32(alike[1])])
    )
    for actual, expected in zip(xp.unstack(alike[0], axis=1), np.moveaxis(alike[0], 1, 0), strict=True):
        assert_agrees(actual, expected)


def test_joining_keeps_negative_zero_and_nan():
    x = np.array([-0.0, np.nan])
    joined = xp.concat([x, np.ones(1)]).numpy()
    assert np.signbit(joined[0])
    assert np.isnan(joined[1])


def test_joins_refuse_what_does_not_fit():
    with pytest.raises(
        ShapeError, match=r"cannot join \(2, 3\) and \(3, 2\): they must agree in all axes but axis 0"
    ):
        xp.concat([np.ones((2, 3)), np.ones((3, 2))])
    with pytest.raises(BuildError, match="cannot join no arrays"):
        xp.stack([])


def test_repetition():
    for times in (2, (1, 3), (2, 1, 2), (2, 1, 1, 3), 0):
        assert_agrees(xp.tile(X, times), np.tile(X, times))
    for axis in (None, 0, 1, -1):
        assert_agrees(xp.repeat(X, 3, axis=axis), np.repeat(X, 3, axis))


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric", "wrap"])
def test_padding_modes(mode):
    for width in (2, (1, 2), ((1, 2), (0, 3), (2, 0)), 11, ((1, 20), (13, 0), (3, 4))):
        assert_agrees(xp.pad(X, width, mode), np.pad(X, width, mode))
    assert_agrees(xp.pad(X[:1, :, :2], 5, mode), np.pad(X[:1, :, :2], 5, mode))
    assert_agrees(
        xp.pad(X[:0], ((0, 0), (1, 2), (0, 9)), mode), np.pad(X[:0], ((0, 0), (1, 2), (0, 9)), mode)
    )


@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric", "wrap"])
def test_long_rows_are_padded_by_their_positions(mode):
    rows = np.arange(4 * 3 * 17, dtype=np.float32).reshape(4, 3, 17)
    for width in (1, ((3, 2), (2, 2), (0, 0)), ((9, 20), (0, 7), (3, 40))):
        assert_agrees(xp.pad(rows, width, mode), np.pad(rows, width, mode))
    assert_agrees(xp.pad(rows[:1], 2, mode), np.pad(rows[:1], 2, mode))


def test_padding_by_a_value():
    assert_agrees(xp.pad(X, 1, constant_values=-2.5), np.pad(X, 1, constant_values=-2.5))
    with pytest.raises(BuildError, match="cannot pad by 'mean'"):
        xp.pad(X, 1, "mean")
    for mode in ("edge", "reflect", "symmetric", "wrap"):
        with pytest.raises(
            ShapeError, match=r"cannot pad axis 0 of \(0, 4, 5\) .* no element to repeat; use mode"
        ):
            xp.pad(X[:0], 1, mode)
    with pytest.raises(ShapeError, match=r"cannot pad by \(-1,\); its numbers must not be negative"):
        xp.pad(X, -1)


def test_padding_by_a_value_that_calls_know():
    by_value = eq.jit(lambda x, value: xp.pad(x, ((1, 0), (0, 2), (1, 1)), constant_values=value))
    for value in (np.float32(2.5), np.float64(-3), np.array(0.0), np.int8(4)):
        expected = np.pad(X, ((1, 0), (0, 2), (1, 1)), constant_values=value)
        np.testing.assert_array_equal(by_value(X, value), expected)
        assert by_value(X, value).dtype == X.dtype
        assert_agrees(xp.pad(X, ((1, 0), (0, 2), (1, 1)), constant_values=value), expected)
    with pytest.raises(ShapeError, match=r"constants of shape \(2,\); give one number"):
        xp.pad(X, 1, constant_values=np.zeros(2))


@pytest.mark.parametrize("mode", ["reflect", "symmetric", "wrap"])
def test_frames_of_extents_that_calls_know(mode):
    n = eq.dim("n", 4, 9)
    framed = eq.jit(lambda x: xp.pad(x, 3, mode), dynamic={"x": {0: n}})
    np.testing.assert_array_equal(framed(X[0, 0]), np.pad(X[0, 0], 3, mode))
    rows = np.arange(5 * 16, dtype=np.float32).reshape(5, 16)
    np.testing.assert_array_equal(framed(rows), np.pad(rows, 3, mode))
    with pytest.raises(ShapeError, match="at most|cannot tell"):
        eq.jit(lambda x: xp.pad(x, 30, mode), dynamic={"x": {0: n}})(X[0, 0])


def test_numbers_may_be_arrays_of_numpy():
    each = np.array
    assert_agrees(xp.pad(X, each([1, 2])), np.pad(X, each([1, 2])))
    assert_agrees(xp.pad(X, each([[1, 2], [0, 1], [3, 0]])), np.pad(X, each([[1, 2], [0, 1], [3, 0]])))
    assert_agrees(xp.pad(X, [each([1, 2])] * 3), np.pad(X, (1, 2)))
    assert_agrees(xp.permute_dims(X, each([2, 0, 1])), X.transpose(2, 0, 1))
    assert_agrees(xp.transpose(X, each([2, 0, 1])), X.transpose(2, 0, 1))
    assert_agrees(xp.flip(X, axis=each([0, -1])), np.flip(X, (0, -1)))
    assert_agrees(xp.roll(X, each([1, 2]), axis=each([0, 2])), np.roll(X, (1, 2), (0, 2)))
    assert_agrees(xp.expand_dims(X, each([0, 2])), np.expand_dims(X, (0, 2)))
    assert_agrees(xp.moveaxis(X, each([0, 2]), each([1, 0])), np.moveaxis(X, (0, 2), (1, 0)))
    assert_agrees(xp.tile(X, each([2, 1, 3])), np.tile(X, (2, 1, 3)))
    assert_agrees(xp.max(X, axis=each([0, 2])), X.max((0, 2)))
    assert_agrees(
        xp.tensordot(X, X, axes=each([[0, 1], [0, 1]])), np.tensordot(X, X, ((0, 1), (0, 1))), absolute=1e-5
    )
    assert_agrees(xp.full(each([2, 3]), 1), np.full((2, 3), 1))
    assert_agrees(
        xp.max_pool1d(X, each([2]), stride=each(2), padding=each([[1, 0]])),
        xp.max_pool1d(X, 2, stride=2, padding=[(1, 0)]).numpy(),
    )
    with pytest.raises(ShapeError, match="axes have integers as names"):
        xp.flip(X, axis=each([0.0, 1.0]))


def test_elements_are_repeated_as_often_as_is_said_of_each():
    for counts in ([1, 2, 0, 3], np.array([0, 0, 1, 0]), xp.asarray([2, 2, 2, 2]), (3,)):
        assert_agrees(xp.repeat(X, counts, axis=1), np.repeat(X, np.asarray(counts), axis=1))
    assert_agrees(xp.repeat([1.0, 2.0], [2, 1]), np.array([1.0, 1.0, 2.0]))
    np.testing.assert_array_equal(
        eq.jit(lambda x: xp.repeat(x, [1, 2, 0, 3], axis=1))(X), np.repeat(X, [1, 2, 0, 3], 1)
    )
    with pytest.raises(
        ShapeError, match="cannot repeat the 4 elements of axis 1 by 2 numbers; give one for all, or"
    ):
        xp.repeat(X, [1, 2], axis=1)
    with pytest.raises(ShapeError, match=r"cannot repeat as often as \(1, -1, 0, 0\)"):
        xp.repeat(X, [1, -1, 0, 0], axis=1)


def test_movement_of_scalars_and_empty_arrays():
    scalar, empty = np.float64(3.0), np.ones((0, 4))
    assert_agrees(xp.expand_dims(scalar, axis=0), np.expand_dims(scalar, 0))
    assert_agrees(xp.tile(scalar, 3), np.tile(scalar, 3))
    assert_agrees(xp.asarray(scalar).T, scalar.T)
    assert_agrees(xp.flip(empty), np.flip(empty))
    assert_agrees(xp.pad(empty, 1), np.pad(empty, 1))
    assert_agrees(xp.reshape(empty, (2, 0, 7)), empty.reshape(2, 0, 7))
    assert_agrees(xp.concat([empty, empty]), empty)
    assert_agrees(xp.squeeze(np.ones((1, 0))), np.ones(0))
