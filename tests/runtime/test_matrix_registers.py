"""Kernels use the matrix registers of x86 only where this process may."""

from __future__ import annotations

import subprocess
import sys

import pytest

from eqsat.runtime.opencl.matrix_registers import FLAGS, may_use_tiles

SMALL_STACK = """
import ctypes
class Stack(ctypes.Structure):
    _fields_ = [("at", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t)]
memory = ctypes.create_string_buffer(4096)
assert ctypes.CDLL(None).sigaltstack(ctypes.byref(Stack(ctypes.addressof(memory), 0, 4096)), None) == 0
"""
ASK = "import eqsat as eq; from eqsat.runtime import get_device; device = get_device('pocl'); print(device.has_tiles, device.dialect.tiles, "
ASK += "bool(device.described.tile_cycles), 'matrix registers' in device.identity)"


@pytest.mark.parametrize("missing", ["amx_int8", "amx_tile"])
def test_processors_without_them_are_not_asked(missing: str) -> None:
    assert not may_use_tiles(FLAGS - {missing})


def test_language_prices_and_identity_agree() -> None:
    assert len(set(_answers(ASK))) == 1


def test_permission_that_linux_refuses_is_none() -> None:
    """As where a thread has a small stack for signals."""
    asked = "from eqsat.runtime.opencl.matrix_registers import *; print(may_use_tiles(FLAGS))"
    assert _answers(SMALL_STACK + asked) == ["False"]


def _answers(program: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.split()
