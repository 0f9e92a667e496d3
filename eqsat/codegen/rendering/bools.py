"""Writes operations on bools, and finds conditions that can be written as one comparison."""

from __future__ import annotations

from collections.abc import Sequence

from eqsat.codegen.expansion.lanes import repeated
from eqsat.codegen.rendering.code import Code, Level, unsupported
from eqsat.ops import Op
from eqsat.uop import UOp

ON_BITS = {
    Op.NEG: "{0}", Op.CMPLT: "{opposite}{0} & {1}", Op.POW: "{0} | {opposite}{1}", Op.MULACC: "({0} & {1}) | {2}",
    **dict.fromkeys((Op.AND, Op.MUL, Op.MIN), "{0} & {1}"), **dict.fromkeys((Op.OR, Op.ADD, Op.MAX), "{0} | {1}"),
}  # fmt: skip


def on_bits(node: UOp, operands: Sequence[str], negation: str, unequal: tuple[str, Level]) -> Code:
    """An operation on bools, which are one bit, or masks of all bits. `negation` is the operator that inverts them, `unequal` compares them."""
    if node.op in (Op.CMPNE, Op.XOR, Op.SUB):
        return Code(f"{operands[0]} {unequal[0]} {operands[1]}", unequal[1])
    if node.op not in ON_BITS:
        raise unsupported(node)
    return Code(ON_BITS[node.op].format(*operands, opposite=negation), Level.BITWISE)


def negation_of(node: UOp) -> UOp | None:
    """The operand that a node negates, which is the other side of `!= True`; None of other nodes."""
    if node.op is Op.CMPNE:
        for side, other in (node.src, node.src[::-1]):
            if uniform_constant(other) is True:
                return side
    return None


def between_zero_and(node: UOp) -> tuple[UOp, UOp] | None:
    """The number and the constant of a condition `0 <= number < constant`; None of other conditions."""
    if node.op is not Op.AND:
        return None
    for low, high in (node.src, node.src[::-1]):
        negative = negation_of(low)
        if negative is None or negative.op is not Op.CMPLT or high.op is not Op.CMPLT:
            continue
        (number, zero), (same, end) = negative.src, high.src
        scalar = number.dtype.scalar
        # C widens others to int, so that they stay negative
        is_wide = scalar.kind != "f" and scalar.bits >= 32
        if number is same and is_wide and uniform_constant(zero) == 0 and (uniform_constant(end) or 0) > 0:
            return number, end
    return None


def uniform_constant(node: UOp) -> bool | int | float | None:
    """The value of a constant, or of a vector of one constant."""
    scalar = node if node.op is Op.CONST else repeated(node)
    return scalar.arg if scalar is not None and scalar.op is Op.CONST else None
