"""Refuses Python syntax that cannot be batched when a function is decorated, with an error that names the line."""

from __future__ import annotations

import ast

from eqsat.autobatch.frontend.source import Source

_ADVICE: dict[type[ast.AST], tuple[str, str]] = {
    ast.Try: ("a `try` statement", "test the condition with `if` before"),
    ast.TryStar: ("a `try` statement", "test the condition with `if` before"),
    ast.Raise: ("a `raise` statement", "return a value that says so, such as a flag"),
    ast.Assert: ("an `assert` statement", "check the inputs before the call"),
    ast.With: ("a `with` statement", "use it around the call instead"),
    ast.AsyncWith: ("a `with` statement", "use it around the call instead"),
    ast.AsyncFor: ("an `async for` loop", "write `for`"),
    ast.Await: ("`await`", "call a function that is not async"),
    ast.Yield: ("a generator", "return the values, as a tuple or an array"),
    ast.YieldFrom: ("a generator", "return the values, as a tuple or an array"),
    ast.Global: ("a `global` statement", "return the value and assign it outside"),
    ast.Nonlocal: ("a `nonlocal` statement", "return the value and assign it outside"),
    ast.Delete: ("a `del` statement", "leave it out; variables end with the call"),
    ast.FunctionDef: (
        "a function defined inside",
        "define it outside, and decorate it with eqsat.autobatch.batch",
    ),
    ast.AsyncFunctionDef: (
        "a function defined inside",
        "define it outside, and decorate it with eqsat.autobatch.batch",
    ),
    ast.ClassDef: ("a class defined inside", "define it outside"),
    ast.Import: ("an import", "import outside of the function"),
    ast.ImportFrom: ("an import", "import outside of the function"),
    ast.Match: ("a `match` statement", "write `if` and `elif`"),
    ast.NamedExpr: ("an assignment inside an expression", "assign in a statement of its own, before"),
}


def refuse_unsupported(source: Source) -> None:
    """Checks that a function uses only syntax that can be batched.

    Raises:
        BuildError: it uses other syntax; the message has the line.
    """
    arguments = source.tree.args
    for starred in (arguments.vararg, arguments.kwarg):
        if starred is not None:
            source.refuse(
                f"cannot batch the parameter *{starred.arg} of {source.name!r}",
                starred,
                "name each parameter, or take a tuple",
            )
    for statement in source.tree.body:
        for node in ast.walk(statement):
            _check(source, node)


def _check(source: Source, node: ast.AST) -> None:
    what, advice = _ADVICE.get(type(node), (None, ""))
    if what is not None:
        source.refuse(f"cannot batch {what}", node, advice)
    match node:
        case ast.For() if not _is_range(node.iter):
            source.refuse(
                "cannot batch a `for` loop over anything but range(...)",
                node,
                "write `for i in range(n):` and index by i",
            )
        case ast.Starred(ctx=ast.Store()):
            source.refuse("cannot batch a starred target", node, "name each target")
        case ast.Attribute(ctx=ast.Store()):
            source.refuse(
                f"cannot batch an assignment to the attribute {node.attr!r}",
                node,
                "return a new value instead",
            )
        case ast.Lambda() if _captures(source, node):
            source.refuse(
                f"cannot batch a lambda that uses the variable {_captures(source, node)[0]!r}",
                node,
                "define a function outside, and give it the value as an argument",
            )
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            _check_comprehension(source, node)
        case _:
            pass


def _is_range(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "range"
        and 1 <= len(node.args) <= 3
        and not node.keywords
        and not any(isinstance(argument, ast.Starred) for argument in node.args)
    )


def _check_comprehension(
    source: Source, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
) -> None:
    for part in node.generators:
        for child in (part.iter, *part.ifs):
            found = [name for name in _loads(child) if name in source.own_names]
            if found:
                source.refuse(
                    f"cannot batch a comprehension over the variable {found[0]!r}",
                    node,
                    "write a `for` loop over range(...), or an operation on the whole array",
                )


def _captures(source: Source, node: ast.Lambda) -> list[str]:
    arguments = node.args
    own = {each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    return [name for name in _loads(node) if name in source.own_names - own]


def _loads(node: ast.AST) -> list[str]:
    return [
        child.id
        for child in ast.walk(node)
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load)
    ]
