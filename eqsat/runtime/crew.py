"""Runs the parts of a program on their devices: those of different devices side by side, each as soon as what it takes is there."""

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
        place: where; steps of one place run in their order.
        run: makes its results of its arrays and the values of the program's variables.
        sources: where its arrays come from: of the caller, or made by steps before it.
    """

    place: str
    run: Run
    sources: tuple[Source, ...]


class Crew:
    """A thread for each place. Calls from several threads take turns."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = steps
        self._lock = threading.Lock()
        self._by_place: dict[str, list[int]] = {}
        for number, step in enumerate(steps):
            self._by_place.setdefault(step.place, []).append(number)
        others = len(self._by_place) - 1
        self._threads = ThreadPoolExecutor(others, "eqsat device") if others > 0 else None

    def __call__(self, given: Arrays, values: Values) -> list[Arrays]:
        """The results of each step. Arrays go from device to device by way of the host.

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
        """Runs the steps of one place. If one fails, so do those after it, and all that wait for them."""
        for position, number in enumerate(numbers):
            step = self._steps[number]
            try:
                arrays = [
                    value_of(source, given, lambda each: made[each.part].result()[each.number], values)
                    for source in step.sources
                ]
                made[number].set_result(step.run(arrays, values))
            except BaseException as error:  # noqa: BLE001  which the caller is given, from whichever thread it comes
                for other in numbers[position:]:
                    made[other].set_exception(error)
                return


def value_of(
    source: Source, given: Arrays, made: Callable[[Made], NDArray[Any]], values: Values
) -> NDArray[Any]:
    """An array that a step made, or elements of the caller's arrays, without copying them where NumPy can.

    `values` are those of the variables that extents are made of.
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
