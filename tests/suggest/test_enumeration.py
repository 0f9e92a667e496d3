"""Behaviours are what the reference evaluator says, and each stands for one term."""

import numpy as np
import pytest

from eqsat.proof.matches.agreement import value_mask
from eqsat.reference import evaluate
from eqsat.rules.language.instantiate import build
from eqsat.rules.language.walking import variables_of
from eqsat.suggest.enumeration import Enumeration
from eqsat.suggest.grammar import DIVISIBLE, GRAMMARS
from eqsat.suggest.samples import POINTS, draw_points
from eqsat.uop import UOp, toposort


def grown(name, size=2):
    grammar = GRAMMARS[name]
    enumeration = Enumeration(grammar, grammar.settings[0], size)
    return enumeration, [candidate for _ in range(size) for candidate in enumeration.grow()]


@pytest.mark.parametrize("name", ["index", "bits", "choices", "float"])
def test_behaviour_is_that_of_the_reference(name):
    enumeration, _ = grown(name)
    grammar = enumeration.grammar
    points = draw_points(grammar, grammar.settings[0])
    inputs = {each: UOp.variable(each, 0, 0, dtype) for each, dtype in grammar.values.items()}
    data = {node: points[each] for each, node in inputs.items()}
    for dtype, family in enumeration.families.items():
        terms = [term for level in family.levels for term in level.terms]
        for term in terms[:: max(1, len(terms) // 60)]:
            if {variable.name for variable in variables_of(term.pattern)} & set(
                grammar.constants
            ) or term.size == 0:
                continue
            root = build(term.pattern, inputs, dtype)
            order = toposort([root])
            values = dict(zip(order, evaluate(order, data), strict=True))
            mask = np.broadcast_to(value_mask(root, values), POINTS)
            np.testing.assert_array_equal(term.mask, mask)
            np.testing.assert_array_equal(term.values[mask], np.broadcast_to(values[root], POINTS)[mask])


@pytest.mark.parametrize("name", ["comparisons", "signed", "bool"])
def test_no_two_terms_behave_alike_and_left_sides_are_not_smaller(name):
    enumeration, candidates = grown(name)
    for family in enumeration.families.values():
        behaviours = {
            (term.values.tobytes(), term.mask.tobytes()) for level in family.levels for term in level.terms
        }
        assert len(behaviours) == sum(len(level.terms) for level in family.levels)
    assert candidates
    for candidate in candidates:
        names = {variable.name for variable in variables_of(candidate.right)}
        assert names <= set(candidate.variables)
        assert candidate.gain >= 0


def test_samples_satisfy_the_conditions_of_their_setting():
    grammar = GRAMMARS["index"]
    for setting in grammar.settings[1:]:
        points = draw_points(grammar, setting)
        assert {array.shape for array in points.values()} == {(POINTS,)}
    divisible = draw_points(grammar, DIVISIBLE)
    assert np.all(divisible["c"] % divisible["d"] == 0)
