"""How operations of bools are written, and which conditions are one comparison."""

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
    """Bools as numbers of one bit, or masks of all: `negation` turns them round, `unequal` compares them."""
    if node.op in (Op.CMPNE, Op.XOR, Op.SUB):
        return Code(f"{operands[0]} {unequal[0]} {operands[1]}", unequal[1])
    if node.op not in ON_BITS:
        raise unsupported(node)
    return Code(ON_BITS[node.op].format(*operands, opposite=negation), Level.BITWISE)


def negation_of(node: UOp) -> UOp | None:
    """What this node is the negation of: the other side of `!= True`."""
    if node.op is Op.CMPNE:
        for side, other in (node.src, node.src[::-1]):
            if uniform_constant(other) is True:
                return side
    return None


def between_zero_and(node: UOp) -> tuple[UOp, UOp] | None:
    """The number that a condition says is at least 0 and below a constant, with that; None of other conditions."""
    if node.op is not Op.AND:
        return None
    for low, high in (node.src, node.src[::-1]):
        negative = negation_of(low)
        if negative is None or negative.op is not Op.CMPLT or high.op is not Op.CMPLT:
            continue
        (number, zero), (same, end) = negative.src, high.src
        scalar = number.dtype.scalar
        is_wide = scalar.kind != "f" and scalar.bits >= 32  # C widens others, which stay negative
        if number is same and is_wide and uniform_constant(zero) == 0 and (uniform_constant(end) or 0) > 0:
            return number, end
    return None


def uniform_constant(node: UOp) -> bool | int | float | None:
    """The value of a constant, or of a vector of one constant."""
    scalar = node if node.op is Op.CONST else repeated(node)
    return scalar.arg if scalar is not None and scalar.op is Op.CONST else None
