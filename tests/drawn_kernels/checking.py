"""Runs a drawn kernel in each language, and compares what it leaves with the reference."""

from __future__ import annotations

import ctypes

import numpy as np

from eqsat.codegen import OPENCL_CPU, OPENCL_GPU, C, RenderedKernel, expand, render, with_sub_groups
from eqsat.dtype import DType, to_numpy
from eqsat.ops import Op, Stage
from eqsat.reference.evaluate import evaluate_kernel
from eqsat.reference.linear.interpreter import run_linear
from eqsat.runtime.storage import from_stored, to_stored
from eqsat.spec import verify
from eqsat.uop import UOp, toposort
from tests.codegen.c_compiler import COMPILER, compile_c
from tests.codegen.device import on_device
from tests.drawn_kernels.drawing import Drawn

SUB_GROUPS = with_sub_groups(OPENCL_GPU, 4)  # which the interpreter knows, and PoCL does not
LANGUAGES = (OPENCL_CPU, OPENCL_GPU)
QUICK = ("-std=c11", "-O1", "-w", "-ffp-contract=off")


def check(kernel: Drawn, number: int) -> RenderedKernel:
    """Asserts that a kernel does what the reference says: its expanded graph, its instructions, and its source in one OpenCL C and in C.

    Returns the kernel as one language has it, which is another for each number.
    """
    verify(kernel.sink, Stage.KERNEL)
    rendered = render(kernel.sink, LANGUAGES[number % len(LANGUAGES)])
    expected = buffers_of(kernel)
    evaluate_kernel(kernel.sink, expected)
    expanded = expand(kernel.sink)
    if expanded.src:  # some gate may hold
        verify(expanded, Stage.EXPANDED)
        _same(_of_graph(expanded, kernel), expected, "of the expanded graph")
    verify(rendered.linear, Stage.LINEAR)
    _same(_interpreted(rendered, kernel), expected, "of its instructions")
    if rendered.arguments:
        given = buffers_of(kernel)
        found = on_device(rendered, dict(enumerate(given)))
        _same([found.get(slot, each) for slot, each in enumerate(given)], expected, rendered.source)
    if number % 3 == 0:
        by_sub_groups = render(kernel.sink, SUB_GROUPS)
        if "sub_group_reduce_" not in by_sub_groups.source:
            _same(_interpreted(by_sub_groups, kernel), expected, by_sub_groups.source)
    if number % 2 and COMPILER is not None and is_of_one_item(kernel.sink):
        alone = render(kernel.sink, C)
        _same(_in_c(alone, kernel), expected, alone.source)
    return rendered


def is_of_one_item(sink: UOp) -> bool:
    """Whether one thread may do what the items of a group do: they share nothing but reductions."""
    return all(node.op is not Op.BUFFERIZE for node in toposort([sink]))


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
