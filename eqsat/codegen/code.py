"""Pieces of OpenCL C: expressions with their binding strength, the C types of values, and literals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from eqsat.dtype import DType, bfloat16, float16, float32, index
from eqsat.errors import CodegenError
from eqsat.serialize import brief


class Level(IntEnum):
    """How strongly the outermost operator of an expression binds."""

    TERNARY = 3
    BITWISE = 6  # |, ^ and &, which compilers want in parentheses when mixed
    EQUAL = 9
    COMPARE = 10
    SHIFT = 11
    ADD = 12
    MULTIPLY = 13
    UNARY = 15
    ATOM = 16


@dataclass(frozen=True, slots=True)
class Code:
    """An expression. `unsigned`: a signed scalar held in the unsigned type of its width, where overflow wraps."""

    text: str
    level: Level = Level.ATOM
    unsigned: bool = False

    def at(self, level: Level) -> str:
        """The text as an operand of an operator of `level`."""
        return self.text if self.level >= level else f"({self.text})"


_NAMES = {
    "bool": "bool", "index": "long",
    "int8": "char", "int16": "short", "int32": "int", "int64": "long",
    "uint8": "uchar", "uint16": "ushort", "uint32": "uint", "uint64": "ulong",
    "float16": "float", "bfloat16": "float", "float32": "float", "float64": "double",
}  # fmt: skip
_STORAGE = {"bool": "uchar", "float16": "ushort", "bfloat16": "ushort"}
_INTEGERS = {8: "char", 16: "short", 32: "int", 64: "long"}


def suffix(lanes: int) -> str:
    """What follows the name of a scalar type to make it a vector."""
    return "" if lanes == 1 else str(lanes)


def value_type(dtype: DType, mask_bits: int = 32) -> str:
    """The C type of a value in a register: half precision is held in float, a vector of bools in a mask of signed integers."""
    if dtype.is_bool and dtype.lanes > 1:
        return f"{_INTEGERS[mask_bits]}{dtype.lanes}"
    return _NAMES[dtype.scalar.name] + suffix(dtype.lanes)


def storage_type(dtype: DType) -> str:
    """The C type of one element in memory."""
    name = dtype.scalar.name
    return _STORAGE.get(name, _NAMES[name])


def unsigned_type(dtype: DType) -> str:
    """The unsigned integer type of the width of `dtype`."""
    return "u" + _INTEGERS[dtype.bits] + suffix(dtype.lanes)


def register_bits(dtype: DType) -> int:
    """Bits of one lane in a register; comparing such lanes gives a mask of this width."""
    return 32 if dtype.scalar in (float16, bfloat16) else max(8, dtype.bits)


def is_rounded(dtype: DType) -> bool:
    """Whether values are computed in float and rounded after each operation."""
    return dtype.scalar in (float16, bfloat16)


def literal(value: bool | int | float, dtype: DType) -> Code:
    """A scalar constant of exactly the C type of `dtype`."""
    if dtype.is_bool:
        return Code("true" if value else "false")
    if dtype.is_float:
        return _float_literal(float(value), dtype.scalar)
    value = int(value)
    if not dtype.scalar.min <= value <= dtype.scalar.max:
        raise CodegenError(
            f"the constant {brief(value)} has no place in the {dtype.bits} bits of {dtype}; make it smaller"
        )
    if dtype.kind in "ix" and value == dtype.scalar.min and dtype.bits >= 32:
        unit = "L" if dtype.bits == 64 else ""
        return Code(f"(-{-(value + 1)}{unit} - 1)")
    text = f"{value}{'u' if dtype.kind == 'u' and dtype.bits >= 32 else ''}{'L' if dtype.bits == 64 else ''}"
    if dtype.bits < 32:
        return Code(f"({value_type(dtype.scalar)}){text if value >= 0 else f'({text})'}", Level.UNARY)
    return Code(text, Level.ATOM if value >= 0 else Level.UNARY)


def short_index(value: int) -> Code:
    """An index constant beside a variable, which makes the sum, product or comparison a long: only a large one needs a suffix."""
    if abs(value) >= 1 << 31:
        return literal(value, index)
    return Code(str(value), Level.ATOM if value >= 0 else Level.UNARY)


def _float_literal(value: float, scalar: DType) -> Code:
    single = scalar.bits <= 32
    if math.isnan(value):
        return Code("NAN") if single else Code("(double)NAN", Level.UNARY)
    if math.isinf(value):
        text = "INFINITY" if single else "(double)INFINITY"
        return Code("-" + text if value < 0 else text, Level.UNARY if value < 0 or not single else Level.ATOM)
    rounded = float(np.float32(value)) if scalar == float32 else value
    text = f"{np.float32(rounded)!s}f" if single else repr(rounded)
    return Code(text, Level.ATOM if math.copysign(1, value) > 0 else Level.UNARY)
