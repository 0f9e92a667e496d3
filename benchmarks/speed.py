"""Time to optimize, to compile and to run, beside NumPy: medians of turns taken side by side.

NumPy runs the same lines as eqsat, or for the convolution the quickest way it has. `ratio` is NumPy's time over eqsat's, and
`least_ratio` the same of the least times: other work on the machine slows NumPy most, whose threads spin while they wait.
"""

from __future__ import annotations

from collections.abc import Sequence
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

# Arithmetic and bytes of one run, where a rate says more than a time.
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


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the workloads named on the command line, or all of them."""
    command = parser(__doc__)
    command.add_argument("workloads", nargs="*", help=f"of {', '.join(WORKLOADS)}; all if none is named")
    command.add_argument("--device", help="OpenCL device by name or a part of it")
    parsed = command.parse_args(arguments)
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


def random_arrays(program: Program) -> list[NDArray[Any]]:
    """Inputs of the shapes a program is shown with, the same in every run."""
    random = np.random.default_rng(0)
    return [
        random.random(shape, np.float32)
        if dtype == "float32"
        else random.integers(0, 256, shape).astype(dtype)
        for shape, dtype in program.inputs
    ]


if __name__ == "__main__":
    main()
