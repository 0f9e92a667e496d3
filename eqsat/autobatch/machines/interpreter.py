"""The oracle for all other machines: runs a program before lowering, each member by itself, one operation after another.

The paths of members are independent. An operation that several members are about to execute is evaluated for all of them at once, only because
the reference interpreter takes as long for one member as for hundreds.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqsat.autobatch.ir import EXIT, BranchOp, Function, FunctionCallOp, GotoOp, PrimOp, Program, TensorType
from eqsat.autobatch.ir.patterns import leaves, mapped
from eqsat.autobatch.machines.limits import MOST_CALLS
from eqsat.autobatch.machines.values import blank, computed
from eqsat.autobatch.primitives import traced
from eqsat.errors import EqsatError, SpecError, StackOverflowError, StepLimitError
from eqsat.uop import UOp

Member = list[NDArray[Any]]  # the leaves of a variable, for one member
_TOGETHER = 512  # members that run at a time


def interpret(
    program: Program, inputs: Sequence[Any], most_steps: int | None = None, max_depth: int | None = None
) -> Any:
    """Runs a typed program before lowering on a batch: `inputs` has one array for each leaf of its inputs, with the batch on axis 0.

    Returns the pattern of its outputs, with arrays as leaves.

    Raises:
        StepLimitError: a member ran more than `most_steps` operations and jumps.
        StackOverflowError: more than `max_depth` calls were in progress at once; the default is `MOST_CALLS`.
        SpecError: the program is lowered.
    """
    interpreter = _Interpreter(program, most_steps, max_depth or MOST_CALLS)
    types = [held for name in program.vars_in for held in program.var_defs[name].tensors]
    batch = len(inputs[0]) if inputs else 1
    outputs = [held for name in program.outputs for held in program.var_defs[name].tensors]
    results = [blank(held, batch) for held in outputs]
    assert not inputs or len(inputs) == len(types), "one array for each leaf of the inputs"
    for start in range(0, batch, _TOGETHER):
        members = range(start, min(start + _TOGETHER, batch))
        given = {member: [np.asarray(each[member]) for each in inputs] for member in members}
        for member, values in interpreter.run(given).items():
            for result, value in zip(results, values, strict=True):
                result[member] = value
    found = iter(results)
    return mapped(
        lambda name: mapped(lambda _: next(found), program.var_defs[name].pattern), program.vars_out
    )


@dataclass
class _Frame:
    """A call in progress."""

    function: Function
    block: str
    variables: dict[str, Member]
    place: int = 0
    call: FunctionCallOp | None = None  # the call for which this frame waits


@dataclass
class _Primitive:
    """A traced PrimOp."""

    graph: UOp
    held: list[TensorType]
    sizes: list[int]  # the number of leaves of each output


@dataclass
class _Request:
    """The operation that a member is about to execute, and the values that it reads."""

    operation: PrimOp
    inputs: Member


# The run of one member: yields requests, receives their results, and returns the outputs
_Path = Generator[_Request, Member, Member]


class _Interpreter:
    def __init__(self, program: Program, most_steps: int | None, max_depth: int) -> None:
        self._program = program
        self._functions = {function.name: function for function in program.functions}
        self._primitives: dict[int, _Primitive] = {}
        self._most_steps = most_steps
        self._max_depth = max_depth
        self._done: dict[int, Member] = {}
        self._failed: dict[int, EqsatError] = {}

    def run(self, inputs: Mapping[int, Member]) -> dict[int, Member]:
        """The outputs of members for their inputs. If several members fail, the error of the first is raised."""
        paths = {member: self._path(given, member) for member, given in inputs.items()}
        requests = self._advanced(paths, dict.fromkeys(paths))
        while requests:
            answers: dict[int, Member | None] = {}
            for members in _by_operation(requests).values():
                asked = [requests[member] for member in members]
                answers |= zip(
                    members, self._computed(asked[0].operation, [each.inputs for each in asked]), strict=True
                )
            requests = self._advanced(paths, answers)
        failed = [self._failed.pop(member) for member in sorted(self._failed)]
        if failed:
            raise failed[0]
        return {member: self._done.pop(member) for member in inputs}

    def _advanced(
        self, paths: Mapping[int, _Path], answers: Mapping[int, Member | None]
    ) -> dict[int, _Request]:
        """Sends each member its answer, and returns the next request of each."""
        found: dict[int, _Request] = {}
        for member, answer in answers.items():
            try:
                found[member] = next(paths[member]) if answer is None else paths[member].send(answer)
            except StopIteration as end:
                self._done[member] = end.value
            except EqsatError as error:
                self._failed[member] = error
        return found

    def _path(self, inputs: Member, member: int) -> _Path:
        """Runs one member."""
        main = self._program.main_function()
        given = iter(inputs)
        variables = {
            name: [next(given) for _ in self._program.var_defs[name].tensors] for name in main.vars_in
        }
        stack, steps = [_Frame(main, main.graph.entry, variables)], 0
        while True:
            steps += 1
            if self._most_steps is not None and steps > self._most_steps:
                raise StepLimitError(
                    f"member {member} of the batch took more than {self._most_steps} steps; it may not end, or raise most_steps"
                )
            if len(stack) - 1 > self._max_depth:
                raise StackOverflowError(
                    f"member {member} has {len(stack) - 1} calls in progress, the last of {stack[-1].function.name!r}; raise max_depth",
                    np.array([member]),
                )
            frame = stack[-1]
            if frame.block == EXIT:
                results = [frame.variables[name] for name in frame.function.vars_out]
                stack.pop()
                if not stack:
                    return [leaf for result in results for leaf in result]
                caller = stack[-1]
                assert caller.call is not None
                caller.variables.update(zip(caller.call.vars_out, results, strict=True))
            else:
                yield from self._step(frame, stack)

    def _step(self, frame: _Frame, stack: list[_Frame]) -> Generator[_Request, Member]:
        """Runs the next operation or the terminator of a frame."""
        block = frame.function.graph.by_name[frame.block]
        if frame.place < len(block.operations):
            operation = block.operations[frame.place]
            frame.place += 1
            match operation:
                case PrimOp():
                    inputs = [leaf for name in operation.vars_in for leaf in frame.variables[name]]
                    results = iter((yield _Request(operation, inputs)))
                    for name, size in zip(operation.vars_out, self._traced(operation).sizes, strict=True):
                        frame.variables[name] = [next(results) for _ in range(size)]
                case FunctionCallOp():
                    callee = self._functions[operation.function]
                    arguments = [frame.variables[name] for name in operation.vars_in]
                    variables = dict(zip(callee.vars_in, arguments, strict=True))
                    frame.call = operation
                    stack.append(_Frame(callee, callee.graph.entry, variables))
                case other:
                    raise SpecError(
                        f"{other} is an operation of lowered programs; interpret the program before lowering"
                    )
            return
        frame.place = 0
        match block.terminator:
            case GotoOp(target):
                frame.block = target
            case BranchOp(condition, true_block, false_block):
                frame.block = true_block if bool(frame.variables[condition][0]) else false_block
            case other:
                raise SpecError(
                    f"{other} is a terminator of lowered programs; interpret the program before lowering"
                )

    def _computed(self, operation: PrimOp, inputs: Sequence[Member]) -> list[Member]:
        """The results of an operation for several members."""
        primitive = self._traced(operation)
        batched = [np.stack(values) for values in zip(*inputs, strict=True)]
        results = computed(primitive.graph, batched, primitive.held, len(inputs))
        return [[value[place] for value in results] for place in range(len(inputs))]

    def _traced(self, operation: PrimOp) -> _Primitive:
        if id(operation) in self._primitives:
            return self._primitives[id(operation)]
        types: Mapping[str, Any] = self._program.var_defs
        found = traced(operation, types)
        held = [leaf for name in operation.vars_in for leaf in leaves(types[name].pattern)]
        primitive = _Primitive(found.graph, held, [len(each.tensors) for each in found.outputs])
        self._primitives[id(operation)] = primitive
        return primitive


def _by_operation(requests: Mapping[int, _Request]) -> dict[int, list[int]]:
    """The members that request each operation."""
    found: dict[int, list[int]] = {}
    for member, request in requests.items():
        found.setdefault(id(request.operation), []).append(member)
    return found
