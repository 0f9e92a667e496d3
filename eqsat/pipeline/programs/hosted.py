"""Programs in which the host computes some arrays: kernels up to each such step, the step itself, and kernels after the last step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqsat.array.data import collect_params, parametrize
from eqsat.custom import Operand, custom_named
from eqsat.dtype import DType, bfloat16, to_numpy
from eqsat.errors import ExecutionError, brief
from eqsat.extents import at
from eqsat.ops import Op
from eqsat.pipeline.functions.closed import Closed
from eqsat.pipeline.planning.calls import Launch, Unfolded, Values
from eqsat.pipeline.programs.course import Course, HostStep, Passed, written_course
from eqsat.pipeline.programs.program import Program
from eqsat.pipeline.programs.saving import document
from eqsat.pipeline.programs.several import together
from eqsat.runtime import Device
from eqsat.runtime.device import Direct
from eqsat.runtime.executable import NONE
from eqsat.shape import Shape
from eqsat.spec.sources import behind
from eqsat.uop import UOp, rewrite

Held = dict[int, NDArray[Any]]  # arrays by their slots
_Giver = Callable[[Held], Sequence[NDArray[Any]]]


class HostedProgram(Program):
    """A compiled graph with steps on the host. Call it on NumPy arrays.

    Attributes:
        course: the steps.
        parts: for each step the program that computes its arguments, then the program of the results. Later parts reuse arguments of steps.
        kernels, schedule: the kernels and schedules of all parts, one after another.
    """

    def __init__(self, closed: Closed, course: Course, parts: Sequence[Program], device: Device) -> None:
        self.device = device
        self.course = course
        self.parts = tuple(parts)
        self.kernels = tuple(kernel for part in parts for kernel in part.kernels)
        self.schedule = together([part.schedule for part in parts])
        self._functions = [custom_named(step.function) for step in course.steps]
        self._closed = closed
        self._bind(closed.binding)
        bound = frozenset[str]() if self._binding is None else self._binding.names
        variables = {name: each for part in parts for name, each in part.variables.items()}
        self.variables = {name: each for name, each in variables.items() if name not in bound}

    @staticmethod
    def of(
        program: Unfolded,
        shapes: Sequence[Shape | None],
        device: Device,
        compile_part: Callable[[Unfolded, tuple[Shape | None, ...]], Program],
    ) -> HostedProgram:
        """Compiles the parts of a program without calls. Its first arguments have these shapes.

        `compile_part` compiles a part, of which it is given the shapes of arguments, too.
        """
        slots: set[int] = {node.arg[0] for node in collect_params(*program.values)}
        made = {content.arg[0] for launch in program.launches for content in launch.results.values()}
        inputs = max(len(shapes), 1 + max(slots - made, default=-1))
        first_data = 1 + max(slots | made, default=-1)
        whole, captured = parametrize(UOp.sink(*program.values), first_data)
        program = program.with_values(whole.src)
        parting = _Parting(program, first_data + len(captured))
        known = dict(enumerate(shapes)) | parting.shapes
        parts = [compile_part(part, _shapes_read(part, known)) for part in parting.parts]
        closed = Closed.sized(
            program.sink.replace(arg=tuple(shapes)), (*shapes, *(None,) * (inputs - len(shapes))), captured
        )
        course = Course(tuple(parting.steps), parting.passed, first_data)
        return HostedProgram(closed, course, parts, device)

    def run_on(
        self, arrays: list[NDArray[Any]], values: Mapping[str, int] = NONE
    ) -> tuple[NDArray[Any], ...]:
        """Runs the parts and the steps between them. Later calls on arrays of the same shapes and dtypes decide nothing again."""
        if self.direct is not None and not values and (made := self.direct(arrays)) is not None:
            return made
        if values or self.variables:
            self._require_values(values)
        key = tuple([array.shape for array in arrays]), tuple(values.items())
        known = self._known.get(key)
        if known is not None and (made := known(arrays)) is not None:
            return made
        stages: list[_Stage] = []
        results = self._run_first(arrays, self._of_all(arrays, values), stages)
        if known is None:
            found = _direct(arrays, self._captured, stages)
            self._known.add(key, found)
            has_one_form = self._binding is None and not self.variables
            self.direct = found if has_one_form else self._known.direct
        return results

    def _run_first(
        self, arrays: list[NDArray[Any]], values: Mapping[str, int], stages: list[_Stage]
    ) -> tuple[NDArray[Any], ...]:
        """Runs the program, and lists what it ran."""
        held = dict(enumerate(arrays)) | self._captured
        for number, (step, function) in enumerate(zip(self.course.steps, self._functions, strict=True)):
            wanted = [_sized(each, values) for each in step.results]
            run = function.prepared(function.host or function.meaning, wanted, ExecutionError)
            stages.append(_Stage(self._giver(number, held, values), step.arguments, run, step.contents))
            stages[-1](held)
        last = _Stage(self._giver(len(self.course.steps), held, values))
        stages.append(last)
        return tuple(last(held))

    @property
    def _captured(self) -> dict[int, NDArray[Any]]:
        """The data of the graph, by slots."""
        return dict(enumerate(self._closed.captured, self.course.first_data))

    def _giver(self, number: int, held: Held, values: Mapping[str, int]) -> _Giver:
        """A function that gives what a part gives; the part does not run if these arrays exist. Slots that it does not read may be missing."""
        passed = self.course.passed[number]
        if passed and all(_fits(held[slot], operand, values) for slot, operand in passed):
            slots = [slot for slot, _ in passed]
            return lambda held: [held[slot] for slot in slots]
        part, slots = self.parts[number], range(self.parts[number].inputs)
        chosen = {name: values[name] for name in part.variables}
        return lambda held: part.run_on([held.get(slot, _NOTHING) for slot in slots], chosen)

    def _params(self) -> Iterable[tuple[int, DType]]:
        return chain.from_iterable(part._params() for part in self.parts)

    def profile(self, *arrays: Any, repeats: int = 5, values: Mapping[str, int] = NONE) -> tuple[float, ...]:
        """Raises ExecutionError, because steps between the kernels are not measured. Profile the parts instead."""
        raise ExecutionError("a program with steps on the host is profiled in parts: program.parts[0].profile(...)")  # fmt: skip

    def stage(self, step: str) -> UOp:
        """Raises ExecutionError, because only the parts between steps on the host are UOps."""
        raise ExecutionError(f"the program has steps on the host; its parts have none: program.parts[0].stage({brief(step)})")  # fmt: skip

    def _document(self) -> dict[str, Any]:
        return {
            **document(self._closed, [], self.device),
            "parts": [part._document() for part in self.parts],
            "course": written_course(self.course),
        }


@dataclass(frozen=True, slots=True)
class _Stage:
    """A part of a program, for calls on arrays of certain shapes and dtypes, and the step after it, which the last part lacks.

    Attributes:
        give: gives what the part gives.
        arguments: the slots of what it gives.
        step: runs the step.
        contents: the slots of the results of the step.
    """

    give: _Giver
    arguments: tuple[int, ...] = ()
    step: Callable[[Sequence[NDArray[Any]]], Sequence[NDArray[Any]]] | None = None
    contents: tuple[int, ...] = ()

    def __call__(self, held: Held) -> Sequence[NDArray[Any]]:
        """Runs it on the arrays in their slots, and adds its own to them. Returns what the part gives."""
        given = self.give(held)
        if self.step is not None:
            made = self.step(given)
            for place, slot in enumerate(self.arguments):  # which takes half the time of `update`
                held[slot] = given[place]
            for place, slot in enumerate(self.contents):
                held[slot] = made[place]
        return given


def _direct(arrays: Sequence[NDArray[Any]], captured: Held, stages: Sequence[_Stage]) -> Direct:
    """Runs the stages of a program on arrays of the shapes and dtypes of these; returns None for others."""
    signature = [(array.shape, array.dtype) for array in arrays]
    *before, last = stages

    def call(given: Sequence[Any]) -> tuple[NDArray[Any], ...] | None:
        if len(given) != len(signature):
            return None
        held: Held = captured.copy()
        for place, (shape, dtype) in enumerate(signature):
            array = given[place]
            if (
                type(array) is not np.ndarray
                or array.shape != shape
                or array.dtype != dtype
                or not array.flags.c_contiguous
            ):
                return None
            held[place] = array
        for stage in before:
            stage(held)
        return tuple(last(held))

    return call


def _fits(array: NDArray[Any], operand: Operand, values: Mapping[str, int]) -> bool:
    """Whether an array needs no conversion; if it is of another dtype or shape, the part that gives it converts or refuses it."""
    is_exact = operand.dtype is not bfloat16 and array.dtype == to_numpy(operand.dtype)
    return is_exact and array.shape == _sized(operand, values).shape


def _sized(operand: Operand, values: Mapping[str, int]) -> Operand:
    """An operand with the extents that it has in a call."""
    return (
        Operand(tuple(at(extent, values) for extent in operand.shape), operand.dtype) if values else operand
    )


class _Parting:
    """The parts of a program without calls, and the steps on the host between them."""

    def __init__(self, program: Unfolded, first_slot: int) -> None:
        self.steps: list[HostStep] = []
        self.parts: list[Unfolded] = []
        self.shapes: dict[int, Shape] = {}  # of arrays that steps take and give, by slot
        self._known: dict[UOp, UOp] = {}  # arguments of steps so far, as inputs of later parts
        self._next = first_slot
        for launch in program.launches:
            if launch.host is not None:
                self.parts.append(_up_to(program, launch.arguments, self._known))
                step = self._step(launch, launch.host)
                self.shapes |= {
                    slot: each.shape for slot, each in zip(step.contents, step.results, strict=True)
                }
                self.steps.append(step)
        self.parts.append(_up_to(program, program.sink.src, self._known))

    @property
    def passed(self) -> tuple[tuple[Passed, ...], ...]:
        """For each part the arrays that it gives as they are. What is returned is new: results of steps, each once."""
        *before, last = map(_passed, self.parts)
        made = [content for step in self.steps for content in step.contents]
        slots = [each.slot for each in last]
        return (*before, last if len({*slots}) == len(slots) and {*slots} <= {*made} else ())

    def _step(self, launch: Launch, function: UOp) -> HostStep:
        prototypes = function.src[0].src
        return HostStep(
            function.arg,
            tuple(map(self._slot_of, launch.arguments)),
            tuple(map(_operand, prototypes)),
            tuple(launch.results[number].arg[0] for number in range(len(prototypes))),
        )

    def _slot_of(self, value: UOp) -> int:
        """The slot from which later parts read an argument of a step."""
        if value not in self._known:
            shape, dtype = _operand(value).shape, _operand(value).dtype
            self._known[value] = UOp.param(self._next, value.elements, dtype).reshape(shape)
            self.shapes[self._next] = shape
            self._next += 1
        return behind(self._known[value], (Op.RESHAPE,)).arg[0]


def _shapes_read(part: Unfolded, known: Mapping[int, Shape | None]) -> tuple[Shape | None, ...]:
    """The shapes of a part's arguments, by slot; None for those that it does not read."""
    launched = _launched(part)
    read = {param.arg[0] for param in collect_params(*part.values) if param not in launched}
    return tuple(known.get(slot) if slot in read else None for slot in range(1 + max(read, default=-1)))


def _passed(part: Unfolded) -> tuple[Passed, ...]:
    """The arrays of a part that neither it nor its kernels compute: all of its results, or none."""
    launched = _launched(part)
    found = [
        Passed(param.arg[0], _operand(value))
        for value in part.sink.src
        if (param := behind(value, (Op.RESHAPE,))).op is Op.PARAM and not param.src and param not in launched
    ]
    return tuple(found) if len(found) == len(part.sink.src) else ()


def _launched(part: Unfolded) -> set[UOp]:
    """The results of the kernels that a part launches."""
    return {content for launch in part.launches for content in launch.results.values()}


def _up_to(program: Unfolded, values: Values, known: Mapping[UOp, UOp]) -> Unfolded:
    """The part of a program that computes these values from its inputs, results of the host, and the `known` arrays."""
    launches = {
        content.arg[0]: each for each in program.launches if each.host is None for content in each.results.values()
    }  # fmt: skip
    needed: dict[Launch, None] = {}
    values = tuple(rewrite(values, known))
    pending = [values]
    while pending:
        for node in collect_params(*pending.pop()):
            launch = launches.get(node.arg[0])
            if launch is not None and launch not in needed:
                renewed = replace(launch, arguments=tuple(rewrite(launch.arguments, known)))
                needed[launch] = None
                pending.append(renewed.arguments)
    ordered = [
        replace(each, arguments=tuple(rewrite(each.arguments, known)))
        for each in program.launches
        if each in needed
    ]
    return Unfolded(UOp.sink(*values), tuple(ordered))


_NOTHING: NDArray[Any] = np.empty(0, np.uint8)


def _operand(value: UOp) -> Operand:
    assert isinstance(value.dtype, DType), "an array has elements"
    return Operand(value.shape or (), value.dtype)
