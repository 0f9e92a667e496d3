"""Optimized array programs are explained, and the chains replay."""

from __future__ import annotations

import pytest

import eqsat as eq
from eqsat.cli.graphs import find_graph
from eqsat.demo.programs import PROGRAMS


@pytest.mark.parametrize("name", PROGRAMS)
def test_example_is_explained(name):
    graph = find_graph(name)
    best = eq.optimize(graph)
    explanation = best.explain()
    assert explanation.before is graph
    assert explanation.replay() is best.uop


@pytest.mark.parametrize("name", ["softmax", "layer_norm", "attention"])
def test_example_is_explained_over_the_reals(name):
    best = eq.optimize(find_graph(name), eq.Plan(fast_math=True))
    assert best.explain().replay() is best.uop


def test_rule_of_the_plan_is_in_the_chain():
    graph = eq.trace(lambda x: x / 4.0, eq.spec((8,), eq.float32))
    names = [step.name for step in eq.optimize(graph).explain().steps]
    assert "divide_by_power_of_two" in names
