"""Scans in schedules: which are computed where they are read, and that the loops along them stay in order."""

import numpy as np
import pytest

import eqsat as eq
from benchmarks.kernel_models import every_tiling
from eqsat.dtype import ALL, float32, index
from eqsat.machine import Machine
from eqsat.ops import REDUCE_OPS, AxisType, Op
from eqsat.reference import evaluate
from eqsat.reference.number import hold
from eqsat.runtime.storage import from_stored, to_stored
from eqsat.schedule.cost.profiling import profile
from eqsat.schedule.plan import draft, schedule
from eqsat.uop import UOp

DEVICE = Machine()
OPS = sorted(REDUCE_OPS, key=str)


def array(*shape: int, dtype=float32) -> UOp:
    return UOp.param(0, int(np.prod(shape)), dtype).reshape(shape)


def kernels(*outputs: UOp) -> int:
    return len(schedule(UOp.sink(*outputs), DEVICE).kernels)


def test_what_is_computed_from_each_element_of_a_scan_is_computed_in_its_kernel() -> None:
    x = array(64, 128)
    assert kernels((x * 2.0).scan_axis(Op.ADD, 1).alu(Op.SQRT) + 1.0) == 1
    assert kernels((x * 2.0).scan_axis(Op.ADD, 0).alu(Op.SQRT) + 1.0) == 1


def test_a_scan_of_columns_from_the_end_is_computed_from_the_end() -> None:
    x = array(64, 128)
    assert kernels(x.flip((True, False)).scan_axis(Op.ADD, 0).flip((True, False)) + x) == 1
    assert kernels(x.scan_axis(Op.ADD, 0).flip((True, False))) == 1
    assert kernels(x.scan_axis(Op.ADD, 1).flip((False, True))) == 2


def test_a_scan_that_is_read_in_another_order_is_stored() -> None:
    x = array(64, 128)
    assert kernels(x.scan_axis(Op.ADD, 1).flip((False, True)) + x.scan_axis(Op.ADD, 1)) == 2
    assert kernels(x.scan_axis(Op.ADD, 1).shrink(((0, 64), (1, 128)))) == 2
    assert kernels(x.scan_axis(Op.ADD, 1).scan_axis(Op.ADD, 0)) == 2
    assert kernels(x.scan_axis(Op.ADD, 1).reduce_axis(Op.MAX, (1,))) == 2


@pytest.mark.parametrize("axis", [0, 1])
def test_each_element_is_read_once(axis: int) -> None:
    """Work grows with the number of elements, not with its square: the kernel has no loop but those over its outputs.

    Where work-items share an extent that their number does not divide, the last one repeats at most one tile of 16.
    """
    (kernel,) = schedule(UOp.sink(array(1000, 1000).scan_axis(Op.ADD, axis)), DEVICE).kernels
    ranges = [node.src[0].arg for node in kernel.ast.toposort() if node.op is Op.RANGE]
    assert 1000 * 1000 <= np.prod(ranges) <= 1000 * 1000 * 17 / 16
    assert sum(node.op is Op.LOAD for node in kernel.ast.toposort()) == 1


def test_tiles_along_a_scan_never_overlap() -> None:
    for shape, axis in (((6, 100), 1), ((100, 37), 0), ((64,), 0)):
        (made,) = schedule(UOp.sink(array(*shape).scan_axis(Op.ADD, axis) + 1.0), DEVICE).kernels
        assert any(node.op is Op.RANGE and node.arg[1] is AxisType.SCAN for node in made.ast.toposort())
        (plain,) = draft(UOp.sink(array(*shape).scan_axis(Op.ADD, axis)), DEVICE).kernels
        kernel = profile(plain.sink, DEVICE)
        (along,) = [place for place, bound in enumerate(kernel.ranges) if bound.arg[1] is AxisType.SCAN]
        for tiling in every_tiling(kernel, DEVICE).ranked:
            assert shape[axis] % tiling.axes[along].tile == 0
            assert not tiling.axes[along].parallel


SHAPES = (((3, 37), 1), ((7, 24), 0), ((64,), 0), ((1,), 0), ((4, 1, 5), 1), ((0, 3), 0), ((3, 0), 1))


@pytest.mark.parametrize("op", OPS, ids=str)
@pytest.mark.parametrize("dtype", [dtype for dtype in ALL if dtype is not index], ids=str)
def test_dtypes_and_shapes_on_a_device(dtype, op: Op) -> None:
    random = np.random.default_rng(0)
    slots = [UOp.param(slot, int(np.prod(shape)), dtype) for slot, (shape, _) in enumerate(SHAPES)]
    graph = UOp.sink(
        *(slot.reshape(shape).scan_axis(op, axis) for slot, (shape, axis) in zip(slots, SHAPES, strict=True))
    )
    data = [hold(random.integers(0, 3, slot.arg[1]), dtype) for slot in slots]
    found = eq.compile(graph)(*(from_stored(to_stored(each, dtype), dtype) for each in data))
    for result, expected in zip(found, evaluate(graph, dict(enumerate(data))), strict=True):
        np.testing.assert_array_equal(np.asarray(result, expected.dtype), expected)


def test_scan_that_is_gathered_from_in_many_ways_is_stored():
    """Most variants of the kernels here, of which fast_math makes many, read the scan out of order and cannot be built."""

    def program(x, key):
        running = eq.cumulative_sum(eq.tanh(x), axis=0) / 64.0
        taken = eq.take(x, eq.floor(eq.abs(running) * 13).astype("int32") % 64 - 64, axis=0)
        mixed = eq.where(running > 0.1, 1.5, taken)
        again = eq.take(mixed, eq.floor(eq.abs(mixed) * 13).astype("int32") % 64 - 64, axis=0)
        noise = eq.random.normal(eq.random.fold_in(key, 2), (64,), dtype="float64")
        return eq.silu(running) + 0.1 * noise, again

    graph = eq.trace(program, eq.spec((64,), eq.float64), eq.spec((), eq.uint64))
    data = {0: np.random.default_rng(0).normal(size=64), 1: np.uint64(5)}
    for found, expected in zip(
        eq.compile(graph, eq.Plan(fast_math=True))(*data.values()), evaluate(graph, data), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("axis", [0, 1])
def test_local_memory_is_not_filled_anew_for_each_step_of_a_scan(axis: int) -> None:
    """The norm wants a row in local memory, inside of the loop over rows, along which the running sum goes."""

    def program(x, y):
        product = eq.sin(x @ y)
        length = eq.sqrt(eq.mean(product * product, axis=-1, keepdims=True) + 1)
        return product / length, eq.cumulative_sum(product, axis=axis)

    graph = eq.trace(program, eq.spec((16, 5), eq.float64), eq.spec((5, 32), eq.float64))
    random = np.random.default_rng(0)
    data = [random.normal(size=(16, 5)), random.normal(size=(5, 32))]
    for found, expected in zip(eq.compile(graph)(*data), evaluate(graph, dict(enumerate(data))), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9)
