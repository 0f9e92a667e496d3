"""The check of chains that differ by elements that follow from others: it says yes to nothing that is not so."""

from itertools import combinations

import numpy as np
import pytest

import eqsat as eq
from eqsat.dtype import bool_, index, int8, to_numpy
from eqsat.egraph.theories.conjunctions import same_limits
from eqsat.egraph.theories.terms.bounds import Bounds
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


@pytest.mark.parametrize("op", [Op.AND, Op.OR], ids=lambda op: op.name)
@pytest.mark.parametrize("dtype", [bool_, int8], ids=str)
def test_nothing_false_is_accepted_of_differences(dtype: eq.DType, op: Op) -> None:
    a, b, c = (UOp.param(slot, 8, dtype) for slot in range(3))
    ones = UOp.const(dtype, -1 if dtype is int8 else 1).reshape((1,)).expand((8,))
    differs = a.alu(Op.XOR, b)
    zero = UOp.const(dtype, 0).reshape((1,)).expand((8,))
    elements = [
        a,
        b,
        a.alu(Op.XOR, ones),
        b.alu(Op.XOR, ones),
        differs,
        differs.alu(Op.XOR, ones),
        b.alu(Op.XOR, c),
        c,
    ]
    elements += [a.maximum(b), a.minimum(b), a | b, a & b]
    chains = [one.alu(op, two) for one, two in combinations(elements, 2)]
    places = np.arange(8)
    values = {node: (-(places >> slot & 1)).astype(to_numpy(dtype)) for slot, node in enumerate((a, b, c))}
    results = dict(zip(chains, eq.evaluate(chains, values), strict=True))
    results |= {zero: np.zeros(8, to_numpy(dtype)), ones: eq.evaluate(ones, values)}
    accepted = 0
    for before, after in combinations(results, 2):
        if same_limits(before, after, Bounds()):
            accepted += 1
            assert np.array_equal(results[before], results[after]), f"{before.pretty()}\n{after.pretty()}"
    assert accepted > 10


def test_alternatives_that_follow_leave() -> None:
    assert same_limits((x < 1) & ((x < 1) | (y < 1)), x < 1, Bounds())
    assert same_limits((x < 1) | ((x < 1) & (y < 1)), x < 1, Bounds())
    assert not same_limits((x < 1) & ((x < 2) & (y < 1)), x < 1, Bounds())
    assert not same_limits((x < 1) & ((x < 1) | (y < 1)), y < 1, Bounds())
