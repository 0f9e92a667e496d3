"""Builds the two sides of a rule as UOps, for given values of its variables. Samplers and interpreters read these."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from eqsat.dtype import DType, bool_, index, wrap
from eqsat.errors import RuleError
from eqsat.ops import COMPARISON, TABLE, Category, Op
from eqsat.positions import counted_axis
from eqsat.rules.language.facts import Fact
from eqsat.rules.language.pattern import Constant, Node, Pattern, Value
from eqsat.rules.language.rule import Rule
from eqsat.rules.language.scalar import Arg, Call, Const, Number, Operation, Scalar, Type
from eqsat.rules.language.structure import RETYPED, Role, retyped, roles_of
from eqsat.shape import Shape
from eqsat.uop import UOp

Bindings = Mapping[str, Any]  # Value: a UOp; Const: a number; Arg: a tuple or Op; Type: a DType
Bounds = Mapping[str, tuple[int | None, int | None]]  # bounds of Values, by name; None where unknown

_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": lambda left, right: left // right if right else None,
    "%": lambda left, right: left % right if right else None,
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
}


def instantiate(rule: Rule, bindings: Bindings, dtype: DType, shape: Shape = ()) -> tuple[UOp, UOp]:
    """Both sides of `rule` with its variables replaced.

    Args:
        rule: the rule.
        bindings: one entry per variable of the rule.
        dtype: the dtype of constants whose place does not fix it (in a left side of constants only).
        shape: the shape of these constants.

    Raises:
        RuleError: a computed constant or argument has no value for these bindings.
        ShapeError, DTypeError: the values do not fit the pattern.
    """
    left = build(rule.left, bindings, dtype, shape)
    assert isinstance(left.dtype, DType)
    return left, build(rule.right, bindings, left.dtype, left.shape or ())


def holds(rule: Rule, bindings: Bindings, bounds: Bounds) -> bool:
    """Whether the guard of `rule` holds; false where it has no value (an unknown bound, a division by zero)."""
    return rule.where is None or evaluate(rule.where, bindings, bounds) is True


def evaluate(scalar: Scalar, bindings: Bindings, bounds: Bounds | None = None) -> Any:
    """The value of a scalar expression, or None where it has none."""
    match scalar:
        case Number(value):
            return value
        case Const(name) | Arg(name) | Type(name):
            return bindings[name]
        case Fact():
            return _fact(scalar, bindings, bounds or {})
        case Operation(symbol, operands):
            return _operate(symbol, [evaluate(operand, bindings, bounds) for operand in operands])
        case Call(function, operands):
            values = [evaluate(operand, bindings, bounds) for operand in operands]
            return None if None in values else function.value(*values)
        case _:
            raise RuleError(f"{scalar!r} is no scalar of a rule")


def _fact(fact: Fact, bindings: Bindings, bounds: Bounds) -> Any:
    assert isinstance(fact.of, Value)
    name = fact.of.name
    if fact.kind in ("lo", "hi"):
        return bounds[name][fact.kind == "hi"] if name in bounds else None
    if fact.kind == "axis":
        value = bindings.get(name)
        return counted_axis(value) if isinstance(value, UOp) else None
    return bindings[name].shape if fact.kind == "shape" else bindings[name].dtype


def _operate(symbol: str, values: list[Any]) -> Any:
    if symbol == "not":
        return None if values[0] is None else not values[0]
    if symbol in ("and", "or"):
        decisive = symbol == "or"
        return decisive if decisive in values else None if None in values else not decisive
    return None if None in values else _OPERATIONS[symbol](*values)


def build(
    pattern: Pattern, bindings: Bindings, dtype: DType, shape: Shape = (), bounds: Bounds | None = None
) -> UOp:
    """`pattern` as a UOp; a constant takes `dtype` and `shape` if no operand beside it fixes them.

    `bounds` are needed where a constant is computed from the bounds of a value.

    Raises:
        RuleError: a computed constant or argument has no value for these bindings.
    """
    match pattern:
        case Value(name):
            return bindings[name]
        case Constant(value):
            number = _known(evaluate(value, bindings, bounds), pattern)
            return UOp.full(shape, dtype, wrap(dtype, number))
        case Node():
            return _build_node(pattern, bindings, dtype, shape, bounds)
        case _:
            raise RuleError(f"{pattern!r} is no pattern")


def _build_node(node: Node, bindings: Bindings, dtype: DType, shape: Shape, bounds: Bounds | None) -> UOp:
    built: dict[int, UOp] = {}
    for position, source in enumerate(node.src):
        if not isinstance(source, Constant):
            built[position] = build(source, bindings, own_dtype(node, position) or dtype, shape, bounds)
    beside = [uop for position, uop in built.items() if own_dtype(node, position) is None]
    operand_dtype = beside[0].dtype if beside else dtype
    shapes = [uop.shape for position, uop in built.items() if node.op is not Op.INDEX or position]
    operand_shape = shapes[0] if shapes else shape
    assert isinstance(operand_dtype, DType)
    assert operand_shape is not None
    for position, source in enumerate(node.src):
        if position not in built:
            expected = own_dtype(node, position) or operand_dtype
            built[position] = build(source, bindings, expected, operand_shape, bounds)
    src = tuple(built[position] for position in range(len(node.src)))
    return UOp(node.op, _result_dtype(node, src, bindings), src, _argument(node, bindings))


def own_dtype(node: Node, position: int) -> DType | None:
    """The dtype of a source that does not depend on the other sources: a condition, gate or position. None for other sources."""
    if node.op is Op.WHERE:
        return bool_ if position == 0 else None
    roles = roles_of(node.op, len(node.src))
    return None if roles is None else {Role.GATE: bool_, Role.POSITION: index}.get(roles[position])


def _result_dtype(node: Node, src: tuple[UOp, ...], bindings: Bindings) -> DType:
    if node.op in COMPARISON:
        return bool_
    first = src[0].dtype
    if node.op in RETYPED:
        assert isinstance(first, DType)
        lanes = _argument(node, bindings) if node.op is Op.GEP else ()
        return retyped(node.op, first, len(src), lanes)
    found = (
        evaluate(node.dtype, bindings)
        if node.dtype is not None
        else (first if node.op in (Op.INDEX, Op.SCATTER_AXIS) else src[-1].dtype)
    )
    assert isinstance(found, DType)
    return found


def _argument(node: Node, bindings: Bindings) -> Any:
    if not node.fields:
        return None
    values = tuple(_known(evaluate(field, bindings), node) for field in node.fields)
    return values[0] if node.op is Op.GEP or TABLE[node.op].category is Category.MOVEMENT else values


def _known(value: Any, where: Pattern) -> Any:
    if value is None:
        raise RuleError(
            f"a computed scalar in {where!r} has no value for these bindings; its function returned None"
        )
    return value
