"""Every declared rule holds on samples, those too that Z3 proves: the reference and the prover must mean the same.

What Z3 decides is sampled on every dtype, since `eqsat rules --verify` only proves it. All else `eqsat rules --verify` samples, the same draws
first and up to three times as many, on every choice of dtypes; here it is sampled on one dtype of each kind, or with `--rules-verified` not at all.
"""

import importlib
import pkgutil
import random

import pytest

import eqsat.rules
from eqsat.proof.obligation import obligations
from eqsat.proof.sample import sample
from eqsat.rules.language.rule import Topic
from eqsat.rules.library import LIBRARY


def is_decided(obligation):
    return obligation.is_pointwise and obligation.is_integral


def some_of_each(rule):
    """Obligations of a rule: one for each dtype that its domain limits, or each kind (bool, signed, unsigned, float, index), with random others."""
    found = {}
    for obligation in obligations([rule]):
        dtype = obligation.dtype
        alike = dtype if is_decided(obligation) else (dtype.kind, dtype.lanes)
        found.setdefault(alike, []).append(obligation)
    chance = random.Random(rule.name)
    return [chance.choice(choices) for choices in found.values()]


@pytest.mark.parametrize(
    "rule", LIBRARY.rules, ids=lambda rule: f"{rule.topic}.{rule.name}".replace(" ", "-")
)
def test_a_rule_holds_on_samples(rule, request):
    is_verified = request.config.getoption("--rules-verified")
    for obligation in some_of_each(rule):
        if is_verified and not is_decided(obligation):
            continue
        found = sample(obligation, matches=8)
        assert found.counterexample is None, found.counterexample.text
        assert found.elements > 0, (
            f"no sample on {obligation.dtypes} satisfied the guard; teach eqsat/proof/matches/draw.py to draw one"
        )


def test_every_topic_is_in_the_library():
    topics = {
        id(value): value
        for module in pkgutil.walk_packages(eqsat.rules.__path__, "eqsat.rules.")
        for value in vars(importlib.import_module(module.name)).values()
        if isinstance(value, Topic)
    }
    assert {rule for topic in topics.values() for rule in topic.ruleset} == set(LIBRARY)
