"""A device that runs kernels by the reference interpreter: `Device`, implemented without OpenCL."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from time import perf_counter

import numpy as np

from eqsat.codegen import OPENCL_CPU, Argument, Dialect, RenderedKernel
from eqsat.machine import PROCESSOR
from eqsat.reference.linear.interpreter import run_linear
from eqsat.runtime.device import Kind
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

    def suited(self, seconds: float) -> InterpretedDevice:
        return self

    def compile(self, kernels: Sequence[RenderedKernel], *, save: bool) -> InterpretedKernels:
        return InterpretedKernels(kernels)


class InterpretedKernels:
    def __init__(self, kernels: Sequence[RenderedKernel]) -> None:
        self._kernels = kernels

    @contextmanager
    def run(self, doing: str, *, timed: bool = False) -> Generator[InterpretedRun]:
        yield InterpretedRun(self._kernels)


class InterpretedRun:
    def __init__(self, kernels: Sequence[RenderedKernel]) -> None:
        self._kernels = kernels
        self._outputs: dict[int, np.ndarray] = {}
        self._seconds: list[float] = []

    def input(self, array: np.ndarray) -> np.ndarray:
        return array.reshape(-1).view(np.uint8)

    def output(self, number: int, size: int, dtype: np.dtype) -> np.ndarray:
        self._outputs[number] = np.empty(size, dtype)
        return self._outputs[number].view(np.uint8)

    def temporary(self, size: int) -> np.ndarray:
        return np.empty(size, np.uint8)

    def nothing(self) -> np.ndarray:
        return np.empty(0, np.uint8)

    def launch(self, number: int, buffers: Sequence[np.ndarray]) -> None:
        start, kernel = perf_counter(), self._kernels[number]
        slots = [np.empty(0)] * (1 + max(argument.slot for argument in kernel.arguments))
        for argument, memory in zip(kernel.arguments, buffers, strict=True):
            slots[argument.slot] = from_stored(_elements(memory, argument), argument.dtype)
        run_linear(kernel.linear, slots, kernel.global_size, kernel.local_size)
        for argument, memory in zip(kernel.arguments, buffers, strict=True):
            if argument.written:
                _elements(memory, argument)[:] = to_stored(slots[argument.slot], argument.dtype)
        self._seconds.append(perf_counter() - start)

    def finish(self) -> None:
        pass

    def take_result(self, number: int) -> np.ndarray:
        return self._outputs[number].copy()

    def seconds(self) -> list[float]:
        return self._seconds


def _elements(memory: np.ndarray, argument: Argument) -> np.ndarray:
    """The elements that a buffer of bytes holds; a shared temporary may be longer."""
    dtype = stored_dtype(argument.dtype)
    return memory[: argument.size * dtype.itemsize].view(dtype)
