"""Bitcasts between integers of one width: what is combined is combined once, whatever the sign it is read with."""

import numpy as np
import pytest

import eqsat as eq
from eqsat.dtype import float32, int8, int32, uint8, uint32
from eqsat.egraph.saturate import saturate
from eqsat.ops import Op
from eqsat.rules.library import LIBRARY
from eqsat.uop import UOp

WRAPPING = [Op.ADD, Op.SUB, Op.MUL, Op.AND, Op.OR, Op.XOR]
A, B, C = (UOp.param(slot, 256, int8) for slot in range(3))
U = UOp.param(3, 256, uint8)
INPUTS = {
    node: np.random.default_rng(slot)
    .integers(0, 256, 256, np.uint8)
    .view(np.int8 if node.dtype is int8 else np.uint8)
    for slot, node in enumerate((A, B, C, U))
}


def constant(value, like):
    return UOp.const(like.dtype, value).reshape((1,)).expand(like.shape)


def bitcasts_left(value):
    """The bitcasts of what a value is simplified to, which agrees with it and is explained."""
    found = eq.simplify(value)
    used = {node: data for node, data in INPUTS.items() if node in value.toposort()}
    assert np.array_equal(eq.evaluate(found, used), eq.evaluate(value, used))
    explanation = eq.explain_simplify(value)
    assert explanation.replay() is found
    return sum(node.op in (Op.BITCAST, Op.CAST) for node in found.toposort())


@pytest.mark.parametrize("op", WRAPPING, ids=lambda op: op.name)
def test_arithmetic_that_wraps_passes_through_bitcasts(op):
    a, b = A.bitcast(uint8), B.bitcast(uint8)
    assert bitcasts_left(a.alu(op, b).bitcast(int8)) == 0
    assert bitcasts_left(a.alu(op, b).alu(op, C.bitcast(uint8))) == 1
    assert bitcasts_left(a.alu(op, U).bitcast(int8)) == 1
    assert bitcasts_left(a.alu(op, constant(200, a)).bitcast(int8)) == 0


def test_what_does_not_wrap_stays():
    a, b = A.bitcast(uint8), B.bitcast(uint8)
    assert bitcasts_left((a < b).where(a, b)) > 0
    assert bitcasts_left(a.maximum(b).bitcast(int8)) > 0
    assert bitcasts_left((a // constant(3, a)).bitcast(int8)) > 0


def test_choices_and_differences_pass_through_bitcasts():
    a, b = A.bitcast(uint8), B.bitcast(uint8)
    assert bitcasts_left((A < B).where(a, b).bitcast(int8)) == 0
    assert bitcasts_left(a.ne(b)) == 0
    assert bitcasts_left(a.eq(b)) == 0
    assert bitcasts_left(a.ne(constant(200, a))) == 0


def test_a_conversion_between_integers_of_one_width_is_a_bitcast():
    assert eq.simplify(A.cast(uint8)).op is Op.BITCAST
    assert bitcasts_left(A.cast(uint8).bitcast(int8)) == 0
    assert bitcasts_left((A.cast(uint8) + B.bitcast(uint8)).cast(int8)) == 0


def test_the_sign_bit_of_a_float():
    x = UOp.param(0, 4, float32)
    values = {x: np.array([1.5, -0.0, np.inf, np.nan], np.float32)}
    for dtype, sign in ((int32, -(1 << 31)), (uint32, 1 << 31)):
        bits = x.bitcast(dtype)
        flipped = bits.alu(Op.XOR, constant(sign, bits)).bitcast(float32)
        assert eq.simplify(flipped) is eq.simplify(x.alu(Op.NEG))
        assert np.array_equal(eq.evaluate(flipped, values), -values[x], equal_nan=True)
        other = bits.alu(Op.XOR, constant(1, bits)).bitcast(float32)
        assert Op.NEG not in {node.op for node in eq.simplify(other).toposort()}


@pytest.mark.parametrize("op", [Op.ADD, Op.MUL, Op.AND, Op.OR, Op.XOR], ids=lambda op: op.name)
def test_forty_bitcasts_take_rows_in_proportion(op):
    values = [UOp.param(slot, 1, int32 if slot % 2 else uint32).reshape(()) for slot in range(80)]
    root = values[0]
    for value in values[1:]:
        root = root.alu(op, value.bitcast(uint32))
    assert saturate([root.bitcast(int32)], LIBRARY).report.rows < 8 * len(root.toposort())
