"""Loop variables with computed extents: what they decide, and what they do not."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eqsat as eq
from eqsat.reference import evaluate
from eqsat.uop import UOp

M, N = eq.variable("m", 1, 4), eq.variable("n", 1, 4)
Q, R, S = UOp.range(M, 0), UOp.range(N, 1), UOp.range(3, 2)
T = UOp.range(R + 1, 3)  # a triangle: its extent varies with another loop
FLAT = Q * N + R
POINTS = [
    (m, n, q, r, s, t)
    for m, n in product(range(1, 5), repeat=2)
    for q, r, s in product(range(m), range(n), range(3))
    for t in range(r + 1)
]

DECIDED = {
    "quotient": (R // N, UOp.const(eq.index, 0)),
    "remainder": (R % N, R),
    "comparison": (R < N, UOp.const(eq.bool_, True)),
    "difference": (R.ne(N), UOp.const(eq.bool_, True)),
    "never above": (N < R, UOp.const(eq.bool_, False)),
    "multiples": (R * 3 + 2 < N * 3, UOp.const(eq.bool_, True)),
    "outer of two": (FLAT // N, Q),
    "inner of two": (FLAT % N, R),
    "both below the product": (FLAT // (M * N), UOp.const(eq.index, 0)),
    "outer of three": ((S * (M * N) + FLAT) // (N * M), S),
    "middle of three": ((S * (M * N) + FLAT) % (M * N) // N, Q),
    "middle of three, divided first": ((S * (M * N) + FLAT) // N % M, Q),
    "sum of two": (Q + R < M + N - 1, UOp.const(eq.bool_, True)),
    "triangle": (T < N, UOp.const(eq.bool_, True)),
    "remainder in a triangle": (T % (R + 1), T),
    "greatest extent": (R // 4, UOp.const(eq.index, 0)),
}
OPEN = {
    "another extent": R // M,
    "one less": R < N - 1,
    "the end itself": (R + 1) // N,
    "a triangle may end at its loop": T < R,
    "one too many": Q + R < M + N - 2,
}


def values(root: UOp) -> np.ndarray:
    """The values at all points, loop variables taken as variables."""
    loops = {loop: eq.variable(name, 0, 4) for name, loop in zip("qrst", (Q, R, S, T), strict=True)}
    named = root.substitute(loops)
    places = dict(zip("mnqrst", np.array(POINTS).T, strict=True))
    return np.broadcast_to(evaluate(named, places), len(POINTS))


@pytest.mark.parametrize("name", DECIDED)
def test_extents_decide(name: str) -> None:
    written, expected = DECIDED[name]
    assert np.array_equal(values(written), values(expected))
    assert eq.simplify(written) is expected
    assert eq.explain_simplify(written).replay() is expected


@pytest.mark.parametrize("name", OPEN)
def test_extents_leave_open(name: str) -> None:
    found = eq.simplify(OPEN[name])
    assert found.op is OPEN[name].op
    assert np.array_equal(values(found), values(OPEN[name]))


@st.composite
def divisions(draw: st.DrawFn) -> UOp:
    """A quotient, remainder or comparison of sums of products of loops and extents."""
    factors = st.lists(st.sampled_from([M, N, Q, R, S, T]), min_size=1, max_size=2)
    terms = st.lists(st.tuples(factors, st.integers(1, 3)), min_size=1, max_size=3)

    def total() -> UOp:
        result = UOp.const(eq.index, draw(st.integers(-1, 2)))
        for parts, coefficient in draw(terms):
            term = parts[0] if len(parts) == 1 else parts[0] * parts[1]
            result = result + term * coefficient
        return result

    left, right = total(), draw(st.sampled_from([M, N, M * N, M + N, R + 1, N * 2]))
    return draw(st.sampled_from([left // right, left % right, left < right, right < left, left.ne(right)]))


@given(divisions())
def test_what_extents_decide_is_so(written: UOp) -> None:
    assert np.array_equal(values(eq.simplify(written)), values(written))
