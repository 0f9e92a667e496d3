"""Finds the type of every variable of a program from the types of its inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from eqsat.autobatch.analysis.conversion import Conversion
from eqsat.autobatch.analysis.probing import result_types
from eqsat.autobatch.analysis.weakness import WEAK_FLOAT, WEAK_INT, Declared, joined, stored, text_of
from eqsat.autobatch.analysis.webs import plain_name, split
from eqsat.autobatch.ir import BranchOp, Function, FunctionCallOp, PrimOp, Program, TensorType, Type
from eqsat.dtype import bool_
from eqsat.errors import BuildError, DTypeError

Types = dict[str, Any]  # for each variable whose type is known, a pattern of TensorType and Weak
Write = tuple[str, Any, str]  # a variable, the type of an assigned value, and the line


def infer(program: Program, inputs: Sequence[Any]) -> Program:
    """The program with the type of each variable, and with conversions where a Python number is stored in a variable of another type.

    Functions that are never called are removed, since their parameters have no types.

    Types are propagated through calls until nothing changes. A call whose result type is unknown adds nothing in that round.

    Args:
        program: a program before lowering.
        inputs: for each variable of `vars_in`, a `Type`, a `TensorType`, or `int` or `float` for a Python number, which is weak (NEP 50).

    Raises:
        BuildError: a variable is given values of two types, or a function that is called never returns.
        DTypeError: a condition is not a bool.
    """
    if len(inputs) != len(program.vars_in):
        raise BuildError(
            f"the program takes {len(program.vars_in)} inputs ({', '.join(program.vars_in)}), not {len(inputs)}"
        )
    program, types = _solved(_without_uncalled(program), [_pattern_of(each) for each in inputs])
    conversion = Conversion(program, types)
    graph = conversion.function(program.main_function()).graph
    functions = tuple(conversion.function(function) for function in program.functions)
    return replace(program, graph=graph, functions=functions).replace(
        var_defs={name: Type(stored(pattern)) for name, pattern in conversion.types.items()}
    )


def _solved(program: Program, inputs: Sequence[Any]) -> tuple[Program, Types]:
    """The program and the types of its variables. If a name holds values of two types, each web becomes a variable of its own."""
    try:
        return program, _Inference(program, inputs).solved()
    except BuildError:
        main = split(program.main_function())
        program = replace(program, graph=main.graph, functions=tuple(map(split, program.functions)))
        return program, _Inference(program, inputs).solved()


def _without_uncalled(program: Program) -> Program:
    functions = {function.name: function for function in program.functions}
    called: dict[str, Function] = {}
    pending = [program.main_function()]
    while pending:
        for block in pending.pop().graph.blocks:
            for operation in block.operations:
                if isinstance(operation, FunctionCallOp) and operation.function not in called:
                    called[operation.function] = functions[operation.function]
                    pending.append(functions[operation.function])
    return replace(program, functions=tuple(each for each in program.functions if each.name in called))


def _pattern_of(given: Any) -> Any:
    if given is int or given is float:
        return WEAK_INT if given is int else WEAK_FLOAT
    return given.pattern if isinstance(given, Type) else given


class _Inference:
    """Solves for the types of all variables of a program."""

    def __init__(self, program: Program, inputs: Sequence[Any]) -> None:
        self._main = program.main_function()
        self._functions = {function.name: function for function in program.functions}
        self._inputs = inputs
        self._known: dict[tuple[int, str], tuple[Any, ...]] = {}
        self._types: Types = {}

    def solved(self) -> Types:
        """The types of all variables.

        Raises:
            BuildError: see `infer`.
        """
        operations = sum(len(block.operations) for function in self._all() for block in function.graph.blocks)
        for _ in range(4 * operations + 4):
            before = dict(self._types)
            conflict = self._round()
            if self._types == before:
                break
        else:
            raise BuildError(
                f"the types of {self._main.vars_out} do not settle; declare those of the parameters, as `n: eqsat.int32`"
            )
        if conflict:
            raise conflict
        self._require_returns()
        self._require_conditions()
        return self._types

    def _all(self) -> tuple[Function, ...]:
        return (self._main, *self._functions.values())

    def _round(self) -> BuildError | None:
        """Computes all types anew from the present ones, and returns the first conflict, if there is one."""
        found: dict[str, tuple[Any, str]] = {}
        conflict: BuildError | None = None
        for name, pattern, where in self._writes():
            self._types.setdefault(name, pattern)
            earlier, place = found.get(name, (pattern, where))
            common = joined(earlier, pattern)
            if common is None:
                conflict = conflict or self._conflict(name, (earlier, place), (pattern, where))
                common = earlier
            found[name] = (common, where if common != earlier else place)
        self._types = {name: pattern for name, (pattern, _) in found.items()}
        return conflict

    def _writes(self) -> Iterator[Write]:
        for function in self._all():
            for name, declared in function.annotations.items():
                assert isinstance(declared, Declared)
                yield name, declared.type.pattern, f"declared at {declared.position}"
        for name, pattern in zip(self._main.vars_in, self._inputs, strict=True):
            yield name, pattern, "the input of the program"
        for function in self._all():
            for block in function.graph.blocks:
                for operation in block.operations:
                    if isinstance(operation, PrimOp):
                        yield from self._computed(operation)
                    elif isinstance(operation, FunctionCallOp):
                        yield from self._called(operation)

    def _computed(self, operation: PrimOp) -> Iterator[Write]:
        if not all(name in self._types for name in operation.vars_in):
            return
        inputs = [self._types[name] for name in operation.vars_in]
        key = (id(operation), repr(inputs))
        if key not in self._known:
            self._known[key] = result_types(operation, inputs)
        for name, pattern in zip(operation.vars_out, self._known[key], strict=True):
            yield name, pattern, f"{operation.position or operation.name}"

    def _called(self, call: FunctionCallOp) -> Iterator[Write]:
        callee = self._functions[call.function]
        where = f"{call.position or f'the call of {callee.name}'}"
        pairs = (
            *zip(callee.vars_in, call.vars_in, strict=True),
            *zip(call.vars_out, callee.vars_out, strict=True),
        )
        for target, origin in pairs:
            if origin in self._types:
                yield target, self._types[origin], where

    def _conflict(self, name: str, one: tuple[Any, str], other: tuple[Any, str]) -> BuildError:
        name = plain_name(name)
        owner, _, last = name.rpartition(".")
        shown = f"the result of {owner!r}" if last == "result" else f"variable {name!r}"
        return BuildError(
            f"{shown} is {text_of(one[0])} ({one[1]}) and {text_of(other[0])} ({other[1]}); "
            f"give both one type, by eqsat.astype for instance"
        )

    def _require_returns(self) -> None:
        for function in (*self._functions.values(), self._main):
            for block in function.graph.blocks:
                for operation in block.operations:
                    if isinstance(operation, FunctionCallOp) and self._is_endless(operation):
                        raise BuildError(
                            f"{operation.function!r} never returns, where it is called ({operation.position}): every path through it "
                            f"calls on; add one that returns without a call"
                        )

        for name in self._main.vars_out:
            if name not in self._types:
                raise BuildError(
                    f"{name.rpartition('.')[0]!r} never returns: no path through it ends; add a `return` that some path reaches"
                )

    def _is_endless(self, call: FunctionCallOp) -> bool:
        return all(name in self._types for name in call.vars_in) and not all(
            name in self._types for name in self._functions[call.function].vars_out
        )

    def _require_conditions(self) -> None:
        for function in self._all():
            for block in function.graph.blocks:
                if not isinstance(block.terminator, BranchOp):
                    continue
                held = self._types[block.terminator.cond_var]
                if stored(held) != TensorType(bool_):
                    raise DTypeError(
                        f"block {block.name!r} branches by {block.terminator.cond_var!r}, which is {text_of(held)}; compare it, as `!= 0`"
                    )
