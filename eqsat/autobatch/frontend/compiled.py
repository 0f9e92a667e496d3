"""Compiles an expression without control flow to a function of the variables that it reads."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from eqsat.autobatch.frontend import meanings
from eqsat.autobatch.frontend.source import MISSING, Source, duplicate

# The helper functions of compiled expressions, under names that no Python source can contain.
_HELPERS: dict[str, Callable[..., Any]] = {
    "?truth": meanings.truth,
    "?not": meanings.negation,
    "?in": meanings.contains,
    "?element": meanings.element,
    "?updated": meanings.updated,
    "?unpacked": meanings.unpacked,
    "?index": meanings.as_index,
    "?within": meanings.within,
    "?slice": slice,
    **{f"?{kind.__name__}": meaning for kind, meaning in meanings.BUILTINS.items()},
}


def compiled(source: Source, expression: ast.expr, parameters: Sequence[str]) -> Callable[..., Any]:
    """Compiles an expression to a function of `parameters`.

    Other names refer to the globals and the enclosing scopes of the source. Each node keeps its line in tracebacks.
    """
    body = _Rewritten(source).visit(duplicate(expression))
    enclosed = {name: value for name, value in source.enclosed().items() if name not in parameters}
    given = {**_HELPERS, **enclosed}
    inner = ast.Lambda(_arguments(parameters), body)
    outer = ast.Expression(ast.Lambda(_arguments(tuple(given)), inner))
    ast.copy_location(inner, expression)
    ast.copy_location(outer.body, expression)
    code = compile(ast.fix_missing_locations(outer), source.file, "eval")
    return eval(code, source.namespace)(**given)


def constant(source: Source, expression: ast.expr) -> Any:
    """The value of an expression that reads no variables, if it is None, a bool, a number or a string; MISSING otherwise."""
    try:
        value = compiled(source, expression, ())()
    except Exception:  # noqa: BLE001  tracing raises the error again, with its line
        return MISSING
    return value if value is None or isinstance(value, bool | int | float | str) else MISSING


def helper(name: str, *arguments: ast.expr) -> ast.expr:
    """A call of one of the helper functions of compiled expressions."""
    call = ast.Call(ast.Name(f"?{name}", ast.Load()), list(arguments), [])
    return ast.fix_missing_locations(ast.copy_location(call, arguments[0]))


def literal(value: Any, place: ast.AST) -> ast.expr:
    """A constant node at the position of another node."""
    return ast.copy_location(ast.Constant(value), place)


def _arguments(names: Sequence[str]) -> ast.arguments:
    return ast.arguments(
        posonlyargs=[],
        args=[ast.arg(name) for name in names],
        kwonlyargs=[],
        kw_defaults=[],
        defaults=[],
    )


class _Rewritten(ast.NodeTransformer):
    """Replaces operations for which Python needs an actual bool or number by helper functions, since a member's value is unknown in tracing."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return helper("not", node.operand) if isinstance(node.op, ast.Not) else node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn):
            found = helper("in", node.comparators[0], node.left)
            return helper("not", found) if isinstance(node.ops[0], ast.NotIn) else found
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        return helper("element", node.value, subscript_key(node.slice))

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if isinstance(node.ctx, ast.Load) and node.id in _BUILTIN_NAMES:
            value = self._source.value_of(node)
            if any(value is kind for kind in meanings.BUILTINS):
                return ast.copy_location(ast.Name(f"?{node.id}", ast.Load()), node)
        return node


_BUILTIN_NAMES = frozenset(kind.__name__ for kind in meanings.BUILTINS)


def subscript_key(node: ast.expr) -> ast.expr:
    """The key of a subscript as an expression of its own; slices become calls of `slice`."""
    match node:
        case ast.Slice(lower, upper, step):
            none = literal(None, node)
            parts = [none if part is None else part for part in (lower, upper, step)]
            return ast.copy_location(helper("slice", *parts), node)
        case ast.Tuple(elements):
            return ast.copy_location(ast.Tuple([subscript_key(each) for each in elements], ast.Load()), node)
        case _:
            return node
