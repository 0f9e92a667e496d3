"""The check of chains that differ by elements that follow from others: it says yes to nothing that is not so."""

from itertools import combinations

import numpy as np
import pytest

import eqsat as eq
from eqsat.dtype import bool_, index, int8
from eqsat.explain.bounds import Bounds
from eqsat.explain.comparisons import same_limits
from eqsat.ops import Op
from eqsat.uop import UOp

x, y = (eq.variable(name, -6, 6) for name in "xy")
n, m = (eq.variable(name, -6, 6, int8) for name in "nm")
TRUE, FALSE = UOp.const(bool_, True), UOp.const(bool_, False)
GRID = np.arange(-6, 7)


def agrees(one: UOp, other: UOp) -> bool:
    """Whether two bools about x and y, or about n and m, have one value everywhere."""
    values = {"x": np.repeat(GRID, 13), "y": np.tile(GRID, 13)}
    values |= {"n": values["x"].astype(np.int8), "m": values["y"].astype(np.int8)}
    return np.array_equal(*np.broadcast_arrays(eq.evaluate(one, values), eq.evaluate(other, values)))


ELEMENTS = {
    index: [
        x < 1,
        x < 2,
        x > 0,
        x > 1,
        (x < 1).logical_not(),
        x.ne(1),
        x * 2 < 3,
        x < y,
        y < x,
        x.ne(y),
        x < y + 2,
    ],
    int8: [
        n < 1,
        n < 2,
        n > 0,
        n > 1,
        (n < 1).logical_not(),
        n.ne(1),
        n < m,
        m < n,
        n.ne(m),
        (n < m).logical_not(),
    ],
}


@pytest.mark.parametrize("op", [Op.AND, Op.OR], ids=lambda op: op.name)
@pytest.mark.parametrize("dtype", [index, int8], ids=str)
def test_nothing_false_is_accepted(dtype: eq.DType, op: Op) -> None:
    accepted = 0
    for one, two in combinations(ELEMENTS[dtype], 2):
        for after in (one, two, FALSE, TRUE):
            whole = one.alu(op, two)
            for before, result in ((whole, after), (after, whole)):
                if same_limits(before, result, Bounds()):
                    accepted += 1
                    assert agrees(before, result), f"{before.pretty()}\n{result.pretty()}"
    assert accepted > 20


def test_alternatives_that_follow_leave() -> None:
    assert same_limits((x < 1) & ((x < 1) | (y < 1)), x < 1, Bounds())
    assert same_limits((x < 1) | ((x < 1) & (y < 1)), x < 1, Bounds())
    assert not same_limits((x < 1) & ((x < 2) & (y < 1)), x < 1, Bounds())
    assert not same_limits((x < 1) & ((x < 1) | (y < 1)), y < 1, Bounds())
