"""Creation against NumPy."""

import numpy as np
import pytest

import eqsat as eq
import eqsat.array as xp
from eqsat.errors import BuildError, DTypeError, ShapeError
from tests.array.compare import assert_agrees, numbers


def test_constants():
    for shape in ((), 3, (2, 0), (2, 3)):
        assert_agrees(xp.zeros(shape), np.zeros(shape))
        assert_agrees(xp.ones(shape, dtype="int8"), np.ones(shape, "int8"))
        assert_agrees(xp.empty(shape, dtype=bool), np.zeros(shape, bool))
        assert_agrees(xp.full(shape, 2.5), np.full(shape, 2.5))
        assert_agrees(xp.full(shape, 7), np.full(shape, 7))
        assert_agrees(xp.full(shape, 7, dtype=np.float32), np.full(shape, 7, np.float32))
        assert_agrees(xp.full(shape, True), np.full(shape, True))
    x = numbers("float32", (2, 3))
    assert_agrees(xp.zeros_like(x), np.zeros_like(x))
    assert_agrees(xp.ones_like(x, dtype=int), np.ones_like(x, dtype=int))
    assert_agrees(xp.empty_like(x), np.zeros_like(x))
    assert_agrees(xp.full_like(x, 3), np.full_like(x, 3))
    assert_agrees(xp.full((2, 3), np.arange(3)), np.full((2, 3), np.arange(3)))


@pytest.mark.parametrize(
    "bounds",
    [(5,), (0,), (-3,), (2, 9), (2, 9, 3), (9, 2, -2), (0, 1, 0.25), (1.5, 4.0), (5, 5), (0.0, -1.0, -0.3)],
)
def test_arange(bounds):
    assert_agrees(xp.arange(*bounds), np.arange(*bounds))
    assert_agrees(xp.arange(*bounds, dtype="float32"), np.arange(*bounds).astype("float32"))


@pytest.mark.parametrize("count", [0, 1, 2, 7])
@pytest.mark.parametrize("endpoint", [True, False])
def test_linspace(count, endpoint):
    assert_agrees(
        xp.linspace(-3, 3, count, endpoint=endpoint, dtype=np.int64),
        np.linspace(-3, 3, count, endpoint=endpoint, dtype=np.int64),
    )
    assert_agrees(xp.linspace(-1, 2, count, endpoint=endpoint), np.linspace(-1, 2, count, endpoint=endpoint))


def test_matrices():
    for rows, columns, k in ((3, None, 0), (3, 5, 1), (4, 2, -1), (0, 3, 0)):
        assert_agrees(xp.eye(rows, columns, k=k), np.eye(rows, columns, k=k))
        assert_agrees(xp.eye(rows, columns, k=k, dtype=bool), np.eye(rows, columns, k=k, dtype=bool))
    x = numbers("int32", (2, 4, 3), 1)
    for k in (-2, 0, 1):
        assert_agrees(xp.tril(x, k=k), np.tril(x, k))
        assert_agrees(xp.triu(x, k=k), np.triu(x, k))
    for indexing in ("xy", "ij"):
        lines = np.arange(2), np.arange(3), np.arange(4)
        grids = np.meshgrid(*lines, indexing=indexing)
        for actual, expected in zip(xp.meshgrid(*lines, indexing=indexing), grids, strict=True):
            assert_agrees(actual, expected)


def test_asarray_takes_what_numpy_takes():
    assert_agrees(xp.asarray([[1, 2], [3, 4]]), np.array([[1, 2], [3, 4]]))
    assert_agrees(xp.asarray(3), np.array(3))
    assert_agrees(xp.asarray(2.5, dtype="float32"), np.array(2.5, "float32"))
    assert_agrees(xp.asarray(np.arange(6)[::-2]), np.arange(6)[::-2])
    assert_agrees(xp.asarray(np.arange(6).reshape(2, 3).T), np.arange(6).reshape(2, 3).T)
    assert_agrees(xp.asarray(np.arange(3, dtype=">i4")), np.arange(3, dtype="i4"))
    x = xp.asarray([1.0])
    assert xp.asarray(x) is x


def test_asarray_copies_unless_told_not_to():
    data = np.zeros(2)
    copied, shared = xp.asarray(data), xp.asarray(data, copy=False)
    data[0] = 5
    assert copied.numpy().tolist() == [0, 0]
    assert shared.numpy().tolist() == [5, 0]
    with pytest.raises(BuildError, match=r"copy is True, False or None, not array"):
        xp.asarray(data, copy=data)


@pytest.mark.parametrize("text", ["", b"ab"])
def test_a_text_is_no_shape_and_names_no_axes(text):
    with pytest.raises(ShapeError, match="give an integer for each axis"):
        xp.zeros(text)
    with pytest.raises(ShapeError, match="axes have integers as names"):
        xp.sum(xp.zeros((2, 3)), axis=text)


def test_integers_that_no_element_can_be_are_refused():
    for make in (
        lambda: xp.full(2, 300, dtype="int8"),
        lambda: xp.full_like(np.zeros(2, "int8"), 300),
        lambda: xp.asarray([1, 300], dtype="int8"),
        lambda: xp.asarray(300, dtype="int8"),
        lambda: xp.asarray([[-1]], dtype="uint64"),
    ):
        with pytest.raises(DTypeError, match=r"does not fit u?int\d+ \(.*\); use a wider dtype"):
            make()
    assert_agrees(xp.full(2, 1, dtype="bool"), np.full(2, True))
    assert_agrees(xp.full(2, [1, 2], dtype="int8"), np.array([1, 2], "int8"))
    assert_agrees(xp.asarray([], dtype="int8"), np.zeros(0, "int8"))
    assert_agrees(xp.asarray([2**64 - 1, 0], dtype="uint64"), np.array([2**64 - 1, 0], "uint64"))
    assert_agrees(xp.asarray(np.array([300]), dtype="int8"), np.array([44], "int8"))  # data is converted


def test_bfloat16_of_other_packages_is_data():
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    x = np.array([[1.0, 2.5, -3.0], [np.nan, np.inf, 3.0]], bfloat16)
    values = x.astype("float32")
    for data in (x, x.T, x[:, ::-1], x[0, 1], np.asarray(x[0, 1])):
        made = xp.asarray(data)
        assert made.dtype == "bfloat16"
        np.testing.assert_array_equal(made.numpy(), data.astype("float32"))
    assert xp.zeros(2, dtype=bfloat16).dtype == "bfloat16"
    doubled = eq.jit(lambda x: (x + x, x.T))
    for data in (x, x.T, x[:, ::2]):
        (twice, turned), held = doubled(data), data.astype("float32")
        np.testing.assert_array_equal(twice, held * 2)
        np.testing.assert_array_equal(turned, held.T)
    assert eq.jit(lambda x: x * 3)(values[:1] / 3).tolist() == [[1.0, 2.5, -3.0]]  # another program
    program = eq.compile(eq.trace(lambda x: x + 1, eq.spec((2, 3), eq.bfloat16)))
    np.testing.assert_array_equal(program(x), values + 1)


def test_mistakes_are_explained():
    for make, error, message in [
        (lambda: xp.zeros(-1), ShapeError, "must not be negative"),
        (lambda: xp.arange(0, 5, 0), BuildError, "cannot count from 0 to 5 by 0"),
        (lambda: xp.linspace(0, 1, -1), ShapeError, "num must not be negative"),
        (lambda: xp.arange(10**30), ShapeError, "fewer than 2..63 elements"),
        (lambda: xp.zeros((2, 1 << 63)), ShapeError, "fewer than 2..63 elements"),
        (lambda: xp.tril(np.ones(3)), ShapeError, r"add one by x\[None\]"),
        (lambda: xp.zeros(2, dtype="complex64"), DTypeError, "complex64 has no eqsat dtype"),
        (lambda: xp.zeros(2, dtype="whatever"), DTypeError, "'whatever' is no dtype"),
        (lambda: xp.asarray(["text"]), DTypeError, "has no eqsat dtype"),
        (lambda: xp.meshgrid([1], indexing="no"), BuildError, "cannot index a grid by 'no'"),
        (lambda: xp.meshgrid([[1]]), ShapeError, "cannot make a grid"),
    ]:
        with pytest.raises(error, match=message):
            make()
