"""What the array-level rules make of whole graphs: name, start, goal, by saturation and extraction."""

import numpy as np
import pytest

from eqsat.dtype import bool_, float32, float64, int8, int32, int64, uint8
from eqsat.egraph.saturate import saturate
from eqsat.extract import GreedyDag, LoopAware, Problem
from eqsat.ops import COMMUTATIVE, Op
from eqsat.reference import evaluate
from eqsat.rules.conversions.casts import casts
from eqsat.rules.movements.broadcast import broadcast
from eqsat.rules.movements.movement import movement
from eqsat.rules.reals.floats import contraction, floats
from eqsat.rules.reals.real_algebra import real_algebra
from eqsat.rules.reductions.reduce import reduction, reduction_algebra, reduction_order
from eqsat.uop import UOp

DEFAULT = sum(
    (topic.ruleset for topic in (broadcast, casts, floats, movement, reduction, reduction_order)),
    contraction.ruleset,
)
FAST = DEFAULT + real_algebra.ruleset + reduction_algebra.ruleset


def best(start, rules=DEFAULT):
    snapshot = saturate([start], rules).snapshot
    chosen = GreedyDag().extract(Problem.from_snapshot(snapshot, LoopAware()))
    chosen.validate()
    return snapshot.build(chosen.choice)[0]


def in_one_order(root):
    """The graph as text, the operands of commutative operations sorted."""
    texts = {}
    for node in root.toposort():
        sources = [texts[source] for source in node.src]
        sources = sorted(sources) if node.op in COMMUTATIVE else sources
        texts[node] = f"{node.op.name}:{node.dtype}:{node.arg}({', '.join(sources)})"
    return texts[root]


def array(*shape, dtype=float32, slot=0):
    return UOp.param(slot, int(np.prod(shape)), dtype).reshape(shape)


def full(value, *shape, dtype=float32):
    return UOp.full(shape, dtype, value)


A, V = array(4, 6), array(4, 1)
B, C = array(4, 6, slot=1), array(4, 6, slot=2)
FLAT = UOp.param(0, 24, float32)
INTS = array(4, 6, dtype=int32)
BYTES, MORE_BYTES = array(4, 6, dtype=int8), array(4, 6, dtype=int8, slot=1)
FLAGS = array(4, 6, dtype=bool_)

CASES = {
    "two transposes": (A.permute((1, 0)).permute((1, 0)), A),
    "a window of the padding's inside": (A.pad(((1, 2), (0, 3))).shrink(((1, 5), (0, 6))), A),
    "a flip before and after padding": (A.pad(((1, 2), (0, 0))).flip((True, False)).flip((True, False)), A.pad(((1, 2), (0, 0)))),
    "keepdims and back": (A.reduce_axis(Op.MAX, (1,)).reshape((4, 1)).reshape((4,)), A.reduce_axis(Op.MAX, (1,))),
    "the square root of a broadcast": (V.expand((4, 500)).alu(Op.SQRT), V.alu(Op.SQRT).expand((4, 500))),
    "an axis of one element": (V.reduce_axis(Op.MAX, (1,)), array(4)),
    "the greatest of copies": (V.expand((4, 500)).reduce_axis(Op.MAX, (1,)), array(4)),
    "a sum of copies": (V.expand((4, 500)).reduce_axis(Op.ADD, (1,)), array(4) * 500.0),
    "a sum of a constant": (full(3, 4, 6, dtype=int32).reduce_axis(Op.ADD, (1,)), full(18, 4, dtype=int32)),
    "a sum over nothing": (array(4, 0).reduce_axis(Op.ADD, (1,)), full(0.0, 4)),
    "a sum of a sum": (A.reduce_axis(Op.ADD, (1,)).reduce_axis(Op.ADD, (0,)), FLAT.reduce_axis(Op.ADD, (0,))),
    "a sum of multiples": ((INTS * 3).reduce_axis(Op.ADD, (0, 1)), UOp.param(0, 24, int32).reduce_axis(Op.ADD, (0,)) * 3),
    "the greatest of negated": ((-A).reduce_axis(Op.MAX, (0,)), -A.reduce_axis(Op.MIN, (0,))),
    "there and back losslessly": (BYTES.cast(float32).cast(int8), BYTES),
    "low bits": (INTS.cast(int64).cast(uint8), INTS.cast(uint8)),
    "a bool as a number and back": (FLAGS.cast(int32).ne(0), FLAGS),
    "compare before widening": (BYTES.cast(int64) < MORE_BYTES.cast(int64), BYTES < MORE_BYTES),
    "dividing by four": (A / 4.0, A * 0.25),
    "signs": ((-A) * (-B), A * B),
    "multiply and add": (A * B + C, A.alu(Op.MULACC, B, C)),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_start_becomes_goal(name):
    start, goal = CASES[name]
    assert in_one_order(best(start)) == in_one_order(goal)


FAST_CASES = {
    "dividing by three": (A / 3.0, A * (1 / 3)),
    "the power of a logarithm": (A.alu(Op.LOG2).alu(Op.EXP2), A),
    "a common divisor": (A / C + B / C, (A + B) / C),
    "logarithms that add up": (A.alu(Op.LOG2) + B.alu(Op.LOG2), (A * B).alu(Op.LOG2)),
    "the difference of logarithms": (A.alu(Op.LOG2) - B.alu(Op.LOG2), (A / B).alu(Op.LOG2)),
    "the logarithm of a reciprocal": (A.alu(Op.RECIP).alu(Op.LOG2), -A.alu(Op.LOG2)),
    "roots that are multiplied": (A.alu(Op.SQRT) * B.alu(Op.SQRT), (A * B).alu(Op.SQRT)),
    "a value by its root": (A / A.alu(Op.SQRT), A.alu(Op.SQRT)),
    "a power below the line": (A.alu(Op.EXP2).alu(Op.RECIP), (-A).alu(Op.EXP2)),
}


@pytest.mark.parametrize("name", FAST_CASES)
def test_start_becomes_goal_over_the_reals_only(name):
    start, goal = FAST_CASES[name]
    assert in_one_order(best(start)) == in_one_order(start)
    assert in_one_order(best(start, FAST)) == in_one_order(goal)


@pytest.mark.parametrize(("dtype", "op"), [(float32, Op.ADD), (float64, Op.MAX), (int32, Op.ADD)])
def test_a_large_sum_is_split_in_contiguous_parts(dtype, op):
    found = best(UOp.param(0, 1 << 24, dtype).reshape((1 << 12, 1 << 12)).reduce_axis(op, (0, 1)))
    assert found.op is Op.REDUCE_AXIS
    parts = found.src[0]
    assert (parts.op, parts.arg, parts.shape) == (Op.REDUCE_AXIS, (op, (1,)), (64,))
    assert parts.src[0].shape == (64, 1 << 18)


def test_a_large_sum_of_floats_stays_whole_where_rounding_may_not_change():
    strict = movement.ruleset + reduction.ruleset
    start = UOp.param(0, 1 << 24, float32).reduce_axis(Op.ADD, (0,))
    assert best(start, strict) is start


def test_softmax_keeps_its_form_and_meaning():
    x = array(64, 16)
    greatest = x.reduce_axis(Op.MAX, (1,)).reshape((64, 1)).expand((64, 16))
    powers = (x - greatest).alu(Op.EXP2)
    start = powers / powers.reduce_axis(Op.ADD, (1,)).reshape((64, 1)).expand((64, 16))
    data = {0: np.random.default_rng(1).normal(size=64 * 16).astype(np.float32)}
    np.testing.assert_array_equal(evaluate(best(start), data), evaluate(start, data))
