"""What work-items wait for memory in loops that run in order: each iteration stores before the next one loads.

A processor runs ahead of what it waits for. An item of a graphics card does not; others run meanwhile, as many as a core holds.
"""

from __future__ import annotations

import numpy as np

from eqsat.machine import Machine
from eqsat.ops import AxisType
from eqsat.schedule.cost.accesses import Accesses
from eqsat.schedule.cost.groups import Groups
from eqsat.schedule.cost.hits import hits_of_groups
from eqsat.schedule.cost.tables import Tables
from eqsat.schedule.loops.tiling import Bools, Floats, Tilings, product

Ranges = list[int]


def waiting_seconds(kernel: Tables, tilings: Tilings, device: Machine) -> Floats:
    """For which items wait, by tiling; all that a core holds at once wait at the same time."""
    waiting = np.zeros(len(tilings))
    in_order = [place for place, bound in enumerate(kernel.kernel.ranges) if bound.arg[1] is AxisType.SCAN]
    if not device.waits or not in_order:
        return waiting
    held = _groups_held(tilings, device)
    cycles = _cycles(kernel.accesses, tilings, in_order, held, device)
    loads = (kernel.accesses_in > 0) & ~kernel.accesses.store[:, None]
    steps = product(tilings.inner, kernel.loops)
    for place in np.flatnonzero(kernel.loops[:, in_order].any(axis=1) & loads.any(axis=0)).tolist():
        waiting += steps[:, place] * cycles[:, loads[:, place]].max(axis=1)
    turns = np.maximum(1.0, tilings.groups / (device.cores * held))
    return waiting * turns / device.frequency


def _groups_held(tilings: Tilings, device: Machine) -> Floats:
    """Groups that a core holds at once, by tiling: no more than there are for it."""
    width = device.vector_bytes // 4
    most = device.resident_items // (width * Groups.of(tilings, device).registers[:, 0])
    return np.minimum(np.maximum(1.0, most), np.ceil(tilings.groups / device.cores))


def _cycles(accesses: Accesses, tilings: Tilings, in_order: Ranges, held: Floats, device: Machine) -> Floats:
    """For which an iteration waits for each access, by tiling and access: for copies at labels one after the other, for others together."""
    near, beyond = device.latency_cycles[0], _cycles_beyond(accesses, tilings, device)
    at_labels = accesses.irregular[:, in_order].any(axis=1)
    each = near + (beyond - near) * np.where(
        at_labels,
        ~_stay(accesses, tilings, held, device),
        _share_of_line(accesses, tilings, in_order, device),
    )
    one_by_one = np.where(at_labels, tilings.copies[:, in_order].prod(axis=1)[:, None], 1.0)
    return each * one_by_one * hits_of_groups(accesses, tilings)


def _cycles_beyond(accesses: Accesses, tilings: Tilings, device: Machine) -> Floats:
    """From the beginning of each access to its value, where level 1 has not got it: level 2 has what is read again and again."""
    _, cached, far = device.latency_cycles
    times = np.where(accesses.sits, tilings.extents, 1.0).prod(axis=1)
    again = times * accesses.itemsize > accesses.size
    stays = again & (accesses.size <= device.cache_bytes[-1] / 2)
    share = device.from_memory(float(accesses.size[accesses.first].sum()))
    return np.where(stays, cached, cached + (far - cached) * share)


def _share_of_line(accesses: Accesses, tilings: Tilings, in_order: Ranges, device: Machine) -> Floats:
    """How much of a line each iteration steps on, by tiling and access: the rest of it has come with an iteration before."""
    steps = tilings.tile[:, None, in_order] * accesses.step_bytes[:, in_order]
    walked = np.where(accesses.own[:, in_order], steps, 0.0).max(axis=2)
    return np.minimum(1.0, walked / device.line_bytes)


def _stay(accesses: Accesses, tilings: Tilings, held: Floats, device: Machine) -> Bools:
    """Whether level 1 has room for the parts of the array that the groups of a core have, by tiling and access."""
    parts = np.minimum(1.0, held / tilings.groups)
    return accesses.size * parts[:, None] <= device.cache_bytes[0]
