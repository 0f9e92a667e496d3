"""Checks that no element is stored to by several work-items, nor by several STOREs in no order: that is a race, also where all store one value.

Told are those that surely meet: STOREs under gates may exclude each other. What STOREs with an operation combine comes in any order, but not at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import gcd, prod

from eqsat.dtype import AddrSpace
from eqsat.integers.bounds import bounds
from eqsat.ops import WORK_ITEMS, AxisType, Op
from eqsat.spec.contents import ITEMS, by_buffer, flat_place, place_of, space_of
from eqsat.spec.memory import definition, is_gated
from eqsat.spec.rule import Complaint, axis_type, range_number
from eqsat.uop import UOp, toposort

_SHARING: dict[AddrSpace, frozenset[AxisType]] = {
    AddrSpace.GLOBAL: WORK_ITEMS,
    AddrSpace.LOCAL: ITEMS,
    AddrSpace.REG: frozenset(),
}  # the ranges whose iterations store at once into one memory


def one_store(nodes: Sequence[UOp]) -> Complaint:
    """Whether each element is stored to by one work-item, and by one STORE after another."""
    stores = [node for node in nodes if node.op is Op.STORE and not _is_gated(node)]
    for store in stores:
        text = _of_several_items(store)
        if text is not None:
            return store, text
    for buffer, plain in by_buffer(store for store in stores if store.arg is None).items():
        for first, second in combinations(plain, 2):
            if place_of(first.src[0]) == place_of(second.src[0]) and not _are_ordered(first, second):
                return (
                    second,
                    f"{first!r} stores to the same place, and neither comes first; store to AFTER({buffer!r}, that STORE), or STORE once",
                )
    return None


def _is_gated(store: UOp) -> bool:
    return is_gated(store.src[0]) or any(each.dtype.scalar.is_bool for each in store.src[2:])


def _are_ordered(first: UOp, second: UOp) -> bool:
    return first in toposort([second]) or second in toposort([first])


def _of_several_items(store: UOp) -> str | None:
    """Whether there are more work-items than places that they store at. Where neither value nor place varies with them, one of them stores."""
    address, value, *_ = store.src
    sharing = _SHARING[space_of(definition(address))]
    varying = address.ranges | value.ranges
    items = [bound for bound in varying if axis_type(bound) in sharing and bounds(bound.src[0])[1] > 1]
    alone = next((bound for bound in items if bound not in address.ranges), None)
    if alone is not None:
        which = f"{axis_type(alone).name} range {range_number(alone)}"
        return f"each iteration of {which} stores its own value at the same place; give each a place, REDUCE over that, or gate the STORE"
    place = flat_place(address, value.dtype.lanes)
    if place is None or not items or any(bound.src[0].op is not Op.CONST for bound in items):
        return None
    (first, last), step = bounds(place[0].build()), gcd(*(factor for _, factor in place[0].terms)) or 1
    places, stored = (last - first) // step + 1, prod(bound.src[0].arg for bound in items)
    if stored <= places:
        return None
    return f"{stored} work-items store at {places} places; give each a place, or gate the STORE"
