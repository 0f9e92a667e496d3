"""One run: where its data lives (on NumPy's own memory, or on the device with copies in and out), and its launches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from eqsat.runtime.buffers import UNPOOLED
from eqsat.runtime.opencl.context import DeviceContext
from eqsat.runtime.opencl.failures import explained
from eqsat.runtime.opencl.lazy import cl


@dataclass(frozen=True, slots=True)
class Launch:
    """One kernel with its sizes in work-items."""

    kernel: cl.Kernel
    global_size: tuple[int, ...]
    local_size: tuple[int, ...]


class OpenCLRun(ABC):
    """What all kinds of memory have in common; a `Run` within its block."""

    def __init__(self, device: DeviceContext, launches: Sequence[Launch], doing: str, timed: bool) -> None:
        """`doing` is for errors; of a timed run `seconds` are known."""
        self._device = device
        self._queue = device.profiling_queue if timed else device.queue
        self._launches = launches
        self._doing = doing
        self._events: list[cl.Event] | None = [] if timed else None
        self._results: dict[int, tuple[np.ndarray, cl.Buffer]] = {}
        self._taken: set[int] = set()
        self._finished = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: BaseException | None, trace: object) -> None:
        if error is None and self._finished:
            self._release()
            return
        with explained(self._doing, self._device.name):
            try:
                if not self._finished:
                    self._queue.finish()
            finally:
                self._release()
            if error is not None:
                raise error

    @abstractmethod
    def input(self, array: np.ndarray) -> cl.Buffer:
        """A buffer that holds the array."""

    @abstractmethod
    def output(self, number: int, size: int, dtype: np.dtype) -> cl.Buffer:
        """A buffer for an output."""

    @abstractmethod
    def temporary(self, size: int) -> cl.Buffer:
        """A buffer of `size` bytes."""

    def nothing(self) -> cl.Buffer:
        """What a kernel is given for an array without elements."""
        return self._device.nothing

    def launch(self, number: int, buffers: Sequence[cl.Buffer]) -> None:
        """Queue a kernel."""
        launch = self._launches[number]
        launch.kernel.set_args(*buffers)
        event = cl.enqueue_nd_range_kernel(self._queue, launch.kernel, launch.global_size, launch.local_size)
        if self._events is not None:
            self._events.append(event)

    def finish(self) -> None:
        """Wait for the launches, after which outputs are on the host."""
        self._queue.finish()
        self._finished = True

    def take_result(self, number: int) -> np.ndarray:
        """The output of this number; a copy when it was taken before."""
        array = self._results[number][0]
        if number in self._taken:
            return array.copy()
        self._taken.add(number)
        return array

    def seconds(self) -> list[float]:
        """What each launch took."""
        return [(event.profile.end - event.profile.start) * 1e-9 for event in self._events or ()]

    @abstractmethod
    def _release(self) -> None:
        """Give back what the run borrowed."""


class SharedMemory(OpenCLRun):
    """A processor under PoCL: kernels read the caller's arrays and write results that the caller gets; a copy of 64 MiB would take 3 ms.

    Buffers on host memory cost half a microsecond to make. PoCL's processors have no other memory, so that results are in their arrays
    when the queue is finished; to map them, as OpenCL demands, would move nothing and cost 4 to 30 µs.
    """

    def __init__(self, device: DeviceContext, launches: Sequence[Launch], doing: str, timed: bool) -> None:
        super().__init__(device, launches, doing, timed)
        self._temporaries: list[tuple[int, np.ndarray]] = []

    def input(self, array: np.ndarray) -> cl.Buffer:
        """A buffer on the array's own memory."""
        return self._device.wrap(array, written=False)

    def output(self, number: int, size: int, dtype: np.dtype) -> cl.Buffer:
        """A buffer on an array of its own."""
        array = self._device.host_pool.take_array(size, dtype)
        buffer = self._device.wrap(array, written=True)
        self._results[number] = array, buffer
        return buffer

    def temporary(self, size: int) -> cl.Buffer:
        """A buffer on host memory."""
        if size <= UNPOOLED:
            return self._device.wrap(np.empty(size, np.uint8), written=True)
        block = self._device.host_pool.take(size)
        self._temporaries.append((size, block))
        return self._device.wrap(block, written=True)

    def _release(self) -> None:
        """Give temporaries back."""
        for size, block in self._temporaries:
            self._device.host_pool.give_back(size, block)


class MappedMemory(SharedMemory):
    """A processor under another driver, which may keep copies: results are mapped for reading, as OpenCL demands."""

    def finish(self) -> None:
        """Map the results when the launches are done, and wait."""
        maps: list[cl.MemoryMap] = []
        for array, buffer in self._results.values():
            mapped, _ = cl.enqueue_map_buffer(
                self._queue, buffer, cl.map_flags.READ, 0, array.shape, array.dtype, is_blocking=False
            )
            maps.append(mapped.base)
        super().finish()
        for each in maps:
            each.release(self._queue)


class OwnMemory(OpenCLRun):
    """A graphics card or a simulator: pooled buffers on the device, copied to and from."""

    def __init__(self, device: DeviceContext, launches: Sequence[Launch], doing: str, timed: bool) -> None:
        super().__init__(device, launches, doing, timed)
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

    def finish(self) -> None:
        """Copy the results to the host when the launches are done, and wait."""
        for array, buffer in self._results.values():
            cl.enqueue_copy(self._queue, array, buffer, is_blocking=False)
        super().finish()

    def _release(self) -> None:
        """Give the device's buffers back."""
        for size, buffer in self._blocks:
            self._device.device_pool.give_back(size, buffer)


def memory_of(device: DeviceContext) -> type[OpenCLRun]:
    """How runs on a device hold their data."""
    if not device.shares_memory:
        return OwnMemory
    return SharedMemory if device.is_pocl else MappedMemory
