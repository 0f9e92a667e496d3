"""Runs a kernel three ways: its graph by the reference, its instructions by the interpreter, its source on PoCL."""

import os
from collections.abc import Mapping
from functools import cache

import numpy as np
import pyopencl as cl

from eqsat.codegen import OPENCL_CPU, Dialect, RenderedKernel, render
from eqsat.dtype import DType, bfloat16, to_numpy
from eqsat.reference.evaluate import evaluate_kernel
from eqsat.reference.linear.interpreter import run_linear
from eqsat.runtime import get_device
from eqsat.runtime.opencl import OpenCLDevice
from eqsat.runtime.opencl.program import OPTIONS, compile_source
from eqsat.uop import UOp

Arrays = Mapping[int, np.ndarray]


@cache
def queue() -> cl.CommandQueue:
    """A queue on the device of EQSAT_DEVICE, or PoCL's, as eqsat finds it: PoCL is told which drivers it has before the first look, never again."""
    device = get_device(os.environ.get("EQSAT_DEVICE", "pocl"))
    assert isinstance(device, OpenCLDevice)
    return cl.CommandQueue(device.context)  # which Intel's runtime frees, unless someone holds it


def outputs(
    kernel: UOp, inputs: Arrays, target: Dialect = OPENCL_CPU
) -> tuple[list[np.ndarray], list[np.ndarray], list[np.ndarray]]:
    """What each of the three ways leaves in the buffers that the kernel writes: (graph, instructions, device)."""
    rendered = render(kernel, target)
    by_graph, by_instructions = buffers_of(rendered, inputs), buffers_of(rendered, inputs)
    evaluate_kernel(kernel, by_graph)
    run_linear(rendered.linear, by_instructions, rendered.global_size, rendered.local_size)
    by_device = on_device(rendered, inputs)
    written = [argument.slot for argument in rendered.arguments if argument.written]
    return (
        [by_graph[slot] for slot in written],
        [by_instructions[slot] for slot in written],
        [by_device[slot] for slot in written],
    )


def check(kernel: UOp, inputs: Arrays, rtol: float = 1e-6, target: Dialect = OPENCL_CPU) -> list[np.ndarray]:
    """Asserts that the three ways agree, and returns what the device computed."""
    by_graph, by_instructions, by_device = outputs(kernel, inputs, target)
    for number, (graph, instructions, device) in enumerate(
        zip(by_graph, by_instructions, by_device, strict=True)
    ):
        np.testing.assert_allclose(
            instructions, graph, rtol=rtol, atol=rtol, err_msg=f"instructions, output {number}"
        )
        np.testing.assert_allclose(device, graph, rtol=rtol, atol=rtol, err_msg=f"device, output {number}")
    return by_device


def buffers_of(rendered: RenderedKernel, inputs: Arrays) -> list[np.ndarray]:
    """One array per slot; those that are not given are zero."""
    sizes = {argument.slot: argument for argument in rendered.arguments}
    made: list[np.ndarray] = []
    for slot in range(max(sizes) + 1):
        argument = sizes.get(slot)
        if argument is None:
            made.append(np.zeros(1, np.float32))
        elif slot in inputs:
            made.append(np.array(inputs[slot], to_numpy(argument.dtype)).reshape(-1))
        else:
            made.append(np.zeros(argument.size, to_numpy(argument.dtype)))
    return made


def on_device(
    rendered: RenderedKernel, inputs: Arrays, variables: Mapping[str, int] | None = None
) -> dict[int, np.ndarray]:
    """The buffers after the kernel ran on the device of `queue`."""
    program = compile_source(queue().context, rendered.source, OPTIONS)
    function = getattr(program, rendered.name)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    host = buffers_of(rendered, inputs)
    stored = {each.slot: _to_memory(host[each.slot], each.dtype) for each in rendered.arguments}
    memory = {slot: cl.Buffer(queue().context, flags, hostbuf=array) for slot, array in stored.items()}
    values = [np.int64((variables or {})[each.name]) for each in rendered.variables]
    function.set_args(*(memory[each.slot] for each in rendered.arguments), *values)
    cl.enqueue_nd_range_kernel(queue(), function, rendered.global_size, rendered.local_size)
    for slot, buffer in memory.items():
        cl.enqueue_copy(queue(), stored[slot], buffer)
    return {each.slot: _from_memory(stored[each.slot], each.dtype) for each in rendered.arguments}


def _to_memory(array: np.ndarray, dtype: DType) -> np.ndarray:
    if dtype != bfloat16:
        return array.copy()
    return (array.view(np.uint32) >> 16).astype(np.uint16)


def _from_memory(array: np.ndarray, dtype: DType) -> np.ndarray:
    if dtype != bfloat16:
        return array
    return (array.astype(np.uint32) << 16).view(np.float32)
