"""The constants of a frozen e-graph: operations on constants, as the reference computes them, and classes whose bounds leave only one value.

A division by zero and a shift out of range have no value, so they stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial, reduce
from typing import Any

from eqsat.dtype import DType, bool_, parse_dtype
from eqsat.egraph.snapshot.frozen import FrozenEGraph, Row
from eqsat.egraph.tables.callbacks import bits_float, float_bits
from eqsat.egraph.tables.schema import COLUMNS
from eqsat.errors import EvaluationError
from eqsat.ops import ALU, COMPARISON, DIVISIONS, SHIFTS, Op
from eqsat.reference.alu import compute
from eqsat.reference.number import constant, convert, reinterpret

_UNMOVED = frozenset({"RESHAPE", "EXPAND", "PERMUTE", "SHRINK", "FLIP"})
_OPERATIONS = {
    **{op.name: op for op in ALU},
    **{f"{op.name}_N": op for op in Op if f"{op.name}_N" in COLUMNS},
}


def fold(frozen: FrozenEGraph) -> tuple[dict[int, int], dict[int, tuple[str, str]]]:
    """Finds the classes that are constants.

    Returns:
        the bits of each constant class, and the dtype and shape of each constant class without a CONST term.
    """
    constants = {row.owner: row.columns[2] for row in frozen.rows if row.table == "CONST"}
    found: dict[int, tuple[str, str]] = {}
    for row in frozen.rows:
        if row.owner not in constants and _is_fixed(frozen, row):
            constants[row.owner] = frozen.lo[row.owner]
            found[row.owner] = (_result_dtype(row), row.shape)
    users: dict[int, list[Row]] = {}
    for row in frozen.rows:
        if row.children and (row.table in _OPERATIONS or row.table in _UNMOVED or row.table == "SCALE"):
            for child in row.children:
                users.setdefault(child, []).append(row)
    pending = list(constants)
    for owner in pending:
        for row in users.get(owner, ()):
            if row.owner in constants or any(child not in constants for child in row.children):
                continue
            bits = _evaluated(row, [constants[child] for child in row.children])
            if bits is not None:
                constants[row.owner] = bits
                found[row.owner] = (_result_dtype(row), row.shape)
                pending.append(row.owner)
    return constants, found


def _is_fixed(frozen: FrozenEGraph, row: Row) -> bool:
    """Whether bounds leave only one value. Integers, indices and bools have bounds."""
    least = frozen.lo.get(row.owner)
    return least is not None and least == frozen.hi.get(row.owner) and can_be_written(least, row.dtype)


def _result_dtype(row: Row) -> str:
    return "bool" if row.table in ("CMPLT", "CMPNE") else row.dtype


def _evaluated(row: Row, bits: list[int]) -> int | None:
    if row.table in _UNMOVED:
        return bits[0]
    dtype = plain_dtype(row.dtype)
    if row.table == "SCALE":
        return computed(Op.MUL, dtype, dtype, (row.columns[2], bits[0]))
    op = _OPERATIONS[row.table]
    if row.table.endswith("_N"):
        return reduce(partial(_combined, op, dtype), bits[1:], bits[0])
    source = plain_dtype(row.columns[1]) if op in (Op.CAST, Op.BITCAST) else dtype
    return computed(op, dtype, source, tuple(bits))


def _combined(op: Op, dtype: DType, left: int | None, right: int) -> int | None:
    return None if left is None else computed(op, dtype, dtype, (left, right))


@lru_cache(1 << 14)
def computed(op: Op, dtype: DType, source: DType, bits: tuple[int, ...]) -> int | None:
    """The bits of `op` on constants; None if it has no value. `dtype` is the dtype of the result, or of a comparison's sides."""
    if op in DIVISIONS and bits[1] == 0:
        return None
    if op in SHIFTS and not 0 <= bits[1] < dtype.bits:
        return None
    if (
        op is Op.CAST
        and source.is_float
        and (dtype.is_int or dtype.is_index)
        and not _fits(bits_float(bits[0]), dtype)
    ):
        return None
    operands = [constant(_number(value, source), source) for value in bits]
    if op is Op.WHERE:
        operands[0] = constant(bool(bits[0]), bool_)
    functions: dict[Op, Callable[..., Any]] = {Op.CAST: convert, Op.BITCAST: reinterpret}
    try:
        result = (
            functions[op](operands[0], source, dtype) if op in functions else compute(op, source, *operands)
        )
    except EvaluationError:
        return None
    value = result.item()
    if dtype.is_float and op not in COMPARISON:
        return float_bits(value)
    return int(value) if can_be_written(int(value), dtype.name) else None


def can_be_written(value: int, dtype: str) -> bool:
    """Whether a program can hold a constant: programs compute an index in 64 bits, although an index is unbounded."""
    return -(1 << 63) <= value < (1 << 64 if dtype == "uint64" else 1 << 63)


def _fits(value: float, dtype: DType) -> bool:
    return abs(value) < 2.0**1023 and dtype.min <= value <= dtype.max


def _number(bits: int, dtype: DType) -> bool | int | float:
    if dtype.is_float:
        return bits_float(bits)
    return bool(bits) if dtype.is_bool else bits


@lru_cache(256)
def plain_dtype(name: str) -> DType:
    """The dtype with this name, which must not name a pointer."""
    found = parse_dtype(name)
    assert isinstance(found, DType)
    return found
