"""Has all pages of PoCL's library of a kernel in memory, although the kernel may not have read them yet.

Kernels load some constants under a mask: those that only a few elements need, or the 1 of each true element. An empty mask loads nothing,
so the system never learns that a page is wanted that is not there yet, and a processor finds out each time: 500 cycles on a Zen 4. `isnan` of
numbers took 280 µs instead of 2, until the first NaN came.
"""

from __future__ import annotations

import ctypes
import mmap

LOADED, READABLE = 1, 4  # the type of segments that are in memory, and the flag of those that can be read


class _Place(ctypes.Structure):
    """`Dl_info`: the library in which an address is."""

    _fields_ = [
        ("file", ctypes.c_char_p),
        ("start", ctypes.c_void_p),
        ("symbol", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    ]


class _Header(ctypes.Structure):
    """`Elf64_Ehdr`: the beginning of a library, which says where its segments are listed."""

    _fields_ = [
        ("identification", ctypes.c_char * 32),
        ("segments", ctypes.c_uint64),
        ("others", ctypes.c_char * 16),
        ("count", ctypes.c_uint16),
    ]


class _Segment(ctypes.Structure):
    """`Elf64_Phdr`: a part of a library."""

    _fields_ = [
        *((name, ctypes.c_uint32) for name in ("type", "flags")),
        *((name, ctypes.c_uint64) for name in ("offset", "start", "physical", "stored", "size", "alignment")),
    ]


def read_pages(address: int) -> None:
    """Read a byte of each page of the library that has a function at this address, on systems with libraries of the format ELF."""
    find, place = getattr(ctypes.CDLL(None), "dladdr", None), _Place()
    if find is None or not find(ctypes.c_void_p(address), ctypes.byref(place)) or not place.start:
        return
    header = _Header.from_address(place.start)
    if not header.identification.startswith(b"\x7fELF\x02"):  # of 64 bits
        return
    for segment in (_Segment * header.count).from_address(place.start + header.segments):
        if segment.type == LOADED and segment.flags & READABLE:
            start = place.start + segment.start
            for page in range(start, start + segment.size, mmap.PAGESIZE):
                ctypes.string_at(page, 1)
