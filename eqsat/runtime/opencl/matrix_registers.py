"""Permission to use the matrix registers of x86 (AMX), which Linux gives to whole processes that ask for it.

A thread that uses these registers needs 8 KiB more whenever its registers are saved. So Linux refuses the permission if a thread has an
alternate signal stack that is too small for that. Once it has given the permission, it refuses such stacks. Children of the process have the
permission, too, until they execute another program.
"""

from __future__ import annotations

import ctypes
import platform
import sys
from functools import cache

ARCH_PRCTL = 158  # the number of this system call, in Linux on x86-64
REQUEST_PERMISSION = 0x1023  # ARCH_REQ_XCOMP_PERM
TILE_DATA = 18  # the number of these registers among the parts of the saved state (XSAVE)
FLAGS = frozenset({"amx_tile", "amx_int8"})  # as the kernel of Linux spells them


@cache
def may_use_tiles(flags: frozenset[str]) -> bool:
    """Asks Linux for the permission. Whether this process may use the registers from now on, on a processor with these flags."""
    if not flags >= FLAGS or sys.platform != "linux" or platform.machine() != "x86_64":
        return False
    try:
        call = ctypes.CDLL(None).syscall
    except (OSError, AttributeError):
        return False
    return call(ARCH_PRCTL, REQUEST_PERMISSION, TILE_DATA) == 0
