"""One run: where its data lives (on NumPy's own memory, or on the device with copies in and out), and its launches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

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
    """What both kinds of memory have in common; a `Run` within its block."""

    def __init__(self, device: DeviceContext, launches: Sequence[Launch], doing: str, timed: bool) -> None:
        """`doing` is for errors; of a timed run `seconds` are known."""
        self._device = device
        self._queue = device.profiling_queue if timed else device.queue
        self._launches = launches
        self._explained = explained(doing, device.name)
        self._events: list[cl.Event] | None = [] if timed else None
        self._results: dict[int, tuple[np.ndarray, cl.Buffer]] = {}
        self._taken: set[int] = set()
        self._finished = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: BaseException | None, trace: object) -> None:
        with self._explained:
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
        """Queue what brings the outputs to the host, and wait for everything."""
        self._fetch()
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
    def _fetch(self) -> None:
        """Start moving the results to where the host reads them."""

    @abstractmethod
    def _release(self) -> None:
        """Give back what the run borrowed."""


class SharedMemory(OpenCLRun):
    """A processor: kernels read the caller's arrays and write results that the caller gets; a copy of 64 MiB would take 3 ms.

    Buffers on host memory cost less than a microsecond to make. Results are mapped for reading, as OpenCL demands of such buffers
    before the host looks at them; on PoCL this moves nothing and costs 8 µs.
    """

    def __init__(self, device: DeviceContext, launches: Sequence[Launch], doing: str, timed: bool) -> None:
        super().__init__(device, launches, doing, timed)
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

    def _fetch(self) -> None:
        """Map the results."""
        for array, buffer in self._results.values():
            mapped, _ = cl.enqueue_map_buffer(
                self._queue, buffer, cl.map_flags.READ, 0, array.shape, array.dtype, is_blocking=False
            )
            self._maps.append(mapped.base)

    def _release(self) -> None:
        """Unmap the results, give temporaries back."""
        for mapped in self._maps:
            mapped.release(self._queue)
        for size, block in self._temporaries:
            self._device.host_pool.give_back(size, block)


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

    def _fetch(self) -> None:
        """Copy the results to the host."""
        for array, buffer in self._results.values():
            cl.enqueue_copy(self._queue, array, buffer, is_blocking=False)

    def _release(self) -> None:
        """Give the device's buffers back."""
        for size, buffer in self._blocks:
            self._device.device_pool.give_back(size, buffer)
