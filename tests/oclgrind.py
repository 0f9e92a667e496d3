"""The referee: recorded kernels run under Oclgrind, which reports races, accesses out of bounds, uninitialized reads, divergence.

`check` takes the files that `eqsat.runtime.record` wrote and returns what Oclgrind reports about each kernel. Kernels run in
a few subprocesses, many in each; a kernel with reports ends its process, because Oclgrind counts errors over a whole process
and falls silent after a number of them, and the rest go on in a new one.

**Large kernels.** Oclgrind executes a third of a million to two million instructions per second. A kernel whose launch would take more than
`BUDGET` instructions is launched on parts of its grid only: boxes of two work-groups per dimension at every corner, and
one in the middle; where these would take more than `NEIGHBOURS` instructions, one work-group at every corner; where one takes more than the
budget, the last one alone, since accesses leave buffers at their far ends (such kernels, 40 of 2,400, took three quarters of the time of all).
An index that is an affine function of the work-item's coordinates has its extremes over the grid at corners, so that accesses out of bounds show
there; two neighbours per dimension show overlapping tiles as a race. What parts
cannot show is a race between work-items that are far apart, and a bound missed only for some coordinates inside, by a quotient
or a remainder of them; the same kernel on small sizes, which most tests use, is run in full.

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

import itertools
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
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
    "OCLGRIND_DATA_RACES": "1",
    "OCLGRIND_UNIFORM_WRITES": "1",  # two work-items that write one value to one place race, too
    "OCLGRIND_NUM_THREADS": "1",
    "OCLGRIND_LOCAL_MEM_SIZE": str(1 << 21),  # as much as PoCL may have, which kernels are made for
    "OCLGRIND_MAX_ERRORS": "50",
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
    longest_first = sorted(files, key=_instructions, reverse=True)  # so that processes end at one time
    shares = [longest_first[start::processes] for start in range(processes)]
    with ThreadPoolExecutor(processes) as pool:
        for share in pool.map(partial(_check_share, budget), shares):
            reports.update(share)
    return reports


def _instructions(file: Path) -> int:
    """How many instructions a launch of a recorded kernel takes."""
    kernel = json.loads(file.read_text())
    return prod(kernel["global_size"]) * _steps(kernel)


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


def _check_share(budget: int, files: list[Path]) -> dict[Path, list[str]]:
    """Check all for all errors, then those that this ends with a segmentation fault for all but uninitialized reads."""
    reports, crashed = _checked(files, budget, SWITCHES | INITIALIZED)
    return reports | _checked(crashed, budget, SWITCHES)[0]


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
    for start, size in _parts(kernel):
        program = cl.Program(context, _shifted(understandable(kernel["source"]), start))
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


def _parts(kernel: dict[str, Any]) -> Iterable[tuple[tuple[int, ...], tuple[int, ...]]]:
    """(first work-item, work-items) per launch: the whole grid, or boxes at its corners and one in the middle."""
    size, local = kernel["global_size"], kernel["local_size"]
    whole = [((0,) * len(size), tuple(size))]
    budget = int(os.environ.get(LIMIT, BUDGET))
    if prod(size) * _steps(kernel) <= budget:
        return whole
    count = 2 if 2 ** len(size) * prod(local) * _steps(kernel) * 3 ** len(size) <= NEIGHBOURS else 1
    groups = [total // part for total, part in zip(size, local, strict=True)]
    boxes = [min(count, total) for total in groups]
    starts = [sorted({0, (total - box) // 2, total - box}) for total, box in zip(groups, boxes, strict=True)]
    middle = tuple(choices[len(choices) // 2] for choices in starts)
    corners = set(itertools.product(*({choices[0], choices[-1]} for choices in starts)))
    extent = tuple(box * part for box, part in zip(boxes, local, strict=True))
    if prod(local) * _steps(kernel) > budget:
        corners = {max(corners)}
    inside = {middle} if count == 2 else set()
    parts = [
        (tuple(group * part for group, part in zip(start, local, strict=True)), extent)
        for start in sorted(corners | inside)
    ]
    return parts if len(parts) * prod(extent) < prod(size) else whole


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


def _shifted(source: str, start: tuple[int, ...]) -> str:
    """The source, for a launch that starts at another work-item than the first."""
    if not any(start):
        return source
    item = " : ".join(f"(d) == {axis} ? {offset}" for axis, offset in enumerate(start))
    return (
        f"#define get_group_id(d) (get_group_id(d) + ({item} : 0) / get_local_size(d))\n"
        f"#define get_global_id(d) (get_global_id(d) + ({item} : 0))\n{source}"
    )


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
