"""The hit rate of a scatter into parts: each part of the results reads all labels, and each label updates at most one part."""

from __future__ import annotations

import numpy as np

from eqsat.machine import Machine
from eqsat.schedule.cost.accesses import Accesses
from eqsat.schedule.tiling import Bools, Floats, Tilings


def hit_rate(accesses: Accesses, tilings: Tilings) -> Floats:
    """The share of iterations in which an access is made, by tiling and access.

    A value to combine is loaded only where its label is in the part. It is always loaded where several parts are unrolled copies that share it.
    """
    share = np.where(accesses.tested, 1.0 / tilings.extents, 1.0).prod(axis=1)
    before = _along(accesses.tested & ~accesses.depends, tilings.copies) > 1
    return np.where(before, 1.0, share)


def group_hit_rate(accesses: Accesses, tilings: Tilings) -> Floats:
    """The share of iterations in which at least one item of a group makes an access, by tiling and access."""
    return np.minimum(1.0, hit_rate(accesses, tilings) * _along(accesses.tested, tilings.items))


def bytes_at_most(accesses: Accesses, tilings: Tilings, device: Machine) -> Floats:
    """Bytes of all accesses, by buffer and tiling: an upper bound of the traffic into any cache.

    An access whose elements do not lie side by side counts as whole lines.
    """
    times = np.where(accesses.sits, tilings.extents, 1.0).prod(axis=1) * accesses.count
    each = np.where(accesses.contiguous_or_selected.any(axis=1), accesses.itemsize, device.line_bytes)
    return accesses.sum_by_buffer((hit_rate(accesses, tilings) * times * each).T)


def _along(ranges: Bools, numbers: Floats) -> Floats:
    """The product of the numbers of these ranges, by tiling and access."""
    return np.where(ranges, numbers[:, None], 1.0).prod(axis=2)
