"""Every operation has one price, on every element type and every machine."""

from __future__ import annotations

import pytest

from eqsat import dtype as dtypes
from eqsat.dtype import DType, float32, float64, index, int32, int64
from eqsat.egraph.snapshot.unsaturated import snapshot_as_written
from eqsat.errors import MachineError
from eqsat.extract import Latency, LoopAware, Node, Value
from eqsat.extract.costs import FewestOperations
from eqsat.machine import ANY, COMBINING, FREE, GRAPHICS, PRICES, PROCESSOR, Machine, OwnPrice, price
from eqsat.machine.prices import DIVISIONS, WIDE, WIDE_PICKED
from eqsat.ops import ALU, REDUCE_OPS, TABLE, Op
from eqsat.schedule.cost.profiling import profile
from eqsat.schedule.placement.array_graph import ArrayGraph
from eqsat.schedule.plan import draft
from eqsat.uop import UOp

DTYPES = [value for value in vars(dtypes).values() if isinstance(value, DType)]
MACHINES = {"processor": PROCESSOR, "graphics": GRAPHICS}


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_every_operation_is_priced_or_named_as_one_that_is_never_computed(
    machine: Machine, dtype: DType
) -> None:
    for op in set(TABLE) - COMBINING:
        cycles = machine.cycles(op, dtype)
        assert (cycles == 0) == (op in FREE or op in (Op.PARAM, Op.BUFFER)), (op, dtype)
        assert price(op, dtype).instructions > 0 or op in FREE


def test_an_operation_is_in_one_list_only() -> None:
    assert len(PRICES) + len(FREE) + len(COMBINING) == len(TABLE)
    assert set(PRICES) | FREE | COMBINING == set(TABLE)
    assert set(PRICES) >= ALU


def test_an_operation_without_a_price_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(PRICES, Op.ERF)
    with pytest.raises(MachineError, match=r"ERF of float32 has no price; give it one in eqsat\.machine"):
        Machine(cores=3).cycles(Op.ERF, float32)
    with pytest.raises(MachineError, match="REDUCE"):
        PROCESSOR.cycles(Op.REDUCE, float32)


def test_lanes_of_vectors_and_targets_of_pointers_are_priced_as_elements() -> None:
    assert PROCESSOR.cycles(Op.MUL, int64.vec(4)) == PROCESSOR.cycles(Op.MUL, int64)
    address = dtypes.PtrDType(int64, dtypes.AddrSpace.GLOBAL, 8)
    assert PROCESSOR.cycles(Op.MUL, address) == PROCESSOR.cycles(Op.MUL, int64)


def test_a_division_costs_the_same_whoever_asks() -> None:
    """Extraction, simplification and schedules."""
    machine = Machine(prices=(OwnPrice("FLOORDIV", "int32", 33.0),))
    operands = (Value(int32, ()), Value(int32, ()))
    node = Node(Op.FLOORDIV, int32, None, (), operands)
    asked = FewestOperations(machine=machine).cost(node) - 1
    assert Latency(machine).cost(node) == 33.0
    assert asked == pytest.approx(33.0 / (1 << 16))
    assert LoopAware.of(machine).cost(node) == 33.0 / machine.lanes
    x, y = (UOp.param(slot, 64, int32) for slot in range(2))
    quotient = x.alu(Op.FLOORDIV, y)
    (kernel,) = draft(UOp.sink(quotient), machine).kernels
    assert sum(profile(kernel.sink, machine).work.values()) == 33.0


@pytest.mark.parametrize("op", [op for op in WIDE if op not in DIVISIONS])
def test_functions_take_longer_in_float64_and_in_wider_registers(op: Op) -> None:
    """But for FMOD and LOGADDEXP, which look at lanes one by one, and for GELU, which picks among twice as many floats in one instruction."""
    wide = Machine(vector_bytes=64)
    assert PROCESSOR.cycles(op, float64) > PROCESSOR.cycles(op, float32) or op in (Op.FMOD, Op.LOGADDEXP)
    for dtype in (float32, float64):
        picks = op in WIDE_PICKED and dtype != float64
        assert (PROCESSOR.cycles(op, dtype) < wide.cycles(op, dtype)) is not picks
        assert wide.cycles(op, dtype) <= 2 * PROCESSOR.cycles(op, dtype)
    assert wide.cycles(Op.MUL, float64) == PROCESSOR.cycles(Op.MUL, float64)


@pytest.mark.parametrize("op", DIVISIONS)
def test_divisions_of_integers_take_their_time_for_each_lane(op: Op) -> None:
    wide = Machine(vector_bytes=64)
    for dtype in (int32, int64):
        assert wide.cycles(op, dtype) == 2 * PROCESSOR.cycles(op, dtype)
    assert wide.cycles(op, int64) / 8 > 2 * wide.cycles(op, int32) / 16


@pytest.mark.parametrize("op", DIVISIONS)
@pytest.mark.parametrize("dtype", [int32, int64])
def test_division_by_a_constant_costs_the_same_in_arrays_and_in_kernels(op: Op, dtype: DType) -> None:
    """And less than by a value."""
    x = UOp.param(0, 64, dtype)
    graph = UOp.sink(x.alu(op, UOp.const(dtype, 7).reshape((1,)).expand((64,))))
    arrays = ArrayGraph(snapshot_as_written([graph]), PROCESSOR)
    (kernel,) = draft(graph, PROCESSOR).kernels
    (cycles,) = (arrays.cycles(node) for node, term in enumerate(arrays.snapshot.terms) if term.op is op)
    assert sum(profile(kernel.sink, PROCESSOR).work.values()) == cycles < PROCESSOR.cycles(op, dtype)


def test_a_price_for_any_type_is_one_for_all() -> None:
    machine = Machine(prices=(OwnPrice("MUL", ANY, 9.0), OwnPrice("MUL", "int32", 7.0)))
    assert [machine.cycles(Op.MUL, dtype) for dtype in (float32, index, int32)] == [9.0, 9.0, 7.0]


def test_a_reduction_costs_what_it_applies() -> None:
    for op in REDUCE_OPS:
        node = Node(Op.REDUCE_AXIS, float32, (op, (0,)), (), (Value(float32, (8,)),))
        assert Latency().cost(node) == PROCESSOR.cycles(op, float32)
