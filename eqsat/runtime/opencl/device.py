"""OpenCL devices through pyopencl: found, described, and compiled for."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from eqsat.errors import DeviceError, brief
from eqsat.machine import Machine
from eqsat.runtime.cache import cache_directory
from eqsat.runtime.device import Kind
from eqsat.runtime.limits import require_descriptors, require_memory
from eqsat.runtime.opencl import pocl
from eqsat.runtime.opencl.compiled import CompiledKernels
from eqsat.runtime.opencl.context import DeviceContext
from eqsat.runtime.opencl.describe import describe, sub_group_of
from eqsat.runtime.opencl.lazy import cl
from eqsat.runtime.processes import interrupts_wait

if TYPE_CHECKING:
    from eqsat.codegen import Dialect, RenderedKernel
    from eqsat.runtime.layout import Layout

INSTALL = (
    'install one: `pip install "pyopencl[pocl]"` runs kernels on the processor (Linux x86-64), `pip install intel-opencl-rt` '
    "does so with Intel's runtime, and the driver of a graphics processor brings its own"
)
ORDER: tuple[Kind, ...] = ("gpu", "cpu", "simulator")
FIRST_CAPABILITY = 8  # major compute capability from which NVIDIA's matrix instructions are generated
DRIVER_BYTES = 512 << 20  # address space required to load drivers; loading PoCL took 380 MB
PLATFORM_NOT_FOUND = -1001  # what the loader returns where no driver is installed
DEVICE_NOT_FOUND = -1


class OpenCLDevice(DeviceContext):
    """One OpenCL device. Implements `Device`.

    Attributes:
        companion: the same processor under PoCL's driver that runs kernels in the calling thread, if there is one.
    """

    companion: OpenCLDevice | None = None

    def __repr__(self) -> str:
        return f"OpenCLDevice({self.name!r})"

    @property
    def described(self) -> Machine:
        """The machine as the driver and the system report it, with documented constants for the rest. Nothing is measured."""
        return self._description

    @cached_property
    def _description(self) -> Machine:
        return describe(
            self.handle, self.kind, self.model, has_tiles=self.has_tiles, has_gathers=self.has_gathers
        )

    @property
    def dialect(self) -> Dialect:
        """OpenCL C as compilers for processors or for graphics cards read it, with the extensions of this device."""
        from eqsat.codegen import OPENCL_CPU, OPENCL_GPU, OPENCL_NVIDIA, with_sub_groups, with_tiles

        processor = replace(OPENCL_CPU, gathers=self.has_gathers)
        usual = processor if self.kind != "gpu" else OPENCL_GPU
        if self.has_tiles:
            usual = with_tiles(usual)
        plain = OPENCL_NVIDIA if has_matrix_instructions(self.handle) else usual
        items, attribute = sub_group_of(self.handle)
        return with_sub_groups(plain, items, attribute) if items > 1 else plain

    def suited(self, seconds: Sequence[float]) -> OpenCLDevice:
        """See `Device.suited`. The calling thread (the companion) if the other cores would gain less time than waking them for each kernel takes."""
        others = self.described.cores - 1
        gained = sum(max(0.0, each * others - pocl.FOLLOWING_SECONDS) for each in seconds)
        lost = pocl.waking_seconds(self.described.cores) + max(0, len(seconds) - 1) * pocl.FOLLOWING_SECONDS
        return self.companion if self.companion and gained < lost else self

    def parts(self, count: int) -> tuple[OpenCLDevice, ...]:
        """The device divided into `count` devices with equally many compute units.

        Raises:
            DeviceError: its compute units cannot be divided so.
        """
        units: int = self.handle.max_compute_units
        if count < 1 or units % count:
            raise DeviceError(
                f"{self.name} has {units} compute units, which are not divided into {count} equal parts; choose another number"
            )
        if count == 1:
            return (self,)
        try:
            equally: list[Any] = [cl.device_partition_property.EQUALLY, units // count]
            handles = self.handle.create_sub_devices(equally)
        except cl.Error as error:
            raise DeviceError(
                f"{self.name} cannot be divided into {count} parts ({error}); use it whole"
            ) from error
        parts = tuple(
            OpenCLDevice(handle, f"{self.name}:{number}/{count}", self.model, self.files)
            for number, handle in enumerate(handles, start=1)
        )
        for part in parts:
            part.is_whole = False
        return parts

    def compile(self, kernels: Sequence[RenderedKernel], layout: Layout, *, save: bool) -> CompiledKernels:
        """See `Device.compile`."""
        return CompiledKernels(self, kernels, layout, save=save)


def has_matrix_instructions(handle: cl.Device) -> bool:
    """Whether this is an NVIDIA card of compute capability 8.0 or later, as its driver reports."""
    if "NVIDIA" not in handle.vendor:
        return False
    try:
        return handle.compute_capability_major_nv >= FIRST_CAPABILITY
    except (AttributeError, cl.Error):
        return False


def advice() -> str:
    """What to try where a device is missing: to install one, or to change the environment variable that keeps PoCL from showing its own."""
    chosen = os.environ.get(pocl.DEVICES_VARIABLE)
    if chosen is None:
        return INSTALL
    return f"unset {pocl.DEVICES_VARIABLE}, which is {brief(chosen)}, or let it name devices that PoCL has, such as {pocl.THREADS!r}"


def discover() -> list[OpenCLDevice]:
    """Every device of every platform, with distinct names: graphics processors, processors (PoCL before others), simulators.

    Raises:
        DeviceError: there is no device, or this process may open too few files, or has no directory that it can write.
        MemoryExhaustedError: there is too little memory for drivers.
    """
    require_memory(DRIVER_BYTES, "loading OpenCL drivers")
    require_descriptors("loading OpenCL drivers")
    pocl.loop_over_items()
    found: list[OpenCLDevice] = []
    with (
        pocl.private_files(cache_directory()) as files,
        pocl.both_drivers() as paired,
        pocl.threads_apart(),
        interrupts_wait(),
    ):  # interrupts also wait in threads that drivers start
        for handle in dict.fromkeys(_handles()):  # a driver that is registered twice lists its devices twice
            model = pocl.name_processor(handle) if pocl.is_misnamed(handle) else None
            name = f"{handle.platform.name.strip()}: {handle.name.strip()}"
            twins = sum(device.name.partition(" #")[0] == name for device in found)
            found.append(OpenCLDevice(handle, f"{name} #{twins + 1}" if twins else name, model, files))
    if files is None and all(device.kind == "simulator" for device in found):
        raise DeviceError(
            "no device was found, and PoCL has no directory for its files: neither that of EQSAT_CACHE nor one for temporary files can "
            "be written; let TMPDIR or EQSAT_CACHE name one that can"
        )
    if not found:
        raise DeviceError(f"no OpenCL platform with a device was found; {advice()}")
    if paired:
        found = _with_companions(found)
    return sorted(found, key=lambda device: (ORDER.index(device.kind), not device.is_pocl, device.name))


def _with_companions(found: Sequence[OpenCLDevice]) -> list[OpenCLDevice]:
    """The devices without the companions: each of these becomes the `companion` of the device with PoCL's threads."""
    drivers = {device: pocl.driver_of(device.handle) for device in found}
    callers = {device.handle.platform: device for device in found if drivers[device] == pocl.CALLER}
    for device in found:
        if drivers[device] == pocl.THREADS:
            device.companion = callers.get(device.handle.platform)
    companions = [device.companion for device in found]
    return [device for device in found if device not in companions]


def _handles() -> Iterator[cl.Device]:
    try:
        platforms = cl.get_platforms()
    except cl.LogicError as error:
        if error.code == PLATFORM_NOT_FOUND:
            return
        raise
    for platform in platforms:
        try:
            yield from platform.get_devices()
        except cl.Error as error:  # DEVICE_NOT_FOUND: a driver without its hardware
            if error.code != DEVICE_NOT_FOUND:
                raise
