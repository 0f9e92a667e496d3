"""An OpenCL device as programs and runs use it: its context, queues and memory, each made at its first use."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from eqsat.runtime.buffers import HostPool, Pool
from eqsat.runtime.device import DRIVERS, Kind
from eqsat.runtime.limits import require_descriptors, require_disk, require_maps, require_memory
from eqsat.runtime.opencl import pocl
from eqsat.runtime.opencl.failures import explained
from eqsat.runtime.opencl.lazy import cl
from eqsat.runtime.opencl.matrix_registers import may_use_tiles
from eqsat.runtime.processes import interrupts_wait

COMPILER_BYTES = 256 << 20  # address space for the compiler; LLVM took 110 to 190 MB for a small kernel
IDLE_HOST_BYTES = 1 << 30  # most bytes that the pool for results may hold idle
IDLE_SHARE = 8  # a pool holds at most an eighth of the device's memory idle
SMALLEST_BUFFER = 64  # bytes of the buffer for arrays without elements, since OpenCL has no empty buffers

Made = TypeVar("Made")


class made_once(Generic[Made]):  # noqa: N801 - a decorator
    """A property of a device that is made when a thread first asks for it, and is a plain attribute from then on."""

    def __init__(self, make: Callable[[Any], Made]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, device: DeviceContext, owner: type) -> Made:
        doing = f"creating a {self._name.replace('_', ' ')}"
        with device.lock, explained(doing, device.name), interrupts_wait():
            if self._name not in device.__dict__:
                device.__dict__[self._name] = self._make(device)
        return device.__dict__[self._name]


class DeviceContext:
    """One device as programs and runs use it: its context, its queues and its memory pools."""

    def __init__(self, handle: cl.Device, name: str, model: str | None, files: Path | None = None) -> None:
        """`model` is the name that `pocl.name_processor` gave a processor which PoCL misnames; `files` is PoCL's directory."""
        self.handle = handle
        self.files = files
        self.is_whole = True
        self.lock = threading.RLock()
        self.name = name
        self.is_pocl = "PoCL" in handle.platform.version
        flags = pocl.processor_flags() if self.kind == "cpu" else frozenset[str]()
        self.has_tiles = self.is_pocl and may_use_tiles(flags)
        self.has_gathers = pocl.has_quick_gathers(flags)
        self.identity = " | ".join(
            (
                handle.platform.name,
                handle.platform.version,
                handle.name,
                handle.version,
                handle.driver_version,
                model or "",
                *(["matrix registers"] if self.has_tiles else []),
                *(["gathers"] if self.has_gathers else []),
            )
        )
        self.model = model

    @property
    def kind(self) -> Kind:
        """Whether this is a processor, a graphics processor, or a simulator."""
        if "oclgrind" in self.handle.platform.name.lower():
            return "simulator"
        return "cpu" if self.handle.type & cl.device_type.CPU else "gpu"

    @property
    def shares_memory(self) -> bool:
        """Whether kernels work directly on NumPy's memory."""
        return self.kind == "cpu"

    @made_once
    def context(self) -> cl.Context:
        """The one context of this device in this process."""
        return cl.Context([self.handle])

    @made_once
    def queue(self) -> cl.CommandQueue:
        """The in-order queue that all programs of this device share."""
        return cl.CommandQueue(self.context)

    @made_once
    def profiling_queue(self) -> cl.CommandQueue:
        """An in-order queue whose events record times."""
        return cl.CommandQueue(self.context, properties=cl.command_queue_properties.PROFILING_ENABLE)

    @cached_property
    def host_pool(self) -> HostPool:
        """Host memory for results, and on a processor also for temporaries."""
        return HostPool(min(IDLE_HOST_BYTES, self.handle.global_mem_size // IDLE_SHARE))

    @cached_property
    def device_pool(self) -> Pool[cl.Buffer]:
        """Memory on a device that has memory of its own."""
        return Pool(self._allocate, self.handle.global_mem_size // IDLE_SHARE)

    def wrap(self, array: np.ndarray, *, written: bool) -> cl.Buffer | cl.SVM[np.ndarray]:
        """A handle with which kernels use the very memory of a contiguous, non-empty `array`. The array must outlive every use of it."""
        if self.is_pocl and self._takes_addresses:
            try:
                return cl.SVM(array)  # an address takes a quarter of the time of a buffer
            except ValueError:  # pyopencl takes no addresses of read-only arrays
                pass
        return cl.Buffer(self.context, self._writable if written else self._readable, 0, array)

    @cached_property
    def _takes_addresses(self) -> bool:
        """Whether this PoCL lets kernels work on any memory of the process. Later versions report it; 3.0 allows it without a report."""
        return "PoCL 3." in self.handle.platform.version or bool(
            self.handle.svm_capabilities & cl.device_svm_capabilities.FINE_GRAIN_SYSTEM
        )

    @cached_property
    def _readable(self) -> int:
        return cl.mem_flags.READ_ONLY | cl.mem_flags.USE_HOST_PTR

    @cached_property
    def _writable(self) -> int:
        return cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR

    @cached_property
    def nothing(self) -> cl.Buffer:
        """The buffer that a kernel is given for an array without elements."""
        return self._allocate(SMALLEST_BUFFER)

    def require_use(self) -> None:
        """Check that this process may use the device.

        Raises:
            ForkError: it was forked off another process that used it.
        """
        DRIVERS.require()

    def require_compiler(self, doing: str) -> None:
        """Check that the driver's compiler, which runs inside this process, has what it needs.

        Raises:
            MemoryExhaustedError: there is too little memory, or there are too few memory maps.
            DeviceError: there are too few file descriptors, the disk is full, or a linker is missing or cannot be waited for.
        """
        doing = f"{doing} on {self.name}"
        require_descriptors(doing)
        require_memory(COMPILER_BYTES, doing)
        if self.is_pocl:
            require_maps(doing)
        if self.is_pocl and self.files is not None:
            require_disk(self.files, doing)
        if "PoCL 3." in self.handle.platform.version:
            pocl.require_linker(doing)

    def _allocate(self, size: int) -> cl.Buffer:
        return cl.Buffer(self.context, cl.mem_flags.READ_WRITE, size)
