"""What compilers make of scalars, as schedules are priced: copies and loops become vectors where elements lie side by side."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import eqsat as eq
from eqsat.dtype import float16, float32
from eqsat.machine import Machine
from eqsat.ops import Op
from eqsat.schedule.cost.estimates import estimate
from eqsat.schedule.cost.tables import Tables
from eqsat.schedule.tiling import Axis, Tiling
from eqsat.uop import UOp
from tests.schedule.graphs import matmul, without_local_memory

DEVICE = Machine()
WIDE = Machine(vector_bytes=64, vector_registers=32)


def compute(value: UOp, *axes: Axis, machine: Machine = DEVICE) -> float:
    """Seconds of arithmetic and loops under one tiling, whose parallel ranges are in order."""
    tables = Tables.of(without_local_memory(value, machine).profile)
    order = tuple(position for position, axis in enumerate(axes) if axis.parallel)
    return float(estimate(tables, [Tiling(axes, order)], machine).compute[0])


def of_row(function: Callable[[UOp], UOp]) -> UOp:
    return function(UOp.param(0, 3 << 14, float32))


def traced(function: Callable[[eq.Array], eq.Array], shape: tuple[int, ...]) -> UOp:
    """The value of a function of one array."""
    return eq.trace(function, eq.spec(shape, float32)).src[0]


LOOP, SHORT, ODD = (Axis(1, copies, serial, True) for copies, serial in ((1, 256), (1, 4), (3, 256)))


@pytest.mark.parametrize("op", [Op.EXP, Op.LOG, Op.TANH])
def test_a_loop_over_scalars_side_by_side_is_one_over_vectors(op: Op) -> None:
    value = of_row(lambda x: x.alu(op))
    vectors, loop, short, odd = (compute(value, axis) for axis in (Axis(8, 1, 32, True), LOOP, SHORT, ODD))
    assert vectors < loop < 1.5 * vectors
    assert min(short, odd) > 5 * loop


@pytest.mark.parametrize("op", [Op.SIN, Op.ACOSH, Op.GELU])
def test_functions_with_branches_stay_scalars(op: Op) -> None:
    value = of_row(lambda x: x.alu(op))
    assert compute(value, LOOP) > 5 * compute(value, Axis(8, 1, 32, True))


def test_copies_side_by_side_are_one_vector_and_others_are_not() -> None:
    """Of a product of matrices columns lie side by side, and rows do not."""
    value = matmul(64, 64, 64).src[0]
    columns = compute(value, Axis(), Axis(1, 8), Axis())
    rows = compute(value, Axis(1, 8), Axis(), Axis())
    assert rows > 1.5 * columns


def test_copies_of_functions_stay_scalars() -> None:
    value = UOp.param(0, 64 * 64, float32).reshape((64, 64)).alu(Op.EXP).reduce_axis(Op.ADD, (0,))
    assert compute(value, Axis(1, 8), Axis()) > 0.8 * compute(value, Axis(), Axis())


@pytest.mark.parametrize(("window", "vectorized"), [((3, 3), True), ((9, 9), False)])
def test_short_loops_are_written_out_inside_a_vectorized_one(
    window: tuple[int, int], vectorized: bool
) -> None:
    """A work-item has a loop over the columns of a picture, and inside it those over a window."""
    value = traced(lambda x: eq.max_pool2d(x, window, stride=1), (1, 1, 40, 63 + window[1]))
    loop, vectors = (
        compute(value, Axis(1, 1, 1, True), columns, Axis(), Axis()) for columns in (Axis(), Axis(8))
    )
    assert (loop < 2 * vectors) == vectorized


@pytest.mark.parametrize(("copies", "vectorized"), [(1, True), (2, True), (4, False)])
def test_many_copies_of_a_stencil_stay_scalars(copies: int, vectorized: bool) -> None:
    """Neighbours load the same elements, which compilers do not see as vectors in more than two copies."""
    value = traced(lambda x: eq.abs(x[1:-1] - 2.0 * x[:-2] - x[2:]), ((3 << 14) + 2,))
    loop, vectors = (compute(value, Axis(lanes, each, 256, True)) for lanes, each in ((1, copies), (8, 1)))
    assert (loop < 2 * vectors) == vectorized


def test_half_precision_stays_scalar() -> None:
    """It is converted one value at a time, in loops as in copies."""
    value = UOp.param(0, 3 << 14, float16) * 2.0
    vectors, loop, copies = (
        compute(value, axis) for axis in (Axis(8, 1, 32, True), LOOP, Axis(1, 8, 32, True))
    )
    assert min(loop, copies) > 2 * vectors


def test_half_a_register_of_a_function_costs_less_than_a_whole_one() -> None:
    """Of 64 bytes, half of which take a division half as long, and a multiplication as long; loads of half cross half as many lines."""
    divided, multiplied = (of_row(lambda x, op=op: x.alu(op, x + 1.0)) for op in (Op.FDIV, Op.MUL))
    halves, wholes = (
        [compute(value, Axis(lanes, 1, 16, True), machine=WIDE) for value in (divided, multiplied)]
        for lanes in (8, 16)
    )
    assert halves[0] == pytest.approx(wholes[0], rel=0.3)
    assert halves[1] > 1.4 * wholes[1]


def test_work_groups_cost_nanoseconds() -> None:
    """32,768 of them, of two vectors each, take hardly longer than 128."""
    value = UOp.param(0, 1 << 20, float32) * 2.0
    tables = Tables.of(without_local_memory(value, WIDE).profile)
    many, few = (Tiling((Axis(16, 2, serial, True),), (0,)) for serial in (1, 256))
    assert estimate(tables, [many], WIDE).seconds[0] < 2 * estimate(tables, [few], WIDE).seconds[0]


def test_what_is_computed_of_inputs_alone_is_packed_for_a_product() -> None:
    """Weights of four bits, two in a byte: each is computed once, and not once for each tile of rows."""

    def product(x: eq.Array, packed: eq.Array) -> eq.Array:
        halves = [eq.astype(half, float32) - 8.0 for half in (packed & 15, packed >> 4)]
        weights = eq.reshape(eq.stack(halves, axis=1), (x.shape[1], packed.shape[1]))
        return eq.matmul(x, weights)

    program = eq.compile(eq.trace(product, eq.spec((64, 128), float32), eq.spec((64, 128), eq.uint8)))
    assert len(program.kernels) == 1
    assert "__local" in program.kernels[0].source
