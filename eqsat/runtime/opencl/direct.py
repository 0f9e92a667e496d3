"""Direct calls: runs of a program that bypass the queue.

A launch and its wait take 1.9 µs under PoCL's driver "basic" and 20 to 70 µs under "pthread"; memory for arguments and results takes 4 µs more.
Many kernels take less. Here a crew (`runtime.opencl.crew`) calls the functions that PoCL compiled for the kernels. Arrays of up to `COPIED`
bytes are copied to and from memory whose address the kernels already have. Of larger arrays, the address is passed. The extension `_call.c`, if
it was built, does the same in a third of the time, and passes the address of each array. A program with dims has all of this only once: for
other extents, the words that the crew reads are replaced.

All this relies on PoCL 3.0 on x86-64. If anything is not as expected, there are no direct calls. A program gets direct calls only after they
have computed the same bits as a run through the queue.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from collections.abc import Sequence
from itertools import accumulate
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from eqsat.runtime.buffers import ALIGNMENT, UNPOOLED, HostPool, allocate_host
from eqsat.runtime.device import DRIVERS, Direct, Signature, Sizes, Values
from eqsat.runtime.opencl import extension, pocl
from eqsat.runtime.opencl.context import DeviceContext
from eqsat.runtime.opencl.crew import Crew, address_of, crew_of, group_function
from eqsat.runtime.opencl.extension import VARIABLE
from eqsat.runtime.opencl.program import Program
from eqsat.runtime.opencl.table import Table

if TYPE_CHECKING:
    from eqsat.codegen import RenderedKernel
    from eqsat.runtime.layout import Layout

COPIED = 1 << 14  # bytes; copying an array of up to this size takes no longer than asking for its address
MOST_HELD = 1 << 20  # bytes of temporaries that a program retains; more are allocated for each call

# Half of TINY is subnormal. It is 0 if something has set the processor to flush such numbers, which PoCL's queue undoes for its kernels.
TINY, HALF = 2.2250738585072014e-308, 0.5


# An input that is copied: the position of the argument, the memory that it is copied to, its shape (None if it is known to fit) and
# its dtype. This is no NamedTuple because plain tuples are unpacked in half the time.
_Copied = tuple[int, np.ndarray, tuple[int, ...] | None, np.dtype]


class _Placed(NamedTuple):
    """A large argument, at `position`, or a large result. `number` is the number of the array, and of the word with its address."""

    position: int
    number: int
    shape: tuple[int, ...]
    dtype: np.dtype


def direct_calls(
    device: DeviceContext, kernels: Sequence[RenderedKernel], programs: Sequence[Program], layout: Layout
) -> DirectCalls | None:
    """The direct calls of a program that ran before, whose kernels are in `programs`; None if it has to go through the queue."""
    if not _is_known(device) or layout.kept or layout.empty or not kernels or TINY * HALF == 0.0:
        return None
    crew = crew_of(device)
    functions = [group_function(device, *each) for each in zip(programs, kernels, strict=True)]
    if crew is None or None in functions:
        return None
    return DirectCalls(crew, Table(kernels, functions, layout, crew), device.host_pool, kernels, layout)


def _is_known(device: DeviceContext) -> bool:
    """Whether this is a whole processor, driver and system are ones for which direct calls work, and the environment does not forbid them."""
    if os.environ.get(VARIABLE) == "off" or sys.platform != "linux" or platform.machine() != "x86_64":
        return False
    driver = pocl.driver_of(device.handle)
    is_whole = driver == pocl.CALLER or (driver == pocl.THREADS and device.is_whole)
    return is_whole and "PoCL 3.0" in device.handle.platform.version


class DirectCalls:
    """The direct calls of a program. While one thread makes one, other threads take the usual way."""

    def __init__(
        self,
        crew: Crew,
        table: Table,
        pool: HostPool,
        kernels: Sequence[RenderedKernel],
        layout: Layout,
    ) -> None:
        self.run = crew.run
        self.is_shared = crew.threads > 1
        self.pool = pool
        self.words = table.words
        self.argument = ctypes.c_void_p(table.arguments)
        self.turns = crew.turns if self.is_shared else [True]
        self.current: list[np.ndarray | None] = [None]  # the image that was last copied to `words`
        self._table = table
        self._layout = layout
        self._kernels = kernels
        self._small: dict[int, np.ndarray] = {}  # memory for arrays that are copied, by number
        self._held = [allocate_host(0)]  # memory for temporaries; the last block is the largest

    def on(self, signature: Signature, values: Values = (), sizes: Sizes | None = None) -> Direct | None:
        """Makes the direct call for arrays of this signature and these values of variables; None if it has to go through the queue."""
        if not all(map(_is_plain, signature.captured)):
            return None
        call = _DirectCall(self, signature)
        layout = self._layout if sizes is None else sizes.layout
        items = [kernel.global_size for kernel in self._kernels] if sizes is None else sizes.launches
        for number, position in layout.inputs:
            call.take_input(number, signature.positions[position])
        for (number, _, dtype), shape in zip(layout.outputs, signature.shapes, strict=True):
            call.take_output(number, shape, dtype)
        call.take_temporaries(layout.temporaries)
        image = self._table.image(call.addresses, items, values)
        return None if image is None else call.finished(image)

    def small(self, number: int, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Memory at an address that the kernels have, for an array that is copied."""
        if number not in self._small:
            is_sized = any(kernel.sizes or kernel.variables for kernel in self._kernels)
            self._small[number] = allocate_host(COPIED if is_sized else prod(shape) * dtype.itemsize)
        return np.ndarray(shape, dtype, self._small[number].data)

    def held(self, size: int) -> int:
        """The address of memory for temporaries. Memory that was given before stays valid."""
        if self._held[-1].size < size:
            self._held.append(allocate_host(min(MOST_HELD, max(size, 2 * self._held[-1].size))))
        return self._held[-1].ctypes.data


class _DirectCall:
    """Makes the direct call of a program for arrays of known shapes."""

    def __init__(self, calls: DirectCalls, signature: Signature) -> None:
        self.addresses: dict[int, int] = {}  # by number of an array, those that are the same in all calls
        self._calls = calls
        self._pool, self._words = calls.pool, calls.words
        self._captured, self._fit = signature.captured, signature.fit
        self._arrays = [(array.shape, array.dtype) for array in signature.arrays]
        self._inputs: dict[int, int] = {}  # by position of an argument, the number of its array
        self._outputs: list[int] = []  # the numbers of the arrays of results
        self._copied: list[_Copied] = []
        self._placed: list[_Placed] = []
        self._kept: list[np.ndarray] = []  # small results, in memory whose address the kernels have
        self._results: list[np.ndarray | _Placed] = []
        self._temporaries: Sequence[tuple[tuple[int, ...], int]] = ()  # those allocated for each call

    def finished(self, image: np.ndarray) -> Direct:
        """The function that runs the program: the extension's, if there is one and no call allocates temporaries; else one in Python."""
        extended = extension.call_type()
        if extended is None or self._temporaries:
            return self._in_python(image)
        calls, memories = self._calls, {position: memory for position, memory, _, _ in self._copied}
        arguments = [
            (_like(shape, dtype, memories.get(place)), self._inputs.get(place, -1), place in memories)
            for place, (shape, dtype) in enumerate(self._arrays)
        ]
        results = [
            (_like(each.shape, each.dtype), number, each.dtype.itemsize * prod(each.shape) > UNPOOLED)
            for number, each in zip(self._outputs, self._results, strict=True)
        ]
        crew, given = address_of(calls.run), calls.argument.value or 0
        memory, owners = (calls.words, image, calls.current), (calls, self._captured)
        launch = (crew, given, *memory, calls.turns, DRIVERS, calls.pool, calls.is_shared, owners)
        return extended(tuple(arguments), tuple(results), launch, False)

    def _in_python(self, image: np.ndarray) -> Direct:
        """The function that runs the program. Local names stand for attributes, and a list is the lock: so calls are a sixth faster."""
        copied, placed, kept = self._copied, self._placed, self._kept
        only = kept[0] if len(kept) == 1 else None
        count, argument, runner = len(self._arrays), self._calls.argument, self._calls.run
        current, words = self._calls.current, self._words
        plain, drivers, tiny, half = np.ndarray, DRIVERS, TINY, HALF
        taken = {each[0] for each in (*copied, *placed)}
        checked: list[tuple[int, np.ndarray | None, tuple[int, ...] | None, np.dtype]] = [
            *copied,
            *(
                (place, None, None if self._fit else shape, dtype)
                for place, (shape, dtype) in enumerate(self._arrays)
                if place not in taken
            ),
        ]
        takes_memory = len(kept) < len(self._results) or len(self._temporaries) > 0
        turns = self._calls.turns

        def call(arrays: Sequence[np.ndarray]) -> tuple[np.ndarray, ...] | None:
            if len(arrays) != count or drivers.lost or tiny * half == 0.0:
                return None
            try:
                turn = turns.pop()
            except IndexError:  # another thread has the turn
                return None
            try:
                for position, memory, shape, dtype in checked:
                    array = arrays[position]
                    if type(array) is not plain or array.dtype is not dtype:
                        return None
                    if shape is not None and array.shape != shape:
                        return None
                    if memory is not None:
                        memory[...] = array
                if current[0] is not image:
                    words[:] = image
                    current[0] = image
                if placed and not self._place(arrays):
                    return None
                if takes_memory:
                    return self._in_new_memory()
                runner(argument)
                return (only.copy(),) if only is not None else tuple([memory.copy() for memory in kept])
            finally:
                turns.append(turn)

        return call

    def take_input(self, number: int, position: int) -> None:
        """Makes the argument or captured array at `position` the array of this number."""
        if position >= len(self._arrays):
            self.addresses[number] = self._captured[position - len(self._arrays)].ctypes.data
            return
        self._inputs[position] = number
        shape, dtype = self._arrays[position]
        if prod(shape) * dtype.itemsize > COPIED:
            self._placed.append(_Placed(position, number, shape, dtype))
        else:
            memory = self._small(number, shape, dtype)
            self._copied.append((position, memory, None if self._fit else shape, dtype))

    def take_output(self, number: int, shape: tuple[int, ...], dtype: np.dtype) -> None:
        """Makes the array of this number the next result."""
        self._outputs.append(number)
        if prod(shape) * dtype.itemsize > COPIED:
            self._results.append(_Placed(-1, number, shape, dtype))
        else:
            self._kept.append(self._small(number, shape, dtype))
            self._results.append(self._kept[-1])

    def take_temporaries(self, temporaries: Sequence[tuple[tuple[int, ...], int]]) -> None:
        """Provides memory for temporaries: for each pair, a block of that many bytes, which the arrays of these numbers share."""
        sizes = [-(-size // ALIGNMENT) * ALIGNMENT for _, size in temporaries]
        if sum(sizes) > MOST_HELD:
            self._temporaries = temporaries
            return
        first = self._calls.held(sum(sizes))
        for (numbers, _), offset in zip(temporaries, accumulate(sizes, initial=0), strict=False):
            self.addresses.update(dict.fromkeys(numbers, first + offset))

    def _small(self, number: int, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """An array in memory whose address the kernels have."""
        memory = self._calls.small(number, shape, dtype)
        self.addresses[number] = memory.ctypes.data
        return memory

    def _place(self, arrays: Sequence[np.ndarray]) -> bool:
        """Passes the addresses of large arguments. Returns whether all of them fit the signature."""
        for position, number, shape, dtype in self._placed:
            array = arrays[position]
            if type(array) is not np.ndarray or array.dtype is not dtype or array.shape != shape:
                return False
            try:
                address = _address(array)
            except (TypeError, ValueError):  # it is read-only, or has gaps
                if not array.flags.c_contiguous:
                    return False
                address = array.ctypes.data
            if address % dtype.alignment:
                return False
            self._words[number] = address
        return True

    def _in_new_memory(self) -> tuple[np.ndarray, ...] | None:
        """Runs the program if some results or temporaries are large. These get memory of the call's own."""
        blocks: list[tuple[int, np.ndarray]] = []
        try:
            results = [self._new(each) if isinstance(each, _Placed) else each for each in self._results]
            for numbers, size in self._temporaries:
                blocks.append((size, self._pool.take(size)))
                for number in numbers:
                    self._words[number] = _address(blocks[-1][1])
            self._calls.run(self._calls.argument)
        except MemoryError:  # the usual way will raise an error that says what the memory was for
            return None
        finally:
            for size, block in blocks:
                self._pool.give_back(size, block)
        pairs = zip(self._results, results, strict=True)
        return tuple([array if isinstance(each, _Placed) else array.copy() for each, array in pairs])

    def _new(self, result: _Placed) -> np.ndarray:
        """Memory for a large result."""
        array = self._pool.take_array(prod(result.shape), result.dtype).reshape(result.shape)
        self._words[result.number] = _address(array)
        return array


def _address(array: Any) -> int:
    """The address of an array. This is faster than `array.ctypes.data`.

    Raises:
        TypeError, ValueError: the array is read-only, or has gaps.
    """
    return ctypes.addressof(ctypes.c_char.from_buffer(array))


def _like(shape: tuple[int, ...], dtype: np.dtype, memory: np.ndarray | None = None) -> np.ndarray:
    """An array of this shape and dtype: `memory`, or else one that takes the memory of a single element only."""
    return np.broadcast_to(np.empty((), dtype), shape) if memory is None else memory


def _is_plain(array: np.ndarray) -> bool:
    return array.flags.c_contiguous and array.flags.aligned
