"""Translates expressions: calls of batched functions and conditionally evaluated operands become control flow; everything else becomes PrimOps."""

from __future__ import annotations

import ast
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from eqsat.autobatch.frontend.blocks import BlockWriter
from eqsat.autobatch.frontend.compiled import compiled, constant, helper
from eqsat.autobatch.frontend.meanings import truth
from eqsat.autobatch.frontend.source import INNER_SCOPES, MISSING, Callee, Source, duplicate, own_reads
from eqsat.autobatch.ir.copies import identity

NameOf = Callable[[Source], str]  # gives the name of a batched function in the program


class Expressions:
    """Translates expressions of one function into its blocks."""

    def __init__(self, source: Source, writer: BlockWriter, name_of: NameOf) -> None:
        self._source = source
        self._writer = writer
        self._name_of = name_of
        self._temporaries: set[str] = set()

    def store(self, expression: ast.expr, target: str) -> None:
        """Writes operations that compute an expression and store it in a variable."""
        match expression:
            case ast.Call() if callee := self._source.callee_of(expression.func):
                self._call(expression, callee, target)
            case ast.BoolOp(op, operands):
                self._store_first(op, operands, target)
            case ast.IfExp(test, body, orelse):
                self.choose(test, lambda: self.store(body, target), lambda: self.store(orelse, target))
            case ast.Compare(ops=[_, _, *_]):
                self.store(self._conjunction(expression), target)
            case _:
                self._compute(self._reduced(expression), (target,), expression)

    def compute(
        self,
        value: ast.expr,
        outputs: tuple[str, ...],
        wrap: Callable[[ast.expr], ast.expr] = lambda reduced: reduced,
    ) -> None:
        """Writes one PrimOp that computes `wrap` of a value; the value's control flow is written before it."""
        self._compute(wrap(self._reduced(value)), outputs, value)

    def held(self, expression: ast.expr) -> str:
        """The variable that holds an expression's value: the variable itself if the expression is one, else a temporary computed here."""
        if isinstance(expression, ast.Name) and (name := self._variable_of(expression)):
            return name
        target = self.fresh()
        self.store(expression, target)
        return target

    def kept(self, expression: ast.expr) -> ast.expr:
        """A name node for the expression's value, which is computed here unless the expression is a variable."""
        if isinstance(expression, ast.Name) and self._variable_of(expression):
            return expression
        return ast.copy_location(ast.Name(self.held(expression), ast.Load()), expression)

    def choose(self, test: ast.expr, then: Callable[[], None], otherwise: Callable[[], None]) -> None:
        """Writes `then` and `otherwise` under a condition; if the condition is fixed, only the one that it selects."""
        fixed = self.fixed(test)
        if fixed is not MISSING:
            (then if fixed else otherwise)()
            return
        true_label, false_label, after = (self._writer.label() for _ in range(3))
        self.branch(test, true_label, false_label)
        self._writer.start(true_label)
        then()
        self._writer.goto(after)
        self._writer.start(false_label)
        otherwise()
        self._writer.start(after)

    def branch(self, test: ast.expr, true_label: str, false_label: str) -> None:
        """Ends the block with a branch on a condition. Operands of `and`, `or` and `not` become branches of their own."""
        fixed = self.fixed(test)
        if fixed is not MISSING:
            self._writer.goto(true_label if fixed else false_label)
            return
        match test:
            case ast.UnaryOp(ast.Not(), operand):
                self.branch(operand, false_label, true_label)
            case ast.BoolOp(op, operands):
                for operand in operands[:-1]:
                    following = self._writer.label()
                    if isinstance(op, ast.And):
                        self.branch(operand, following, false_label)
                    else:
                        self.branch(operand, true_label, following)
                    self._writer.start(following)
                self.branch(operands[-1], true_label, false_label)
            case ast.Compare(ops=[_, _, *_]):
                self.branch(self._conjunction(test), true_label, false_label)
            case ast.IfExp(inner, body, orelse):
                self.choose(
                    inner,
                    lambda: self.branch(body, true_label, false_label),
                    lambda: self.branch(orelse, true_label, false_label),
                )
            case _:
                condition = self.fresh()
                self._compute(helper("truth", self._reduced(test)), (condition,), test)
                self._writer.branch(condition, true_label, false_label)

    def fixed(self, test: ast.expr) -> Any:
        """The value of an expression that is the same for all members, if it is a plain Python value; else MISSING."""
        if own_reads(self._source, test) or any(self._is_control(each) for each in ast.walk(test)):
            return MISSING
        if any(isinstance(each, ast.Name) and self._is_temporary(each) for each in ast.walk(test)):
            return MISSING
        return constant(self._source, test)

    def _is_control(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and self._source.callee_of(node.func) is not None

    def _store_first(self, op: ast.boolop, operands: list[ast.expr], target: str) -> None:
        """Writes `a and b` or `a or b`, whose value is the first operand that decides, or else the last."""
        after = self._writer.label()
        for operand in operands[:-1]:
            value, condition, following = self.fresh(), self.fresh(), self._writer.label()
            self.store(operand, value)
            position = self._source.position(operand)
            self._writer.compute((target,), (value,), identity, "copy", position)
            self._writer.compute((condition,), (value,), truth, "truth", position)
            if isinstance(op, ast.And):
                self._writer.branch(condition, following, after)
            else:
                self._writer.branch(condition, after, following)
            self._writer.start(following)
        self.store(operands[-1], target)
        self._writer.start(after)

    def _conjunction(self, chain: ast.Compare) -> ast.expr:
        """The chain `a < b < c` as `a < b and b < c`, where b is computed once."""
        middle = [self._once(each) for each in chain.comparators[:-1]]
        parts = [chain.left, *middle, chain.comparators[-1]]
        links = [
            ast.copy_location(ast.Compare(left, [op], [right]), chain)
            for (left, right), op in zip(pairwise(parts), chain.ops, strict=True)
        ]
        return ast.copy_location(ast.BoolOp(ast.And(), list[ast.expr](links)), chain)

    def _once(self, expression: ast.expr) -> ast.expr:
        return expression if isinstance(expression, ast.Constant) else self.kept(expression)

    def _call(self, call: ast.Call, callee: Source, target: str) -> None:
        for argument in call.args:
            if isinstance(argument, ast.Starred):
                self._source.refuse("cannot batch a call with *arguments", call, "name each argument")
        if any(keyword.arg is None for keyword in call.keywords):
            self._source.refuse("cannot batch a call with **arguments", call, "name each argument")
        given: dict[str, ast.expr] = {str(each.arg): each.value for each in call.keywords}
        try:
            bound = callee.signature.bind(*call.args, **given)
        except TypeError as error:
            self._source.refuse(
                f"cannot call {callee.name!r}: {error}",
                call,
                f"it is defined as {callee.name}{callee.signature}",
            )
        variables = {
            name: self.held(value)
            for name, value in sorted(
                bound.arguments.items(), key=lambda item: (item[1].lineno, item[1].col_offset)
            )
        }
        for name in callee.parameters:
            if name not in variables:
                variables[name] = self.fresh()
                self._default(callee.signature.parameters[name].default, variables[name], call)
        inputs = [variables[name] for name in callee.parameters]
        self._writer.call((target,), self._name_of(callee), inputs, self._source.position(call))

    def _default(self, value: Any, target: str, call: ast.Call) -> None:
        self._writer.compute((target,), (), lambda: value, repr(value), self._source.position(call))

    def _compute(self, expression: ast.expr, outputs: tuple[str, ...], written: ast.expr) -> None:
        names = list(
            dict.fromkeys(
                node.id
                for node in ast.walk(expression)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and self._variable_of(node)
            )
        )
        inputs = [self._variable_of(ast.Name(name)) or name for name in names]
        position = self._source.position(written)
        if isinstance(expression, ast.Name) and names and len(outputs) == 1:
            self._writer.compute(outputs, inputs, identity, "copy", position)
            return
        function = compiled(self._source, expression, names)
        self._writer.compute(
            outputs, inputs, function, f"`{ast.unparse(written).replace('?', '')}`", position
        )

    def _reduced(self, expression: ast.expr) -> ast.expr:
        """The expression with temporaries in place of control flow, which is written first, from left to right."""
        reduced = _Reduction(self, self._source).visit(duplicate(expression))
        assert isinstance(reduced, ast.expr)
        return reduced

    def _variable_of(self, node: ast.Name) -> str | None:
        """The variable to which a name refers: one of the function, or a temporary; None if it is neither."""
        if node.id in self._source.own_names:
            return self._writer.variable(node.id)
        return node.id if self._is_temporary(node) else None

    def _is_temporary(self, node: ast.Name) -> bool:
        return node.id in self._temporaries

    def fresh(self) -> str:
        """A new temporary, which later expressions may name."""
        name = self._writer.temporary()
        self._temporaries.add(name)
        return name


class _Reduction(ast.NodeTransformer):
    """Replaces each control-flow expression by the name of the variable that holds its value."""

    def __init__(self, writer: Expressions, source: Source) -> None:
        self._writer = writer
        self._source = source

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.BoolOp | ast.IfExp) or (isinstance(node, ast.Compare) and len(node.ops) > 1):
            return self._writer.kept(node)
        if isinstance(node, INNER_SCOPES):
            return self._without_calls(node)
        return super().visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if self._source.callee_of(node.func):
            return self._writer.kept(node)
        if isinstance(node.func, ast.Name) and node.func.id in self._source.own_names:
            self._source.refuse(
                f"cannot call the variable {node.func.id!r}: which function is called must be known where the program is made",
                node,
                "call functions by their own names, and choose between calls by `if`",
            )
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if isinstance(self._source.value_of(node), Callee):
            self._source.refuse(
                f"cannot use the batched function {node.id!r} as a value", node, "call it by its name"
            )
        return node

    def _without_calls(self, node: ast.AST) -> ast.AST:
        for child in ast.walk(node):
            if isinstance(child, ast.Call) and self._source.callee_of(child.func):
                self._source.refuse(
                    "cannot batch the call of a batched function inside a comprehension or lambda",
                    child,
                    "write a `for` loop over range(...)",
                )
        return node
