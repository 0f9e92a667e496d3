"""A program whose time is predicted and measured in the same way: all its kernels, called as users call them, on the device chosen for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

import eqsat as eq
from eqsat.dtype import from_numpy
from eqsat.pipeline import render
from eqsat.pipeline.accounts import by_resource
from eqsat.pipeline.compilation import drafts_of
from eqsat.pipeline.planning.place import suited
from eqsat.runtime import Device, Executable, machine_of
from eqsat.runtime.device import Signature
from eqsat.schedule.cost.estimates import estimate
from eqsat.schedule.cost.tables import Tables
from eqsat.schedule.draft import Draft, Drafts

Given = tuple[tuple[int, ...], str] | tuple[tuple[int, ...], str, int]
"""The shape and dtype of an array; for integers, also their exclusive upper bound."""
Described = tuple[Callable[..., Any], tuple[Given, ...]]

INTEGERS_BELOW = 100
LONGEST = 0.25  # seconds of calls of one program in a round
MOST_CALLS, FEWEST_CALLS = 400, 5  # calls in a round
FIRST_CALLS = 10  # calls that are not timed: they go through the queue, and touch the pages of memory
LITTLE = 16  # elements of an array for a program that takes hardly longer than a launch


@dataclass(frozen=True)
class Predicted:
    """A program with its kernels.

    Attributes:
        name: the name of the program.
        program: the compiled program.
        drafts: its kernels, whose loops are chosen for all cores.
        place: the device that is predicted to be quickest: all cores, or the calling thread.
        arrays: the arrays with which it is called.
    """

    name: str
    program: eq.Program
    drafts: Drafts
    place: Device
    arrays: tuple[NDArray[Any], ...]

    @staticmethod
    def of(name: str, described: Described, device: Device) -> Predicted:
        """The program of a described function, with random arrays."""
        function, given = described
        arrays = tuple(_random(*each) for each in given)
        graph = eq.trace(function, *(eq.spec(each.shape, from_numpy(each.dtype)) for each in arrays))
        plan = eq.Plan(device=device)
        drafts = drafts_of(graph, plan)
        return Predicted(name, eq.compile(graph, plan), drafts, suited(device, drafts.schedule()), arrays)

    @cached_property
    def by_resource(self) -> dict[str, float]:
        """The seconds that the cost model counts for each resource, on the device that the kernels run on."""
        found: Counter[str] = Counter()
        for kernel in self._placed_kernels:
            found.update(by_resource(kernel))
        return dict(found)

    @property
    def _placed_kernels(self) -> list[Draft]:
        """The kernels on the device `place`, whose caches the arrays of the program pass through."""
        machine = machine_of(self.place)
        return [
            replace(each, device=replace(machine, passing_bytes=each.device.passing_bytes))
            for each in self.drafts.kernels
        ]

    @cached_property
    def seconds(self) -> float:
        """The predicted seconds of all kernels, with their launches, on the device `place`."""
        return sum(
            float(estimate(Tables.of(each.profile), [each.choice.best], each.device).seconds[0])
            for each in self._placed_kernels
        )

    def measured_seconds(self) -> float:
        """The measured seconds of one round of calls. From the ninth call on, calls bypass the queue if they can."""
        return undisturbed_seconds(lambda: self.program(*self.arrays))


def call_seconds(device: Device) -> float:
    """The seconds of a call on a device besides the work of its kernels and one launch.

    It is the time of a kernel with hardly any work, less the predicted time of a launch.
    """
    graph = eq.trace(lambda x: x * 2.0, eq.spec((LITTLE,), "float32"))
    schedule = drafts_of(graph, eq.Plan(device=device)).schedule()
    executable = Executable(device, schedule, render(schedule, device), save=False)
    arrays = [_random((LITTLE,), "float32")]
    executable(*arrays)
    direct = executable.direct(Signature(arrays, (), (0,), ((LITTLE,),)))
    call = (lambda: executable(*arrays)) if direct is None else (lambda: direct(arrays))
    return undisturbed_seconds(call) - machine_of(device).launch_seconds


def undisturbed_seconds(call: Callable[[], object]) -> float:
    """The lower quartile of the calls of one round, because other work on the machine only makes calls longer.

    The calls follow each other, so that data which fit into the caches are there.
    """
    for _ in range(FIRST_CALLS):
        call()
    taken: list[float] = []
    end = perf_counter() + LONGEST
    while len(taken) < FEWEST_CALLS or (len(taken) < MOST_CALLS and perf_counter() < end):
        start = perf_counter()
        call()
        taken.append(perf_counter() - start)
    return float(np.quantile(taken, 0.25))


def _random(shape: Sequence[int], dtype: str, below: int = INTEGERS_BELOW) -> NDArray[Any]:
    random = np.random.default_rng(0)
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return random.uniform(0.5, 1.5, shape).astype(kind)
    return random.integers(0, below, shape).astype(kind)
