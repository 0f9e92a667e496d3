"""The referee: recorded kernels run under Oclgrind, which reports races, accesses out of bounds, uninitialized reads, divergence.

`check` takes the files that `eqsat.runtime.record` wrote and returns what Oclgrind reports about each kernel. Kernels run in
a few subprocesses, many in each; a kernel with reports ends its process, because Oclgrind counts errors over a whole process
and falls silent after a number of them, and the rest go on in a new one.

**Large kernels.** Oclgrind executes a third of a million to two million instructions per second. Of a kernel whose launch would take more than
`BUDGET` instructions, some work-groups are launched only: boxes of two per dimension at every corner, all of them together, and then
one in the middle; where these would take more than `NEIGHBOURS` instructions, one work-group at every corner; where one takes more than the
budget, the last one alone, since accesses leave buffers at their far ends (such kernels, 40 of 2,400, took three quarters of the time of all).
An index that is an affine function of the work-item's coordinates has its extremes over the grid at corners, so that accesses out of bounds show
there; two neighbours per dimension show overlapping tiles as a race, and so do corners that overlap. What these groups
cannot show is a race with work-items elsewhere, and a bound missed only for some coordinates inside, by a quotient
or a remainder of them; the same kernel on small sizes, which most tests use, is run in full.

**Races.** The check for races keeps a record of each byte of each buffer, and takes half the time. Launches of one work-item, which cannot race, go
without.

**Compiler.** Sources are compiled without optimization: Oclgrind cannot execute all that optimizers make (shuffles of vectors),
and they may remove an uninitialized read together with what it feeds. Three things that it wrongly reports as uninitialized are
written in another way for it: the upper half of a vector of 16 lanes (`UPPER`), lanes of one that a name (`PART`) or memory (`LOADED`) holds, and a
double stored as a half (`HALVES`). So are shuffles of two vectors (`SHUFFLE`).

**Crashes.** The check for uninitialized reads ends with a segmentation fault on some short vectors (comparisons of two lanes that are joined, three
halves that are stored: `test_vectors_that_the_referee_dies_on`). A kernel that it dies on is checked for all else.

**Memory.** Oclgrind keeps a record of some 50 bytes for each byte of a buffer. A process that takes more than `MEMORY` is ended and says so:
give the kernel smaller buffers.

**Data.** Inputs are random, and repeat after `PERIOD` elements: floats in [-2, 2), integers in [0, 4), bools; a buffer that a kernel writes
starts uninitialized.
"""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pyopencl as cl

    from eqsat.codegen import RenderedKernel

BUDGET = 100_000  # instructions of one kernel, up to a third of a second
THOROUGH = 1_000_000  # likewise, where all kernels are asked for
LIMIT = "EQSAT_REFEREE_BUDGET"  # names the budget in the environment of children
NEIGHBOURS = 1_000_000  # instructions of all parts together, up to which each has neighbouring work-groups, and one is in the middle
BY_HAND = 16  # instructions of one work-item of a kernel that is no list of instructions
PERIOD = 10_007  # elements, a prime: no row or column of a usual array repeats the one before
PROCESSES = 2
MEMORY = 10 << 30  # bytes of one process
SECONDS = 120  # for one kernel, after which it counts as hanging
OPTIONS = ["-cl-std=CL1.2", "-w", "-cl-opt-disable"]
KEPT = 5  # reports per kernel, and lines of each
SWITCHES = {
    "OCLGRIND_NUM_THREADS": "1",
    "OCLGRIND_LOCAL_MEM_SIZE": str(1 << 21),  # as much as PoCL may have, which kernels are made for
    "OCLGRIND_MAX_ERRORS": "50",
}
RACES = {
    "OCLGRIND_DATA_RACES": "1",
    "OCLGRIND_UNIFORM_WRITES": "1",  # two work-items that write one value to one place race, too
}
INITIALIZED = {"OCLGRIND_UNINITIALIZED": "1"}
TYPES = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double")
UPPER = (
    "\n".join(
        f"{kind}{lanes // 2} __attribute__((overloadable)) upper({kind}{lanes} v) {{ return {half}; }}"
        for kind in TYPES
        for lanes, half in (
            (16, f"({kind}8)(v.s8, v.s9, v.sa, v.sb, v.sc, v.sd, v.se, v.sf)"),
            (8, "v.hi"),
            (4, "v.hi"),
            (2, "v.hi"),
        )
    ).replace("1 __attribute__", " __attribute__")
    + "\n"
)
HALVES = "".join(
    f"#define vstore_half{lanes}(x, i, p) vstore_half{lanes}(convert_float{lanes}(x), i, p)\n"
    for lanes in ("", 2, 4, 8, 16)
)
SHUFFLE = re.compile(r"__builtin_shufflevector\((\w+), (\w+), ([\d, ]+)\)")
PART = re.compile(r"\b(\w+\d) (\w+) = (\w+)\.s([0-9a-f]{2,});")
LOADED = re.compile(
    r"(\(\*\(__global (?:const )?([a-z]+)16(?:_unaligned)? \*\)\([^;]*?\)\))\.(hi|lo|s[0-9a-f]{2,})\b"
)
STORED = {"bool": np.uint8, "bfloat16": np.uint16, "index": np.int64}  # others by their own name


def check(files: Sequence[Path], processes: int = PROCESSES, budget: int = BUDGET) -> dict[Path, list[str]]:
    """The reports about each recorded kernel: none for a clean one. A kernel of more than `budget` instructions is launched in parts."""
    reports: dict[Path, list[str]] = {}
    kernels = {file: json.loads(file.read_text()) for file in files}
    launched = {file: _items_of_launches(kernels[file], budget) for file in files}
    longest_first = sorted(  # so that processes end at one time
        files, key=lambda file: sum(launched[file]) * _steps(kernels[file]), reverse=True
    )
    alone = frozenset(file for file in files if max(launched[file]) == 1)
    shares = [longest_first[start::processes] for start in range(processes)]
    with ThreadPoolExecutor(processes) as pool:
        for share in pool.map(partial(_check_share, budget, alone), shares):
            reports.update(share)
    return reports


def check_kernel(kernel: RenderedKernel, arrays: Sequence[np.ndarray | None] | None = None) -> list[str]:
    """The reports about one kernel; `arrays` are its arguments, None for what it writes, or all are drawn at random."""
    (reports,) = check_kernels([kernel], arrays)
    return reports


def check_kernels(
    kernels: Sequence[RenderedKernel], arrays: Sequence[np.ndarray | None] | None = None
) -> list[list[str]]:
    """The reports about each kernel, all of them in one process, which takes a second to start."""
    from eqsat.runtime.record import document

    with tempfile.TemporaryDirectory() as directory:
        files = [Path(directory, f"{number}.json") for number in range(len(kernels))]
        for file, kernel in zip(files, kernels, strict=True):
            recorded = document(kernel)
            if arrays is not None:
                recorded["data"] = [None if array is None else array.tolist() for array in arrays]
            file.write_text(json.dumps(recorded))
        reports = check(files, 1)
    return [reports[file] for file in files]


def described(file: Path) -> str:
    """What to print above the reports about a recorded kernel."""
    kernel = json.loads(file.read_text())
    return f"{kernel['name']}, {kernel['global_size']} work-items in groups of {kernel['local_size']}:\n{kernel['source']}"


def _check_share(budget: int, alone: Collection[Path], files: list[Path]) -> dict[Path, list[str]]:
    """Check all for all errors, those of which one work-item is launched at a time for all but races.

    Those that this ends with a segmentation fault are then checked for all but uninitialized reads.
    """
    reports: dict[Path, list[str]] = {}
    for switches in (SWITCHES | RACES, SWITCHES):
        chosen = [file for file in files if (file in alone) is (switches is SWITCHES)]
        found, crashed = _checked(chosen, budget, switches | INITIALIZED)
        reports |= found | _checked(crashed, budget, switches)[0]
    return reports


def _checked(
    files: list[Path], budget: int, switches: Mapping[str, str]
) -> tuple[dict[Path, list[str]], list[Path]]:
    """Check in one process after another, until every file has its reports; and which files ended theirs with a segmentation fault.

    Reports count if a kernel is the first of its process. In memory that another kernel had, Oclgrind takes for uninitialized what a kernel reads
    back of its own stores; that is why each has a context of its own, and one that is reported all the same is asked again alone.
    """
    reports: dict[Path, list[str]] = {}
    crashed: list[Path] = []
    waiting = list(files)
    while waiting:
        done, trouble, has_crashed = _run_child(waiting, budget, switches)
        reports.update(done)
        last = next(reversed(done), None)
        is_doubtful = last is not None and last != waiting[0] and bool(reports[last])
        waiting = waiting[len(done) :]
        if trouble and waiting:
            culprit = waiting.pop(0)
            reports[culprit] = [trouble]
            crashed += [culprit] if has_crashed else []
        if is_doubtful:
            waiting.insert(0, last)
    return reports, crashed


def _run_child(
    files: list[Path], budget: int, switches: Mapping[str, str]
) -> tuple[dict[Path, list[str]], str, bool]:
    """The reports of one process, in the order of `files`; why it ended early otherwise than by a report, and whether by a segmentation fault."""
    with tempfile.TemporaryDirectory() as directory:
        listed = Path(directory, "files")
        listed.write_text("\n".join(map(str, files)))
        log = Path(directory, "log")
        log.touch()
        environment = {**os.environ, **switches, "OCLGRIND_LOG": str(log), LIMIT: str(budget)}
        child = subprocess.Popen(
            [sys.executable, __file__, str(listed)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        output, errors = child.communicate()
        trouble = ""
        if child.returncode == -signal.SIGALRM:
            trouble = f"the referee took more than {SECONDS} s"
        elif child.returncode:
            trouble = f"the referee ended with status {child.returncode}: {errors[-2000:]}"
    reports = {Path(path): found for path, found in map(json.loads, output.splitlines())}
    return reports, trouble, child.returncode == -signal.SIGSEGV


def _serve(listed: Path) -> None:
    """In the child: check each file in turn, print its reports as a line of JSON, and end after the first with any."""
    import pyopencl as cl

    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    platform = next(platform for platform in cl.get_platforms() if "Oclgrind" in platform.name)
    with Path(os.environ["OCLGRIND_LOG"]).open(encoding="utf-8", errors="replace") as log:
        for name in listed.read_text().splitlines():
            signal.alarm(SECONDS)  # ends the process
            context = cl.Context(platform.get_devices())  # new memory, of which nothing is known
            _launch(context, json.loads(Path(name).read_text()))
            reports = _split(log.read())
            sys.stdout.write(json.dumps([name, reports]) + "\n")
            sys.stdout.flush()
            if reports:
                break


def _launch(context: cl.Context, kernel: dict[str, Any]) -> None:
    import pyopencl as cl

    queue = cl.CommandQueue(context)
    generator = np.random.default_rng(len(kernel["source"]))
    given = kernel.get("data") or [None] * len(kernel["arguments"])
    buffers = [
        _buffer(context, argument, data, generator)
        for argument, data in zip(kernel["arguments"], given, strict=True)
    ]
    variables = [np.dtype(STORED.get(name, name)).type(value) for name, value in kernel["variables"]]
    for chosen in _launches(kernel, int(os.environ.get(LIMIT, BUDGET))):
        size = tuple(len(groups) * local for groups, local in zip(chosen, kernel["local_size"], strict=True))
        program = cl.Program(context, _shifted(understandable(kernel["source"]), chosen))
        _ = program.int_ptr  # a program that has a handle is built past pyopencl's own cache, a fifth faster
        launched = cl.Kernel(program.build(options=OPTIONS), kernel["name"])
        launched.set_args(*buffers, *variables)
        cl.enqueue_nd_range_kernel(queue, launched, size, tuple(kernel["local_size"]))
        queue.finish()


def _buffer(
    context: cl.Context, argument: dict[str, Any], data: Any, generator: np.random.Generator
) -> cl.Buffer:
    import pyopencl as cl

    dtype = np.dtype(STORED.get(argument["dtype"], argument["dtype"]))
    size = argument["size"]
    if (data is None and argument["unset"]) or size == 0:
        return cl.Buffer(context, cl.mem_flags.READ_WRITE, max(1, size) * dtype.itemsize)
    if data is not None:
        values = np.asarray(data, dtype)
    else:
        values = np.resize(_drawn(argument["dtype"], dtype, min(size, PERIOD), generator), size)
    return cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=values)


def _steps(kernel: dict[str, Any]) -> int:
    """Instructions of one work-item; a guess of kernels that tests wrote by hand, which have none to count."""
    return kernel["steps"] or BY_HAND


def _drawn(name: str, dtype: np.dtype, size: int, generator: np.random.Generator) -> np.ndarray:
    if name == "bfloat16":
        return (generator.uniform(-2, 2, size).astype(np.float32).view(np.uint32) >> 16).astype(dtype)
    if dtype.kind == "f":
        return generator.uniform(-2, 2, size).astype(dtype)
    return generator.integers(0, 2 if name == "bool" else 4, size).astype(dtype)


def _launches(kernel: dict[str, Any], budget: int) -> list[list[Sequence[int]]]:
    """The work-groups of each launch, by their numbers along each dimension: all of the grid, or its corners together, and the middle."""
    local, steps = kernel["local_size"], _steps(kernel)
    groups = [total // part for total, part in zip(kernel["global_size"], local, strict=True)]
    whole: list[Sequence[int]] = [range(total) for total in groups]
    items = prod(local)
    if prod(groups) * items * steps <= budget:
        return [whole]
    count = 2 if 2 ** len(groups) * items * steps * 3 ** len(groups) <= NEIGHBOURS else 1
    boxes = [min(count, total) for total in groups]
    is_short = items * steps <= budget
    corners: list[Sequence[int]] = [
        sorted({*range(box * is_short), *range(total - box, total)})
        for total, box in zip(groups, boxes, strict=True)
    ]
    middle: list[Sequence[int]] = [
        range((total - box) // 2, (total + box) // 2) for total, box in zip(groups, boxes, strict=True)
    ]
    launches = [corners, middle] if count == 2 else [corners]
    return launches if sum(prod(map(len, each)) for each in launches) < prod(groups) else [whole]


def _items_of_launches(kernel: dict[str, Any], budget: int) -> list[int]:
    """The number of work-items of each launch."""
    return [prod(map(len, each)) * prod(kernel["local_size"]) for each in _launches(kernel, budget)]


def understandable(source: str) -> str:
    """The source, with what Oclgrind misjudges put in another way."""
    source = LOADED.sub(_loaded_lanes, PART.sub(_lane_by_lane, SHUFFLE.sub(_one_by_one, source)))
    if "16" in source and ".hi" in source:
        source = UPPER + re.sub(r"\b(\w+)\.hi\b", r"upper(\1)", source)
    return HALVES + source if "vstore_half" in source else source


def _one_by_one(shuffle: re.Match[str]) -> str:
    """The lanes that a shuffle picks of two vectors, which have as many."""
    lanes = [int(lane) for lane in shuffle[3].split(",")]
    return ", ".join(f"{shuffle[1 + lane // len(lanes)]}.s{lane % len(lanes):x}" for lane in lanes)


def _lane_by_lane(part: re.Match[str]) -> str:
    """A declaration of some lanes of a vector, each of them named."""
    kind, name, whole, lanes = part.groups()
    return f"{kind} {name} = ({kind})({', '.join(f'{whole}.s{lane}' for lane in lanes)});"


def _loaded_lanes(part: re.Match[str]) -> str:
    """Some lanes of a vector in memory, each of them named."""
    whole, kind, lanes = part.groups()
    lanes = {"hi": "s89abcdef", "lo": "s01234567"}.get(lanes, lanes)[1:]
    return f"({kind}{len(lanes)})({', '.join(f'{whole}.s{lane}' for lane in lanes)})"


def _shifted(source: str, chosen: Sequence[Sequence[int]]) -> str:
    """The source, for a launch of some work-groups, whose numbers along each dimension these are."""
    further = " : ".join(f"(d) == {axis} ? {_further(groups)}" for axis, groups in enumerate(chosen))
    if all(groups[-1] == len(groups) - 1 for groups in chosen):
        return source
    return (
        f"#define get_group_id(d) (get_group_id(d) + ({further} : 0))\n"
        f"#define get_global_id(d) (get_group_id(d) * get_local_size(d) + get_local_id(d))\n{source}"
    )


def _further(groups: Sequence[int]) -> str:
    """What is added to the number that a group has in the launch, as text: the first groups begin somewhere, others after a gap."""
    gap = next((place for place, group in enumerate(groups) if group != groups[0] + place), 0)
    return f"(get_group_id(d) < {gap} ? {groups[0]} : {groups[gap] - gap})"


def _split(log: str) -> list[str]:
    """The reports in a log, shortened; they are separated by blank lines, and their details indented."""
    reports: list[list[str]] = []
    for line in log.splitlines():
        if line and not line.startswith("\t"):
            reports.append([line])
        elif line.strip() and reports:
            reports[-1].append(line.strip())
    return ["\n  ".join(lines) for lines in reports[:KEPT]]


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
