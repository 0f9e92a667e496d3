"""Finds the places of a source file where one thing can be changed or removed, and makes the changed file.

Changes concern rows of tables and sets, cases, guards, returned complaints, comparisons, conditions, arithmetic and constants; in rendering, texts
as well. No program depends on docstrings, annotations, decorators, assertions (the `strict` of `zip` is one), raised errors, and code that is only
for type checkers, so these are not changed. Nor does any program depend on whether an `if` that is marked as a shortcut is taken.
`tests/codegen/test_shortcuts.py` shows for each shortcut that the code of all kernels, or the verdicts of `spec` on graphs, are the same without it.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv,
    ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip
LEFT_ALONE = {
    "annotation", "returns", "decorator_list", "type_params", "bases", "exc", "cause",
}  # fmt: skip
PROSE = frozenset({"doc", "lowering", "seeds"})  # keywords of a row that only people read
ASSERTED = frozenset({"strict"})  # keywords that only assert something
TYPING = frozenset({"TYPE_CHECKING", "TypeVar", "NewType", "__slots__"})  # names that only type checkers need
STAGES = frozenset("AKELP")  # letters that stand for stages in the table of operations
SHORTCUT = "  # shortcut"  # this comment follows the head of an `if` that only saves time
WIDTH = 100  # characters of a printed expression

Edit = Callable[[ast.AST], None]


@dataclass(frozen=True)
class Change:
    """One change: `number` distinguishes it from the others of its file; the text says what was there, and what is there now."""

    file: str
    number: int
    line: int
    text: str


@dataclass(frozen=True)
class _Place:
    """The place of a change: the path of fields from the module, the line, the edit to make there, and its text."""

    path: tuple[tuple[str, int | None], ...]
    line: int
    edit: Edit
    text: str


def changes(file: str, source: str, *, texts: bool) -> list[Change]:
    """All changes of a file; with `texts`, strings that are neither docstrings nor messages are emptied, too."""
    places = _places(ast.parse(source), shortcuts(source), texts=texts)
    return [Change(file, number, place.line, place.text) for number, place in enumerate(places)]


def changed(source: str, number: int, *, texts: bool) -> str:
    """The source after one of its changes."""
    tree = ast.parse(source)
    place = list(_places(tree, shortcuts(source), texts=texts))[number]
    place.edit(_at(tree, place.path))
    return ast.unparse(ast.fix_missing_locations(tree))


def shortcuts(source: str) -> frozenset[int]:
    """The lines with an `if` that only saves time."""
    return frozenset(number for number, line in enumerate(source.splitlines(), 1) if SHORTCUT in line)


def without_shortcut(source: str, line: int) -> str:
    """The source in which the `if` of a line is never taken."""
    tree = ast.parse(source)
    (found,) = (node for node in ast.walk(tree) if isinstance(node, ast.If) and node.lineno == line)
    found.test = ast.Constant(value=False)
    return ast.unparse(ast.fix_missing_locations(tree))


def statements(source: str) -> frozenset[int]:
    """The first lines of all statements of functions."""
    functions = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef))
    inside = (each for function in functions for each in ast.walk(function) if each is not function)
    return frozenset(each.lineno for each in inside if isinstance(each, ast.stmt) and not _is_docstring(each))


def lines_at(source: str, line: int) -> frozenset[int]:
    """The lines of the innermost statement around a line; for a compound statement the lines of its head, or the line alone within its cases.

    There are none outside of functions, where lines run once, before all tests.
    """
    around = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    innermost = max(around, key=lambda node: (node.lineno, -(node.end_lineno or 0)), default=None)
    in_function = any(isinstance(node, ast.FunctionDef) for node in around)
    if innermost is None or not in_function or isinstance(innermost, ast.FunctionDef | ast.ClassDef):
        return frozenset()
    inner = [
        each.lineno for each in ast.walk(innermost) if isinstance(each, ast.stmt) and each is not innermost
    ]
    if isinstance(innermost, ast.Match):
        inner = [case.pattern.lineno for case in innermost.cases]
    end = min(inner, default=(innermost.end_lineno or 0) + 1)
    return frozenset(range(innermost.lineno, end)) if line < end else frozenset({line})


def _at(tree: ast.AST, path: tuple[tuple[str, int | None], ...]) -> ast.AST:
    node: Any = tree
    for field, index in path:
        node = getattr(node, field) if index is None else getattr(node, field)[index]
    return node


def _places(tree: ast.Module, shortcut: Collection[int], *, texts: bool) -> Iterator[_Place]:
    stack: list[tuple[ast.AST, tuple[tuple[str, int | None], ...]]] = [(tree, ())]
    while stack:
        node, path = stack.pop()
        for line, edit, text in _edits(node, texts=texts):
            if text.startswith("never: ") and getattr(node, "lineno", 0) in shortcut:
                continue
            yield _Place(path, line or getattr(node, "lineno", 0), edit, text)
        children = [
            (child, (*path, step))
            for child, step in _children(node)
            if not isinstance(child, ast.Assert | ast.Import | ast.ImportFrom)
            and not _is_docstring(child)
            and not _is_typing(child)
        ]
        stack.extend(reversed(children))


def _children(node: ast.AST) -> Iterator[tuple[ast.AST, tuple[str, int | None]]]:
    for field, value in ast.iter_fields(node):
        if field in LEFT_ALONE or (isinstance(node, ast.keyword) and node.arg in PROSE | ASSERTED):
            continue
        if isinstance(value, ast.AST):
            yield value, (field, None)
        elif isinstance(value, list):
            for number, each in enumerate(value):
                if isinstance(each, ast.AST):
                    yield each, (field, number)


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_typing(node: ast.AST) -> bool:
    """Whether a statement is there only for type checkers: a condition on `TYPE_CHECKING`, a type variable or a new type, `__slots__`."""
    match node:
        case ast.If(test=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
            pass
        case _:
            return False
    value = getattr(node, "value", None)
    return name in TYPING or (isinstance(value, ast.Call) and _shown(value.func) in TYPING)


def _edits(node: ast.AST, *, texts: bool) -> Iterator[tuple[int, Edit, str]]:
    """The edits of one node: the line (0 if it is the node's own), the edit, and its text."""
    for field, body in ast.iter_fields(node):
        for number, each in enumerate(body if isinstance(body, list) else ()):
            if isinstance(each, ast.Expr | ast.AugAssign) and not _is_docstring(each):
                yield each.lineno, _skipped(field, number), f"statement removed: {_shown(each)}"
    for edit, text in _replacements(node, texts=texts):
        yield 0, edit, text


def _replacements(node: ast.AST, *, texts: bool) -> Iterator[tuple[Edit, str]]:  # noqa: C901 - one case a kind of change
    match node:
        case ast.Dict(keys=keys) if len(keys) > 1:
            for number, key in enumerate(keys):
                shown = f"{_shown(key)}: …" if key is not None else f"**{_shown(node.values[number])}"
                yield _without_key(number), f"entry removed: {shown}"
        case ast.Set(elts=elements) if len(elements) > 1:
            for number, each in enumerate(elements):
                yield _without(("elts", number)), f"element removed: {_shown(each)}"
        case ast.Match(cases=cases) if len(cases) > 1:
            for number, each in enumerate(cases):
                yield _without(("cases", number)), f"case removed: {_shown(each.pattern)}"
        case ast.If():
            yield _set("test", ast.Constant(value=False)), f"never: if {_shown(node.test)}"
            yield _set("test", _negated(node.test)), f"negated: if {_shown(node.test)}"
        case ast.IfExp():
            yield _set("test", _negated(node.test)), f"negated: … if {_shown(node.test)} else …"
        case ast.BoolOp(values=values):
            for number, each in enumerate(values):
                yield _operand_removed(number), f"condition removed: {_shown(each)}"
        case ast.Compare(ops=[op]) if type(op) in COMPARED:
            other = COMPARED[type(op)]()
            after = ast.Compare(left=node.left, ops=[other], comparators=node.comparators)
            yield _set("ops", [other]), f"{_shown(node)} → {_shown(after)}"
        case ast.BinOp(op=op) if type(op) in COMPUTED:
            other = COMPUTED[type(op)]()
            after = ast.BinOp(left=node.left, op=other, right=node.right)
            yield _set("op", other), f"{_shown(node)} → {_shown(after)}"
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield _set("value", ast.Constant(value=None)), f"return {_shown(value)} → return None"
        case ast.Attribute(value=ast.Name(id="DTypeRule" | "shapes" as table), attr=rule):
            other = {"DTypeRule": "ANY", "shapes": "scalar"}[table]
            if rule not in (other, "Shape", "ShapeRule"):
                yield _set("attr", other), f"{table}.{rule} → {table}.{other}"
        case ast.Call(keywords=keywords):
            for number, each in enumerate(keywords):
                if each.arg not in (*PROSE, *ASSERTED, None):
                    yield _without(("keywords", number)), f"argument removed: {_shown(each)}"
        case ast.Constant(value=bool() as value):
            yield _set("value", not value), f"{value} → {not value}"
        case ast.Constant(value=int() as value):
            yield _set("value", value + 1), f"{value} → {value + 1}"
        case ast.Constant(value=str() as value) if value and set(value) <= STAGES:
            for letter in value:
                yield _set("value", value.replace(letter, "")), f"{value!r} without {letter}"
        case ast.Constant(value=str() as value) if texts and value:
            yield _set("value", ""), f"{value!r} → ''"
        case _:
            return


def _shown(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"


def _negated(test: ast.expr) -> ast.expr:
    return ast.UnaryOp(op=ast.Not(), operand=copy.deepcopy(test))


def _set(field: str, value: object) -> Edit:
    return lambda node: setattr(node, field, value)


def _without(step: tuple[str, int]) -> Edit:
    def edit(node: ast.AST) -> None:
        del getattr(node, step[0])[step[1]]

    return edit


def _without_key(number: int) -> Edit:
    def edit(node: ast.AST) -> None:
        assert isinstance(node, ast.Dict)
        del node.keys[number], node.values[number]

    return edit


def _operand_removed(number: int) -> Edit:
    def edit(node: ast.AST) -> None:
        assert isinstance(node, ast.BoolOp)
        del node.values[number]

    return edit


def _skipped(field: str, number: int) -> Edit:
    def edit(node: ast.AST) -> None:
        getattr(node, field)[number] = ast.Pass()

    return edit
