"""Programs for several devices: assigns computations to devices, and inserts copies between devices.

`distribute` pushes operations into the copies of MSTACK and the shards of MULTI. Afterwards each node is computed on one device, and only COPYs
cross between devices. `cut` then makes a graph for each device and step.
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
