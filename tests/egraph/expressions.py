"""Integer expressions drawn at random, and samples of what they compute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

import eqsat as eq
from eqsat.dtype import INTS, DType, index, to_numpy
from eqsat.ops import Op
from eqsat.reference import evaluate
from eqsat.uop import UOp, toposort

DTYPES = (*INTS, index)
SAMPLES = 64
ARITHMETIC = ("add", "subtract", "multiply", "scale", "shift", "negate", "maximum", "minimum")
DIVISION = ("floor_divide", "floor_modulo", "truncating_divide", "truncating_modulo")
CHOICE = ("where_less", "where_not_equal", "where_both", "where_either")
BITWISE = ("and", "or", "xor", "mask", "shift_left", "shift_right", "cast")
KINDS = (*ARITHMETIC, *DIVISION, *CHOICE)
DIVISORS = (1, 2, 3, 4, 5, 7, 8, 12, 16, 60, 64)


@dataclass(frozen=True)
class Expression:
    """An expression with samples of its variables: a few corners, then random numbers."""

    root: UOp
    samples: Mapping[str, Any]

    def __repr__(self) -> str:
        return self.root.pretty()

    def check(self, other: UOp) -> None:
        """Compares `other` with it on all samples."""
        expected, found = evaluate(self.root, self.samples), evaluate(other, self.samples)
        assert other.dtype == self.root.dtype
        wrong = np.flatnonzero(np.broadcast_to(expected, SAMPLES) != np.broadcast_to(found, SAMPLES))
        if wrong.size:
            place = {name: values[wrong[0]] for name, values in self.samples.items()}
            raise AssertionError(f"differs at {place}:\n{self!r}\nwas simplified to\n{other.pretty()}")


@st.composite
def expressions(draw: st.DrawFn, least: int = 5, most: int = 40) -> Expression:
    """An expression of `least` to about `most` operations over one dtype; index expressions stay where int64 can follow."""
    dtype = draw(st.sampled_from(DTYPES))
    variables = [_variable(draw, dtype, name) for name in "abcd"]
    values = list(variables)
    for _ in range(draw(st.integers(least, most))):
        values.append(_step(draw, dtype, values))
    root = next(value for value in reversed(values) if len(toposort([value])) <= 3 * most)
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return Expression(root, {each.arg[0]: _samples(each, random) for each in variables})


def _variable(draw: st.DrawFn, dtype: DType, name: str) -> UOp:
    least, greatest = draw(
        st.sampled_from(((0, 1), (0, 7), (0, 63), (0, 100), (-8, 8), (-100, 100), (None, None)))
    )
    if least is None or least < dtype.min:
        least, greatest = (-(10**6), 10**6) if dtype.is_index else (dtype.min, dtype.max)
    return eq.variable(name, least, greatest, dtype)


def _step(draw: st.DrawFn, dtype: DType, values: list[UOp]) -> UOp:
    """One more value; later values are used more often, so that expressions are deep."""
    x, y, z = (
        values[-1 - draw(st.integers(0, len(values) - 1)) // draw(st.integers(1, 3))] for _ in range(3)
    )
    kind = draw(st.sampled_from(KINDS if dtype.is_index else (*KINDS, *BITWISE)))
    number = draw(st.sampled_from((0, 1, 2, 3, 5, 8, 17, 64, 100)))
    if dtype.is_index and kind == "multiply":
        y = values[draw(st.integers(0, 3))]  # a variable, so that numbers stay moderate
    return _applied(kind, dtype, x, y, z, UOp.const(dtype, number), draw)


def _applied(kind: str, dtype: DType, x: UOp, y: UOp, z: UOp, number: UOp, draw: st.DrawFn) -> UOp:
    divisor = UOp.const(dtype, draw(st.sampled_from(DIVISORS)))
    amount = UOp.const(dtype, draw(st.integers(0, dtype.bits - 1))) if not dtype.is_index else number
    match kind:
        case "where_less":
            return (x < number).where(y, z)
        case "where_not_equal":
            return x.ne(y).where(z, number)
        case "where_both":
            return ((x < y) & (x < number)).where(y, z)
        case "where_either":
            return ((x < number) | (z < number)).where(y, x)
        case "cast":
            return x.cast(draw(st.sampled_from(DTYPES))).cast(dtype)
        case "negate":
            return x.alu(Op.NEG)
        case _:
            op, right = {
                "add": (Op.ADD, y), "subtract": (Op.SUB, y), "multiply": (Op.MUL, y), "scale": (Op.MUL, number),
                "shift": (Op.ADD, number), "maximum": (Op.MAX, y), "minimum": (Op.MIN, number),
                "floor_divide": (Op.FLOORDIV, divisor), "floor_modulo": (Op.FLOORMOD, divisor),
                "truncating_divide": (Op.IDIV, divisor), "truncating_modulo": (Op.MOD, divisor),
                "and": (Op.AND, y), "or": (Op.OR, y), "xor": (Op.XOR, y), "mask": (Op.AND, number),
                "shift_left": (Op.SHL, amount), "shift_right": (Op.SHR, amount),
            }[kind]  # fmt: skip
            return x.alu(op, right)


def _samples(variable: UOp, random: np.random.Generator) -> Any:
    _, least, greatest = variable.arg
    assert isinstance(variable.dtype, DType)
    corners = [least, greatest, min(max(0, least), greatest), min(max(1, least), greatest)]
    drawn = random.integers(least, greatest, SAMPLES - 8, dtype=to_numpy(variable.dtype), endpoint=True)
    # So that corners of different variables meet
    mixed = [corners[place % 4] for place in random.permutation(8)]
    return np.array([*mixed, *drawn.tolist()], to_numpy(variable.dtype))
