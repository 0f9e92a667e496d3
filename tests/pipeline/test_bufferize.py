"""What BufferizeOpts ask for is done: an array is kept in memory, on a device, or in the memory of a kernel."""

from __future__ import annotations

import json

import numpy as np
import pytest

import eqsat as eq
from eqsat.codegen import render
from eqsat.dtype import AddrSpace, float32
from eqsat.ops import AxisType, BufferizeOpts, Op
from eqsat.uop import UOp
from tests.distribution import devices
from tests.forms.form import at, kernel, load, node, store

X = UOp.param(0, 6, float32)
R = UOp.range(6, 0)
GIVEN = np.arange(6, dtype=np.float32)


def doubled(options: BufferizeOpts | None) -> UOp:
    return UOp.sink(node(Op.BUFFERIZE, float32, load(at(X, R)) * 2.0, R, arg=options) * 3.0)


@pytest.mark.parametrize("options", [None, BufferizeOpts(), BufferizeOpts(removable=False)], ids=str)
def test_array_that_is_not_removable_has_a_kernel_of_its_own(options: BufferizeOpts | None) -> None:
    graph = doubled(options)
    program = eq.compile(graph)
    assert len(program.kernels) == (2 if options and not options.removable else 1)
    np.testing.assert_array_equal(program(GIVEN), 6 * GIVEN)
    assert eq.from_json(json.loads(json.dumps(eq.to_json([graph])))) == [graph]


def test_array_is_on_the_device_that_it_names() -> None:
    devices.require(devices.HALVES)
    first, second = devices.HALVES
    graph = doubled(BufferizeOpts(device=second))
    program = eq.compile(graph, eq.Plan(device=first))
    assert eq.get_device(second) in program.devices
    np.testing.assert_array_equal(program(GIVEN), 6 * GIVEN)
    with pytest.raises(eq.DeviceError, match="no device is named 'banana'"):
        eq.compile(doubled(BufferizeOpts(device="banana")))


def test_local_memory_and_registers_are_declared_and_synchronized() -> None:
    group, item = UOp.range(2, 0, AxisType.GLOBAL), UOp.range(4, 1, AxisType.LOCAL)
    out, given = UOp.param(0, 8, float32), UOp.param(1, 8, float32)
    place = group * 4 + item
    line = node(Op.BUFFERIZE, float32, load(at(given, place)), item, arg=BufferizeOpts(space=AddrSpace.LOCAL))
    source = render(kernel(store(at(out, place), load(at(line, item * -1 + 3)), group, item))).source
    assert "__local float" in source
    assert source.count("barrier(CLK_LOCAL_MEM_FENCE)") == 1
