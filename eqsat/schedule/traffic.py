"""Bytes that a kernel moves through each level of the memory hierarchy.

Walking the loops from the innermost out, the elements touched grow; up to the loop at which they still fit a cache, what was fetched
into it is used again for nothing, and every loop further out fetches it anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eqsat.schedule.device import DeviceDescription
from eqsat.schedule.profile import Profile

LINE_BYTES = 64


@dataclass(frozen=True, slots=True)
class Loops:
    """A tiling in numbers, by range: lanes, copies, iterations of the outer loop, and of the outer and serial loops together.

    `parallel` is the mask of ranges whose outer loop is spread over `groups` work-items.
    """

    lanes: tuple[int, ...]
    copies: tuple[int, ...]
    outer: tuple[int, ...]
    steps: tuple[int, ...]
    parallel: int
    groups: int


def memory_seconds(
    kernel: Profile, order: Sequence[int], loops: Loops, busy: float, device: DeviceDescription
) -> float:
    """The slowest of the three transfers: from level 2, from level 3 (by the busiest core, which does `busy` of all), from memory."""
    nest = _nest(kernel, order, loops)
    spans = [
        min(lanes * copies, extent)
        for lanes, copies, extent in zip(loops.lanes, loops.copies, kernel.extents, strict=True)
    ]
    footprints = [_footprints(kernel, spans)]
    for position, iterations in nest:
        if sum(footprints[-1].values()) > device.cache_bytes[2]:
            break
        spans[position] = min(spans[position] * iterations, kernel.extents[position])
        footprints.append(_footprints(kernel, spans))
    level2, level3, memory = (_traffic(kernel, nest, footprints, size, loops) for size in device.cache_bytes)
    per_cycle = device.cache_bytes_per_cycle
    core = busy / device.frequency
    return max(level2 * core / per_cycle[0], level3 * core / per_cycle[1], memory / device.bandwidth)


def _nest(kernel: Profile, order: Sequence[int], loops: Loops) -> list[tuple[int, int]]:
    """Loops as (range, iterations), the innermost first."""
    inner = [
        (position, steps) for position, steps in enumerate(loops.steps) if not loops.parallel >> position & 1
    ]
    serial = [(position, loops.steps[position] // loops.outer[position]) for position in order]
    parallel = [(position, loops.outer[position]) for position in order]
    return [loop for loop in reversed([*parallel, *serial, *inner]) if loop[1] > 1]


def _traffic(kernel: Profile, nest: Sequence[tuple[int, int]], footprints: Sequence[dict[int, int]], capacity: int,
             loops: Loops) -> float:  # fmt: skip
    """Bytes that cross into a cache of `capacity`."""
    level = 0
    while level + 1 < len(footprints) and sum(footprints[level + 1].values()) <= capacity:
        level += 1
    total = 0.0
    for buffer, size in footprints[level].items():
        depends, sits = kernel.buffer_masks[buffer]
        repeats = 1
        for distance, (position, iterations) in enumerate(nest[level:]):
            stays = distance == 0 and not depends >> position & 1 and size <= capacity / 2
            if not stays and (sits | loops.parallel) >> position & 1:
                repeats *= iterations
        total += size * repeats
    return total


def _footprints(kernel: Profile, spans: Sequence[int]) -> dict[int, int]:
    """Bytes of cache that each buffer takes while the ranges run over these spans."""
    found: dict[int, int] = {}
    for access in kernel.accesses:
        run = lines = 1
        for position, stride in access.strides.items():
            if stride == 1 or stride == -1:
                run *= spans[position]
            else:
                lines *= spans[position]
        for position in access.scattered:
            lines *= spans[position]
        whole = access.size * access.itemsize
        size = min(lines * max(run * access.itemsize, min(LINE_BYTES, whole)), whole)
        if size > found.get(access.buffer, 0):
            found[access.buffer] = size
    return found
