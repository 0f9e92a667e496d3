"""Scalars of rules: quantities that are known when a rule is applied, such as the value of a constant, a bound, a shape, and arithmetic on these.

Python operators build `Operation`s. Guards, computed constants and computed arguments consist of scalars.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import update_wrapper
from typing import Any

from eqsat.dtype import DType
from eqsat.errors import RuleError, brief
from eqsat.ops import Op


class Scalar:
    """A quantity that is known when a rule is applied. Python operators build `Operation`s, of which guards and computed constants consist."""

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
    """A number (or shape, `Op`, `DType`) written in a rule; in a pattern it is a constant of the dtype that its place requires."""

    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Const(Scalar):
    """A pattern variable that matches a constant of any dtype and shape; in guards and computed constants it stands for the constant's value.

    The value of an integer or bool is a Python int; the value of a float is a Python float. Only `pure` functions take floats; operators take
    integers.
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
        return self.value(*operands)

    def value(self, *operands: Any) -> Any:
        """The function's value for values.

        Raises:
            RuleError: the function raised an error.
        """
        try:
            return self.function(*operands)
        except RuleError:
            raise
        except Exception as error:
            raise RuleError(
                f"{self.name} raised {type(error).__name__} for {', '.join(map(brief, operands))}: {error}; "
                "where a rule does not apply, return None"
            ) from error


def pure(function: Callable[..., Any]) -> Pure:
    """Makes a pure Python function usable in guards, computed constants and computed arguments."""
    return Pure(function)


ScalarLike = Any  # Scalar | bool | int | float | tuple | Op | DType; Any, so that Scalar's operators give way to Pattern's


def as_scalar(value: ScalarLike) -> Scalar:
    """`value` as a scalar; a plain Python value becomes a `Number`, whatever its type."""
    return value if isinstance(value, Scalar) else Number(value)


def _operation(symbol: str, *operands: ScalarLike) -> Operation:
    if not all(isinstance(operand, Scalar | bool | int | float | tuple | Op | DType) for operand in operands):
        return NotImplemented
    return Operation(symbol, tuple(as_scalar(operand) for operand in operands))
