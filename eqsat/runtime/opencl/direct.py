"""Programs with little work, called without a queue.

A launch and its wait take 1.9 µs under PoCL's driver "basic", memory for arguments and results as long, and many kernels take less. PoCL
makes a shared library of each kernel, with a function for one work-group. `RUNNER`, one more kernel, calls these functions for all groups of all
kernels of a program, and it is called itself by way of `ctypes`. Arrays up to `COPIED` bytes are copied to and from memory
that the kernels know already; of larger ones the address is passed.

All this is known of PoCL 3.0 on x86-64 only: wherever something is not as expected, `direct_call` gives None. What it gives has
made the same bits as a run through the queue.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator, Sequence
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from eqsat.dtype import PtrDType, void
from eqsat.errors import EqsatError
from eqsat.ops import Op
from eqsat.runtime.buffers import HostPool, allocate_host
from eqsat.runtime.device import DRIVERS, Direct, Signature
from eqsat.runtime.opencl import pocl
from eqsat.runtime.opencl.context import DeviceContext
from eqsat.runtime.opencl.lazy import cl
from eqsat.runtime.opencl.program import Program
from eqsat.uop import UOp

if TYPE_CHECKING:
    from eqsat.codegen import RenderedKernel
    from eqsat.runtime.layout import Layout

COPIED = 1 << 14  # bytes of an array up to which it takes no longer to copy it than to ask for its address
MOST_HELD = 1 << 20  # bytes that one program keeps for its temporaries
BUILD = re.compile(
    rb"[A-Z]{2}/[A-Z]{30,}"
)  # in the head of a binary of PoCL: its directory among PoCL's files
HEAD = 128  # bytes
CONTEXT_WORDS = 32  # of the structure that a function is given; PoCL 3.0 has 12
LOCAL_SIZE, DIMENSIONS = 6, 11  # words in it; the groups are the first three

# TINY halved is subnormal: 0 where something has set the processor to flush such numbers, which PoCL's queue undoes for its kernels.
TINY, HALF = 2.2250738585072014e-308, 0.5

RUNNER_NAME = "run_groups"
RUNNER = r"""
// A function of the System V ABI: the stack is aligned, and what lies below it is kept.
inline void call(ulong function, ulong arguments, ulong context, ulong x, ulong y, ulong z) {
    __asm__ volatile(
        "movq %5, %%r8; movq %%rsp, %%rbx; subq $128, %%rsp; andq $-64, %%rsp; callq *%%rax; movq %%rbx, %%rsp"
        : "+a"(function), "+D"(arguments), "+S"(context), "+d"(x), "+c"(y) : "r"(z)
        : "rbx", "r8", "r9", "r10", "r11", "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
          "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}

struct launch { ulong function, arguments, context, x, y, z; };

__kernel void run_groups(__global const struct launch *launches, const ulong count) {
    for (ulong number = 0; number < count; number++) {
        __global const struct launch *each = launches + number;
        for (ulong z = 0; z < each->z; z++)
            for (ulong y = 0; y < each->y; y++)
                for (ulong x = 0; x < each->x; x++)
                    call(each->function, each->arguments, each->context, x, y, z);
    }
}
"""

Function = Any  # of ctypes
Words = Any  # an array of 64-bit words, of ctypes


_RUNNERS: dict[DeviceContext, Function | None] = {}


class _Copied(NamedTuple):
    """An input that is copied to `memory`, from the argument at `position`."""

    position: int
    memory: np.ndarray
    shape: tuple[int, ...]
    dtype: np.dtype


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
    if (
        not _is_known(device)
        or not _is_simple(kernels, layout)
        or not all(map(_is_plain, signature.captured))
    ):
        return None
    runner = _runner(device)
    functions = [_function(device, *each) for each in zip(programs, kernels, strict=True)]
    if runner is None or None in functions:
        return None
    table = _Table(kernels, functions, layout)
    call = _DirectCall(runner, table, device.host_pool, signature.arrays)
    for number, position in layout.inputs:
        slot = signature.positions[position]
        if slot < len(signature.arrays):
            call.take_input(number, slot)
        else:
            table.point(number, signature.captured[slot - len(signature.arrays)])
    for (number, _, dtype), shape in zip(layout.outputs, signature.shapes, strict=True):
        call.take_output(number, shape, dtype)
    for numbers, size in layout.temporaries:
        memory = allocate_host(size)
        for number in numbers:
            table.point(number, memory)
    return call.finished()


def _is_known(device: DeviceContext) -> bool:
    """Whether this is the driver whose way to call functions is known."""
    return pocl.driver_of(device.handle) == pocl.CALLER and "PoCL 3.0" in device.handle.platform.version


def _is_simple(kernels: Sequence[RenderedKernel], layout: Layout) -> bool:
    """Whether all runs have the same sizes, and arrays are arguments, results or temporaries of moderate size."""
    held = sum(size for _, size in layout.temporaries)
    is_fixed = not any(kernel.variables or kernel.sizes for kernel in kernels)
    return is_fixed and not layout.kept and not layout.empty and held <= MOST_HELD and len(kernels) > 0


class _Table:
    """The launches of a program in memory, as `RUNNER` reads them, with the addresses of all arrays by number."""

    def __init__(
        self, kernels: Sequence[RenderedKernel], functions: Sequence[Function], layout: Layout
    ) -> None:
        self.addresses = _words([0] * layout.count)
        self._owned: list[Any] = []
        launches: list[int] = []
        for kernel, function, numbers in zip(kernels, functions, layout.parameters, strict=True):
            places = [ctypes.addressof(self.addresses) + 8 * number for number in numbers]
            places += [self.own([address]) for address in self._local_memory(kernel)]
            groups = [
                size // items for size, items in zip(kernel.global_size, kernel.local_size, strict=True)
            ]
            groups += [1] * (3 - len(groups))
            launches += [
                _address_of(function),
                self.own(places),
                self.own(_context(kernel, groups)),
                *groups,
            ]
        self.arguments = self.own(
            [
                self.own([self.own(launches)]),
                self.own([len(kernels)]),
            ]
        )

    def own(self, words: Sequence[int]) -> int:
        """The address of words that live as long as the table."""
        self._owned.append(_words(words))
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
    """A program on arrays of known shapes. Calls from several threads at once take the usual way, but for one."""

    def __init__(self, runner: Function, table: _Table, pool: HostPool, arrays: Sequence[np.ndarray]) -> None:
        self._runner = runner
        self._table = table
        self._argument = ctypes.c_void_p(table.arguments)
        self._pool = pool
        self._arrays = [(array.shape, array.dtype) for array in arrays]
        self._count = len(arrays)
        self._copied: list[_Copied] = []
        self._placed: list[_Placed] = []
        self._kept: list[np.ndarray] = []  # results in memory that the kernels know
        self._results: list[np.ndarray | _Placed] = []

    def finished(self) -> Direct:
        """What runs it. Attributes are names of the function here, and a list is the lock: calls are a sixth quicker so."""
        count, copied, placed, kept, results = (
            self._count,
            self._copied,
            self._placed,
            self._kept,
            self._results,
        )
        runner, argument, plain, drivers, tiny, half = (
            self._runner,
            self._argument,
            np.ndarray,
            DRIVERS,
            TINY,
            HALF,
        )
        taken = {each.position for each in (*copied, *placed)}
        unread = [(place, *like) for place, like in enumerate(self._arrays) if place not in taken]
        turns = [True]

        def call(arrays: Sequence[np.ndarray]) -> tuple[np.ndarray, ...] | None:
            if len(arrays) != count or drivers.lost or tiny * half == 0.0 or not turns:
                return None
            try:
                turn = turns.pop()
            except IndexError:  # another thread was quicker
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
                if len(kept) < len(results):
                    return self._into_new_memory()
                runner(argument)
                return tuple([memory.copy() for memory in kept])
            finally:
                turns.append(turn)

        return call

    def take_input(self, number: int, position: int) -> None:
        """An argument becomes the array of this number."""
        shape, dtype = self._arrays[position]
        if prod(shape) * dtype.itemsize > COPIED:
            self._placed.append(_Placed(position, number, shape, dtype))
        else:
            self._copied.append(_Copied(position, self._bound(number, shape, dtype), shape, dtype))

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
            try:  # neither read-only arrays nor those with gaps have this address
                address = _address(array)
            except (TypeError, ValueError):
                return False
            if address % dtype.alignment:
                return False
            self._table.addresses[number] = address
        return True

    def _into_new_memory(self) -> tuple[np.ndarray, ...]:
        """Runs the program where some results are large: they are made where they stay."""
        made: list[np.ndarray] = []
        for each in self._results:
            if isinstance(each, _Placed):
                array = self._pool.take_array(prod(each.shape), each.dtype).reshape(each.shape)
                self._table.addresses[each.number] = _address(array)
                made.append(array)
            else:
                made.append(each)
        self._runner(self._argument)
        pairs = zip(self._results, made, strict=True)
        return tuple([array if isinstance(each, _Placed) else array.copy() for each, array in pairs])


def _address(array: Any) -> int:
    """Where an array begins; sooner than `array.ctypes.data` says it.

    Raises:
        TypeError, ValueError: it is read-only, or has gaps.
    """
    return ctypes.addressof(ctypes.c_char.from_buffer(array))


def _runner(device: DeviceContext) -> Function | None:
    """The function of `RUNNER`, made once for each device; None where it cannot be had."""
    with device.lock:
        if device not in _RUNNERS:
            _RUNNERS[device] = _made_runner(device)
        return _RUNNERS[device]


def _made_runner(device: DeviceContext) -> Function | None:
    from eqsat.codegen import RenderedKernel

    kernel = RenderedKernel(RUNNER_NAME, RUNNER, (1,), (1,), (), (), UOp(Op.LINEAR, void))
    try:
        program = Program(device, [kernel])
        compiled = program.kernel(RUNNER_NAME)
        compiled.set_arg(0, device.nothing)
        compiled.set_arg(1, np.uint64(0))
        cl.enqueue_nd_range_kernel(device.queue, compiled, (1,), (1,))
        device.queue.finish()
        program.save()
        return _function(device, program, kernel)
    except (EqsatError, cl.Error):
        return None


def _function(device: DeviceContext, program: Program, kernel: RenderedKernel) -> Function | None:
    """What PoCL made of a kernel for one work-group; None where it is not found.

    It is called with Python's lock, which other threads get sooner than they would ask for it.
    """
    build = BUILD.search(program.binary, 0, HEAD)
    if build is None or device.files is None:
        return None
    items = "-".join(map(str, (*kernel.local_size, 1, 1)[:3]))
    path = Path(
        device.files, build[0].decode(), kernel.name, f"{items}-goffs0-smallgrid", f"{kernel.name}.so"
    )
    if not path.is_file():
        return None
    function = getattr(ctypes.PyDLL(str(path)), f"_pocl_kernel_{kernel.name}_workgroup", None)
    if function is not None:
        function.restype = None
    return function


def _context(kernel: RenderedKernel, groups: Sequence[int]) -> list[int]:
    """PoCL's description of a launch: groups, offsets and items of a group, in each of three dimensions, and nowhere to print."""
    words = [0] * CONTEXT_WORDS
    words[:3] = groups
    words[LOCAL_SIZE : LOCAL_SIZE + 3] = (*kernel.local_size, 1, 1)[:3]
    words[DIMENSIONS] = len(kernel.global_size) << 32  # after the capacity for what is printed
    return words


def _is_plain(array: np.ndarray) -> bool:
    return array.flags.c_contiguous and array.flags.aligned


def _words(values: Sequence[int]) -> Words:
    return (ctypes.c_uint64 * len(values))(*values)


def _address_of(function: Function) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0
