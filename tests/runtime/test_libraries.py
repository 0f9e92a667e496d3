"""Constants that kernels load under a mask are in memory before any element needs them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import eqsat as eq

MAPPINGS = Path("/proc/self/smaps")
DIRECT = 20  # calls after which a program is called past the queue
HEADER = re.compile(r"^[0-9a-f]+-[0-9a-f]+ (\S+) .*?(/\S*)?$")


@pytest.mark.skipif(not MAPPINGS.exists(), reason="this system does not tell what is in memory")
def test_all_pages_of_a_kernel_are_in_memory() -> None:
    elements = 4099  # of no other test, as the name of the kernel has it
    program = eq.compile(eq.trace(eq.isnan, eq.spec((elements,), "float32")))
    for _ in range(DIRECT):
        assert not program(np.ones(elements, np.float32))[0].any()
    absent, found, readable = 0, 0, False
    for line in MAPPINGS.read_text().splitlines():
        if header := HEADER.match(line):
            permissions, file = header.groups()
            readable = permissions.startswith("r") and (file or "").endswith(
                f"-smallgrid/cmpne_{elements}.so"
            )
            found += readable
        elif readable and line.startswith(("Size:", "Rss:")):
            absent += int(line.split()[1]) * (1 if line.startswith("Size:") else -1)
    if not found:
        pytest.skip("kernels are no libraries here")
    assert not absent
