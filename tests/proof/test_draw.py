"""Draws that are given up early are those whose guard fails in the end."""

import random
from contextlib import suppress

import pytest

from eqsat.errors import RuleError
from eqsat.proof.matches.draw import Draw
from eqsat.proof.matches.guards import demands, demands_of_right
from eqsat.proof.obligation import obligations
from eqsat.rules.language.instantiate import holds
from eqsat.rules.library import LIBRARY

GUARDED = [rule for rule in LIBRARY.rules if rule.where is not None]


@pytest.mark.parametrize("topic", sorted({rule.topic for rule in GUARDED}))
def test_a_guard_holds_exactly_where_all_that_it_demands_does(topic):
    verdicts = set()
    for rule in [rule for rule in GUARDED if rule.topic == topic][:12]:
        chance = random.Random(rule.name)
        for obligation in obligations([rule])[:3]:
            for _ in range(20):
                draw = Draw(obligation, chance)
                draw.match()
                if draw.bindings.keys() < rule.variables.keys():
                    continue
                with suppress(RuleError):  # of variables that fit no left side
                    demanded = all(each.holds(draw.bindings, draw.bounds) for each in demands(rule.where))
                    holds_whole = holds(rule, draw.bindings, draw.bounds)
                    assert demanded == holds_whole
                    verdicts.add(demanded)
    assert verdicts


@pytest.mark.parametrize("topic", sorted({rule.topic for rule in LIBRARY}))
def test_where_a_rule_applies_all_that_its_right_side_computes_has_a_value(topic):
    """So that no match is given up for a demand of the right side."""
    for rule in [rule for rule in LIBRARY if rule.topic == topic][:12]:
        chance = random.Random(rule.name)
        for obligation in obligations([rule])[:3]:
            for _ in range(20):
                draw = Draw(obligation, chance)
                if draw.match() is not None:
                    assert all(
                        each.holds(draw.bindings, draw.bounds) for each in demands_of_right(rule.right)
                    )


def test_directed_draws_match_more_often():
    """Of as many attempts; most of the others are given up before they are whole."""
    rule = next(rule for rule in LIBRARY if rule.name == "greatest_of_joined")
    found = {
        directed: sum(
            Draw(obligation, chance, directed=directed).match() is not None
            for obligation in obligations([rule])[:4]
            for _ in range(400)
        )
        for directed, chance in ((False, random.Random(0)), (True, random.Random(0)))
    }
    assert found[True] > found[False]
