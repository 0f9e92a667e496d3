"""Measures the time from array program to rendered OpenCL source, without the OpenCL compiler, beside tinygrad's own Python time.

Both do all of it in one process, and take turns: eqsat traces, saturates, extracts, schedules and renders; tinygrad (its OpenCL
renderer on its NULL device) builds, schedules, lowers and renders. Results are not reused: eqsat's caches are not on this path, and
tinygrad's program and schedule caches are emptied or off before each turn. Whatever either keeps until the process ends (compiled
patterns, registered rules, interned nodes) stays warm for both. The first turn of each is reported separately.

Needs the `benchmark` extra: pip install -e ".[benchmark]"
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter
from typing import Any

import eqsat as eq
from benchmarks.report import milliseconds, parser, publish
from benchmarks.stages import render_sources
from eqsat.demo.programs import PROGRAMS
from eqsat.dtype import parse_dtype

# tinygrad reads these once, when it is imported: no device, no cache on disk, no schedule cache, no worker processes
TINYGRAD_ENVIRONMENT = {"DEV": "NULL:OPENCL", "CCACHE": "0", "SCACHE": "0", "PARALLEL": "0"}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure every operation that both can express."""
    parsed = parser(__doc__).parse_args(arguments)
    rivals = tinygrad_programs()
    rows = [measure(name, lower, parsed.rounds) for name, lower in rivals.items()]
    publish("optimize_time", rows, parsed)


def measure(name: str, tinygrad: Callable[[], Any], rounds: int) -> dict[str, Any]:
    """One row; `ratio` is the median of eqsat's time over tinygrad's, turn by turn."""
    ours = eqsat_program(name)
    times = {"eqsat": [seconds(ours)], "tinygrad": [seconds(tinygrad)]}
    for _ in range(rounds):
        times["eqsat"].append(seconds(ours))
        times["tinygrad"].append(seconds(tinygrad))
    pairs = zip(times["eqsat"][1:], times["tinygrad"][1:], strict=True)
    return {
        "operation": name,
        "eqsat_ms": milliseconds(median(times["eqsat"][1:])),
        "tinygrad_ms": milliseconds(median(times["tinygrad"][1:])),
        "ratio": round(median(mine / theirs for mine, theirs in pairs), 3),
        "first_eqsat_ms": milliseconds(times["eqsat"][0]),
        "first_tinygrad_ms": milliseconds(times["tinygrad"][0]),
        "first_ratio": round(times["eqsat"][0] / times["tinygrad"][0], 3),
    }


def seconds(run: Callable[[], Any]) -> float:
    """The seconds of one call."""
    start = perf_counter()
    run()
    return perf_counter() - start


def eqsat_program(name: str) -> Callable[[], Any]:
    """A function that traces one program and lowers it to rendered source."""
    program = PROGRAMS[name]
    specs = [eq.spec(shape, parse_dtype(dtype)) for shape, dtype in program.inputs]
    return lambda: render_sources(eq.trace(program.bind(eq), *specs), eq.Plan())


def tinygrad_programs() -> dict[str, Callable[[], Any]]:
    """The same operations, written for tinygrad, on the same shapes, lowered to source."""
    os.environ.update(TINYGRAD_ENVIRONMENT)
    try:
        from tinygrad import Tensor
        from tinygrad.codegen import to_program_cache
        from tinygrad.engine.realize import compile_linear
    except ImportError:
        sys.exit('this benchmark needs tinygrad: pip install -e ".[benchmark]"')

    def lower(build: Callable[..., Any], name: str) -> Callable[[], Any]:
        def run() -> Any:
            to_program_cache.clear()
            inputs = [Tensor.empty(*shape) for shape, _ in PROGRAMS[name].inputs]
            return compile_linear(build(*inputs).schedule_linear())

        return run

    builders: dict[str, Callable[..., Any]] = {
        "softmax": lambda x: x.softmax(-1),
        "matmul": lambda a, b: a @ b,
        "layer_norm": lambda x, scale, shift: x.layernorm() * scale + shift,
        "attention": lambda queries, keys, values: queries.scaled_dot_product_attention(keys, values),
        "conv2d": lambda images, weights: images.conv2d(weights, padding=1),
    }
    return {name: lower(build, name) for name, build in builders.items()}


if __name__ == "__main__":
    main()
