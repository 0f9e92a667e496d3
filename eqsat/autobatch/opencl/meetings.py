"""Meetings: blocks that read large shared arrays or call custom functions, which are computed outside of the kernel for all members that wait there.

A product of one member's vector with a shared matrix reads the matrix once for each member. For all members that wait at the block together,
it is one product of two matrices. A custom function may run on the host, such as the sorting of a long axis.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqsat.array.data import parametrize
from eqsat.autobatch.regions import Region
from eqsat.batching import batched, members_of
from eqsat.ops import Op
from eqsat.pipeline import compilation
from eqsat.pipeline.planning.plan import Plan
from eqsat.pipeline.programs.program import Program
from eqsat.uop import UOp, toposort

# Summands in a member's largest sum, at least: they take a work-item about 50 µs, as long as a launch with its overhead
_FEWEST_SUMMANDS = 1 << 16
_FEWEST_SHARED = 1 << 12  # elements, at least, of the largest array that all members read
_SIZES = (128, 16)  # members in one product: few sizes, since each is a program of its own
_FULL_ENOUGH = 48  # the first size is used for more than this many members


def is_meeting(region: Region) -> bool:
    """Whether members compute a region together.

    They do if it has a large sum that depends on the member and reads a large shared array, or if it calls a custom function.
    """
    nodes = toposort([region.graph])
    shared = max((node.arg for node in nodes if node.op is Op.BUFFER), default=0)
    is_large = shared >= _FEWEST_SHARED and summands_of(region) >= _FEWEST_SUMMANDS
    return is_large or any(node.op is Op.CUSTOM_FUNCTION for node in nodes)


def summands_of(region: Region) -> int:
    """The number of elements in the largest reduction that depends on the member."""
    own: set[UOp] = set()
    most = 0
    for node in toposort([region.graph]):
        if node.op is Op.PARAM or not own.isdisjoint(node.src):
            own.add(node)
            if node.op is Op.REDUCE_AXIS:
                most = max(most, node.src[0].elements)
    return most


class Meeting:
    """Computes a region for several members at once."""

    def __init__(self, region: Region, plan: Plan) -> None:
        self.region = region
        self._plan = plan
        self._sink, self._shared = parametrize(region.graph, len(region.reads))
        self._programs: dict[int, Program] = {}

    def answers(self, requests: Sequence[NDArray[Any]], count: int) -> list[NDArray[Any]]:
        """The values of the region for the values that each of `count` members reads; all arrays have the members on axis 0."""
        parts = [
            self._part(requests, np.arange(start, start + size) % count) for start, size in _parts(count)
        ]
        return [np.concatenate(values)[:count] for values in zip(*parts, strict=True)]

    def _part(self, requests: Sequence[NDArray[Any]], members: NDArray[Any]) -> Sequence[NDArray[Any]]:
        return self._program(len(members)).run([*(each[members] for each in requests), *self._shared])

    def _program(self, size: int) -> Program:
        if size not in self._programs:
            members = {
                node: members_of(node, size)
                for node in toposort([self._sink])
                if node.op is Op.PARAM and node.arg[0] < len(self.region.reads)
            }
            graph = UOp.sink(*batched(self._sink.src, members, size))
            self._programs[size] = compilation.compile(graph, self._plan)
        return self._programs[size]


def _parts(count: int) -> Iterator[tuple[int, int]]:
    """The first member and the size of each part; copies of other members fill up the last."""
    if count == 1:
        yield 0, 1
        return
    start = 0
    while start < count:
        size = _SIZES[0] if count - start > _FULL_ENOUGH else _SIZES[1]
        yield start, size
        start += size
