"""Runs a drawn kernel in each language, and compares what it leaves with the reference."""

from __future__ import annotations

import ctypes

import numpy as np

from eqsat.codegen import OPENCL_CPU, OPENCL_GPU, C, RenderedKernel, expand, render
from eqsat.codegen.linearization.nest_text import nest_text
from eqsat.dtype import AddrSpace, DType, to_numpy
from eqsat.ops import AxisType, Op, Stage
from eqsat.reference.evaluate import evaluate_kernel
from eqsat.reference.linear.interpreter import run_linear
from eqsat.runtime.storage import from_stored, to_stored
from eqsat.spec import verify
from eqsat.uop import UOp, toposort
from tests.codegen.c_compiler import COMPILER, compile_c
from tests.codegen.device import on_device
from tests.drawn_kernels.drawing import Drawn

LANGUAGES = (OPENCL_CPU, OPENCL_GPU)
QUICK = ("-std=c11", "-O1", "-w", "-ffp-contract=off")


def check(kernel: Drawn, number: int) -> RenderedKernel:
    """Asserts that a kernel does what the reference says: its expanded graph, its instructions, and its source in one OpenCL C and in C.

    Returns the kernel as one language has it, which is another for each number.
    """
    verify(kernel.sink, Stage.KERNEL)
    rendered = render(kernel.sink, LANGUAGES[number % len(LANGUAGES)])
    assert nest_text(kernel.sink).count(" = ") >= len(kernel.sink.src)
    expected = buffers_of(kernel)
    evaluate_kernel(kernel.sink, expected)
    expanded = expand(kernel.sink)
    if expanded.src:  # some gate may hold
        verify(expanded, Stage.EXPANDED)
    if expanded.src and not _has_registers_of_items(kernel.sink):
        _same(_of_graph(expanded, kernel), expected, "of the expanded graph")
    verify(rendered.linear, Stage.LINEAR)
    _same(_interpreted(rendered, kernel), expected, "of its instructions")
    if rendered.arguments:
        given = buffers_of(kernel)
        found = on_device(rendered, dict(enumerate(given)))
        _same([found.get(slot, each) for slot, each in enumerate(given)], expected, rendered.source)
    if number % 2 and COMPILER is not None and is_of_one_item(kernel.sink):
        alone = render(kernel.sink, C)
        _same(_in_c(alone, kernel), expected, alone.source)
    return rendered


def is_of_one_item(sink: UOp) -> bool:
    """Whether one thread may do what the items of a group do: they share nothing but reductions."""
    order = toposort([sink])
    return not (_has_items(order) and any(node.op is Op.BUFFERIZE for node in order))


def _has_registers_of_items(sink: UOp) -> bool:
    """Whether items of a group have registers each, of which the reference has one set once they are instructions."""
    order = toposort([sink])
    return any(node.op is Op.BUFFERIZE and node.arg.space is AddrSpace.REG for node in order) and _has_items(
        order
    )


def _has_items(order: list[UOp]) -> bool:
    return any(node.op is Op.RANGE and node.arg[1] is AxisType.LOCAL for node in order)


def buffers_of(kernel: Drawn) -> list[np.ndarray]:
    """An array for each PARAM, though no store may be left that reads it."""
    found: dict[int, np.ndarray] = {}
    for node in toposort([kernel.sink]):
        if node.op is Op.PARAM:
            assert isinstance(node.dtype, DType)
            slot, size = node.arg
            empty = np.zeros(size, to_numpy(node.dtype))
            found[slot] = kernel.inputs[slot].copy() if slot in kernel.inputs else empty
    return [found.get(slot, np.zeros(1, np.float32)) for slot in range(max(found) + 1)]


def _of_graph(sink: UOp, kernel: Drawn) -> list[np.ndarray]:
    found = buffers_of(kernel)
    evaluate_kernel(sink, found)
    return found


def _interpreted(rendered: RenderedKernel, kernel: Drawn) -> list[np.ndarray]:
    found = buffers_of(kernel)
    run_linear(rendered.linear, found, rendered.global_size, rendered.local_size)
    return found


def _in_c(rendered: RenderedKernel, kernel: Drawn) -> list[np.ndarray]:
    library = compile_c(
        rendered.source.replace(f"static void {rendered.name}", f"void {rendered.name}"), QUICK
    )
    arrays = buffers_of(kernel)
    stored = {each.slot: to_stored(arrays[each.slot], each.dtype).copy() for each in rendered.arguments}
    library[rendered.name](*(ctypes.c_void_p(stored[each.slot].ctypes.data) for each in rendered.arguments))
    for each in rendered.arguments:
        arrays[each.slot] = from_stored(stored[each.slot], each.dtype)
    return arrays


def _same(found: list[np.ndarray], expected: list[np.ndarray], what: str) -> None:
    for slot, (one, other) in enumerate(zip(found, expected, strict=True)):
        np.testing.assert_array_equal(one, other, err_msg=f"slot {slot} {what}")
