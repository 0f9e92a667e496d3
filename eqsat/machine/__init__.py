"""The costs of programs on a machine: one description and one table of prices, shared by extraction, scheduling and calibration.

`description` defines the machine, `numbers` checks it, `prices` has the price of each operation, and `stored` the document that a machine is
saved as. A machine is a value. `eqsat.runtime.machine_of` returns the machine of a device, calibrated if `eqsat devices --calibrate` has been
run. `PROCESSOR` and `GRAPHICS` are the machines of unknown devices.
"""

from eqsat.machine.description import (
    CORE_BANDWIDTH,
    GRAPHICS,
    INTERLEAVED,
    MEMORY_BANDWIDTH,
    NARROW,
    PROCESSOR,
    SELECTED,
    SELECTED_BYTES,
    TILE_ROWS,
    TILE_VECTORS,
    TILE_WORDS,
    Machine,
    selected_strides,
)
from eqsat.machine.prices import ALONE, ANY, COMBINING, FREE, PRICES, OwnPrice, Price, price, share_of_form
from eqsat.machine.stored import from_json, to_json

__all__ = [
    "ALONE", "ANY", "COMBINING", "CORE_BANDWIDTH", "FREE", "GRAPHICS", "INTERLEAVED", "MEMORY_BANDWIDTH", "NARROW", "PRICES", "PROCESSOR",
    "SELECTED", "SELECTED_BYTES", "TILE_ROWS", "TILE_VECTORS", "TILE_WORDS", "Machine", "OwnPrice", "Price", "from_json", "price",
    "selected_strides", "share_of_form", "to_json",
]  # fmt: skip
