"""One library on one program and batch, in a process of its own: a line on standard input asks for a turn, a line of output answers."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import import_module
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.autobatch.inputs import inputs

TURN = 0.05  # seconds of a turn
PEERS = ("eqsat", "numba", "jax", "tfp", "numpy")
LIBRARIES = {
    "eqsat": "eqsat.autobatch",
    "numpy": "eqsat.autobatch",
    "numba": "numba",
    "jax": "jax",
    "tfp": "tensorflow_probability",
}


def prepare(peer: str, program: str, batch: int) -> Callable[[], Any] | None:
    """A call that computes the results and waits for them; None if the library has no such program."""
    given = inputs(program, batch)
    match peer:
        case "numba":
            from benchmarks.autobatch import numba_programs

            return lambda: numba_programs.PROGRAMS[program](*given)
        case "jax":
            from benchmarks.autobatch import jax_programs

            function = jax_programs.PROGRAMS.get(program)
            return None if function is None else lambda: np.asarray(function(*given))
        case "tfp":
            from benchmarks.autobatch import tfp_programs

            compute = tfp_programs.PROGRAMS.get(program)
            return None if compute is None else lambda: compute(*given)
        case _:
            from benchmarks.autobatch import eqsat_programs

            compiled = eqsat_programs.PROGRAMS[program].compiled(*given)
            machine: Any = "opencl" if peer == "eqsat" else "numpy"
            return lambda: compiled.run(given, machine=machine)


def turn(call: Callable[[], Any]) -> list[float]:
    """The seconds of each call, for as many calls as fill a turn."""
    taken: list[float] = []
    end = perf_counter() + TURN
    while not taken or perf_counter() < end:
        start = perf_counter()
        call()
        taken.append(perf_counter() - start)
    return taken


def main() -> None:
    """Prepares a program, prints the sum of its first results and the seconds to get them, and takes turns until input ends.

    These seconds begin after the library has been imported.
    """
    peer, program, batch = sys.argv[1], sys.argv[2], int(sys.argv[3])
    import_module(LIBRARIES[peer])
    start = perf_counter()
    call = prepare(peer, program, batch)
    answer = None if call is None else [float(np.sum(call(), dtype=np.float64)), perf_counter() - start]
    print(json.dumps(answer), flush=True)
    for _ in sys.stdin:
        assert call is not None
        print(json.dumps(turn(call)), flush=True)


if __name__ == "__main__":
    main()
