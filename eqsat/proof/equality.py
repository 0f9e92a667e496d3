"""Decides whether two graphs are equal. The answer is a chain of rules, inputs on which the graphs differ, or unknown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eqsat.egraph.saturate import saturate
from eqsat.egraph.search.budget import Budget
from eqsat.egraph.search.report import Report
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.errors import DTypeError, ExplanationError, ShapeError
from eqsat.explain import (
    THEORIES,
    Explanation,
    Limits,
    Step,
    StepKind,
    explain_by_simplifying,
    explain_equality,
)
from eqsat.ops import MOVEMENT, Op
from eqsat.proof.difference import Arithmetic, Difference, find_difference
from eqsat.rules.language.rule import RuleSet
from eqsat.uop import UOp, toposort


@dataclass(frozen=True, eq=False)
class Proved:
    """Both graphs are equal wherever they have values; a replayed chain of rules proves it."""

    explanation: Explanation

    def __str__(self) -> str:
        """The chain of steps as text."""
        return f"equal:\n{self.explanation}"


@dataclass(frozen=True, eq=False)
class Refuted:
    """The graphs differ on some inputs."""

    counterexample: Difference

    def __str__(self) -> str:
        """The inputs and both values as text."""
        return f"different: {self.counterexample.text}"


@dataclass(frozen=True, eq=False)
class Unknown:
    """Neither a proof nor a difference was found.

    Attributes:
        report: the report of the saturation of both graphs.
        note: what the attempts found, in words.
        rounding: inputs on which the graphs differ by rounding alone, if any were found.
    """

    report: Report
    note: str
    rounding: Difference | None = None

    def __str__(self) -> str:
        """What is known."""
        return f"unknown: {self.note}"


Verdict = Proved | Refuted | Unknown


def decide_equality(
    one: UOp, other: UOp, rules: RuleSet, budget: Budget, limits: Limits, arithmetic: Arithmetic
) -> Verdict:
    """Saturates both graphs in one e-graph, then searches for inputs on which they differ, then simplifies each and compares the results.

    Raises:
        DTypeError: they have different dtypes, or one has a different number of results.
        ShapeError: they have different shapes.
    """
    pairs = _results(one, other)
    saturation = saturate([side for pair in pairs for side in pair], rules, budget)
    classes = saturation.snapshot.root_classes.tolist()
    note = "the e-graph does not hold them equal, and no inputs were found on which they differ"
    if classes[::2] == classes[1::2]:
        try:
            return _replayed(explain_equality(one, other, rules, limits))
        except ExplanationError as error:
            return Unknown(saturation.report, f"the e-graph holds them equal, but {error}")
    rounding: Difference | None = None
    for pair in pairs:
        found = find_difference(*pair, arithmetic)
        if found is not None and not found.is_rounding:
            return Refuted(found)
        rounding = rounding or found
    if rounding is not None:
        note = f"they differ by rounding alone, which Plan(strict=True) refutes and Plan(fast_math=True) leaves aside: {rounding.text}"
    if len(pairs) == 1 and _are_plain_scalars(pairs[0]):
        try:
            explanation = explain_by_simplifying(one, other, rules, budget, limits)
        except ExplanationError as error:
            note = f"both simplify to one expression, but {error}"
        else:
            if explanation is not None:
                return _replayed(explanation)
        by_points = Explanation(
            one, other, (Step(StepKind.THEORY, "all points", True, (), one, other),), (), rules
        )
        if THEORIES["all points"].check(one, other, Bounds()):
            return _replayed(by_points)
    return Unknown(saturation.report, note, rounding)


def _replayed(explanation: Explanation) -> Proved:
    explanation.replay()
    return Proved(explanation)


def _results(one: UOp, other: UOp) -> list[tuple[UOp, UOp]]:
    """The results that must be equal pair by pair."""
    sides = [side.src if side.op is Op.SINK else (side,) for side in (one, other)]
    if len(sides[0]) != len(sides[1]) or (one.op is Op.SINK) != (other.op is Op.SINK):
        raise DTypeError(
            f"cannot compare {len(sides[0])} results with {len(sides[1])}; give two values, or two SINKs of as many"
        )
    pairs = list(zip(*sides, strict=True))
    for left, right in pairs:
        if left.dtype != right.dtype:
            raise DTypeError(f"cannot compare {left.dtype} with {right.dtype}; cast one first")
        if left.shape != right.shape:
            raise ShapeError(
                f"cannot compare shape {left.shape} with {right.shape}; reshape or expand one first"
            )
    return pairs


def _are_plain_scalars(roots: Sequence[UOp]) -> bool:
    """Whether both are scalars without an EMPTY part, so that equal simplified forms prove them equal everywhere."""
    nodes = toposort(roots)
    return not any(node.shape or node.op in MOVEMENT or node.op in (Op.EMPTY, Op.SINK) for node in nodes)
