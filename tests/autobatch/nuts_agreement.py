"""NUTS on a Gaussian and on a regression: `python -m tests.autobatch.nuts_agreement --chains 1000` compares all machines with the interpreter.

Floats of elementary functions and of long sums differ in their last bits between machines, and a tree may turn back one step later for that:
so the number of chains is told that differ by more than 0.001, and how many of those had other trees.
"""

from __future__ import annotations

import argparse

import numpy as np

import eqsat as eq
from benchmarks.autobatch import nuts
from eqsat.autobatch.opencl import meetings

MACHINES = ("opencl", "numpy", "static")


def differing(program, given) -> dict[str, int]:
    """For each machine, how many chains end elsewhere than those of the interpreter."""
    wanted = program(*given, machine="interpreter")
    return {
        machine: int(np.any(np.abs(program(*given, machine=machine) - wanted) > 1e-3, axis=(1, 2)).sum())
        for machine in MACHINES
    }


def main() -> None:
    """Prints the numbers of chains that differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chains", type=int, default=1000)
    count = parser.parse_args().chains
    keys = eq.random.split(eq.random.key(1), count).numpy()
    example = nuts.example()
    given = (keys, np.zeros((count, 2, 2), np.float32), np.float32(0.5), np.int32(4))
    print(f"Gaussian, {count} chains: {differing(example.chains(example.gaussian), given)} differ")
    rows = np.random.default_rng(0).normal(size=(200, 5)).astype(np.float32)
    outcomes = (rows.sum(axis=1) > 0).astype(np.float32)
    meetings._FEWEST_SUMMANDS = meetings._FEWEST_SHARED = 1000

    @eq.autobatch.batch
    def posterior(position):
        logits = rows @ position
        height = eq.sum(outcomes * logits - eq.logaddexp(logits, logits * 0)) - (position @ position) / 2
        return height, (outcomes - 1 / (1 + eq.exp(-logits))) @ rows - position

    given = (keys, np.zeros((count, 2, 5), np.float32), np.float32(0.05), np.int32(3))
    print(f"regression, {count} chains: {differing(example.chains(posterior), given)} differ")


if __name__ == "__main__":
    main()
