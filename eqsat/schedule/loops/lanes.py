"""How long the vectors are that a range may be cut into."""

from __future__ import annotations

from eqsat.machine import Machine
from eqsat.schedule.cost.profile import Profile, positions_of

FEWEST = 4  # lanes that are worth a vector where there are longer ones along another range


def lanes_of(kernel: Profile, device: Machine) -> tuple[int, ...]:
    """Vector lengths that fill one register with the widest type, with the narrowest, and those between.

    Where no range is as long along which elements lie side by side, shorter ones, which leave a part of the register empty.
    """
    sizes = [access.itemsize for access in kernel.accesses] + [itemsize for _, _, itemsize in kernel.work]
    least, most = device.vector_bytes // max(sizes), device.vector_bytes // min(sizes)
    walked = {position for access in kernel.accesses for position in positions_of(access.walked(1))}
    longest = max((kernel.extents[position] for position in walked), default=least)
    least = min(least, max((lanes for lanes in device.vector_widths if lanes <= longest), default=least))
    between = tuple(lanes for lanes in device.vector_widths if least <= lanes <= most)
    return between or device.vector_widths[-1:]


def lanes_along(kernel: Profile, device: Machine, position: int) -> tuple[int, ...]:
    """Vector lengths to try along a range: along a short one of results, where others are longer, also the longest that it fills."""
    found, extent = lanes_of(kernel, device), kernel.extents[position]
    if not kernel.outputs >> position & 1 or extent >= found[0]:
        return found
    shorter = [lanes for lanes in device.vector_widths if FEWEST <= lanes <= extent]
    return (*shorter[-1:], *found)
