"""List the OpenCL devices that eqsat can use.

The marked device is the default; `EQSAT_DEVICE` and `--device` choose another one by its name or a part of it. `--split 2` lists the
default device as two devices, each with half of its cores; these have names, too.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

    from eqsat.cli.output import Output
    from eqsat.runtime import Device


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what to list, and whether to measure."""
    parser.add_argument(
        "--split",
        type=int,
        metavar="COUNT",
        help="divide the cores of the default device equally into this many devices, and list these",
    )
    parser.add_argument(
        "--calibrate",
        action="store_true",
        help="measure the default device, and store the results in the cache: prices of operations for optimizing and scheduling, "
        "and the cost models `measured` and `learned`",
    )


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Print a table, or with `--json` {"devices": [{name, kind, default, machine}…], "calibration": {machine, measured, learned}}.

    The calibration is null without `--calibrate`.

    Raises:
        DeviceError: there is no OpenCL platform, `EQSAT_DEVICE` names no device, or the device cannot be divided so.
    """
    from eqsat import runtime

    default = runtime.get_device(None)
    found = runtime.devices() if arguments.split is None else runtime.split(default, arguments.split)
    calibration = _calibrate(output) if arguments.calibrate else None
    output.show(
        _table(found, default),
        "→ the default; EQSAT_DEVICE=NAME or --device NAME chooses another. Rates are those the cost model assumes. "
        "A simulator serves to check kernels, and is used only if it is named.",
    )
    devices = [
        {
            "name": device.name,
            "kind": device.kind,
            "default": device.name == default.name,
            "machine": asdict(runtime.machine_of(device)),
        }
        for device in found
    ]
    output.document({"devices": devices, "calibration": calibration})
    return 0


def _table(devices: Sequence[Device], default: Device) -> Table:
    """A row for each device."""
    from rich.table import Table

    from eqsat.runtime import machine_of

    titles = ("", "name", "kind", "cores", "vector", "memory", "caches")
    table = Table(*titles, title="OpenCL devices", title_justify="left")
    for device in devices:
        facts = machine_of(device)
        table.add_row(
            "→" if device.name == default.name else "",
            device.name,
            device.kind,
            str(facts.cores),
            f"{facts.vector_bytes * 8} bit",
            f"{facts.bandwidth / 1e9:.0f} GB/s",
            " / ".join(_size(size) for size in facts.cache_bytes),
        )
    return table


def _calibrate(output: Output) -> dict[str, Any]:
    """Measures the default device again, and returns the results as JSON documents."""
    from eqsat import calibrate

    with output.progress("Measuring", total=2) as step:
        step("operations")
        measured = calibrate.measured(again=True)
        machine = calibrate.machine()
        step("programs")
        learned = calibrate.learned(again=True)
    output.show(
        f"{measured.device}: {len(measured.seconds)} operations and access patterns measured; "
        f"times of programs learned, half of them to within {learned.error:.0%}."
    )
    return {
        "machine": asdict(machine),
        "measured": json.loads(measured.to_json()),
        "learned": json.loads(learned.to_json()),
    }


def _size(size: int) -> str:
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"
