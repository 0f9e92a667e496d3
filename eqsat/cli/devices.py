"""List the OpenCL devices that eqsat can use.

The one marked is the default; `EQSAT_DEVICE` and `--device` choose another by its name or a part of it.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eqsat.cli.output import Output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """No arguments of its own."""


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Print a table, or with `--json` {"devices": [{name, kind, default, description}…]}.

    Raises:
        DeviceError: there is no OpenCL platform, or `EQSAT_DEVICE` names no device.
    """
    from rich.table import Table

    from eqsat import runtime

    default = runtime.get_device(None)
    found = runtime.devices()
    table = Table(
        "",
        "name",
        "kind",
        "cores",
        "vector",
        "memory",
        "caches",
        title="OpenCL devices",
        title_justify="left",
    )
    for device in found:
        facts = device.description
        caches = " / ".join(_size(size) for size in facts.cache_bytes)
        mark = "→" if device.name == default.name else ""
        rate = f"{facts.bandwidth / 1e9:.0f} GB/s"
        table.add_row(
            mark, device.name, device.kind, str(facts.cores), f"{facts.vector_bytes * 8} bit", rate, caches
        )
    output.show(
        table,
        "→ the default; EQSAT_DEVICE=NAME or --device NAME chooses another. Rates are those the cost model assumes.",
    )
    output.document(
        {
            "devices": [
                {
                    "name": device.name,
                    "kind": device.kind,
                    "default": device.name == default.name,
                    "description": asdict(device.description),
                }
                for device in found
            ]
        }
    )
    return 0


def _size(size: int) -> str:
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"
