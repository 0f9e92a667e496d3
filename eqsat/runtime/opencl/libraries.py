"""Has all pages of PoCL's libraries of kernels in memory, although no kernel may have read them yet.

Kernels load some constants under a mask: those that only a few elements need, or the 1 of each true element. An empty mask loads nothing,
so the system never learns that a page is wanted that is not there yet, and a processor finds out each time: 500 cycles on a Zen 4. `isnan` of
numbers took 280 µs instead of 2, until the first NaN came.

The system's list of mappings says where the libraries are. The loader would tell it too, but holds its lock meanwhile: a thread that waits for
Python's lock inside of that list, and one that has Python's lock and loads a kernel, would wait for each other.
"""

from __future__ import annotations

import ctypes
import mmap
from pathlib import Path

MAPPINGS = Path(
    "/proc/self/maps"
)  # each line: first and last address, permissions, offset, device, number, file

_READ: set[str] = set()  # the addresses of mappings that were read; PoCL never removes a library


def read_pages(directory: Path) -> None:
    """Read a byte of each page of the libraries in `directory` that were loaded since the last call, on systems that list mappings."""
    if not MAPPINGS.exists():
        return
    for line in MAPPINGS.read_text(errors="surrogateescape").splitlines():
        addresses, permissions, *_, file = line.split(maxsplit=5)
        if file.startswith(f"{directory}/") and permissions.startswith("r") and addresses not in _READ:
            _READ.add(addresses)
            start, end = (int(address, 16) for address in addresses.split("-"))
            for page in range(start, end, mmap.PAGESIZE):
                ctypes.string_at(page, 1)
