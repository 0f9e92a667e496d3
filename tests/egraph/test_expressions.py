"""Expressions drawn at random: whatever saturation finds equal computes the same."""

import random

import numpy as np
from hypothesis import given, settings

import eqsat as eq
from eqsat.egraph.saturate import saturate
from eqsat.egraph.search.budget import Budget
from eqsat.egraph.snapshot.snapshot import Snapshot
from eqsat.errors import ExtractionError
from eqsat.rules.library import INDEX_LIBRARY
from tests.egraph.expressions import Expression, expressions

CHOICES = 12  # random ways to write one expression


@settings(max_examples=60)
@given(expressions())
def test_simplified_expressions_compute_the_same(expression: Expression) -> None:
    expression.check(eq.simplify(expression.root))


@settings(max_examples=20)
@given(expressions(most=15))
def test_every_choice_computes_the_same(expression: Expression) -> None:
    snapshot = saturate([expression.root], INDEX_LIBRARY, Budget(nodes=20_000)).snapshot
    chance = random.Random(0)
    for _ in range(CHOICES):
        choice = random_choice(snapshot, chance)
        (written,) = snapshot.build(choice)
        expression.check(written)


def random_choice(snapshot: Snapshot, chance: random.Random) -> list[int]:
    """For each class one of the nodes whose operands were chosen before, in a random order of the classes."""
    choice = [-1] * len(snapshot.class_dtype)
    pending = list(range(len(snapshot.terms)))
    while pending:
        chance.shuffle(pending)
        waiting: list[int] = []
        for node in pending:
            owner = int(snapshot.node_class[node])
            if choice[owner] < 0:
                if all(choice[operand] >= 0 for operand in snapshot.operands(node)):
                    choice[owner] = node
                else:
                    waiting.append(node)
        if len(waiting) == len(pending):
            raise ExtractionError("a class has no term that can be written down")
        pending = waiting
    return choice


def test_bounds_hold_for_every_class() -> None:
    a, b = eq.variable("a", -7, 9), eq.variable("b", 0, 12)
    root = (a * 3 + b).maximum(a * b) // 4 + (b % 5).minimum(a) * -2 + (a < b).where(a, b)
    snapshot = saturate([root], INDEX_LIBRARY).snapshot
    grid = {"a": np.repeat(np.arange(-7, 10), 13), "b": np.tile(np.arange(13), 17)}
    choice = random_choice(snapshot, random.Random(1))
    for owner in range(len(choice)):
        (value,) = rooted(snapshot, owner).build(choice)
        found = eq.evaluate(value, grid)
        assert snapshot.lo[owner] <= np.min(found)
        assert np.max(found) <= snapshot.hi[owner]


def rooted(snapshot: Snapshot, owner: int) -> Snapshot:
    """The same e-graph seen from one class."""
    fields = {name: getattr(snapshot, name) for name in Snapshot.__slots__}
    return Snapshot(**{**fields, "root_classes": np.array([owner])})
