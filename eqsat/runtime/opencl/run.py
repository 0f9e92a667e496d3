"""Runs of compiled kernels: the memory of their arrays (NumPy's own, or the device's with copies in and out), and their launches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from eqsat.runtime.buffers import UNPOOLED
from eqsat.runtime.device import Sizes, Values
from eqsat.runtime.opencl.context import DeviceContext
from eqsat.runtime.opencl.failures import explained
from eqsat.runtime.opencl.lazy import cl

if TYPE_CHECKING:
    from eqsat.runtime.buffers import Pool
    from eqsat.runtime.layout import Layout

Handles = list[Any]  # by number of an array, its memory as kernels are given it: a buffer, or an address
Arrays = Sequence[np.ndarray]
Results = list[np.ndarray]
Borrowed = list[tuple["Pool[Any]", int, Any]]  # (pool, size, block) of each block to be given back


class Launch(NamedTuple):
    """One kernel, its sizes in work-items, and for each of its parameters the position and the number of the array."""

    kernel: cl.Kernel
    global_size: tuple[int, ...]
    local_size: tuple[int, ...]
    parameters: Sequence[tuple[int, int]]


class Memory(ABC):
    """The arrays of runs. Subclasses differ in how they place arrays in memory, and in how results come back."""

    def __init__(self, device: DeviceContext, launches: Sequence[Launch], layout: Layout) -> None:
        self._device = device
        self._launches = launches
        self._layout = layout
        self._kept: dict[int, Any] = {}
        self._values: Values = ()  # the values that kernels were given last
        self._sized: tuple[Sizes | None, Sequence[Launch]] = (None, launches)

    def run(
        self,
        inputs: Arrays,
        doing: str,
        values: Values = (),
        sizes: Sizes | None = None,
        events: list[cl.Event] | None = None,
    ) -> Results:
        """See `Compiled.run`. The events of the launches, which record times, are appended to `events`."""
        queue = self._device.queue if events is None else self._device.profiling_queue
        borrowed: Borrowed = []
        try:
            handles: Handles = [None] * self._layout.count
            layout = self._layout if sizes is None else sizes.layout
            results = self._place(queue, inputs, layout, handles, borrowed)
            for number, size in self._layout.kept:
                if number not in self._kept:
                    self._kept[number] = self._zeros(queue, size)
                handles[number] = self._kept[number]
            if values is not self._values:
                self._set(values)
            for kernel, global_size, local_size, parameters in self._launched(sizes):
                for position, number in parameters:
                    kernel.set_arg(position, handles[number])
                event = cl.enqueue_nd_range_kernel(queue, kernel, global_size, local_size)
                if events is not None:
                    events.append(event)
            self._finish(queue, results, handles)
        except BaseException:
            with explained(doing, self._device.name):
                queue.finish()  # until then kernels may use the memory of the run
                raise
        finally:
            for pool, size, block in borrowed:
                pool.give_back(size, block)
        return results

    def _set(self, values: Values) -> None:
        """Gives kernels the values of their variables, which they retain until they are given others."""
        self._values = ()
        for launch, given in zip(self._launches, values, strict=False):  # empty if no kernel has variables
            for position, value in enumerate(given, len(launch.parameters)):
                _set_number(launch.kernel, position, value)
        self._values = values

    def _launched(self, sizes: Sizes | None) -> Sequence[Launch]:
        """The launches with the sizes of a run, without those that have no work-items."""
        if sizes is not self._sized[0]:
            self._sized = (
                sizes,
                self._launches if sizes is None else _launched(self._launches, sizes.launches),
            )
        return self._sized[1]

    @abstractmethod
    def _place(
        self, queue: cl.CommandQueue, inputs: Arrays, layout: Layout, handles: Handles, borrowed: Borrowed
    ) -> Results:
        """Fill in the handles of all arrays. Returns the arrays that will hold the outputs."""

    @abstractmethod
    def _zeros(self, queue: cl.CommandQueue, size: int) -> Any:
        """The handle of `size` bytes of memory, all zero, which live as long as the handle."""

    def _finish(self, queue: cl.CommandQueue, results: Results, handles: Handles) -> None:
        """Wait for the launches. Afterwards the results are on the host."""
        queue.finish()


class SharedMemory(Memory):
    """The memory of a processor under PoCL: kernels read the caller's arrays, and write to the very arrays that the caller gets.

    A copy of 64 MiB would take 3 ms. PoCL's processors have no other memory, so results are in their arrays when the queue is finished.
    Mapping them, as OpenCL demands, would move nothing and cost 4 to 30 µs.
    """

    def _place(
        self, queue: cl.CommandQueue, inputs: Arrays, layout: Layout, handles: Handles, borrowed: Borrowed
    ) -> Results:
        wrap, pool = self._device.wrap, self._device.host_pool
        for number, position in layout.inputs:
            handles[number] = wrap(inputs[position], written=False)
        results: Results = []
        for number, size, dtype in layout.outputs:
            array = pool.take_array(size, dtype)
            handles[number] = wrap(array, written=True) if size else self._device.nothing
            results.append(array)
        for numbers, size in layout.temporaries:
            if size <= UNPOOLED:
                block = np.empty(size, np.uint8)
            else:
                block = pool.take(size)
                borrowed.append((pool, size, block))
            handle = wrap(block, written=True)
            for number in numbers:
                handles[number] = handle
        for number in layout.empty:
            handles[number] = self._device.nothing
        return results

    def _zeros(self, queue: cl.CommandQueue, size: int) -> Any:
        return self._device.wrap(np.zeros(size, np.uint8), written=True)


class MappedMemory(SharedMemory):
    """The memory of a processor under another driver, which may hold copies: results are mapped for reading, as OpenCL demands."""

    def _finish(self, queue: cl.CommandQueue, results: Results, handles: Handles) -> None:
        maps: list[cl.MemoryMap] = []
        for (number, _, _), array in zip(self._layout.outputs, results, strict=True):
            if not array.size:
                continue
            mapped, _ = cl.enqueue_map_buffer(
                queue, handles[number], cl.map_flags.READ, 0, array.shape, array.dtype, is_blocking=False
            )
            maps.append(mapped.base)
        queue.finish()
        for each in maps:
            each.release(queue)


class OwnMemory(Memory):
    """The memory of a graphics card or a simulator: pooled buffers on the device, with copies in and out."""

    def _place(
        self, queue: cl.CommandQueue, inputs: Arrays, layout: Layout, handles: Handles, borrowed: Borrowed
    ) -> Results:
        pool = self._device.device_pool

        def buffer_of(size: int) -> cl.Buffer:
            borrowed.append((pool, size, pool.take(size)))
            return borrowed[-1][2]

        for number, position in layout.inputs:
            handles[number] = buffer_of(inputs[position].nbytes)
            cl.enqueue_copy(queue, handles[number], inputs[position], is_blocking=False)
        results = [self._device.host_pool.take_array(size, dtype) for _, size, dtype in layout.outputs]
        for (number, _, _), array in zip(layout.outputs, results, strict=True):
            handles[number] = buffer_of(array.nbytes) if array.size else self._device.nothing
        for numbers, size in layout.temporaries:
            handle = buffer_of(size)
            for number in numbers:
                handles[number] = handle
        for number in layout.empty:
            handles[number] = self._device.nothing
        return results

    def _zeros(self, queue: cl.CommandQueue, size: int) -> Any:
        buffer = self._device.device_pool.take(size)
        cl.enqueue_copy(queue, buffer, np.zeros(size, np.uint8))  # no fill, since simulators do not see fills
        return buffer

    def _finish(self, queue: cl.CommandQueue, results: Results, handles: Handles) -> None:
        for (number, _, _), array in zip(self._layout.outputs, results, strict=True):
            if array.size:
                cl.enqueue_copy(queue, array, handles[number], is_blocking=False)
        queue.finish()


def _set_number(kernel: cl.Kernel, position: int, value: Any) -> None:
    """Sets an argument to a NumPy number. `set_arg` first tries everything else that it might be, which takes 40 times as long."""
    getattr(kernel, "_set_arg_buf", kernel.set_arg)(position, value)


def _launched(launches: Sequence[Launch], sizes: Sequence[tuple[int, ...]]) -> list[Launch]:
    """The launches with the sizes of one run, without those that have no work-items."""
    pairs = zip(launches, sizes, strict=True)
    return [
        Launch(kernel, size, local_size, parameters)
        for (kernel, _, local_size, parameters), size in pairs
        if 0 not in size
    ]


def memory_of(device: DeviceContext) -> type[Memory]:
    """The class of memory for runs on a device."""
    if not device.shares_memory:
        return OwnMemory
    return SharedMemory if device.is_pocl else MappedMemory
