"""No lane sees another: every operation, in every dtype and number of lanes, with special values in one lane at a time.

Each input is rows of one vector. Ordinary values fill all lanes of a row but one, which holds a special value (of each operand in turn,
then of all); every lane must be what `reference` says, and the ordinary ones the same bits in every row.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

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
    int16,
    int64,
    to_numpy,
    uint8,
)
from eqsat.ops import ELEMENTARY, ELEMENTARY_BINARY, ELEMENTARY_UNARY, Op
from eqsat.reference.evaluate import evaluate_kernel
from eqsat.reference.number import hold
from eqsat.uop import UOp
from tests.codegen.device import buffers_of, on_device
from tests.codegen.kernels import elementwise

# Too many for Oclgrind, which simulates each lane; the operations themselves it has seen in `test_operations`.
RENDER = getattr(render, "__wrapped__", render)
LANES = (1, 2, 4, 8, 16)
DTYPES = (bool_, *INTS, *FLOATS)
OF_EACH_WIDTH = (bool_, uint8, int16, float16, bfloat16, float32, int64, float64)
IN_LANES = [  # the others have vectors of the same widths, in which comparisons and casts are spelled alike
    (dtype, lanes) for dtype in DTYPES for lanes in (LANES if dtype in OF_EACH_WIDTH else (8,))
]
ULPS = 2  # of an elementary function
INFINITIES = (np.inf, -np.inf, np.nan)
HARD_FLOATS = (
    0.0, -0.0, *INFINITIES, 5e-324, 1e-310, -1e-40, 1e-7, -1.0, 1.0, 88.73, 709.8, 1e8, -1e9, 65504.0, 3e38, -1e300,
    1 + 2**-8 + 2**-40,  # halfway between two bfloat16 to a float32, above to a float64
)  # fmt: skip
SAFE_BINARY = (Op.ADD, Op.SUB, Op.MUL, Op.CMPLT, Op.CMPNE)
Function = Callable[..., UOp]


def unary(op: Op) -> Function:
    return lambda a, *_: a.alu(op)


def binary(op: Op) -> Function:
    return lambda a, b, *_: a.alu(op, b)


FLOAT_SIMPLE = [
    *map(binary, (*SAFE_BINARY, Op.FDIV)), *map(unary, (Op.SQRT, Op.RECIP, Op.NEG)),
    lambda a, b: a.maximum(b) + 0.0,  # of two zeros it is not said which
    lambda a, b: a.minimum(b) + 0.0,
    lambda a, b: UOp(Op.MULACC, a.dtype, (a, b, a)),
    lambda a, b: (a < b).where(a, b),
    lambda a, b: ((a < b) | a.ne(a)).where(b, -a),
]  # fmt: skip
INTEGER_OPERATIONS = [
    *map(binary, (*SAFE_BINARY, Op.MAX, Op.MIN, Op.XOR, Op.OR, Op.AND, Op.IDIV, Op.MOD, Op.FLOORDIV, Op.FLOORMOD, Op.POW, Op.SHL, Op.SHR)),
    unary(Op.NEG),
    *(lambda a, b, op=op, c=c: a.alu(op, a.like(c)) for op in (Op.IDIV, Op.MOD, Op.FLOORDIV, Op.FLOORMOD) for c in (7, 8, 1)),
    lambda a, b: UOp(Op.MULACC, a.dtype, (a, b, a)),
    lambda a, b: (a < b).where(a, b),
    lambda a, b: ((a < b) & a.ne(3)).where(b, a),
]  # fmt: skip
BOOL_OPERATIONS = [
    *map(binary, (Op.AND, Op.OR, Op.XOR, Op.CMPNE, Op.CMPLT, Op.ADD, Op.MUL, Op.MAX, Op.MIN)),
    lambda a, b: a.logical_not(),
    lambda a, b: a.where(b, a.logical_not()),
]


def specials(dtype: DType) -> np.ndarray:
    """Values at which something may go wrong."""
    if dtype.is_bool:
        return np.array([True])
    if dtype.is_int:
        values = (0, 1, 2, 5, dtype.bits - 1, dtype.bits, dtype.max, dtype.max - 1, dtype.min, dtype.min + 1)
        signed = (-1, -2, -7, -dtype.bits) if dtype.is_signed else ()
        return np.unique(np.array([*values, *signed], object)).astype(to_numpy(dtype))
    return hold(np.array(HARD_FLOATS), dtype)


def ordinary(dtype: DType, lanes: int, operand: int) -> np.ndarray:
    """One row of values that no function has trouble with, small ones in every second lane."""
    numbers = np.arange(lanes)
    if dtype.is_bool:
        return numbers % 3 == operand
    if dtype.is_int:
        return (3 + (numbers + operand) % 4).astype(to_numpy(dtype))
    return hold(
        np.where(numbers % 2, 1.25 + numbers / 16 + operand / 8, 1e-3 * (1 + numbers + operand)), dtype
    )


def rows(dtypes: tuple[DType, ...], lanes: int) -> list[np.ndarray]:
    """For each operand all rows, one after another; the first has ordinary values alone."""
    plain = [ordinary(dtype, lanes, operand) for operand, dtype in enumerate(dtypes)]
    hard = [specials(dtype) for dtype in dtypes]
    cases = [tuple(None for _ in dtypes)]
    for operand, values in enumerate(hard):
        cases += [
            tuple(value if each == operand else None for each in range(len(dtypes))) for value in values
        ]
    cases += list(product(*hard)) if len(dtypes) > 1 else []
    placed = [(case, lane) for case in cases for lane in range(lanes)]
    result = [np.tile(row, (len(placed), 1)) for row in plain]
    for number, (case, lane) in enumerate(placed):
        for operand, value in enumerate(case):
            if value is not None:
                result[operand][number, lane] = value
    return [each.reshape(-1) for each in result]


def check_lanes(functions: list[Function], dtypes: tuple[DType, ...], lanes: int, ulps: int = 0) -> None:
    """Asserts that every lane of every output is what the reference says, and sees no other lane."""
    given = rows(dtypes, lanes)
    kernel = elementwise(functions, dtypes, given[0].size, lanes)
    rendered = RENDER(kernel)
    inputs = {len(functions) + number: array for number, array in enumerate(given)}
    expected = buffers_of(rendered, inputs)
    evaluate_kernel(kernel, expected)
    actual = on_device(rendered, inputs)
    special = np.zeros((given[0].size // lanes, lanes), bool)
    for array in given:
        table = array.reshape(-1, lanes)
        special |= bits(table) != bits(table[:1])
    dtypes_of = {argument.slot: argument.dtype for argument in rendered.arguments}
    for number in range(len(functions)):
        result, meant = actual[number].reshape(-1, lanes), expected[number].reshape(-1, lanes)
        off = distance(result, meant, dtypes_of[number])
        row, lane = np.unravel_index(np.argmax(off), off.shape)
        assert off[row, lane] <= ulps, (
            f"output {number}, lane {lane}: {result[row, lane]!r} instead of {meant[row, lane]!r} for "
            f"{[array.reshape(-1, lanes)[row] for array in given]}"
        )
        disturbed = (bits(result) != bits(result[:1])) & ~special
        assert not disturbed.any(), f"output {number}: lanes {np.argwhere(disturbed)[:4].tolist()} see others"


def bits(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")


def distance(result: np.ndarray, meant: np.ndarray, dtype: DType) -> np.ndarray:
    """How many numbers of `dtype` lie between; NaN equals NaN, and the two zeros are far apart."""
    if not dtype.is_float:
        return (result != meant).astype(float)
    apart = np.abs(place(result, dtype) - place(meant, dtype))
    both = np.isnan(result) & np.isnan(meant)
    wrong = np.isnan(result) != np.isnan(meant)
    wrong |= (result == 0) & (meant == 0) & (np.signbit(result) != np.signbit(meant))
    return np.where(both, 0, np.where(wrong, np.inf, apart))


def place(array: np.ndarray, dtype: DType) -> np.ndarray:
    """The number of each float in the order of all of them; a bfloat16 is every 65,536th float32."""
    pattern = bits(array)
    magnitude = (pattern << 1 >> 1 >> (16 if dtype == bfloat16 else 0)).astype(float)
    return np.where(np.signbit(array), -1 - magnitude, magnitude)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_float_operations(dtype: DType, lanes: int) -> None:
    check_lanes(FLOAT_SIMPLE, (dtype, dtype), lanes)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", INTS, ids=str)
def test_integer_operations(dtype: DType, lanes: int) -> None:
    check_lanes(INTEGER_OPERATIONS, (dtype, dtype), lanes)


@pytest.mark.parametrize("lanes", LANES)
def test_bool_operations(lanes: int) -> None:
    check_lanes(BOOL_OPERATIONS, (bool_, bool_), lanes)


# Half precision is computed by the functions of float32, rounded.
# That all numbers of lanes give the same bits is seen where functions are applied to arrays.
WIDTHS = [
    *((float32, lanes) for lanes in (1, 4, 16)),
    *((float64, lanes) for lanes in (2, 4, 8)),
    (float16, 8),
    (bfloat16, 8),
]


@pytest.mark.parametrize(("dtype", "lanes"), WIDTHS, ids=str)
@pytest.mark.parametrize("ops", [ELEMENTARY_UNARY[start::4] for start in range(4)], ids=str)
def test_functions(ops: tuple[Op, ...], dtype: DType, lanes: int) -> None:
    check_lanes([unary(op) for op in ops], (dtype,), lanes, ULPS)


@pytest.mark.parametrize(("dtype", "lanes"), WIDTHS, ids=str)
def test_functions_of_two(dtype: DType, lanes: int) -> None:
    check_lanes([binary(op) for op in ELEMENTARY_BINARY if op is not Op.FMOD], (dtype, dtype), lanes, ULPS)
    check_lanes([binary(Op.FMOD)], (dtype, dtype), lanes)


@pytest.mark.parametrize(("dtype", "lanes"), IN_LANES, ids=str)
def test_casts(dtype: DType, lanes: int) -> None:
    check_lanes([lambda a, to=to: a.cast(to) for to in DTYPES if to != dtype], (dtype,), lanes)


@pytest.mark.parametrize(("dtype", "lanes"), IN_LANES, ids=str)
def test_masks_of_every_width_choose_values_of_every_width(dtype: DType, lanes: int) -> None:
    """Comparing lanes of one width gives masks that select, combine with masks of another width, and convert."""
    functions: list[Function] = []
    for other in DTYPES:
        functions.append(
            lambda a, b, to=other: condition(a, b).where(a.cast(bool_).cast(to), b.cast(bool_).cast(to))
        )
        functions.append(
            lambda a, b, to=other: condition(a, b) ^ condition(a.cast(bool_).cast(to), b.cast(bool_).cast(to))
        )
        functions.append(lambda a, b, to=other: condition(a, b).cast(to))
    check_lanes(functions, (dtype, dtype), lanes)


def condition(a: UOp, b: UOp) -> UOp:
    return a.logical_not() & b if a.dtype.scalar.is_bool else a < b


def test_every_elementary_function_is_here() -> None:
    assert {*ELEMENTARY_UNARY, *ELEMENTARY_BINARY} == ELEMENTARY


def test_neighbours_are_one_apart() -> None:
    one = np.float32([1.0, -0.0, np.nan, 1.0])
    other = np.float32([np.nextafter(np.float32(1), np.float32(2)), 0.0, np.nan, np.nan])
    assert distance(one, other, float32).tolist() == [1.0, np.inf, 0.0, np.inf]
    assert distance(np.float32([1.0]), np.float32([1.0078125]), bfloat16).tolist() == [1.0]
