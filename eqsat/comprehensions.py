"""Equalities of comprehensions (BUFFERIZE): the values of their elements, and the arrays that they merely copy.

Patterns of rules cannot express these equalities, because ranges are replaced by positions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from eqsat.dtype import PtrDType
from eqsat.ops import ALU, TABLE, Op
from eqsat.shape import Shape
from eqsat.uop import UOp, toposort
from eqsat.uop.satisfying import Satisfying

MOST_NODES = 64  # nodes of a formula that is written out in place of an element
MOST_ELEMENTS = 64  # equalities that are returned for one graph


def known_elements(nodes: Sequence[UOp]) -> list[tuple[UOp, UOp]]:
    """Pairs of nodes of an array graph and values that they equal because BUFFERIZE is the array of a formula.

    The graph of a kernel gives no pairs, because its INDEX is an address.

    >>> i = UOp.variable("i", 0, 7)
    >>> known_elements([UOp(Op.INDEX, i.dtype, (UOp.iota(8), i))])[0][1] is i
    True
    """
    if any(node.op in (Op.LOAD, Op.STORE) for node in nodes):
        return []
    found = [(node, value) for node in nodes if (value := written_out(node)) is not None]
    return found[:MOST_ELEMENTS]


def written_out(node: UOp) -> UOp | None:
    """The value of an element of a comprehension, or the array that a comprehension copies; None for any other node.

    An element outside its array has no defined value, so the value of the formula may stand for it.
    """
    value = _element(node) if node.op is Op.INDEX else _copied(node) if node.op is Op.BUFFERIZE else None
    return value if value is not None and (value.dtype, value.shape) == (node.dtype, node.shape) else None


def _copied(node: UOp) -> UOp | None:
    """The array, with its axes permuted, all of whose elements the comprehension copies; None if there is no such array."""
    inner, ranges = node.src[0], node.src[1:]
    if inner.op is not Op.INDEX or not ranges or isinstance(inner.src[0].dtype, PtrDType):
        return None
    base, places = inner.src[0], inner.src[1:]
    if {*places} != {*ranges} or len(places) != len({*ranges}) or base.ranges & {*ranges}:
        return None
    axes = tuple(places.index(each) for each in ranges)
    is_whole = base.shape is not None and tuple(base.shape[axis] for axis in axes) == node.shape
    return base.permute(axes) if is_whole else None


def _element(node: UOp) -> UOp | None:
    base, positions = node.src[0], node.src[1:]
    if isinstance(base.dtype, PtrDType) or base.shape is None or len(positions) != len(base.shape):
        return None
    if not positions or any(
        position.shape != node.shape or not position.dtype.scalar.is_index for position in positions
    ):
        return None
    return _at(base, positions, node.shape or ()) if _is_computed(base) else None


def _is_computed(base: UOp) -> bool:
    """Whether an array is computed from comprehensions (at least one) and constants alone, by at most `MOST_NODES` nodes."""
    pending, found = [base], {base}
    while pending:
        node = pending.pop()
        if node.op not in (Op.BUFFERIZE, Op.CONST):
            if node.op not in ALU and node.op not in (Op.RESHAPE, Op.EXPAND, Op.PERMUTE):
                return False
            pending += [source for source in node.src if source not in found]
            found.update(node.src)
        if len(found) > MOST_NODES:
            return False
    return any(node.op is Op.BUFFERIZE for node in found)


def _at(base: UOp, positions: Sequence[UOp], shape: Shape) -> UOp | None:
    """The elements of `base` at `positions`, as an array of shape `shape`; None if they cannot be written out."""
    before: Shape = (base.src[0].shape or ()) if base.src else ()
    match base.op:
        case Op.BUFFERIZE:
            return _replaced(base.src[0], dict(zip(base.src[1:], positions, strict=True)), shape)
        case Op.CONST:
            return base.broadcast(shape)
        case Op.EXPAND:
            first = _zero(positions)
            inner = [first if extent == 1 else place for extent, place in zip(before, positions, strict=True)]
            return _at(base.src[0], inner, shape)
        case Op.PERMUTE:
            axes: tuple[int, ...] = base.arg
            return _at(base.src[0], [positions[axes.index(axis)] for axis in range(len(before))], shape)
        case Op.RESHAPE:
            longer = [
                (extent, place)
                for extent, place in zip(base.shape or (), positions, strict=True)
                if extent != 1
            ]
            if [extent for extent, _ in longer] != [extent for extent in before if extent != 1]:
                return None
            places = iter(place for _, place in longer)
            return _at(
                base.src[0], [_zero(positions) if extent == 1 else next(places) for extent in before], shape
            )
        case _:
            sources = [_at(source, positions, shape) for source in base.src]
            if any(source is None for source in sources):
                return None
            return UOp(
                base.op, base.dtype, tuple(source for source in sources if source is not None), base.arg
            )


def _zero(positions: Sequence[UOp]) -> UOp:
    """The first position, for an axis of one element."""
    return UOp.full(positions[0].shape or (), positions[0].dtype.scalar, 0)


def _replaced(formula: UOp, positions: Mapping[UOp, UOp], shape: Shape) -> UOp | None:
    """The formula with positions in place of ranges.

    It is None if the formula is too large, or contains anything but ALU operations and INDEX of arrays that do not depend on the ranges.
    """
    order = toposort([formula], Satisfying(lambda node: not node.ranges & positions.keys()))
    if len(order) > MOST_NODES:
        return None
    known: dict[UOp, UOp] = dict(positions)
    for node in order:
        if node in known:
            continue
        if not node.ranges & positions.keys():
            if node.shape == () and not isinstance(node.dtype, PtrDType):
                known[node] = node.broadcast(shape)
            continue
        start = 1 if node.op is Op.INDEX else 0
        sources = [known.get(source) for source in node.src[start:]]
        if node.op not in ALU and (node.op is not Op.INDEX or node.src[0].ranges & positions.keys()):
            return None
        if any(source is None for source in sources) or TABLE[node.op].range_start is not None:
            return None
        renewed = (*node.src[:start], *(source for source in sources if source is not None))
        known[node] = UOp(node.op, node.dtype, renewed, node.arg)
    return known.get(formula)
