"""Runs work-groups on all cores without PoCL's queue: a crew of threads calls the functions that PoCL compiled, found in its files.

PoCL makes a shared library of each kernel, with a function that computes one work-group. `run_groups`, one more kernel, calls these functions
for all groups of all kernels of a program. The other threads run the kernel `help_groups`: they take groups of the current kernel, spin for
a while to wait for the next kernel, and then sleep. PoCL's own threads sleep at once, and all of them are waited for, which takes 20 to
70 µs. Here the caller begins alone, and waits only for threads that have begun.

The groups of a kernel are divided into as many ranges as there are cores. A core begins with its own range, whose elements are in its caches
from the previous call or kernel, and then helps with the other ranges. A counter for each range hands out its groups. Threads that use the
counters are counted in `inside`. A call ends when this count is 0, so that the memory of its program may be freed. Waking a helper takes as
long as a short kernel. So helpers are woken for short kernels only where calls follow each other closely, and more can be expected. OpenCL C
has no function pointers, no pause, no clock and no futex, hence the assembly.
"""

from __future__ import annotations

import _thread
import ctypes
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from eqsat.dtype import void
from eqsat.errors import EqsatError
from eqsat.ops import Op
from eqsat.runtime.opencl import pocl
from eqsat.runtime.opencl.context import DeviceContext
from eqsat.runtime.opencl.lazy import cl
from eqsat.runtime.opencl.libraries import read_pages
from eqsat.runtime.opencl.program import Program
from eqsat.uop import UOp

if TYPE_CHECKING:
    from eqsat.codegen import RenderedKernel

# The directory of a PoCL binary among PoCL's files, as the head of the binary names it.
BUILD = re.compile(rb"[A-Z]{2}/[A-Z]{30,}")
CONTEXT_WORDS = 32  # words of the structure that describes a launch to a function; PoCL 3.0 uses 12
LOCAL_SIZE, DIMENSIONS = 6, 11  # positions of words in it; the first three are the numbers of groups
MOST_CORES = 16  # one caller wakes so many in a few microseconds; `struct launch` has as many counters
GIVEN_WORDS = 6  # words of a `struct launch` that the caller fills in
WRITTEN_WORDS = 2 + MOST_CORES // 2  # further words of it, which the crew writes
SHARED_WORDS, HELPER_WORDS = 24, 8  # words of a `struct shared`, and of each `struct helper` after it
PORTIONS = 8  # portions of the groups of a kernel, for each thread

RUN, HELP = "run_groups", "help_groups"
SOURCE = r"""
// A function of the System V ABI: the stack is aligned, and what lies below it is kept.
inline void call(ulong function, ulong arguments, ulong context, ulong x, ulong y, ulong z) {
    __asm__ volatile(
        "movq %5, %%r8; movq %%rsp, %%rbx; subq $128, %%rsp; andq $-64, %%rsp; callq *%%rax; movq %%rbx, %%rsp"
        : "+a"(function), "+D"(arguments), "+S"(context), "+d"(x), "+c"(y) : "r"(z)
        : "rbx", "r8", "r9", "r10", "r11", "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
          "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}

inline void pause(void) { __asm__ volatile("pause" : : : "memory"); }

// Linux: wait (128) while the word has this value, or wake (129) as many threads that do.
inline void futex(__global volatile uint *word, ulong operation, ulong value) {
    ulong number = 202;
    __asm__ volatile("xorl %%r10d, %%r10d; syscall" : "+a"(number) : "D"(word), "S"(operation), "d"(value)
        : "rcx", "r10", "r11", "memory", "cc");
}

inline void yield(void) {
    ulong number = 24;
    __asm__ volatile("syscall" : "+a"(number) : : "rcx", "r11", "memory", "cc");
}

inline ulong cycles(void) {
    ulong low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return high << 32 | low;
}

inline ulong core(void) {
    uint found;
    ulong number = 309, node = 0, unused = 0;
    __asm__ volatile("syscall" : "+a"(number) : "D"(&found), "S"(node), "d"(unused) : "rcx", "r11", "memory", "cc");
    return found;
}

struct launch {
    ulong function, arguments, context, x, y;
    uint groups, portion;
    volatile uint done, ranges;
    ulong taken; // cycles, the last time
    volatile uint next[MOST_CORES]; // of each range
};
struct helper { ulong core; volatile uint sleeping, word; ulong apart[6]; };
struct shared {
    volatile ulong current, core;
    ulong helpers, ended, apart1[4];
    volatile uint phase, apart2[15];
    volatile uint inside, apart3[15];
};

inline uint first_of(__global struct launch *each, uint range) { return (ulong)each->groups * range / each->ranges; }

// Of a thread on the core of this number.
inline void work(__global struct launch *each, ulong thread, uint number) {
    const uint portion = each->portion, x = (uint)each->x, y = (uint)each->y, ranges = each->ranges;
    const ulong arguments = ((__global const ulong *)each->arguments)[thread];
    for (uint turn = 0; turn < ranges; turn++) {
        const uint range = (number + turn) % ranges, last = first_of(each, range + 1);
        while (each->next[range] < last) {
            const uint first = atomic_add(&each->next[range], portion);
            if (first >= last) break;
            const uint end = min(first + portion, last);
            for (uint group = first; group < end; group++)
                call(each->function, arguments, each->context, group % x, group / x % y, group / x / y);
            atomic_add(&each->done, end - first);
        }
    }
}

inline uint number_of_core(__global struct shared *shared) {
    __global struct helper *helpers = (__global struct helper *)(shared + 1);
    for (uint number = 0; number < shared->helpers; number++)
        if (helpers[number].core == shared->core) return number;
    return 0;
}

// All helpers but that of the caller's core, which would take its time.
inline void begin(__global struct shared *shared, __global struct launch *each) {
    __global struct helper *helpers = (__global struct helper *)(shared + 1);
    const bool is_short = each->taken - 1 < SHORT, may_wake = !is_short || cycles() - shared->ended < SOON;
    shared->current = (ulong)each;
    atomic_inc(&shared->phase);
    uint left = each->groups - 1;
    for (ulong number = 0; number < shared->helpers && left; number++) {
        __global struct helper *helper = helpers + number;
        if (helper->core == shared->core) continue;
        left--;
        if (!helper->sleeping || !may_wake) continue;
        atomic_inc(&helper->word);
        futex(&helper->word, 129, 1);
    }
}

__kernel void run_groups(__global struct launch *launches, const ulong count, __global struct shared *shared) {
    const bool alone = shared->helpers == 0;
    if (!alone) shared->core = core();
    const uint own = alone ? 0 : number_of_core(shared);
    for (ulong number = 0; number < count; number++) {
        __global struct launch *each = launches + number;
        each->done = 0;
        each->ranges = alone ? 1 : min((uint)shared->helpers, each->groups);
        for (uint range = 0; range < each->ranges; range++) each->next[range] = first_of(each, range);
        const ulong began = alone ? 0 : cycles();
        if (!alone && each->groups > 1) begin(shared, each);
        work(each, 0, own);
        for (uint turn = 1; each->done < each->groups; turn++) {
            pause();
            if (turn % 4096 == 0) yield();
        }
        if (!alone) each->taken = cycles() - began;
    }
    if (alone) return;
    shared->ended = cycles();
    shared->current = 0;
    for (uint turn = 1; atomic_add(&shared->inside, 0); turn++) {  // a fence, too: helpers that come now find nothing
        pause();
        if (turn % 4096 == 0) yield();
    }
}

inline void wait(__global struct shared *shared, __global struct helper *self, uint seen) {
    for (uint turn = 0; turn < SPINS && shared->core != self->core; turn++) {
        if (shared->phase != seen) return;
        pause();
    }
    const uint word = self->word;
    atomic_xchg(&self->sleeping, 1);
    if (shared->phase == seen || shared->core == self->core) futex(&self->word, 128, word);
    atomic_xchg(&self->sleeping, 0);
}

__kernel void help_groups(__global struct shared *shared, const ulong number) {
    if (number == 0) return;
    __global struct helper *self = (__global struct helper *)(shared + 1) + (number - 1);
    for (uint seen = shared->phase;;) {
        wait(shared, self, seen);
        seen = shared->phase;
        if (shared->core == self->core) continue;
        atomic_inc(&shared->inside);
        const ulong current = shared->current;
        if (current) work((__global struct launch *)current, number, (uint)number - 1);
        atomic_dec(&shared->inside);
    }
}
"""
SPINS = 8192  # pauses before a helper sleeps: 0.1 to 0.4 ms
SHORT = 100_000  # cycles, about 30 µs: for kernels that take less, nobody is woken,
SOON = 300_000  # unless the call before ended fewer cycles ago than this

Function = Any  # a function of ctypes
Words = Any  # an array of 64-bit words, of ctypes


@dataclass(frozen=True, eq=False)
class Crew:
    """Threads that run work-groups of kernels.

    Attributes:
        run: the function of `run_groups`.
        threads: number of threads: the caller, and a helper on each core.
        shared: the address of the `struct shared` of all threads.
        turns: a lock; the list is empty while a call uses the crew.
    """

    run: Function
    threads: int
    shared: int
    turns: list[bool] = field(default_factory=lambda: [True])


_CREWS: dict[DeviceContext, Crew | None] = {}


def crew_of(device: DeviceContext) -> Crew | None:
    """The crew of a device, started at its first use; None if there cannot be one."""
    with device.lock:
        if device not in _CREWS:
            _CREWS[device] = _begin(device)
        return _CREWS[device]


def _begin(device: DeviceContext) -> Crew | None:
    from eqsat.codegen import RenderedKernel

    source = SOURCE
    for name, value in {"SPINS": SPINS, "SHORT": SHORT, "SOON": SOON, "MOST_CORES": MOST_CORES}.items():
        source = source.replace(name, str(value))
    kernels = [RenderedKernel(name, source, (1,), (1,), (), (), UOp(Op.LINEAR, void)) for name in (RUN, HELP)]
    try:
        program = Program(device, kernels)
        _try(device, program)
        program.save()
    except (EqsatError, cl.Error):
        return None
    is_alone = pocl.driver_of(device.handle) == pocl.CALLER
    cores = [] if is_alone else sorted(os.sched_getaffinity(0))
    run = group_function(device, program, kernels[0], ctypes.PyDLL if is_alone else ctypes.CDLL)
    functions = [group_function(device, program, kernels[1], ctypes.CDLL) for _ in cores]
    is_chosen = cores and len(cores) != device.handle.max_compute_units  # e.g. by POCL_MAX_PTHREAD_COUNT
    if run is None or None in functions or is_chosen or len(cores) > MOST_CORES:
        return None
    helpers = [word for core in cores for word in (core, *[0] * (HELPER_WORDS - 1))]
    shared = _for_ever([0, 0, len(cores), *[0] * (SHARED_WORDS - 3), *helpers])
    context = _for_ever(context_of(kernels[1], (1, 1, 1)))
    for number, (core, function) in enumerate(zip(cores, functions, strict=True), start=1):
        arguments = _for_ever([_for_ever([shared]), _for_ever([number])])
        with suppress(RuntimeError):  # if no thread can be started, the caller does all the work
            _thread.start_new_thread(_help, (core, function, arguments, context))
    return Crew(run, 1 + len(cores), shared)


def _help(core: int, function: Function, arguments: int, context: int) -> None:
    """The main function of a helper, which runs until the process ends."""
    with suppress(OSError):  # the system may forbid it
        os.sched_setaffinity(0, {core})  # binds this thread only
    function(*map(ctypes.c_size_t, (arguments, context, 0, 0, 0)))


def _try(device: DeviceContext, program: Program) -> None:
    """Launches both kernels with nothing to do, so that PoCL makes their libraries."""
    nothing = np.zeros(SHARED_WORDS, np.uint64)
    memory = device.wrap(nothing, written=True)
    for name, arguments in ((RUN, (memory, np.uint64(0), memory)), (HELP, (memory, np.uint64(0)))):
        kernel = program.kernel(name)
        for position, value in enumerate(arguments):
            kernel.set_arg(position, value)
        cl.enqueue_nd_range_kernel(device.queue, kernel, (1,), (1,))
        device.queue.finish()


def group_function(
    device: DeviceContext, program: Program, kernel: RenderedKernel, library: Any = ctypes.PyDLL
) -> Function | None:
    """The function that PoCL compiled for one work-group of a kernel; None if it is not found.

    `library` decides how it is called. A PyDLL holds Python's lock during the call, which costs other threads less time than asking for
    the lock again would.
    """
    build = BUILD.search(program.head)
    if build is None or device.files is None:
        return None
    items = "-".join(map(str, (*kernel.local_size, 1, 1)[:3]))
    path = Path(
        device.files, build[0].decode(), kernel.name, f"{items}-goffs0-smallgrid", f"{kernel.name}.so"
    )
    try:
        function = getattr(library(str(path)), f"_pocl_kernel_{kernel.name}_workgroup", None)
    except OSError:  # there is no such file, or no memory to load it
        return None
    if function is not None:
        function.restype = None
        read_pages(address_of(function))
    return function


def address_of(function: Function) -> int:
    """The address of a function."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def context_of(kernel: RenderedKernel, groups: Sequence[int]) -> list[int]:
    """PoCL's description of a launch: groups, offsets and items of a group, in each of three dimensions, and no buffer for printf."""
    context = [0] * CONTEXT_WORDS
    context[:3] = groups
    context[LOCAL_SIZE : LOCAL_SIZE + 3] = (*kernel.local_size, 1, 1)[:3]
    context[DIMENSIONS] = len(kernel.global_size) << 32  # the lower half is the capacity of the printf buffer
    return context


def words(values: Sequence[int]) -> Words:
    """A ctypes array of 64-bit words with these values."""
    return (ctypes.c_uint64 * len(values))(*values)


def _for_ever(values: Sequence[int]) -> int:
    """The address of words that are never freed: helpers read them until the process ends, which is after Python has ended."""
    memory = words(values)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(memory))
    return ctypes.addressof(memory)
