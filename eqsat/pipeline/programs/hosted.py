"""Programs in which the host computes some arrays: kernels up to each such step, the step itself, and kernels after the last step."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqsat.array.data import collect_params
from eqsat.custom import CustomFunction, Operand, custom_named
from eqsat.dtype import DType
from eqsat.errors import ExecutionError, brief
from eqsat.pipeline.functions.closed import Closed
from eqsat.pipeline.planning.calls import Launch, Unfolded, Values
from eqsat.pipeline.programs.program import Program
from eqsat.pipeline.programs.several import together
from eqsat.runtime import Device
from eqsat.runtime.executable import NONE
from eqsat.shape import Shape
from eqsat.uop import UOp, rewrite


class HostedProgram(Program):
    """A compiled graph with steps on the host. Call it on NumPy arrays.

    Attributes:
        parts: for each step the program that computes its arguments, then the program of the results. Later parts reuse arguments of steps.
        kernels, schedule: the kernels and schedules of all parts, one after another.
    """

    def __init__(
        self,
        program: Unfolded,
        shapes: Sequence[Shape],
        device: Device,
        compile_part: Callable[[Unfolded], Program],
    ) -> None:
        self.device = device
        self._steps: list[tuple[CustomFunction, list[Operand], list[int]]] = []
        known: dict[UOp, UOp] = {}  # arguments of steps so far, as inputs of later parts
        parts: list[Program] = []
        slots = [node.arg[0] for node in collect_params(*program.values)]
        results = [content.arg[0] for launch in program.launches for content in launch.results.values()]
        self._next = 1 + max([*slots, *results], default=-1)
        made = dict.fromkeys(results)
        inputs = 1 + max((slot for slot in slots if slot not in made), default=-1)
        self._kept: list[list[int]] = []
        for step in program.launches:
            if step.host is None:
                continue
            function = custom_named(step.host.arg)
            parts.append(compile_part(_up_to(program, step.arguments, known)))
            prototypes = [Operand(each.shape or (), _dtype(each)) for each in step.host.src[0].src]
            contents = [step.results[number].arg[0] for number in range(len(prototypes))]
            self._steps.append((function, prototypes, contents))
            self._kept.append(self._remember(step.arguments, known))
        parts.append(compile_part(_up_to(program, program.sink.src, known)))
        self.parts = tuple(parts)
        self.kernels = tuple(kernel for part in parts for kernel in part.kernels)
        self.schedule = together([part.schedule for part in parts])
        self.variables = {name: each for part in parts for name, each in part.variables.items()}
        self._closed = Closed(program.sink, (*shapes[:inputs], *(None,) * (inputs - len(shapes))), ())

    def _remember(self, arguments: Values, known: dict[UOp, UOp]) -> list[int]:
        """Gives the arguments of a step slots, from which later parts read them. Returns the slots."""
        slots: list[int] = []
        for each in arguments:
            if each not in known:
                known[each] = UOp.param(self._next, each.elements, _dtype(each)).reshape(each.shape or ())
                self._next += 1
            flat = known[each]
            slots.append((flat if not flat.src else flat.src[0]).arg[0])
        return slots

    def run_on(
        self, arrays: list[NDArray[Any]], values: Mapping[str, int] = NONE
    ) -> tuple[NDArray[Any], ...]:
        """Runs the parts and the steps between them."""
        self._require_values(values)
        held = dict(enumerate(arrays))
        for part, (function, prototypes, contents), kept in zip(self.parts, self._steps, self._kept, strict=False):  # fmt: skip
            given = _run(part, held, values)
            held.update(zip(kept, given, strict=True))
            made = function.on_host(function.host or function.meaning, given, prototypes, ExecutionError)
            held.update(zip(contents, made, strict=True))
        return _run(self.parts[-1], held, values)

    def profile(self, *arrays: Any, repeats: int = 5, values: Mapping[str, int] = NONE) -> tuple[float, ...]:
        """Raises ExecutionError, because steps between the kernels are not measured. Profile the parts instead."""
        raise ExecutionError("a program with steps on the host is profiled in parts: program.parts[0].profile(...)")  # fmt: skip

    def stage(self, step: str) -> UOp:
        """Raises ExecutionError, because only the parts between steps on the host are UOps."""
        raise ExecutionError(f"the program has steps on the host; its parts have none: program.parts[0].stage({brief(step)})")  # fmt: skip

    def save(self, path: str | os.PathLike[str]) -> None:
        """Raises ExecutionError, because a file cannot hold functions of Python."""
        raise ExecutionError("the program has steps on the host, which no file holds; save its parts, or write them in OpenCL C")  # fmt: skip


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


def _run(part: Program, held: Mapping[int, NDArray[Any]], values: Mapping[str, int]) -> tuple[NDArray[Any], ...]:  # fmt: skip
    """The results of a part on the arrays so far, by slot. Slots that it does not read may be missing."""
    arrays = [held.get(slot, _NOTHING) for slot in range(part.inputs)]
    return part.run_on(arrays, {name: values[name] for name in part.variables})


_NOTHING: NDArray[Any] = np.empty(0, np.uint8)


def _dtype(value: UOp) -> DType:
    assert isinstance(value.dtype, DType), "an array has elements"
    return value.dtype
