"""Runs the parts of a program on their devices. Devices work in parallel, and each part starts as soon as its arrays are ready."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqsat.distribution import Made, Source
from eqsat.extents import at
from eqsat.ops import Op

Arrays = Sequence[NDArray[Any]]
Values = Mapping[str, int]
Run = Callable[[list[NDArray[Any]], Values], Arrays]


@dataclass(frozen=True)
class Step:
    """A part of a program that can be run.

    Attributes:
        place: the device that runs it. Steps of one place run in their order.
        run: computes its results from its arrays and the values of the program's variables.
        sources: where each of its arrays comes from: given by the caller, or made by an earlier step.
    """

    place: str
    run: Run
    sources: tuple[Source, ...]


class Crew:
    """Runs steps with one thread for each place; the caller's thread serves the first place. Calls from several threads take turns."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = steps
        self._lock = threading.Lock()
        self._by_place: dict[str, list[int]] = {}
        for number, step in enumerate(steps):
            self._by_place.setdefault(step.place, []).append(number)
        others = len(self._by_place) - 1
        self._threads = ThreadPoolExecutor(others, "eqsat device") if others > 0 else None

    def __call__(self, given: Arrays, values: Values) -> list[Arrays]:
        """The results of each step. Arrays pass from device to device through host memory.

        Raises:
            EqsatError: a step failed; nothing of the run is returned.
        """
        with self._lock:
            made: list[Future[Arrays]] = [Future() for _ in self._steps]
            mine, *others = self._by_place.values()
            pending = [
                self._threads.submit(self._walk, numbers, given, values, made)
                for numbers in others
                if self._threads
            ]
            self._walk(mine, given, values, made)
            for each in pending:
                each.result()
            return [each.result() for each in made]

    def _walk(
        self, numbers: Sequence[int], given: Arrays, values: Values, made: Sequence[Future[Arrays]]
    ) -> None:
        """Runs the steps of one place. If one fails, the steps after it fail, too, and so do all steps that wait for them."""
        for position, number in enumerate(numbers):
            step = self._steps[number]
            try:
                arrays = [
                    value_of(source, given, lambda each: made[each.part].result()[each.number], values)
                    for source in step.sources
                ]
                made[number].set_result(step.run(arrays, values))
            except BaseException as error:  # noqa: BLE001  the caller gets it, whichever thread raised it
                for other in numbers[position:]:
                    made[other].set_exception(error)
                return


def value_of(
    source: Source, given: Arrays, made: Callable[[Made], NDArray[Any]], values: Values
) -> NDArray[Any]:
    """An array that a step made, or a view of one of the caller's arrays. NumPy copies elements only where it must.

    `values` has the values of the variables in extents.
    """
    if isinstance(source, Made):
        return made(source)
    array = given[source.slot]
    for op, argument in source.views:
        match op:
            case Op.SHRINK:
                array = array[tuple(slice(at(begin, values), at(end, values)) for begin, end in argument)]
            case Op.PERMUTE:
                array = array.transpose(argument)
            case _:
                array = np.reshape(array, tuple(at(extent, values) for extent in argument))
    return array
