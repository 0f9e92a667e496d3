"""Arrays, dtypes and expressions in NumPy's and Python's hands: they answer as NumPy does, or refuse in words."""

import operator

import numpy as np
import pytest

import eqsat as eq
import eqsat.array as xp
from eqsat.dtype import ALL, FLOATS, INTS, index
from eqsat.errors import BuildError, DTypeError, EqsatError, IndexingError
from tests.array.compare import assert_agrees

NUMPY_DTYPES = [dtype for dtype in ALL if dtype not in (index, eq.bfloat16)]
X = np.array([1.0, 2.0, 4.0], np.float32)


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=str)
def test_dtype_compares_as_numpys(dtype):
    own = np.dtype(dtype.name)
    for other in (
        *(np.dtype(each.name) for each in NUMPY_DTYPES),
        float,
        int,
        bool,
        "float32",
        "int64",
        np.dtype(">f4"),
        np.dtype("U3"),
        object,
    ):
        assert (dtype == other) == (own == other)
        assert (other == dtype) == (other == own)
        assert (dtype == getattr(other, "type", other)) == (own == getattr(other, "type", other))
    assert hash(dtype) == hash(own)
    assert {own: 1}[dtype] == 1
    assert dtype != 3
    assert dtype is not None


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=str)
def test_numpy_takes_a_dtype(dtype):
    assert np.zeros(2, dtype=dtype).dtype == dtype
    assert np.arange(2).astype(dtype).dtype == dtype.name
    assert np.dtype(dtype) == dtype.name
    assert np.issubdtype(dtype, np.floating) == dtype.is_float
    assert issubclass(dtype.type, np.generic)
    assert np.result_type(dtype, dtype) == dtype
    assert np.zeros(2, dtype=xp.ones(2, dtype=dtype).dtype).dtype == dtype.name


@pytest.mark.parametrize("dtype", [eq.bfloat16, eq.index, eq.float32.vec(4)], ids=str)
def test_numpy_is_refused_a_dtype_that_it_lacks(dtype):
    with pytest.raises(DTypeError, match=f"NumPy has no dtype {dtype}; hold its values in "):
        np.zeros(2, dtype=dtype)
    assert dtype not in (np.float32, np.dtype("int64"), "float32")
    assert np.dtype("float32") != dtype


@pytest.mark.parametrize("dtype", [*ALL, eq.float32.vec(4), eq.bfloat16.vec(8)], ids=str)
def test_pickled_dtype_is_the_same(dtype):
    import pickle

    assert pickle.loads(pickle.dumps(dtype)) is dtype


def test_dtypes_of_a_traced_function_choose_branches():
    def function(x):
        return x * 2 if x.dtype in (np.float32, np.float64) else x

    assert eq.jit(function)(X)[0] == 2
    assert eq.jit(function)(X.astype(int))[0] == 1


OPERATORS = (operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow, operator.eq, operator.ne,
             operator.lt, operator.le, operator.gt, operator.ge, divmod)  # fmt: skip
OTHERS = {
    "list": [1.0, 2.0, 3.0],
    "tuple": (1, 2, 3),
    "nested list": [[1.0], [2.0]],
    "array": np.array([1.0, 2.0, 3.0]),
    "integers": np.array([1, 2, 3], np.int8),
    "big-endian": np.array([1, 2, 3], ">f4"),
    "scalar": np.float64(2),
    "integer scalar": np.int64(2),
    "bool": True,
    "number": 2,
}


@pytest.mark.parametrize("operate", OPERATORS, ids=lambda operate: operate.__name__)
@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_operators_take_what_numpys_take_on_either_side(operate, other):
    for left, right in ((X, other), (other, X)):
        expected = operate(left, right)
        actual = operate(*(xp.asarray(side) if side is X else side for side in (left, right)))
        for one, another in zip(
            *((each if isinstance(each, tuple) else (each,)) for each in (actual, expected)), strict=True
        ):
            assert_agrees(one, another, factor=8)


def test_lists_of_arrays_are_stacked():
    x, y = xp.asarray(X), xp.asarray(X.astype(np.float64))
    assert_agrees(xp.asarray([x, y]), np.array([X, X]).astype(np.float64))
    assert_agrees(xp.asarray([[x[0], 7], [x[1], y[2]]]), np.array([[1, 7], [2, 4.0]]))
    with pytest.raises(eq.ShapeError, match="make all rows equally long"):
        xp.asarray([x, x[:2]])


def test_jitted_comparison_with_a_list():
    assert eq.jit(lambda x: x == [1.0, 3.0, 4.0])(X).tolist() == [True, False, True]


@pytest.mark.parametrize("other", ["text", b"bytes", {1, 2}, {"a": 1}])
def test_comparison_with_what_holds_no_numbers_is_refused(other):
    for compare in (operator.eq, operator.ne):
        with pytest.raises(DTypeError, match="cannot compare an array with"):
            compare(xp.asarray(X), other)


def test_comparison_with_none_is_identity():
    assert (xp.asarray(X) == None) is False  # noqa: E711
    with pytest.raises(TypeError):
        _ = xp.asarray(X) + None


def test_arrays_cannot_be_changed_in_place():
    with pytest.raises(BuildError, match="cannot be changed in place; make another one, by where"):
        xp.asarray(X)[0] = 1


# expressions


def test_expressions_have_no_truth_value_before_they_are_computed():
    i = eq.variable("i", 0, 15)
    for use in (bool, lambda test: test and 1, lambda test: not test, lambda test: 1 if test else 2):
        with pytest.raises(BuildError, match=r"no truth value before it is computed.*\.where\(\)"):
            use(i < 3)
    for use in (lambda: max(i, 3), lambda: min(3, i), lambda: sorted([i, 3]), lambda: 0 < i < 3):
        with pytest.raises(BuildError, match="no truth value"):
            use()
    assert bool(eq.UOp.const(eq.index, 3))
    assert not eq.UOp.const(eq.bool_, False)
    assert eq.UOp.sink()


@pytest.mark.parametrize("number", [3, 3.0, True, np.int64(3), np.arange(2)], ids=repr)
def test_equality_with_a_number_is_refused(number):
    i = eq.variable("i", 0, 15)
    for compare in (operator.eq, operator.ne):
        for sides in ((i, number), (number, i)):
            if isinstance(sides[0], np.ndarray | np.generic):
                continue  # NumPy compares elements, each as below
            with pytest.raises(BuildError, match=r"build comparisons with \.eq\(\) and \.ne\(\)"):
                compare(*sides)


def test_equality_of_expressions_is_identity():
    i = eq.variable("i", 0, 15)
    assert i + 1 == i + 1
    assert i + 1 != i + 2
    assert i != "i"
    assert i not in (None, "i")
    assert {i + 1: "found"}[i + 1] == "found"


# positions


@pytest.mark.parametrize("select", [
    lambda x: x[3],
    lambda x: x[-4],
    lambda x: x[[0, 3]],
    lambda x: x[np.array([-4])],
    lambda x: x[xp.arange(4)],
    lambda x: x[xp.asarray(3)],
    lambda x: xp.take(x, np.array([[1, 5]])),
    lambda x: xp.take_along_axis(x, np.array([0, 3, 1])),
])  # fmt: skip
def test_known_position_out_of_range_is_refused(select):
    with pytest.raises(IndexError):
        _ = X[3]
    for use in (lambda: select(xp.asarray(X)), lambda: eq.jit(select)(X)):
        with pytest.raises(IndexingError, match=r"is out of range for axis 0 of \(3,\)"):
            use()


def test_sign_of_zeros_is_positive_zero():
    values = np.array([-0.0, 0.0, -3.0, 5.0, np.nan, -np.inf])
    for dtype in FLOATS:
        signs = eq.jit(lambda x, dtype=dtype: xp.astype(xp.sign(xp.astype(x, dtype)), "float64"))(values)
        np.testing.assert_array_equal(signs, np.sign(values))
        np.testing.assert_array_equal(np.signbit(signs[:5]), np.signbit(np.sign(values))[:5])


@pytest.mark.parametrize("shape", [(3, 0), (0,), (2, 0, 4)])
def test_empty_arrays_are_padded_where_numpy_pads_them(shape):
    widths = tuple((1, 2) if extent else (0, 0) for extent in shape)
    x = np.ones(shape)
    assert_agrees(xp.pad(xp.asarray(x), widths, "edge"), np.pad(x, widths, "edge"))


def test_every_integer_dtype_is_listed():
    assert {dtype.name for dtype in INTS} == {np.dtype(code).name for code in "bhilBHIL"}
    assert issubclass(IndexingError, EqsatError)


@pytest.mark.parametrize("fill", [-0.0, 0.0, np.nan, 7.0])
def test_frames_have_the_sign_of_zero(fill):
    framed = xp.pad(xp.asarray(X), 1, constant_values=fill).numpy()
    expected = np.pad(X, 1, constant_values=fill)
    np.testing.assert_array_equal(framed, expected)
    np.testing.assert_array_equal(np.signbit(framed[1:]), np.signbit(expected[1:]))


def test_square_of_bools_is_int8():
    assert_agrees(xp.square(xp.asarray([True, False])), np.square([True, False]))


def test_shapes_may_be_arrays():
    assert xp.zeros(np.array([2, 3])).shape == (2, 3)
    assert repr(xp.reshape(xp.ones(6), np.array([2, 3])).shape) == "(2, 3)"


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", ["floor", "ceil", "trunc", "round"])
def test_floats_of_every_width_are_rounded(name, dtype):
    values = np.array([0.5, 1.5, 2.5, -0.5, -0.25, -1.5, 0.0, -0.0, 3.0, 100.5, np.inf, -np.inf, np.nan])
    rounded = getattr(xp, name)(xp.astype(values, dtype))
    assert rounded.dtype == dtype
    result, expected = xp.astype(rounded, "float64").numpy(), getattr(np, name)(values)
    np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(np.signbit(result[:-1]), np.signbit(expected[:-1]))
