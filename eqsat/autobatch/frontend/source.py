"""The source of a Python function: its syntax tree, positions in it, and the values of names that it does not define."""

from __future__ import annotations

import ast
import builtins
import copy
import inspect
import linecache
import textwrap
from collections.abc import Callable, Mapping
from functools import cached_property
from types import FunctionType
from typing import Any, NoReturn

from eqsat.autobatch.ir import Position
from eqsat.errors import BuildError, brief

MISSING: Any = object()  # the result for a name without a value


class Callee:
    """An object that stands for a function that programs can call, and has its `source`."""

    source: Source


class Source:
    """A function with its source.

    Attributes:
        function: the function itself.
        tree: the syntax tree of its definition; lines are numbered from the beginning of the file.
        file: the file that contains it, as Python names it.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        if not isinstance(function, FunctionType):
            raise BuildError(f"cannot batch {brief(function)}, which is no Python function; decorate a `def`")
        if hasattr(function, "__wrapped__"):
            raise BuildError(
                f"cannot batch {function.__name__!r}, which another decorator replaced by a wrapper; put eqsat.autobatch.batch directly above the "
                f"`def`, and compute what the wrapper does in the function"
            )
        self.function = function
        self.file = function.__code__.co_filename
        self.tree = _definition(function)

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.function.__name__

    @property
    def namespace(self) -> dict[str, Any]:
        """The globals of the function."""
        return self.function.__globals__

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters."""
        arguments = self.tree.args
        return tuple(each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs))

    @cached_property
    def own_names(self) -> frozenset[str]:
        """The names that the function itself assigns: its parameters and variables."""
        return frozenset((*self.parameters, *_stored(self.tree)))

    @cached_property
    def signature(self) -> inspect.Signature:
        """The signature of the function."""
        return inspect.signature(self.function)

    def position(self, node: ast.AST) -> Position:
        """The line of a node, with its text."""
        line: int = getattr(node, "lineno", self.tree.lineno)
        return Position(self.file, line, linecache.getline(self.file, line).strip())

    def refuse(self, what: str, node: ast.AST, advice: str) -> NoReturn:
        """Raises the error that says what cannot be batched, where it is, and what to try.

        Raises:
            BuildError: always.
        """
        raise BuildError(f"{what} ({self.position(node)}); {advice}")

    def enclosed(self) -> Mapping[str, Any]:
        """The current values of names from enclosing functions; names without a value are left out."""
        names = self.function.__code__.co_freevars
        cells = self.function.__closure__ or ()
        found: dict[str, Any] = {}
        for name, cell in zip(names, cells, strict=True):
            try:
                found[name] = cell.cell_contents
            except ValueError:  # the cell is empty: the name is bound later
                continue
        return found

    def value_of(self, node: ast.expr) -> Any:
        """The value of a name that is not the function's own, or of an attribute of such a name; MISSING if it has none."""
        if isinstance(node, ast.Attribute):
            owner = self.value_of(node.value)
            return MISSING if owner is MISSING else getattr(owner, node.attr, MISSING)
        if not isinstance(node, ast.Name) or node.id in self.own_names:
            return MISSING
        for scope in (self.enclosed(), self.namespace, vars(builtins)):
            if node.id in scope:
                return scope[node.id]
        return MISSING

    def callee_of(self, node: ast.expr) -> Source | None:
        """The source of the function to which a name or attribute refers, if it is a batched function or this function; else None."""
        value = self.value_of(node)
        if value is self.function:
            return self
        return value.source if isinstance(value, Callee) else None


def _definition(function: FunctionType) -> ast.FunctionDef:
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError) as error:
        raise BuildError(
            f"cannot read the source of {function.__name__!r} ({function.__code__.co_filename}), from which a program would be made; "
            f"define it in a file, or build the program by eqsat.autobatch.ProgramBuilder"
        ) from error
    try:
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except SyntaxError:
        tree = ast.Module([], [])
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__:
            return ast.increment_lineno(node, first - 1)
        if isinstance(node, ast.AsyncFunctionDef):
            raise BuildError(
                f"cannot batch the async function {function.__name__!r} ({function.__code__.co_filename}:{first}); write `def`"
            )
    raise BuildError(
        f"cannot batch {function.__name__!r} ({function.__code__.co_filename}:{first}), which is no `def`; write one, with a name"
    )


def _stored(tree: ast.FunctionDef) -> set[str]:
    """The names that the body of a function assigns, excluding inner scopes such as lambdas and comprehensions."""
    found: set[str] = set()
    pending: list[ast.AST] = [*tree.body]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        if not isinstance(node, INNER_SCOPES):
            pending += ast.iter_child_nodes(node)
    return found


INNER_SCOPES = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)


def own_reads(source: Source, node: ast.AST) -> tuple[str, ...]:
    """The function's own variables that an expression reads, including reads within comprehensions, in order of appearance."""
    hidden = {
        name.id
        for inner in ast.walk(node)
        if isinstance(inner, ast.comprehension)
        for name in ast.walk(inner.target)
        if isinstance(name, ast.Name)
    }
    names = [
        child.id
        for child in ast.walk(node)
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load)
    ]
    return tuple(dict.fromkeys(name for name in names if name in source.own_names and name not in hidden))


def duplicate(node: ast.expr) -> ast.expr:
    """A deep copy, which may be changed."""
    return copy.deepcopy(node)
