"""Scalar expressions come out short: sums, quotients, comparisons, choices, and what conditions say about their branches."""

import time

import numpy as np
import pytest
from hypothesis import given, settings

import eqsat as eq
from eqsat.dtype import float32, index, int8, int32
from eqsat.egraph.search.budget import Budget
from eqsat.ops import Op
from eqsat.rules.library import LIBRARY
from eqsat.simplification.sharing import count_operations, share_operands
from eqsat.simplification.simplify import simplify_scalars
from eqsat.uop import UOp
from tests.egraph.expressions import Expression, expressions

a, b, c = (eq.variable(name, -50, 50) for name in "abc")
i = eq.variable("i", 0, 15)
j = eq.variable("j", 0, 15)


def where(condition, then, otherwise):
    return condition.where(then, otherwise)


def operations(value):
    return count_operations([value])


def test_like_terms_that_cancel_leave_three_operations():
    assert operations(eq.simplify(a * 33 + b * 2 + c * 5 - a * 33)) == 3


def test_products_of_sums_cancel():
    assert eq.simplify(a * (b + c) - a * b - a * c) is UOp.const(index, 0)


def test_common_factors_come_out():
    assert operations(eq.simplify(a * 6 + b * 6 + c)) == 3


EQUATIONS = {
    "the looser bound": ((a < 3) | (a < 5), a < 5),
    "the stricter bound": ((a >= 25) & (a >= 27), a > 26),
    "bounds that exclude each other": ((a < 3) & (a > 2), UOp.const(eq.bool_, False)),
    "digits recombine": (((i * 15 + j) // 10) * 10 + (i * 15 + j) % 10, i * 15 + j),
    "opposite choices": (where(a < b, a, c) + where(a < b, c, a), a + c),
    "a condition in its branch": (where(i < 4, i // 4, -1), where(i < 4, UOp.const(index, 0), -1)),
    "a condition on a sum": (where(i + j < 8, (i + j) // 8, -1), where(i + j < 8, UOp.const(index, 0), -1)),
    "a choice of the greater": (where(a > 0, a, 0), a.maximum(0)),
    "division by a product": ((a * i.maximum(1) + b * i.maximum(1)) // i.maximum(1), a + b),
    "a conversion that fits": (i.cast(int32).cast(index) + 1, i + 1),
    "no multiples below one": (i * 4 + j * 2 < 1, i + j < 1),
}


@pytest.mark.parametrize("name", EQUATIONS)
def test_left_comes_out_as_short_as_right(name):
    left, right = EQUATIONS[name]
    assert operations(eq.simplify(left)) <= operations(right)


BECOMES = {
    "a looser bound": ((a < 3) | (a < 5), a < 5),
    "a stricter bound": ((a >= 25) & (a >= 27), a > 26),
    "opposite choices": (where(a < b, a, c) + where(a < b, c, a), a + c),
    "a condition in its branch": (where(i < 4, i // 4, -1), where(i < 4, UOp.const(index, 0), -1)),
    "digits": (((i * 15 + j) // 10) * 10 + (i * 15 + j) % 10, i * 15 + j),
    "a number of which nothing is left": (a * (b + c) - a * b - a * c, UOp.const(index, 0)),
}


@pytest.mark.parametrize("name", BECOMES)
def test_left_becomes_right(name):
    left, right = BECOMES[name]
    assert eq.simplify(left) is eq.simplify(right)
    assert operations(eq.simplify(left)) == operations(right)


@pytest.mark.parametrize("value", [b, eq.variable("n", int32.min, int32.max, int32)], ids=["index", "int32"])
def test_a_number_less_its_remainder_is_a_multiple_both_ways(value):
    six = UOp.const(value.dtype, 6)
    for less, multiple in (
        (value - value % 4, value // 4 * 4),
        (value - value.alu(Op.MOD, six), value.alu(Op.IDIV, six) * six),
    ):
        assert eq.simplify(less) is eq.simplify(multiple)
        assert operations(eq.simplify(less)) <= 2
        for one, other in ((less, multiple), (multiple, less)):
            assert eq.prove_equal(one, other).explanation.replay() is other


def test_a_product_divided_by_its_factor_needs_bounds_that_keep_it_from_wrapping():
    small, large = eq.variable("n", 0, 1000, int32), eq.variable("n", int32.min, int32.max, int32)
    assert eq.simplify(small * 4 // 4) is small
    assert operations(eq.simplify(large * 4 // 4)) == 2


def test_what_holds_in_one_branch_does_not_leave_it():
    product = a * b
    expression = where(product * product > 0, UOp.const(index, -4), product) + product
    grid = {"a": np.repeat(np.arange(-5, 6), 11), "b": np.tile(np.arange(-5, 6), 11)}
    assert np.array_equal(eq.evaluate(eq.simplify(expression), grid), eq.evaluate(expression, grid))


def test_a_gate_goes_and_its_condition_is_used():
    nothing = UOp(Op.EMPTY, index, (), ())
    gated = where(((i < 6) & (j < 1)), (i + j) % 6 + i // 6, nothing)
    assert operations(eq.simplify(gated)) <= 1


def test_results_of_a_sink_are_simplified_together():
    first, second = eq.simplify(UOp.sink(a + b + c, (c + b) * 2)).src
    assert count_operations([first, second]) == 3


@pytest.mark.parametrize("op", [Op.ADD, Op.MAX, Op.MIN, Op.AND, Op.OR, Op.XOR], ids=lambda op: op.name)
def test_multiples_are_multiplied_once_in_sums_only(op):
    x, y = (eq.variable(name, -128, 127, int8) for name in "xy")
    written = (x * 100).alu(op, y * 100)
    grid = {
        "x": np.repeat(np.arange(-128, 128, dtype=np.int8), 256),
        "y": np.tile(np.arange(-128, 128, dtype=np.int8), 256),
    }
    (shared,) = share_operands([written])
    assert operations(shared) == (2 if op is Op.ADD else 3)
    assert np.array_equal(eq.evaluate(shared, grid), eq.evaluate(written, grid))


@settings(max_examples=60)
@given(expressions())
def test_sharing_keeps_values_and_never_adds_operations(expression: Expression):
    (shared,) = share_operands([expression.root])
    assert operations(shared) <= operations(expression.root)
    expression.check(shared)


@pytest.mark.parametrize("depth", [200, 8_000])
def test_all_saturations_share_one_budget(depth):
    value = i
    for level in range(depth):
        value = where(value < level % 17, value, value + 1)
    begin = time.process_time()
    (found,) = simplify_scalars([value], LIBRARY, Budget(seconds=1)).values
    # Seconds; each saturation alone may take one. Without any, a graph of 24,000 nodes takes one or two.
    assert time.process_time() - begin < 15
    assert eq.evaluate(found, {"i": 3}) == eq.evaluate(value, {"i": 3})


def gated(position, gate, otherwise=0.0):
    buffer = UOp.param(0, 64, float32)
    address = UOp(Op.INDEX, float32, (buffer, position, gate))
    return UOp(Op.LOAD, float32, (address, UOp.const(float32, otherwise)))


def test_an_index_is_simplified_under_its_gate():
    i, j = eq.variable("i", -9, 99), eq.variable("j", 0, 9)
    inside = (i > -1) & (i + j * 3 < 64)
    found = eq.simplify(gated((i + j * 3) % 64 + (i + j * 3) // 64, inside))
    assert found.src[0].src[1] is eq.simplify(i + j * 3)
    assert not any(node.op in (Op.FLOORDIV, Op.FLOORMOD) for node in found.toposort())


def test_an_index_is_not_simplified_beyond_its_gate():
    i = eq.variable("i", 0, 99)
    found = eq.simplify(gated(i % 64, i < 65))
    assert found.src[0].src[1].op is Op.FLOORMOD


def test_an_alternative_is_simplified_where_the_gate_fails():
    i = eq.variable("i", 0, 99)
    buffer = UOp.param(1, 100, float32)
    other = UOp(
        Op.LOAD, float32, (UOp(Op.INDEX, float32, (buffer, i % 64 + i // 64 * 64 + (i < 64).where(i, 0))),)
    )
    address = UOp(Op.INDEX, float32, (UOp.param(0, 64, float32), i, i < 64))
    found = eq.simplify(UOp(Op.LOAD, float32, (address, other)))
    assert found.src[1].src[0].src[1] is i


def test_parts_that_results_share_are_found_where_the_greedy_choice_misses_them():
    r = eq.variable("r", 0, 9)
    value = ((r * -1 + 1) // 2) * -8 + (r * -4 + 4) % 8
    assert operations(eq.simplify(value)) == 7  # with (4 - 4 * r) % 8, the cheapest by itself, 8


def test_a_sum_collects_what_is_known_by_other_terms_too():
    remainder = (i + i) % 3
    value = ((remainder - 6) ^ -1).maximum(-4) ^ -1
    assert operations(eq.simplify(value + 1)) == operations(eq.simplify(remainder - 5))
