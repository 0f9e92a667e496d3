"""Pairs of terms that behave alike, and the rules that they state."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from eqsat.dtype import DType
from eqsat.machine import PROCESSOR
from eqsat.rules.language.notation import pattern_text
from eqsat.rules.language.pattern import Constant, Pattern, Value
from eqsat.rules.language.rule import (
    Domain,
    Phase,
    Rule,
    Soundness,
)
from eqsat.rules.language.scalar import Const, Number, Scalar
from eqsat.rules.language.walking import nodes_of, variables_of, variables_of_scalar
from eqsat.suggest.grammar import Grammar, Setting
from eqsat.suggest.terms import Term

TOPIC = "suggestions"


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Two terms that behave alike on samples; where the left one has a value, so has the right one.

    Attributes:
        left: the side that is matched.
        right: the side that replaces it.
        size: the number of operations of the left side.
        gain: how many operations fewer the right side has.
        is_slower: whether the left side has more operations than the right one, or takes longer for as many.
        is_total: whether both sides have a value at the same points.
        setting: the assumptions under which the terms were compared.
    """

    left: Pattern
    right: Pattern
    size: int
    gain: int
    is_slower: bool
    is_total: bool
    setting: Setting

    @property
    def variables(self) -> dict[str, Value | Const]:
        """The variables of the left side, in order of appearance."""
        return {
            variable.name: variable
            for variable in variables_of(self.left)
            if isinstance(variable, Value | Const)
        }

    @property
    def guard(self) -> Scalar | None:
        """The conditions of the setting that are only about variables of the rule; None if there are none."""
        names = set(self.variables)
        conditions = [
            condition
            for condition in self.setting.conditions
            if {variable.name for variable in variables_of_scalar(condition)} <= names
        ]
        return reduce(lambda one, other: one & other, conditions) if conditions else None

    @property
    def order(self) -> tuple[object, ...]:
        """The sort key of candidates: smaller ones come first, then those with a greater gain, then the more general ones."""
        literals = sum(
            isinstance(source, Constant) and isinstance(source.value, Number)
            for side in (self.left, self.right)
            for node in nodes_of(side)
            for source in node.src
        )
        return (
            self.size,
            -self.gain,
            literals,
            -len(self.variables),
            pattern_text(self.left),
            pattern_text(self.right),
        )

    def rule(self, name: str, domain: Domain) -> Rule:
        """The rule that rewrites the left side to the right one."""
        return Rule(
            name, TOPIC, self.claim, dict(self.variables), self.left, self.right, self.guard, False, domain, Soundness.EXACT,
            Phase.SIMPLIFY,
        )  # fmt: skip

    @property
    def claim(self) -> str:
        """The equation in words, until someone finds better ones."""
        where = "" if self.is_total else ", where it has a value"
        return f"{pattern_text(self.left)} is {pattern_text(self.right)}{where}."

    @property
    def name(self) -> str:
        """A name for the rule: the operations of the left side, outermost first."""
        return "_of_".join(node.op.name.lower() for node in reversed(nodes_of(self.left)))


def paired(term: Term, equal: Term, grammar: Grammar, setting: Setting) -> Candidate | None:
    """The candidate that rewrites the slower of two terms that behave alike; `equal` has a value wherever `term` has one.

    It is None in three cases: the right side would have a variable that the left side lacks; the variables are not the first ones of their
    kind, so that this is another candidate with other names; or the candidate does not involve what the setting assumes.
    """
    left, right = term, equal
    is_total = np.array_equal(left.mask, right.mask)
    turns = left.size == right.size and right.is_matchable and is_total
    if turns and _slowness(right.pattern, grammar.dtype) > _slowness(left.pattern, grammar.dtype):
        left, right = right, left
    gain = left.size - right.size
    is_slower = gain > 0 or _slowness(left.pattern, grammar.dtype) > _slowness(right.pattern, grammar.dtype)
    names = [variable.name for variable in variables_of(left.pattern)]
    if not {variable.name for variable in variables_of(right.pattern)} <= set(names):
        return None
    for group in grammar.interchangeable(setting):
        if [name for name in names if name in group] != group[: len(set(names) & set(group))]:
            return None
    found = Candidate(left.pattern, right.pattern, left.size, gain, is_slower, is_total, setting)
    is_about_setting = setting.told_apart <= set(names) and (
        found.guard is not None or not setting.conditions
    )
    return found if is_about_setting else None


def _slowness(pattern: Pattern, dtype: DType) -> float:
    return sum(PROCESSOR.cycles(node.op, dtype) for node in nodes_of(pattern))
