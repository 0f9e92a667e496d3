"""What programs cost on a machine: one description and one table of prices, which extraction, schedules and calibration share.

`description` has the machine, `prices` the price of each operation, `stored` its document. A machine is a value: `eqsat.runtime.machine_of` gives
that of a device, calibrated if `eqsat devices --calibrate` has been run; `PROCESSOR` and `GRAPHICS` are those of unknown ones.
"""

from eqsat.machine.description import (
    ANY,
    CORE_BANDWIDTH,
    GRAPHICS,
    MEMORY_BANDWIDTH,
    PROCESSOR,
    SELECTED,
    TILE_ROWS,
    TILE_VECTORS,
    TILE_WORDS,
    Machine,
    OwnPrice,
)
from eqsat.machine.prices import ALONE, COMBINING, FREE, PRICES, Price, price, share_of_form
from eqsat.machine.stored import from_json, to_json

__all__ = [
    "ALONE", "ANY", "COMBINING", "CORE_BANDWIDTH", "FREE", "GRAPHICS", "MEMORY_BANDWIDTH", "PRICES", "PROCESSOR", "SELECTED", "TILE_ROWS",
    "TILE_VECTORS", "TILE_WORDS", "Machine", "OwnPrice", "Price", "from_json", "price", "share_of_form", "to_json",
]  # fmt: skip
