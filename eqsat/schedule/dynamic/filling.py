"""Ends of the loops that fill local memory: they end where no load reads the stored elements."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from eqsat.extents import Extent, capacity
from eqsat.integers.linear import Affine, affine_forms
from eqsat.ops import Op
from eqsat.schedule.dynamic.overlapping import Begins, without
from eqsat.schedule.dynamic.positions import Limit, is_plain
from eqsat.shape import extent_of
from eqsat.uop import UOp


def fills_in(order: Sequence[UOp]) -> dict[UOp, list[UOp]]:
    """The stores to local memory, each with the addresses at which that memory is read."""
    stores = [node for node in order if node.op is Op.STORE and _memory(node.src[0]).op is Op.DEFINE_LOCAL]
    stored = {store.src[0] for store in stores}
    reads: dict[UOp, list[UOp]] = {}
    for node in order:
        if node.op is Op.INDEX and node not in stored and _memory(node).op is Op.DEFINE_LOCAL:
            reads.setdefault(_memory(node), []).append(node)
    return {store: reads.get(_memory(store.src[0]), []) for store in stores}


class _Reach(NamedTuple):
    """How far an address reads along an axis of local memory.

    Attributes:
        stride: the stride of the axis.
        extent: the extent at which the reading loops end.
        tile: the length of their tiles: they read up to the next multiple of it.
        beyond: how many elements beyond these loops the address reads.
    """

    stride: int
    extent: Extent
    tile: int
    beyond: int


def limit_of_fill(
    store: UOp,
    loops: Collection[UOp],
    reads: Sequence[UOp],
    limits: Sequence[Limit],
    ends: Mapping[UOp, UOp],
    begins: Begins,
) -> Limit | None:
    """The limit up to which a store has to fill local memory, in terms of its own loops; None if all of it may be read, or no limit is known."""
    found = [_reach(address, limits, ends) for address in reads]
    known = [each for each in found if each is not None]
    if not known or len(known) < len(found) or len({(each.stride, each.extent) for each in known}) > 1:
        return None
    stride, extent, *_ = known[0]
    position = _along(without(begins, _form(store.src[0])), stride, extent)
    if not position.terms or not is_plain(position) or not all(loop in loops for loop, _ in position.terms):
        return None
    tile = max(each.tile for each in known)
    if any(tile % each.tile for each in known):
        return None
    beyond = max(each.beyond for each in known)
    multiple = 1 if extent.is_multiple(tile) else tile
    return Limit(position.plus(Affine(-beyond)), extent, multiple, is_fill=True)


def _reach(address: UOp, limits: Sequence[Limit], ends: Mapping[UOp, UOp]) -> _Reach | None:
    """How far an address reads; None if that is not known."""
    form = _form(address)
    if not is_plain(form):  # the address ends elsewhere than the reading loops
        return None
    steps = dict(form.terms)
    for limit in limits:
        terms = sorted(limit.position.terms, key=lambda term: -term[1])
        if not terms or limit.position.constant or not limit.is_tiled or terms[0][0] not in ends:
            continue
        stride, rest = divmod(steps.get(terms[0][0], 0), terms[0][1])
        apart = _along(form, stride, limit.extent).plus(limit.position, -1) if stride and not rest else None
        if apart is not None and is_plain(apart):
            beyond = apart.constant + sum((extent_of(loop) - 1) * step for loop, step in apart.terms)
            return _Reach(stride, limit.extent, terms[0][1], beyond)
    return None


def _along(form: Affine, stride: int, extent: Extent) -> Affine:
    """The position along the axis with this stride and capacity for the extent; -1 if it cannot be separated from other axes."""
    terms = [
        (atom, step // stride) for atom, step in form.terms if stride <= step < stride * capacity(extent)
    ]
    exact = all(step % stride == 0 for _, step in form.terms if stride <= step < stride * capacity(extent))
    return Affine(0, tuple(terms)) if exact and form.constant == 0 else Affine(-1)


def _form(address: UOp) -> Affine:
    return affine_forms([address.src[1]])[address.src[1]]


def _memory(address: UOp) -> UOp:
    """The memory that an address is in, without the AFTERs around it."""
    memory = address.src[0] if address.src else address
    while memory.op is Op.AFTER:
        memory = memory.src[0]
    return memory
