"""Kernels of programs under Oclgrind, on inputs on which they end.

Each runs in a process of its own, since Oclgrind judges only the first kernel of a process without false reports: see `tests.oclgrind`.
`python -m tests.autobatch.simulated 20 1` runs 20 drawn programs from seed 1 on, in each way that kernels can be made.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path

import numpy as np

from tests.oclgrind import SWITCHES

MEMBERS = 5
PATHS = [*filter(None, sys.path)]
WAYS = [
    f"{memory}-{steps}"
    for memory, steps in product(("private", "global", "meeting", "group"), ("free", "counted"))
]
WAYS += ["lanes-free"]  # of flat programs


def reports(seed: int, way: str) -> str:
    """What Oclgrind says about a drawn program, and where its results differ; empty if all is well. `way` is one of `WAYS`."""
    with tempfile.TemporaryDirectory() as directory:
        log = Path(directory, "log")
        log.touch()
        own = {"EQSAT_DEVICE": "oclgrind", "OCLGRIND_LOG": str(log), "EQSAT_CACHE": "off"}
        environment = {**os.environ, **SWITCHES, **own, "PYTHONPATH": os.pathsep.join(PATHS)}
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                __name__ if __name__ != "__main__" else "tests.autobatch.simulated",
                str(seed),
                way,
            ],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        trouble = done.stderr[-2000:] if done.returncode else ""
        return done.stdout + trouble + log.read_text(errors="replace")


def _run(seed: int, way: str) -> None:
    """In the child: prints where the simulator differs from the interpreter."""
    from eqsat.autobatch.ir.patterns import leaves
    from eqsat.autobatch.opencl import code, launch, meetings
    from tests.autobatch.drawing import Drawing
    from tests.autobatch.drawn_programs import translated

    _build_without_optimization()
    memory, steps = way.split("-")
    if memory == "global":
        launch._PRIVATE_BYTES = 0
    if memory == "meeting":  # for every sum that depends on a member
        code.is_meeting = lambda region: meetings.summands_of(region) > 0
    if memory == "group":  # of four work-items, whatever the size of arrays
        code.LARGE = 0
        launch._GROUPS["simulator"] = 4
    launch._ITEMS_PER_CORE = 2
    if memory == "lanes":
        launch.gains = lambda *_: True
        launch._MEMBERS_PER_CORE = 0
    drawing = Drawing(seed, is_flat=memory == "lanes")
    program = translated(drawing, f"drawn{seed}")
    inputs = drawing.inputs(np.random.default_rng(seed), MEMBERS)
    with np.errstate(all="ignore"):
        wanted = list(leaves(program.run(inputs, machine="interpreter")))
        got = list(leaves(program.run(inputs, most_steps=100_000 if steps == "counted" else None)))
    for one, other in zip(got, wanted, strict=True):
        if not np.array_equal(one, other, equal_nan=one.dtype.kind == "f"):
            sys.stdout.write(f"{one.tolist()} is not {other.tolist()}\n")


def _build_without_optimization() -> None:
    """Oclgrind cannot run all that optimizers make: see `tests.oclgrind`."""
    from eqsat.runtime.opencl import program

    program.OPTIONS = [*program.OPTIONS, "-cl-opt-disable"]


def main() -> int:
    """Runs one program of one way, or many of all."""
    if sys.argv[2] in WAYS:
        _run(int(sys.argv[1]), sys.argv[2])
        return 0
    count, first = map(int, sys.argv[1:])
    wrong = 0
    for seed, way in product(range(first, first + count), WAYS):
        if found := reports(seed, way):
            wrong += 1
            sys.stdout.write(f"seed {seed}, {way}: {found[:1500]}\n")
    sys.stdout.write(f"{count} programs in {len(WAYS)} ways, {wrong} with reports\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
