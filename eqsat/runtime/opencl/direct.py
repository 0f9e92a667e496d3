"""Programs called without a queue.

A launch and its wait take 1.9 µs under PoCL's driver "basic" and 20 to 70 under "pthread", memory for arguments and results 4 more, and many
kernels take less. Here a crew (`runtime.opencl.crew`) calls the functions that PoCL made of the kernels. Arrays up to `COPIED` bytes are
copied to and from memory that the kernels know already; of larger ones the address is passed.

All this is known of PoCL 3.0 on x86-64 only: wherever something is not as expected, `direct_call` gives None. What it gives has
made the same bits as a run through the queue.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from collections.abc import Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from eqsat.dtype import PtrDType
from eqsat.ops import Op
from eqsat.runtime.buffers import HostPool, allocate_host
from eqsat.runtime.device import DRIVERS, Direct, Signature
from eqsat.runtime.opencl import pocl
from eqsat.runtime.opencl.context import DeviceContext
from eqsat.runtime.opencl.crew import PORTIONS, Crew, Function, context_of, crew_of, group_function, words
from eqsat.runtime.opencl.program import Program

if TYPE_CHECKING:
    from eqsat.codegen import RenderedKernel
    from eqsat.runtime.layout import Layout

VARIABLE = "EQSAT_DIRECT"  # in the environment: "off" for the queue in all calls
COPIED = 1 << 14  # bytes of an array up to which it takes no longer to copy it than to ask for its address
MOST_HELD = 1 << 20  # bytes of temporaries that one program keeps; larger ones are taken for each call

# TINY halved is subnormal: 0 where something has set the processor to flush such numbers, which PoCL's queue undoes for its kernels.
TINY, HALF = 2.2250738585072014e-308, 0.5


# An input that is copied: the position of the argument, the memory that it is copied to, its shape and its dtype. Tuples without names are
# taken apart in half the time.
_Copied = tuple[int, np.ndarray, tuple[int, ...], np.dtype]


class _Placed(NamedTuple):
    """A large argument, at `position`, or a large result; `number` is that of its address."""

    position: int
    number: int
    shape: tuple[int, ...]
    dtype: np.dtype


def direct_call(
    device: DeviceContext,
    kernels: Sequence[RenderedKernel],
    programs: Sequence[Program],
    layout: Layout,
    signature: Signature,
) -> Direct | None:
    """What runs a program that ran before, whose kernels are in `programs`; None where that has to go through the queue."""
    if not _is_known(device) or not _is_simple(kernels, layout):
        return None
    if TINY * HALF == 0.0 or not all(map(_is_plain, signature.captured)):
        return None
    crew = crew_of(device)
    functions = [group_function(device, *each) for each in zip(programs, kernels, strict=True)]
    if crew is None or None in functions:
        return None
    call = _DirectCall(crew, _Table(kernels, functions, layout, crew), device.host_pool, signature)
    for number, position in layout.inputs:
        call.take_input(number, signature.positions[position])
    for (number, _, dtype), shape in zip(layout.outputs, signature.shapes, strict=True):
        call.take_output(number, shape, dtype)
    held = sum(size for _, size in layout.temporaries) <= MOST_HELD
    for numbers, size in layout.temporaries:
        call.take_temporary(numbers, size, is_held=held)
    return call.finished()


def _is_known(device: DeviceContext) -> bool:
    """Whether this is a whole processor under a driver and a system whose way to call functions is known, and nobody forbids it."""
    if os.environ.get(VARIABLE) == "off" or sys.platform != "linux" or platform.machine() != "x86_64":
        return False
    driver = pocl.driver_of(device.handle)
    is_whole = driver == pocl.CALLER or (driver == pocl.THREADS and device.is_whole)
    return is_whole and "PoCL 3.0" in device.handle.platform.version


def _is_simple(kernels: Sequence[RenderedKernel], layout: Layout) -> bool:
    """Whether all runs have the same sizes, and arrays are arguments, results or temporaries."""
    is_fixed = not any(kernel.variables or kernel.sizes for kernel in kernels)
    return is_fixed and not layout.kept and not layout.empty and len(kernels) > 0


class _Table:
    """The launches of a program in memory, as the crew reads them, with the addresses of all arrays by number."""

    def __init__(
        self, kernels: Sequence[RenderedKernel], functions: Sequence[Function], layout: Layout, crew: Crew
    ) -> None:
        self.addresses = words([0] * layout.count)
        self._owned: list[Any] = []
        launches: list[int] = []
        for kernel, function, numbers in zip(kernels, functions, layout.parameters, strict=True):
            places = [ctypes.addressof(self.addresses) + 8 * number for number in numbers]
            arguments = [
                self.own([*places, *map(self.own_word, self._local_memory(kernel))])
                for _ in range(crew.threads)
            ]
            sizes = zip(kernel.global_size, kernel.local_size, strict=True)
            groups = [*(size // items for size, items in sizes), 1, 1][:3]
            portion = max(1, prod(groups) // (PORTIONS * crew.threads))
            launches += [ctypes.cast(function, ctypes.c_void_p).value or 0, self.own(arguments)]
            launches += [
                self.own(context_of(kernel, groups)),
                *groups[:2],
                prod(groups) | portion << 32,
                0,
                0,
            ]
        self.arguments = self.own(
            [self.own_word(self.own(launches)), self.own_word(len(kernels)), self.own_word(crew.shared)]
        )

    def own_word(self, word: int) -> int:
        """The address of one word that lives as long as the table."""
        return self.own([word])

    def own(self, values: Sequence[int]) -> int:
        """The address of words that live as long as the table."""
        self._owned.append(words(values))
        return ctypes.addressof(self._owned[-1])

    def point(self, number: int, array: np.ndarray) -> None:
        """The array of this number is this one, which lives as long as the table."""
        self._owned.append(array)
        self.addresses[number] = array.ctypes.data

    def _local_memory(self, kernel: RenderedKernel) -> Iterator[int]:
        """Addresses of what a kernel has as local memory, each with room for any of it: PoCL's order is its own."""
        sizes: list[int] = []
        for node in kernel.linear.src:
            if node.op is Op.DEFINE_LOCAL:
                assert isinstance(node.dtype, PtrDType)
                sizes.append(node.dtype.size * node.dtype.base.itemsize)
        for _ in sizes:
            self._owned.append(allocate_host(max(sizes)))
            yield self._owned[-1].ctypes.data


class _DirectCall:
    """A program on arrays of known shapes. While one thread calls it, others take the usual way."""

    def __init__(self, crew: Crew, table: _Table, pool: HostPool, signature: Signature) -> None:
        self._crew = crew
        self._table = table
        self._argument = ctypes.c_void_p(table.arguments)
        self._pool = pool
        self._captured = signature.captured
        self._arrays = [(array.shape, array.dtype) for array in signature.arrays]
        self._copied: list[_Copied] = []
        self._placed: list[_Placed] = []
        self._kept: list[np.ndarray] = []  # results in memory that the kernels know
        self._results: list[np.ndarray | _Placed] = []
        self._temporaries: list[tuple[tuple[int, ...], int]] = []  # that are taken for each call

    def finished(self) -> Direct:
        """What runs it. Attributes are names of the function here, and a list is the lock: calls are a sixth quicker so."""
        copied, placed, kept = self._copied, self._placed, self._kept
        only = kept[0] if len(kept) == 1 else None
        count, argument, runner = len(self._arrays), self._argument, self._crew.run
        plain, drivers, tiny, half = np.ndarray, DRIVERS, TINY, HALF
        taken = {each[0] for each in (*copied, *placed)}
        unread = [(place, *like) for place, like in enumerate(self._arrays) if place not in taken]
        takes_memory = len(kept) < len(self._results) or len(self._temporaries) > 0
        turns = self._crew.turns if self._crew.threads > 1 else [True]

        def call(arrays: Sequence[np.ndarray]) -> tuple[np.ndarray, ...] | None:
            if len(arrays) != count or drivers.lost or tiny * half == 0.0:
                return None
            try:
                turn = turns.pop()
            except IndexError:  # another thread has it
                return None
            try:
                for position, memory, shape, dtype in copied:
                    array = arrays[position]
                    if type(array) is not plain or array.dtype is not dtype or array.shape != shape:
                        return None
                    memory[...] = array
                for position, shape, dtype in unread:
                    array = arrays[position]
                    if type(array) is not plain or array.dtype is not dtype or array.shape != shape:
                        return None
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
        """An argument, or a captured array, becomes the array of this number."""
        if position >= len(self._arrays):
            self._table.point(number, self._captured[position - len(self._arrays)])
            return
        shape, dtype = self._arrays[position]
        if prod(shape) * dtype.itemsize > COPIED:
            self._placed.append(_Placed(position, number, shape, dtype))
        else:
            self._copied.append((position, self._bound(number, shape, dtype), shape, dtype))

    def take_temporary(self, numbers: tuple[int, ...], size: int, *, is_held: bool) -> None:
        """Memory that the arrays of these numbers share."""
        if not is_held:
            self._temporaries.append((numbers, size))
            return
        memory = allocate_host(size)
        for number in numbers:
            self._table.point(number, memory)

    def take_output(self, number: int, shape: tuple[int, ...], dtype: np.dtype) -> None:
        """The array of this number is the next result."""
        if prod(shape) * dtype.itemsize > COPIED:
            self._results.append(_Placed(-1, number, shape, dtype))
        else:
            self._kept.append(self._bound(number, shape, dtype))
            self._results.append(self._kept[-1])

    def _bound(self, number: int, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """An array in memory that the kernels know."""
        array = np.frombuffer(allocate_host(prod(shape) * dtype.itemsize).data, dtype)
        self._table.point(number, array)
        return array.reshape(shape)

    def _place(self, arrays: Sequence[np.ndarray]) -> bool:
        """Passes the addresses of large arguments; whether all are as they have to be."""
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
            self._table.addresses[number] = address
        return True

    def _in_new_memory(self) -> tuple[np.ndarray, ...] | None:
        """Runs the program where some results or temporaries are large: these have memory of the call's own."""
        blocks: list[tuple[int, np.ndarray]] = []
        try:
            results = [self._new(each) if isinstance(each, _Placed) else each for each in self._results]
            for numbers, size in self._temporaries:
                blocks.append((size, self._pool.take(size)))
                for number in numbers:
                    self._table.addresses[number] = _address(blocks[-1][1])
            self._crew.run(self._argument)
        except MemoryError:  # the usual way says what for
            return None
        finally:
            for size, block in blocks:
                self._pool.give_back(size, block)
        pairs = zip(self._results, results, strict=True)
        return tuple([array if isinstance(each, _Placed) else array.copy() for each, array in pairs])

    def _new(self, result: _Placed) -> np.ndarray:
        """Memory for a large result."""
        array = self._pool.take_array(prod(result.shape), result.dtype).reshape(result.shape)
        self._table.addresses[result.number] = _address(array)
        return array


def _address(array: Any) -> int:
    """Where an array begins; sooner than `array.ctypes.data` says it.

    Raises:
        TypeError, ValueError: it is read-only, or has gaps.
    """
    return ctypes.addressof(ctypes.c_char.from_buffer(array))


def _is_plain(array: np.ndarray) -> bool:
    return array.flags.c_contiguous and array.flags.aligned
