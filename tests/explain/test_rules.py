"""Replay accepts every rule of the library where the rule applies, for all dtypes that it is about."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest

from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.explain.replay import rule_problem
from eqsat.explain.steps import Step, StepKind
from eqsat.integers.intervals import Interval
from eqsat.proof.matches.draw import Draw
from eqsat.proof.matches.match import Match
from eqsat.proof.obligation import Obligation, obligations
from eqsat.rules.language.rule import Rule
from eqsat.rules.library import LIBRARY
from eqsat.uop import UOp

ATTEMPTS = 8  # to draw a match
LARGE_ATTEMPTS = 64  # likewise, of a topic of which none is met in small shapes
RARE_ATTEMPTS = 4000  # likewise, of one whose rules have long left sides


class Drawn(Bounds):
    """The bounds that a match was drawn with."""

    def __init__(self, match: Match) -> None:
        super().__init__()
        self.known = {match.bindings[name]: ends for name, ends in match.bounds.items()}

    def of(self, terms: Sequence[UOp]) -> list[Interval]:
        return [self.known[term] for term in terms]


@pytest.mark.parametrize("topic", sorted({rule.topic for rule in LIBRARY}))
def test_matches_of_rules_are_steps(topic: str) -> None:
    own = obligations([rule for rule in LIBRARY if rule.topic == topic])
    assert steps(own, 0, ATTEMPTS) or steps(own, 1, LARGE_ATTEMPTS) or steps(own, 0, RARE_ATTEMPTS)


def steps(own: Sequence[Obligation], large: int, attempts: int) -> int:
    """How many matches were met; each is a step that replay accepts."""
    count = 0
    for obligation in own:
        match = drawn(obligation, large, attempts)
        if match is not None:
            count += 1
            step = step_of(obligation.rule, match)
            assert rule_problem(obligation.rule, step, Drawn(match)) == "", obligation
    return count


def drawn(obligation: Obligation, large: int, attempts: int) -> Match | None:
    """A match of a rule; None where none is met soon, since its guard is narrow."""
    chance = Random(f"{obligation.rule.name} {obligation.dtypes}")
    with np.errstate(all="ignore"):
        found = (Draw(obligation, chance, large=large).match() for _ in range(attempts))
        return next((match for match in found if match is not None), None)


def step_of(rule: Rule, match: Match) -> Step:
    bindings = {name: match.bindings[name] for name in rule.variables}
    return Step(StepKind.RULE, rule.name, True, (), match.left, match.right, bindings)
