"""What the cost models say of single nodes."""

import pytest

from eqsat.dtype import float32, float64, int32
from eqsat.extract import COST_MODELS, Latency, LoopAware, Node, OperationCount, Value
from eqsat.ops import TABLE, Op


def node(op, *sources, dtype=float32, arg=None, shape=()):
    return Node(op, dtype, arg, shape, sources)


def row(*shape, dtype=float32):
    return Value(dtype, shape)


@pytest.mark.parametrize("model", COST_MODELS.values(), ids=list(COST_MODELS))
def test_every_operation_has_a_finite_cost(model):
    for op in TABLE:
        arg = (Op.ADD, (0,)) if op is Op.REDUCE_AXIS else Op.ADD if op is Op.REDUCE else None
        assert 0 <= model.cost(node(op, row(4), row(4), row(4), arg=arg, shape=(4,))) < 1e9


def test_a_sum_of_five_terms_is_four_additions():
    assert OperationCount().cost(node(Op.ADD, *[row()] * 5)) == 4
    assert Latency().cost(node(Op.ADD, *[row()] * 5)) == 4 * Latency().cost(node(Op.ADD, row(), row()))


def test_division_is_dearer_than_a_shift():
    operands = [row(dtype=int32)] * 2
    division, shift = (Latency().cost(node(op, *operands, dtype=int32)) for op in (Op.FLOORDIV, Op.SHR))
    assert division > 8 * shift


def test_an_operation_before_a_broadcast_is_cheaper_than_after():
    before, after = (
        LoopAware().cost(node(Op.EXP2, row(*shape), shape=shape)) for shape in ((64, 1), (64, 64))
    )
    assert before * 50 < after


def test_a_reduction_costs_its_inputs():
    model = LoopAware(launch_cycles=0, bytes_per_cycle=1e9)
    small, large = (
        model.cost(node(Op.REDUCE_AXIS, row(n, 8), arg=(Op.ADD, (0,)), shape=(8,))) for n in (10, 1000)
    )
    assert large == pytest.approx(100 * small, rel=1e-3)


def test_two_reductions_are_cheaper_than_one_large_one_on_two_cores_only():
    def cost(model, groups):
        one = model.cost(node(Op.REDUCE_AXIS, row(groups), arg=(Op.ADD, (0,))))
        if groups == 1 << 24:
            return one
        rows = row(groups, (1 << 24) // groups)
        return one + model.cost(node(Op.REDUCE_AXIS, rows, arg=(Op.ADD, (1,)), shape=(groups,)))

    assert cost(LoopAware(cores=2), 16) < cost(LoopAware(cores=2), 1 << 24)
    assert cost(LoopAware(cores=1), 16) > cost(LoopAware(cores=1), 1 << 24)


def test_wide_elements_fill_fewer_lanes():
    narrow = LoopAware().cost(node(Op.ADD, row(64), row(64), shape=(64,)))
    wide = LoopAware().cost(node(Op.ADD, *[row(64, dtype=float64)] * 2, dtype=float64, shape=(64,)))
    assert wide == 2 * narrow


def test_moving_is_nearly_free():
    move = LoopAware().cost(node(Op.PERMUTE, row(64, 64), arg=(1, 0), shape=(64, 64)))
    assert 0 < move < 0.2 * LoopAware().cost(node(Op.ADD, row(64, 64), row(64, 64), shape=(64, 64)))
