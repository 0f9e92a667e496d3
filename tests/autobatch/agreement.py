"""All machines compute the same bits: `python -m tests.autobatch.agreement --inputs 1000` runs every workload, dtype and machine."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqsat.autobatch.batch_program import BatchProgram
from eqsat.autobatch.ir.patterns import leaves
from tests.autobatch.workloads import WORKLOADS

ORACLE = "interpreter"
MACHINES = ("static", "numpy", "opencl")


def differences(
    program: BatchProgram, inputs: Sequence[NDArray[Any]], machines: Sequence[str] = MACHINES
) -> list[str]:
    """Where a machine computes another bit than the interpreter; a NaN is as good as another."""
    found: list[str] = []
    with np.errstate(all="ignore"):
        wanted = list(leaves(program.run(inputs, machine=ORACLE)))
        for machine in machines:
            got = list(leaves(program.run(inputs, machine=machine)))  # pyright: ignore[reportArgumentType]
            assert len(got) == len(wanted)
            for place, (one, other) in enumerate(zip(got, wanted, strict=True)):
                if (one.dtype, one.shape) != (other.dtype, other.shape):
                    found.append(
                        f"{machine}: output {place} is {one.dtype}{one.shape}, not {other.dtype}{other.shape}"
                    )
                    continue
                wrong = np.argwhere(~_same(one, other))
                if len(wrong):
                    at = tuple(wrong[0])
                    given = [each[at[0]].tolist() for each in inputs]
                    found.append(
                        f"{machine}: output {place}, {len(wrong)} of {one.size}: {one[at]!r} and not {other[at]!r} for {given}"
                    )
    return found


def _same(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    bits = one.view(f"u{one.itemsize}") == other.view(f"u{other.itemsize}")
    return bits | ((one != one) & (other != other)) if one.dtype.kind == "f" else bits


def main() -> int:
    """Runs all, or the workloads that are named; the exit status says whether all agree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workloads", nargs="*", default=list(WORKLOADS))
    parser.add_argument("--inputs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parsed = parser.parse_args()
    wrong = 0
    for name in parsed.workloads:
        workload = WORKLOADS[name]
        start = perf_counter()
        for dtype in workload.dtypes:
            generator = np.random.default_rng(parsed.seed)
            found = differences(workload.program(dtype), workload.draw(generator, parsed.inputs, dtype))
            wrong += len(found)
            for line in found:
                print(f"{name} {dtype}: {line}")
        print(
            f"{name}: {len(workload.dtypes)} dtypes, {parsed.inputs} inputs, {perf_counter() - start:.1f} s",
            file=sys.stderr,
        )
    print(f"{wrong} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
