"""Runs programs on batches, by any of the machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

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
from eqsat.errors import BuildError, ExecutionError, ShapeError
from eqsat.pipeline.plan import Plan
from eqsat.runtime import get_device

if TYPE_CHECKING:
    from eqsat.explain import Explanation

MachineName = Literal["opencl", "numpy", "static", "interpreter"]


class BatchProgram:
    """A typed program that is lowered, optimized and compiled when it is first run.

    Attributes:
        program: before lowering.
        plan: which rules its computations are optimized by, and the device.
    """

    def __init__(self, program: Program, plan: Plan | None = None, name: str = "program") -> None:
        self.program = program
        self.plan = plan or Plan()
        self.name = name
        self.statistics: Statistics | None = None
        self._flat = flatten(program)

    @cached_property
    def lowered(self) -> Program:
        """The program without calls, with an allocation of its variables."""
        return lower(with_cheapest_saves(self._flat, self.plan))

    @cached_property
    def executed(self) -> tuple[Program, Mapping[str, Region]]:
        """The lowered program in larger blocks, and what each of them computes, optimized."""
        program, regions = self._unoptimized
        alone = {name: region for name, region in regions.items() if not is_meeting(region)}
        return program, {**regions, **optimized(alone, self.plan)}

    @cached_property
    def _unoptimized(self) -> tuple[Program, Mapping[str, Region]]:
        return hyperblocks(self.lowered)

    def explain(self) -> dict[str, Explanation]:
        """For each block whose computation changed by optimization, the chain of rules that leads from what was written to what runs.

        Raises:
            ExplanationError: no chain was found.
        """
        return explained(self._unoptimized[1], self.executed[1], self.plan)

    @property
    def kernel(self) -> RenderedKernel:
        """The OpenCL kernel as it runs first."""
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
            inputs: one array for each tensor of the inputs, the batch on axis 0.
            machine: "opencl" runs one kernel on the plan's device; "numpy" runs the lowered program on the reference, block by block, and counts
                (`statistics`); "static" runs the program before lowering, all members of a call together, and counts; "interpreter" runs it
                member by member.
            on_overflow: what to do where a stack is too small: "grow" runs those members again with deeper stacks, "raise" does not.
            max_depth: how many values a stack may hold, or how many calls may be in progress on machines without stacks; by default, as memory
                admits.
            most_steps: how many blocks of the program that the machine runs a member may run (the interpreter counts operations, too); by default,
                any number.

        Raises:
            BuildError: an option has no such value.
            ExecutionError: there are more or fewer inputs.
            ShapeError: the inputs have other shapes, or batches of different sizes.
            StackOverflowError: some members needed deeper stacks. The error holds the results of the others.
            StepLimitError: a member took more than `most_steps` steps.
        """
        _require_options(machine, on_overflow, max_depth=max_depth, most_steps=most_steps)
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
        """The inputs as arrays of one batch."""
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


def _require_options(machine: object, on_overflow: object, **limits: int | None) -> None:
    if machine not in get_args(MachineName):
        raise BuildError(f"there is no machine {machine!r}; take {', '.join(get_args(MachineName))}")
    if on_overflow not in ("raise", "grow"):
        raise BuildError(f"on_overflow is 'raise' or 'grow', not {on_overflow!r}")
    for name, limit in limits.items():
        if limit is not None and limit < 1:
            raise BuildError(
                f"{name} is {limit}, and a member needs at least 1; leave it out for no limit but memory"
            )


def run(program: Program, inputs: Sequence[Any], **options: Any) -> Any:
    """Runs a typed program once; see `BatchProgram.run`."""
    return BatchProgram(program).run(inputs, **options)
