"""The right side of a rule as egglog actions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from eqsat.egraph.bindings import egglog
from eqsat.egraph.compile.body import LeftSide
from eqsat.egraph.compile.guards import Scalars, shape_variable
from eqsat.egraph.compile.variant import Variant, nary_op_of, operation, patterns_of, scaled
from eqsat.egraph.tables.callbacks import python_call
from eqsat.egraph.tables.syntax import Expression, call, equal, let, text, variable
from eqsat.errors import ShapeError
from eqsat.ops import GIVES_SHAPE, TABLE, Op
from eqsat.rules.language.inference import is_computed
from eqsat.rules.language.pattern import Constant, Node, Pattern, Value, operand_patterns
from eqsat.rules.language.scalar import Arg, Call, Type
from eqsat.rules.language.structure import retyped
from eqsat.shape import Shape


class RightSide:
    """Compiles the right side of a variant to `actions`, which build its terms. `scalars` collects further facts."""

    def __init__(self, variant: Variant, left: LeftSide) -> None:
        self.variant = variant
        self.left = left
        self.types, self.shapes = variant.typing.right_types, variant.typing.right_shapes
        self.scalars = Scalars(variant, left.bindings)
        self.actions: list[egglog.Let] = []
        self.built: dict[int, Expression] = {}
        self.by_key = {f"!{id(part)}": part for part in patterns_of(variant.rule.right)}

    def build_root(self) -> Expression:
        """Builds the term that becomes equal to the matched class."""
        root, left_root = self.variant.rule.right, self.variant.rule.left
        left_shape = variable(shape_variable(self.variant.typing.left_shapes[id(left_root)]))
        shape = self._checked(root, left_shape) or self._shape(self.shapes[id(root)])
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

    def _kind(self, node: Node) -> str:
        return self.variant.kind(self.types[id(node)])

    def _nary_op(self, node: Node) -> Op | None:
        return nary_op_of(node, self._kind(node))

    def _node(self, node: Pattern) -> Expression:
        assert isinstance(node, Node)
        dtype, shape = self._place(node)
        if (op := self._nary_op(node)) is not None:
            operands = [self._build(operand) for operand in operand_patterns(node, op, self._nary_op)]
            return call(f"{op.name}_N", dtype, shape, call("multiset-of", *operands))
        if (pair := scaled(node, self._kind(node))) is not None:
            value, coefficient = pair
            bits = self.scalars.constant(coefficient.value, self.types[id(node)])
            return call("SCALE", dtype, shape, bits, self._build(value))
        sources = [self._build(source) for source in node.src]
        first, last = self._place(node.src[0]), self._place(node.src[-1])
        return call(*operation(node, (dtype, shape), first, last, self._fields(node), sources))

    def _fields(self, node: Node) -> list[Expression]:
        if node.op in GIVES_SHAPE:
            return []
        return [self.scalars.string(field)[0] for field in node.fields]

    def _dtype(self, key: str) -> Expression:
        """The dtype with this key; the dtype of a vector is computed from its elements."""
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
        """The shape with this key. The shape of a movement is computed, and the rule does not match if the movement is illegal."""
        if not key.startswith("!"):
            return variable(shape_variable(key))
        if key in self.scalars.known:
            return self.scalars.known[key]
        node = self.by_key[key]
        assert isinstance(node, Node)
        if self._is_legal(node):
            return self.scalars.string(node.fields[0])[0]
        before = self._shape(self.shapes[id(node.src[0])])
        if node.op in GIVES_SHAPE and isinstance(node.fields[0], Call):
            return self.scalars.computed(node.fields[0], "", LegalShape(node.op), [before])
        fields = [self.scalars.string(field) for field in node.fields]
        letters = "ot" + "".join(
            _letter(field, letter) for field, (_, letter) in zip(node.fields, fields, strict=True)
        )
        operands = [text(node.op.name), before, *(expression for expression, _ in fields)]
        return self.scalars.named(key, python_call(self.variant.rule.name, shape_after, letters, operands))

    def _checked(self, root: Pattern, left_shape: Expression) -> Expression | None:
        """The shape of the left side, if the root is a movement with a computed argument that is not its shape; else None.

        One Python call then computes the argument and checks that it gives this shape.
        """
        if not isinstance(root, Node) or not self.shapes[id(root)].startswith("!") or root.op in GIVES_SHAPE:
            return None
        if len(root.fields) != 1 or not isinstance(root.fields[0], Call):
            return None
        before = self._shape(self.shapes[id(root.src[0])])
        self.scalars.computed(root.fields[0], "", ArgumentFor(root.op), [before, left_shape])
        self.scalars.known[self.shapes[id(root)]] = left_shape
        return left_shape

    def _is_legal(self, node: Node) -> bool:
        """Whether the left side proves that a movement is legal: it moves the same value to the same shape, in steps that can be one movement."""
        at, value = self.variant.rule.left, node.src[0]
        if node.op not in GIVES_SHAPE or not isinstance(value, Value) or not isinstance(at, Node):
            return False
        if at.op is not node.op or not isinstance(node.fields[0], Arg) or at.fields != node.fields:
            return False
        steps = {Op.RESHAPE, Op.PERMUTE} if node.op is Op.RESHAPE else {Op.EXPAND}
        while isinstance(at, Node) and at.op in steps:
            at = at.src[0]
        return at == value


def _letter(field: Any, letter: str) -> str:
    return letter if isinstance(field, Arg | Type) or letter in "ot" else "t"


def shape_after(op: Op, before: Shape, *fields: Any) -> Shape | None:
    """The shape of a movement or reduction of a value of shape `before`; None if it is illegal."""
    try:
        return TABLE[op].shape((_Shaped(before),), fields[0] if len(fields) == 1 else fields)
    except ShapeError:
        return None


@dataclass(frozen=True)
class LegalShape:
    """Computes the shape that a movement should give, and checks that the movement is legal: one call from egglog instead of two."""

    op: Op

    def __call__(self, function: Callable[..., Any], before: Shape, *operands: Any) -> Shape | None:
        """The shape that `function` computes from the operands; None if a value of shape `before` cannot get it."""
        wanted = function(*operands)
        return None if wanted is None else shape_after(self.op, before, wanted)


@dataclass(frozen=True)
class ArgumentFor:
    """Computes the argument of a movement, and checks that the movement turns one shape into another."""

    op: Op

    def __call__(self, function: Callable[..., Any], before: Shape, after: Shape, *operands: Any) -> Any:
        """The argument that `function` computes from the operands; None if it does not turn `before` into `after`."""
        argument = function(*operands)
        is_fitting = argument is not None and shape_after(self.op, before, argument) == after
        return argument if is_fitting else None


class _Shaped:
    """Stands for a value with a shape, as the shape rules need it."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
