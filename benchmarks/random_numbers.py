"""Measures random numbers beside NumPy, JAX and torch: milliseconds to draw an array of uniform or normal float32.

Each library runs in a process of its own, and they take turns. The time of a turn is the least of three draws. Results are dropped, so that
libraries with a pool of memory (eqsat, JAX) use it again. `ratio` is the peer's median over turns divided by eqsat's; `least_ratio` is the same
for the least times. Each library uses its default number of threads. NumPy's generators have a state; eqsat's and JAX's are functions of a key.
Peers that are not installed are left out.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.report import milliseconds, parser, publish

SIZES = 10**6, 10**7
DISTRIBUTIONS = "uniform", "normal"
PACKAGES = {"eqsat": "eqsat", "philox": "numpy", "pcg64": "numpy", "jax": "jax", "torch": "torch"}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure all installed libraries; with `--worker NAME`, serve as one of them."""
    command = parser(__doc__)
    command.add_argument(
        "--worker", choices=PACKAGES, help="serve as this library, on standard input and output"
    )
    parsed = command.parse_args(arguments)
    if parsed.worker:
        serve(parsed.worker)
        return
    names = [name for name, package in PACKAGES.items() if find_spec(package)]
    with ExitStack() as stack:
        peers = {name: stack.enter_context(process(name)) for name in names}
        rows = [
            row
            for distribution in DISTRIBUTIONS
            for size in SIZES
            for row in contest(peers, distribution, size, parsed.rounds)
        ]
    publish("random_numbers", rows, parsed)


def contest(
    peers: dict[str, subprocess.Popen[str]], distribution: str, size: int, rounds: int
) -> Iterator[dict[str, Any]]:
    """A row for each library; the first turn, in which libraries compile, does not count."""
    times: dict[str, list[float]] = {name: [] for name in peers}
    for turn in range(rounds + 1):
        for name, peer in peers.items():
            assert peer.stdin is not None
            assert peer.stdout is not None
            peer.stdin.write(json.dumps([distribution, size]) + "\n")
            peer.stdin.flush()
            if turn:
                times[name].append(float(peer.stdout.readline()))
            else:
                peer.stdout.readline()
    ours = times["eqsat"]
    for name, taken in times.items():
        yield {
            "distribution": distribution,
            "size": size,
            "library": name,
            "median_ms": milliseconds(median(taken)),
            "least_ms": milliseconds(min(taken)),
            "ratio": round(median(taken) / median(ours), 2),
            "least_ratio": round(min(taken) / min(ours), 2),
        }


@contextmanager
def process(name: str) -> Iterator[subprocess.Popen[str]]:
    """The process of a library, which waits for its turns."""
    worker = [sys.executable, "-m", "benchmarks.random_numbers", "--worker", name]
    with subprocess.Popen(worker, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as peer:
        yield peer


def serve(name: str) -> None:
    """Answers each line, a distribution and a size, with the least seconds of three draws."""
    make = {"eqsat": eqsat_draws, "jax": jax_draws, "torch": torch_draws}.get(name)
    known: dict[tuple[str, int], Callable[[], Any]] = {}
    for line in sys.stdin:
        distribution, size = json.loads(line)
        if (distribution, size) not in known:
            known[distribution, size] = (
                make(distribution, size) if make else numpy_draws(name, distribution, size)
            )
        print(min(seconds(known[distribution, size]) for _ in range(3)), flush=True)


def seconds(run: Callable[[], Any]) -> float:
    """The seconds of one call."""
    start = perf_counter()
    run()
    return perf_counter() - start


def eqsat_draws(distribution: str, size: int) -> Callable[[], Any]:
    """A function that draws by `eq.jit` from a given key."""
    import eqsat as eq

    draw = getattr(eq.random, distribution)
    run = eq.jit(lambda key: draw(key, (size,)))
    return lambda: run(np.uint64(1))


def numpy_draws(name: str, distribution: str, size: int) -> Callable[[], Any]:
    """A function that draws by a `Generator` with one of NumPy's bit generators."""
    random = np.random.Generator(np.random.Philox(1) if name == "philox" else np.random.PCG64(1))
    draw = random.random if distribution == "uniform" else random.standard_normal
    return lambda: draw(size, np.float32)


def jax_draws(distribution: str, size: int) -> Callable[[], Any]:
    """A function that draws by `jax.jit` from a given key."""
    import jax

    draw = getattr(jax.random, distribution)
    run = jax.jit(lambda key: draw(key, (size,)))
    key = jax.random.key(1)
    return lambda: run(key).block_until_ready()


def torch_draws(distribution: str, size: int) -> Callable[[], Any]:
    """A function that draws by torch's default generator."""
    import torch

    draw = torch.rand if distribution == "uniform" else torch.randn
    return lambda: draw(size)


if __name__ == "__main__":
    main()
