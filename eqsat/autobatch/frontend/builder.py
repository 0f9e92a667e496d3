"""Builds programs by method calls, for use where there is no Python source to translate."""

from __future__ import annotations

import inspect
import linecache
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

from eqsat.autobatch.analysis.definedness import require_defined
from eqsat.autobatch.analysis.inference import infer
from eqsat.autobatch.analysis.weakness import Declared
from eqsat.autobatch.frontend.arguments import type_of_argument
from eqsat.autobatch.frontend.blocks import BlockWriter
from eqsat.autobatch.frontend.linking import program_of
from eqsat.autobatch.frontend.meanings import truth
from eqsat.autobatch.ir import Function, Position, Program, Type
from eqsat.autobatch.ir.copies import identity
from eqsat.autobatch.ir.patterns import mapped
from eqsat.autobatch.ir.verify import verify
from eqsat.autobatch.lowering.flattening import flatten
from eqsat.errors import BuildError, brief

Value = str | int | float | Callable[..., Any]


class ProgramBuilder:
    """Collects functions, which may call each other by name before or after they are defined.

    >>> import eqsat as eq
    >>> from eqsat.autobatch import ProgramBuilder
    >>> builder = ProgramBuilder()
    >>> with builder.function("fib", "n") as fib:
    ...     with fib.if_(lambda n: n <= 1):
    ...         fib.return_("n")
    ...     fib.call("left", "fib", lambda n: n - 1)
    ...     fib.call("right", "fib", lambda n: n - 2)
    ...     fib.return_(lambda left, right: left + right)
    >>> print(builder.program("fib", eq.int32).var_defs["fib.left"])
    int32
    """

    def __init__(self) -> None:
        self._functions: dict[str, Function] = {}

    @contextmanager
    def function(self, name: str, *parameters: str, **types: Any) -> Generator[FunctionBuilder]:
        """Defines a function while the `with` block runs.

        Args:
            name: the name of the function in calls.
            parameters: the names of its formal parameters.
            types: declared types of variables, such as `n=eqsat.int32`.

        Raises:
            BuildError: a name is no text, there is a function of this name already, a path ends without `return_`, or a variable may be read
                before it is written.
        """
        _require_names(name, *parameters)
        if name in (*self._functions, "main"):
            raise BuildError(f"there is a function {name!r} already; choose another name")
        position = caller()
        building = FunctionBuilder(name, position)
        yield building
        declared = {
            f"{name}.{each}": Declared(Type(mapped(type_of_argument, given)), position)
            for each, given in types.items()
        }
        function = building.finished(parameters, declared)
        require_defined(function)
        self._functions[name] = function

    def program(self, name: str, *types: Any) -> Program:
        """The typed program, before lowering, that runs a function on members of these types; see `Batched.program`.

        Raises:
            SpecError: a call names an undefined function, or passes a wrong number of arguments.
            BuildError: there is no function of this name, or types do not fit.
        """
        _require_names(name)
        if name not in self._functions:
            raise BuildError(
                f"there is no function {name!r}; define one of {', '.join(self._functions) or 'that name'}"
            )
        others = [function for other, function in self._functions.items() if other != name]
        program = program_of(self._functions[name], others)
        verify(program)
        return flatten(infer(program, [mapped(type_of_argument, each) for each in types]))


class FunctionBuilder:
    """Writes the statements of one function, in order.

    A value is the name of a variable, a number, or a function of eqsat arrays whose parameters have the names of the variables that it reads.
    """

    def __init__(self, name: str, position: Position | None) -> None:
        self._writer = BlockWriter(name)
        self._position = position
        self._loops: list[tuple[str, str]] = []
        self._after_if: tuple[str, str] | None = None  # the label for an `else_`, and the label after it

    def assign(self, targets: str | Sequence[str], value: Value) -> None:
        """Assigns a value to a variable; for several targets, the value is a function that returns a tuple."""
        self._compute([self._writer.variable(name) for name in _targets(targets)], value)

    def call(self, targets: str | Sequence[str], function: str, *arguments: Value) -> None:
        """Calls a function of the program and assigns its result; several targets take the parts of a returned tuple."""
        _require_names(function)
        names = [self._writer.variable(name) for name in _targets(targets)]
        inputs = [self._held(argument) for argument in arguments]
        self._settle()
        if isinstance(targets, str):
            self._writer.call(names, function, inputs, caller())
            return
        result = self._writer.temporary()
        self._writer.call((result,), function, inputs, caller())
        self._writer.compute(names, (result,), tuple if len(names) > 1 else _only, "parts", caller())

    def return_(self, *values: Value) -> None:
        """Ends the function with a result; several values are returned as a tuple."""
        if len(values) == 1:
            self._compute((self._writer.result,), values[0])
        else:
            held = [self._held(each) for each in values]
            self._settle()
            self._writer.compute((self._writer.result,), held, _tuple, "tuple", caller())
        self._writer.leave()

    @contextmanager
    def if_(self, condition: Value) -> Generator[None]:
        """The statements written in the `with` block run if the condition holds; `else_` may follow."""
        then, otherwise, after = (self._writer.label() for _ in range(3))
        self._branch(condition, then, otherwise)
        self._writer.start(then)
        yield
        self._settle()
        self._writer.goto(after)
        self._after_if = (otherwise, after)

    @contextmanager
    def else_(self) -> Generator[None]:
        """The statements written in the `with` block run if the condition of the preceding `if_` does not hold.

        Raises:
            BuildError: there is no `if_` just before.
        """
        if self._after_if is None:
            raise BuildError(
                f"`else_` without an `if_` just before it ({caller()}); write it after the block of `if_`"
            )
        (otherwise, after), self._after_if = self._after_if, None
        self._writer.start(otherwise)
        yield
        self._settle()
        self._writer.start(after)

    @contextmanager
    def while_(self, condition: Value) -> Generator[None]:
        """The statements written in the `with` block run repeatedly while the condition holds."""
        self._settle()
        head, body, after = (self._writer.label() for _ in range(3))
        self._writer.start(head)
        self._branch(condition, body, after)
        self._writer.start(body)
        self._loops.append((head, after))
        yield
        self._settle()
        self._loops.pop()
        self._writer.goto(head)
        self._writer.start(after)

    def break_(self) -> None:
        """Leaves the innermost `while_`."""
        self._jump(1, "break_")

    def continue_(self) -> None:
        """Goes back to the condition of the innermost `while_`."""
        self._jump(0, "continue_")

    def finished(self, parameters: Sequence[str], declared: dict[str, Any]) -> Function:
        """The finished function.

        Raises:
            BuildError: a path ends without `return_`.
        """
        self._settle()
        names = [self._writer.variable(name) for name in parameters]
        return self._writer.function(names, MappingProxyType(declared), self._position)

    def _jump(self, place: int, name: str) -> None:
        if not self._loops:
            raise BuildError(
                f"`{name}` outside of a loop ({caller()}); write it inside the block of `while_`"
            )
        self._settle()
        self._writer.goto(self._loops[-1][place])

    def _settle(self) -> None:
        """Ends an open `if_` that no `else_` follows."""
        if self._after_if is not None:
            (otherwise, after), self._after_if = self._after_if, None
            self._writer.start(otherwise)
            self._writer.start(after)

    def _branch(self, condition: Value, then: str, otherwise: str) -> None:
        held = self._held(condition)
        decided = self._writer.temporary()
        self._writer.compute((decided,), (held,), truth, "truth", caller())
        self._writer.branch(decided, then, otherwise)

    def _held(self, value: Value) -> str:
        if isinstance(value, str):
            return self._writer.variable(value)
        name = self._writer.temporary()
        self._compute((name,), value)
        return name

    def _compute(self, outputs: Sequence[str], value: Value) -> None:
        self._settle()
        if isinstance(value, str):
            self._writer.compute(outputs, (self._writer.variable(value),), identity, "copy", caller())
        elif callable(value):
            reads = [self._writer.variable(name) for name in inspect.signature(value).parameters]
            name = getattr(value, "__name__", "function")
            self._writer.compute(outputs, reads, value, name, caller())
        else:
            self._writer.compute(outputs, (), lambda: value, repr(value), caller())


def _targets(given: str | Sequence[str]) -> Sequence[str]:
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, list | tuple):
        raise BuildError(
            f"targets are names of variables, not {brief(given)} ({caller()}); give one name, or a list"
        )
    _require_names(*names)
    return names


def _require_names(*names: object) -> None:
    for name in names:
        if not isinstance(name, str) or not name:
            raise BuildError(
                f"functions and variables have names, and {brief(name)} is none ({caller()}); give text, such as 'n'"
            )


def _tuple(*parts: Any) -> Any:
    return parts


def _only(parts: Any) -> Any:
    (part,) = parts
    return part


def caller() -> Position:
    """The line outside this module that called into it."""
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]  # what inspect.currentframe returns, without the check for other interpreters
    while frame.f_back and frame.f_code.co_filename in (__file__, _CONTEXTS):
        frame = frame.f_back
    file, line = frame.f_code.co_filename, frame.f_lineno
    return Position(file, line, linecache.getline(file, line).strip())


_CONTEXTS = contextmanager.__code__.co_filename
