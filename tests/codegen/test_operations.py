"""Every arithmetic operation, on every dtype it is defined for, scalar and in vectors, three ways."""

from collections.abc import Callable

import numpy as np
import pytest

from eqsat.codegen import render
from eqsat.dtype import (
    FLOATS,
    INTS,
    DType,
    bfloat16,
    bool_,
    float16,
    float32,
    float64,
    index,
    int8,
    int16,
    int32,
    int64,
    to_numpy,
    uint8,
    uint16,
    uint32,
    uint64,
)
from eqsat.ops import Op
from eqsat.uop import UOp
from tests.codegen.device import check, on_device
from tests.codegen.kernels import elementwise

SIZE = 64
TOLERANCE = {float16: 2e-3, bfloat16: 1.6e-2, float32: 2e-6, float64: 1e-12}


def binary(op: Op) -> Callable[..., UOp]:
    return lambda a, b, *_: a.alu(op, b)


def unary(op: Op) -> Callable[..., UOp]:
    return lambda a, *_: a.alu(op)


def samples(dtype: DType, seed: int) -> np.ndarray:
    """Special values first, then numbers of moderate size."""
    random = np.random.default_rng(seed)
    if dtype.is_bool:
        return random.integers(0, 2, SIZE).astype(bool)
    if dtype.is_int:
        special = np.array([0, 1, 2, 3, dtype.max, dtype.min, dtype.max - 1, dtype.min + 1], to_numpy(dtype))
        rest = random.integers(max(dtype.min, -(10**6)), min(dtype.max, 10**6), SIZE - 8).astype(
            to_numpy(dtype)
        )
        return np.concatenate([np.roll(special, seed), rest])
    special = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5])
    values = np.concatenate([np.roll(special, seed), random.normal(0, 3, SIZE - 8)]).astype(np.float32)
    if dtype == bfloat16:
        return (values.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
    return values.astype(to_numpy(dtype))


@pytest.mark.parametrize("lanes", [1, 8])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_float_operations(dtype: DType, lanes: int) -> None:
    functions = [binary(op) for op in (Op.ADD, Op.SUB, Op.MUL, Op.FDIV, Op.MAX, Op.MIN, Op.CMPLT, Op.CMPNE)]
    functions += [
        unary(Op.NEG),
        unary(Op.RECIP),
        lambda a, b: (a < b).where(a, b),
        lambda a, b: (a < b).where(a, 2.0),
    ]
    check(
        elementwise(functions, (dtype, dtype), SIZE, lanes), inputs(functions, dtype), rtol=TOLERANCE[dtype]
    )


@pytest.mark.parametrize("lanes", [1, 8])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_float_functions(dtype: DType, lanes: int) -> None:
    functions = [unary(op) for op in (Op.EXP2, Op.LOG2, Op.SIN, Op.SQRT)] + [binary(Op.POW)]
    functions.append(lambda a, b: UOp(Op.MULACC, a.dtype, (a, b, b)))
    check(
        elementwise(functions, (dtype, dtype), SIZE, lanes),
        inputs(functions, dtype),
        rtol=2 * TOLERANCE[dtype],
    )


@pytest.mark.parametrize("lanes", [1, 8])
@pytest.mark.parametrize("dtype", INTS, ids=str)
def test_integer_operations(dtype: DType, lanes: int) -> None:
    functions = [
        binary(op)
        for op in (Op.ADD, Op.MUL, Op.MAX, Op.MIN, Op.CMPLT, Op.CMPNE, Op.XOR, Op.OR, Op.AND, Op.SUB)
    ]
    functions += [
        unary(Op.NEG),
        lambda a, b: (a < b).where(a, b),
        lambda a, b: UOp(Op.MULACC, a.dtype, (a, b, b)),
    ]
    functions += [lambda a, b: a + a.like(3), lambda a, b: (a * b + b) * a]
    check(elementwise(functions, (dtype, dtype), SIZE, lanes), inputs(functions, dtype), rtol=0)


@pytest.mark.parametrize("lanes", [1, 8])
@pytest.mark.parametrize("dtype", INTS, ids=str)
def test_integer_division_shift_and_power(dtype: DType, lanes: int) -> None:
    functions = [binary(op) for op in (Op.IDIV, Op.MOD, Op.FLOORDIV, Op.FLOORMOD)]
    functions += [
        lambda a, b: a // 7,
        lambda a, b: a % 7,
        lambda a, b: a.alu(Op.IDIV, a.like(7)),
        lambda a, b: a // 8,
        lambda a, b: a % 8,
    ]
    functions += [lambda a, b, op=op: a.alu(op, b & 7) for op in (Op.SHL, Op.SHR)]
    functions += [lambda a, b: a.alu(Op.POW, b & 7)]
    given = inputs(functions, dtype)
    divisors = given[len(functions) + 1]
    divisors[divisors == 0] = 5
    check(elementwise(functions, (dtype, dtype), SIZE, lanes), given, rtol=0)


@pytest.mark.parametrize("lanes", [1, 8])
@pytest.mark.parametrize("before", [bool_, int8, uint8, int32, *INTS[3:4], *INTS[7:], *FLOATS], ids=str)
def test_casts(before: DType, lanes: int) -> None:
    after = [bool_, *INTS, *FLOATS]
    functions = [lambda a, dtype=dtype: a.cast(dtype) for dtype in after if dtype != before]
    values = (
        np.arange(SIZE) % 2
        if before.is_bool
        else np.arange(SIZE) * 1.5
        if before.is_float
        else np.arange(SIZE)
    )
    given = {len(functions): values.astype(to_numpy(before))}
    check(elementwise(functions, (before,), SIZE, lanes), given, rtol=0)


@pytest.mark.parametrize("lanes", [1, 8])
def test_casts_round_to_nearest_and_integers_wrap(lanes: int) -> None:
    functions = [
        lambda a, b: a.cast(float16),
        lambda a, b: a.cast(bfloat16),
        lambda a, b: b.cast(int8),
        lambda a, b: b.cast(uint8),
    ]
    values = np.random.default_rng(3).normal(0, 100, SIZE).astype(np.float32)
    values[:4] = [1 + 2**-11, 1 + 3 * 2**-11, 70000.0, 6e-8]
    given = {4: values, 5: np.arange(SIZE, dtype=np.int32) * 12345 - 300000}
    check(elementwise(functions, (float32, int32), SIZE, lanes), given, rtol=0)


@pytest.mark.parametrize("lanes", [1, 8])
def test_bitcasts(lanes: int) -> None:
    pairs = [(float32, uint32), (float32, int32), (float64, uint64), (float16, uint16), (float16, int16)]
    for before, after in pairs:
        functions = [
            lambda a, after=after: a.bitcast(after),
            lambda a, before=before, after=after: a.bitcast(after).bitcast(before),
        ]
        values = np.random.default_rng(4).normal(0, 100, SIZE).astype(to_numpy(before))
        check(elementwise(functions, (before,), SIZE, lanes), {2: values}, rtol=0)


def exponents() -> np.ndarray:
    """Arguments of exp2 over its whole range, with special values."""
    points = np.linspace(-152, 129, 1 << 16).astype(np.float32)
    points[:6] = [np.nan, np.inf, -np.inf, -149.0, 127.99999, 128.0]
    return points


def magnitudes() -> np.ndarray:
    """Arguments of log2: all exponents, denormals, a close look around 1, and special values."""
    points = np.concatenate(
        [np.exp2(np.linspace(-149, 127.9, 1 << 15)), np.linspace(0.5, 2, 1 << 15)]
    ).astype(np.float32)
    points[:8] = [np.nan, np.inf, -np.inf, 0.0, -0.0, -1.0, 1e-45, 1.0]
    return points


@pytest.mark.parametrize("lanes", [1, 8])
@pytest.mark.parametrize(
    ("op", "points"), [(Op.EXP2, exponents()), (Op.LOG2, magnitudes())], ids=["exp2", "log2"]
)
def test_own_functions_are_accurate_to_two_ulp(op: Op, points: np.ndarray, lanes: int) -> None:
    found = on_device(render(elementwise([unary(op)], (float32,), points.size, lanes)), {1: points})[0]
    with np.errstate(all="ignore"):
        exact = {Op.EXP2: np.exp2, Op.LOG2: np.log2}[op](points.astype(np.float64))
        nearest = exact.astype(np.float32)
    finite = np.isfinite(nearest)
    np.testing.assert_array_equal(found[~finite], nearest[~finite])
    error = np.abs(found[finite].astype(np.float64) - exact[finite]) / np.spacing(
        np.abs(nearest[finite])
    ).astype(np.float64)
    assert error.max() <= 2


@pytest.mark.parametrize("lanes", [1, 8])
@pytest.mark.parametrize("dtype", [int8, int32, uint8], ids=str)
def test_integer_division_by_zero_does_not_end_the_process(dtype: DType, lanes: int) -> None:
    functions = [binary(op) for op in (Op.IDIV, Op.MOD, Op.FLOORDIV, Op.FLOORMOD)]
    given = inputs(functions, dtype)
    given[len(functions) + 1][:] = 0
    assert not on_device(render(elementwise(functions, (dtype, dtype), SIZE, lanes)), given)[0].any()


def inputs(functions: list[Callable[..., UOp]], dtype: DType) -> dict[int, np.ndarray]:
    """Two inputs, numbered after the outputs."""
    return {len(functions): samples(dtype, 0), len(functions) + 1: samples(dtype, 3)}


@pytest.mark.parametrize("lanes", [1, 8])
def test_index_arithmetic_on_constants_alone(lanes: int) -> None:
    def greatest(a: UOp) -> UOp:
        chosen = (a < 3).where(UOp.const(index, 0), UOp.const(index, 9))
        return a.cast(index).alu(Op.MAX, chosen).cast(int64)

    check(elementwise([greatest], (int32,), SIZE, lanes), {1: np.arange(SIZE)}, rtol=0)


@pytest.mark.parametrize("lanes", [1, 8])
@pytest.mark.parametrize("dtype", [int8, int16, int32, int64, uint32], ids=str)
def test_whether_a_number_is_from_zero_to_an_end(dtype: DType, lanes: int) -> None:
    """With the ends, what is less than 0, and other comparisons that only look alike."""

    def between(low: int, high: int, *, first: bool) -> Callable[..., UOp]:
        def function(a: UOp, b: UOp) -> UOp:
            not_below = (a < low).alu(Op.CMPNE, (a < low).like(True))
            sides = (not_below, a < high) if first else (a < high, not_below)
            return sides[0].alu(Op.AND, sides[1]).where(a, b)

        return function

    functions = [
        between(0, 7, first=True),
        between(0, dtype.max, first=False),
        between(1, 7, first=True),
        between(0, 0, first=True),
        lambda a, b: (a < 0).alu(Op.CMPNE, (a < 0).like(True)).alu(Op.AND, b < 7).where(a, b),
    ]
    unsigned = {int32: "(uint)value0 < ", int64: "(ulong)value0 < "}.get(dtype)
    for number, function in enumerate(functions):
        kernel = elementwise([function], (dtype, dtype), SIZE, lanes)
        check(kernel, inputs([function], dtype), rtol=0)
        is_one = lanes == 1 and number < 2 and unsigned is not None
        assert unsigned is None or (unsigned in render(kernel).source) == is_one
