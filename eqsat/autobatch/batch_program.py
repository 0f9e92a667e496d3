"""Runs programs on batches, with any of the machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from eqsat.autobatch.analysis.fitting import range_of
from eqsat.autobatch.hyperblocks import hyperblocks
from eqsat.autobatch.ir import Program
from eqsat.autobatch.ir.patterns import mapped
from eqsat.autobatch.ir.types import tensor_of
from eqsat.autobatch.lowering import lower
from eqsat.autobatch.lowering.flattening import flatten
from eqsat.autobatch.machines.interpreter import interpret
from eqsat.autobatch.machines.program_counter import run_lowered
from eqsat.autobatch.machines.static import run_static
from eqsat.autobatch.machines.statistics import Statistics
from eqsat.autobatch.opencl.launch import BatchKernel, OnOverflow
from eqsat.autobatch.opencl.meetings import is_meeting
from eqsat.autobatch.optimization import explained, optimized
from eqsat.autobatch.regions import Region
from eqsat.autobatch.saving import with_cheapest_saves
from eqsat.codegen import RenderedKernel
from eqsat.dtype import to_numpy
from eqsat.errors import BuildError, ExecutionError, ShapeError, brief
from eqsat.pipeline.planning.plan import Plan, as_plan
from eqsat.runtime import get_device
from eqsat.uop.limits import plain

if TYPE_CHECKING:
    from eqsat.explain import Explanation

MachineName = Literal["opencl", "numpy", "static", "interpreter"]


class BatchProgram:
    """A typed program that is lowered, optimized and compiled when it first runs.

    Attributes:
        program: the program before lowering.
        plan: the rules that optimize its computations, and the device.
        name: the name of the kernel, also used in error messages.
        statistics: the counts of the last run on a machine that counts; None before.

    Raises:
        BuildError: `program` is no program.
        ScheduleError: `plan` is no plan.
    """

    def __init__(self, program: Program, plan: Plan | None = None, name: str = "program") -> None:
        if not isinstance(program, Program):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise BuildError(
                f"a batched program is made of a Program, not {brief(program)}; take `f.program(...)` of a batched function, or a ProgramBuilder's"
            )
        self.program = program
        self.plan = as_plan(plan)
        self.name = name
        self.statistics: Statistics | None = None
        self._flat = flatten(program)
        self._ranges: dict[str, tuple[int, int]] = {}

    def range_of(self, name: str) -> tuple[int, int]:
        """The least and the greatest Python int that fits all dtypes that the input `name` meets."""
        if name not in self._ranges:
            self._ranges[name] = range_of(self._flat, name)
        return self._ranges[name]

    @cached_property
    def lowered(self) -> Program:
        """The lowered program: without calls, and with an allocation for each variable."""
        return lower(with_cheapest_saves(self._flat, self.plan))

    @cached_property
    def executed(self) -> tuple[Program, Mapping[str, Region]]:
        """The lowered program with larger blocks, and the optimized region of each block."""
        program, regions = self._unoptimized
        alone = {name: region for name, region in regions.items() if not is_meeting(region)}
        return program, {**regions, **optimized(alone, self.plan)}

    @cached_property
    def _unoptimized(self) -> tuple[Program, Mapping[str, Region]]:
        return hyperblocks(self.lowered)

    def explain(self) -> dict[str, Explanation]:
        """For each block that optimization changed, the chain of rules that leads from the original computation to the optimized one.

        Raises:
            ExplanationError: no explanation was found.
        """
        return explained(self._unoptimized[1], self.executed[1], self.plan)

    @property
    def kernel(self) -> RenderedKernel:
        """The OpenCL kernel of the first launch, with stacks of the initial size."""
        return self._kernel.rendered()

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """Runs a batch; see `run`."""
        return self.run(inputs, **options)

    def run(
        self,
        inputs: Sequence[Any],
        *,
        machine: MachineName = "opencl",
        on_overflow: OnOverflow = "grow",
        max_depth: int | None = None,
        most_steps: int | None = None,
    ) -> Any:
        """The outputs for a batch, in the pattern of the program's `vars_out`.

        Args:
            inputs: one array for each tensor of the inputs, with the batch on axis 0.
            machine: "opencl" runs one kernel on the plan's device; "numpy" runs the lowered program on the reference interpreter, block by block,
                and counts (`statistics`); "static" runs the program before lowering, all members of a call together, and counts; "interpreter"
                runs the program before lowering, member by member.
            on_overflow: what to do if a stack is too small: "grow" runs the members concerned again with deeper stacks, "raise" raises an error.
            max_depth: the most values that a stack may hold, or on machines without stacks the most calls in progress; by default, as many as
                memory admits.
            most_steps: the most blocks of the machine's program that a member may run (the interpreter counts operations, too); by default, there
                is no limit.

        Raises:
            BuildError: an option has an invalid value.
            ExecutionError: the number of inputs or a dtype is wrong.
            ShapeError: an input has another shape than declared, or inputs have batches of different sizes.
            StackOverflowError: some members needed deeper stacks. The error holds the results of the others.
            StepLimitError: a member took more than `most_steps` steps.
        """
        _require_choices(machine, on_overflow)
        max_depth, most_steps = _limit("max_depth", max_depth), _limit("most_steps", most_steps)
        arrays = self._checked(inputs)
        match machine:
            case "opencl":
                results = self._kernel.run(
                    arrays, on_overflow=on_overflow, max_depth=max_depth, most_steps=most_steps
                )
            case "numpy":
                program, regions = self.executed
                results, self.statistics = run_lowered(
                    program, arrays, regions, most_steps=most_steps, max_depth=max_depth
                )
            case "static":
                results, self.statistics = run_static(
                    self._flat, arrays, most_steps=most_steps, max_depth=max_depth
                )
            case "interpreter":
                return interpret(self.program, arrays, most_steps, max_depth)
        found = iter(results)
        return mapped(lambda _: next(found), self._flat.vars_out)

    @cached_property
    def _kernel(self) -> BatchKernel:
        program, regions = self.executed
        return BatchKernel(program, regions, get_device(self.plan.device), self.name, self.plan)

    def _checked(self, inputs: Sequence[Any]) -> list[NDArray[Any]]:
        """The inputs as arrays, after checking their number, shapes, dtypes and batch sizes."""
        names = self._flat.vars_in
        if len(inputs) != len(names):
            raise ExecutionError(
                f"{self.name} takes {len(names)} arrays ({', '.join(names)}) and was given {len(inputs)}; pass one for each"
            )
        arrays: list[NDArray[Any]] = []
        for name, given in zip(names, inputs, strict=True):
            held = tensor_of(self._flat.var_defs, name)
            array = np.asarray(given)
            if array.shape[1:] != held.shape or not array.ndim:
                raise ShapeError(
                    f"{name} of {self.name} has shape {array.shape}; it is (batch, {', '.join(map(str, held.shape))})"
                )
            if arrays and len(array) != len(arrays[0]):
                raise ShapeError(
                    f"{name} of {self.name} has {len(array)} members, and {names[0]} has {len(arrays[0])}; give all inputs one batch size"
                )
            if array.dtype != to_numpy(held.dtype):
                raise ExecutionError(
                    f"{name} of {self.name} is {array.dtype} and must be {held.dtype}; convert it"
                )
            arrays.append(array)
        return arrays


def _require_choices(machine: object, on_overflow: object) -> None:
    if not isinstance(machine, str) or machine not in get_args(MachineName):
        raise BuildError(f"there is no machine {brief(machine)}; take {', '.join(get_args(MachineName))}")
    if not isinstance(on_overflow, str) or on_overflow not in get_args(OnOverflow):
        raise BuildError(f"on_overflow is 'raise' or 'grow', not {brief(on_overflow)}")


def _limit(name: str, given: object) -> int | None:
    limit = plain(given)
    if limit is not None and (limit.__class__ is not int or limit < 1):
        raise BuildError(
            f"{name} is {brief(given)}, and it is an integer from 1; leave it out for no limit but memory"
        )
    return limit


def run(program: Program, inputs: Sequence[Any], **options: Any) -> Any:
    """Runs a typed program once; see `BatchProgram.run`."""
    return BatchProgram(program).run(inputs, **options)
