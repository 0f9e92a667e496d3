"""Patterns: the two sides of a rewrite rule, and the arithmetic that its guard does.

A *pattern* (`Value`, `Node`, `Constant`) stands for a UOp; a *scalar* (`Const`, `Arg`, `Number`, `lo(x)`, …) stands for
something known when the rule is applied: the value of a constant, the argument of a movement, a bound, a shape, a dtype. Python
operators build both, so a rule reads like the equation that it is: in `(x * c) // c`, `x` is a `Value` and `c` a `Const`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import update_wrapper
from typing import Any

from eqsat.errors import RuleError
from eqsat.ops import Op


class Scalar:
    """Something known when a rule is applied. Operators build `Operation`s, which guards and computed constants are made of."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise RuleError(
            "a scalar of a rule has no truth value yet; combine guards with &, | and ~, not with and, or, not"
        )

    def __add__(self, other: ScalarLike) -> Operation:
        return _operation("+", self, other)

    def __radd__(self, other: ScalarLike) -> Operation:
        return _operation("+", other, self)

    def __sub__(self, other: ScalarLike) -> Operation:
        return _operation("-", self, other)

    def __rsub__(self, other: ScalarLike) -> Operation:
        return _operation("-", other, self)

    def __mul__(self, other: ScalarLike) -> Operation:
        return _operation("*", self, other)

    def __rmul__(self, other: ScalarLike) -> Operation:
        return _operation("*", other, self)

    def __floordiv__(self, other: ScalarLike) -> Operation:
        return _operation("//", self, other)

    def __mod__(self, other: ScalarLike) -> Operation:
        return _operation("%", self, other)

    def __neg__(self) -> Operation:
        return _operation("-", 0, self)

    def __lt__(self, other: ScalarLike) -> Operation:
        return _operation("<", self, other)

    def __le__(self, other: ScalarLike) -> Operation:
        return _operation("<=", self, other)

    def __gt__(self, other: ScalarLike) -> Operation:
        return _operation("<", other, self)

    def __ge__(self, other: ScalarLike) -> Operation:
        return _operation("<=", other, self)

    def __eq__(self, other: ScalarLike) -> Operation:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        return _operation("==", self, other)

    def __ne__(self, other: ScalarLike) -> Operation:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        return _operation("!=", self, other)

    def __and__(self, other: ScalarLike) -> Operation:
        return _operation("and", self, other)

    def __or__(self, other: ScalarLike) -> Operation:
        return _operation("or", self, other)

    def __invert__(self) -> Operation:
        return _operation("not", self)


@dataclass(frozen=True, slots=True, eq=False)
class Number(Scalar):
    """A number (or shape, `Op`, `DType`) written in a rule; in a pattern it is a constant of the dtype its place asks for."""

    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Const(Scalar):
    """A pattern variable that matches a constant of any dtype and shape; in guards and in computed constants it is its value.

    Integers and bools give a Python int, floats a Python float (only to `pure` functions; operators want integers).
    """

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Arg(Scalar):
    """A pattern variable that matches the argument of a movement or a reduction, a tuple or an `Op`."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Type(Scalar):
    """A pattern variable that matches a dtype, the target of a cast."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Fact(Scalar):
    """What is known of a value: `kind` is "lo", "hi", "shape" or "dtype"."""

    kind: str
    of: Pattern


@dataclass(frozen=True, slots=True, eq=False)
class Operation(Scalar):
    """Integer arithmetic or logic; `symbol` is one of + - * // % < <= == != and or not. Division rounds down, as in Python."""

    symbol: str
    operands: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Call(Scalar):
    """A `pure` function applied to scalars."""

    function: Pure
    operands: tuple[Scalar, ...]


class Pure:
    """A Python function without side effects, usable in rules: given scalars it builds a `Call`, given values it computes.

    It gets ints, floats, tuples, Ops and DTypes, and returns one of these or a bool; `None` means that the rule does not apply.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        update_wrapper(self, function)
        self.name = f"{function.__module__}.{function.__qualname__}"
        self.function = function

    def __call__(self, *operands: Any) -> Any:
        """A `Call` if an operand is a scalar of a rule, else the function's value."""
        if any(isinstance(operand, Scalar) for operand in operands):
            return Call(self, tuple(as_scalar(operand) for operand in operands))
        return self.function(*operands)


def pure(function: Callable[..., Any]) -> Pure:
    """Makes a pure Python function usable in guards, computed constants and computed arguments."""
    return Pure(function)


class Pattern:
    """What a UOp has to look like, or what is built instead."""

    __slots__ = ()

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
    """A pattern variable that matches any value; used twice, the same one."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Constant(Pattern):
    """A constant, of the dtype and shape that its place asks for. On a left side it holds a `Const` or a `Number`."""

    value: Scalar


@dataclass(frozen=True, slots=True, eq=False)
class Node(Pattern):
    """An operation on patterns; `fields` are the scalars of its argument, `dtype` the target of a cast, or what a vector is loaded as."""

    op: Op
    src: tuple[Pattern, ...]
    fields: tuple[Scalar, ...] = ()
    dtype: Scalar | None = None


ScalarLike = Any  # Scalar | bool | int | float | tuple | Op | DType; Any, so that Scalar's operators give way to Pattern's
PatternLike = Any  # Pattern | Const | Operation | bool | int | float


def as_scalar(value: ScalarLike) -> Scalar:
    """`value` as a scalar; a plain Python value becomes a `Number`, whatever its type."""
    return value if isinstance(value, Scalar) else Number(value)


def as_pattern(value: PatternLike) -> Pattern:
    """`value` as a pattern; a scalar becomes the constant with its value.

    Raises:
        RuleError: `value` is neither a pattern, a scalar nor a number.
    """
    if isinstance(value, Pattern):
        return value
    if isinstance(value, Scalar | bool | int | float):
        return Constant(as_scalar(value))
    raise RuleError(
        f"{value!r} cannot stand in a pattern; use a Value, a Const, a number, or an operation on these"
    )


def _operation(symbol: str, *operands: ScalarLike) -> Operation:
    if any(isinstance(operand, Pattern) for operand in operands):
        return NotImplemented
    return Operation(symbol, tuple(as_scalar(operand) for operand in operands))


def apply(op: Op, *src: PatternLike) -> Node:
    """An arithmetic operation on patterns: for those without a Python operator, and for families of rules."""
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
    """Axis k of the result is axis axes[k]."""
    return Node(Op.PERMUTE, (as_pattern(value),), (as_scalar(axes),))


def expand(value: PatternLike, shape: ScalarLike) -> Node:
    """Axes of extent 1 repeated to `shape`."""
    return Node(Op.EXPAND, (as_pattern(value),), (as_scalar(shape),))


def pad(value: PatternLike, amounts: ScalarLike) -> Node:
    """(before, after) zeros per axis."""
    return Node(Op.PAD, (as_pattern(value),), (as_scalar(amounts),))


def shrink(value: PatternLike, window: ScalarLike) -> Node:
    """(begin, end) per axis."""
    return Node(Op.SHRINK, (as_pattern(value),), (as_scalar(window),))


def flip(value: PatternLike, axes: ScalarLike) -> Node:
    """Axes reversed where True."""
    return Node(Op.FLIP, (as_pattern(value),), (as_scalar(axes),))


def reduce_axis(op: ScalarLike, value: PatternLike, axes: ScalarLike) -> Node:
    """The value combined along axes by `op`, an `Op` or an `Arg`."""
    return Node(Op.REDUCE_AXIS, (as_pattern(value),), (as_scalar(op), as_scalar(axes)))


def index(buffer: PatternLike, position: PatternLike, gate: PatternLike | None = None) -> Node:
    """The address of the element of a one-dimensional buffer at a position, for where the gate holds."""
    return apply(Op.INDEX, buffer, position, *(() if gate is None else (gate,)))


def load(
    address: PatternLike, alternative: PatternLike | None = None, dtype: ScalarLike | None = None
) -> Node:
    """What is at an address; at a gated one, `alternative` where the gate fails. With a `dtype`, the vector that begins there."""
    src = (as_pattern(address), *(() if alternative is None else (as_pattern(alternative),)))
    return Node(Op.LOAD, src, (), None if dtype is None else as_scalar(dtype))


def vectorize(*lanes: PatternLike) -> Node:
    """The vector of these scalars."""
    return apply(Op.VECTORIZE, *lanes)


def cat(*vectors: PatternLike) -> Node:
    """Vectors of one length, one after another."""
    return apply(Op.CAT, *vectors)


def gep(vector: PatternLike, lanes: ScalarLike) -> Node:
    """Lanes of a vector, a tuple; one lane is a scalar."""
    return Node(Op.GEP, (as_pattern(vector),), (as_scalar(lanes),))


def lo(value: Pattern) -> Fact:
    """A lower bound of an integer value; a guard that needs one fails where none is known."""
    return Fact("lo", value)


def hi(value: Pattern) -> Fact:
    """An upper bound of an integer value."""
    return Fact("hi", value)


def shape_of(value: Pattern) -> Fact:
    """The shape of a matched value, a tuple."""
    return Fact("shape", value)


def dtype_of(value: Pattern) -> Fact:
    """The dtype of a matched value."""
    return Fact("dtype", value)
