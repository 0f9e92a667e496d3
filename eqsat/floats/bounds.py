"""Bounds of the floats of a kernel, from the kernel alone: inputs may be anything, NaN included, unless the caller knows more.

Bounds come from constants, integers, choices (maxima, minima, WHERE), functions and sums. A number less the maximum of the row that contains
it is at most 0 (`floats.maxima`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf, prod

from eqsat.dtype import DType
from eqsat.floats.intervals import (
    ANYTHING,
    Bounds,
    bounds_of_result,
    constant,
    converted,
    hull,
    meet,
    of_integers,
    of_sum,
    rounded,
    squared,
)
from eqsat.floats.maxima import GAPS, is_below_own_maximum
from eqsat.integers.bounds import interval_of
from eqsat.integers.conditions import negated
from eqsat.integers.intervals import UNKNOWN, Interval, is_integral
from eqsat.ops import Op
from eqsat.shape import extent_of
from eqsat.uop import UOp, toposort

_NOT_POSITIVE = Bounds(-inf, 0.0, nan=True)


def bounds_of(roots: Iterable[UOp], loaded: Mapping[UOp, Bounds] | None = None) -> dict[UOp, Bounds]:
    """The bounds of every scalar float below `roots`, nodes of a kernel whose loops are not yet tiled.

    Args:
        roots: nodes of the kernel.
        loaded: for some PARAMs, the bounds of all their elements.

    >>> from eqsat.dtype import float32
    >>> element = UOp(Op.INDEX, float32, (UOp.param(0, 8, float32), UOp.range(8, 0)))
    >>> positive = UOp(Op.LOAD, float32, (element,)).maximum(0.0)
    >>> bounds_of([positive])[positive]
    Bounds(low=0.0, high=inf, nan=True)
    """
    found: dict[UOp, Bounds] = {}
    integers: dict[UOp, Interval] = {}
    known = loaded or {}
    for node in toposort(roots):
        integers[node] = interval_of(node, [integers[source] for source in node.src])
        dtype = node.dtype
        if isinstance(dtype, DType) and dtype.is_float and dtype.lanes == 1:
            found[node] = _of_node(node, dtype, found, integers, known)
    return found


def _of_node(node: UOp, dtype: DType, found: Mapping[UOp, Bounds], integers: Mapping[UOp, Interval],
             loaded: Mapping[UOp, Bounds]) -> Bounds:  # fmt: skip
    match node.op:
        case Op.CONST:
            return constant(dtype, node.arg)
        case Op.LOAD:
            return _of_load(node, found, loaded)
        case Op.BUFFERIZE:
            return found.get(node.src[0], ANYTHING)
        case Op.CAST:
            return _of_cast(node, dtype, found, integers)
        case Op.WHERE:
            return _of_where(node, dtype, found)
        case Op.REDUCE:
            return _of_reduction(node, dtype, found)
        case _:
            operands = [found.get(source, ANYTHING) for source in node.src]
            plain = _of_operation(node, dtype, operands)
            return (
                meet(plain, _NOT_POSITIVE) if node.op in GAPS and is_below_own_maximum(node, found) else plain
            )


def _of_operation(node: UOp, dtype: DType, operands: Sequence[Bounds]) -> Bounds:
    if node.op is Op.MUL and (sign := _sign_of_square(*node.src)):
        square = rounded(dtype, squared(operands[0]))
        return square if sign > 0 else Bounds(-square.high, -square.low, square.nan)
    return bounds_of_result(node.op, dtype, operands)


def _sign_of_square(one: UOp, other: UOp) -> int:
    """1 for a number times itself, -1 for a number times its negative, 0 for other products."""
    sizes = [each.src[0] if each.op is Op.NEG else each for each in (one, other)]
    if sizes[0] is not sizes[1]:
        return 0
    return 1 if (one.op is Op.NEG) == (other.op is Op.NEG) else -1


def _of_load(node: UOp, found: Mapping[UOp, Bounds], loaded: Mapping[UOp, Bounds]) -> Bounds:
    address = node.src[0]
    if address.op is not Op.INDEX or len(node.src) > 1:
        return ANYTHING
    memory, _, *gates = address.src
    inside = found.get(memory, ANYTHING) if memory.op is Op.BUFFERIZE else loaded.get(memory, ANYTHING)
    return hull(inside, Bounds(0.0, 0.0, nan=False)) if gates else inside


def _of_cast(
    node: UOp, dtype: DType, found: Mapping[UOp, Bounds], integers: Mapping[UOp, Interval]
) -> Bounds:
    (value,) = node.src
    if is_integral(value.dtype):
        return of_integers(dtype, integers.get(value, UNKNOWN))
    return converted(dtype, found.get(value, ANYTHING))


def _of_reduction(node: UOp, dtype: DType, found: Mapping[UOp, Bounds]) -> Bounds:
    value = found.get(node.src[0], ANYTHING)
    if node.arg in (Op.MAX, Op.MIN):
        return value
    return of_sum(dtype, value, prod(map(extent_of, node.src[1:]))) if node.arg is Op.ADD else ANYTHING


# choices


def _of_where(node: UOp, dtype: DType, found: Mapping[UOp, Bounds]) -> Bounds:
    """The hull of both branches, given that the condition holds, or fails: `x < 0 ? -x : x` is not negative."""
    condition, *branches = node.src
    sides = [
        _under(branch, dtype, _told(condition, holds, found), found)
        for branch, holds in zip(branches, (True, False), strict=True)
    ]
    return hull(*sides)


def _under(branch: UOp, dtype: DType, told: Mapping[UOp, Bounds], found: Mapping[UOp, Bounds]) -> Bounds:
    """The bounds of a branch, where `told` has narrower bounds of the branch itself or of its operands."""
    if branch in told:
        return told[branch]
    plain = found.get(branch, ANYTHING)
    if branch.op in (Op.WHERE, Op.CAST, Op.LOAD, Op.REDUCE) or not any(
        source in told for source in branch.src
    ):
        return plain
    operands = [told.get(source, found.get(source, ANYTHING)) for source in branch.src]
    return _of_operation(branch, dtype, operands)


def _told(condition: UOp, holds: bool, found: Mapping[UOp, Bounds]) -> dict[UOp, Bounds]:
    """Narrower bounds of both sides of a comparison of floats. If it holds, neither side is NaN; if it fails, one may be."""
    while (inner := negated(condition)) is not None:
        condition, holds = inner, not holds
    if len(condition.src) != 2 or not all(source in found for source in condition.src):
        return {}
    less, more = condition.src
    one, other = found[less], found[more]
    if condition.op is Op.CMPNE and less is more:
        return {} if holds else {less: Bounds(one.low, one.high, nan=False)}
    if condition.op is not Op.CMPLT:
        return {}
    if holds:
        return {
            less: meet(one, Bounds(-inf, other.high, nan=False)),
            more: meet(other, Bounds(one.low, inf, nan=False)),
        }
    told: dict[UOp, Bounds] = {}
    if not other.nan:
        told[less] = meet(one, Bounds(other.low, inf, nan=True))
    if not one.nan:
        told[more] = meet(other, Bounds(-inf, one.high, nan=True))
    return told
