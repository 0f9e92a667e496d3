"""Checks the invariants of programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from eqsat.autobatch.ir.operations import (
    EXIT,
    PROGRAM_COUNTER,
    FunctionCallOp,
    IndirectGotoOp,
    PopOp,
    PrimOp,
    PushGotoOp,
    reads,
    targets,
    writes,
)
from eqsat.autobatch.ir.program import Block, ControlFlowGraph, Function, Program
from eqsat.autobatch.ir.text import operation_text, terminator_text
from eqsat.errors import SpecError

Depths = Mapping[str, int]  # pushes minus pops of each variable, without zeros


def verify(program: Program) -> None:
    """Checks that a program is well formed, lowered or not.

    Raises:
        SpecError: a name has two meanings, a block or function is unknown, a call does not fit its function, an operation reads or writes the
            program counter, or (in a lowered program) two paths leave stacks of different depths.
    """
    functions = (program.main_function(), *program.functions)
    _require_unique("function", (function.name for function in functions))
    _require_unique("block", (block.name for function in functions for block in function.graph.blocks))
    _require_own_variables(functions)
    by_name = {function.name: function for function in program.functions}
    for function in functions:
        _require_blocks(function)
        for block in function.graph.blocks:
            for operation in (*block.operations, block.terminator):
                if PROGRAM_COUNTER in (*reads(operation), *writes(operation)):
                    raise SpecError(
                        f"block {block.name!r} touches {PROGRAM_COUNTER!r}, which belongs to terminators; rename the variable"
                    )
            for operation in block.operations:
                if isinstance(operation, FunctionCallOp):
                    _require_fitting(operation, by_name, block)
    if is_lowered(program):
        require_balance(program)


def is_lowered(program: Program) -> bool:
    """Whether a program is lowered: it has neither functions nor FunctionCallOps."""
    return not program.functions and not any(
        isinstance(operation, FunctionCallOp)
        for block in program.graph.blocks
        for operation in block.operations
    )


def _require_unique(kind: str, names: Iterable[str]) -> None:
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise SpecError(f"two {kind}s are called {twice[0]!r}; give each a name of its own")
    if kind == "block" and EXIT in names:
        raise SpecError(f"no block may be called {EXIT!r}, which is the end; rename it")


def _require_own_variables(functions: Iterable[Function]) -> None:
    """Refuses a variable that two functions use: names are global, and each variable belongs to one function."""
    owner: dict[str, str] = {}
    for function in functions:
        if function.name == "main":
            continue  # the main program may share its variables with the function that it is
        for name in variables_of(function):
            if owner.setdefault(name, function.name) != function.name:
                raise SpecError(
                    f"variable {name!r} is used by {owner[name]!r} and by {function.name!r}; names are global, so rename one"
                )


def variables_of(function: Function) -> tuple[str, ...]:
    """All variables that a function reads or writes, in order of appearance."""
    found = dict.fromkeys((*function.vars_in, *function.vars_out))
    for block in function.graph.blocks:
        for operation in (*block.operations, block.terminator):
            found |= dict.fromkeys((*reads(operation), *writes(operation)))
            if isinstance(operation, PopOp):
                found |= dict.fromkeys(operation.vars)
    return tuple(found)


def _require_blocks(function: Function) -> None:
    if not function.graph.blocks:
        raise SpecError(f"function {function.name!r} has no blocks; give it one that goes to {EXIT!r}")
    for block in function.graph.blocks:
        for target in targets(block.terminator):
            if target != EXIT and target not in function.graph.by_name:
                raise SpecError(
                    f"block {block.name!r} ends with `{terminator_text(block.terminator)}`, and {function.name!r} has no block {target!r}"
                )


def _require_fitting(call: FunctionCallOp, functions: Mapping[str, Function], block: Block) -> None:
    if call.function not in functions:
        known = ", ".join(functions) or "none"
        raise SpecError(
            f"block {block.name!r} calls {call.function!r}, which the program does not define ({known}); add the function"
        )
    callee = functions[call.function]
    for kind, given, wanted in (
        ("arguments", call.vars_in, callee.vars_in),
        ("results", call.vars_out, callee.vars_out),
    ):
        if len(given) != len(wanted):
            raise SpecError(
                f"`{operation_text(call)}` in block {block.name!r} has {len(given)} {kind}, and {call.function!r} has {len(wanted)}"
            )


def require_balance(program: Program) -> None:
    """Checks that stack depths of a lowered program do not depend on the path, at each block and at the returns of each function.

    Raises:
        SpecError: two paths differ in depth, or a variable is popped more often than it was pushed.
    """
    graph = program.graph
    entries = dict.fromkeys(
        block.terminator.goto_block for block in graph.blocks if isinstance(block.terminator, PushGotoOp)
    )
    effects: dict[str, Depths] = {}
    changed = True
    while changed:  # until the net effect of every function that returns is known
        found = {entry: effect for entry in entries for effect in _returns(graph, entry, effects)}
        changed = found.keys() != effects.keys()
        effects = found
    start: Depths = dict.fromkeys(program.vars_in, 1)
    for _ in _returns(graph, graph.entry, effects, start):
        raise SpecError(f"the main program ends by a return; it ends by going to {EXIT!r}")


def _returns(
    graph: ControlFlowGraph, entry: str, effects: Mapping[str, Depths], start: Depths | None = None
) -> Iterator[Depths]:
    """Yields the depths at the returns of the function at `entry`, which must agree; yields nothing if no return is reached yet."""
    depths: dict[str, Depths] = {entry: start or {}}
    pending, returned = [entry], None
    while pending:
        block = graph.by_name[pending.pop()]
        after = _after(block, depths[block.name], forbidden=start is not None)
        terminator = block.terminator
        if isinstance(terminator, IndirectGotoOp):
            if returned is not None and returned != after:
                raise SpecError(
                    f"returns of the function at {entry!r} differ in {_difference(returned, after)}"
                )
            returned = after
            continue
        nexts: list[tuple[str, Depths]] = [(target, after) for target in targets(terminator)]
        if isinstance(terminator, PushGotoOp):
            effect = effects.get(terminator.goto_block)
            nexts = [(terminator.push_block, _sum(after, effect))] if effect is not None else []
        for target, at_target in nexts:
            if target == EXIT:
                continue
            if target not in depths:
                depths[target] = at_target
                pending.append(target)
            elif depths[target] != at_target:
                raise SpecError(
                    f"two paths to block {target!r} differ in {_difference(depths[target], at_target)}; "
                    "push and pop the same variables on every path"
                )
    if returned is not None:
        yield returned


def _after(block: Block, before: Depths, forbidden: bool) -> Depths:
    depths = Counter(before)
    for operation in block.operations:
        if isinstance(operation, PrimOp):
            depths.update(name for name in operation.vars_out if name not in operation.skip_push_mask)
        elif isinstance(operation, PopOp):
            depths.subtract(operation.vars)
            for name in operation.vars:
                if forbidden and depths[name] < 0:
                    raise SpecError(
                        f"block {block.name!r} pops {name!r}, which nothing was pushed on; remove the pop"
                    )
    return {name: depth for name, depth in depths.items() if depth}


def _sum(one: Depths, other: Depths) -> Depths:
    return {name: depth for name in {**one, **other} if (depth := one.get(name, 0) + other.get(name, 0))}


def _difference(one: Depths, other: Depths) -> str:
    name = next(name for name in {**one, **other} if one.get(name, 0) != other.get(name, 0))
    return f"the stack of {name!r} ({one.get(name, 0)} and {other.get(name, 0)} deep)"
