"""Forms of arithmetic: each operation on values, at each stage, as scalars and as vectors."""

from collections.abc import Iterator

import numpy as np

from eqsat.dtype import DType, bool_, float32, int32, uint32
from eqsat.ops import ALU, TABLE, AxisType, DTypeRule, Op, Stage
from eqsat.uop import UOp
from tests.forms.form import Form, Runs, argument, at, i, kernel, load, program, store

COUNT, LANES = 8, 4
FLOATS = {
    0: np.array([0.1, 0.25, 0.3, 0.4, 0.5, 0.75, 0.8, 0.9], np.float32),
    1: np.array([0.9, 0.8, 0.3, 0.6, 0.5, 0.4, 0.2, 0.1], np.float32),
    2: np.array([1, -2, 3, -4, 5, -6, 7, -8], np.float32),
}
BEYOND_ONE = {Op.ACOSH}  # undefined below 1
INTEGERS = {
    0: np.array([7, -7, 100, 1, 0, 5, -3, 12], np.int32),
    1: np.array([2, 2, 3, 1, 4, 5, 2, 7], np.int32),
    2: np.array([1, 2, 3, 4, 5, 6, 7, 8], np.int32),
}
BOOLS = {0: np.array([True, False] * 4), **{slot: FLOATS[slot] for slot in (1, 2)}}


def forms() -> Iterator[Form]:
    for op in Op:
        if op in ALU:
            yield from _of(op)


def _of(op: Op) -> Iterator[Form]:
    given, made, inputs = _dtypes(op)
    arity = TABLE[op].arity[0]
    buffers = [UOp.param(slot, COUNT, dtype) for slot, dtype in enumerate(given[:arity])]
    yield Runs(op.name, Stage.ARRAY, UOp.sink(_applied(op, made, buffers)), inputs)
    out = UOp.param(3, COUNT, made)
    r = UOp.range(COUNT, 0, AxisType.GLOBAL)
    scalar = _applied(op, made, [load(at(buffer, r)) for buffer in buffers])
    yield Runs(op.name, Stage.KERNEL, kernel(store(at(out, r), scalar, r)), inputs)
    half = UOp.range(COUNT // LANES, 0, AxisType.GLOBAL)
    vectors = [load(at(buffer, half * LANES), dtype=buffer.dtype.vec(LANES)) for buffer in buffers]
    wide = _applied(op, made.vec(LANES), vectors)
    yield Runs(
        f"{op.name} of vectors", Stage.EXPANDED, kernel(store(at(out, half * LANES), wide, half)), inputs
    )
    pointers = [argument(slot, COUNT, dtype) for slot, dtype in enumerate(given[:arity])]
    single = _applied(op, made, [load(at(each, i(3))) for each in pointers])
    vectors = [load(at(each, i(4)), dtype=each.dtype.base.vec(LANES)) for each in pointers]
    out = argument(3, COUNT, made)
    both = program(store(at(out, i(0)), single), store(at(out, i(4)), _applied(op, made.vec(LANES), vectors)))
    yield Runs(f"{op.name}, one and a vector", Stage.LINEAR, both, inputs)


def _applied(op: Op, dtype: DType, sources: list[UOp]) -> UOp:
    return UOp(op, dtype, tuple(sources))


def _dtypes(op: Op) -> tuple[tuple[DType, ...], DType, dict[int, np.ndarray]]:
    """The dtypes of the sources and of the result, and inputs of them."""
    floats, integers = (float32,) * 3, (int32,) * 3
    match TABLE[op].dtype:
        case DTypeRule.COMPARE:
            return floats, bool_, FLOATS
        case DTypeRule.SELECT:
            return (bool_, float32, float32), float32, BOOLS
        case DTypeRule.INTEGRAL | DTypeRule.BITS | DTypeRule.WORDS:
            return integers, int32, INTEGERS
        case DTypeRule.ANY:
            return floats, int32 if op is Op.CAST else uint32, FLOATS
        case _:
            shifted = {slot: array + np.float32(op in BEYOND_ONE) for slot, array in FLOATS.items()}
            return floats, float32, shifted
