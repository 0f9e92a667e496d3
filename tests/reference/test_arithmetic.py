"""The arithmetic against Python integers and NumPy, on boundary values of every dtype."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eqsat.dtype import (
    ALL,
    FLOATS,
    INTS,
    bfloat16,
    bool_,
    float16,
    float32,
    float64,
    index,
    int8,
    int64,
    parse_dtype,
    to_numpy,
    uint8,
    uint16,
)
from eqsat.errors import EvaluationError
from eqsat.ops import EXTREMES, Op, identity_element
from eqsat.proof.float_values import edges
from eqsat.reference import combine, compute, constant, convert, hold, reinterpret
from eqsat.reference.alu import accumulate, combine_at


def boundary(dtype):
    extremes = (dtype.min, dtype.min + 1, dtype.max // 2, dtype.max - 1, dtype.max)
    return sorted({*extremes, *(value for value in (-7, -1, 0, 1, 2, 3, 7) if value >= dtype.min)})


def truncated(x, y):
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


MEANINGS = {
    Op.ADD: lambda x, y: x + y,
    Op.SUB: lambda x, y: x - y,
    Op.MUL: lambda x, y: x * y,
    Op.IDIV: truncated,
    Op.MOD: lambda x, y: x - truncated(x, y) * y,
    Op.FLOORDIV: lambda x, y: x // y,
    Op.FLOORMOD: lambda x, y: x % y,
    Op.MAX: max,
    Op.MIN: min,
    Op.AND: lambda x, y: x & y,
    Op.OR: lambda x, y: x | y,
    Op.XOR: lambda x, y: x ^ y,
    Op.SHL: lambda x, y: x << y,
    Op.SHR: lambda x, y: x >> y,
}


def python_meaning(op, x, y, bits):
    """What the operation is on mathematical integers; None where it has no value."""
    if op in (Op.SHL, Op.SHR) and not 0 <= y < bits:
        return None
    return None if op in (Op.IDIV, Op.MOD, Op.FLOORDIV, Op.FLOORMOD) and y == 0 else MEANINGS[op](x, y)


def wrapped(value, dtype):
    if dtype.is_index:
        return value
    value &= (1 << dtype.bits) - 1
    return value - (1 << dtype.bits) if dtype.is_signed and value >> (dtype.bits - 1) else value


@pytest.mark.parametrize("op", MEANINGS, ids=lambda op: op.name)
@pytest.mark.parametrize("dtype", [*INTS, index], ids=str)
def test_integers_wrap_and_index_is_exact(dtype, op):
    pairs = list(itertools.product(boundary(dtype), repeat=2))
    left, right = (hold(np.array([pair[side] for pair in pairs], object), dtype) for side in (0, 1))
    result = compute(op, dtype, left, right)
    assert result.dtype in (to_numpy(dtype), np.dtype(object))
    for (x, y), value in zip(pairs, result.tolist(), strict=True):
        meaning = python_meaning(op, x, y, dtype.bits)
        if meaning is not None:
            assert value == wrapped(meaning, dtype), (x, y)


@given(
    st.lists(st.tuples(st.integers(-(2**80), 2**80), st.integers(-(2**80), 2**80)), min_size=1),
    st.sampled_from(list(MEANINGS)[:12]),
)
def test_index_is_a_mathematical_integer(pairs, op):
    left, right = (hold(np.array([pair[side] for pair in pairs], object), index) for side in (0, 1))
    for (x, y), value in zip(pairs, compute(op, index, left, right).tolist(), strict=True):
        meaning = python_meaning(op, x, y, 64)
        assert meaning is None or value == meaning


@pytest.mark.parametrize("dtype", INTS, ids=str)
def test_powers_wrap(dtype):
    for base, exponent in itertools.product((-3, -1, 0, 1, 2, 5), (0, 1, 2, 7, 63)):
        if base >= dtype.min:
            assert compute(Op.POW, dtype, constant(base, dtype), constant(exponent, dtype)) == wrapped(
                base**exponent, dtype
            )
    assert compute(Op.POW, int8, constant(-1, int8), constant(-3, int8)) == -1
    assert compute(Op.POW, index, constant(3, index), constant(100, index)) == 3**100


@pytest.mark.parametrize("op", [Op.ADD, Op.SUB, Op.MUL, Op.FDIV, Op.MAX, Op.MIN], ids=lambda op: op.name)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_floats_are_rounded_once_per_operation(dtype, op):
    values = hold(np.array(edges(dtype)), dtype)
    left, right = (side.ravel() for side in np.meshgrid(values, values))
    functions = {
        Op.ADD: np.add,
        Op.SUB: np.subtract,
        Op.MUL: np.multiply,
        Op.FDIV: np.divide,
        Op.MAX: np.maximum,
        Op.MIN: np.minimum,
    }
    with np.errstate(all="ignore"):
        exact = functions[op](left.astype(np.float64), right.astype(np.float64))
        expected = functions[op](left, right) if dtype is float64 else hold(exact, dtype)
    np.testing.assert_array_equal(compute(op, dtype, left, right), expected)


def test_extremes_propagate_nan():
    nan, one = np.float32(np.nan), np.float32(1)
    for op in (Op.MAX, Op.MIN):
        assert np.isnan(compute(op, float32, nan, one))
        assert np.isnan(compute(op, float32, one, nan))


def test_bools_are_truth_values():
    both = np.array([False, True])
    left, right = (side.ravel() for side in np.meshgrid(both, both))
    meanings = {Op.ADD: left | right, Op.MUL: left & right, Op.SUB: left ^ right, Op.MAX: left | right, Op.MIN: left & right,
                Op.XOR: left ^ right, Op.CMPLT: ~left & right, Op.CMPNE: left ^ right}  # fmt: skip
    for op, expected in meanings.items():
        np.testing.assert_array_equal(compute(op, bool_, left, right), expected)


def test_nothing_without_a_value_raises_or_warns():
    """Warnings are errors in this run."""
    zero, one, least = (np.array([value], np.int64) for value in (0, 1, -(2**63)))
    for op, dtype in itertools.product((Op.IDIV, Op.MOD, Op.FLOORDIV, Op.FLOORMOD), (int64, index)):
        compute(op, dtype, one, zero)
        compute(op, dtype, least, -one)
    compute(Op.SHL, index, one, one * 2**60)
    compute(Op.SHL, int64, one, -one)
    compute(Op.LOG2, float32, np.float32(-1))
    for value in (np.nan, np.inf, 1e30, -1e30):
        for dtype in (*INTS, index, bool_):
            convert(np.array([value]), float64, dtype)


def test_undefined_operation_says_what_to_do():
    with pytest.raises(EvaluationError, match="XOR is not defined on float32; cast"):
        compute(Op.XOR, float32, np.float32(1), np.float32(1))


# conversions


@pytest.mark.parametrize("target", ALL, ids=str)
@pytest.mark.parametrize("source", ALL, ids=str)
def test_casts_agree_with_numpy(source, target):
    values = constant(1, source) if not source.is_bool else np.array(True)
    samples = np.stack([values, constant(0, source) if not source.is_bool else np.array(False)])
    assert convert(samples, source, target).tolist() == [1, 0]
    assert convert(samples, source, target).dtype == to_numpy(target)


@pytest.mark.parametrize("target", INTS, ids=str)
def test_integer_casts_keep_the_low_bits(target):
    values = [-(2**63), -129, -1, 0, 255, 65536, 2**63 - 1]
    converted = convert(np.array(values, np.int64), int64, target)
    assert converted.tolist() == [wrapped(value, target) for value in values]
    beyond = convert(np.array([2**64 + 5, -(2**70) - 1], object), index, target)
    assert beyond.tolist() == [5, wrapped(-1, target)]


def test_float_to_integer_truncates_and_saturates():
    assert convert(np.array([-2.9, 2.9, -0.5]), float64, int8).tolist() == [-2, 2, 0]
    assert convert(np.array([1e30, -np.inf, np.nan, 127.9]), float64, int8).tolist() == [127, -128, 0, 127]
    assert convert(np.array([1e30]), float64, index).tolist() == [(1 << 63) - 1]


@given(st.floats(width=32))
def test_bfloat16_is_the_nearest_ties_to_even(value):
    rounded = float(hold(np.array([value], np.float32), bfloat16)[0])
    if math.isnan(value):
        assert math.isnan(rounded)
        return
    bits = int(np.float32(value).view(np.uint32))
    neighbours = [np.uint32(bits & 0xFFFF0000), np.uint32(min((bits & 0xFFFF0000) + 0x10000, 0xFFFFFFFF))]
    if math.isinf(value) or not all(np.isfinite(n.view(np.float32)) for n in neighbours):
        return
    distance = [abs(float(n.view(np.float32)) - value) for n in neighbours]
    best = neighbours[0] if distance[0] < distance[1] else neighbours[1]
    if distance[0] == distance[1]:
        best = next(n for n in neighbours if not (int(n) >> 16) & 1)
    assert rounded == float(best.view(np.float32))


def test_bfloat16_from_double_rounds_once():
    value = 1 + 2**-8 + 2**-40  # just above a tie: rounding to float32 first would make it the tie
    assert hold(np.array([value]), bfloat16)[0] == 1 + 2**-7
    assert hold(np.array([1e300, -1e300, 1e-300]), bfloat16).tolist() == [math.inf, -math.inf, 0.0]


@pytest.mark.parametrize(
    ("source", "target"), [(float32, "uint32"), (float16, "int16"), (float64, "uint64"), (bool_, "uint8")]
)
def test_bitcast_goes_back(source, target):
    other = parse_dtype(target)
    values = hold(np.array([1, 0] if source.is_bool else edges(source)), source)
    there = reinterpret(values, source, other)
    np.testing.assert_array_equal(reinterpret(there, other, source), values)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_python_numbers_are_rounded_as_numbers_of_numpy_are(dtype):
    values = [*edges(float64), 257.0, 7]
    np.testing.assert_array_equal(hold(np.array(values, object), dtype), hold(np.array(values), dtype))


def test_bfloat16_bits_are_the_upper_half():
    assert reinterpret(np.array([1.5], np.float32), bfloat16, uint16).tolist() == [0x3FC0]
    assert reinterpret(np.array([0x3FC0], np.uint16), uint16, bfloat16).tolist() == [1.5]


# reductions


@pytest.mark.parametrize("op", [Op.ADD, Op.MUL, Op.MAX, Op.MIN], ids=lambda op: op.name)
@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_reducing_nothing_gives_the_identity(dtype, op):
    empty = np.zeros((0, 2), to_numpy(dtype))
    result = combine(op, dtype, empty, (0,))
    assert result.dtype == to_numpy(dtype)
    assert result.tolist() == [identity_element(op, dtype)] * 2


def test_integer_sums_wrap_and_index_sums_do_not():
    assert combine(Op.ADD, uint8, np.full(3, 100, np.uint8), (0,)) == 44
    assert combine(Op.ADD, index, np.full(3, 2**62), (0,)) == 3 * 2**62
    assert combine(Op.MUL, index, np.full(70, 2), (0,)) == 2**70
    assert combine(Op.MUL, index, np.full(5, 2**40), (0,)) == 2**200


def test_bfloat16_sums_round_every_partial_sum():
    assert combine(Op.ADD, bfloat16, np.ones(257, np.float32), (0,)) == 256  # 257 is no bfloat16
    np.testing.assert_array_equal(
        combine(Op.MAX, bfloat16, np.arange(6, dtype=np.float32).reshape(2, 3), (0,)), [3, 4, 5]
    )


@pytest.mark.parametrize("op", [Op.ADD, Op.MUL, Op.MAX, Op.MIN])
@pytest.mark.parametrize(
    ("shape", "axis"), [((300,), 0), ((3, 40), 1), ((40, 2, 5), 0), ((9, 50), 0), ((0, 4), 0)]
)
def test_bfloat16_scans_round_at_each_step(op: Op, shape: tuple[int, ...], axis: int):
    """As whole arrays do: on numbers of all sizes, on few special ones, which meet often, and where results stay moderate."""
    draw = np.random.default_rng(0)
    patterns = (draw.integers(0, 1 << 16, shape).astype(np.uint32) << 16).view(np.float32)
    special = draw.choice(np.array([0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 3e38, -3e38, 1e-40, 2]), shape)
    for values in (patterns, hold(special, bfloat16), hold(draw.normal(0, 2, shape), bfloat16)):
        rows = np.moveaxis(values, axis, 0)
        expected = rows.copy()
        for place in range(1, len(rows)):
            expected[place] = compute(op, bfloat16, expected[place - 1], rows[place])
        found = np.moveaxis(accumulate(op, bfloat16, values, axis), axis, 0)
        np.testing.assert_array_equal(found, expected)
        if op not in EXTREMES:  # of zeros, they take any
            numbers = ~np.isnan(expected)
            np.testing.assert_array_equal(np.signbit(found[numbers]), np.signbit(expected[numbers]))


@pytest.mark.parametrize("op", [Op.ADD, Op.MUL, Op.MAX, Op.MIN])
def test_bfloat16_scatters_round_at_each_step(op: Op):
    draw = np.random.default_rng(0)
    memory, values = (hold(draw.normal(0, 2, count), bfloat16) for count in (5, 200))
    places = draw.integers(0, 5, 200)
    expected = memory.copy()
    for place, value in zip(places, values, strict=True):
        expected[place] = compute(op, bfloat16, expected[place], value)
    combine_at(op, bfloat16, memory, places, values)
    np.testing.assert_array_equal(memory, expected)
