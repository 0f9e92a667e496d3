"""Stores that wait for cache lines: lines that other stores have evicted from level 1, and lines that other cores combine in."""

from __future__ import annotations

from math import prod

import numpy as np

from eqsat.machine import Machine
from eqsat.schedule.cost.accesses import Accesses
from eqsat.schedule.cost.profile import Profile
from eqsat.schedule.cost.vectors import Vectors
from eqsat.schedule.tiling import Floats, Tilings, product_over


def passed_lines(kernel: Profile, tilings: Tilings, device: Machine) -> Floats:
    """The number of updates of cache lines that several work-items update; each such update moves the line to another core."""
    passed = np.zeros(len(tilings))
    if not kernel.combines or device.has_groups:
        return passed
    for access in (each for each in kernel.accesses if each.store and each.irregular):
        values = access.count * prod(
            n for position, n in enumerate(kernel.extents) if access.sits >> position & 1
        )
        for position, stride in access.strides.items():
            walked = (tilings.tile * tilings.serial)[:, position] * stride * access.itemsize
            is_passed = tilings.parallel[:, position] & (walked < device.line_bytes) & (tilings.groups > 1)
            passed += np.where(is_passed, values / tilings.tile[:, position], 0.0)
    return passed


def missed_stores(accesses: Accesses, tilings: Tilings, device: Machine) -> Floats:
    """The number of stores to parts of lines with conflict misses: a tile's lines map to so few sets of level 1 that they evict each other."""
    stores = np.flatnonzero(accesses.store & accesses.jumps.any(axis=1)).tolist()
    jumps = accesses.jumps[stores]
    steps = np.where(jumps, np.gcd(accesses.step_bytes[stores], device.way_bytes[0]), np.inf)
    nearest = np.where((tilings.tile > 1)[:, None], steps, np.inf).min(axis=2, initial=np.inf)
    room = product_over(tilings.tile_across, jumps).T * np.where(np.isinf(nearest), 0.0, nearest)
    missed = room > device.cache_bytes[0]
    rows = np.flatnonzero(missed.any(axis=1))
    cycles = np.zeros(len(tilings))
    if not rows.size:
        return cycles
    accesses = accesses.take(stores)
    vectors = Vectors.of(accesses, tilings.take(rows), device)
    scattered = vectors.addressed & ~vectors.contiguous
    apart = (vectors.lanes == 1) | (scattered & (vectors.rounds == 0))
    together = vectors.lanes / vectors.parts  # lanes in each store of a transposed vector
    in_parts = scattered & (together * accesses.itemsize[vectors.access] < device.line_bytes)
    share = np.where(apart, 1.0, np.where(in_parts, 1.0 / together, 0.0))[vectors.place]
    elements = np.where(accesses.sits, tilings.extents, 1.0).prod(axis=1) * accesses.count
    cycles[rows] = np.where(missed.take(rows, axis=0), elements * share, 0.0).sum(axis=1)
    return cycles
