"""How a kernel is run once its loops are chosen: accumulators of its reductions, and work-items of its groups."""

from __future__ import annotations

from math import prod

from eqsat.ops import ABREAST, AxisType, KernelInfo, Op
from eqsat.shape import extent_of
from eqsat.uop import UOp, toposort

INDEPENDENT_CHAINS = (
    8  # two multiply-adds start per cycle and each takes four: fewer chains leave the unit idle
)
LARGEST_GROUP = 256  # work-items
FEWEST_GROUPS = 16  # worth splitting between cores
_SIDE_BY_SIDE = (AxisType.GLOBAL, AxisType.THREAD)
_STRAIGHT = (*_SIDE_BY_SIDE, *ABREAST)


def launched(name: str, sink: UOp, *, streams: bool = False) -> KernelInfo:
    """What a kernel of this name is told about its launch, from its ranges, and about its stores.

    Where no work-item loops, groups have as many work-items as leave all cores busy. A compiler for CPUs then makes a loop over the group,
    of vectors if the code is scalar: on PoCL 15 to 30 times faster than groups of one, and up to twice as fast for explicit vectors, which
    save the 5 ns that starting a group costs. Around a loop of the kernel's own it makes no vectors.
    """
    order = toposort([sink])
    ranges = [node for node in order if node.op is Op.RANGE]
    items = prod(extent_of(bound) for bound in ranges if bound.arg[1] in _SIDE_BY_SIDE)
    straight = all(bound.arg[1] in _STRAIGHT for bound in ranges)
    straight &= all(node.op is not Op.DEFINE_LOCAL for node in order)  # which a group would share
    group = most_in_group(items) if straight else 1
    return KernelInfo(name, INDEPENDENT_CHAINS, group, streams)


def most_in_group(items: int) -> int:
    """How many of so many work-items are a group at most: one of several for each core."""
    return min(LARGEST_GROUP, max(1, items // FEWEST_GROUPS))
