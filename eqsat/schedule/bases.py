"""Index expressions over the chosen loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from eqsat.dtype import index
from eqsat.ops import Op
from eqsat.schedule.affine import Affine, add, affine_forms, bounds, floor_divide, floor_modulo, multiply
from eqsat.schedule.axes import Split
from eqsat.uop import UOp, rewrite


def express(roots: Sequence[UOp], splits: Mapping[UOp, Split]) -> dict[UOp, UOp]:
    """Each index expression with its ranges replaced by the split loops, simplified."""
    positions = {old: each.position for old, each in splits.items()}
    return dict(zip(roots, rewrite(roots, positions, _simplified), strict=True))


def _simplified(node: UOp) -> UOp:
    if node.dtype is not index or len(node.src) != 2:
        return node
    left, right = node.src
    match node.op:
        case Op.ADD:
            return add(left, right)
        case Op.MUL if right.op is Op.CONST:
            return multiply(left, right.arg)
        case Op.MUL if left.op is Op.CONST:
            return multiply(right, left.arg)
        case Op.FLOORDIV if right.op is Op.CONST and right.arg > 0:
            whole, rest = _divided(left, right.arg)
            return add(whole, floor_divide(rest, right.arg))
        case Op.FLOORMOD if right.op is Op.CONST and right.arg > 0:
            return floor_modulo(_divided(left, right.arg)[1], right.arg)
        case Op.MIN if bounds(left)[1] <= bounds(right)[0]:
            return left
        case _:
            return node


def _divided(value: UOp, divisor: int) -> tuple[UOp, UOp]:
    """(q, r) with value = divisor·q + r, r holding the terms that the divisor does not divide."""
    form = affine_forms([value])[value]
    whole = tuple((atom, factor // divisor) for atom, factor in form.terms if factor % divisor == 0)
    rest = tuple((atom, factor) for atom, factor in form.terms if factor % divisor)
    return Affine(form.constant // divisor, whole).build(), Affine(form.constant % divisor, rest).build()
