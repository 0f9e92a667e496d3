"""Checks of what a driver's compiler needs from the system, made before the compiler is called.

Drivers such as PoCL 3.0 end the process (`abort`, or a fault) where a file cannot be opened or written, or memory cannot be allocated.
These checks give the caller an error instead. Other processes may take the resources between check and use; `EQSAT_GUARD`
(`opencl.guard`) protects against that.
"""

from __future__ import annotations

import errno
import mmap
import os
import tempfile
from contextlib import ExitStack
from pathlib import Path

from eqsat.errors import DeviceError, MemoryExhaustedError
from eqsat.runtime.folder import make_private

DESCRIPTORS = 32  # files that PoCL and the linker may have open at once; 14 were counted
DISK_BYTES = 4 << 20  # room for the files of one program, in bytes; 0.3 MB per kernel were counted
MAPS = 2000  # memory maps that the kernels of one program may take; PoCL takes 10 for each and never gives them back
MAPS_OF_PROCESS = Path("/proc/self/maps")
MOST_MAPS = Path("/proc/sys/vm/max_map_count")


def require_memory(size: int, doing: str) -> None:
    """Check that the process may have `size` more bytes of address space.

    Raises:
        MemoryExhaustedError: it may not.
    """
    try:
        mmap.mmap(-1, size).close()
    except (OSError, ValueError) as error:
        raise MemoryExhaustedError(
            f"less than {size >> 20} MiB of address space were left for {doing} ({error}); raise the limit (`ulimit -v`), "
            f"or drop what is no longer needed"
        ) from error


class _Maps:
    """The memory maps of this process. They are counted rarely: counting 400 takes 0.5 ms, and 60,000 take 60 ms."""

    def __init__(self) -> None:
        self._uncounted = 0  # checks that may pass before the maps are counted again

    def require(self, doing: str) -> None:
        """See `require_maps`."""
        if self._uncounted > 0:
            self._uncounted -= 1
            return
        try:
            most = int(MOST_MAPS.read_bytes())
            count = MAPS_OF_PROCESS.read_bytes().count(b"\n")
        except OSError:  # a system without such a limit, or one that does not tell
            return
        if most - count < MAPS:
            raise MemoryExhaustedError(
                f"less than {MAPS} memory maps were left for {doing}: this process has {count} of {most}, since PoCL keeps what it has "
                f"compiled until the process ends; compile in several processes, or raise the limit (`sysctl vm.max_map_count`)"
            )
        self._uncounted = (most - count) // MAPS - 1


require_maps = _Maps().require


def require_descriptors(doing: str) -> None:
    """Check that the process may open `DESCRIPTORS` more files.

    Raises:
        DeviceError: it may not.
    """
    with ExitStack() as stack:
        try:
            for _ in range(DESCRIPTORS):
                stack.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        except OSError as error:
            raise DeviceError(
                f"less than {DESCRIPTORS} file descriptors were left for {doing} ({error}); close files, or raise the limit (`ulimit -n`)"
            ) from error


def require_disk(directory: Path, doing: str) -> None:
    """Check that a file of `DISK_BYTES` can be written to a directory, which is made again if it was deleted.

    Raises:
        DeviceError: it cannot.
    """
    try:
        make_private(directory)
        _write_room(directory)
    except OSError as error:
        raise DeviceError(
            f"{directory} has no room for the {DISK_BYTES >> 20} MiB that {doing} may take ({error}); free some, or let TMPDIR or "
            f"EQSAT_CACHE name a directory on another disk and start again"
        ) from error


def has_room(directory: Path) -> bool:
    """Whether a directory passes `require_disk`."""
    try:
        _write_room(directory)
    except OSError:
        return False
    return True


def _write_room(directory: Path) -> None:
    with tempfile.TemporaryFile(dir=directory) as file:
        if hasattr(os, "posix_fallocate"):
            try:
                os.posix_fallocate(file.fileno(), 0, DISK_BYTES)
            except OSError as error:
                if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP):  # a file system without the call
                    raise
