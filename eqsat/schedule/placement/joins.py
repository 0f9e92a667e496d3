"""Kernels that compute several stored arrays of one shape together, because they share what they read, or one of them is made of another."""

from __future__ import annotations

from collections.abc import Sequence

from eqsat.schedule.placement.array_graph import ArrayGraph
from eqsat.schedule.placement.candidates import KERNEL_BUFFERS
from eqsat.schedule.placement.cone import READ, Cone
from eqsat.schedule.placement.cone_builder import ConeBuilder

MOST_TOGETHER = 8  # arrays of one kernel


def joined(builder: ConeBuilder, cones: Sequence[Cone], must: set[int]) -> list[Cone]:
    """The cones of kernels that store two or more of these arrays, all of which are stored in any case."""
    graph = builder.graph
    alone = {cone.stores[0]: cone for cone in cones}
    reads = {c: {buffer for buffer in cone.reads if buffer >= 0} for c, cone in alone.items()}
    by_shape: dict[object, list[int]] = {}
    for c in sorted(reads):
        by_shape.setdefault(graph.shapes[c], []).append(c)
    groups: dict[tuple[int, ...], None] = {}
    for members in by_shape.values():
        for place, one in enumerate(members):
            group = [one]
            for other in members[place + 1 :]:
                if len(group) < MOST_TOGETHER and all(_can_join(builder, alone, each, other, must) for each in group) and any(
                    _shares(graph, reads, each, other) for each in group
                ):  # fmt: skip
                    groups[one, other] = None
                    group.append(other)
            if len(group) > 2:
                groups[tuple(group)] = None
    return [
        builder.build(group)
        for group in groups
        if len(set[int]().union(*(reads[c] for c in group))) + len(group) <= KERNEL_BUFFERS
    ]


def joined_parts(builder: ConeBuilder, cones: Sequence[Cone], must: set[int]) -> list[Cone]:
    """The cones of kernels that store both results of parts, such as the greatest elements and sums of exponentials that these keep small."""
    alone = {cone.stores[0]: cone for cone in cones}
    pairs = [pair for pair in sorted(builder.candidates.pairs) if alone.keys() >= {*pair}]
    return [builder.build(pair) for pair in pairs if _can_join(builder, alone, *pair, must, (READ,))]


def _shares(graph: ArrayGraph, reads: dict[int, set[int]], one: int, other: int) -> bool:
    """Whether two kernels read one array, or one reads what the other stores."""
    return bool(reads[one] & reads[other]) or graph.buffer[one] in reads[other]


def _can_join(
    builder: ConeBuilder,
    alone: dict[int, Cone],
    one: int,
    other: int,
    must: set[int],
    besides: tuple[int, ...] = (),
) -> bool:
    """Whether one kernel can compute both, each element of one from the same of the other at most, or at index maps `besides`.

    It cannot where one needs the other through a third array that is stored: no kernel can run both before and after that.
    """
    graph = builder.graph
    if graph.buffer[one] == graph.buffer[other]:
        return False
    start = builder.start(one)
    for high, low in ((one, other), (other, one)):
        if any(c == low and at not in (start, *besides) for c, at in alone[high].places):
            return False
    for high, low in ((one, other), (other, one)):
        if graph.below[high] >> low & 1 and any(
            graph.below[high] >> between & 1 and graph.below[between] >> low & 1
            for between in graph.classes
            if graph.buffer[between] in must
            and graph.buffer[between] not in (graph.buffer[one], graph.buffer[other])
        ):
            return False
    return True
