"""The launch of a kernel once its loops are chosen: accumulators of its reductions, and work-items of its groups."""

from __future__ import annotations

from math import prod

from eqsat.ops import ABREAST, AxisType, KernelInfo, Op
from eqsat.shape import extent_of
from eqsat.uop import UOp, toposort

INDEPENDENT_CHAINS = (
    8  # two multiply-adds start per cycle and each takes four cycles: fewer chains leave units idle
)
LARGEST_GROUP = 256  # most work-items of a group
FEWEST_GROUPS = 16  # fewest groups that are worth splitting between cores
_SIDE_BY_SIDE = (AxisType.GLOBAL, AxisType.THREAD)
_STRAIGHT = (*_SIDE_BY_SIDE, *ABREAST)


def launched(name: str, sink: UOp, *, streams: bool = False) -> KernelInfo:
    """The KernelInfo of a kernel: its name, the most accumulators of a reduction, the size of its groups, and whether its stores bypass the caches.

    If no work-item has a loop, groups have as many work-items as leave all cores busy. A compiler for CPUs then makes a loop over the group,
    which it vectorizes if the code is scalar. On PoCL this is 15 to 30 times faster than groups of one. Explicit vectors are up to twice as
    fast, because they save the 5 ns that starting a group costs. Compilers do not vectorize the loop over the group around a loop of the
    kernel's own.
    """
    order = toposort([sink])
    ranges = [node for node in order if node.op is Op.RANGE]
    items = prod(extent_of(bound) for bound in ranges if bound.arg[1] in _SIDE_BY_SIDE)
    straight = all(bound.arg[1] in _STRAIGHT for bound in ranges)
    straight &= all(node.op is not Op.DEFINE_LOCAL for node in order)  # a group would share it
    group = most_in_group(items) if straight else 1
    return KernelInfo(name, INDEPENDENT_CHAINS, group, streams)


def most_in_group(items: int) -> int:
    """The most work-items of a group, given all work-items of a kernel: at least `FEWEST_GROUPS` groups are left, several for each core."""
    return min(LARGEST_GROUP, max(1, items // FEWEST_GROUPS))
