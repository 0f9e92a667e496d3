"""Constant folding: an operation on constants is the constant that the reference computes.

A division by zero and a shift out of range have no value and stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial, reduce
from typing import Any

from eqsat.dtype import DType, parse_dtype
from eqsat.egraph.snapshot.frozen import FrozenEGraph, Row
from eqsat.egraph.tables.callbacks import bits_float, float_bits
from eqsat.egraph.tables.schema import COLUMNS
from eqsat.errors import EvaluationError
from eqsat.ops import ALU, COMPARISON, Op
from eqsat.reference.alu import compute
from eqsat.reference.number import constant, convert, reinterpret

_DIVISIONS = frozenset({Op.IDIV, Op.MOD, Op.FLOORDIV, Op.FLOORMOD})
_SHIFTS = frozenset({Op.SHL, Op.SHR})
_UNMOVED = frozenset({"RESHAPE", "EXPAND", "PERMUTE", "SHRINK", "FLIP"})
_OPERATIONS = {
    **{op.name: op for op in ALU},
    **{f"{op.name}_N": op for op in Op if f"{op.name}_N" in COLUMNS},
}


def fold(frozen: FrozenEGraph) -> tuple[dict[int, int], dict[int, tuple[str, str]]]:
    """The classes that are constants.

    Returns:
        the bits of every constant class, and, for those that have no CONST term yet, their dtype and shape.
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
    """Whether bounds leave one value; those exist for integers, indices and bools only."""
    least = frozen.lo.get(row.owner)
    return least is not None and least == frozen.hi.get(row.owner) and can_be_written(least, row.dtype)


def _result_dtype(row: Row) -> str:
    return "bool" if row.table in ("CMPLT", "CMPNE") else row.dtype


def _evaluated(row: Row, bits: list[int]) -> int | None:
    if row.table in _UNMOVED:
        return bits[0]
    if row.table == "SCALE":
        return _computed(Op.MUL, row.dtype, row.dtype, (row.columns[2], bits[0]))
    op = _OPERATIONS[row.table]
    if row.table.endswith("_N"):
        return reduce(partial(_combined, op, row.dtype), bits[1:], bits[0])
    source = row.columns[1] if op in (Op.CAST, Op.BITCAST) else row.dtype
    return _computed(op, row.dtype, source, tuple(bits))


def _combined(op: Op, dtype: str, left: int | None, right: int) -> int | None:
    return None if left is None else _computed(op, dtype, dtype, (left, right))


@lru_cache(1 << 14)
def _computed(op: Op, dtype_name: str, source_name: str, bits: tuple[int, ...]) -> int | None:
    """The bits of `op` on constants; None where it has no value."""
    dtype, source = _parsed(dtype_name), _parsed(source_name)
    if op in _DIVISIONS and bits[1] == 0:
        return None
    if op in _SHIFTS and not 0 <= bits[1] < dtype.bits:
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
        operands[0] = constant(bool(bits[0]), _parsed("bool"))
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
    return int(value) if can_be_written(int(value), dtype_name) else None


def can_be_written(value: int, dtype: str) -> bool:
    """Whether a program can hold a constant: an index is computed in 64 bits, although it is a number of any size."""
    return -(1 << 63) <= value < (1 << 64 if dtype == "uint64" else 1 << 63)


def _fits(value: float, dtype: DType) -> bool:
    return abs(value) < 2.0**1023 and dtype.min <= value <= dtype.max


def _number(bits: int, dtype: DType) -> bool | int | float:
    if dtype.is_float:
        return bits_float(bits)
    return bool(bits) if dtype.is_bool else bits


def _parsed(name: str) -> DType:
    found = parse_dtype(name)
    assert isinstance(found, DType)
    return found
