"""Kernels of programs under Oclgrind, on inputs on which they end.

Each kernel runs in a process of its own, since Oclgrind judges only the first kernel of a process without false reports: see `tests.oclgrind`.
`python -m tests.autobatch.simulated --programs 500 --seed 1` runs 500 drawn programs in each way that kernels can be made. A process makes a
program once and forks for each way, which is several times as fast as new processes.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from eqsat import Plan
from eqsat.machine import PROCESSOR, Machine
from tests.oclgrind import SWITCHES, understandable

MEMBERS = 5
SECONDS = 300  # for one kernel, after which it counts as hanging
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
        environment = {**os.environ, **_environment(log), "PYTHONPATH": os.pathsep.join(PATHS)}
        command = [sys.executable, "-m", "tests.autobatch.simulated", "--one", str(seed), way]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        trouble = done.stderr[-2000:] if done.returncode else ""
        return done.stdout + trouble + log.read_text(errors="replace")


def forks() -> ProcessPoolExecutor:
    """A process that has imported all and made nothing, in whose forks `reports_of` runs."""
    return ProcessPoolExecutor(1, get_context("spawn"), initializer=_import_all)


def _import_all() -> None:
    from eqsat.autobatch.opencl import code, launch, meetings  # noqa: F401
    from tests.autobatch import drawing, drawn_programs  # noqa: F401


def reports_of(seed: int, way: str) -> str:
    """What `reports` says, from a fork of this process, which must not have used OpenCL or an e-graph."""
    return "\n".join(_said(partial(_drawn, seed, is_flat=way.startswith("lanes")), way))


def _environment(log: Path) -> dict[str, str]:
    """Of a process whose kernels Oclgrind runs."""
    return {**SWITCHES, "EQSAT_DEVICE": "oclgrind", "OCLGRIND_LOG": str(log), "EQSAT_CACHE": "off"}


class _Unasked(Plan):
    """A plan that does not ask for a device, after which no fork could use one."""

    @property
    def machine(self) -> Machine:
        return PROCESSOR


@dataclass(frozen=True)
class _Drawn:
    """A drawn program, optimized, with inputs and what the interpreter makes of them."""

    program: Any
    inputs: Sequence[Any]
    wanted: Sequence[Any]


def _drawn(seed: int, *, is_flat: bool) -> _Drawn:
    from eqsat.autobatch.ir.patterns import leaves
    from tests.autobatch.drawing import Drawing
    from tests.autobatch.drawn_programs import translated

    drawing = Drawing(seed, is_flat=is_flat)
    program = translated(drawing, f"drawn{seed}", _Unasked(strict=True))
    inputs = drawing.inputs(np.random.default_rng(seed), MEMBERS)
    with np.errstate(all="ignore"):
        wanted = list(leaves(program.run(inputs, machine="interpreter")))
    _ = program.executed  # optimized once for all ways
    return _Drawn(program, inputs, wanted)


def _simulate(drawn: _Drawn, way: str) -> None:
    """Prints where the simulator differs from the interpreter. The process can make kernels in no other way afterwards."""
    from eqsat.autobatch.ir.patterns import leaves
    from eqsat.autobatch.opencl import code, launch, meetings

    _build_for_oclgrind()
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
    with np.errstate(all="ignore"):
        got = drawn.program.run(drawn.inputs, most_steps=100_000 if steps == "counted" else None)
    for one, other in zip(leaves(got), drawn.wanted, strict=True):
        if not np.array_equal(one, other, equal_nan=one.dtype.kind == "f"):
            sys.stdout.write(f"{one.tolist()} is not {other.tolist()}\n")


def _build_for_oclgrind() -> None:
    """Oclgrind cannot run all that optimizers make, and misjudges some of what is written: see `tests.oclgrind`."""
    from eqsat.codegen.rendering import join
    from eqsat.runtime.opencl import program

    program.OPTIONS = [*program.OPTIONS, "-cl-opt-disable"]
    joined = join.join
    join.join = lambda sources: understandable(joined(sources))


def reports_of_ways(seed: int, ways: Sequence[str]) -> list[str]:
    """What `reports` says of each way, from forks of this process, which must not have used OpenCL."""
    made: dict[bool, _Drawn] = {}
    found: list[str] = []
    for way in ways:
        is_flat = way.startswith("lanes")
        if is_flat not in made:
            made[is_flat] = _drawn(seed, is_flat=is_flat)
        asks_again = way.startswith("meeting") and _meets(made[is_flat])  # an e-graph, which no fork can use
        said = [reports(seed, way)] if asks_again else _said(partial(made.__getitem__, is_flat), way)
        found += [f"seed {seed}, {way}: {each[:1500]}" for each in said if each]
    return found


def _meets(drawn: _Drawn) -> bool:
    from eqsat.autobatch.opencl import meetings

    return any(meetings.summands_of(region) > 0 for region in drawn.program.executed[1].values())


def _said(drawn: Callable[[], _Drawn], way: str) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as directory:
        log, output = Path(directory, "log"), Path(directory, "output")
        log.touch()
        child = get_context("fork").Process(target=_forked, args=(drawn, way, log, output))
        child.start()
        child.join(SECONDS)
        if child.is_alive():
            child.kill()
            yield f"did not end within {SECONDS} s"
            child.join()
        elif child.exitcode:
            yield f"exit status {child.exitcode}"
        yield output.read_text(errors="replace") + log.read_text(errors="replace")


def _forked(drawn: Callable[[], _Drawn], way: str, log: Path, output: Path) -> None:
    descriptor = os.open(output, os.O_WRONLY | os.O_CREAT)
    os.dup2(descriptor, 1)
    sys.stdout = os.fdopen(1, "w")
    os.environ.update(_environment(log))
    try:
        _simulate(drawn(), way)
    except Exception:  # noqa: BLE001  every failure is a finding
        sys.stdout.write(traceback.format_exc())
    sys.stdout.flush()


def main() -> int:
    """Runs one program of one way, or many of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--one", nargs=2, metavar=("SEED", "WAY"), help="this one, in this process")
    parsed = parser.parse_args()
    if parsed.one:
        seed, way = int(parsed.one[0]), parsed.one[1]
        _simulate(_drawn(seed, is_flat=way.startswith("lanes")), way)
        return 0
    return _judge(range(parsed.seed, parsed.seed + parsed.programs), parsed.ways, parsed.processes)


def _judge(seeds: Sequence[int], ways: Sequence[str], processes: int) -> int:
    start, dirty = perf_counter(), 0
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        for found in pool.map(partial(reports_of_ways, ways=ways), seeds):
            dirty += bool(found)
            for line in found:
                sys.stdout.write(f"{line}\n")
                sys.stdout.flush()
    sys.stdout.write(
        f"{len(seeds)} programs in {len(ways)} ways: {len(seeds) - dirty} clean, {dirty} with reports, {perf_counter() - start:.0f} s\n"
    )
    return 1 if dirty else 0


if __name__ == "__main__":
    sys.exit(main())
