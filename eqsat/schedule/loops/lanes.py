"""The vector lengths that a range may be cut into."""

from __future__ import annotations

from eqsat.machine import Machine
from eqsat.schedule.cost.profile import Profile, positions_of

FEWEST = 4  # least lanes of a short vector that is tried besides longer vectors along other ranges


def lanes_of(kernel: Profile, device: Machine) -> tuple[int, ...]:
    """The vector lengths from one that fills a register with the widest type to one that fills it with the narrowest.

    If no contiguous range is that long, there are shorter ones, too, which leave a part of the register empty.
    """
    sizes = [access.itemsize for access in kernel.accesses] + [itemsize for _, _, itemsize in kernel.work]
    least, most = device.vector_bytes // max(sizes), device.vector_bytes // min(sizes)
    walked = {position for access in kernel.accesses for position in positions_of(access.walked(1))}
    longest = max((kernel.extents[position] for position in walked), default=least)
    least = min(least, max((lanes for lanes in device.vector_widths if lanes <= longest), default=least))
    between = tuple(lanes for lanes in device.vector_widths if least <= lanes <= most)
    return between or device.vector_widths[-1:]


def lanes_along(kernel: Profile, device: Machine, position: int) -> tuple[int, ...]:
    """The vector lengths to try along a range. For an output that is shorter than all of these, the longest that it fills is added."""
    found, extent = lanes_of(kernel, device), kernel.extents[position]
    if not kernel.outputs >> position & 1 or extent >= found[0]:
        return found
    shorter = [lanes for lanes in device.vector_widths if FEWEST <= lanes <= extent]
    return (*shorter[-1:], *found)
