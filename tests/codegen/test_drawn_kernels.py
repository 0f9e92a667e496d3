"""Drawn kernels leave what the reference says in each language; the referee sees them as those of all tests.

    python -m tests.drawn_kernels --kernels 500 --seed 1

draws and checks many more, and prints what was in them.
"""

from __future__ import annotations

import numpy as np
import pytest

from eqsat.codegen import OPENCL_CPU, OPENCL_GPU, C, expand, render
from eqsat.codegen.linearization.nest_text import nest_text
from eqsat.dtype import AddrSpace, bfloat16, float16, float32, index, void
from eqsat.ops import AxisType, BufferizeOpts, KernelInfo, Op, Stage
from eqsat.spec import verify
from eqsat.uop import UOp, toposort
from tests.codegen.device import check as on_all
from tests.codegen.device import on_device
from tests.codegen.kernels import (
    GLOBAL,
    LOCAL,
    LOOP,
    REDUCE,
    SCAN,
    UNROLL,
    UPCAST,
    Ranges,
    kernel,
    load,
    reduced,
    store,
)
from tests.drawn_kernels.checking import check
from tests.drawn_kernels.drawing import drawn

GROUP = 5
SQUARE = np.arange(64, dtype=np.float32)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test per group of kernels."""
    if "group" in metafunc.fixturenames:
        count = metafunc.config.getoption("kernels")
        groups = [range(start, min(start + GROUP, count)) for start in range(0, count, GROUP)]
        metafunc.parametrize("group", groups, ids=[f"{group[0]}-{group[-1]}" for group in groups])


def test_every_language_does_what_the_reference_says(group: range, request: pytest.FixtureRequest) -> None:
    for number in group:
        check(drawn(f"test {request.config.getoption('seed')}", number), number)


def test_all_kinds_of_ranges_and_values_are_drawn() -> None:
    nodes = {node for number in range(60) for node in toposort([drawn("kinds", number).sink])}
    axes = {node.arg[1] for node in nodes if node.op is Op.RANGE}
    assert axes == {*AxisType} - {AxisType.PLACEHOLDER, AxisType.THREAD}
    assert {node.dtype.name for node in nodes if node.op is Op.LOAD} >= {"bool", "bfloat16", "int8", "uint64"}
    assert {node.op for node in nodes} >= {Op.REDUCE, Op.ARGREDUCE, Op.SCAN, Op.BUFFERIZE, Op.WHERE}


def test_what_is_wrong_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device that leaves other numbers behind is noticed."""
    from tests.drawn_kernels import checking

    run = checking.on_device
    monkeypatch.setattr(
        checking, "on_device", lambda *given: {slot: ~(array != 0) for slot, array in run(*given).items()}
    )
    with pytest.raises(AssertionError, match="__kernel"):
        check(drawn("wrong", 0), 0)


# What drawn kernels have found


def test_a_group_of_one_item_is_a_group() -> None:
    """The launch of a kernel that counts groups gives each of them the items that its local memory is for, one as well."""
    ranges = Ranges()
    group, item = ranges(8, GLOBAL), ranges(1, LOCAL)
    given = load(UOp.param(1, 8, float32), group + item)
    kept = UOp(Op.BUFFERIZE, float32, (given, item), BufferizeOpts(space=AddrSpace.LOCAL))
    value = UOp(Op.LOAD, float32, (UOp(Op.INDEX, float32, (kept, item)),))
    stored = store(UOp.param(0, 8, float32), group, value, group, item)
    sink = UOp.sink(stored, arg=KernelInfo("ones", 1, 4))
    assert render(sink).local_size == (1,)
    (found,) = on_all(sink, {1: SQUARE[:8]})
    assert found.tolist() == SQUARE[:8].tolist()


def test_local_memory_of_one_item_is_in_a_group_of_one() -> None:
    """A kernel that numbers no items of a group keeps apart what each of its work-items has in local memory."""
    ranges = Ranges()
    item, made, used = ranges(16, GLOBAL), ranges(4, LOOP), ranges(4, LOOP)
    kept = UOp(
        Op.BUFFERIZE,
        float32,
        (load(UOp.param(1, 64, float32), item * 4 + made), made),
        BufferizeOpts(space=AddrSpace.LOCAL),
    )
    value = UOp(Op.LOAD, float32, (UOp(Op.INDEX, float32, (kept, UOp.const(index, 3) + used * -1)),))
    stored = store(UOp.param(0, 64, float32), item * 4 + used, value, item, used)
    sink = UOp.sink(stored, arg=KernelInfo("alone", 1, 8))
    assert render(sink).local_size == (1,)
    (found,) = on_all(sink, {1: SQUARE})
    assert found.tolist() == SQUARE.reshape(16, 4)[:, ::-1].ravel().tolist()


def test_a_loop_that_nothing_in_it_reads_has_an_end() -> None:
    """Its end is computed before it, though no value of its body depends on it."""
    ranges = Ranges()
    size = UOp.variable("n", 1, 4)
    row = ranges(2, GLOBAL)
    outer, inner = UOp.range(size * 2 + 1, 5, REDUCE), UOp.range(3, 6, REDUCE)
    total = reduced(Op.ADD, load(UOp.param(1, 2, float32), row), outer, inner)
    rendered = render(kernel("counted", store(UOp.param(0, 2, float32), row, total, row)))
    found = on_device(rendered, {1: SQUARE[1:3]}, {"n": 4})[0]
    assert found.tolist() == [27, 54]


@pytest.mark.parametrize("dtype", [float16, bfloat16, float32], ids=str)
@pytest.mark.parametrize("target", [OPENCL_CPU, OPENCL_GPU], ids=lambda each: each.name)
@pytest.mark.parametrize("lanes", [3, 16])
def test_lanes_of_two_vectors_are_woven(dtype, target, lanes) -> None:
    """Shuffles take lanes of two vectors side by side, also where no vector is as wide as both."""
    ranges = Ranges()
    phase, lane = ranges(2, UNROLL), ranges(lanes, UPCAST)
    value = load(UOp.param(1, 2 * lanes, dtype), phase * lanes + lane)
    sink = kernel("woven", store(UOp.param(0, 2 * lanes, dtype), lane * 2 + phase, value, phase, lane))
    verify(render(sink, target).linear, Stage.LINEAR)
    (found,) = on_all(sink, {1: SQUARE[: 2 * lanes]}, target=target)
    assert found.tolist() == SQUARE[: 2 * lanes].reshape(2, lanes).T.ravel().tolist()


def test_sums_of_lanes_start_from_a_vector_of_zeros() -> None:
    """Copies of which each has three lanes are added without a loop: -0.0 is none of what they come to."""
    ranges = Ranges()
    lane, copy = ranges(3, UPCAST), ranges(2, UNROLL)
    total = reduced(Op.ADD, load(UOp.param(1, 6, float32), copy * 3 + lane), copy)
    sink = kernel("sums", store(UOp.param(0, 3, float32), lane, total, lane))
    verify(expand(sink), Stage.EXPANDED)
    (found,) = on_all(sink, {1: np.full(6, -0.0, np.float32)})
    assert not np.signbit(found).any()


@pytest.mark.parametrize("along", [LOOP, UNROLL], ids=lambda axis: axis.name)
def test_registers_are_read_and_written_one_by_one(along) -> None:
    """Lanes that lie side by side in registers are no vector in memory."""
    ranges = Ranges()
    made, lane = ranges(4, along), ranges(4, UPCAST)
    value = load(UOp.param(1, 4, float32), made) * 2.0
    kept = UOp(Op.BUFFERIZE, float32, (value, made), BufferizeOpts(space=AddrSpace.REG))
    read = UOp(Op.LOAD, float32, (UOp(Op.INDEX, float32, (kept, lane)),))
    sink = kernel("registers", store(UOp.param(0, 4, float32), lane, read, lane))
    verify(expand(sink), Stage.EXPANDED)
    for target in (OPENCL_CPU, OPENCL_GPU):
        (found,) = on_all(sink, {1: SQUARE[:4]}, target=target)
        assert found.tolist() == [0, 2, 4, 6]


def test_what_a_group_reduces_may_lie_in_the_loop_of_a_scan() -> None:
    """Where no group shares the reduction, its loop lies in that of the scan, for the reductions inside of it, too."""
    ranges = Ranges()
    carry, item, step = ranges(3, SCAN), ranges(4, AxisType.GROUP_REDUCE), ranges(2, REDUCE)
    inner = reduced(Op.MAX, load(UOp.param(1, 24, float32), (carry * 4 + item) * 2 + step), step)
    total = reduced(Op.ADD, inner, item)
    scanned = UOp(Op.SCAN, float32, (total, carry), (Op.ADD, False))
    sink = kernel("scanned", store(UOp.param(0, 3, float32), carry, scanned, carry))
    assert "items of a group" in nest_text(sink)
    assert "barrier" not in render(sink, C).source
    (found,) = on_all(sink, {1: SQUARE[:24]}, target=OPENCL_GPU)
    assert found.tolist() == [16, 64, 144]


@pytest.mark.parametrize("inside", [0, 1])
def test_ranges_of_an_end_are_those_of_the_stores_it_holds(inside) -> None:
    """A GROUP in it, as well; of its ranges the lanes are gone after expansion, and the loops end at each store."""
    ranges = Ranges()
    row, lane = ranges(3, GLOBAL), ranges(4, UPCAST)
    place = row * 4 + lane
    given = load(UOp.param(2, 12, float32), place)
    stores = [store(UOp.param(slot, 12, float32), place, given * (slot + 2.0)) for slot in range(2)]
    held = UOp(Op.GROUP, void, tuple(stores)) if inside else stores[0]
    sink = kernel("ended", UOp(Op.END, void, (held, row, lane)))
    verify(expand(sink), Stage.EXPANDED)
    found = on_all(sink, {2: SQUARE[:12]})
    assert [each.tolist() for each in found] == [
        (SQUARE[:12] * (slot + 2)).tolist() for slot in range(1 + inside)
    ]
