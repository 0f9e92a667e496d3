"""Every rule of the library is found in the e-graph: where its left side stands, its right side is in the same class."""

import random

import pytest

from eqsat.egraph.saturate import Budget, saturate
from eqsat.egraph.schema import kind_of
from eqsat.errors import BuildError, RuleError
from eqsat.ops import Op
from eqsat.rules.instantiate import build, holds
from eqsat.rules.library import LIBRARY
from eqsat.uop import UOp
from tests.rules.draw import Draw
from tests.rules.sampling import with_facts

ATTEMPTS = 1500
DRAWS = 40  # at most; many degenerate matches are settled by another rule first
ENOUGH = 3
BUDGET = Budget(nodes=20_000, iterations=12, seconds=5.0, explorations=1)


@pytest.mark.parametrize(
    "rule", LIBRARY.rules, ids=lambda rule: f"{rule.topic}.{rule.name}".replace(" ", "-")
)
def test_a_rule_is_found(rule):
    for dtype in one_of_each_kind(rule.domain):
        fired = 0
        for left, right in matches(rule, dtype):
            saturation = saturate([left, right], LIBRARY, BUDGET)
            first, second = saturation.snapshot.root_classes
            assert first == second, f"{rule} left\n{left.pretty()}\napart from\n{right.pretty()}"
            fired += any(count.name == rule.name for count in saturation.report.rules)
            if fired == ENOUGH:
                break
        assert fired, f"{rule} matched nowhere in {dtype}"


def one_of_each_kind(domain):
    return {kind_of(dtype): dtype for dtype in sorted(domain, key=str)}.values()


def matches(rule, dtype):
    """A few matches, with values that the e-graph knows the bounds of."""
    chance, found = random.Random(f"{rule.name} {dtype}"), 0
    for attempt in range(ATTEMPTS):
        draw = Draw(rule, dtype, chance, large=attempt > ATTEMPTS // 2 and chance.random() < 0.5)
        try:
            left = draw.left()
            if not holds(rule, draw.bindings, draw.bounds):
                continue
            right = build(with_facts(rule.right, draw), draw.bindings, left.dtype, left.shape)
        except (BuildError, RuleError, AssertionError):
            continue
        if left is not right and all(map(fits, right.toposort())):
            bounded = {
                draw.bindings[name]: variable(name, draw) for name in draw.bounds if name in draw.slots
            }
            yield left.substitute(bounded), right.substitute(bounded)
            found += 1
        if found == DRAWS:
            return


def fits(node):
    """Index constants are kept to 64 bits, in which they are computed."""
    return node.op is not Op.CONST or not node.dtype.is_index or node.dtype.min <= node.arg <= node.dtype.max


def variable(name, draw):
    """A variable in place of the array that a draw has for a value with bounds."""
    value = draw.bindings[name]
    least, greatest = draw.bounds[name]
    return UOp.variable(name, least, greatest, value.dtype).broadcast(value.shape)
