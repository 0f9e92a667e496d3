"""Types during inference: Python numbers are weak (NEP 50), and take the dtype of the values that they meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eqsat.array import asarray
from eqsat.autobatch.ir import Position, TensorType, Type
from eqsat.autobatch.ir.patterns import leaves, mapped
from eqsat.autobatch.python_numbers import PythonNumber, is_python_number
from eqsat.dtype import DType, bool_, float64, int64
from eqsat.errors import BuildError, brief


@dataclass(frozen=True, slots=True)
class Weak:
    """The type of a Python number. It is stored in `dtype` unless a variable holds values of another dtype, too."""

    dtype: DType

    def __str__(self) -> str:
        return f"a Python {'float' if self.dtype.is_float else 'bool' if self.dtype.is_bool else 'int'}"


WEAK_BOOL, WEAK_INT, WEAK_FLOAT = Weak(bool_), Weak(int64), Weak(float64)


@dataclass(frozen=True, slots=True)
class Declared:
    """The declared type of a variable, and the line of the declaration."""

    type: Type
    position: Position | None = None


def type_of(value: Any) -> Any:
    """The pattern of types of a value that a primitive returned: a Weak or a TensorType for each leaf.

    Raises:
        BuildError: a leaf is neither a number nor an array.
    """
    return mapped(_type_of_leaf, value)


def _type_of_leaf(leaf: Any) -> TensorType | Weak:
    if isinstance(leaf, PythonNumber):
        return Weak(leaf.dtype)
    if is_python_number(leaf):
        return WEAK_BOOL if isinstance(leaf, bool) else WEAK_INT if isinstance(leaf, int) else WEAK_FLOAT
    if leaf is None or isinstance(leaf, str | dict | set | frozenset):
        raise BuildError(
            f"{brief(leaf)} is neither a number nor an array; use a number instead, or a tuple of them"
        )
    array = asarray(leaf)
    return TensorType(array.dtype, array.shape)


def stored(pattern: Any) -> Any:
    """The types in which variables store values of these types: Weak leaves become scalars of their dtype."""
    return mapped(lambda leaf: TensorType(leaf.dtype) if isinstance(leaf, Weak) else leaf, pattern)


def structure_of(pattern: Any) -> Any:
    """The nesting of a pattern, with None for each leaf."""
    return mapped(lambda leaf: None, pattern)


def joined(one: Any, other: Any) -> Any:
    """The type of a variable to which values of both types are assigned, or None if no type holds both.

    A Python int takes any integer or float dtype, a Python float any float dtype, and a Python bool only bool.
    """
    if structure_of(one) != structure_of(other):
        return None
    found = [_joined(left, right) for left, right in zip(leaves(one), leaves(other), strict=True)]
    if any(leaf is None for leaf in found):
        return None
    rest = iter(found)
    return mapped(lambda _: next(rest), one)


def _joined(one: TensorType | Weak, other: TensorType | Weak) -> TensorType | Weak | None:
    if one == other:
        return one
    if isinstance(one, TensorType) and isinstance(other, TensorType):
        return None
    if one.dtype.is_bool != other.dtype.is_bool:
        return None
    if isinstance(one, Weak) and isinstance(other, Weak):
        return WEAK_FLOAT
    strong, weak = (one, other) if isinstance(one, TensorType) else (other, one)
    return strong if strong.dtype.is_float or not weak.dtype.is_float else None


def text_of(pattern: Any) -> str:
    """A pattern of types as text for messages."""
    return str(Type(pattern))
