"""Translates the statements of a Python function into blocks."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from eqsat.autobatch.analysis.definedness import require_defined
from eqsat.autobatch.frontend.annotations import annotation
from eqsat.autobatch.frontend.blocks import BlockWriter
from eqsat.autobatch.frontend.compiled import helper, literal, subscript_key
from eqsat.autobatch.frontend.expressions import Expressions, NameOf
from eqsat.autobatch.frontend.source import Source
from eqsat.autobatch.ir import Function

Node = TypeVar("Node", bound=ast.AST)


def translate(source: Source, name: str, name_of: NameOf) -> Function:
    """Translates a Python function into a function of a program; `name_of` gives the names of the functions that it calls.

    Raises:
        BuildError: the source contains something that cannot be batched, or the function may use a variable before it is defined, or may end
            without a return.
    """
    function = _Statements(source, BlockWriter(name), name_of).function()
    require_defined(function)
    return function


@dataclass(frozen=True)
class _Loop:
    on_continue: str
    on_break: str


class _Statements:
    """Translates the statements of one function."""

    def __init__(self, source: Source, writer: BlockWriter, name_of: NameOf) -> None:
        self._source = source
        self._writer = writer
        self._expressions = Expressions(source, writer, name_of)
        self._loops: list[_Loop] = []
        self._annotations: dict[str, Any] = {}

    def function(self) -> Function:
        """Translates the whole function."""
        arguments = self._source.tree.args
        for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            self._annotate(each.arg, each.annotation)
        self._annotate("result", self._source.tree.returns)
        self._write(self._source.tree.body)
        return self._writer.function(
            [self._writer.variable(name) for name in self._source.parameters],
            self._annotations,
            self._source.position(self._source.tree),
        )

    def _annotate(self, name: str, written: ast.expr | None) -> None:
        declared = None if written is None else annotation(self._source, written)
        if declared is not None:
            self._annotations[self._writer.variable(name)] = declared

    def _write(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            self._statement(statement)

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assign(targets, value):
                self._assign(targets, value)
            case ast.AugAssign(target, op, value):
                self._assign([target], _augmented(target, op, value))
            case ast.AnnAssign(target, written, value):
                if isinstance(target, ast.Name):
                    self._annotate(target.id, written)
                if value is not None:
                    self._assign([target], value)
            case ast.If(test, body, orelse):
                self._expressions.choose(test, lambda: self._write(body), lambda: self._write(orelse))
            case ast.While():
                self._while(statement)
            case ast.For():
                self._for(statement)
            case ast.Break():
                self._writer.goto(self._loops[-1].on_break)
            case ast.Continue():
                self._writer.goto(self._loops[-1].on_continue)
            case ast.Return(value):
                self._return(statement, value)
            case ast.Expr(value):
                self._evaluate(value)
            case ast.Pass():
                pass
            case other:
                self._source.refuse(
                    f"cannot batch this {type(other).__name__} statement",
                    other,
                    "write it in simpler statements",
                )

    def _return(self, statement: ast.Return, value: ast.expr | None) -> None:
        if value is None or (isinstance(value, ast.Constant) and value.value is None):
            self._source.refuse(
                "cannot batch a return without a value", statement, "return a number or an array"
            )
        self._expressions.store(value, self._writer.result)
        self._writer.leave()

    def _evaluate(self, value: ast.expr) -> None:
        if isinstance(value, ast.Constant):
            return  # a docstring, or `...`
        if isinstance(value, ast.Call) and self._source.callee_of(value.func):
            self._expressions.held(value)
            return
        self._source.refuse(
            "cannot batch an expression whose value is not used: nothing happens by its evaluation",
            value,
            "assign the value to a variable, or leave the statement out",
        )

    # assignments

    def _assign(self, targets: Sequence[ast.expr], value: ast.expr) -> None:
        if len(targets) > 1:
            value = self._expressions.kept(value)
        for target in targets:
            self._assign_one(target, value)

    def _assign_one(self, target: ast.expr, value: ast.expr) -> None:
        match target:
            case ast.Name(name):
                self._expressions.store(value, self._writer.variable(name))
            case ast.Subscript(container, key):
                self._assign_one(
                    _loaded(container), helper("updated", _loaded(container), subscript_key(key), value)
                )
            case ast.Tuple() | ast.List():
                self._destructure(target, value)
            case _:
                self._source.refuse(
                    "cannot batch an assignment to this target", target, "assign to a variable"
                )

    def _destructure(self, target: ast.expr, value: ast.expr) -> None:
        """Assigns the parts of a value simultaneously; if a target is not a name, one after another, as Python does."""
        places = list(_places(target))
        names = [place.id for place in places if isinstance(place, ast.Name)]
        at_once = len(names) == len(places)
        outputs = [
            self._writer.variable(name)
            if at_once and name not in names[number + 1 :]
            else self._expressions.fresh()
            for number, name in enumerate(names if at_once else [""] * len(places))
        ]
        pattern = literal(_pattern(target), target)

        def parts(reduced: ast.expr) -> ast.expr:
            found = helper("unpacked", reduced, pattern)
            return found if len(outputs) > 1 else helper("element", found, literal(0, target))

        if outputs:
            self._expressions.compute(value, tuple(outputs), parts)
        for place, output in zip(places, outputs, strict=True):
            if not at_once:
                self._assign_one(place, ast.copy_location(ast.Name(output, ast.Load()), target))

    # loops

    def _while(self, loop: ast.While) -> None:
        head, body, ended, after = (self._writer.label() for _ in range(4))
        self._writer.start(head)
        self._expressions.branch(loop.test, body, ended)
        self._writer.start(body)
        self._loop_body(loop, _Loop(head, after), ended)

    def _loop_body(self, loop: ast.While | ast.For, labels: _Loop, ended: str) -> None:
        """Writes the body of a loop, and its `else`, which runs if the loop ends without a `break`."""
        self._loops.append(labels)
        self._write(loop.body)
        self._loops.pop()
        self._writer.goto(labels.on_continue)
        self._writer.start(ended)
        self._write(loop.orelse)
        self._writer.start(labels.on_break)

    def _for(self, loop: ast.For) -> None:
        """Writes `for target in range(...)` with Python's meaning: bounds are computed once, and the body may change the target."""
        assert isinstance(loop.iter, ast.Call), "refuse_unsupported leaves loops over range"
        if not isinstance(loop.target, ast.Name):
            self._source.refuse("cannot batch a loop with this target", loop.target, "use one variable")
        start, stop, step = _bounds(loop.iter)
        counter = self._stored_index(start)
        stop, step = self._bound(stop), self._bound(step)
        if isinstance(step, ast.Constant) and step.value == 0:
            self._source.refuse("cannot batch a loop whose step is 0", loop, "give another step")
        head, body, ended, after = (self._writer.label() for _ in range(4))
        self._writer.start(head)
        self._expressions.branch(_within(counter, stop, step), body, ended)
        self._writer.start(body)
        following = ast.BinOp(counter, ast.Add(), step)
        outputs = (self._writer.variable(loop.target.id), counter.id)
        self._expressions.compute(_at(ast.Tuple([counter, following], ast.Load()), loop.iter), outputs)
        self._loop_body(loop, _Loop(head, after), ended)

    def _stored_index(self, bound: ast.expr) -> ast.Name:
        target = self._expressions.fresh()
        self._expressions.store(helper("index", bound), target)
        return ast.copy_location(ast.Name(target, ast.Load()), bound)

    def _bound(self, bound: ast.expr) -> ast.expr:
        """A bound of a loop as an expression: a constant if it is fixed, else a variable that holds its value."""
        fixed = self._expressions.fixed(bound)
        return literal(fixed, bound) if isinstance(fixed, int) else self._stored_index(bound)


def _bounds(call: ast.Call) -> tuple[ast.expr, ast.expr, ast.expr]:
    """The start, stop and step of `range(...)`."""
    match call.args:
        case [stop]:
            return literal(0, call), stop, literal(1, call)
        case [start, stop]:
            return start, stop, literal(1, call)
        case [start, stop, step]:
            return start, stop, step
        case _:
            raise AssertionError("refuse_unsupported leaves one to three bounds")


def _within(counter: ast.expr, stop: ast.expr, step: ast.expr) -> ast.expr:
    """The condition under which a loop over a range goes on."""
    if not isinstance(step, ast.Constant) or not isinstance(step.value, int):
        return helper("within", counter, stop, step)
    compared = ast.Lt() if step.value > 0 else ast.Gt()
    return _at(ast.Compare(counter, [compared], [stop]), counter)


def _augmented(target: ast.expr, op: ast.operator, value: ast.expr) -> ast.expr:
    """The value of `target op= value`."""
    return _at(ast.BinOp(_loaded(target), op, value), target)


def _loaded(target: ast.expr) -> ast.expr:
    """The expression that reads the value of a target."""
    match target:
        case ast.Name(name):
            return _at(ast.Name(name, ast.Load()), target)
        case ast.Subscript(container, key):
            return _at(ast.Subscript(_loaded(container), key, ast.Load()), target)
        case _:
            return target


def _places(target: ast.expr) -> Iterator[ast.expr]:
    """The targets within nested tuples, from left to right."""
    if isinstance(target, ast.Tuple | ast.List):
        for part in target.elts:
            yield from _places(part)
    else:
        yield target


def _pattern(target: ast.expr) -> Any:
    """The nesting of a target, with None for each place."""
    return tuple(map(_pattern, target.elts)) if isinstance(target, ast.Tuple | ast.List) else None


def _at(node: Node, place: ast.AST) -> Node:
    """A generated node, at the position of a node of the source."""
    return ast.fix_missing_locations(ast.copy_location(node, place))
