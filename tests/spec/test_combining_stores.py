"""STOREs that combine: once in each iteration of the ranges that they end, one after the other, and never over work-items that share an element."""

from __future__ import annotations

import numpy as np
import pytest

from eqsat import float32
from eqsat.codegen import OPENCL_CPU, C, expand, render
from eqsat.dtype import AddrSpace, index, void
from eqsat.errors import EvaluationError, SpecError
from eqsat.ops import AxisType, BufferizeOpts, Op, Stage
from eqsat.reference import run_linear
from eqsat.spec import verify
from eqsat.uop import UOp
from tests.spec.test_races import ITEMS, LOOPS, kernel, load, run


def run_instructions(sink, dialect):
    result = np.full(8, -1, np.float32)
    rendered = render(sink, dialect)
    run_linear(
        rendered.linear,
        [result, np.arange(8, dtype=np.float32), np.zeros(8, np.float32)],
        rendered.global_size,
        rendered.local_size,
    )
    return result.tolist()


@pytest.mark.parametrize("axis", [*ITEMS, *LOOPS])
@pytest.mark.parametrize("op", [Op.ADD, Op.MAX])
def test_what_combines_comes_one_after_the_other(op, axis):
    i = UOp.range(8, 0, axis)
    address = UOp(Op.INDEX, float32, (UOp.param(0, 8, float32), i % 2))
    sink = kernel(UOp(Op.STORE, void, (address, load(1, i), i), op))
    if axis in ITEMS:
        with pytest.raises(SpecError, match="several work-items store to element 0"):
            verify(sink, Stage.KERNEL)
        with pytest.raises(EvaluationError, match="in several work-items"):
            run(sink)
        return
    verify(sink, Stage.KERNEL)
    assert run(sink)[:2] == ([11, 15] if op is Op.ADD else [6, 7])


@pytest.mark.parametrize("ends", ["STORE", "END"])
@pytest.mark.parametrize("axis", [*ITEMS, *LOOPS, AxisType.UPCAST, AxisType.SCAN])
def test_what_combines_does_so_in_each_iteration_that_it_ends(axis, ends):
    """Nothing that is stored varies with range 0, and only the value with range 1."""
    unused, loop = UOp.range(4, 0, axis), UOp.range(3, 1, AxisType.LOOP)
    address = UOp(Op.INDEX, float32, (UOp.param(0, 8, float32), UOp.const(index, 0)))
    if ends == "END":
        stored = UOp(Op.END, void, (UOp(Op.STORE, void, (address, load(1, loop)), Op.ADD), unused, loop))
    else:
        stored = UOp(Op.STORE, void, (address, load(1, loop), unused, loop), Op.ADD)
    if axis in (AxisType.LOOP, AxisType.SCAN):
        verify(kernel(stored), Stage.KERNEL)
        total = -1 + 4 * (0 + 1 + 2)
        assert run(kernel(stored))[0] == run(expand(kernel(stored)))[0] == total
        assert (
            run_instructions(kernel(stored), OPENCL_CPU)[0] == run_instructions(kernel(stored), C)[0] == total
        )
        return
    with pytest.raises(SpecError, match=f"{axis.name} range 0"):
        verify(kernel(stored), Stage.KERNEL)
    if axis in ITEMS:
        with pytest.raises(EvaluationError, match="in several work-items"):
            run(kernel(stored))


@pytest.mark.parametrize("dialect", [OPENCL_CPU, C], ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("axis", [AxisType.GLOBAL, AxisType.LOCAL, AxisType.LOOP])
def test_what_combines_does_so_once_in_loops_that_another_store_needs(axis, dialect):
    """Both STOREs share loop 1, which lies in range 0 of the second one."""
    outer, shared = UOp.range(2, 0, axis), UOp.range(3, 1, AxisType.LOOP)
    address = UOp(Op.INDEX, float32, (UOp.param(0, 8, float32), UOp.const(index, 0)))
    combined = UOp(Op.STORE, void, (address, load(1, shared), shared), Op.ADD)
    place = UOp(Op.INDEX, float32, (UOp.param(2, 8, float32), outer * 3 + shared))
    sink = kernel(combined, UOp(Op.STORE, void, (place, load(1, outer + shared), outer, shared)))
    verify(sink, Stage.KERNEL)
    assert run_instructions(sink, dialect)[0] == -1 + 0 + 1 + 2


def test_what_combines_does_so_once_where_another_store_is_computed_in_pieces():
    """Each work-item has registers of its own, so the reference computes the work-items one by one."""
    item, shared, own = UOp.range(4, 0, AxisType.GLOBAL), UOp.range(3, 1), UOp.range(2, 2)
    kept = UOp(Op.BUFFERIZE, float32, (load(1, item + own), own), BufferizeOpts(space=AddrSpace.REG))
    value = UOp(Op.LOAD, float32, (UOp(Op.INDEX, float32, (kept, UOp.const(index, 1))),))
    place = UOp(Op.INDEX, float32, (UOp.param(2, 8, float32), item))
    address = UOp(Op.INDEX, float32, (UOp.param(0, 8, float32), UOp.const(index, 0)))
    combined = UOp(Op.STORE, void, (address, load(1, shared), shared), Op.ADD)
    sink = kernel(UOp(Op.STORE, void, (place, value, item)), combined)
    second = np.zeros(8, np.float32)
    assert run(sink, indices=second)[0] == run(expand(sink), indices=second)[0] == -1 + 0 + 1 + 2
