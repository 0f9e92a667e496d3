"""Programs of several devices: which device computes what, and what is copied between them.

`distribute` pushes operations into the copies and shards of MSTACK and MULTI, so that each node is computed on one device and COPYs alone
cross between devices; `cut` makes a graph for each device of that.
"""

from eqsat.distribution.collectives import Link
from eqsat.distribution.distribute import distribute, on_one_device
from eqsat.distribution.parts import Given, Made, Part, Parts, Result, Source, cut
from eqsat.distribution.placement import HOST

__all__ = [
    "HOST",
    "Given",
    "Link",
    "Made",
    "Part",
    "Parts",
    "Result",
    "Source",
    "cut",
    "distribute",
    "on_one_device",
]
