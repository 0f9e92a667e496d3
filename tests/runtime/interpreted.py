"""A device that runs kernels by the reference interpreter: `Device`, implemented without OpenCL."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np

from eqsat.codegen import OPENCL_CPU, Argument, Dialect, RenderedKernel
from eqsat.machine import PROCESSOR
from eqsat.reference.linear.interpreter import run_linear
from eqsat.runtime.device import Kind, Sizes, Values
from eqsat.runtime.layout import Layout
from eqsat.runtime.storage import from_stored, stored_dtype, to_stored


class InterpretedDevice:
    """Buffers are NumPy arrays of bytes; a launch runs the instructions that the source was rendered from."""

    name = "interpreter"
    kind: Kind = "simulator"
    identity = "interpreter 1"
    described = PROCESSOR
    dialect: Dialect = OPENCL_CPU

    def require_use(self) -> None:
        pass

    def suited(self, seconds: Sequence[float]) -> InterpretedDevice:
        return self

    def compile(self, kernels: Sequence[RenderedKernel], layout: Layout, *, save: bool) -> InterpretedKernels:
        return InterpretedKernels(kernels, layout)


class InterpretedKernels:
    def __init__(self, kernels: Sequence[RenderedKernel], layout: Layout) -> None:
        self._kernels = kernels
        self._layout = layout

    def run(
        self, inputs: Sequence[np.ndarray], doing: str, values: Values = (), sizes: Sizes | None = None
    ) -> list[np.ndarray]:
        return self._run(inputs, values)[0]

    def times(
        self, inputs: Sequence[np.ndarray], doing: str, values: Values = (), sizes: Sizes | None = None
    ) -> list[float]:
        return self._run(inputs, values)[1]

    def _run(self, inputs: Sequence[np.ndarray], values: Values) -> tuple[list[np.ndarray], list[float]]:
        layout = self._layout
        results = [np.empty(size, dtype) for _, size, dtype in layout.outputs]
        memory = dict.fromkeys(layout.empty, np.empty(0, np.uint8))
        memory |= {number: inputs[position].reshape(-1).view(np.uint8) for number, position in layout.inputs}
        memory |= {
            number: result.view(np.uint8)
            for (number, _, _), result in zip(layout.outputs, results, strict=True)
        }
        for numbers, size in layout.temporaries:
            memory |= dict.fromkeys(numbers, np.empty(size, np.uint8))
        given = values or [()] * len(self._kernels)
        seconds = [
            _launch(kernel, [memory[number] for number in parameters], values)
            for kernel, parameters, values in zip(self._kernels, layout.parameters, given, strict=True)
        ]
        return results, seconds


def _launch(
    kernel: RenderedKernel, buffers: Sequence[np.ndarray], values: Sequence[np.integer[Any]]
) -> float:
    """Runs a kernel; the seconds that it took."""
    start = perf_counter()
    slots = [np.empty(0)] * (1 + max(argument.slot for argument in kernel.arguments))
    for argument, memory in zip(kernel.arguments, buffers, strict=True):
        slots[argument.slot] = from_stored(_elements(memory, argument), argument.dtype)
    names = [variable.name for variable in kernel.variables]
    variables = dict(zip(names, map(int, values), strict=True))
    run_linear(kernel.linear, slots, kernel.global_size, kernel.local_size, variables)
    for argument, memory in zip(kernel.arguments, buffers, strict=True):
        if argument.written:
            _elements(memory, argument)[:] = to_stored(slots[argument.slot], argument.dtype)
    return perf_counter() - start


def _elements(memory: np.ndarray, argument: Argument) -> np.ndarray:
    """The elements that a buffer of bytes holds; a shared temporary may be longer."""
    dtype = stored_dtype(argument.dtype)
    return memory[: argument.size * dtype.itemsize].view(dtype)
