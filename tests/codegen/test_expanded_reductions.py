"""The pieces that expand reductions and scans, each with exactly what it gives."""

from __future__ import annotations

import numpy as np
import pytest

from eqsat.codegen.expansion.access import (
    scanned_copy,
)
from eqsat.codegen.expansion.combining import combine_lanes, following, joining, members, result, starts
from eqsat.codegen.expansion.lanes import (
    scanned_lanes,
    shifted,
)
from eqsat.dtype import float32, int32
from eqsat.ops import AxisType, Op
from eqsat.reference import compute
from eqsat.uop import UOp, toposort
from tests.codegen.pieces import joined, part, scalar, vector
from tests.forms.form import f, node

PAIR = (scalar(0), scalar(1, int32))
OTHER = (scalar(2), scalar(3, int32))
STEP = UOp.range(4, 3, AxisType.REDUCE)
TOTAL = node(Op.REDUCE, float32, scalar(), STEP, arg=Op.MAX)
EXTREMES = [
    node(Op.ARGREDUCE, dtype, *PAIR, STEP, arg=(Op.MAX, member))
    for member, dtype in enumerate((float32, int32))
]


def test_what_is_accumulated_and_from_where():
    assert members(TOTAL) == (scalar(),)
    assert members(EXTREMES[0]) == PAIR
    assert starts(TOTAL) == (-np.inf,)
    assert starts(EXTREMES[1]) == (-np.inf, 0)
    assert starts(node(Op.ARGREDUCE, int32, scalar(0, int32), scalar(1, int32), STEP, arg=(Op.MIN, 0))) == (
        int32.max,
        0,
    )


def test_what_a_reduction_is_in_the_end():
    assert result(EXTREMES[0], PAIR, in_loops=False) is PAIR[0]
    assert result(EXTREMES[1], PAIR, in_loops=True) is PAIR[1]
    assert result(TOTAL, (scalar(5),), in_loops=True) is scalar(5)


NUMBERS = (-1.0, 0.0, 2.0, float("nan"))


def value_of(root: UOp, given: dict[UOp, object]) -> object:
    """By the meaning of each operation."""
    found: dict[UOp, object] = {}
    for each in toposort([root], set(given)):
        if each in given:
            found[each] = given[each]
        elif each.op is Op.CONST:
            found[each] = np.array(each.arg)
        else:
            found[each] = compute(each.op, each.dtype.scalar, *(found[source] for source in each.src))  # pyright: ignore
    return found[root]


@pytest.mark.parametrize("op", [Op.MAX, Op.MIN])
@pytest.mark.parametrize("other", NUMBERS)
@pytest.mark.parametrize("best", NUMBERS)
@pytest.mark.parametrize("places", [(1, 2), (2, 1)])
def test_the_better_of_two_pairs(op, best, other, places):
    """The extreme value, of equal ones the first; a NaN before all numbers, and the first of several."""
    reduction = EXTREMES[0].replace(arg=(op, 0))
    given = {
        PAIR[0]: np.float32(best), PAIR[1]: np.int32(places[0]), OTHER[0]: np.float32(other), OTHER[1]: np.int32(places[1]),
    }  # fmt: skip
    made = joining(reduction)(PAIR, OTHER)
    pairs = [(best, places[0]), (other, places[1])]
    expected = min(
        pairs,
        key=lambda pair: (
            (pair[0] == pair[0], -pair[0] if op is Op.MAX else pair[0], pair[1])
            if pair[0] == pair[0]
            else (False, 0, pair[1])
        ),
    )
    np.testing.assert_equal([float(value_of(each, given)) for each in made], list(map(float, expected)))  # pyright: ignore
    if places == (1, 2):
        made = following(reduction)(PAIR, OTHER)
        np.testing.assert_equal([float(value_of(each, given)) for each in made], list(map(float, expected)))  # pyright: ignore


def test_lanes_are_combined_half_by_half():
    whole = vector(4)
    halves = part(whole, 0, 1).alu(Op.MAX, part(whole, 2, 3))
    assert combine_lanes((whole,), joining(TOTAL)) == (part(halves, 0).alu(Op.MAX, part(halves, 1)),)
    three = vector(3)
    assert combine_lanes((three,), joining(TOTAL)) == (
        part(three, 0).alu(Op.MAX, part(three, 1)).alu(Op.MAX, part(three, 2)),
    )
    assert combine_lanes((scalar(),), joining(TOTAL)) == (scalar(),)


def test_copies_of_a_scan_go_on_from_those_before():
    a, b, c = scalar(0), scalar(1), scalar(2)
    walk = (UOp.range(4, 3, AxisType.SCAN),)
    assert scanned_copy([a, b, c], 0, (Op.ADD, False), (), False) is a
    assert scanned_copy([a, b, c], 2, (Op.ADD, False), (), False) is (a + b) + c
    assert scanned_copy([a, b, c], 2, (Op.ADD, True), (), False) is a + b
    assert scanned_copy([a, b, c], 0, (Op.ADD, True), (), False) is f(0.0)
    carried = node(Op.SCAN, float32, (a + b) + c, *walk, arg=(Op.ADD, True))
    assert scanned_copy([a, b, c], 0, (Op.ADD, False), walk, False) is carried + a
    assert scanned_copy([a, b, c], 1, (Op.ADD, True), walk, False) is carried + a
    assert scanned_copy([a, b, c], 1, (Op.ADD, False), walk, False) is (carried + a) + b
    one, two = vector(2, 0), vector(2, 2)
    parts = [scanned_lanes(each, Op.ADD) for each in (one, two)]
    last = part(parts[0], 1)
    assert scanned_copy([one, two], 0, (Op.ADD, False), (), True) is parts[0]
    assert scanned_copy([one, two], 1, (Op.ADD, False), (), True) is joined(last, last).alu(Op.ADD, parts[1])
    assert scanned_copy([one, two], 0, (Op.ADD, True), (), True) is shifted(parts[0], 1, Op.ADD)
    assert scanned_copy([one, two], 1, (Op.ADD, True), (), True) is joined(last, last).alu(
        Op.ADD, shifted(parts[1], 1, Op.ADD)
    )
