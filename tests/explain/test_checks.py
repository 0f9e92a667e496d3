"""The checks that replay relies on never say yes to what is not so: tried on numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eqsat as eq
from eqsat.dtype import bool_, index, int8, uint8
from eqsat.egraph.theories.terms.assumptions import known_truths
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.explain.theory_checks import THEORIES
from eqsat.ops import Op
from eqsat.reference import evaluate
from eqsat.uop import UOp
from tests.egraph.expressions import SAMPLES, Expression, expressions

i, j = eq.variable("i", 0, 15), eq.variable("j", 0, 15)
byte = eq.variable("byte", 0, 255, uint8)
FREE = Bounds()


@settings(max_examples=150)
@given(expressions())
def test_values_lie_within_bounds(drawn: Expression):
    nodes = [node for node in drawn.root.toposort() if node.op is not Op.CONST]
    for node, (low, high) in zip(nodes, FREE.of(nodes), strict=True):
        values = np.broadcast_to(evaluate(node, drawn.samples), SAMPLES)
        assert low is None or all(int(value) >= low for value in values), node.pretty()
        assert high is None or all(int(value) <= high for value in values), node.pretty()


@settings(max_examples=150)
@given(st.data())
def test_values_lie_within_bounds_where_assumptions_hold(data):
    leaves = [i, j]
    condition = data.draw(st.sampled_from([
        i < 4, (i < 4).logical_not(), i + j < 9, (i + j * -2 < 3).logical_not(), (i * 2 + j < 9) & (j < 3),
        i.ne(j * 2).logical_not(), ((i < 9) & (j < 9)).logical_not(), (i < 4) | (i + j < 9),
    ]))  # fmt: skip
    holds = data.draw(st.booleans())
    terms = [i, j, i + j, i + j * -2 + 1, i * 2 + j, i * 4 + j * 2, (i + j) // 4, (i * 2 + j) % 5, i * j]
    grid = {leaf.arg[0]: axis.ravel() for leaf, axis in zip(leaves, np.mgrid[:16, :16], strict=True)}
    chosen = np.flatnonzero(evaluate(condition, grid) == holds)
    bounds = Bounds((), [(condition, holds)])
    assert not (bounds.is_contradiction() and chosen.size)
    for term, (low, high) in zip(terms, bounds.of(terms), strict=True):
        values = evaluate(term, grid)[chosen]
        assert low is None or np.all(values >= low), (condition, holds, term)
        assert high is None or np.all(values <= high), (condition, holds, term)
    for node, truth in known_truths([(condition, holds)]).items():
        assert np.all(evaluate(node, grid)[chosen] == truth)


def test_premises_share_their_bounds():
    assert Bounds([(i * i, j % 4)]).of([i * i + 1]) == [(1, 4)]


def test_contradiction_is_seen():
    assert Bounds((), [(i < 4, True), (UOp.const(index, 9) < i, True)]).is_contradiction()
    assert Bounds((), [(i < 4, True), (i < 4, False)]).is_contradiction()
    assert not Bounds((), [(i < 4, True), (UOp.const(index, 2) < i, True)]).is_contradiction()


def numbers(dtype):
    least, greatest = (-20, 20) if dtype.is_index else (dtype.min, dtype.max)
    return [eq.variable(name, least, greatest, dtype) for name in "xy"]


def terms_of(dtype):
    """Terms many of which are equal to others."""
    x, y = numbers(dtype)
    constants = [UOp.const(dtype, value) for value in (0, 1, 2, 3)]
    sums = st.sampled_from([x, y, *constants])
    return st.recursive(sums, lambda inner: st.builds(
        lambda op, one, other: UOp(op, dtype, (one, other)),
        st.sampled_from([Op.ADD, Op.MUL, Op.SUB, Op.MAX, Op.MIN, Op.AND, Op.OR, Op.XOR, Op.FLOORDIV, Op.FLOORMOD]), inner, inner,
    ), max_leaves=5)  # fmt: skip


ABOUT_TERMS = (
    "sums", "n-ary operands", "commuted", "division by a factor", "operands without effect", "masked multiples", "disjoint bits",
    "division without wrap", "limits", "differences",
)  # fmt: skip
ABOUT_CONSTANTS = ("bounds", "constants", "facts")


@pytest.mark.parametrize("dtype", [int8, uint8, index], ids=str)
def test_what_a_theory_admits_is_equal(dtype):
    """Each theory is asked about all pairs of terms, most of which it does not admit."""
    x, y = numbers(dtype)
    axis = np.arange(-20, 21) if dtype.is_index else np.arange(dtype.min, dtype.max + 1, 3)
    about_terms = (*ABOUT_TERMS, "all points") if dtype.is_index else ABOUT_TERMS

    def admitted(names, one, other):
        return [name for name in names if THEORIES[name].check(one, other, FREE)]

    def require_equal(names, one, other):
        if not names:
            return
        grid = {leaf: values.ravel() for leaf, values in zip((x, y), np.meshgrid(axis, axis), strict=True)}
        order = [*dict.fromkeys([*one.toposort(), *other.toposort()])]
        values = dict(zip(order, evaluate(order, grid), strict=True))
        divided = [values[node.src[1]] != 0 for node in order if node.op in (Op.FLOORDIV, Op.FLOORMOD)]
        has_value = np.logical_and.reduce([np.ones(axis.size**2, bool), *divided])
        assert np.all((values[one] == values[other]) | ~has_value), names

    @settings(max_examples=450, database=None)
    @given(terms_of(dtype), terms_of(dtype))
    def check(one, other):
        require_equal(admitted(about_terms, one, other), one, other)
        constant = UOp.const(dtype, int(evaluate(one, {"x": 1, "y": 2})) if dtype.is_index else 0)
        require_equal(admitted(ABOUT_CONSTANTS, one, constant), one, constant)

    check()


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("sums", i + j, i + j * 2),
        ("sums", i.cast(int8) * 100 + i.cast(int8) * 100, i.cast(int8) * 100),
        ("n-ary operands", i ^ i, i),
        ("n-ary operands", i.maximum(j), i.maximum(j).maximum(0 * i + 3)),
        ("commuted", i // j, j // i),
        ("constants", UOp.const(index, 1) // UOp.const(index, 0), UOp.const(index, 0)),
        ("constants", i + 1, UOp.const(index, 1)),
        ("bounds", i // 15, UOp.const(index, 0)),
        ("comparison of bounds", i < j, UOp.const(bool_, True)),
        ("comparison of bounds", i < 15, UOp.const(bool_, True)),
        ("comparison of counts", UOp.const(index, 0) < i * 2 - j, UOp.const(index, 0) < i - j),
        ("comparison of counts", i * 2 + j < 2, i + j < 2),
        ("division by a factor", (i * j + 1) // j, i + UOp.const(index, 1) // j),
        ("division by a factor", (i * (i + 1) + i) % (i + 1), UOp.const(index, 0)),
        ("division by a factor", ((i + 1) * (j + 1) + j) % ((i + 1) * 2), j % ((i + 1) * 2)),
        ("inner remainders", (i % 6 + j) % 4, (i + j) % 4),
        ("inner remainders", (i % 4 + j) % 4, (i + j) % 8),
        ("inner remainders", (byte % 12 + byte) % 3, (byte + byte) % 3),
        ("extremes", (i * -1).maximum(j * -1), i.maximum(j) * -1),
        ("extremes", (i * -1).maximum(j ^ -1), i.minimum(j) * -1),
        ("extremes", i.maximum(14), UOp.const(index, 14)),
        ("extremes", i.maximum(j), i),
        ("extremes", i.minimum(1), UOp.const(index, 1)),
        ("extremes", (byte * 255).maximum(byte & 1), (byte.minimum((byte & 1) * 255)) * 255),
        ("facts", i * 4 % 8, UOp.const(index, 0)),
        ("facts", byte * 3 % 2, UOp.const(uint8, 0)),
        ("comparison of facts", (i * 2).ne(j * 6), UOp.const(bool_, True)),
        ("comparison of facts", i * 2 < j * 2 + 1, UOp.const(bool_, True)),
        ("operands without effect", byte & 127, byte),
        ("operands without effect", byte & 255, byte & 127),
        ("operands without effect", byte | 1, byte),
        ("masked multiples", (byte * 4) & 7, byte & 7),
        ("masked multiples", (byte * 8 + 1) & 7, (byte * 8) & 7),
        ("masked multiples", (byte * 9) & 9, byte & 9),
        ("masked multiples", ((byte & 15) + 128) & 63, byte & 63),
        ("masked multiples", ((byte & 3) + byte) & 7, (byte * 2) & 7),
        ("masked multiples", ((byte & 14) + byte) & 7, (byte * 2) & 7),
        ("limits", (byte ^ 1) | byte, byte | 3),
        ("limits", byte.maximum(3), byte),
        ("limits", byte | 1, byte),
        ("disjoint bits", byte * 4 | 2, byte * 4 + 3),
        ("disjoint bits", byte * 4 | 4, byte * 4 + 4),
        ("division without wrap", byte * 8 // 8, byte),
        ("division without wrap", (byte & 15) * 8 // 8, byte),
        ("division without wrap", ((byte & 15) * 8 + (byte & 15)) >> 3, byte & 15),
        ("all points", byte << byte, byte << byte),
        ("assumed", i < 4, UOp.const(bool_, True)),
        ("impossible", i, j),
    ],
)  # fmt: skip
def test_what_is_not_so_is_not_admitted(name, before, after):
    assert not THEORIES[name].check(before, after, FREE)


def test_theories_admit_what_they_are_for():
    nonzero = eq.variable("nonzero", 1, 9)
    admitted = [
        ("sums", i * (j + 2), i * j + i * 2),
        ("n-ary operands", (i.maximum(j)).maximum(i), j.maximum(i)),
        ("comparison of bounds", i + j < j + 16, UOp.const(bool_, True)),
        ("comparison of counts", i * 2 + j * 3 < 1, i + j < 1),
        ("division by a factor", (i * nonzero + j) // nonzero, i + j // nonzero),
        ("division by a factor", (i * nonzero + j) % nonzero, j % nonzero),
        ("division by a factor", ((i + 1) * (i + j) + j) % (i + 1), j % (i + 1)),
        (
            "division by a factor",
            ((i + 1) * (i + 1) - j * j + 3) % (i + j + 1),
            UOp.const(index, 3) % (i + j + 1),
        ),
        ("inner remainders", (i % 12 * j + 4) % 4, (i * (j % 8)) % 4),
        ("extremes", (i * -1).maximum(j * -1).maximum(3), ((i.minimum(j)) * -1).maximum(3)),
        ("extremes", i.maximum(-1).maximum(j ^ -1), i),
        ("extremes", i.minimum(15).minimum(20), i),
        ("extremes", (byte ^ 255).minimum((byte & 1) ^ 255), byte.maximum(byte & 1) ^ 255),
        ("constants", UOp.const(int8, 100) + UOp.const(int8, 100), UOp.const(int8, -56)),
        ("facts", (byte * 12 + 7) & 3, UOp.const(uint8, 3)),
        ("comparison of facts", (i * 4).ne(j * 6 + 1), UOp.const(bool_, True)),
        ("operands without effect", (byte * 2) & 254, byte * 2),
        ("masked multiples", (byte * 9) & 7, byte & 7),
        ("masked multiples", ((byte & 15) + 128) & 63, (byte & 15) & 63),
        ("masked multiples", (byte * 64) & 63, UOp.const(uint8, 0) & 63),
        ("masked multiples", ((byte & 7) + byte % 12) & 3, (byte * 2) & 3),
        ("disjoint bits", byte * 4 | 3, byte * 4 + 3),
        ("division without wrap", ((byte & 15) * 8 + (byte & 7)) >> 3, byte & 15),
        ("division without wrap", ((byte & 15) * 8 + (byte & 7)) % 8, byte & 7),
        ("all points", i * i % 2, i % 2),
        ("limits", (byte ^ 1) | byte, byte | 1),
    ]
    for name, before, after in admitted:
        assert THEORIES[name].check(before, after, FREE), name


def test_division_of_two_values_is_checked_at_both():
    check = THEORIES["division of two values"].check
    v, w = eq.variable("v", 0, 1), eq.variable("w", 0, 2)
    assert check((v + 107) % 4, v * -3 + 3, FREE)
    assert check((v + 3) // 4, v, FREE)
    assert check(v // 4, UOp.const(index, 0), FREE)
    assert not check((v + 107) % 4, v * -3 + 4, FREE)
    assert not check((w + 3) // 4, w, FREE)  # 2 is a third value
    assert check((w + 3) // 4, w, Bounds((), [(w < 2, True)]))
    assert not check((v + w) % 4, v + w, FREE)
    assert not check((v + 3) // w, v, FREE)
    assert not check((v.cast(int8) + 127) // 2, v.cast(int8) + 63, FREE)  # which wraps
