"""A machine without stacks per variable: it runs a program before lowering for a whole batch, with call frames like an interpreter's.

A call is one frame for all members that wait at the same call. Members of a frame may be at different blocks; those at the first of these blocks
run it together, under a mask. Frames are a list, so recursion may be as deep as memory admits. Members run together only within one frame: two
members in the same block of different frames do not. That is the reason for stacks per variable (`program_counter`).

Source: the stackless strategy of auto-batching in TensorFlow Probability.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqsat.autobatch.ir import EXIT, BranchOp, Function, FunctionCallOp, GotoOp, PrimOp, Program
from eqsat.autobatch.ir.types import tensor_of
from eqsat.autobatch.machines.limits import MOST_CALLS
from eqsat.autobatch.machines.statistics import Statistics
from eqsat.autobatch.machines.values import blank, computed
from eqsat.autobatch.primitives import traced
from eqsat.errors import SpecError, StackOverflowError, StepLimitError
from eqsat.uop import UOp


def run_static(
    program: Program,
    inputs: Sequence[Any],
    *,
    most_steps: int | None,
    max_depth: int | None,
) -> tuple[list[NDArray[Any]], Statistics]:
    """The outputs and statistics of a program before lowering, whose variables hold one tensor each.

    In the statistics, `depths` is the most calls of each function that were in progress at once.

    Raises:
        StepLimitError: a member ran more than `most_steps` blocks.
        StackOverflowError: more than `max_depth` calls were in progress at once; the default is `MOST_CALLS`.
        SpecError: the program is lowered.
    """
    return _Machine(program, most_steps, max_depth or MOST_CALLS).run(inputs)


@dataclass
class _Frame:
    """A call in progress.

    Attributes:
        function: the function that is called.
        members: the numbers of the frame's members in the batch.
        at: for each member, the number of the block at which it waits.
        variables: for each variable that some member has written, the values of all members.
        running: the positions in `members` of those that run a block now.
        block: the number of the block that they run; -1 if none.
        place: the number of the next operation in that block.
    """

    function: Function
    members: NDArray[np.intp]
    at: NDArray[np.int32]
    variables: dict[str, NDArray[Any]]
    running: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp))
    block: int = -1
    place: int = 0


class _Machine:
    def __init__(self, program: Program, most_steps: int | None, max_depth: int) -> None:
        self._program = program
        self._functions = {function.name: function for function in program.functions}
        self._numbers = {
            function.name: {
                **{block.name: number for number, block in enumerate(function.graph.blocks)},
                EXIT: len(function.graph.blocks),
            }
            for function in (program.main_function(), *program.functions)
        }
        self._graphs: dict[int, UOp] = {}
        self._most_steps = most_steps
        self._max_depth = max_depth
        self._frames: list[_Frame] = []
        self._depths: dict[str, int] = {}

    def run(self, inputs: Sequence[Any]) -> tuple[list[NDArray[Any]], Statistics]:
        """Runs until no member of the main program waits at a block."""
        main = self._program.main_function()
        batch = len(inputs[0]) if inputs else 1
        self._statistics = Statistics(batch)
        self._steps = np.zeros(batch, np.int64)
        given = dict(zip(main.vars_in, map(np.asarray, inputs), strict=True))
        first = _Frame(main, np.arange(batch), np.zeros(batch, np.int32), given)
        self._enter(first)
        while self._frames:
            frame = self._frames[-1]
            if frame.block >= 0:
                self._go_on(frame)
            elif not self._begin(frame):
                self._frames.pop()
                self._depths[frame.function.name] -= 1
                if self._frames:
                    self._return(frame, self._frames[-1])
        results = [np.array(first.variables.get(name, self._blank(name, batch))) for name in main.vars_out]
        return results, self._statistics

    def _enter(self, frame: _Frame) -> None:
        if len(self._frames) > self._max_depth:
            raise StackOverflowError(
                f"member {frame.members[0]} has {len(self._frames)} calls in progress, the last of {frame.function.name!r}; raise max_depth",
                frame.members,
            )
        name = frame.function.name
        self._depths[name] = self._depths.get(name, 0) + 1
        deepest = self._statistics.depths
        deepest[name] = max(deepest.get(name, 0), self._depths[name])
        self._frames.append(frame)

    def _begin(self, frame: _Frame) -> bool:
        """Starts the first block at which members wait, for all members that wait there; False if all members are at the end."""
        blocks = frame.function.graph.blocks
        first = int(frame.at.min(initial=len(blocks)))
        if first == len(blocks):
            return False
        frame.running, frame.block, frame.place = np.flatnonzero(frame.at == first), first, 0
        members = frame.members[frame.running]
        self._statistics.count(blocks[first].name, len(members))
        self._steps[members] += 1
        if self._most_steps is not None and (over := members[self._steps[members] > self._most_steps]).size:
            raise StepLimitError(
                f"member {over[0]} of the batch took more than {self._most_steps} steps; it may not end, or raise most_steps"
            )
        return True

    def _go_on(self, frame: _Frame) -> None:
        """Runs the block of a frame up to its next call, or to its end."""
        block = frame.function.graph.blocks[frame.block]
        while frame.place < len(block.operations):
            operation = block.operations[frame.place]
            match operation:
                case PrimOp():
                    self._compute(operation, frame)
                    frame.place += 1
                case FunctionCallOp():
                    self._call(operation, frame)
                    return
                case other:
                    raise SpecError(
                        f"{other} is an operation of lowered programs; give the program before lowering"
                    )
        numbers = self._numbers[frame.function.name]
        match block.terminator:
            case GotoOp(target):
                frame.at[frame.running] = numbers[target]
            case BranchOp(condition, true_block, false_block):
                chosen = frame.variables[condition][frame.running].astype(bool)
                frame.at[frame.running] = np.where(chosen, numbers[true_block], numbers[false_block])
            case other:
                raise SpecError(
                    f"{other} is a terminator of lowered programs; give the program before lowering"
                )
        frame.block = -1

    def _compute(self, operation: PrimOp, frame: _Frame) -> None:
        types = self._program.var_defs
        graph = self._graphs.get(id(operation))
        if graph is None:
            graph = self._graphs[id(operation)] = traced(operation, types).graph
        inputs = [frame.variables[name][frame.running] for name in operation.vars_in]
        held = [tensor_of(types, name) for name in operation.vars_in]
        results = computed(graph, inputs, held, len(frame.running))
        for name, values in zip(operation.vars_out, results, strict=True):
            self._write(frame, name, values)

    def _call(self, call: FunctionCallOp, frame: _Frame) -> None:
        callee = self._functions[call.function]
        given = {
            formal: frame.variables[name][frame.running]
            for formal, name in zip(callee.vars_in, call.vars_in, strict=True)
        }
        members = frame.members[frame.running]
        self._enter(_Frame(callee, members, np.zeros(len(members), np.int32), given))

    def _return(self, frame: _Frame, caller: _Frame) -> None:
        """Stores the results of a finished frame in the variables of the call for which its caller waits."""
        call = caller.function.graph.blocks[caller.block].operations[caller.place]
        assert isinstance(call, FunctionCallOp)
        results = [frame.variables[name] for name in frame.function.vars_out]
        for name, values in zip(call.vars_out, results, strict=True):
            self._write(caller, name, values)
        caller.place += 1

    def _write(self, frame: _Frame, name: str, values: NDArray[Any]) -> None:
        """Writes a variable of the running members. The frame writes to a copy, so that inputs and results of other frames stay as they are."""
        if len(frame.running) == len(frame.members):
            frame.variables[name] = values
            return
        old = frame.variables.get(name)
        made = self._blank(name, len(frame.members)) if old is None else old.copy()
        made[frame.running] = values
        frame.variables[name] = made

    def _blank(self, name: str, members: int) -> NDArray[Any]:
        return blank(tensor_of(self._program.var_defs, name), members)
