"""Turns measured seconds into a machine: the prices of one device."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from eqsat.dtype import DType, parse_dtype
from eqsat.extract import Measured
from eqsat.machine import Machine, OwnPrice, price
from eqsat.ops import Op

LEAST = 0.5  # least price relative to the common table: noise hides operations that overlap with others
COPY = ("READ float32 contiguous", "WRITE float32 contiguous")


def machine_measured(described: Machine, table: Measured) -> Machine:
    """The machine with the prices, the bandwidth and the launch time of a table.

    A price is for one core and one register, so seconds per element are multiplied by the number of cores, their frequency and the
    elements of a register. Operations that were not measured (on indices and narrow types) retain their prices.

    >>> table = Measured("a device", {"EXP2 float32 elementwise": 2e-10}, launch_seconds=1e-5)
    >>> machine_measured(Machine(cores=2, frequency=3e9, vector_bytes=32), table).prices
    (OwnPrice(op='EXP2', dtype='float32', cycles=9.6),)
    """
    prices = {(row.op, row.dtype): row for row in (*described.prices, *_prices(described, table))}
    seconds = [table.seconds[entry] for entry in COPY if entry in table.seconds]
    return replace(
        described,
        prices=tuple(prices.values()),
        bandwidth=8 / sum(seconds) if len(seconds) == len(COPY) else described.bandwidth,
        launch_seconds=table.launch_seconds or described.launch_seconds,
    )


def _prices(described: Machine, table: Measured) -> Iterator[OwnPrice]:
    for entry, seconds in table.seconds.items():
        name, kind, pattern = entry.rsplit(" ", 2)
        if pattern == "elementwise":
            op, dtype = Op[name], parse_dtype(kind)
            assert isinstance(dtype, DType)
            lanes = described.vector_bytes / dtype.itemsize
            cycles = seconds * described.cores * described.frequency * lanes
            yield OwnPrice(name, kind, round(max(cycles, LEAST * price(op, dtype).cycles), 3))
