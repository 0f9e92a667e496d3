"""Divisors and bits of integers: sound in every class, under conditions and in loops."""

from random import Random

import numpy as np
import pytest

import eqsat as eq
from benchmarks.equivalence import evaluate
from eqsat.dtype import DType, uint8
from eqsat.egraph.saturate import facts_of
from eqsat.egraph.search.budget import Budget
from eqsat.pipeline import Plan
from eqsat.simplification.assumptions import Copies, ImpossibleError
from eqsat.uop import UOp, toposort
from tests.drawn import drawn, points_of

RULES = Plan().admitted
BUDGET = Budget(nodes=10_000, iterations=12, seconds=5.0)


def integers_in(root: UOp) -> list[UOp]:
    """The integer values that an expression is made of."""
    return [
        node
        for node in toposort([root])
        if isinstance(node.dtype, DType) and node.shape == () and (node.dtype.is_int or node.dtype.is_index)
    ]


@pytest.mark.parametrize("seed", range(40))
def test_facts_hold_of_every_part_of_an_expression(seed: int) -> None:
    root = drawn(5_000 + seed, 40)
    parts = integers_in(root)
    points = points_of(root, seed)
    with np.errstate(all="ignore"):
        found = evaluate([root], points) if points else {}
    for part, facts in zip(parts, facts_of(parts, RULES, BUDGET), strict=True) if points and parts else ():
        values = found[part].values[found[part].known]
        assert all(facts.allows(int(value)) for value in values), f"{facts} of\n{part.pretty()}"


@pytest.mark.parametrize("seed", range(12))
def test_facts_under_a_condition_hold_where_it_does(seed: int) -> None:
    chance = Random(seed)
    variables = [eq.variable(name, -8, 20) for name in "abc"]
    a, b, c = chance.sample(variables, 3)
    condition = (a * 2 + b < chance.randrange(12)) & (c > chance.randrange(5))
    value = ((a * 2 + b) * 4 + c * 8 + chance.randrange(9)) // chance.choice((1, 2, 4)) + (a * 2 + b) % 5
    copies = Copies()
    try:
        written = copies.under(value, ((condition, True),))
    except ImpossibleError:
        return
    (facts,) = facts_of([written], RULES, BUDGET, copies.equalities)
    grid = {name: column.ravel() for name, column in zip("abc", np.mgrid[-8:21, -8:21, -8:21], strict=True)}
    values = eq.evaluate(value, grid)[eq.evaluate(condition, grid)]
    assert all(facts.allows(number) for number in np.unique(values).tolist())
    (outside,) = facts_of([value], RULES, BUDGET)
    assert all(outside.allows(number) for number in np.unique(eq.evaluate(value, grid)).tolist())


def test_a_loop_variable_has_facts() -> None:
    loop = UOp.range(10, 0)
    assert eq.facts(loop * 6 + 4) == eq.Facts.of(4, 58, 6, 4)


def test_wrapping_keeps_what_powers_of_two_divide() -> None:
    assert eq.facts(eq.variable("v", 0, 255, uint8) * 12).divisor == 4


def test_bits_and_divisors_are_found() -> None:
    x, y = (eq.variable(name, eq.int32.min, eq.int32.max, eq.int32) for name in "xy")
    low = UOp.const(eq.int32, 15)
    assert eq.facts((x << 4) | (y & low)).zeros == 0
    assert eq.facts(((x * 16) | 3) & low).value == 3
    assert eq.facts((x | 1) & 7).ones == 1
    assert eq.facts((x * 12).maximum(y * 8)).divisor == 4
