"""Describes a device that was not measured: by what the driver and the system report, and otherwise by the constants of `eqsat.machine`.

Rates that grow with the number of cores are scaled.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from eqsat.dtype import SIGNED, UNSIGNED, bool_
from eqsat.machine import ANY, CORE_BANDWIDTH, GRAPHICS, MEMORY_BANDWIDTH, PROCESSOR, Machine, OwnPrice
from eqsat.ops import Op
from eqsat.runtime.device import Kind
from eqsat.runtime.opencl import pocl
from eqsat.runtime.opencl.lazy import cl

# LLVM 14's models with 256-bit registers that PoCL 3.0 also reports for processors with wider registers (it calls Zen 4 "znver3").
NARROW_MODELS = frozenset({"znver1", "znver2", "znver3", "haswell", "broadwell", "skylake", "alderlake"})
CPU_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
FULL_CLOCK = Path("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq")
BOOST = 1.35  # a busy core's clock over its base clock; 1.27 on a Zen 3, 1.42 to 1.5 on a Zen 4 in the cloud
# Most bytes of level 3 that are counted for each core: of 480 MiB, two cores of a virtual machine had about 128 MiB.
CORE_CACHE = 64 << 20
CPU_INFO = Path("/proc/cpuinfo")
INTEGERS = [dtype.name for dtype in (bool_, *SIGNED, *UNSIGNED)]
# The integer dtypes for which processors with AVX-512 have multiply instructions.
PRODUCTS_OF = [dtype.name for dtype in (*SIGNED, *UNSIGNED) if dtype.itemsize > 1]
# What four units of a Zen 4 compute, each for half a register of integers; comparisons, shifts, products and shuffles have two units.
SIMPLE = (Op.ADD, Op.SUB, Op.NEG, Op.AND, Op.OR, Op.XOR, Op.MAX, Op.MIN)
SAPPHIRE_RAPIDS = {  # in the cloud
    "cached_delays": 0.6,  # measured on columns of matrices
    "crossing_cycles": 0.35,  # measured on taps of a convolution beside multiply-adds
    "streamed_instructions": 64.0,
    "sum_cycles": 2.0,
}
FACTS: dict[tuple[str, ...], dict[str, Any]] = {
    ("GenuineIntel", "6", "143"): SAPPHIRE_RAPIDS,
    ("GenuineIntel", "6", "207"): SAPPHIRE_RAPIDS,  # Emerald Rapids, with the same cores
    ("AuthenticAMD", "25"): {  # Zen 4
        "boost": 1.42,
        "passes": 2.0,
        "select_cycles": 0.5,
        "sum_cycles": 3.0,
        "cache_bytes_per_cycle": (32.0, 22.0),
        "prices": (
            *(OwnPrice(op.name, "float32", 6.0) for op in (Op.FDIV, Op.RECIP)),
            *(OwnPrice(op.name, "float64", 9.0) for op in (Op.FDIV, Op.RECIP)),
            *(OwnPrice(op.name, dtype, 1.5) for op in (Op.MAX, Op.MIN) for dtype in ("float32", "float64")),
            *(OwnPrice(op.name, dtype, 0.5) for op in SIMPLE for dtype in INTEGERS),
            *(OwnPrice(op.name, ANY, 0.5) for op in (Op.WHERE, Op.NEG)),
            OwnPrice(Op.CAST.name, ANY, 1.0),
            OwnPrice(Op.SQRT.name, "float32", 10.0),
            OwnPrice(Op.SQRT.name, "float64", 16.0),
            *(OwnPrice(Op.MUL.name, name, 1.0) for name in PRODUCTS_OF),
            *(OwnPrice(Op.MULACC.name, name, 1.5) for name in PRODUCTS_OF),
        ),
    },
}
"""Fields of `Machine` for processors with registers of 64 bytes, by maker, family and, where a family has several kinds, model."""
# A DOT is one instruction together with the ADD that takes it in. The ADD has the price of that instruction.
DOT_IN_SUM = OwnPrice(Op.DOT.name, "int32", 0.05)
INTEL_SUB_GROUP = 16  # items; all processors and cards that Intel's drivers run on have such sub-groups
# Cycles of a lane that is loaded by itself from an address that was read, on a processor without a quick gather instruction.
GATHERED_ALONE = 1.6
LAUNCH_SECONDS = {pocl.CALLER: pocl.CALLER_LAUNCH_SECONDS, pocl.THREADS: pocl.FOLLOWING_SECONDS}


class Card(NamedTuple):
    """Facts about a card that its driver does not report: bytes per second from its memory, and bytes of its last cache."""

    name: str
    bandwidth: float
    cache_bytes: int


CARDS = (
    Card("H200", 4.8e12, 50 << 20),
    Card("H100 PCIe", 2.0e12, 50 << 20),
    Card("H100", 3.35e12, 50 << 20),
    Card("A100", 1.94e12, 40 << 20),
    Card("V100", 0.9e12, 6 << 20),
    Card("L40", 0.864e12, 96 << 20),
    Card("RTX 5090", 1.79e12, 96 << 20),
    Card("RTX 4090", 1.01e12, 72 << 20),
    Card("RTX 3090", 0.936e12, 6 << 20),
)
"""Figures of the makers. The first card whose name is a part of the device's name is used."""
REACHED = 0.9  # fraction of that bandwidth that a copy reaches
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


TILES = OwnPrice(Op.WMMA.name, "int32", 16.0)  # cycles; one row of the tile takes one cycle


def describe(
    handle: cl.Device, kind: Kind, model: str | None, *, has_tiles: bool = False, has_gathers: bool = True
) -> Machine:
    """The description of one device.

    Args:
        handle: pyopencl's object for the device.
        kind: the kind of device.
        model: LLVM's name for a processor that PoCL could not name itself.
        has_tiles: whether kernels may use the matrix registers of x86.
        has_gathers: whether kernels on a processor load lanes from any addresses by one instruction.
    """
    known = _describe_gpu(handle) if kind == "gpu" else _describe_cpu(handle, model)
    if has_tiles:
        known = replace(known, prices=(*known.prices, TILES))
    if kind != "gpu" and not has_gathers:
        known = replace(known, gathered_lane_cycles=GATHERED_ALONE)
    return replace(known, sub_group=sub_group_of(handle)[0])


def sub_group_of(handle: cl.Device) -> tuple[int, str]:
    """The number of work-items in a sub-group, and the kernel attribute that requests this size, if one is needed.

    The number is 1 if the driver has no sub-groups, or does not report their size. Intel's drivers have several sizes, and take the one
    requested. On AMD's cards a sub-group is a wavefront.
    """
    extensions = set(handle.extensions.split())
    if {"cl_intel_subgroups", "cl_intel_required_subgroup_size"} <= extensions:
        return INTEL_SUB_GROUP, f"__attribute__((intel_reqd_sub_group_size({INTEL_SUB_GROUP})))"
    if "cl_khr_subgroups" in extensions and "cl_amd_device_attribute_query" in extensions:
        return int(handle.wavefront_width_amd), ""
    return 1, ""


def _describe_cpu(handle: cl.Device, model: str | None) -> Machine:
    cores = max(1, handle.max_compute_units)
    name = model or handle.version.rstrip().rpartition("-")[2]
    wide = handle.native_vector_width_float * 4 if name not in NARROW_MODELS else 32
    vector_bytes = min(64, max(16, wide))
    own = processor()
    known = dict(FACTS.get(own, FACTS.get(own[:2], {}))) if vector_bytes == 64 else {}
    if name.encode() in pocl.WITH_PRODUCTS_OF_BYTES:
        known["prices"] = (*known.get("prices", ()), DOT_IN_SUM)
    return replace(
        PROCESSOR,
        cores=cores,
        vector_bytes=vector_bytes,
        vector_registers=32 if vector_bytes == 64 else 16,
        frequency=frequency_of(handle.max_clock_frequency * 1e6, known.pop("boost", BOOST)),
        bandwidth=min(cores * CORE_BANDWIDTH, MEMORY_BANDWIDTH),
        cache_bytes=cache_sizes(handle.global_mem_cache_size, cores),
        local_bytes=handle.local_mem_size or PROCESSOR.local_bytes,
        **known,
        launch_seconds=LAUNCH_SECONDS.get(pocl.driver_of(handle) or "", PROCESSOR.launch_seconds),
    )


def processor() -> tuple[str, ...]:
    """The maker, the family and the model of the processor, as Linux lists them; empty strings if it does not."""
    try:
        rows = [line.partition(":") for line in CPU_INFO.read_text(encoding="ascii").splitlines()]
    except (OSError, UnicodeDecodeError):
        return "", "", ""
    found = {name.strip(): value.strip() for name, _, value in reversed(rows)}
    return tuple(found.get(name, "") for name in ("vendor_id", "cpu family", "model"))


def frequency_of(reported: float, boost: float = BOOST) -> float:
    """Cycles per second of a busy core. `reported` is the driver's figure; it is multiplied by `boost` if it is the base clock.

    In a virtual machine, Linux and therefore the driver know the base clock only.
    """
    known = FULL_CLOCK.is_file() or not CPU_CACHES.is_dir()
    return (reported if known else reported * boost) or PROCESSOR.frequency


def _describe_gpu(handle: cl.Device) -> Machine:
    """Describes a card. What its driver does not report is taken from `CARDS`, by its name, or from `GRAPHICS`."""
    known = next((card for card in CARDS if card.name in handle.name), None)
    shared = known.cache_bytes if known else max(handle.global_mem_cache_size, GRAPHICS.cache_bytes[2])
    return replace(
        GRAPHICS,
        cores=max(1, handle.max_compute_units),
        frequency=handle.max_clock_frequency * 1e6 or GRAPHICS.frequency,
        bandwidth=known.bandwidth * REACHED if known else GRAPHICS.bandwidth,
        cache_bytes=(*GRAPHICS.cache_bytes[:2], shared),
        local_bytes=handle.local_mem_size or GRAPHICS.local_bytes,
        local_size=min(GRAPHICS.local_size, handle.max_work_group_size),
    )


def cache_sizes(last_level: int, cores: int) -> tuple[int, int, int]:
    """Bytes of a core's level 1 (data) and level 2, and of level 3, as Linux lists them. The driver knows only the last level.

    In a virtual machine, Linux also lists all of level 3, of which the machine has a share only; so at most `CORE_CACHE` is counted for each core.
    """
    sizes: dict[int, int] = dict(enumerate(PROCESSOR.cache_bytes, 1))
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
    return sizes[1], sizes[2], min(sizes[3], cores * CORE_CACHE)
