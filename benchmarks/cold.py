"""Measures the first program of a process: the time to import eqsat, and the time from array program to source, at first and again.

Each round is a process of its own. The byte code of all modules is available, as after an installation. Times are processor time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

from benchmarks.report import milliseconds, parser, publish

PROGRAMS = ("chain 1", "text 1", "text 12", "transformer 12", "images 50")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure each program in processes of its own."""
    command = parser(__doc__)
    command.set_defaults(rounds=3)
    command.add_argument("--programs", nargs="+", help="of benchmarks.scaling: FAMILY SIZE", default=PROGRAMS)
    parsed = command.parse_args(arguments)
    with TemporaryDirectory() as folder:
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = folder
        _seconds_of("chain 1", environment)  # this run writes the byte code
        rows = [_row(program, parsed.rounds, environment) for program in parsed.programs]
    publish("cold", rows, parsed)


def _row(program: str, rounds: int, environment: dict[str, str]) -> dict[str, Any]:
    measured = [_seconds_of(program, environment) for _ in range(rounds)]
    return {"program": program} | {
        f"{name}_ms": milliseconds(median(each[name] for each in measured)) for name in measured[0]
    }


def _seconds_of(program: str, environment: dict[str, str]) -> dict[str, float]:
    """The seconds that `once` prints, by name, in a new process."""
    command = [sys.executable, "-c", f"from benchmarks.cold import once; once({program!r})"]
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    return json.loads(printed)


def once(program: str) -> None:
    """Compiles a program to source twice, and prints the seconds that it took as JSON."""
    import numpy as np  # noqa: F401  (which users import anyway)

    start = process_time()
    import eqsat as eq

    plan = eq.Plan()
    imported = process_time()
    from benchmarks.scaling import FAMILIES
    from eqsat.pipeline.compilation import planned
    from eqsat.runtime import get_device

    name, size = program.rsplit(" ", 1)
    (family,) = (each for each in FAMILIES if each.name == name)
    device = get_device(None)
    times = [process_time()]
    for _ in range(2):
        planned(family.graph(int(size)), plan, device)
        times.append(process_time())
    found = {"import": imported - start, "first": times[1] - times[0], "again": times[2] - times[1]}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
