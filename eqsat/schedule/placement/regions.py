"""The choice of kernels in independent parts: buffers that every solution stores cut it into regions, and equal regions are solved once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from eqsat.schedule.placement.array_graph import ArrayGraph
from eqsat.schedule.placement.cone import Cone
from eqsat.schedule.placement.cone_builder import ConeBuilder
from eqsat.schedule.placement.joins import joined, joined_parts, joined_siblings
from eqsat.support.bits import union
from eqsat.support.disjoint_sets import DisjointSets

# Kernels. In a larger program local memory may not save a buffer that all other choices store: such a buffer then separates regions.
MOST_KERNELS_SAVING_BUFFERS = 16


@dataclass(frozen=True, eq=False)
class Region:
    """Kernels that are chosen together.

    Attributes:
        cones: the cone of each kernel that may be chosen.
        roots: the buffers that must be stored.
        graph: the e-graph.
    """

    cones: tuple[Cone, ...]
    roots: tuple[int, ...]
    graph: ArrayGraph

    def stored(self, cone: Cone) -> list[int]:
        """The buffers that a kernel writes."""
        return [self.graph.buffer[c] for c in cone.stores]

    @cached_property
    def structures(self) -> list[Hashable]:
        """A key for each kernel; kernels that differ only in their buffers have equal keys."""
        patterns = [cone.pattern or cone for cone in self.cones]
        found = {pattern: self._structure_of(pattern) for pattern in dict.fromkeys(patterns)}
        return [found[pattern] for pattern in patterns]

    @cached_property
    def alike(self) -> list[int]:
        """For each kernel, the first kernel of the same structure."""
        first: dict[Hashable, int] = {}
        of_pattern: dict[Cone, int] = {}  # structures are large: each is hashed once
        for k, (cone, structure) in enumerate(zip(self.cones, self.structures, strict=True)):
            pattern = cone.pattern or cone
            if pattern not in of_pattern:
                of_pattern[pattern] = first.setdefault(structure, k)
        return [of_pattern[cone.pattern or cone] for cone in self.cones]

    def signature(self) -> Hashable:
        """A key that is equal for regions with the same kernels on other buffers."""
        numbers: dict[int, int] = {}
        for buffer in chain.from_iterable(map(self._buffers_of, self.cones)):
            numbers.setdefault(buffer, len(numbers))
        places = tuple(tuple(numbers[buffer] for buffer in self._buffers_of(cone)) for cone in self.cones)
        return tuple(numbers[root] for root in self.roots), places, tuple(self.structures)

    def _buffers_of(self, cone: Cone) -> list[int]:
        """The buffers that a kernel writes or reads, in the order of their first use."""
        return list(dict.fromkeys((*self.stored(cone), *(each for each in cone.reads if each >= 0))))

    def _structure_of(self, cone: Cone) -> Hashable:
        graph = self.graph
        numbers = {buffer: number for number, buffer in enumerate(self._buffers_of(cone))}
        return (
            tuple(numbers[buffer] for buffer in self.stored(cone)),
            tuple(cone.roots),
            tuple(cone.owner),
            tuple(map(tuple, cone.rows)),
            tuple(numbers.get(buffer, -1) for buffer in cone.reads),
            tuple(graph.term(kind.node) if kind.node >= 0 else kind.node for kind in cone.kinds),
            tuple((graph.shapes[c], graph.snapshot.class_dtype[c], at) for c, at in cone.elements),
        )


def regions(builder: ConeBuilder, *, joining: bool = True) -> list[Region]:
    """The regions of a program; with `joining`, some of their kernels store several arrays."""
    graph = builder.graph
    cones, writers = _cones(builder)
    required = [
        _required_reads(cone, with_local_memory=len(cones) <= MOST_KERNELS_SAVING_BUFFERS) for cone in cones
    ]
    must = _required_buffers(graph, writers, required)
    stored = [cones[k] for buffer in sorted(must) for k in writers.get(buffer, ())]
    together = [*joined(builder, stored, must), *joined_parts(builder, cones, must)] if joining else []
    together += joined_siblings(builder, cones, must, together) if joining else []
    for cone in together:
        for c in cone.stores:
            writers[graph.buffer[c]].append(len(cones))
        cones.append(cone)
    return _connected(graph, cones, writers, must)


def _cones(builder: ConeBuilder) -> tuple[list[Cone], dict[int, list[int]]]:
    """A cone for each e-class that may be stored and that the outputs may need, and the numbers of the kernels that write each buffer."""
    graph = builder.graph
    by_buffer: dict[int, list[int]] = {}
    for c in sorted(builder.candidates.storable):
        by_buffer.setdefault(graph.buffer[c], []).append(c)
    cones: list[Cone] = []
    writers: dict[int, list[int]] = {}
    agenda = [graph.buffer[c] for c in graph.outputs if graph.sizes[c]]
    while agenda:
        buffer = agenda.pop()
        if buffer in writers or buffer not in by_buffer:
            continue
        writers[buffer] = []
        for c in by_buffer[buffer]:
            writers[buffer].append(len(cones))
            cones.append(builder.build([c]))
            agenda += dict.fromkeys(each for each in cones[-1].reads if each >= 0)
    return cones, writers


def _required_reads(cone: Cone, *, with_local_memory: bool) -> int:
    """The buffers that all variants of a kernel read, as a bit mask; unless `with_local_memory`, all variants without local memory."""
    required = cone.required(with_local_memory=with_local_memory)
    needed = union(required[root] for root in cone.roots)
    return sum(1 << cone.reads[node] for owner, node in cone.read_nodes.items() if needed >> owner & 1)


def _required_buffers(graph: ArrayGraph, writers: dict[int, list[int]], required: list[int]) -> set[int]:
    """The buffers that every solution needs, inputs among them."""
    agenda = [graph.buffer[c] for c in graph.outputs if graph.sizes[c]]
    found: set[int] = set()
    while agenda:
        buffer = agenda.pop()
        if buffer in found:
            continue
        found.add(buffer)
        common = -1
        for k in writers.get(buffer, ()):
            common &= required[k]
        if common > 0:
            agenda += [each for each in range(common.bit_length()) if common >> each & 1]
    return found


def _connected(
    graph: ArrayGraph, cones: Sequence[Cone], writers: dict[int, list[int]], must: set[int]
) -> list[Region]:
    """The regions: kernels that write one buffer are in one region, as are all that write or read a buffer that need not be stored."""
    sets = DisjointSets(range(len(cones)))
    first: dict[int, int] = {}
    for k, cone in enumerate(cones):
        touched = {graph.buffer[c] for c in cone.stores}
        touched |= {
            buffer for buffer in cone.reads if buffer >= 0 and buffer not in must and buffer in writers
        }
        for buffer in touched:
            sets.merge(first.setdefault(buffer, k), k)
    groups: dict[int, list[int]] = {}
    for k in range(len(cones)):
        groups.setdefault(sets.representative(k), []).append(k)
    found: list[Region] = []
    for members in groups.values():
        own = tuple(cones[k] for k in members)
        roots = dict.fromkeys(graph.buffer[c] for cone in own for c in cone.stores if graph.buffer[c] in must)
        if roots:
            found.append(Region(own, tuple(roots), graph))
    return found
