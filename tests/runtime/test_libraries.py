"""Constants that kernels load under a mask are in memory before any element needs them."""

from __future__ import annotations

import re
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest

import eqsat as eq
from eqsat.runtime.opencl import libraries

MAPPINGS = Path("/proc/self/smaps")
HEADER = re.compile(r"^[0-9a-f]+-[0-9a-f]+ (\S+) .*?(/\S*)?$")


@pytest.mark.skipif(not MAPPINGS.exists(), reason="this system does not tell what is in memory")
def test_all_pages_of_a_kernel_are_in_memory() -> None:
    elements = 4099  # of no other test, as the name of the kernel has it
    program = eq.compile(eq.trace(eq.isnan, eq.spec((elements,), "float32")))
    assert not program(np.ones(elements, np.float32))[0].any()
    absent, found, readable = 0, 0, False
    for line in MAPPINGS.read_text().splitlines():
        if header := HEADER.match(line):
            permissions, file = header.groups()
            readable = permissions.startswith("r") and (file or "").endswith(f"_{elements}.so")
            found += readable
        elif readable and line.startswith(("Size:", "Rss:")):
            absent += int(line.split()[1]) * (1 if line.startswith("Size:") else -1)
    if not found:
        pytest.skip("kernels are no libraries here")
    assert not absent


def test_pages_are_read_while_another_thread_loads_kernels() -> None:
    """Loading holds the loader's lock and Python's; reading may not wait for one and hold the other."""
    files = getattr(eq.devices()[0], "files", None)
    if files is None:
        pytest.skip("kernels are no libraries here")
    is_over = Event()

    def read() -> None:
        while not is_over.is_set():
            libraries.read_pages(files)

    reader = Thread(target=read, daemon=True)
    reader.start()
    for elements in range(5003, 5007):
        array = np.ones(elements, np.float32)
        assert (eq.compile(eq.trace(eq.negative, eq.spec(array.shape, "float32")))(array) == -1).all()
    is_over.set()
    reader.join()
