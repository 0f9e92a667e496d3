"""Measures the run times of the extracted programs of one graph, side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from numpy.typing import NDArray

from eqsat.demo.measure import interleaved_times
from eqsat.errors import EqsatError
from eqsat.graph_files.inputs import by_slot, inputs_of, random_arrays
from eqsat.pipeline import Plan, compile_as_it_is
from eqsat.runtime import Device
from eqsat.runtime.task import Failure
from eqsat.uop import UOp

SEED = 0  # seed of the random arrays
ROUNDS = 15  # calls of each program that are timed
SECONDS_EACH = 1.0  # time for all rounds of a program


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments with which the programs of one graph are called.

    Attributes:
        graph: the given graph, from which the shapes of its arrays are known.
        captured: flat arrays that were part of the graph; they are its last arguments.
    """

    graph: UOp
    captured: tuple[NDArray[Any], ...]

    def arrays(self) -> list[NDArray[Any]]:
        """One array for each argument; arrays that the graph did not contain are random."""
        inputs = inputs_of(self.graph)
        arrays = by_slot(self.graph, random_arrays(inputs, SEED), inputs, {})
        first = len(arrays) - len(self.captured)
        return [*arrays[:first], *self.captured]


def measure(
    arguments: Arguments, graphs: Sequence[UOp], device: str | int | Device | None
) -> list[float | Failure]:
    """Median seconds of one call of each graph, compiled without further optimization; the programs take turns."""
    arrays = arguments.arrays()
    calls = [_compiled(graph, arrays, device) for graph in graphs]
    rivals = {str(number): call for number, call in enumerate(calls) if not isinstance(call, Failure)}
    times = interleaved_times(rivals, ROUNDS, SECONDS_EACH * len(rivals))
    return [
        call if isinstance(call, Failure) else times[str(number)].median for number, call in enumerate(calls)
    ]


def _compiled(
    graph: UOp, arrays: Sequence[Any], device: str | int | Device | None
) -> Callable[[], Any] | Failure:
    try:
        call = partial(compile_as_it_is(graph, Plan(device=device)), *arrays)
        call()
    except EqsatError as error:
        return Failure.of(error)
    return call
