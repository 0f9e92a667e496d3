"""The most memory that a process has held."""

from __future__ import annotations

import resource
from pathlib import Path

STATUS = Path("/proc/self/status")


def peak_bytes() -> int:
    """Of this program alone. `ru_maxrss` counts what the process that started it held before, too: it survives `exec` on Linux."""
    if STATUS.exists():
        (line,) = (each for each in STATUS.read_text().splitlines() if each.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
