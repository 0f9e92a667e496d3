"""Kernels that compute several stored arrays of one shape together, because they share what they read, or one of them is made of another."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from eqsat.ops import ALONG_AXES, Op
from eqsat.schedule.placement.array_graph import ArrayGraph
from eqsat.schedule.placement.candidates import KERNEL_BUFFERS
from eqsat.schedule.placement.cone import READ, Cone
from eqsat.schedule.placement.cone_builder import ConeBuilder

MOST_TOGETHER = 16  # arrays of one kernel


def joined(builder: ConeBuilder, cones: Sequence[Cone], must: set[int]) -> list[Cone]:
    """The cones of kernels that store two or more of these arrays, all of which are stored in any case."""
    graph = builder.graph
    alone = {cone.stores[0]: cone for cone in cones}
    reads = {c: {buffer for buffer in cone.reads if buffer >= 0} for c, cone in alone.items()}
    by_shape: dict[object, list[int]] = {}
    for c in sorted(reads):
        by_shape.setdefault(graph.shapes[c], []).append(c)
    there = must.union(map(graph.buffer.__getitem__, graph.inputs))
    groups: dict[tuple[int, ...], None] = {}
    for members in by_shape.values():
        for place, one in enumerate(members):
            group = [one]
            for other in members[place + 1 :]:
                if len(group) < MOST_TOGETHER and all(_can_join(builder, alone, each, other) for each in group) and any(
                    _shares(graph, reads, each, other) for each in group
                ):  # fmt: skip
                    groups[one, other] = None
                    group.append(other)
            if len(group) > 2:
                groups[tuple(group)] = None
    return [
        builder.build(group)
        for group in groups
        if len(set[int]().union(*(reads[c] for c in group)) & there) + len(group) <= KERNEL_BUFFERS
        and not _is_through_others(graph, group, must)
    ]


def joined_parts(builder: ConeBuilder, cones: Sequence[Cone], must: set[int]) -> list[Cone]:
    """The cones of kernels that store both results of parts, such as the greatest elements and sums of exponentials that these keep small."""
    alone = {cone.stores[0]: cone for cone in cones}
    pairs = [pair for pair in sorted(builder.candidates.pairs) if alone.keys() >= {*pair}]
    return [
        builder.build(pair)
        for pair in pairs
        if _can_join(builder, alone, *pair) and not _is_through_others(builder.graph, pair, must)
    ]


def joined_siblings(
    builder: ConeBuilder, cones: Sequence[Cone], must: set[int], others: Sequence[Cone]
) -> list[Cone]:
    """The cones of kernels that store several reductions of one shape that share what they read, none of which is made of another.

    Not every choice stores them, but where one is worth storing the others are: sums that parts of one long axis are reduced to, for instance.
    There is none that would need one of the others that store several, and be needed by it.
    """
    graph = builder.graph
    reads = {
        cone.stores[0]: {buffer for buffer in cone.reads if buffer >= 0}
        for cone in cones
        if graph.ops[cone.stores[0]] & ALONG_AXES
        and not must.issuperset(map(graph.buffer.__getitem__, cone.stores))
    }
    groups: list[list[int]] = []
    for c in sorted(reads, key=lambda c: (-len(reads[c]), c)):  # what reads most shares with most
        for group in groups:
            if (
                len(group) < MOST_TOGETHER
                and graph.shapes[group[0]] == graph.shapes[c]
                and all(_is_apart(graph, each, c) for each in group)
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
    """Whether some of each of two groups are made of some of the other."""
    below, below_other = (reduce(int.__or__, (graph.below[c] for c in each)) for each in (group, other))
    return any(below >> c & 1 for c in other) and any(below_other >> c & 1 for c in group)


def _is_apart(graph: ArrayGraph, one: int, other: int) -> bool:
    """Whether neither of two e-classes is made of the other."""
    is_made = graph.below[one] >> other & 1 or graph.below[other] >> one & 1
    return not is_made and graph.buffer[one] != graph.buffer[other]


def _shares(graph: ArrayGraph, reads: dict[int, set[int]], one: int, other: int) -> bool:
    """Whether two kernels read one array, or one reads what the other stores."""
    return bool(reads[one] & reads[other]) or graph.buffer[one] in reads[other]


def _can_join(builder: ConeBuilder, alone: dict[int, Cone], one: int, other: int) -> bool:
    """Whether one kernel can compute both, each element of one from the same of the other at most.

    What a program asks to have in memory, and does not return, has a kernel of its own, and is read by the others.
    """
    graph = builder.graph
    if graph.buffer[one] == graph.buffer[other] or {Op.SCATTER_AXIS} in (graph.ops[one], graph.ops[other]):
        return False
    start = builder.start(one)
    computed = builder.candidates.parts.union(graph.outputs)
    for high, low in ((one, other), (other, one)):
        same = (start, READ) if low in computed else (start,)
        if any(c == low and at not in same for c, at in alone[high].places):
            return False
    return True


def _is_through_others(graph: ArrayGraph, group: Sequence[int], must: set[int]) -> bool:
    """Whether some array of a group is made of another one through an array that is stored by another kernel, which would run before and after it."""
    own = {graph.buffer[c] for c in group}
    below = reduce(int.__or__, (graph.below[c] for c in group))
    members = sum(1 << c for c in group)
    return any(
        graph.buffer[c] in must - own and below >> c & 1 and graph.below[c] & members for c in graph.classes
    )
