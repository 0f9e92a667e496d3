"""What the cost model is told of a device: the driver's and the system's answers, and documented constants for the rest.

Nothing is measured. Constants are those of two cores of a server; rates that grow with the cores are scaled.
"""

from __future__ import annotations

from pathlib import Path

from eqsat.runtime.device import Kind
from eqsat.runtime.lazy import cl
from eqsat.schedule.device import DeviceDescription

# Models of LLVM 14 with 256-bit registers that PoCL 3.0 also reports on processors with wider ones (Zen 4 is "znver3" to it).
NARROW_MODELS = frozenset({"znver1", "znver2", "znver3", "haswell", "broadwell", "skylake", "alderlake"})
CORE_BANDWIDTH = 21e9  # bytes per second that one core draws from memory, until the memory is busy
MEMORY_BANDWIDTH = 200e9  # ... bytes per second of a server's memory
GPU_BANDWIDTH = 500e9  # bytes per second of a mid-range card
CACHES = (32 << 10, 1 << 20, 32 << 20)  # bytes, where the system does not say
CPU_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def describe(handle: cl.Device, kind: Kind, model: str | None) -> DeviceDescription:
    """The description of one device; `model` is LLVM's name for a processor that PoCL could not name itself."""
    return _describe_gpu(handle) if kind == "gpu" else _describe_cpu(handle, model)


def _describe_cpu(handle: cl.Device, model: str | None) -> DeviceDescription:
    cores = max(1, handle.max_compute_units)
    name = model or handle.version.rstrip().rpartition("-")[2]
    wide = handle.native_vector_width_float * 4 if name not in NARROW_MODELS else 32
    vector_bytes = min(64, max(16, wide))
    return DeviceDescription(
        cores=cores,
        vector_bytes=vector_bytes,
        vector_registers=32 if vector_bytes == 64 else 16,
        frequency=handle.max_clock_frequency * 1e6 or 3e9,
        bandwidth=min(cores * CORE_BANDWIDTH, MEMORY_BANDWIDTH),
        cache_bytes=_cache_sizes(handle.global_mem_cache_size),
    )


def _describe_gpu(handle: cl.Device) -> DeviceDescription:
    """A card of which the driver says little: one 32-lane vector unit per compute unit, copies of 16 bytes per work-item."""
    shared = handle.global_mem_cache_size or 4 << 20
    return DeviceDescription(
        cores=max(1, handle.max_compute_units),
        vector_bytes=128,
        vector_registers=256,
        frequency=handle.max_clock_frequency * 1e6 or 1.5e9,
        fma_per_cycle=2.0,
        loads_per_cycle=1.0,
        bandwidth=GPU_BANDWIDTH,
        cache_bytes=(handle.local_mem_size, shared, shared),
        local_size=min(256, handle.max_work_group_size),
        vector_widths=(2, 4),
    )


def _cache_sizes(last_level: int) -> tuple[int, int, int]:
    """Bytes of level 1 (data) and 2 of a core and of level 3, as Linux lists them; the driver knows only the last."""
    sizes: dict[int, int] = dict(enumerate(CACHES, 1))
    if last_level:
        sizes[3] = last_level
    for cache in CPU_CACHES.glob("index*") if CPU_CACHES.is_dir() else ():
        try:
            level, kind, size = (
                (cache / name).read_text(encoding="ascii").strip() for name in ("level", "type", "size")
            )
        except OSError:
            continue
        if kind != "Instruction" and level.isdigit() and size[:-1].isdigit() and size[-1] in UNITS:
            sizes[int(level)] = int(size[:-1]) * UNITS[size[-1]]
    return sizes[1], sizes[2], sizes[3]
