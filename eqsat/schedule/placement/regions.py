"""The choice of kernels in independent parts: buffers that every solution stores cut it into regions, and equal regions are solved once."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from eqsat.schedule.placement.array_graph import ArrayGraph
from eqsat.schedule.placement.cone import Cone
from eqsat.schedule.placement.cone_builder import ConeBuilder
from eqsat.schedule.placement.joins import joined, joined_parts, joined_siblings
from eqsat.support.bits import bits_of, union
from eqsat.support.disjoint_sets import DisjointSets


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
    must = _required_buffers(graph, cones, writers)
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


def _required_buffers(graph: ArrayGraph, cones: Sequence[Cone], writers: Mapping[int, list[int]]) -> set[int]:
    """The buffers that every solution needs, inputs among them."""
    required: dict[int, int] = {}  # by buffer: itself and what all kernels that write it need, as bits
    for buffer in _in_order(cones, writers):
        common = -1
        for k in writers.get(buffer, ()):
            common &= _required_by(cones[k], required)
        required[buffer] = 1 << buffer | max(common, 0)
    outputs = (graph.buffer[c] for c in graph.outputs if graph.sizes[c])
    return set(bits_of(union(required.get(buffer, 1 << buffer) for buffer in outputs)))


def _in_order(cones: Sequence[Cone], writers: Mapping[int, list[int]]) -> Iterator[int]:
    """The buffers that kernels write and read: each after those that its kernels read, if these do not need it in turn."""
    met: set[int] = set()
    agenda = [(buffer, False) for buffer in writers]
    while agenda:
        buffer, is_left = agenda.pop()
        if is_left:
            yield buffer
        elif buffer not in met:
            met.add(buffer)
            agenda.append((buffer, True))
            agenda += ((each, False) for k in writers.get(buffer, ()) for each in cones[k].reads if each >= 0)


def _required_by(cone: Cone, required: Mapping[int, int]) -> int:
    """The buffers that all variants of a kernel need, directly or not, as a bit mask; `required` has what buffers need, as far as it is known."""
    own = [required.get(buffer, 1 << buffer) if buffer >= 0 else 0 for buffer in cone.reads]
    common = cone.common(own)
    return union(common[root] for root in cone.roots)


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
