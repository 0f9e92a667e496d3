"""Sums, products and chains: however they are written, equal ones are one class, in time that grows with their length."""

import random

import numpy as np
import pytest

import eqsat as eq
from eqsat.dtype import bool_, float32, index, int32, uint8
from eqsat.egraph.saturate import saturate
from eqsat.ops import Op
from eqsat.rules.language.rule import RuleSet
from eqsat.rules.library import INDEX_LIBRARY, LIBRARY
from eqsat.uop import UOp

NO_RULES = RuleSet()
VARIABLES = [UOp.variable(f"v{number}", 0, 9) for number in range(13)]


def are_one(*values, rules=INDEX_LIBRARY, equalities=()):
    """Whether saturation finds all values equal."""
    return len(set(saturate(values, rules, equalities=equalities).snapshot.root_classes.tolist())) == 1


def terms_of_root(root, rules=INDEX_LIBRARY):
    """The terms that a value is found equal to, their operands aside."""
    snapshot = saturate([root], rules).snapshot
    (owner,) = snapshot.root_classes
    return snapshot.terms[snapshot.class_start[owner] : snapshot.class_start[owner + 1]]


def joined(op, operands, chance):
    """The operands combined in a random order and grouping."""
    parts = list(operands)
    while len(parts) > 1:
        chance.shuffle(parts)
        parts.append(parts.pop().alu(op, parts.pop()))
    return parts[0]


def test_like_terms_are_collected():
    a, b, c = VARIABLES[:3]
    snapshot = saturate([a * 33 + b * 2 + c * 5 - a * 33, a - a, a + a * 2 + 7 - a * 3], NO_RULES).snapshot
    assert are_one(a * 33 + b * 2 + c * 5 - a * 33, c * 5 + b * 2)
    assert (snapshot.lo[snapshot.root_classes[1:]] == [0, 7]).all()
    assert (snapshot.hi[snapshot.root_classes[1:]] == [0, 7]).all()


@pytest.mark.parametrize("name", ["variable", "product", "remainder", "maximum", "sum"])
def test_quotients_of_multiples_are_multiples(name):
    a, b = VARIABLES[:2]
    first = {"variable": a, "product": a * b, "remainder": a % 7, "maximum": a.maximum(b), "sum": a + b}[name]
    value = first
    for _ in range(10):
        value = (value + value) // 2 + value
    assert eq.simplify(value) is eq.simplify(first * 1024)
    assert saturate([value], INDEX_LIBRARY).report.rows < 1000


def test_sums_inside_multiples_are_spread_out():
    a, b, c = VARIABLES[:3]
    assert are_one(((a + 3) * 2 + b) * 5 - a * 4, a * 6 + b * 5 + 30)
    assert are_one((a + b) * c * 2 - c * b * 2, (a + b) * c + (a + b) * c - b * c * 2)


@pytest.mark.parametrize("op", [Op.AND, Op.OR, Op.ADD, Op.MUL, Op.MAX, Op.MIN])
def test_a_chain_of_bools_in_any_order_is_one_class(op):
    chance = random.Random(op.name)
    operands = [UOp.variable(f"v{chance.randrange(9)}", 0, 1, bool_) for _ in range(30)]
    assert are_one(*(joined(op, operands, chance) for _ in range(4)), rules=NO_RULES)


def test_operations_of_bools_are_and_and_or():
    a, b = (UOp.variable(name, 0, 1, bool_) for name in "ab")
    assert are_one(a.alu(Op.ADD, b), a | b, a.maximum(b), rules=NO_RULES)
    assert are_one(a.alu(Op.MUL, b), a & b, a.minimum(b), rules=NO_RULES)


def test_floats_commute_and_do_not_associate():
    a, b, c = (UOp.param(slot, 4, float32) for slot in range(3))
    assert are_one(a + b, b + a)
    assert not are_one((a + b) + c, a + (b + c))


def test_constants_are_folded_in_the_arithmetic_that_runs():
    def value(root):
        return next(term.arg for term in terms_of_root(root, NO_RULES) if term.op is Op.CONST)

    assert value(UOp.const(uint8, 200) + UOp.const(uint8, 100)) == 44
    assert value(UOp.const(index, -7) // 2) == -4
    assert value(UOp.const(int32, -7).alu(Op.IDIV, UOp.const(int32, 2))) == -3
    assert value(UOp.const(float32, 0.1) + UOp.const(float32, 0.2)) == 0.30000001192092896
    assert value(UOp.const(float32, 1.0) / UOp.const(float32, 0.0)) == float("inf")
    assert value(UOp.const(float32, 3.7).cast(int32)) == 3


def test_what_has_no_value_is_not_folded():
    for root in (
        UOp.const(int32, 1) // UOp.const(int32, 0),
        UOp.const(int32, 1) << UOp.const(int32, 32),
        UOp.const(float32, float("nan")).cast(int32),
    ):
        assert Op.CONST not in {term.op for term in terms_of_root(root)}


def test_bounds_decide_and_determine():
    x, y = UOp.variable("x", 0, 7), UOp.variable("y", 8, 20)
    true = UOp.const(bool_, True)
    assert are_one(x < y, true)
    assert are_one(x < x + 1, true)
    assert are_one(x.ne(y), true)
    assert are_one((x + y).minimum(100), x + y)
    assert are_one((x // 8).maximum(y), y)
    assert not are_one(x < 7, true)


def test_the_parts_of_a_split_loop_are_found_together():
    loop = UOp.range(1024, 0)
    outer, inner, last = UOp.range(128, 1), UOp.range(8, 2), UOp.range(32, 3)
    splits = [
        (loop, outer * 8 + inner),
        (outer, UOp.range(32, 4) * 4 + UOp.range(4, 5)),
        (loop, UOp.range(32, 6) * 32 + last),
    ]
    assert are_one(loop // 8, outer, equalities=splits)
    assert are_one(loop % 8, inner, equalities=splits)
    assert are_one(loop % 32, last, equalities=splits)
    assert are_one(loop * 3, outer * 24 + inner * 3, equalities=splits)
    assert are_one(loop - outer * 8, inner, equalities=splits)
    assert are_one(loop // 32, outer // 4, UOp.range(32, 4), UOp.range(32, 6), equalities=splits)


@pytest.mark.parametrize("dtype", [index, int32], ids=str)
@pytest.mark.parametrize("op", [Op.ADD, Op.MUL, Op.MAX, Op.MIN, Op.AND, Op.OR], ids=lambda op: op.name)
def test_thirty_terms_in_any_order_become_one_expression(op, dtype):
    if dtype is index and op in (Op.AND, Op.OR):
        dtype = bool_
    chance = random.Random(op.name)
    if dtype is bool_:
        variables = [UOp.param(number, 1, bool_).reshape(()) for number in range(10)]
    else:
        variables = [UOp.variable(f"v{number}", 0, 9, dtype) for number in range(10)]
    terms = [chance.choice(variables) for _ in range(30)]
    if op in (Op.ADD, Op.MAX, Op.MIN):
        terms = [term * chance.randrange(1, 5) for term in terms]
    written = [joined(op, terms, chance) for _ in range(5)]
    assert len({eq.simplify(value) for value in written}) == 1
    assert saturate(written[:1], LIBRARY).report.rows < 8 * len(terms)


def compared(kind, dtype, chance):
    """Thirty comparisons, of six values with constants or with each other."""
    values = [UOp.variable(f"v{number}", -50, 100, dtype) for number in range(6)]
    found = []
    for _ in range(30):
        value, other = chance.sample(values, 2)
        number = chance.randrange(40)
        ways = {
            "one upper bound": [values[0] < number],
            "one lower bound": [values[0] > number],
            "upper bounds": [value < number],
            "lower bounds": [value > number],
            "both bounds": [value < number + 50, value > number - 10],
            "differences": [value < number + 50, value > number - 10, value.ne(number)],
            "orders": [value < other, value.ne(other)],
        }
        found.append(chance.choice(ways[kind]))
    return found


@pytest.mark.parametrize(
    "kind",
    [
        "one upper bound",
        "one lower bound",
        "upper bounds",
        "lower bounds",
        "both bounds",
        "differences",
        "orders",
    ],
)
@pytest.mark.parametrize("dtype", [index, int32], ids=str)
@pytest.mark.parametrize("op", [Op.AND, Op.OR], ids=lambda op: op.name)
def test_thirty_comparisons_in_any_order_become_one_expression(op, dtype, kind):
    chance = random.Random(kind)
    terms = compared(kind, dtype, chance)
    written = [joined(op, terms, chance) for _ in range(4)]
    found = {eq.simplify(value) for value in written}
    assert len(found) == 1
    assert saturate(written[:1], LIBRARY).report.rows < 12 * len(terms)
    samples = {
        f"v{number}": np.random.default_rng(number).integers(-50, 100, 200, endpoint=True)
        for number in range(6)
    }
    assert np.array_equal(eq.evaluate(found.pop(), samples), eq.evaluate(written[0], samples))


def test_of_the_comparisons_of_one_value_those_that_decide_are_left():
    x, y = UOp.variable("x", -99, 99), UOp.variable("y", -99, 99, int32)
    true, false = UOp.const(bool_, True), UOp.const(bool_, False)
    for value in (x, y):
        assert eq.simplify((value < 3) & (value < 5) & (value < 4)) is (value < 3)
        assert eq.simplify((value > 3) | (value > 5) | (value > 4)) is (value > 3)
        assert eq.simplify((value < 3) & (value >= 3)) is false
        assert eq.simplify((value < 3) | (value > -7)) is true
        assert eq.simplify((value < 3) & value.ne(3)) is (value < 3)
        assert eq.simplify((value < 3) | value.ne(2)) is true
        assert eq.simplify((value < 3) & (value > -7) & (value < 9) & (value > -8)) is eq.simplify(
            (value < 3) & (value > -7)
        )
    assert eq.simplify((x * 2 < 7) & (x < 5) & (x * -1 + 9 > 3)) is (x < 4)
    assert eq.simplify((x // 4 < 2) & (x < 5)) is (x < 5)


def test_what_contains_another_element_of_a_chain_leaves_it():
    values = [UOp.param(number, 1, bool_).reshape(()) for number in range(20)]
    pairs = list(zip(values[:10], values[10:], strict=True))
    chance = random.Random(0)
    written = [joined(Op.AND, [part for a, b in pairs for part in (a, a | b)], chance) for _ in range(3)]
    assert {eq.simplify(value) for value in written} == {eq.simplify(joined(Op.AND, values[:10], chance))}
    assert saturate(written[:1], LIBRARY).report.rows < 12 * 30


def turned(value):
    """All bits of a number, or a bool, turned over."""
    ones = value.dtype.max if value.dtype.kind in "ub" else -1
    return value.alu(
        Op.XOR, UOp.const(value.dtype, ones).reshape((1,) * len(value.shape)).expand(value.shape)
    )


PAIRS = {
    "a, a ^ b": lambda a, b: (a, a.alu(Op.XOR, b)),
    "~a, a ^ b": lambda a, b: (turned(a), a.alu(Op.XOR, b)),
    "a, ~(a ^ b)": lambda a, b: (a, turned(a.alu(Op.XOR, b))),
    "~a, ~(a ^ b)": lambda a, b: (turned(a), turned(a.alu(Op.XOR, b))),
    "a, a | b": lambda a, b: (a, a | b),
    "a, a & b": lambda a, b: (a, a & b),
    "a, max(a, b)": lambda a, b: (a, a.maximum(b)),
    "a, min(a, b)": lambda a, b: (a, a.minimum(b)),
}
PAIRED = [(op, pair) for op in (Op.AND, Op.OR, Op.XOR, Op.MAX, Op.MIN) for pair in PAIRS]


@pytest.mark.parametrize(("op", "pair"), PAIRED, ids=lambda each: getattr(each, "name", each))
@pytest.mark.parametrize("dtype", [bool_, int32, index], ids=str)
def test_ten_pairs_of_which_one_contains_the_other_take_rows_in_proportion(dtype, op, pair):
    values = [UOp.param(number, 1, dtype).reshape(()) for number in range(20)]
    parts = [part for a, b in zip(values[:10], values[10:], strict=True) for part in PAIRS[pair](a, b)]
    root = joined(op, parts, random.Random(0))
    assert saturate([root], LIBRARY).report.rows < 8 * len(root.toposort())


@pytest.mark.parametrize("op", [Op.MAX, Op.MIN], ids=lambda op: op.name)
@pytest.mark.parametrize("turn", [turned, lambda value: value * -1], ids=["complements", "negatives"])
def test_the_greatest_of_what_is_reversed_takes_rows_in_proportion(op, turn):
    chance = random.Random(0)
    written = [
        joined(op, [turn(value) for value in VARIABLES[:12]] + VARIABLES[12:], chance) for _ in range(3)
    ]
    dual = Op.MIN if op is Op.MAX else Op.MAX
    assert are_one(*written, turn(joined(dual, VARIABLES[:12], chance)).alu(op, VARIABLES[12]))
    assert saturate(written[:1], LIBRARY).report.rows < 8 * len(written[0].toposort())


@pytest.mark.parametrize("dtype", [bool_, int32], ids=str)
def test_an_exclusive_or_of_twenty_takes_rows_in_proportion(dtype):
    values = [UOp.param(number, 1, dtype).reshape(()) for number in range(20)]
    chance = random.Random(0)
    written = [joined(Op.XOR, values, chance) for _ in range(3)]
    assert len({eq.simplify(value) for value in written}) == 1
    assert saturate(written[:1], LIBRARY).report.rows < 8 * len(written[0].toposort())


@pytest.mark.parametrize("op", [Op.AND, Op.OR], ids=lambda op: op.name)
@pytest.mark.parametrize("dtype", [bool_, uint8], ids=str)
def test_what_other_elements_settle_leaves_differences(dtype, op):
    a, b, c = (UOp.param(number, 8, dtype) for number in range(3))
    columns = np.unpackbits(np.arange(8, dtype=np.uint8)[:, None], axis=1)[:, -3:].T
    values = {
        node: column.astype(bool) if dtype is bool_ else column * np.uint8(0b10101)
        for node, column in zip((a, b, c), columns, strict=True)
    }

    def without_difference(*elements):
        written = joined(op, elements, random.Random(0))
        found = eq.simplify(written)
        assert np.array_equal(eq.evaluate(found, values), eq.evaluate(written, values))
        return all(
            len(set(node.src) & {a, b, c}) < 2 for node in found.toposort() if node.op in (Op.XOR, Op.CMPNE)
        )

    assert without_difference(a, a.alu(Op.XOR, b))
    assert without_difference(turned(a), a.alu(Op.XOR, b), c)
    assert without_difference(a, turned(b.alu(Op.XOR, a)))
    assert without_difference(a, a.alu(Op.XOR, b), b.alu(Op.XOR, c))
    assert without_difference(a, a.alu(Op.XOR, b).alu(Op.XOR, c), b)
    assert not without_difference(c, a.alu(Op.XOR, b))


@pytest.mark.parametrize("dtype", [bool_, int32], ids=str)
def test_differences_that_exclude_each_other_decide(dtype):
    a, b, c = (UOp.param(number, 1, dtype).reshape(()) for number in range(3))
    zero = UOp.const(dtype, 0)
    difference = a.alu(Op.XOR, b)
    assert are_one(difference & turned(difference) & c, a & b & difference, zero)
    assert are_one(difference | turned(difference) | c, a | turned(b) | difference, turned(zero))
    assert not are_one(a & difference, zero)
    assert not are_one(a | difference, turned(zero))
