"""Prints and stores the results of benchmarks."""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

RESULTS = Path(__file__).parent / "results"


def parser(description: str | None) -> argparse.ArgumentParser:
    """A parser with the arguments that all benchmarks share."""
    arguments = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--json", action="store_true", help="print one JSON document instead of a table")
    arguments.add_argument(
        "--save",
        action="store_true",
        help=f"also keep the document in {RESULTS.name}/, in place of an earlier one of this processor",
    )
    arguments.add_argument(
        "--rounds", type=int, default=15, help="turns that each rival takes (default: %(default)s)"
    )
    return arguments


def publish(
    name: str,
    rows: Sequence[Mapping[str, Any]],
    arguments: argparse.Namespace,
    of: str | None = None,
    **details: object,
) -> None:
    """Prints the rows as a table or a document, and stores the document if asked to; `details` are in the document only.

    The document is named after what was measured: the device `of`, or else this processor.
    """
    document = {"benchmark": name, "machine": _machine(), "rows": list(rows), **details}
    if arguments.json:
        print(json.dumps(document, indent=2))
    else:
        table = Table(*rows[0], title=f"{name}: {of or _machine()['processor']}")
        for row in rows:
            table.add_row(*map(_cell, row.values()))
        console = Console()
        (console if console.is_terminal else Console(width=160)).print(table)
    if arguments.save:
        result_path(name, ".json", of).write_text(json.dumps(document, indent=2) + "\n")


def result_path(name: str, suffix: str, of: str | None = None) -> Path:
    """The path of the results of a benchmark on this processor, or on the device `of`."""
    processor = re.sub(r"[^a-z0-9]+", "-", (of or _machine()["processor"]).lower()).strip("-")
    return RESULTS / f"{name}-{processor}{suffix}"


def milliseconds(seconds: float) -> float:
    """Seconds in milliseconds, to the microsecond."""
    return round(seconds * 1e3, 3)


def _cell(value: object) -> str:
    return "–" if value is None else f"{value:,.4g}" if isinstance(value, float) else str(value)


def _machine() -> dict[str, Any]:
    names = (
        "eqsat",
        "numpy",
        "scipy",
        "egglog",
        "pyopencl",
        "pocl-binary-distribution",
        "jax",
        "torch",
        "tinygrad",
    )
    return {
        "python": platform.python_version(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "date": datetime.now(UTC).date().isoformat(),
        "versions": {name: _version(name) for name in names},
    }


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
