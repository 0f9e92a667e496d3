"""Checks that each LOAD sees a definite content of its buffer, and that no content is overwritten by two launches.

A LOAD must read the content either before or after a STORE of the same kernel. Nodes of a kernel are ordered by AFTERs only. So a buffer that
is stored to may be read in two ways:

- through an AFTER of the STORE: what the same work-item has stored, and outside of the STORE's loops;
- in the value that the STORE writes: at exactly the place where it writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import gcd
from typing import NamedTuple

from eqsat.dtype import AddrSpace, PtrDType
from eqsat.integers.bounds import bounds
from eqsat.integers.linear import Affine, affine_forms
from eqsat.ops import TABLE, WORK_ITEMS, AxisType, Op
from eqsat.spec.control import LAUNCHED
from eqsat.spec.memory import ARRAYS_IN_MEMORY, definition
from eqsat.spec.programs import arguments_of, body_of, formals_of, is_kernel, stored_slots
from eqsat.spec.rule import Complaint, axis_type, range_number
from eqsat.spec.sources import BUFFERS, behind
from eqsat.uop import UOp, toposort

ITEMS = frozenset({AxisType.LOCAL, AxisType.WARP})  # axes of work-items that a BARRIER synchronizes
_COPIES = frozenset({AxisType.UPCAST, AxisType.UNROLL})  # all copies are stored before any is read


def one_content(nodes: Sequence[UOp]) -> Complaint:
    """Checks that no LOAD reads a buffer while a STORE of the same kernel writes to it."""
    stores = by_buffer(node for node in nodes if node.op is Op.STORE)
    loads = by_buffer(node for node in nodes if node.op is Op.LOAD)
    both = [buffer for buffer in stores if buffer in loads]
    kept = [node for node in nodes if node.op is Op.BUFFERIZE]
    waits = any(node.op is Op.AFTER for node in nodes)
    if not both and not waits and not kept:  # shortcut: most kernels do not read the buffers that they write
        return None
    every = [*kept, *(store for written in stores.values() for store in written)]
    below = {
        node: frozenset(toposort([node]))
        for node in (*every, *(each for buffer in both for each in loads[buffer]))
    }
    ended = ended_by(every, nodes)
    for buffer in both:
        for load in loads[buffer]:
            for store in stores[buffer]:
                complaint = _meeting(
                    buffer, store, load, ended[store], store in below[load], load in below[store]
                )
                if complaint is not None:
                    return load, complaint
    pairs = ((first, then) for then in every for first in every if first in below[then])
    return next(filter(None, (_one_loop(first, then, ended) for first, then in pairs)), None)


def ended_by(writes: Sequence[UOp], nodes: Sequence[UOp]) -> dict[UOp, tuple[UOp, ...]]:
    """The ranges that each STORE or BUFFERIZE ends, either itself or through an END around it."""
    ended = {node: node.src[TABLE[node.op].range_start :] for node in writes}
    for end in nodes:
        held = [end.src[0]] if end.op is Op.END else []
        while held:
            statement = held.pop()
            if statement in ended:
                ended[statement] += end.src[1:]
            elif statement.op is not Op.STORE:
                held += (source for source in statement.src if source.dtype.scalar.kind == "v")
    return ended


def _one_loop(first: UOp, then: UOp, ended: Mapping[UOp, tuple[UOp, ...]]) -> Complaint:
    """Checks that the write `then`, which depends on the write `first`, shares no serial loop with it.

    The loop of `first` must be over before `then` can use its result.
    """
    shared = [
        bound
        for bound in ended[then]
        if bound in ended[first] and axis_type(bound) not in WORK_ITEMS | _COPIES
    ]
    if first is then or not shared:
        return None
    return (
        then,
        f"it waits for {first!r}, which ends range {range_number(shared[0])} as it does; give it a loop of its own",
    )


def by_buffer(accesses: Iterable[UOp]) -> dict[UOp, list[UOp]]:
    """Groups LOADs or STOREs by the buffer that they access."""
    found: dict[UOp, list[UOp]] = {}
    for access in accesses:
        found.setdefault(definition(access.src[0]), []).append(access)
    return found


def _meeting(
    buffer: UOp, store: UOp, load: UOp, ended: tuple[UOp, ...], is_after: bool, is_before: bool
) -> str | None:
    """What is wrong with a LOAD of a buffer that a STORE writes to; None if nothing is.

    `is_after`: the LOAD depends on the STORE. `is_before`: the STORE depends on the LOAD. `ended`: the ranges that the STORE ends.
    """
    if never_meet(_elements(store, store.src[1]), _elements(load, load)):
        return None
    if not is_after and not is_before:
        return f"{store!r} writes to that buffer, and neither comes first; read it through AFTER(buffer, that STORE), or store to another buffer"
    same = place_of(store.src[0]) == place_of(load.src[0]) and load.dtype.lanes <= store.src[1].dtype.lanes
    written = written_for(store, ended)
    return (
        _after(buffer, store, load, written, same)
        if is_after
        else _before(buffer, store, load, written, same)
    )


def _elements(access: UOp, value: UOp) -> tuple[Affine, int] | None:
    return flat_place(access.src[0], value.dtype.lanes)


def never_meet(written: tuple[Affine, int] | None, read: tuple[Affine, int] | None) -> bool:
    """Whether two accesses surely touch different elements; False if either place is unknown (None).

    They do if one lies wholly before the other, or if their distance is no multiple of the common divisor of all steps.
    Each access is given as its first element and its number of lanes.
    """
    if written is None or read is None:
        return False
    (place, lanes), (other, others) = written, read
    (low, high), (other_low, other_high) = bounds(place.build()), bounds(other.build())
    if high + lanes <= other_low or other_high + others <= low:
        return True
    step, distance = (
        gcd(*(factor for _, factor in (*place.terms, *other.terms))),
        other.constant - place.constant,
    )
    return step > 0 and all((distance - each) % step for each in range(1 - others, lanes))


def _after(buffer: UOp, store: UOp, load: UOp, written: frozenset[UOp], same: bool) -> str | None:
    """Checks a LOAD that depends on a STORE: it must not read elements that other work-items have stored."""
    apart = LAUNCHED if space_of(buffer) is AddrSpace.LOCAL else WORK_ITEMS
    others = [bound for bound in written if axis_type(bound) in apart]
    if not others or (load.ranges.issuperset(others) and (same or _in_own_part(store, load, others))):
        return None
    return (
        f"{store!r} writes along {axis_type(others[0]).name} range {range_number(others[0])}, other work-items of which it does not wait for; "
        f"read what the same work-item has stored, at the same place, or in another kernel"
    )


def _in_own_part(store: UOp, load: UOp, others: Sequence[UOp]) -> bool:
    """Whether each work-item reads only inside the part of the buffer that it stores to.

    Parts begin at multiples of a step, and both accesses stay inside of the part.
    """
    places = [flat_place(store.src[0], store.src[1].dtype.lanes), flat_place(load.src[0], load.dtype.lanes)]
    begins, windows = set[frozenset[tuple[UOp, int]]](), set[int]()
    for place, lanes in filter(None, places):
        begin = frozenset(term for term in place.terms if term[0].ranges.intersection(others))
        step = gcd(*(factor for _, factor in begin))
        low, high = bounds(
            Affine(place.constant, tuple(term for term in place.terms if term not in begin)).build()
        )
        if not step or not frozenset[UOp]().union(*(atom.ranges for atom, _ in begin)).issuperset(others):
            return False
        begins.add(begin)
        windows |= {low // step, (high + lanes - 1) // step}
    return None not in places and len(begins) == 1 and len(windows) == 1


def flat_place(address: UOp, lanes: int) -> tuple[Affine, int] | None:
    """The position of the first accessed element in its buffer, as a linear form, and the number of accessed elements (`lanes`).

    None for an address other than an INDEX with scalar indices, such as a POINTER_INDEX or a PTRCAT.
    """
    address = behind(address)
    indices = [each for each in address.src[1:] if each.dtype.scalar.is_index]
    if address.op is not Op.INDEX or any(each.dtype.lanes > 1 for each in indices):
        return None
    forms, place = affine_forms(indices), Affine(0)
    for extent, each in zip(address.src[0].shape or (1,), indices, strict=False):
        place = place.times(extent).plus(forms[each])
    return place, lanes


def _before(buffer: UOp, store: UOp, load: UOp, written: frozenset[UOp], same: bool) -> str | None:
    """Checks a LOAD of elements that a STORE then overwrites.

    It must read exactly where the STORE writes, in the same iteration, and no other iteration may write there.
    """
    if space_of(buffer) is AddrSpace.LOCAL:  # after a BARRIER
        written -= {bound for bound in written if axis_type(bound) in ITEMS}
        same = same or not written & load.ranges
        written &= load.ranges
    again = sorted(written - store.src[0].ranges, key=range_number)
    if same and not again:
        return None
    if same:
        return f"{store!r} writes there in each iteration of range {range_number(again[0])}; REDUCE over that, or give each iteration a place"
    return f"{store!r} writes to that buffer at other places, which other iterations read; store to another buffer"


def written_for(store: UOp, ended: Iterable[UOp]) -> frozenset[UOp]:
    """The ranges over which a STORE writes: the ranges that it ends and, for global memory, those that its address or value varies with."""
    address, value = store.src[:2]
    if space_of(definition(address)) is not AddrSpace.GLOBAL:
        return frozenset(ended)
    return address.ranges.union(value.ranges, ended)


def space_of(buffer: UOp) -> AddrSpace:
    """The address space of a buffer."""
    return buffer.dtype.space if isinstance(buffer.dtype, PtrDType) else AddrSpace.GLOBAL


def place_of(address: UOp) -> tuple[object, ...]:
    """A key for the place of an address in its buffer. AFTERs and gates make no difference."""
    address = behind(address)
    if address.op in BUFFERS:
        return ()
    if address.op is Op.INDEX:
        axes = behind(address.src[0], (Op.AFTER,))
        shape = axes.arg if axes.op is Op.RESHAPE else None
        return (shape, *(each for each in address.src[1:] if not each.dtype.scalar.is_bool))
    if address.op is Op.POINTER_INDEX:
        return (place_of(address.src[0]), address.src[1])
    return tuple(map(place_of, address.src))


def one_writer(nodes: Iterable[UOp]) -> Complaint:
    """Checks that no two launches of a program overwrite the same content of a buffer, or of overlapping parts of it.

    A second launch must write to AFTER(buffer, the first launch).
    """
    content: dict[UOp, _Content] = {}
    written: dict[tuple[UOp, int], list[tuple[UOp, _Content]]] = {}
    # (launch, buffer) -> number of launches that have written the buffer once this launch is done
    latest: dict[tuple[UOp, UOp], int] = {}
    for node in nodes:
        for given in _written_by(node):
            mine = content[given]
            others = written.setdefault((mine.buffer, mine.number), [])
            other = next((each for each, part in others if each is not node and mine.meets(part)), None)
            if other is not None:
                return (
                    node,
                    f"{other!r} writes over the same content of {mine.buffer!r}; order them: pass AFTER(buffer, that launch)",
                )
            others.append((node, mine))
            latest[node, mine.buffer] = mine.number + 1
        content[node] = _content_of(node, content, latest)
    return None


class _Content(NamedTuple):
    """The content of a part of a buffer: elements `begin` to `end` - 1, after `number` launches have written the buffer."""

    buffer: UOp
    number: int
    begin: int
    end: int

    def meets(self, other: _Content) -> bool:
        """Whether two parts of one buffer share an element."""
        return self.begin < other.end and other.begin < self.end


def _content_of(
    node: UOp, content: Mapping[UOp, _Content], latest: Mapping[tuple[UOp, UOp], int]
) -> _Content:
    if node.op is Op.BUFFER_VIEW:
        whole, (size, offset) = content[node.src[0]], node.arg
        return whole._replace(begin=whole.begin + offset, end=whole.begin + offset + size)
    if node.op is Op.AFTER:
        whole = content[node.src[0]]
        waited = (
            latest.get(
                (each, whole.buffer), content[each].number if content[each].buffer is whole.buffer else 0
            )
            for each in node.src[1:]
        )
        return whole._replace(number=max((whole.number, *waited)))
    return _Content(node, 0, 0, node.elements if node.op in ARRAYS_IN_MEMORY else 0)


def _written_by(node: UOp) -> list[UOp]:
    """The arguments that a launch overwrites; none if the node does not launch a kernel."""
    if node.op not in (Op.CALL, Op.KERNEL) or not is_kernel(body_of(node)):
        return []
    passed = dict(zip(formals_of(node), arguments_of(node), strict=True))
    return [passed[slot] for slot in stored_slots(body_of(node))]
