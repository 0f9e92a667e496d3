"""The candidate work-groups: which ranges the items of a group share, along one coordinate or two.

Two ranges may share a coordinate if no value varies with both of them. Outputs are assigned first. Reductions that do not vary with these
outputs, and loops that fill local memory, then share the same coordinate; otherwise all items would do the same work there.

Numbers of items are powers of two, so that reductions need few rounds. Where the tiles of all items do not divide a range, each element of
the last tile is stored by one item only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from eqsat.machine import Machine
from eqsat.ops import AxisType
from eqsat.schedule.cost.groups import ITEM_BYTES
from eqsat.schedule.cost.profile import Profile, mask_of
from eqsat.schedule.tiling import Tilings

Shape = tuple[int, int]  # items along the fast and the slow coordinate
Shared = tuple[int, ...]  # ranges that share a coordinate


def with_groups(kernel: Profile, device: Machine, bodies: Tilings) -> Tilings:
    """These bodies, and each of them with every group that fits it; the bodies alone on devices that prefer single work-items."""
    if not device.has_groups or not len(bodies):
        return bodies
    tile = bodies.lanes * bodies.copies
    rows, items, slow = [np.arange(len(bodies))], [bodies.items], [bodies.slow]
    for shape, shared in _groups(kernel, device):
        of_each = np.ones(len(kernel.extents))
        for size, positions in zip(shape, shared, strict=True):
            of_each[list(positions)] = size
        is_slow = np.zeros(len(of_each), bool)
        is_slow[list(shared[1])] = True
        whole = bodies.extents % (tile * of_each) == 0
        fits = (of_each == 1) | whole | ((tile * of_each <= bodies.extents) & (bodies.lanes == 1))
        fitting = np.flatnonzero(fits.all(axis=1))
        rows.append(fitting)
        items.append(np.broadcast_to(of_each, (len(fitting), len(of_each))))
        slow.append(np.broadcast_to(is_slow, (len(fitting), len(of_each))))
    taken = bodies.take(np.concatenate(rows))
    return Tilings(
        taken.extents, taken.lanes, taken.copies, taken.serial, taken.parallel, taken.order,
        np.concatenate(items), np.concatenate(slow),
    )  # fmt: skip


def group_sizes(device: Machine) -> tuple[int, ...]:
    """The numbers of items along a single coordinate: powers of two that fill whole registers, or else the greatest that the device prefers."""
    sizes = _powers(device.local_size)
    return tuple(size for size in sizes if size >= min(device.vector_bytes // ITEM_BYTES, sizes[-1]))


def _powers(most: int) -> list[int]:
    """Powers of two from 2 on."""
    return [1 << exponent for exponent in range(1, most.bit_length())]


def _shapes(device: Machine) -> tuple[list[Shape], list[Shape]]:
    """(groups of one coordinate, groups of two coordinates); no group has more items along the slow one than along the fast one."""
    sizes = group_sizes(device)
    most = sizes[-1]
    return [(size, 1) for size in sizes], [
        (most // slow, slow) for slow in _powers(most) if slow * slow <= most
    ]


def _groups(kernel: Profile, device: Machine) -> Iterator[tuple[Shape, tuple[Shared, Shared]]]:
    """The shapes of groups, each with the ranges that share its coordinates."""
    outputs = [position for position in range(len(kernel.extents)) if kernel.outputs >> position & 1]
    short, flat = _shapes(device)
    values = sorted(kernel.value_ranges)
    seen: set[tuple[Shape, tuple[Shared, Shared]]] = set()
    for shapes, slows in ((short, [None]), (flat, [None, *outputs])):
        for fast in [None, *outputs]:
            for slow in slows:
                if fast is not None and fast == slow:
                    continue
                for shape in shapes:
                    found = shape, _shared(kernel, values, shape, (fast, slow))
                    is_used = all(size == 1 or shared for size, shared in zip(shape, found[1], strict=True))
                    if is_used and found not in seen:
                        seen.add(found)
                        yield found


def _shared(
    kernel: Profile, values: Sequence[int], shape: Shape, outputs: Sequence[int | None]
) -> tuple[Shared, Shared]:
    """The ranges that share each coordinate: the given outputs, and then all other ranges that can."""
    found: tuple[list[int], list[int]] = ([], [])
    for size, shared, output in zip(shape, found, outputs, strict=True):
        if output is not None and _may_share(kernel, values, shared, output, size):
            shared.append(output)
    for position in _others(kernel):
        for size, shared in zip(shape, found, strict=True):
            if position not in (*found[0], *found[1]) and _may_share(kernel, values, shared, position, size):
                shared.append(position)
    return tuple(sorted(found[0])), tuple(sorted(found[1]))


def _may_share(
    kernel: Profile, values: Sequence[int], shared: Sequence[int], position: int, size: int
) -> bool:
    """Whether a range may share a coordinate: it is long enough, no scan, and no value varies with it and a range in `shared`."""
    others = mask_of(shared)
    is_scanned = kernel.ranges[position].arg[1] is AxisType.SCAN
    apart = all(not (value >> position & 1 and value & others) for value in values)
    return 1 < size <= kernel.extents[position] and not is_scanned and apart


def _others(kernel: Profile) -> list[int]:
    """The ranges that fill local memory, then those of reductions, then outputs. In each kind, ranges with stride 1 come first, then inner ones."""
    near: dict[int, bool] = {}
    for access in kernel.accesses:
        for position, stride in access.strides.items():
            near[position] = near.get(position, False) or stride == 1
    reduced = mask_of(
        position for position, bound in enumerate(kernel.ranges) if bound.arg[1] is AxisType.REDUCE
    )
    kinds = [kernel.fill_ranges, reduced, kernel.outputs & ~kernel.fill_ranges]
    return [position for kind in kinds for position in _by_nearness(kind, near)]


def _by_nearness(kind: int, near: Mapping[int, bool]) -> list[int]:
    positions = [position for position in range(kind.bit_length()) if kind >> position & 1]
    return sorted(positions, key=lambda position: (not near.get(position, False), -position))
