"""What a rule requires while a match is drawn: values that its guard determines, and demands that are decided before all variables are bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from eqsat.errors import RuleError
from eqsat.rules.language.instantiate import evaluate
from eqsat.rules.language.pattern import Constant, Pattern
from eqsat.rules.language.scalar import Arg, Call, Const, Operation, Scalar
from eqsat.rules.language.walking import nodes_of, variables_of_scalar


@dataclass(frozen=True, slots=True, eq=False)
class Demand:
    """A demand on some variables: a condition must be true, or a scalar must have a value.

    Such scalars are the sides of the guard's equations, and those that the right side of the rule computes.
    """

    scalar: Scalar
    is_condition: bool
    variables: frozenset[str]
    is_guarded: bool = False  # whether the guard protects its functions from values that they reject

    def holds(self, bindings: Mapping[str, Any], bounds: Mapping[str, tuple[int, int]]) -> bool:
        """Whether the demand is met; all its variables must be bound. It counts as met if a guarded function rejects its arguments."""
        try:
            value = evaluate(self.scalar, bindings, bounds)
        except RuleError:
            if self.is_guarded:
                return True
            raise
        return value is True if self.is_condition else value is not None


def determined(guard: Scalar | None, name: str, bindings: Mapping[str, Any]) -> Any:
    """The value that a guard requires of a constant or an argument, given the variables bound so far; None if it requires none."""
    for equated, value, variables in _equations(guard):
        if equated == name and all(each in bindings for each in variables):
            return evaluate(value, bindings)
    return None


@lru_cache(maxsize=64)
def _equations(guard: Scalar | None) -> list[tuple[str, Scalar, frozenset[str]]]:
    """The equations of a guard for a constant or an argument: its name, the other side, and the variables that the other side reads."""
    found: list[tuple[str, Scalar, frozenset[str]]] = []
    for condition in _conditions(guard):
        for equated, value in _sides(condition):
            if isinstance(equated, Const | Arg):
                found.append((equated.name, value, _names(value)))
    return found


@lru_cache(maxsize=1024)
def demands_on(guard: Scalar | None, right: Pattern, names: tuple[str, ...]) -> list[Demand]:
    """The demands of a rule's guard and of its right side that some of these variables take part in."""
    every = [*demands(guard), *demands_of_right(right)]
    return [demand for demand in every if not demand.variables.isdisjoint(names)]


@lru_cache(maxsize=64)
def demands(guard: Scalar | None) -> list[Demand]:
    """The demands of a guard, in parts that can be decided before all variables are bound."""
    conditions = _conditions(guard)
    sides = [value for condition in conditions for _, value in _sides(condition)]
    return [
        *(Demand(condition, True, _names(condition)) for condition in conditions),
        *(Demand(side, False, _names(side)) for side in sides),
    ]


@lru_cache(maxsize=64)
def demands_of_right(right: Pattern) -> list[Demand]:
    """The demands of the right side of a rule: all that it computes must have a value; otherwise the rule does not apply."""
    nodes = nodes_of(right)
    constants = [each.value for node in nodes for each in node.src if isinstance(each, Constant)]
    computed = [scalar for node in nodes for scalar in node.fields] + constants
    return [
        Demand(each, False, _names(each), is_guarded=True)
        for each in computed
        if isinstance(each, Operation | Call)
    ]


def _conditions(guard: Scalar | None) -> list[Scalar]:
    """The conditions that a guard joins with `and`."""
    found: list[Scalar] = []
    stack = [guard]
    while stack:
        match stack.pop():
            case None:
                continue
            case Operation("and", operands):
                stack += operands
            case condition:
                found.append(condition)
    return found


def _sides(condition: Scalar) -> list[tuple[Scalar, Scalar]]:
    """The two sides of an equation, in both orders; empty if the condition is no equation."""
    match condition:
        case Operation("==", (one, other)):
            return [(one, other), (other, one)]
        case _:
            return []


def _names(scalar: Scalar) -> frozenset[str]:
    return frozenset(variable.name for variable in variables_of_scalar(scalar))
