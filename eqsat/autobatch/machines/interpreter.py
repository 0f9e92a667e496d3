"""The meaning of a program before lowering: one member after the other, one operation after the other. The oracle of all other machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqsat.autobatch.ir import EXIT, BranchOp, Function, FunctionCallOp, GotoOp, PrimOp, Program, TensorType
from eqsat.autobatch.ir.patterns import leaves, mapped
from eqsat.autobatch.machines.limits import MOST_CALLS
from eqsat.autobatch.machines.values import blank, computed
from eqsat.autobatch.primitives import traced
from eqsat.errors import SpecError, StackOverflowError, StepLimitError
from eqsat.uop import UOp

Member = list[NDArray[Any]]  # the leaves of a variable, for one member
_MOST_KNOWN = 1 << 16  # results of primitives that are remembered


def interpret(
    program: Program, inputs: Sequence[Any], most_steps: int | None = None, max_depth: int | None = None
) -> Any:
    """Runs a typed program before lowering on a batch: arrays with the batch on axis 0, one for each leaf of its inputs.

    Returns the pattern of its outputs, with arrays as leaves.

    Raises:
        StepLimitError: a member ran more than `most_steps` operations and jumps.
        StackOverflowError: more than `max_depth` calls were in progress at once, by default `MOST_CALLS`.
        SpecError: the program was lowered.
    """
    interpreter = _Interpreter(program, most_steps, max_depth or MOST_CALLS)
    types = [held for name in program.vars_in for held in program.var_defs[name].tensors]
    batch = len(inputs[0]) if inputs else 1
    outputs = [held for name in program.outputs for held in program.var_defs[name].tensors]
    results = [blank(held, batch) for held in outputs]
    for member in range(batch):
        given = [np.asarray(each[member]) for each in inputs]
        assert len(given) == len(types), "one array for each leaf of the inputs"
        for result, value in zip(results, interpreter.run(given, member), strict=True):
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
    call: FunctionCallOp | None = None  # that this frame waits for


@dataclass
class _Primitive:
    """A traced PrimOp and the results that are known of it, by the bytes of its inputs."""

    graph: UOp
    held: list[TensorType]
    sizes: list[int]  # leaves of each output
    known: dict[bytes, Member] = field(default_factory=dict[bytes, Member])


class _Interpreter:
    def __init__(self, program: Program, most_steps: int | None, max_depth: int) -> None:
        self._program = program
        self._functions = {function.name: function for function in program.functions}
        self._primitives: dict[int, _Primitive] = {}
        self._most_steps = most_steps
        self._max_depth = max_depth

    def run(self, inputs: Sequence[NDArray[Any]], member: int) -> list[NDArray[Any]]:
        """The outputs of one member."""
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
                self._step(frame, stack)

    def _step(self, frame: _Frame, stack: list[_Frame]) -> None:
        """Runs the next operation or the terminator of a frame."""
        block = frame.function.graph.by_name[frame.block]
        if frame.place < len(block.operations):
            operation = block.operations[frame.place]
            frame.place += 1
            match operation:
                case PrimOp():
                    self._compute(operation, frame.variables)
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

    def _compute(self, operation: PrimOp, variables: dict[str, Member]) -> None:
        primitive = self._primitives.get(id(operation)) or self._traced(operation)
        inputs = [leaf for name in operation.vars_in for leaf in variables[name]]
        key = b"".join(leaf.tobytes() for leaf in inputs)
        results = primitive.known.get(key)
        if results is None:
            batched = [leaf[None] for leaf in inputs]
            results = [value[0] for value in computed(primitive.graph, batched, primitive.held, 1)]
            if len(primitive.known) < _MOST_KNOWN:
                primitive.known[key] = results
        found = iter(results)
        for name, size in zip(operation.vars_out, primitive.sizes, strict=True):
            variables[name] = [next(found) for _ in range(size)]

    def _traced(self, operation: PrimOp) -> _Primitive:
        types: Mapping[str, Any] = self._program.var_defs
        found = traced(operation, types)
        held = [leaf for name in operation.vars_in for leaf in leaves(types[name].pattern)]
        primitive = _Primitive(found.graph, held, [len(each.tensors) for each in found.outputs])
        self._primitives[id(operation)] = primitive
        return primitive
