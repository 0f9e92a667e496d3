"""Where the data of one run lives: on NumPy's own memory, or on the device with copies in and out."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from eqsat.runtime.lazy import cl
from eqsat.runtime.opencl import OpenCLDevice


class Placement(Protocol):
    """The buffers of one run. Nothing it made may be used after `release`, but for the results."""

    def input(self, array: np.ndarray) -> cl.Buffer:
        """A buffer that holds `array`, contiguous and with elements; kernels only read it."""
        ...

    def output(self, number: int, size: int, dtype: np.dtype) -> cl.Buffer:
        """A buffer for `size` elements of the output of this number."""
        ...

    def temporary(self, size: int) -> cl.Buffer:
        """A buffer of `size` bytes with arbitrary content."""
        ...

    def fetch(self) -> None:
        """Queue what brings the outputs to the host."""
        ...

    def release(self) -> None:
        """After the queue has finished: give temporaries back."""
        ...

    def take_result(self, number: int) -> np.ndarray:
        """The output of this number; a copy when it was taken before."""
        ...


def place(device: OpenCLDevice, queue: cl.CommandQueue) -> Placement:
    """The kind of placement that suits the device."""
    return SharedMemory(device, queue) if device.shares_memory else OwnMemory(device, queue)


class SharedMemory:
    """A processor: kernels read the caller's arrays and write results that the caller gets; a copy of 64 MiB would take 3 ms.

    Buffers on host memory cost less than a microsecond to make. Results are mapped for reading, as OpenCL demands of such buffers
    before the host looks at them; on PoCL this moves nothing and costs 8 µs.
    """

    def __init__(self, device: OpenCLDevice, queue: cl.CommandQueue) -> None:
        self._device = device
        self._queue = queue
        self._results: dict[int, tuple[np.ndarray, cl.Buffer]] = {}
        self._taken: set[int] = set()
        self._maps: list[cl.MemoryMap] = []
        self._temporaries: list[tuple[int, np.ndarray]] = []

    def input(self, array: np.ndarray) -> cl.Buffer:
        """A buffer on the array's own memory."""
        return self._device.wrap(array, written=False)

    def output(self, number: int, size: int, dtype: np.dtype) -> cl.Buffer:
        """A buffer on pooled host memory."""
        array = self._device.host_pool.take_array(size, dtype)
        buffer = self._device.wrap(array, written=True)
        self._results[number] = array, buffer
        return buffer

    def temporary(self, size: int) -> cl.Buffer:
        """A buffer on pooled host memory."""
        block = self._device.host_pool.take(size)
        self._temporaries.append((size, block))
        return self._device.wrap(block, written=True)

    def fetch(self) -> None:
        """Map the results."""
        for array, buffer in self._results.values():
            mapped, _ = cl.enqueue_map_buffer(
                self._queue, buffer, cl.map_flags.READ, 0, array.shape, array.dtype, is_blocking=False
            )
            self._maps.append(mapped.base)

    def release(self) -> None:
        """Unmap the results, give temporaries back."""
        for mapped in self._maps:
            mapped.release(self._queue)
        for size, block in self._temporaries:
            self._device.host_pool.give_back(size, block)

    def take_result(self, number: int) -> np.ndarray:
        """The array that the kernels wrote."""
        array = self._results[number][0]
        if number in self._taken:
            return array.copy()
        self._taken.add(number)
        return array


class OwnMemory:
    """A graphics card or a simulator: pooled buffers on the device, copied to and from."""

    def __init__(self, device: OpenCLDevice, queue: cl.CommandQueue) -> None:
        self._device = device
        self._queue = queue
        self._results: dict[int, tuple[np.ndarray, cl.Buffer]] = {}
        self._taken: set[int] = set()
        self._blocks: list[tuple[int, cl.Buffer]] = []

    def input(self, array: np.ndarray) -> cl.Buffer:
        """A copy on the device."""
        buffer = self.temporary(array.nbytes)
        cl.enqueue_copy(self._queue, buffer, array, is_blocking=False)
        return buffer

    def output(self, number: int, size: int, dtype: np.dtype) -> cl.Buffer:
        """A buffer on the device, and pooled host memory for its copy."""
        array = self._device.host_pool.take_array(size, dtype)
        buffer = self.temporary(array.nbytes)
        self._results[number] = array, buffer
        return buffer

    def temporary(self, size: int) -> cl.Buffer:
        """A pooled buffer on the device."""
        buffer = self._device.device_pool.take(size)
        self._blocks.append((size, buffer))
        return buffer

    def fetch(self) -> None:
        """Copy the results to the host."""
        for array, buffer in self._results.values():
            cl.enqueue_copy(self._queue, array, buffer, is_blocking=False)

    def release(self) -> None:
        """Give the device's buffers back."""
        for size, buffer in self._blocks:
            self._device.device_pool.give_back(size, buffer)

    def take_result(self, number: int) -> np.ndarray:
        """The host's copy."""
        array = self._results[number][0]
        if number in self._taken:
            return array.copy()
        self._taken.add(number)
        return array
