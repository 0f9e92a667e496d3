"""Stalls of work-items on the latency of memory, in loops that run in order: each iteration stores before the next one loads.

A processor executes ahead of a load that it waits for. A work-item on a graphics card does not; meanwhile others run, as many as a core holds.
"""

from __future__ import annotations

import numpy as np

from eqsat.machine import Machine
from eqsat.ops import AxisType
from eqsat.schedule.cost.accesses import Accesses
from eqsat.schedule.cost.scatter_hit_rate import group_hit_rate
from eqsat.schedule.cost.tables import Tables
from eqsat.schedule.tiling import Bools, Floats, Tilings, product

Ranges = list[int]


def ordered_ranges(kernel: Tables) -> Ranges:
    """The ranges whose loops run in order."""
    return [place for place, bound in enumerate(kernel.kernel.ranges) if bound.arg[1] is AxisType.SCAN]


def stall_seconds(kernel: Tables, tilings: Tilings, begun: Floats, device: Machine) -> Floats:
    """Seconds that work-items wait in loops that run in order, by tiling; groups resident on a core at once wait at the same time."""
    waiting = np.zeros(len(tilings))
    ranges = ordered_ranges(kernel)
    if not device.waits or not ranges:
        return waiting
    cycles = _cycles(kernel.accesses, tilings, ranges, begun, device)
    loads = (kernel.accesses_in > 0) & ~kernel.accesses.store[:, None]
    steps = product(tilings.inner, kernel.loops)
    for place in np.flatnonzero(kernel.loops[:, ranges].any(axis=1) & loads.any(axis=0)).tolist():
        waiting += steps[:, place] * cycles[:, loads[:, place]].max(axis=1)
    turns = np.maximum(1.0, tilings.groups / (device.cores * begun))
    return waiting * turns / device.frequency


def _cycles(accesses: Accesses, tilings: Tilings, ranges: Ranges, begun: Floats, device: Machine) -> Floats:
    """Cycles that an iteration waits for each access, by tiling and access.

    Copies whose address depends on a label are waited for one after the other, other copies all at once.
    """
    near, beyond = device.latency_cycles[0], _cycles_beyond(accesses, tilings, device)
    at_labels = accesses.irregular[:, ranges].any(axis=1)
    each = near + (beyond - near) * np.where(
        at_labels,
        ~_stay(accesses, tilings, begun, device),
        _share_of_line(accesses, tilings, ranges, device),
    )
    one_by_one = np.where(at_labels, tilings.copies[:, ranges].prod(axis=1)[:, None], 1.0)
    return each * one_by_one * group_hit_rate(accesses, tilings)


def _cycles_beyond(accesses: Accesses, tilings: Tilings, device: Machine) -> Floats:
    """Cycles from the start of each access to its value on a miss of level 1; level 2 holds arrays that are read several times, if they fit."""
    near, cached, far = device.latency_cycles
    times = np.where(accesses.sits, tilings.extents, 1.0).prod(axis=1)
    again = times * accesses.itemsize > accesses.size
    stays = again & (accesses.size <= device.cache_bytes[-1] / 2)
    share = device.from_memory(float(accesses.max_by_buffer(accesses.size).sum()))
    fetched = np.where(stays, cached, cached + (far - cached) * share)
    return np.where(accesses.local, near, fetched)


def _share_of_line(accesses: Accesses, tilings: Tilings, ranges: Ranges, device: Machine) -> Floats:
    """The share of a cache line by which each iteration advances, by tiling and access; the rest of the line came with an earlier iteration."""
    steps = tilings.tile[:, None, ranges] * accesses.step_bytes[:, ranges]
    walked = np.where(accesses.own[:, ranges], steps, 0.0).max(axis=2)
    return np.minimum(1.0, walked / device.line_bytes)


def _stay(accesses: Accesses, tilings: Tilings, begun: Floats, device: Machine) -> Bools:
    """Whether level 1 has room for the parts of the array that the groups resident on a core access, by tiling and access."""
    parts = np.minimum(1.0, begun / tilings.groups)
    return accesses.size * parts[:, None] <= device.cache_bytes[0]
