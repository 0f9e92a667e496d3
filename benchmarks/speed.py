"""Measures the time to optimize, to compile and to run, beside NumPy: medians of turns taken side by side.

NumPy runs the same lines as eqsat, or for the convolution the quickest way it has. `ratio` is NumPy's time over eqsat's, and
`least_ratio` is the same for the least times. Other work on the machine slows NumPy most, because its threads spin while they wait.

With `--calls`, whole warm calls of small programs are measured, one after the other: median and least microseconds of the jitted function,
of the compiled program and of NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

import eqsat as eq
from benchmarks.report import milliseconds, parser, publish
from eqsat.demo.measure import interleaved_times
from eqsat.demo.programs import PROGRAMS, Program
from eqsat.demo.report import as_list, largest_error
from eqsat.dtype import from_numpy

WORKLOADS = (
    "matmul",
    "softmax",
    "layer_norm",
    "elementwise",
    "sum",
    "conv2d",
    "attention",
    "transformer",
    "image",
)

# Floating-point operations and bytes of one run, for programs whose rate says more than their time.
FLOPS = {
    "matmul": 2 * 1024**3,
    "conv2d": 2 * 8 * 64 * 64 * 9 * 56 * 56,
    "attention": 2 * 2 * 8 * 512 * 512 * 64,
}
BYTES = {
    "softmax": 2 * 4 * 4096 * 1024,
    "layer_norm": 2 * 4 * 4096 * 1024,
    "elementwise": 2 * 4 << 24,
    "sum": 4 << 24,
}


def line(_: Any, x: Any) -> Any:
    """The smallest program."""
    return x * 2 + 1


FLOATS = "float32"
LINE = Program("line", line, (((1,), FLOATS),), "x * 2 + 1")
CALLED = (
    *(replace(LINE, inputs=(((size,), FLOATS),)) for size in (1, 8, 1000)),
    replace(PROGRAMS["softmax"], inputs=(((64, 64), FLOATS),)),
    PROGRAMS["layer_norm"],
)
CALLS = 2000  # the most calls of one program
CALL_SECONDS = 10.0  # after which no more calls are made


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the workloads named on the command line, or all of them."""
    command = parser(__doc__)
    command.add_argument("workloads", nargs="*", help=f"of {', '.join(WORKLOADS)}; all if none is named")
    command.add_argument("--calls", action="store_true", help="measure whole calls of small programs instead")
    command.add_argument("--device", help="OpenCL device by name or a part of it")
    parsed = command.parse_args(arguments)
    if parsed.calls:
        publish("calls", [measure_calls(program, parsed.device) for program in CALLED], parsed)
        return
    names = parsed.workloads or WORKLOADS
    publish("speed", [measure(PROGRAMS[name], parsed.device, parsed.rounds) for name in names], parsed)


def measure(program: Program, device: str | None, rounds: int) -> dict[str, Any]:
    """One row: times in milliseconds, rates, ratio and largest error."""
    plan = eq.Plan(device=device)
    arrays = random_arrays(program)
    start = perf_counter()
    graph = eq.trace(program.bind(eq), *(eq.spec(array.shape, from_numpy(array.dtype)) for array in arrays))
    best = eq.optimize(graph, plan)
    optimized = perf_counter()
    compiled = eq.compile(best, plan)
    done = perf_counter()

    reference = program.in_numpy()
    error = largest_error(as_list(compiled(*arrays)), as_list(reference(*arrays)))
    rivals = {"eqsat": lambda: compiled(*arrays), "numpy": lambda: reference(*arrays)}
    times = interleaved_times(rivals, rounds, seconds=20.0)
    ours, theirs = times["eqsat"], times["numpy"]
    predicted = compiled.schedule.predicted_seconds
    return {
        "workload": program.name,
        "kernels": len(compiled.kernels),
        "optimize_ms": milliseconds(optimized - start),
        "compile_ms": milliseconds(done - optimized),
        "predicted_ms": milliseconds(predicted),
        "run_ms": milliseconds(ours.median),
        "numpy_ms": milliseconds(theirs.median),
        "ratio": round(theirs.median / ours.median, 3),
        "least_ratio": round(theirs.least / ours.least, 3),
        "GF/s": round(FLOPS[program.name] / ours.median / 1e9, 1) if program.name in FLOPS else None,
        "GB/s": round(BYTES[program.name] / ours.median / 1e9, 1) if program.name in BYTES else None,
        "error": error,
    }


def measure_calls(program: Program, device: str | None) -> dict[str, Any]:
    """One row: microseconds of whole calls, medians and the least."""
    plan = eq.Plan(device=device)
    arrays = random_arrays(program)
    specs = [eq.spec(array.shape, from_numpy(array.dtype)) for array in arrays]
    rivals = {
        "jit": eq.jit(program.bind(eq), plan=plan),
        "program": eq.compile(eq.trace(program.bind(eq), *specs), plan),
        "numpy": program.bind(np),
    }
    row: dict[str, Any] = {"call": program.name, "shape": str(arrays[0].shape)}
    for name, run in rivals.items():
        times = times_of_calls(run, arrays)
        row |= {f"{name}_us": round(median(times) * 1e6, 2), f"least_{name}_us": round(min(times) * 1e6, 2)}
    return row


def times_of_calls(run: Callable[..., Any], arrays: Sequence[NDArray[Any]]) -> list[float]:
    """Seconds of each of many calls in a row, after some that warm up."""
    for _ in range(3):
        run(*arrays)
    times: list[float] = []
    end = perf_counter() + CALL_SECONDS
    while len(times) < CALLS and perf_counter() < end:
        start = perf_counter()
        run(*arrays)
        times.append(perf_counter() - start)
    return times


def random_arrays(program: Program) -> list[NDArray[Any]]:
    """Random inputs with the default shapes of a program, the same in every run."""
    random = np.random.default_rng(0)
    return [
        random.random(shape, np.float32)
        if dtype == "float32"
        else random.integers(0, 256, shape).astype(dtype)
        for shape, dtype in program.inputs
    ]


if __name__ == "__main__":
    main()
