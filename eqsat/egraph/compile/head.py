"""The right side of a rule as egglog actions."""

from __future__ import annotations

from typing import Any

import egglog.bindings as egglog

from eqsat.egraph.compile.body import LeftSide
from eqsat.egraph.compile.guards import Scalars, shape_variable
from eqsat.egraph.compile.variant import Variant, patterns_of
from eqsat.egraph.tables.callbacks import python_call
from eqsat.egraph.tables.schema import nary_op, table_of
from eqsat.egraph.tables.syntax import Expression, call, equal, let, text, variable
from eqsat.errors import ShapeError
from eqsat.ops import COMPARISON, TABLE, Op
from eqsat.rules.language.inference import is_computed
from eqsat.rules.language.pattern import Constant, Node, Pattern, Value, operand_patterns
from eqsat.rules.language.scalar import Arg, Type
from eqsat.rules.language.structure import LANED, retyped, roles_of
from eqsat.shape import Shape


class RightSide:
    """Builds the right side of a variant; `scalars` holds further facts, `actions` the terms."""

    def __init__(self, variant: Variant, left: LeftSide) -> None:
        self.variant = variant
        self.left = left
        self.types, self.shapes = variant.typing.right_types, variant.typing.right_shapes
        self.scalars = Scalars(variant, left.bindings)
        self.actions: list[egglog.Let] = []
        self.built: dict[int, Expression] = {}
        self.by_key = {f"!{id(part)}": part for part in patterns_of(variant.rule.right)}

    def build_root(self) -> Expression:
        """The term that the matched class equals."""
        root, left_root = self.variant.rule.right, self.variant.rule.left
        left_shape = variable(shape_variable(self.variant.typing.left_shapes[id(left_root)]))
        shape = self._shape(self.shapes[id(root)])
        if shape is not left_shape:
            self.scalars.facts.append(equal(left_shape, shape))
        if is_computed(self.types[id(root)]):
            left_dtype = self.variant.dtype(self.variant.typing.left_types[id(left_root)])
            self.scalars.facts.append(equal(left_dtype, self._dtype(self.types[id(root)])))
        for name, rest in self.left.rests.items():
            self.actions.append(let(f"v_{name}", call(rest.table, rest.dtype, rest.shape, rest.operands)))
        rest = self.left.root_rest
        if rest is None:
            return self._build(root)
        if (
            isinstance(root, Node)
            and (op := self._nary_op(root)) is not None
            and f"{op.name}_N" == rest.table
        ):
            more = call(
                "multiset-of",
                *(self._build(operand) for operand in operand_patterns(root, op, self._nary_op)),
            )
            return call(rest.table, rest.dtype, rest.shape, call("multiset-sum", rest.operands, more))
        return call(
            rest.table, rest.dtype, rest.shape, call("multiset-insert", rest.operands, self._build(root))
        )

    def _build(self, pattern: Pattern) -> Expression:
        if isinstance(pattern, Value):
            return self.left.bindings.values[pattern.name]
        if id(pattern) not in self.built:
            term = self._constant(pattern) if isinstance(pattern, Constant) else self._node(pattern)
            name = f"t{len(self.actions)}"
            self.actions.append(let(name, term))
            self.built[id(pattern)] = variable(name)
        return self.built[id(pattern)]

    def _place(self, pattern: Pattern) -> list[Expression]:
        return [self._dtype(self.types[id(pattern)]), self._shape(self.shapes[id(pattern)])]

    def _constant(self, pattern: Constant) -> Expression:
        return call(
            "CONST", *self._place(pattern), self.scalars.constant(pattern.value, self.types[id(pattern)])
        )

    def _nary_op(self, node: Node) -> Op | None:
        if node.op in COMPARISON or self._scaled(node):
            return None
        return nary_op(node.op, self.variant.kind(self.types[id(node)]))

    def _scaled(self, node: Node) -> bool:
        constants = sum(isinstance(source, Constant) for source in node.src)
        return node.op is Op.MUL and constants == 1 and self.variant.kind(self.types[id(node)]) in "ix"

    def _node(self, node: Pattern) -> Expression:
        assert isinstance(node, Node)
        dtype, shape = self._place(node)
        if (op := self._nary_op(node)) is not None:
            operands = [self._build(operand) for operand in operand_patterns(node, op, self._nary_op)]
            return call(f"{op.name}_N", dtype, shape, call("multiset-of", *operands))
        if self._scaled(node):
            coefficient = next(source for source in node.src if isinstance(source, Constant))
            value = next(source for source in node.src if source is not coefficient)
            bits = self.scalars.constant(coefficient.value, self.types[id(node)])
            return call("SCALE", dtype, shape, bits, self._build(value))
        sources = [self._build(source) for source in node.src]
        inner = self._place(node.src[-1])
        if roles_of(node.op, len(node.src)) is not None:
            columns = [dtype, self._place(node.src[0])[0], shape] if node.op in LANED else [dtype, shape]
            return call(table_of(node.op, len(sources)), *columns, *self._fields(node), *sources)
        if node.op in COMPARISON:
            return call(node.op.name, inner[0], shape, *sources)
        if node.dtype is not None:
            return call(node.op.name, dtype, inner[0], shape, *sources)
        if node.fields:
            return call(node.op.name, dtype, shape, inner[1], *self._fields(node), *sources)
        return call(node.op.name, dtype, shape, *sources)

    def _fields(self, node: Node) -> list[Expression]:
        if node.op in (Op.RESHAPE, Op.EXPAND):
            return []
        return [self.scalars.string(field)[0] for field in node.fields]

    def _dtype(self, key: str) -> Expression:
        """The dtype with this key; that of vectors is computed from what they are made of."""
        if not is_computed(key):
            return self.variant.dtype(key)
        node = self.by_key[key]
        assert isinstance(node, Node)
        if node.dtype is not None:
            return self.scalars.string(node.dtype)[0]
        fields = [self.scalars.string(field)[0] for field in node.fields]
        operands = [
            text(node.op.name),
            self._dtype(self.types[id(node.src[0])]),
            text(str(len(node.src))),
            *fields,
        ]
        letters = "odi" + "t" * len(fields)
        return self.scalars.named(
            f"dtype{key}", python_call(self.variant.rule.name, retyped, letters, operands)
        )

    def _shape(self, key: str) -> Expression:
        """The shape with this key; behind a movement it is computed, and the rule fails where the movement is illegal."""
        if not key.startswith("!"):
            return variable(shape_variable(key))
        node = self.by_key[key]
        assert isinstance(node, Node)
        before = self._shape(self.shapes[id(node.src[0])])
        fields = [self.scalars.string(field) for field in node.fields]
        letters = "ot" + "".join(
            _letter(field, letter) for field, (_, letter) in zip(node.fields, fields, strict=True)
        )
        operands = [text(node.op.name), before, *(expression for expression, _ in fields)]
        return self.scalars.named(key, python_call(self.variant.rule.name, shape_after, letters, operands))


def _letter(field: Any, letter: str) -> str:
    return letter if isinstance(field, Arg | Type) or letter in "ot" else "t"


def shape_after(op: Op, before: Shape, *fields: Any) -> Shape | None:
    """The shape of a movement or reduction of a value of shape `before`; None where it is illegal."""
    try:
        return TABLE[op].shape((_Shaped(before),), fields[0] if len(fields) == 1 else fields)
    except ShapeError:
        return None


class _Shaped:
    """Something with a shape, for the shape rules."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
