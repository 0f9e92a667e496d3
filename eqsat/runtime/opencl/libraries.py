"""Has all pages of PoCL's libraries of kernels in memory, although no kernel may have read them yet.

Kernels load some constants under a mask: those that only a few elements need, or the 1 of each true element. An empty mask loads nothing,
so the system never learns that a page is wanted that is not there yet, and a processor finds out each time: 500 cycles on a Zen 4. `isnan` of
numbers took 280 µs instead of 2, until the first NaN came.

The loader lists its libraries under a lock, which threads that have Python's lock wait for when they load a kernel. So the list is asked for with
Python's lock held. The system's list of mappings would need no lock, but has five lines for each kernel: with 500 it takes 14 ms to read.
"""

from __future__ import annotations

import ctypes
import mmap
from pathlib import Path
from typing import Any

LOADED, READABLE = 1, 4  # the type of segments that are in memory, and the flag of those that can be read


class _Segment(ctypes.Structure):
    """`Elf64_Phdr`: a part of a library."""

    _fields_ = [
        *((name, ctypes.c_uint32) for name in ("type", "flags")),
        *((name, ctypes.c_uint64) for name in ("offset", "start", "physical", "stored", "size", "alignment")),
    ]


class _Library(ctypes.Structure):
    """The beginning of `dl_phdr_info`: where a library is, its file, and its segments."""

    _fields_ = [
        ("start", ctypes.c_uint64),
        ("file", ctypes.c_char_p),
        ("segments", ctypes.POINTER(_Segment)),
        ("count", ctypes.c_uint16),
    ]


_READ: set[int] = set()  # where the libraries are that were looked at; PoCL never removes one
_Visit = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Library), ctypes.c_size_t, ctypes.c_void_p)


def read_pages(directory: Path) -> None:
    """Read a byte of each page of the libraries in `directory` that were loaded since the last call, on systems whose loader lists libraries."""
    visit_all = getattr(ctypes.PyDLL(None), "dl_iterate_phdr", None)
    if visit_all is None or ctypes.sizeof(ctypes.c_void_p) != 8:
        return
    within = f"{directory}/".encode()

    def visit(found: Any, size: int, data: int | None) -> int:
        library = found.contents
        if library.start not in _READ:
            _READ.add(library.start)
            if library.file.startswith(within):
                _read(library)
        return 0

    visit_all(_Visit(visit), None)


def _read(library: _Library) -> None:
    for segment in library.segments[: library.count]:
        if segment.type == LOADED and segment.flags & READABLE:
            start = library.start + segment.start
            for page in range(start, start + segment.size, mmap.PAGESIZE):
                ctypes.string_at(page, 1)
