"""Measures the seconds from a decorated function to its first result: `python -m benchmarks.autobatch.first_results`.

Each function runs in a process of its own, with no cache. The functions are those of `tests.autobatch.workloads`. Imports come before the clock
starts; opening the device, compiling rules and PoCL's compiler are counted.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from time import perf_counter, process_time

import numpy as np

MEMBERS = 100


def _first(name: str) -> None:
    """Runs in the child: prints wall-clock seconds and processor seconds."""
    from tests.autobatch.workloads import WORKLOADS

    workload = WORKLOADS[name]
    inputs = workload.draw(np.random.default_rng(0), MEMBERS, workload.dtypes[-1])
    start, processor = perf_counter(), process_time()
    workload.function.compiled(*inputs).run(inputs)
    print(f"{perf_counter() - start:.2f} {process_time() - processor:.2f}")


def main() -> None:
    """Prints a line for each function."""
    from tests.autobatch.workloads import WORKLOADS

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(WORKLOADS))
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parsed = parser.parse_args()
    if parsed.child:
        _first(parsed.child)
        return
    print(f"{'':12}   clock processors")
    for name in parsed.names:
        command = [sys.executable, "-m", "benchmarks.autobatch.first_results", "--child", name]
        environment = {**os.environ, "EQSAT_CACHE": "off"}
        seconds, processor = subprocess.check_output(command, env=environment, text=True).split()
        print(f"{name:12} {seconds:>7} {processor:>10}", flush=True)


if __name__ == "__main__":
    main()
