"""Measures kernels of eqsat on a graphics card, beside torch on the same card: the workloads of `benchmarks.kernels`, and larger ones.

Both have their arrays on the card. The time of eqsat is the sum of the times of its kernels by the card's own clock (medians of runs). The time of
torch is the median over turns of the replay of a CUDA graph of what a user would write; if no graph can be recorded, of calls that follow each
other. `error` is the largest error of the results, relative to the greatest value of a reference in float64. torch computes convolutions in TF32,
which is its default.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from math import exp, log
from multiprocessing import get_context
from statistics import median
from typing import Any, NamedTuple

import eqsat as eq
from benchmarks.kernels.peers import names_of
from benchmarks.kernels.table import WORKLOADS
from benchmarks.kernels.workload import Workload
from benchmarks.report import parser, publish
from eqsat.demo.report import as_list, largest_error

LARGE = {
    "sum_64m": ("sum", [(1 << 26,)]),
    "matmul_2048": ("matmul_512", [(2048, 2048), (2048, 2048)]),
    "softmax_8192x4096": ("softmax", [(8192, 4096)]),
    "layer_norm_8192x4096": ("layer_norm", [(8192, 4096), (4096,), (4096,)]),
}
"""Workloads of `benchmarks.kernels` on larger arrays, which keep a card busy."""
REPLAYS = 10  # replays of a graph in one turn
WARMING = 3  # calls before torch is recorded


class Made(NamedTuple):
    """The result of eqsat for a workload: the measured and the predicted seconds of each kernel, and the error of the result."""

    seconds: list[float]
    predicted: list[float]
    error: float


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the workloads named on the command line, or all of them."""
    table = {**WORKLOADS, **{name: _larger(name) for name in LARGE}}
    command = parser(__doc__)
    command.add_argument("workloads", nargs="*", help=f"of {', '.join(table)}; all if none is named")
    command.add_argument("--device", help="OpenCL device by name or a part of it")
    command.add_argument("--processes", type=int, default=8, help="that compile (default: %(default)s)")
    parsed = command.parse_args(arguments)
    names = parsed.workloads or list(table)
    with ProcessPoolExecutor(parsed.processes, get_context("spawn")) as pool:
        # afterwards plans and binaries are in the cache
        list(pool.map(partial(_compile, parsed.device), [table[name] for name in names]))
    rows = [row(table[name], parsed.device, parsed.rounds) for name in names]
    ratios = [each["ratio"] for each in rows if each["ratio"] is not None]
    mean = exp(sum(map(log, ratios)) / len(ratios)) if ratios else None
    device = eq.get_device(parsed.device).name
    publish("cards", rows, parsed, of=device, device=device, geometric_mean=mean)
    if mean is not None and not parsed.json:
        print(f"geometric mean of torch's time over eqsat's: {mean:.2f}")


def row(workload: Workload, device: str | None, rounds: int) -> dict[str, Any]:
    """One line of the table, in microseconds."""
    made, theirs = measure(workload, device, rounds), of_torch(workload, rounds)
    own = sum(made.seconds)
    return {
        "workload": workload.name,
        "eqsat": own * 1e6,
        "kernels": len(made.seconds),
        "predicted": sum(made.predicted) * 1e6,
        "torch": None if theirs is None else theirs * 1e6,
        "ratio": None if theirs is None else theirs / own,
        "error": made.error,
    }


def measure(workload: Workload, device: str | None, rounds: int) -> Made:
    """The times of eqsat by the clock of the device, and its error."""
    arrays = workload.arrays()
    program = _program(workload, device)
    error = largest_error(as_list(program(*arrays)), workload.reference(arrays))
    seconds = list(program.profile(*arrays, repeats=rounds))
    return Made(seconds, [kernel.predicted_seconds for kernel in program.schedule.kernels], error)


def of_torch(workload: Workload, rounds: int) -> float | None:
    """The seconds of torch on its card; None if it has no card, or is not installed."""
    try:
        import torch
    except ImportError:
        return None
    if not torch.cuda.is_available():
        return None
    torch.set_grad_enabled(False)
    tensors = [torch.from_numpy(array).cuda() for array in workload.arrays()]
    run = partial(workload.function_for("torch"), names_of("torch"), *tensors)
    for _ in range(WARMING):
        run()
    step, seconds = _recorded(torch, run), list[float]()
    for _ in range(rounds):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(REPLAYS):
            step()
        end.record()
        torch.cuda.synchronize()
        seconds.append(begin.elapsed_time(end) * 1e-3 / REPLAYS)
    return median(seconds)


def _recorded(torch: Any, run: Callable[[], Any]) -> Callable[[], Any]:
    """The replay of a CUDA graph of a call, which takes no time of the host; the call itself if it waits for the host."""
    graph = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    try:
        with torch.cuda.graph(graph):
            run()
    except RuntimeError:
        return run
    graph.replay()
    return graph.replay


def _program(workload: Workload, device: str | None) -> eq.Program:
    specs = [eq.spec(array.shape, getattr(eq, str(array.dtype))) for array in workload.arrays(small=False)]
    graph = eq.trace(partial(workload.function_for("eqsat"), eq), *specs)
    return eq.compile(graph, eq.Plan(device=device))


def _compile(device: str | None, workload: Workload) -> None:
    _program(workload, device)(*workload.arrays())


def _larger(name: str) -> Workload:
    base, shapes = WORKLOADS[LARGE[name][0]], LARGE[name][1]
    inputs = [each._replace(shape=shape) for each, shape in zip(base.inputs, shapes, strict=True)]
    return replace(base, name=name, inputs=tuple(inputs))


if __name__ == "__main__":
    main()
