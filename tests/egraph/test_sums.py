"""Canonical forms: one class for each sum, product and chain, however it was written."""

import random

import pytest

import eqsat as eq
from eqsat.dtype import INTS, DType, index
from eqsat.egraph.saturate import saturate
from eqsat.egraph.search.budget import StopReason
from eqsat.egraph.search.report import Saturation
from eqsat.ops import Op
from eqsat.rules.library import INDEX_LIBRARY
from eqsat.uop import UOp

ORDERS = 6


def shuffled(terms: list[UOp], op: Op, chance: random.Random) -> UOp:
    """The terms combined in a random order and grouping."""
    pool = chance.sample(terms, len(terms))
    while len(pool) > 1:
        place = chance.randrange(len(pool) - 1)
        pool[place : place + 2] = [pool[place].alu(op, pool[place + 1])]
    return pool[0]


def like_terms(count: int, dtype: DType = index) -> list[UOp]:
    """Multiples of ten variables, and some constants."""
    chance = random.Random(count)
    variables = [eq.variable(f"v{number}", 0, 9, dtype) for number in range(10)]
    terms = [variables[chance.randrange(10)] * chance.randrange(1, 5) for _ in range(count - 3)]
    return [*terms, *(UOp.const(dtype, value) for value in (1, 2, 3))]


def in_orders(terms: list[UOp], op: Op, count: int = ORDERS) -> Saturation:
    chance = random.Random(7)
    return saturate([shuffled(terms, op, chance) for _ in range(count)], INDEX_LIBRARY)


def classes(saturation: Saturation) -> int:
    return len(set(saturation.snapshot.root_classes.tolist()))


@pytest.mark.parametrize("dtype", [*INTS, index], ids=str)
def test_a_sum_is_one_class_in_any_order(dtype: DType) -> None:
    saturation = in_orders(like_terms(30, dtype), Op.ADD)
    assert saturation.report.stop is StopReason.SATURATED
    assert classes(saturation) == 1


def test_rows_of_a_sum_grow_with_its_terms() -> None:
    rows = {count: in_orders(like_terms(count), Op.ADD, 2).report.rows for count in (30, 60, 120, 240)}
    assert all(rows[2 * count] < 3 * rows[count] for count in (30, 60, 120)), rows


def test_rows_grow_with_the_orders_of_one_sum() -> None:
    rows = {count: in_orders(like_terms(30), Op.ADD, count).report.rows for count in (4, 8, 16)}
    assert max(rows[8] / rows[4], rows[16] / rows[8]) < 4, rows


def test_sums_of_different_values_stay_apart() -> None:
    a, b = eq.variable("a", 0, 9), eq.variable("b", 0, 9)
    roots = [a + b, a + b * 2, a * 2 + b, a + b + 1, a * b, a - b]
    assert classes(saturate(roots, INDEX_LIBRARY)) == len(roots)


@pytest.mark.parametrize(
    ("dtype", "left", "op", "right", "expected"),
    [
        (eq.int8, 127, Op.ADD, 1, -128),
        (eq.int8, -128, Op.SUB, 1, 127),
        (eq.uint8, 200, Op.MUL, 3, 88),
        (eq.int64, 2**63 - 1, Op.ADD, 2**63 - 1, -2),
        (eq.uint64, 2**64 - 1, Op.MUL, 2**64 - 1, 1),
        (eq.int32, -7, Op.FLOORDIV, 2, -4),
        (eq.int32, -7, Op.IDIV, 2, -3),
        (eq.int32, -7, Op.FLOORMOD, 4, 1),
        (eq.int32, -7, Op.MOD, 4, -3),
        (eq.int16, 1, Op.SHL, 15, -32768),
        (eq.int16, -3, Op.SHR, 1, -2),
        (eq.uint32, 0xF0F0, Op.XOR, 0xFFFF, 0x0F0F),
    ],
)
def test_constants_are_folded_as_the_dtype_wraps(
    dtype: DType, left: int, op: Op, right: int, expected: int
) -> None:
    value = UOp.const(dtype, left).alu(op, UOp.const(dtype, right))
    assert eq.simplify(value) is UOp.const(dtype, expected)


@pytest.mark.parametrize("first", [-3, 0, 4])
@pytest.mark.parametrize("divisor", [2, 4, 7])
def test_division_of_a_number_with_two_values_is_on_a_line(first: int, divisor: int) -> None:
    v = eq.variable("v", first, first + 1)
    for factor, added in ((1, 3), (-2, 5), (3, 107), (5, -8)):
        for value in (
            (v * factor + added) // divisor,
            (v * factor + added) % divisor,
            (v * v + added) % divisor,
        ):
            found = eq.simplify(value)
            assert not any(node.op in (Op.FLOORDIV, Op.FLOORMOD) for node in found.toposort())
            assert all(
                eq.evaluate(found, {"v": at}) == eq.evaluate(value, {"v": at}) for at in (first, first + 1)
            )


def test_number_that_is_a_quotient_of_itself_is_split_no_further() -> None:
    v = eq.variable("v", 0, 1)  # it is (v + 3) // 4
    report = saturate([((v + 17) % 10 + 100) % 4 // 2], INDEX_LIBRARY).report
    assert report.stop is StopReason.SATURATED
    assert report.rows < 1_000
