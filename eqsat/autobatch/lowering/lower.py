"""Lowers a program: replaces calls by pushes, jumps and pops.

Before: a typed program in which every variable holds one tensor. After: one graph without calls. Every variable has a stack of its own. At the
beginning of each block, a function has pushed exactly its live variables, each once. A call follows the sequence of the specification (see
`Program`): push the arguments to the formal parameters, pop variables that are no longer used, push the return address, and jump; on return,
assign the results, and pop the variables in which the callee left them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from eqsat.autobatch.analysis.liveness import Live, live_at_entries, live_within
from eqsat.autobatch.ir import (
    EXIT,
    Block,
    BranchOp,
    ControlFlowGraph,
    Function,
    FunctionCallOp,
    GotoOp,
    IndirectGotoOp,
    Operation,
    PopOp,
    PrimOp,
    Program,
    PushGotoOp,
    Terminator,
)
from eqsat.autobatch.ir.copies import copy
from eqsat.autobatch.ir.operations import targets
from eqsat.autobatch.ir.verify import verify
from eqsat.autobatch.lowering.allocation import allocate
from eqsat.autobatch.lowering.blocks import tidy
from eqsat.autobatch.lowering.inlining import inlined
from eqsat.autobatch.lowering.tail_calls import with_shared_results
from eqsat.errors import SpecError


def lower(program: Program) -> Program:
    """An equivalent program without calls, with an allocation of its variables.

    Raises:
        SpecError: the program is malformed, or may read a variable before it is written.
    """
    verify(program)
    program = with_shared_results(program)
    main = replace(program.main_function(), graph=_prefixed(program.graph))
    functions = {function.name: function for function in program.functions}
    blocks = list(_Lowering(main, functions, _stop).blocks())
    for function in program.functions:
        blocks += _Lowering(function, functions, IndirectGotoOp()).blocks()
    graph = inlined(tidy(ControlFlowGraph(tuple(blocks))))
    lowered = replace(program, graph=graph, functions=())
    verify(lowered)
    return allocate(lowered)


_stop = GotoOp(EXIT)


def _prefixed(graph: ControlFlowGraph) -> ControlFlowGraph:
    """The graph with an entry to which no block jumps."""
    if not any(graph.entry in targets(block.terminator) for block in graph.blocks):
        return graph
    return ControlFlowGraph((Block(f"{graph.entry}.start", (), GotoOp(graph.entry)), *graph.blocks))


class _Lowering:
    """Lowers one function. At each point, `frame` has the variables that it has pushed but not popped: after each operation, its live variables."""

    def __init__(self, function: Function, functions: Mapping[str, Function], leave: Terminator) -> None:
        self._function = replace(function, graph=_prefixed(function.graph))
        self._functions = functions
        self._leave = leave
        self._live = live_at_entries(self._function)
        undefined = set(self._live[self._function.graph.entry]).difference(function.vars_in)
        if undefined:
            raise SpecError(
                f"{function.name!r} may read {min(undefined)!r} before it is written; write it on every path"
            )

    def blocks(self) -> Iterator[Block]:
        """The blocks of the function, its entry first."""
        for block in self._function.graph.blocks:
            frame = self._live[block.name]
            first: tuple[Operation, ...] = ()
            if block.name == self._function.graph.entry:
                first = _pop(set(self._function.vars_in).difference(frame))
            yield from self._lowered(block, first)

    def _lowered(self, block: Block, first: tuple[Operation, ...]) -> Iterator[Block]:
        name, operations = block.name, list(first)
        live = live_within(block, self._live)
        calls = 0
        for operation, frame, after in zip(block.operations, live, live[1:], strict=False):
            if isinstance(operation, PrimOp):
                operations += _computed(operation, frame, after)
            elif isinstance(operation, FunctionCallOp):
                callee = self._functions[operation.function]
                calls += 1
                following = f"{block.name}.return{calls}"
                operations += _arguments(operation, callee, frame, after)
                yield Block(name, tuple(operations), PushGotoOp(following, callee.graph.entry))
                name, operations = following, list(_results(operation, callee, after))
        yield from self._ended(Block(name, tuple(operations), block.terminator), live[-1])

    def _ended(self, block: Block, frame: Live) -> Iterator[Block]:
        """The block, followed by blocks on its outgoing edges that pop dead variables or return."""
        match block.terminator:
            case GotoOp(target):
                yield replace(block, terminator=self._leave if target == EXIT else block.terminator)
            case BranchOp(condition, true_block, false_block):
                names: list[str] = []
                edges: list[Block] = []
                for way, target in (("then", true_block), ("else", false_block)):
                    dead = _pop(set(frame).difference(self._live[target]))
                    if dead or target == EXIT:
                        terminator = self._leave if target == EXIT else GotoOp(target)
                        edges.append(Block(f"{block.name}.{way}", dead, terminator))
                        target = edges[-1].name
                    names.append(target)
                yield replace(block, terminator=BranchOp(condition, *names))
                yield from edges
            case terminator:
                raise SpecError(f"block {block.name!r} ends with {terminator}, which is of lowered programs")


def _computed(operation: PrimOp, frame: Live, after: Live) -> Iterator[Operation]:
    if not set(operation.vars_out) & set(after):
        return
    yield replace(operation, skip_push_mask=frozenset(operation.vars_out).intersection(frame))
    yield from _pop({*frame, *operation.vars_out}.difference(after))


def _arguments(call: FunctionCallOp, callee: Function, frame: Live, after: Live) -> Iterator[Operation]:
    """Pushes the arguments, and pops variables that the caller does not use again; a formal parameter that would be popped is overwritten."""
    kept = set(after).difference(call.vars_out)
    dead = set(frame) - kept
    if callee.vars_in:
        yield copy(call.vars_in, callee.vars_in, dead)
    yield from _pop(dead.difference(callee.vars_in))


def _results(call: FunctionCallOp, callee: Function, after: Live) -> Iterator[Operation]:
    """Assigns the results that are used, and pops the variables in which the callee left them."""
    wanted = [
        (left, name) for left, name in zip(callee.vars_out, call.vars_out, strict=True) if name in after
    ]
    if wanted:
        yield copy([left for left, _ in wanted], [name for _, name in wanted], callee.vars_out)
    yield from _pop(set(callee.vars_out).difference(name for _, name in wanted))


def _pop(names: set[str]) -> tuple[Operation, ...]:
    return (PopOp(tuple(sorted(names))),) if names else ()
