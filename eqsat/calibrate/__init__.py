"""Prices measured on a device: every operation and access pattern on its own, and programs to learn from.

`machine()` measures the prices of a device and saves them in the cache, where optimization and scheduling find them.
`eq.optimize(graph, eq.Plan(cost=measured()))` extracts by the seconds measured on the default device. Measuring takes 20 seconds to two
minutes, once: the results are cached by device and driver.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from eqsat.calibrate.chains import Chain, every_chain
from eqsat.calibrate.machine import machine_measured
from eqsat.calibrate.patterns import access_patterns, lessons
from eqsat.calibrate.timing import launch_seconds, seconds_of
from eqsat.errors import ExtractionError
from eqsat.extract import Learned, Measured
from eqsat.machine import Machine
from eqsat.runtime import MEASUREMENTS, Device, digest, get_device, keep_machine

__all__ = ["learned", "machine", "measured"]

FORMAT = "3"  # version of the cached documents; a new number makes every older entry a miss
LEAST = 1e-14  # least seconds per element of an operation; noise may hide shorter times

Model = TypeVar("Model", Measured, Learned)


def machine(device: str | int | Device | None = None, *, again: bool = False) -> Machine:
    """The machine of a device with the prices of `measured`; from now on, optimization and scheduling for that device use it.

    Args:
        device: as `get_device` takes it.
        again: measure even if the cache has a table.

    Raises:
        DeviceError: there is no such device.
    """
    chosen = get_device(device)
    found = machine_measured(chosen.described, measured(device, again=again))
    keep_machine(chosen, found)
    return found


def measured(device: str | int | Device | None = None, *, again: bool = False) -> Measured:
    """The costs of single operations on a device, from the cache, or else measured now.

    Args:
        device: as `get_device` takes it.
        again: measure even if the cache has a table.

    Raises:
        DeviceError: there is no such device.
    """
    return _kept("measured", get_device(device), again, Measured.from_json, measure)


def learned(device: str | int | Device | None = None, *, again: bool = False) -> Learned:
    """A regression on programs measured on a device, from the cache, or else measured and trained now.

    Args:
        device: as `get_device` takes it.
        again: measure and train even if the cache has a model.

    Raises:
        DeviceError: there is no such device.
    """
    return _kept("learned", get_device(device), again, Learned.from_json, learn)


def measure(device: Device) -> Measured:
    """Measures the table of costs of a device."""
    table: dict[str, float] = {}
    every = list(every_chain())
    for dtype in dict.fromkeys(chain.dtype for chain in every):
        _measure_chains([chain for chain in every if chain.dtype is dtype], device, table)
    _measure_patterns(device, table)
    return Measured(device.name, table, launch_seconds(device))


def learn(device: Device) -> Learned:
    """A regression on the times of `lessons`; to estimate its error, all sizes of one function are left out of training together."""
    names, graphs = zip(*lessons(), strict=True)
    seconds = seconds_of(graphs, device)
    return Learned.train(graphs, seconds, device.name, names)


def _measure_chains(chosen: list[Chain], device: Device, table: dict[str, float]) -> None:
    """Adds the time of each operation without its partner to the table; a partner that has no entry yet counts as half of the time."""
    taken = seconds_of([chain.graph(length) for chain in chosen for length in chain.lengths], device)
    for chain, before, after in zip(chosen, taken[::2], taken[1::2], strict=True):
        short, long = chain.lengths
        step = (after - before) / ((long - short) * chain.elements)
        partner = chain.partner_entry
        rest = step - table[partner] if partner in table else step / 2 if partner else step
        shared = max(LEAST, rest / chain.halves)
        table.update(dict.fromkeys(chain.entries, shared))


def _measure_patterns(device: Device, table: dict[str, float]) -> None:
    """Adds the access patterns to the table.

    A contiguous read and a contiguous write take half of a copy each. The other patterns get their time without such reads and writes.
    """
    patterns = access_patterns()
    per_element = [
        taken / pattern.elements
        for pattern, taken in zip(
            patterns,
            seconds_of([pattern.graph for pattern in patterns], device, patterns[0].elements),
            strict=True,
        )
    ]
    half = per_element[0] / 2
    table["WRITE float32 contiguous"] = half
    for pattern, taken in zip(patterns, per_element, strict=True):
        copies = pattern.entry.startswith("READ")
        reduces = pattern.entry.startswith("REDUCE")
        table[pattern.entry] = max(LEAST, taken - half if copies or reduces else taken - 2 * half)


def _kept(
    kind: str,
    device: Device,
    again: bool,
    read: Callable[[str], Model],
    make: Callable[[Device], Model],
) -> Model:
    """The model from the cache, or a new one, which is then cached, if there is none or it cannot be read."""
    key = digest(kind, FORMAT, device.identity)
    stored = None if again else MEASUREMENTS.get(key)
    if stored is not None:
        try:
            return read(stored.decode())
        except (ExtractionError, UnicodeDecodeError, RecursionError):
            MEASUREMENTS.drop(key)  # written by an older version with other features, or not by us
    model = make(device)
    MEASUREMENTS.put(key, model.to_json().encode())
    return model
