"""Programs on several devices: a program for each part. Their results are put together on the host."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqsat.distribution import Made, Part, Parts
from eqsat.dtype import DType, to_numpy
from eqsat.errors import ExecutionError, brief
from eqsat.graph_files.serialize import to_json
from eqsat.pipeline.functions.closed import Closed
from eqsat.pipeline.programs.program import Program, params_of
from eqsat.runtime import Device
from eqsat.runtime.crew import Arrays, Crew, Run, Step, value_of
from eqsat.runtime.executable import NONE
from eqsat.runtime.ranks import Ranks, RankStep, world
from eqsat.schedule.kernel import Kernel, Schedule
from eqsat.uop import UOp

_SEVERAL = "the program runs on several devices; its parts run on one each: program.parts[0]"


class SeveralPrograms(Program):
    """A compiled graph for several devices. Call it on NumPy arrays.

    Attributes:
        parts: the program of each device in each step.
        kernels, schedule: the kernels and schedules of all parts, one after another; those of different devices run in parallel.
        device: runs everything that is placed on no device.
    """

    def __init__(
        self,
        closed: Closed,
        parts: Parts,
        device: Device,
        compile_part: Callable[[Part], Program],
        ranks: Mapping[str | None, int],
    ) -> None:
        """`ranks` has the ranks of the places that are ranks of MPI. Parts of other ranks than this one are not compiled."""
        self.device = device
        own = world().rank if ranks else None
        programs = [compile_part(part) if ranks.get(part.place, own) == own else None for part in parts.parts]
        self.parts = tuple(program for program in programs if program is not None)
        self.kernels = tuple(kernel for part in self.parts for kernel in part.kernels)
        self.schedule = together([part.schedule for part in self.parts])
        self.variables = closed.variables
        self._closed = closed
        self._bind(closed.binding)
        self._results = parts.results
        pairs = list(zip(parts.parts, programs, strict=True))
        self._sources = [part.sources for part, program in pairs if program is not None]
        if ranks:
            wanted = (piece for result in parts.results for piece in result.pieces)
            steps = [_rank_step(part, program, ranks) for part, program in pairs]
            self._crew = Ranks(steps, wanted, _written(parts))
        else:
            places = [program.device.name for program in self.parts]
            runs = [_run_of(program) for program in self.parts]
            self._crew = Crew(list(map(Step, places, runs, self._sources)))

    def _params(self) -> Iterable[tuple[int, DType]]:
        return params_of(self._closed)

    def stage(self, step: str) -> UOp:
        """Raises ExecutionError, because only the parts are UOps, one for each device and step."""
        raise ExecutionError(f"{_SEVERAL}.stage({brief(step)})")

    def _document(self) -> dict[str, Any]:
        """Raises ExecutionError, because only the parts can be saved, each for its device."""
        raise ExecutionError(f"{_SEVERAL}.save(path)")

    @property
    def devices(self) -> tuple[Device, ...]:
        """The devices that compute a part of it; those of this rank, if it runs on several ranks."""
        return tuple(dict.fromkeys(part.device for part in self.parts))

    def run_on(
        self, arrays: list[NDArray[Any]], values: Mapping[str, int] = NONE
    ) -> tuple[NDArray[Any], ...]:
        """Runs the parts, and puts the results together."""
        values = self._of_all(arrays, values)
        made = self._crew([*arrays, *self._closed.captured], values)
        taken: set[Made] = set()
        results: list[NDArray[Any]] = []
        for result in self._results:
            pieces = [made[piece.part][piece.number] for piece in result.pieces]
            if len(pieces) > 1:
                results.append(np.concatenate(pieces, result.axis))
            else:
                results.append(pieces[0].copy() if result.pieces[0] in taken else pieces[0])
                taken.add(result.pieces[0])
        return tuple(results)

    def profile(self, *arrays: Any, repeats: int = 5, values: Mapping[str, int] = NONE) -> tuple[float, ...]:
        """The seconds that each kernel takes on its device while no other part runs: the median of `repeats` runs."""
        fitting = self._fitting(arrays)
        values = self._of_all(fitting, values)
        given = [*fitting, *self._closed.captured]
        made = self._crew(given, values)
        times: list[float] = []
        for part, sources in zip(self.parts, self._sources, strict=True):
            own = [
                value_of(source, given, lambda each: made[each.part][each.number], values)
                for source in sources
            ]
            times += part.profile(*own, repeats=repeats, values=_own(part, values))
        return tuple(times)


def _run_of(program: Program) -> Run:
    return lambda arrays, values: program.run_on(arrays, _own(program, values))


def _own(program: Program, values: Mapping[str, int]) -> Mapping[str, int]:
    """The values of the variables that a part has."""
    return {name: values[name] for name in program.variables}


def _rank_step(part: Part, program: Program | None, ranks: Mapping[str | None, int]) -> RankStep:
    def never(arrays: list[NDArray[Any]], values: Mapping[str, int]) -> Arrays:
        raise AssertionError("a rank runs its own steps")

    results = tuple((node.shape or (), to_numpy(node.dtype.scalar)) for node in part.sink.src)
    run = never if program is None else _run_of(program)
    return RankStep(str(part.place), run, part.sources, ranks.get(part.place), results)


def _written(parts: Parts) -> bytes:
    """The parts as bytes that are the same in all processes."""
    graphs = [to_json([part.sink]) for part in parts.parts]
    places = [(part.place, part.sources) for part in parts.parts]
    return f"{json.dumps(graphs)}{places}{parts.results}".encode()


def together(schedules: Sequence[Schedule]) -> Schedule:
    """The schedules of several parts as one schedule, in which each part has its own buffers, inputs and outputs."""
    kernels: list[Kernel] = []
    first = 0
    inputs: list[int] = []
    outputs: list[int] = []
    for each in schedules:
        kernels += [
            replace(kernel, buffers=tuple(first + number for number in kernel.buffers))
            for kernel in each.kernels
        ]
        inputs += [first + number for number in each.inputs]
        outputs += [first + number for number in each.outputs]
        first += len(each.buffers)
    buffers = tuple(spec for each in schedules for spec in each.buffers)
    bound = sum(each.lower_bound for each in schedules)
    return Schedule(tuple(kernels), buffers, tuple(inputs), tuple(outputs), bound)
