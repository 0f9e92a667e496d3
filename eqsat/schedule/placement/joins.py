"""Kernels that store several arrays of one shape, because these read the same arrays, or one is computed from another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

from eqsat.ops import ACROSS, Op
from eqsat.schedule.placement.array_graph import ArrayGraph
from eqsat.schedule.placement.cone import READ, Cone
from eqsat.schedule.placement.cone_builder import ConeBuilder
from eqsat.schedule.placement.kernel_limits import KERNEL_BUFFERS, KERNEL_STORES
from eqsat.support.bits import bits_of, union

PAIRED = 4  # arrays of one shape that a kernel may store, each two of which are tried; of more, the first 2, 4 and 8 from each are tried
OVERLAPPING = 64  # arrays of one shape from each of which groups are tried; more are divided into blocks, and these into halves

_Reads = Mapping[int, set[int]]  # for each e-class that may be stored, the buffers that its kernel may read


def joined(builder: ConeBuilder, cones: Sequence[Cone], must: set[int]) -> list[Cone]:
    """The cones of kernels that store two or more of the arrays of `cones`, all of which are stored in any case; some of them if time is up."""
    graph = builder.graph
    alone = {cone.stores[0]: cone for cone in cones}
    reads = {c: {buffer for buffer in cone.reads if buffer >= 0} for c, cone in alone.items()}
    by_shape: dict[object, list[int]] = {}
    for c in sorted(reads):
        by_shape.setdefault(graph.shapes[c], []).append(c)
    there = must.union(map(graph.buffer.__getitem__, graph.inputs))
    groups: dict[tuple[int, ...], None] = {}
    for members in by_shape.values():
        tried = _blocks if len(members) > OVERLAPPING else _groups_from_each
        groups |= dict.fromkeys(tried(builder, alone, reads, members))
    stored = _classes_of(graph, must)
    return [
        builder.build(group)
        for group in takewhile(lambda _: not builder.is_over, groups)
        if len(set[int]().union(*(reads[c] for c in group)) & there) + len(group) <= KERNEL_BUFFERS
        and not _is_through_others(graph, group, stored)
    ]


def _groups_from_each(
    builder: ConeBuilder, alone: Mapping[int, Cone], reads: _Reads, members: Sequence[int]
) -> Iterator[tuple[int, ...]]:
    """Groups of e-classes of one shape that one kernel may store, some of them from each e-class on."""
    for place, one in takewhile(lambda _: not builder.is_over, enumerate(members)):
        group = [one]
        for other in members[place + 1 :]:
            if len(group) < KERNEL_STORES and all(_can_join(builder, alone, each, other) for each in group) and any(
                _shares(builder.graph, reads, each, other) for each in group
            ):  # fmt: skip
                group.append(other)
                if len(members) <= PAIRED:
                    yield one, other
                elif len(group) in (2, 4, 8):
                    yield tuple(group)
        if len(group) > 2:
            yield tuple(group)


def _blocks(
    builder: ConeBuilder, alone: Mapping[int, Cone], reads: _Reads, members: Sequence[int]
) -> Iterator[tuple[int, ...]]:
    """Disjoint groups of e-classes of one shape, each as large as a kernel may store, with their halves, quarters, and so on.

    An e-class joins the last group that reads or stores one of the buffers that it reads. So the time is proportional to the number of members.
    """
    last: dict[int, list[int]] = {}  # by buffer
    blocks: list[list[int]] = []
    for c in takewhile(lambda _: not builder.is_over, members):
        near = [last[buffer] for buffer in sorted(reads[c]) if buffer in last]
        fitting = (
            block
            for block in near
            if len(block) < KERNEL_STORES and all(_can_join(builder, alone, each, c) for each in block)
        )
        block = next(fitting, None)
        if block is None:
            block = list[int]()
            blocks.append(block)
        block.append(c)
        last |= dict.fromkeys((*reads[c], builder.graph.buffer[c]), block)
    for block in blocks:
        size = KERNEL_STORES
        while size > 1:
            parts = (tuple(block[start : start + size]) for start in range(0, len(block), size))
            yield from (part for part in parts if len(part) > 1)
            size //= 2


def joined_parts(builder: ConeBuilder, cones: Sequence[Cone], must: set[int]) -> list[Cone]:
    """The cones of kernels that store both members of a pair of reductions of parts, such as maxima and the sums of exponentials they scale."""
    alone = {cone.stores[0]: cone for cone in cones}
    pairs = [pair for pair in sorted(builder.candidates.pairs) if alone.keys() >= {*pair}]
    stored = _classes_of(builder.graph, must)
    return [
        builder.build(pair)
        for pair in pairs
        if _can_join(builder, alone, *pair) and not _is_through_others(builder.graph, pair, stored)
    ]


def joined_siblings(
    builder: ConeBuilder, cones: Sequence[Cone], must: set[int], others: Sequence[Cone]
) -> list[Cone]:
    """The cones of kernels that store several reductions of one shape that share operands and do not depend on each other.

    Not every choice stores them, but where one is worth storing, the others are, too: sums of the parts of one long axis, for instance. A
    kernel is left out if it and another one that stores several arrays would need each other.
    """
    graph = builder.graph
    reads = {
        cone.stores[0]: {buffer for buffer in cone.reads if buffer >= 0}
        for cone in cones
        if graph.ops[cone.stores[0]] & ACROSS
        and not must.issuperset(map(graph.buffer.__getitem__, cone.stores))
    }
    groups: list[list[int]] = []
    for c in sorted(reads, key=lambda c: (-len(reads[c]), c)):  # a kernel that reads most shares with most
        for group in groups:
            if (
                len(group) < KERNEL_STORES
                and graph.shapes[group[0]] == graph.shapes[c]
                and all(graph.are_apart(each, c) for each in group)
                and any(reads[each] & reads[c] for each in group)
            ):
                group.append(c)
                break
        else:
            groups.append([c])
    accepted: list[Sequence[int]] = [cone.stores for cone in others]
    for group in groups:
        if len(group) > 1 and not any(_need_each_other(graph, group, each) for each in accepted):
            accepted.append(group)
    return [builder.build(group) for group in accepted[len(others) :]]


def _need_each_other(graph: ArrayGraph, group: Sequence[int], other: Sequence[int]) -> bool:
    """Whether two groups of e-classes depend on each other, in both directions."""
    below, below_other = (union(graph.below[c] for c in each) for each in (group, other))
    return any(below >> c & 1 for c in other) and any(below_other >> c & 1 for c in group)


def _shares(graph: ArrayGraph, reads: _Reads, one: int, other: int) -> bool:
    """Whether two kernels read a common array, or `other` reads the array that `one` stores."""
    return bool(reads[one] & reads[other]) or graph.buffer[one] in reads[other]


def _can_join(builder: ConeBuilder, alone: Mapping[int, Cone], one: int, other: int) -> bool:
    """Whether one kernel can compute both e-classes: an element of one may depend on no other element of the other than the same one.

    An array that the program asks to have in memory, but does not return, has a kernel of its own, and others load it.
    """
    graph = builder.graph
    if graph.buffer[one] == graph.buffer[other] or {Op.SCATTER_AXIS} in (graph.ops[one], graph.ops[other]):
        return False
    start = builder.start(one)
    computed = builder.candidates.pair_members.union(graph.outputs)
    for high, low in ((one, other), (other, one)):
        same = (start, READ) if low in computed else (start,)
        if not alone[high].index_maps.get(low, set[int]()).issubset(same):
            return False
    return True


def _classes_of(graph: ArrayGraph, buffers: set[int]) -> int:
    """The e-classes in these buffers, as a bit mask."""
    return sum(1 << c for c in graph.classes if graph.buffer[c] in buffers)


def _is_through_others(graph: ArrayGraph, group: Sequence[int], stored: int) -> bool:
    """Whether an array of a group depends on another one through an array of another kernel, which would run both before and after the group's.

    `stored` is a bit mask of the e-classes that are stored in any case.
    """
    own = {graph.buffer[c] for c in group}
    below = union(graph.below[c] for c in group)
    members = sum(1 << c for c in group)
    return any(graph.below[c] & members and graph.buffer[c] not in own for c in bits_of(below & stored))
