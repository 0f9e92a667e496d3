"""Pieces of C-like languages: expressions with their binding strength, and literals."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import IntEnum
from itertools import accumulate

import numpy as np

from eqsat.codegen.dialects import Dialect
from eqsat.dtype import DType, float32, index
from eqsat.errors import CodegenError, brief
from eqsat.support.enumeration import direct
from eqsat.uop import UOp


@direct
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
    """An expression.

    Attributes:
        text: the expression.
        level: how strongly its outermost operator binds.
        unsigned: whether it is a signed scalar, computed in the unsigned type of its width, in which overflow wraps.
        unrounded: for a value rounded to float16, the expression that is rounded; empty for others.
    """

    text: str
    level: Level = Level.ATOM
    unsigned: bool = False
    unrounded: str = ""

    def at(self, level: Level) -> str:
        """The text as an operand that must bind at least as strongly as `level`."""
        return self.text if self.level >= level else f"({self.text})"


def choice(condition: Code, then: Code, otherwise: Code) -> Code:
    """One of two values. A choice in place of the second value has no brackets, so that chains of any length are no deeper than one."""
    text = f"{condition.at(Level.EQUAL)} ? {then.at(Level.BITWISE)} : {otherwise.at(Level.TERNARY)}"
    return Code(text, Level.TERNARY)


def is_deeper(text: str, most: int) -> bool:
    """Whether brackets are nested more than `most` deep.

    >>> is_deeper("f(a, (b)) + (c)", 2), is_deeper("f(a, (b)) + (c)", 1)
    (False, True)
    """
    if text.count("(") <= most:
        return False
    steps = (1 if bracket == "(" else -1 for bracket in re.findall(r"[()]", text))
    return max(accumulate(steps)) > most


def literal(value: bool | int | float, dtype: DType, dialect: Dialect) -> Code:
    """A scalar constant whose C type is exactly that of `dtype`."""
    if dtype.is_bool:
        return Code("true" if value else "false")
    if dtype.is_float:
        return _float_literal(float(value), dtype.scalar)
    value = int(value)
    if not dtype.scalar.min <= value <= dtype.scalar.max:
        raise CodegenError(
            f"CONST {brief(value)} has no place in the {dtype.bits} bits of {dtype}; make it smaller"
        )
    if dtype.kind in "ix" and value == dtype.scalar.min and dtype.bits >= 32:
        unit = "L" if dialect.bits(dtype) == 64 else ""
        return Code(f"(-{-(value + 1)}{unit} - 1)")
    text = f"{value}{'u' if dtype.kind == 'u' and dtype.bits >= 32 else ''}{'L' if dialect.bits(dtype) == 64 else ''}"
    if dtype.bits < 32:
        return Code(
            f"({dialect.scalars[dtype.scalar.name]}){text if value >= 0 else f'({text})'}", Level.UNARY
        )
    return Code(text, Level.ATOM if value >= 0 else Level.UNARY)


def short_index(value: int, dialect: Dialect) -> Code:
    """An index constant beside a variable, whose type makes the sum, product or comparison wide: only a large constant needs a suffix."""
    if abs(value) >= 1 << 31:
        return literal(value, index, dialect)
    return Code(str(value), Level.ATOM if value >= 0 else Level.UNARY)


def _float_literal(value: float, scalar: DType) -> Code:
    single = scalar.bits <= 32
    if math.isnan(value):
        return Code("NAN") if single else Code("(double)NAN", Level.UNARY)
    if math.isinf(value):
        text = "INFINITY" if single else "(double)INFINITY"
        if value == -math.inf:
            return Code("-" + text, Level.UNARY)
        return Code(text, Level.ATOM if single else Level.UNARY)
    rounded = float(np.float32(value)) if scalar == float32 else value
    text = f"{np.float32(rounded)!s}f" if single else repr(rounded)
    return Code(text, Level.ATOM if math.copysign(1, value) > 0 else Level.UNARY)


def unsupported(node: UOp) -> CodegenError:
    """The error for an operation that cannot be written for the dtypes of its operands."""
    operands, name = ", ".join(str(source.dtype) for source in node.src), node.op.name
    return CodegenError(
        f"{name} of {operands} has no form; cast the operands to a dtype that {name} is defined for"
    )
