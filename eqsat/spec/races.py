"""Checks for races: no element may be stored to by several work-items, or by several unordered STOREs, even if all store the same value.

A STORE that combines does so once for each iteration of the ranges that it ends, one after another. So these may not be work-items, lanes or
copies that share an element.

STOREs in the same loops are ordered: each iteration runs them in the order of the SINK. Other STOREs are ordered by AFTERs only.

If the place and the gates of a STORE take few enough iterations, each of them is evaluated. Otherwise only certain races are reported:
more work-items than places, and STOREs without gates to the same place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import gcd, prod

import numpy as np
from numpy.typing import NDArray

from eqsat.dtype import AddrSpace
from eqsat.integers.bounds import bounds
from eqsat.integers.linear import Affine
from eqsat.integers.values import values_along
from eqsat.ops import ABREAST, WORK_ITEMS, AxisType, Op
from eqsat.spec.contents import ITEMS, by_buffer, ended_by, flat_place, never_meet, place_of, space_of
from eqsat.spec.memory import definition
from eqsat.spec.rule import Complaint, axis_type, range_number
from eqsat.spec.sources import behind
from eqsat.uop import UOp, toposort

# For each memory, the axis types whose iterations run at once and share it.
_SHARING: dict[AddrSpace, frozenset[AxisType]] = {
    AddrSpace.GLOBAL: WORK_ITEMS,
    AddrSpace.LOCAL: ITEMS,
    AddrSpace.REG: frozenset(),
}
_COUNTERS = (Op.RANGE, Op.SPECIAL)
_MOST_POINTS = 1 << 14  # most iterations of a STORE that are evaluated one by one


def one_store(nodes: Sequence[UOp]) -> Complaint:
    """Checks that each element is stored to by one work-item only, and by one STORE after another."""
    stored = [node for node in nodes if node.op is Op.STORE]
    repeated = ended_by([node for node in stored if node.arg is not None], nodes)
    stores = [_Store.of(node, repeated.get(node, ())) for node in stored]
    for each in stores:
        text = _of_copies(each.node, repeated.get(each.node, ())) or each.of_several_items()
        if text is not None:
            return each.node, text
    loops: dict[UOp, frozenset[UOp]] = {}
    for first, second in _pairs(stores, nodes):
        if not first.meets(second):
            continue
        loops = loops or serial_loops(nodes)
        if loops[first.node] != loops[second.node]:
            return (
                second.node,
                f"{first.node!r} stores to the same place, and neither comes first; store to AFTER(buffer, that STORE), or STORE once",
            )
        if first.races_with(second):
            return (
                second.node,
                f"{first.node!r} stores to the same place in other work-items; give each a place, or STORE once",
            )
    return None


def _of_copies(store: UOp, repeated: Sequence[UOp]) -> str | None:
    """Why lanes or copies of a STORE that combines over the ranges `repeated` share an element; None if they do not."""
    if store.arg is None:
        return None
    beside = store.ranges.union(repeated) - store.src[0].ranges
    again = next((bound for bound in beside if axis_type(bound) in ABREAST), None)
    if again is None:
        return None
    return f"it combines at one place for all of {axis_type(again).name} range {range_number(again)}; REDUCE over that first"


def serial_loops(nodes: Sequence[UOp]) -> dict[UOp, frozenset[UOp]]:
    """The LOOP ranges that each STORE ends."""
    ended = ended_by([node for node in nodes if node.op is Op.STORE], nodes)
    return {
        node: frozenset(each for each in bounds if axis_type(each) is AxisType.LOOP)
        for node, bounds in ended.items()
    }


def _pairs(stores: Sequence[_Store], nodes: Sequence[UOp]) -> Iterator[tuple[_Store, _Store]]:
    """The pairs of plain STOREs into one buffer of which neither waits for the other. `nodes` are in topological order.

    A STORE is plain if it has no operation that combines.
    """
    of_node = {each.node: each for each in stores}
    buffers = [
        plain for plain in by_buffer(node for node in of_node if node.arg is None).values() if len(plain) > 1
    ]
    if not buffers:
        return
    own = {node: 1 << number for number, node in enumerate(of_node)}
    reached: dict[UOp, int] = {}  # bit mask of the STOREs that each node depends on, itself included
    for node in nodes:
        known = own.get(node, 0)
        for each in node.src:
            known |= reached[each]
        reached[node] = known
    for plain in buffers:
        for first, second in combinations(plain, 2):
            if not (reached[first] & own[second] or reached[second] & own[first]):
                yield of_node[first], of_node[second]


@dataclass(frozen=True, eq=False)
class _Store:
    """A STORE and what decides which elements it stores to.

    Attributes:
        node: the STORE.
        gates: conditions under which it stores.
        place: the position of its first element in the buffer, and the number of lanes; None if the address is not one scalar INDEX.
        items: the ranges or coordinates of work-items that the place or the value varies with, or over which it combines. Along any other,
            only one work-item stores.
    """

    node: UOp
    gates: tuple[UOp, ...]
    place: tuple[Affine, int] | None
    items: tuple[UOp, ...]

    @staticmethod
    def of(node: UOp, repeated: Sequence[UOp]) -> _Store:
        """A STORE, which combines over the ranges `repeated`."""
        address, value, *more = node.src
        space, varying = space_of(definition(address)), address.ranges.union(value.ranges, repeated)
        items = (
            each
            for each in toposort([address, value, *repeated])
            if (each in varying or each.op is Op.SPECIAL)
            and _is_shared(each, space)
            and bounds(each.src[0])[1] > 1
        )
        index = behind(address)
        gates = (
            each
            for each in (*(index.src[1:] if index.op is Op.INDEX else ()), *more)
            if each.dtype.scalar.is_bool
        )
        in_order = sorted(items, key=lambda each: str(each.arg))  # so all STOREs number work-items alike
        return _Store(node, tuple(gates), flat_place(address, value.dtype.lanes), tuple(in_order))

    def of_several_items(self) -> str | None:
        """Why several work-items certainly store to one element; None if that is not certain."""
        if not self.items or self._are_apart():
            return None
        address = self.node.src[0]
        alone = next(
            (each for each in self.items if each.op is Op.RANGE and each not in address.ranges), None
        )
        if alone is not None and not self.gates:
            which = f"{axis_type(alone).name} range {range_number(alone)}"
            what = "stores its own value" if self.node.arg is None else "combines"
            return f"each iteration of {which} {what} at the same place; give each a place, REDUCE over that, or gate the STORE"
        told = self._elements
        if told is not None:
            return _repeated(*told)
        if self.gates:
            return None
        if self.place is None or any(bound.src[0].op is not Op.CONST for bound in self.items):
            return None
        place, _ = self.place
        (first, last), step = bounds(place.build()), gcd(*(factor for _, factor in place.terms)) or 1
        places, stored = (last - first) // step + 1, prod(bound.src[0].arg for bound in self.items)
        if stored <= places:
            return None
        return f"{stored} work-items store at {places} places; give each a place, or gate the STORE"

    def meets(self, other: _Store) -> bool:
        """Whether this STORE and another certainly store to a common element."""
        if never_meet(self.place, other.place):
            return False
        mine, others = self._elements, other._elements
        if mine is not None and others is not None:
            return bool(np.intersect1d(mine[0], others[0]).size)
        same = place_of(self.node.src[0]) == place_of(other.node.src[0])
        return same and not self.gates and not other.gates

    def races_with(self, other: _Store) -> bool:
        """Whether different work-items store to an element that this STORE and another share. Both are in the same loops.

        If the two vary with different axes of work-items, this is assumed; otherwise it must be certain.
        """
        if set(self.items) != set(other.items):
            return True
        mine, others = self._elements, other._elements
        if not self.items or mine is None or others is None:
            return False
        both = (np.concatenate(each) for each in zip(mine, others, strict=True))
        return _repeated(*both) is not None

    def _are_apart(self) -> bool:
        """Whether each iteration surely has a place of its own: each step exceeds all that the ranges with smaller steps reach together."""
        if self.place is None:
            return False
        place, reach = self.place
        for atom, factor in sorted(place.terms, key=lambda term: abs(term[1])):
            if atom.op not in _COUNTERS or atom.src[0].op is not Op.CONST or abs(factor) < reach:
                return False
            reach += (atom.src[0].arg - 1) * abs(factor)
        return {atom for atom, _ in place.terms}.issuperset(self.items)

    @cached_property
    def _elements(self) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """The elements that are stored to, and for each of them the number of the work-item that stores it.

        None if there are too many iterations, or if the place or a gate does not depend on ranges and coordinates alone.
        """
        if self.place is None:
            return None
        place, lanes = self.place[0].build(), self.place[1]
        within = [each for each in toposort([place, *self.gates, *self.items]) if each.op in _COUNTERS]
        extents = [bound.src[0].arg if bound.src[0].op is Op.CONST else _MOST_POINTS + 1 for bound in within]
        count = prod(extents)
        if not 0 < count <= _MOST_POINTS:
            return None
        points: dict[UOp, NDArray[np.int64]] = {}
        rest, item = np.arange(count), np.zeros(count, np.int64)
        for each, extent in zip(within, extents, strict=True):
            points[each], rest = rest % extent, rest // extent
        for each in self.items:
            item = item * each.src[0].arg + points[each]
        found = values_along([place, *self.gates], points)
        if found is None:
            return None
        held = np.ones(count, bool)
        for gate in found[1:]:
            held &= gate
        first = np.broadcast_to(found[0], held.shape)[held]
        return (first[:, None] + np.arange(lanes)).ravel(), np.repeat(item[held], lanes)


def _is_shared(counter: UOp, space: AddrSpace) -> bool:
    """Whether iterations of a range, or work-items along a coordinate, store at once into one memory."""
    if counter.op is Op.SPECIAL:
        return space is AddrSpace.GLOBAL or (space is AddrSpace.LOCAL and counter.arg.startswith("lid"))
    return axis_type(counter) in _SHARING[space]


def _repeated(elements: NDArray[np.int64], items: NDArray[np.int64]) -> str | None:
    """The complaint about an element that several work-items store to; None if there is no such element."""
    stored = list(zip(elements.tolist(), items.tolist(), strict=True))
    owner = dict(stored)
    shared = next((element for element, item in stored if owner[element] != item), None)
    if shared is None:
        return None
    return f"several work-items store to element {shared}; give each a place, or gate the STORE"
