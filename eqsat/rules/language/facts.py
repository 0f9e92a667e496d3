"""Functions of matched values that guards may use: bounds, shape, dtype, axis."""

from __future__ import annotations

from dataclasses import dataclass

from eqsat.rules.language.pattern import Pattern
from eqsat.rules.language.scalar import Scalar


@dataclass(frozen=True, slots=True, eq=False)
class Fact(Scalar):
    """A fact about a value; `kind` is "lo", "hi", "shape", "dtype" or "axis"."""

    kind: str
    of: Pattern


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


def axis_of(value: Pattern) -> Fact:
    """The axis along which a matched integer array counts 0, 1, 2, …; a guard that needs one fails where there is none."""
    return Fact("axis", value)
