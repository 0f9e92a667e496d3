"""The facts about a device that the schedule's cost model reads."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DeviceDescription:
    """Rates and sizes of one device; the defaults are two Zen 4 cores under PoCL 3.0 (AVX2 code).

    Attributes:
        cores: compute units that run work-groups side by side.
        vector_bytes: of one vector register.
        vector_registers: of one core.
        frequency: cycles per second.
        fma_per_cycle: vector multiply-adds that one core starts per cycle.
        loads_per_cycle: vector loads that one core starts per cycle.
        bandwidth: bytes per second from memory, all cores together.
        cache_bytes: of level 1 and level 2 per core, level 3 shared.
        cache_bytes_per_cycle: from level 2 and level 3, per core.
        launch_seconds: host and driver time per kernel when kernels are queued together.
        group_seconds: to start one work-group.
        local_size: preferred work-items per group; 1 where explicit vectors do better.
        vector_widths: lanes of explicit vectors that compile well.
    """

    cores: int = 2
    vector_bytes: int = 32
    vector_registers: int = 16
    frequency: float = 3.6e9
    fma_per_cycle: float = 2.0
    loads_per_cycle: float = 2.0
    bandwidth: float = 42e9
    cache_bytes: tuple[int, int, int] = (32 << 10, 1 << 20, 32 << 20)
    cache_bytes_per_cycle: tuple[float, float] = (32.0, 12.0)
    launch_seconds: float = 10e-6
    group_seconds: float = 60e-9
    local_size: int = 1
    vector_widths: tuple[int, ...] = (4, 8, 16)
