"""A match of a rule: what its variables stand for, and both sides as graphs over parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eqsat.dtype import DType
from eqsat.errors import BuildError, RuleError
from eqsat.proof.obligation import Obligation
from eqsat.reference.number import Array
from eqsat.rules.language.instantiate import build, holds
from eqsat.uop import UOp

Bounds = Mapping[str, tuple[int, int]]
Data = Mapping[UOp, Array]  # the array of each parameter


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """A rule with a choice for each of its variables, so that both sides are graphs.

    Attributes:
        obligation: the rule and its dtypes.
        bindings: what each variable stands for.
        bounds: the interval in which the data of each value lie, by name.
        slots: the slot of the PARAM that holds each value, by the name of the value.
        left: the graph of the left side.
        right: the graph of the right side, which the rule claims to be equal.
    """

    obligation: Obligation
    bindings: Mapping[str, Any]
    bounds: Bounds
    slots: Mapping[str, UOp]
    left: UOp
    right: UOp


def match(
    obligation: Obligation, bindings: Mapping[str, Any], bounds: Bounds, slots: Mapping[str, UOp], left: UOp
) -> Match | None:
    """The match with this left side. None if the rule does not apply: its guard fails, or its right side cannot be built."""
    rule = obligation.rule
    if not holds(rule, bindings, bounds):
        return None
    left_dtype = left.dtype
    assert isinstance(left_dtype, DType)
    try:
        right = build(rule.right, bindings, left_dtype, left.shape or (), bounds)
    except (BuildError, RuleError):
        return None
    return Match(obligation, bindings, bounds, slots, left, right)
