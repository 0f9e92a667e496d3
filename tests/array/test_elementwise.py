"""Every elementwise function against NumPy, over dtypes, shapes and special values."""

import numpy as np
import pytest

import eqsat as eq
import eqsat.array as xp
from eqsat.array.core import as_dtype
from eqsat.errors import BuildError, DTypeError, ShapeError
from tests.array.compare import assert_agrees, numbers

ALL = [
    "bool",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float16",
    "float32",
    "float64",
]
NUMBERS = ALL[1:]
BITS = ALL[:-3]
FLOATS = ALL[-3:]
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, 3.7, -3.7, 1e-3, 40.0, np.inf, -np.inf, np.nan]

BINARY = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "equal": np.equal,
    "not_equal": np.not_equal,
    "less": np.less,
    "less_equal": np.less_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}
BITWISE = {"bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor}
UNARY = {
    "abs": np.abs,
    "negative": np.negative,
    "positive": np.positive,
    "square": np.square,
    "sign": np.sign,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "round": np.round,
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "logical_not": np.logical_not,
}


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("name", BINARY)
def test_binary_functions_broadcast_and_agree(name, dtype):
    if name == "subtract" and dtype == "bool":
        with pytest.raises(DTypeError, match="cannot subtract bools; use logical_xor"):
            xp.subtract(xp.asarray([True]), xp.asarray([False]))
        return
    x, y = numbers(dtype, (3, 1, 4), 1), numbers(dtype, (5, 1), 2)
    assert_agrees(getattr(xp, name)(x, y), BINARY[name](x, y))


@pytest.mark.parametrize("name", BINARY)
def test_binary_functions_promote(name):
    for one in ALL[1:]:
        for other in ("bool", "int8", "uint64", "int64", "float16", "float32"):
            x, y = numbers(one, (4,), 3, 0), numbers(other, (4,), 4, 0)
            assert_agrees(getattr(xp, name)(x, y), BINARY[name](x, y))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", BINARY)
def test_binary_functions_agree_on_special_values(name, dtype):
    x, y = np.meshgrid(np.array(SPECIAL, dtype), np.array(SPECIAL, dtype))
    with np.errstate(all="ignore"):
        assert_agrees(getattr(xp, name)(x, y), BINARY[name](x, y))


@pytest.mark.parametrize("dtype", BITS)
@pytest.mark.parametrize("name", BITWISE)
def test_bitwise_functions_agree(name, dtype):
    x, y = numbers(dtype, (7,), 1), numbers(dtype, (3, 1), 2)
    assert_agrees(getattr(xp, name)(x, y), BITWISE[name](x, y))


@pytest.mark.parametrize("dtype", BITS)
def test_shifts_agree_beyond_the_width_too(dtype):
    x, amount = numbers(dtype, (6, 1), 1), np.array([0, 1, 3, 7, 8, 31, 63, 64], "int8").astype(dtype)
    assert_agrees(xp.bitwise_left_shift(x, amount), np.left_shift(x, amount))
    assert_agrees(xp.bitwise_right_shift(x, amount), np.right_shift(x, amount))
    assert_agrees(xp.asarray(x) << 3, x << 3)
    assert_agrees(xp.asarray(x) >> 100, x >> 100)


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("name", UNARY)
def test_unary_functions_agree(name, dtype):
    if dtype == "bool" and name in ("negative", "positive", "sign"):
        with pytest.raises(DTypeError, match="bools"):
            getattr(xp, name)(np.array([True]))
        return
    x = numbers(dtype, (3, 5), 1)
    if name == "round" and dtype == "bool":
        assert_agrees(xp.round(x), x)
    else:
        assert_agrees(getattr(xp, name)(x), UNARY[name](x))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", UNARY)
def test_unary_functions_agree_on_special_values(name, dtype):
    big = np.array([2.0**22 + 0.5, 2.0**23 - 0.5, 2.0**30, -(2.0**51) - 0.5, 2.0**53, 1e300])
    with np.errstate(all="ignore"):
        x = np.concatenate([np.array(SPECIAL), big, -big, np.arange(-40, 41) / 8]).astype(dtype)
        expected = UNARY[name](x)
        assert_agrees(getattr(xp, name)(x), expected)
        if expected.dtype.kind == "f" and name in ("floor", "ceil", "trunc", "round", "abs", "negative"):
            defined = ~np.isnan(x)
            actual = getattr(xp, name)(x).numpy()
            np.testing.assert_array_equal(np.signbit(actual)[defined], np.signbit(expected)[defined])


@pytest.mark.parametrize("dtype", NUMBERS)
def test_division_agrees(dtype):
    x, y = numbers(dtype, (40, 1), 1), numbers(dtype, (30,), 2)
    y[y == 0] = 3
    assert_agrees(xp.divide(x, y), np.divide(x, y))
    assert_agrees(xp.floor_divide(x, y), np.floor_divide(x, y))
    assert_agrees(xp.remainder(x, y), np.remainder(x, y))


@pytest.mark.parametrize("dtype", FLOATS)
def test_float_division_agrees_on_special_values(dtype):
    x, y = np.meshgrid(np.array([*SPECIAL, 1e4, 6e4, 1e-4], dtype), np.array([*SPECIAL, 0.1, 7.0], dtype))
    with np.errstate(all="ignore"):
        for name in ("divide", "floor_divide", "remainder"):
            actual, expected = getattr(xp, name)(x, y), getattr(np, name)(x, y)
            assert_agrees(actual, expected)
            defined = ~np.isnan(expected)
            np.testing.assert_array_equal(np.signbit(actual.numpy())[defined], np.signbit(expected)[defined])


def test_float64_remainder_is_exact_for_large_quotients():
    random = np.random.default_rng(5)
    x, y = random.uniform(0, 1e15, 2000), random.uniform(1, 50, 2000)
    np.testing.assert_array_equal(xp.remainder(x, y).numpy(), np.remainder(x, y))


@pytest.mark.parametrize("dtype", NUMBERS)
def test_power_agrees(dtype):
    x = numbers(dtype, (9, 1), 1)
    exponents = np.array([0, 1, 2, 3, 5], dtype)
    with np.errstate(all="ignore"):
        assert_agrees(xp.pow(x, exponents), np.power(x, exponents), factor=20)
        for exponent in (0, 1, 2, 3, 7):
            assert_agrees(xp.asarray(x) ** exponent, x**exponent, factor=20)
    if np.dtype(dtype).kind == "f":
        positive = np.abs(x)
        for exponent in (0.5, 1.5, -2, -0.5):
            assert_agrees(xp.asarray(positive) ** exponent, positive**exponent, factor=20)


def test_integers_have_no_negative_powers():
    with pytest.raises(BuildError, match=r"int32 to the power of -1; convert it with astype"):
        xp.asarray(np.arange(3, dtype=np.int32)) ** -1


def test_python_numbers_are_weak():
    for dtype in ALL[1:]:
        x = numbers(dtype, (4,), 1, 0)
        for number in (True, 3, 2.5):
            assert_agrees(xp.asarray(x) + number, x + number)
            assert_agrees(number * xp.asarray(x), number * x)
            assert_agrees(xp.where(x > 1, x, number), np.where(x > 1, x, number))
    assert_agrees(xp.add(1, 2), np.add(1, 2))
    assert_agrees(xp.asarray(np.float32([1])) + np.float64(2), np.float32([1]) + np.float64(2))


@pytest.mark.parametrize("name", ["add", "multiply", "divide", "remainder", "pow", "maximum", "bitwise_or", "less",
    "atan2", "hypot", "logaddexp", "copysign"])  # fmt: skip
def test_python_numbers_beside_bools(name: str):
    x = np.array([True, False])
    for number in (True, 3, 300, *((2.5,) if name != "bitwise_or" else ())):
        for arguments in ((x, number), (number, x)):
            with np.errstate(divide="ignore", invalid="ignore"):
                expected = getattr(np, name)(*arguments)
            found = getattr(xp, name)(*arguments).numpy()
            assert found.dtype == expected.dtype
            np.testing.assert_allclose(found, expected, rtol=1e-3 if found.dtype == np.float16 else 1e-14)


def test_comparison_with_an_integer_beyond_the_dtype():
    x = np.array([0, 200, 255], np.uint8)
    for number in (-1, 256, 10**25):
        assert_agrees(xp.asarray(x) < number, x < number)
        assert_agrees(xp.asarray(x) >= number, x >= number)
        assert_agrees(xp.asarray(x) == number, x == number)


@pytest.mark.parametrize("signed", [np.int8, np.int32, np.int64])
def test_comparison_of_signed_integers_with_uint64_is_exact(signed):
    limits = np.iinfo(signed)
    x = np.array([limits.min, -1, 0, 1, limits.max - 1, limits.max], signed)
    y = np.array([0, 1, limits.max, 2**63 - 1, 2**63, 2**64 - 1], np.uint64)
    for name in ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"):
        ours, theirs = getattr(xp, name), getattr(np, name)
        assert_agrees(ours(x[:, None], y), theirs(x[:, None], y))
        assert_agrees(ours(y[:, None], x), theirs(y[:, None], x))


def test_reflected_operators():
    x = numbers("int32", (5,), 1, 1)
    y = xp.asarray(x)
    assert_agrees(7 - y, 7 - x)
    assert_agrees(7 / y, 7 / x)
    assert_agrees(7 // y, 7 // x)
    assert_agrees(7 % y, 7 % x)
    assert_agrees(2**y, 2**x)
    assert_agrees(7 & y, 7 & x)
    assert_agrees(7 | y, 7 | x)
    assert_agrees(7 ^ y, 7 ^ x)
    assert_agrees(1 << y, 1 << x)
    assert_agrees(1000 >> y, 1000 >> x)
    assert_agrees(abs(-y), abs(-x))
    assert_agrees(~y, ~x)
    assert_agrees(+y, +x)


def test_clip_and_where_agree():
    x = numbers("float32", (6, 5), 1)
    assert_agrees(xp.clip(x, -1, 2.5), np.clip(x, np.float32(-1), np.float32(2.5)))
    assert_agrees(xp.clip(x, min=0), np.maximum(x, 0))
    assert_agrees(xp.clip(x, max=x[0]), np.minimum(x, x[0]))
    integers = numbers("int16", (6, 1), 2)
    assert_agrees(xp.where(x > 0, x, integers), np.where(x > 0, x, integers))
    assert_agrees(xp.where(integers, 1, 0), np.where(integers, 1, 0))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64"])
def test_clip_by_integers_beyond_the_dtype(dtype):
    limits = np.iinfo(dtype)
    x = np.array([limits.min, 1, 5, limits.max], dtype)
    for low, high in (
        (limits.min - 1, 3),
        (2, limits.max + 1),
        (-(10**30), 10**30),
        (None, limits.max),
        (limits.min, None),
    ):
        assert_agrees(xp.clip(x, low, high), np.clip(x, low, high))
    with pytest.raises(DTypeError, match="does not fit"):
        xp.clip(x, limits.max + 1)
    with pytest.raises(DTypeError, match="does not fit"):
        xp.clip(x, max=limits.min - 1)


def test_floats_beyond_integers_saturate():
    x = np.array([1e30, -1e30, np.inf, -np.inf, np.nan, 300.5, -0.5])
    assert xp.astype(x, "int16").numpy().tolist() == [32767, -32768, 32767, -32768, 0, 300, 0]
    assert eq.jit(lambda x: xp.astype(x, "uint8"))(x).tolist() == [255, 0, 255, 0, 0, 255, 0]
    small = np.array([-128, -1, 5], np.int8)  # which the rules take through a float
    assert eq.jit(lambda x: xp.astype(xp.astype(x, "float32"), "uint64"))(small).tolist() == [0, 0, 5]


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("source", ALL)
def test_astype_agrees(source, dtype):
    x = numbers(source, (20,), 1, 0)
    x = np.abs(x) if np.dtype(source).kind == "f" else x
    assert_agrees(xp.astype(x, dtype), x.astype(dtype))


def test_signs():
    x = np.array([1.0, -1.0, 0.0, -0.0, np.inf, -np.inf], np.float32)
    assert_agrees(xp.signbit(x), np.signbit(x))
    assert_agrees(xp.copysign(np.float32(3), x), np.copysign(np.float32(3), x))


def test_bitcast_reads_the_bits():
    x = numbers("float32", (4,), 1)
    assert_agrees(xp.bitcast(x, "int32"), x.view(np.int32))
    with pytest.raises(DTypeError, match="the sizes differ"):
        xp.bitcast(x, "int64")


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_bools_are_bytes_to_bitcast(dtype):
    bools = np.array([True, False])
    assert_agrees(xp.bitcast(bools, dtype), bools.astype(dtype))
    numbers = np.array([0, 1, 2, 255], "uint8").view(dtype)
    assert_agrees(xp.bitcast(numbers, "bool"), numbers != 0)
    np.testing.assert_array_equal(eq.jit(lambda x: xp.bitcast(x, "bool"))(numbers), numbers != 0)
    with pytest.raises(DTypeError, match="cannot read bool bits as uint16: the sizes differ; use astype"):
        xp.bitcast(bools, "uint16")


def test_result_type_is_that_of_numpy():
    assert xp.result_type(xp.asarray(np.int8([1])), 2.0) == as_dtype("float64")
    assert xp.result_type(as_dtype("uint8"), as_dtype("int8")) == as_dtype("int16")


def test_empty_and_scalar_operands():
    for shape in ((0,), (3, 0, 2), ()):
        x = np.ones(shape, np.float32)
        assert_agrees(xp.asarray(x) * 2 + 1, x * 2 + 1)
        assert_agrees(xp.asarray(x) > np.zeros((1,) * len(shape)), x > np.zeros((1,) * len(shape)))


def test_errors_name_the_shapes_and_what_to_try():
    with pytest.raises(ShapeError, match=r"cannot add \(3, 4\) and \(5,\): axis -1 .* expand one first"):
        xp.ones((3, 4)) + xp.ones(5)
    with pytest.raises(
        DTypeError, match="cannot combine by bitwise and float64 and int64; convert with astype"
    ):
        xp.ones(3) & 1
    with pytest.raises(DTypeError, match="cannot shift int64 and uint64"):
        xp.arange(3) << xp.arange(3, dtype="uint64")
    with pytest.raises(DTypeError, match=r"300 does not fit uint8"):
        xp.asarray(np.uint8([1])) + 300


@pytest.mark.parametrize("shift", [lambda x, y: x << y, lambda x, y: x >> y], ids=["left", "right"])
@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "uint32", "int64", "uint64"])
def test_one_number_may_be_shifted_by_many(shift, dtype):
    """One program has the results of all shapes."""
    shapes = [((), (3, 4)), ((3, 4), ()), ((1, 4), (3, 1)), ((3, 1), (1, 4))]
    pairs = [
        [np.asarray(np.random.default_rng(0).integers(0, 7, shape), dtype) for shape in both]
        for both in shapes
    ]

    def all_shifted(*arrays):
        return tuple(map(shift, arrays[::2], arrays[1::2]))

    arrays = [array for pair in pairs for array in pair]
    for found, expected in zip(eq.jit(all_shifted)(*arrays), all_shifted(*arrays), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_bfloat16_beside_another_float_counts_as_float32():
    for others, expected in [
        ((), "bfloat16"),
        (("int64",), "bfloat16"),
        (("float16",), "float32"),
        (("float32", "int8"), "float32"),
        (("float32", "int32"), "float64"),
        (("float16", "int64"), "float64"),
        (("float64",), "float64"),
    ]:
        parts = [xp.zeros(1, dtype=as_dtype(dtype)) for dtype in ("bfloat16", *others)]
        assert xp.result_type(*parts).name == expected
        assert xp.concat(parts).dtype.name == expected
