"""Patterns: the two sides of a rewrite rule.

A *pattern* (`Value`, `Node`, `Constant`) stands for a UOp; a *scalar* (`rules.language.scalar`) stands for a quantity that is known when the rule is
applied. Python operators build both, so a rule reads like the equation that it is: in `(x * c) // c`, `x` is a `Value` and `c` a `Const`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from eqsat.errors import RuleError
from eqsat.ops import Op
from eqsat.rules.language.scalar import Scalar, ScalarLike, as_scalar


class Pattern:
    """A UOp that a rule matches or builds, described by its parts."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise RuleError(
            "a pattern has no truth value; combine patterns with &, | and ~, not with and, or, not, nor as a < b < c"
        )

    def __eq__(self, other: object) -> Any:
        return Sameness(self is other)

    def __ne__(self, other: object) -> Any:
        return Sameness(self is not other)

    def __add__(self, other: PatternLike) -> Node:
        return apply(Op.ADD, self, other)

    def __radd__(self, other: PatternLike) -> Node:
        return apply(Op.ADD, other, self)

    def __sub__(self, other: PatternLike) -> Node:
        return apply(Op.SUB, self, other)

    def __rsub__(self, other: PatternLike) -> Node:
        return apply(Op.SUB, other, self)

    def __mul__(self, other: PatternLike) -> Node:
        return apply(Op.MUL, self, other)

    def __rmul__(self, other: PatternLike) -> Node:
        return apply(Op.MUL, other, self)

    def __truediv__(self, other: PatternLike) -> Node:
        return apply(Op.FDIV, self, other)

    def __rtruediv__(self, other: PatternLike) -> Node:
        return apply(Op.FDIV, other, self)

    def __floordiv__(self, other: PatternLike) -> Node:
        return apply(Op.FLOORDIV, self, other)

    def __rfloordiv__(self, other: PatternLike) -> Node:
        return apply(Op.FLOORDIV, other, self)

    def __mod__(self, other: PatternLike) -> Node:
        return apply(Op.FLOORMOD, self, other)

    def __rmod__(self, other: PatternLike) -> Node:
        return apply(Op.FLOORMOD, other, self)

    def __neg__(self) -> Node:
        return apply(Op.NEG, self)

    def __invert__(self) -> Node:
        return apply(Op.CMPNE, self, True)

    def __and__(self, other: PatternLike) -> Node:
        return apply(Op.AND, self, other)

    def __or__(self, other: PatternLike) -> Node:
        return apply(Op.OR, self, other)

    def __xor__(self, other: PatternLike) -> Node:
        return apply(Op.XOR, self, other)

    def __lshift__(self, other: PatternLike) -> Node:
        return apply(Op.SHL, self, other)

    def __rshift__(self, other: PatternLike) -> Node:
        return apply(Op.SHR, self, other)

    def __lt__(self, other: PatternLike) -> Node:
        return apply(Op.CMPLT, self, other)

    def __gt__(self, other: PatternLike) -> Node:
        return apply(Op.CMPLT, other, self)

    def __ge__(self, other: PatternLike) -> Node:
        return ~(self < other)

    def __le__(self, other: PatternLike) -> Node:
        return ~(self > other)

    def ne(self, other: PatternLike) -> Node:
        """Whether the values differ (CMPNE)."""
        return apply(Op.CMPNE, self, other)

    def eq(self, other: PatternLike) -> Node:
        """Whether the values are equal, as `UOp.eq` builds it."""
        return ~apply(Op.CMPNE, self, other)


@dataclass(frozen=True, slots=True, eq=False)
class Value(Pattern):
    """A pattern variable that matches any value; used twice, it matches the same value twice."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Constant(Pattern):
    """A constant, of the dtype and shape that its place requires. On a left side it holds a `Const` or a `Number`."""

    value: Scalar


@dataclass(frozen=True, slots=True, eq=False)
class Node(Pattern):
    """An operation on patterns; `fields` are the scalars of its argument, `dtype` is the target of a cast, or the dtype of a loaded vector."""

    op: Op
    src: tuple[Pattern, ...]
    fields: tuple[Scalar, ...] = ()
    dtype: Scalar | None = None


@dataclass(frozen=True, slots=True)
class Sameness:
    """What `==` and `!=` say of a pattern: whether the two are one object, as containers ask. It is no bool, so it stands in no rule."""

    holds: bool

    def __bool__(self) -> bool:
        return self.holds


PatternLike = Any  # Pattern | Const | Operation | bool | int | float


def as_pattern(value: PatternLike) -> Pattern:
    """`value` as a pattern; a scalar becomes the constant with its value.

    Raises:
        RuleError: `value` is neither a pattern, a scalar nor a number.
    """
    if isinstance(value, Sameness):
        raise RuleError("== and != do not compare the values of patterns; write x.eq(y) or x.ne(y)")
    if isinstance(value, Pattern):
        return value
    if isinstance(value, Scalar | bool | int | float):
        return Constant(as_scalar(value))
    raise RuleError(
        f"{value!r} cannot stand in a pattern; use a Value, a Const, a number, or an operation on these"
    )


def apply(op: Op, *src: PatternLike) -> Node:
    """An operation on patterns: for operations without a Python operator, and for families of rules."""
    return Node(op, tuple(as_pattern(source) for source in src))


def where(condition: PatternLike, yes: PatternLike, no: PatternLike) -> Node:
    """`yes` where the condition holds, else `no`."""
    return apply(Op.WHERE, condition, yes, no)


def maximum(left: PatternLike, right: PatternLike) -> Node:
    """The greater value."""
    return apply(Op.MAX, left, right)


def minimum(left: PatternLike, right: PatternLike) -> Node:
    """The lesser value."""
    return apply(Op.MIN, left, right)


def cast(value: PatternLike, dtype: ScalarLike) -> Node:
    """The value converted to `dtype`, a `DType` or a `Type` variable."""
    return Node(Op.CAST, (as_pattern(value),), (), as_scalar(dtype))


def bitcast(value: PatternLike, dtype: ScalarLike) -> Node:
    """The bits of the value read as `dtype`."""
    return Node(Op.BITCAST, (as_pattern(value),), (), as_scalar(dtype))


def reshape(value: PatternLike, shape: ScalarLike) -> Node:
    """The same elements in another shape."""
    return Node(Op.RESHAPE, (as_pattern(value),), (as_scalar(shape),))


def permute(value: PatternLike, axes: ScalarLike) -> Node:
    """The value with its axes permuted: axis k of the result is axis axes[k] of the value."""
    return Node(Op.PERMUTE, (as_pattern(value),), (as_scalar(axes),))


def expand(value: PatternLike, shape: ScalarLike) -> Node:
    """The value with axes of extent 1 repeated to `shape`."""
    return Node(Op.EXPAND, (as_pattern(value),), (as_scalar(shape),))


def pad(value: PatternLike, amounts: ScalarLike) -> Node:
    """The value with zeros added: (before, after) for each axis."""
    return Node(Op.PAD, (as_pattern(value),), (as_scalar(amounts),))


def shrink(value: PatternLike, window: ScalarLike) -> Node:
    """The window of the value from begin to end: (begin, end) for each axis."""
    return Node(Op.SHRINK, (as_pattern(value),), (as_scalar(window),))


def flip(value: PatternLike, axes: ScalarLike) -> Node:
    """The value with its axes reversed where True."""
    return Node(Op.FLIP, (as_pattern(value),), (as_scalar(axes),))


def reduce_axis(op: ScalarLike, value: PatternLike, axes: ScalarLike) -> Node:
    """The value combined along axes by `op`, an `Op` or an `Arg`."""
    return Node(Op.REDUCE_AXIS, (as_pattern(value),), (as_scalar(op), as_scalar(axes)))


def scan_axis(op: ScalarLike, value: PatternLike, axes: ScalarLike) -> Node:
    """Each element combined with all elements before it along the single axis in `axes`, by `op`, an `Op` or an `Arg`."""
    return Node(Op.SCAN_AXIS, (as_pattern(value),), (as_scalar(op), as_scalar(axes)))


def scatter_axis(op: ScalarLike, value: PatternLike, labels: PatternLike, axes: ScalarLike) -> Node:
    """For each position along the first of `axes`, the elements with that label, combined by `op` along the other axes."""
    return Node(Op.SCATTER_AXIS, (as_pattern(value), as_pattern(labels)), (as_scalar(op), as_scalar(axes)))


def index(buffer: PatternLike, position: PatternLike, gate: PatternLike | None = None) -> Node:
    """The address of the element of a one-dimensional buffer at a position; it is accessed only where the gate holds."""
    return apply(Op.INDEX, buffer, position, *(() if gate is None else (gate,)))


def load(
    address: PatternLike, alternative: PatternLike | None = None, dtype: ScalarLike | None = None
) -> Node:
    """The element at an address; `alternative` where the gate of the address fails. With a `dtype`, the vector that begins there."""
    src = (as_pattern(address), *(() if alternative is None else (as_pattern(alternative),)))
    return Node(Op.LOAD, src, (), None if dtype is None else as_scalar(dtype))


def vectorize(*lanes: PatternLike) -> Node:
    """The vector of these scalars."""
    return apply(Op.VECTORIZE, *lanes)


def cat(*vectors: PatternLike) -> Node:
    """The concatenation of vectors of the same length."""
    return apply(Op.CAT, *vectors)


def gep(vector: PatternLike, lanes: ScalarLike) -> Node:
    """The lanes of a vector with these numbers, a tuple; a single lane is a scalar."""
    return Node(Op.GEP, (as_pattern(vector),), (as_scalar(lanes),))


def operand_patterns(root: Pattern, op: Op, nary_op: Callable[[Node], Op | None]) -> list[Pattern]:
    """The operands of an application of the n-ary operator `op`, from left to right, including those of nested applications.

    `nary_op` returns the n-ary operator of a node, or None. If the root is no application of `op`, it is the only operand.
    """
    found: list[Pattern] = []
    stack = [root]
    while stack:
        pattern = stack.pop()
        if isinstance(pattern, Node) and nary_op(pattern) is op:
            stack.extend(reversed(pattern.src))
        else:
            found.append(pattern)
    return found
