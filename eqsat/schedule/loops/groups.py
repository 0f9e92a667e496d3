"""Work-groups that are worth a price: which ranges the items of a group share, along one coordinate or two.

A range is shared along a coordinate that no value it occurs in varies with otherwise. Outputs come first: what reductions are left that do not
vary with them, and loops that fill local memory, share the same coordinate, since their items would otherwise all do the same. Numbers of items are
powers of two, so that reductions need few rounds; where tiles of all items do not divide a range, each element of the last is stored by one item.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from eqsat.machine import Machine
from eqsat.ops import AxisType
from eqsat.schedule.cost.profile import Profile, mask_of
from eqsat.schedule.loops.tiling import Tilings

ITEM_BYTES = 4  # of a vector register, for each work-item
Shape = tuple[int, int]  # items along the fast and the slow coordinate
Shared = tuple[int, ...]  # ranges that share a coordinate


def with_groups(kernel: Profile, device: Machine, bodies: Tilings) -> Tilings:
    """These bodies, and each of them in all groups that fit it; only the bodies on devices that prefer single work-items."""
    if device.local_size == 1 or not len(bodies):
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
    """Items of a group along one coordinate: whole registers of them, or as many as the device has."""
    sizes = _powers(device.local_size)
    return tuple(size for size in sizes if size >= min(device.vector_bytes // ITEM_BYTES, sizes[-1]))


def _powers(most: int) -> list[int]:
    """Powers of two from 2 on."""
    return [1 << exponent for exponent in range(1, most.bit_length())]


def _shapes(device: Machine) -> tuple[list[Shape], list[Shape]]:
    """Groups of one coordinate, and of two, no wider along the slow one than along the fast one."""
    sizes = group_sizes(device)
    most = sizes[-1]
    return [(size, 1) for size in sizes], [
        (most // slow, slow) for slow in _powers(most) if slow * slow <= most
    ]


def _groups(kernel: Profile, device: Machine) -> Iterator[tuple[Shape, tuple[Shared, Shared]]]:
    """The shapes of groups, and what is shared along their coordinates."""
    outputs = [position for position in range(len(kernel.extents)) if kernel.outputs >> position & 1]
    short, flat = _shapes(device)
    values = _values(kernel)
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


def _values(kernel: Profile) -> list[int]:
    """The ranges that each value depends on, masks."""
    values = {depends for depends, _, _ in kernel.work} | {access.depends for access in kernel.accesses}
    return sorted(values | {reduction.value for reduction in kernel.reductions})


def _shared(
    kernel: Profile, values: Sequence[int], shape: Shape, outputs: Sequence[int | None]
) -> tuple[Shared, Shared]:
    """What shares each coordinate: the given outputs, and then what else can."""
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
    """Whether a range is long enough for these items, and no value varies with it and another that shares the coordinate."""
    others = mask_of(shared)
    is_scanned = kernel.ranges[position].arg[1] is AxisType.SCAN
    apart = all(not (value >> position & 1 and value & others) for value in values)
    return 1 < size <= kernel.extents[position] and not is_scanned and apart


def _others(kernel: Profile) -> list[int]:
    """Ranges of local memory, of reductions, and of outputs, of each kind those first that accesses walk with stride 1, then the innermost."""
    near: dict[int, bool] = {}
    for access in kernel.accesses:
        for position, stride in access.strides.items():
            near[position] = near.get(position, False) or stride == 1
    reduced = mask_of(
        position for position, bound in enumerate(kernel.ranges) if bound.arg[1] is AxisType.REDUCE
    )
    kinds = [kernel.stages, reduced, kernel.outputs & ~kernel.stages]
    return [position for kind in kinds for position in _by_nearness(kind, near)]


def _by_nearness(kind: int, near: Mapping[int, bool]) -> list[int]:
    positions = [position for position in range(kind.bit_length()) if kind >> position & 1]
    return sorted(positions, key=lambda position: (not near.get(position, False), -position))
