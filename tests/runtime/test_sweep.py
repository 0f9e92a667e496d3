"""No dtype, size, offset or stride of an array ends the process or gives another result than NumPy.

Each process gets one dtype and some sizes; `--sizes all` sweeps over all of them.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from eqsat.runtime.record import VARIABLE as RECORD
from tests.runtime.sweep import DTYPES, SIZES

BATCH = 16  # sizes per process
# How the processor is named: "named" after PoCL's functions, which are inlined then, or as PoCL does.
NAMINGS = ("named", "as it is")
FEW = {"named": (13, 77, 100), "as it is": (99,)}


def findings(dtype: str, naming: str, sizes: tuple[int, ...]) -> list[str]:
    """Wrong results, and steps at which a process ended; the sizes of such a step are tried one by one."""
    environment = {name: value for name, value in os.environ.items() if name != RECORD}
    environment.update(PYTHONPATH=os.pathsep.join(sys.path), EQSAT_CACHE="off")
    done = subprocess.run(
        [sys.executable, "-m", "tests.runtime.sweep", dtype, naming, *map(str, sizes)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    lines = done.stdout.splitlines()
    found = [line for line in lines if line.startswith("wrong")]
    if lines[-1:] == ["done"]:
        return found
    if len(sizes) > 1:
        return [finding for size in sizes for finding in findings(dtype, naming, (size,))]
    return [*found, f"ended with {done.returncode} in {lines[-1:]}: {done.stderr[-500:]}"]


@pytest.mark.parametrize("naming", NAMINGS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays_of_every_layout(dtype: str, naming: str, request: pytest.FixtureRequest) -> None:
    sizes = SIZES if request.config.getoption("--sizes") == "all" else FEW[naming]
    batches = [sizes[start : start + BATCH] for start in range(0, len(sizes), BATCH)]
    assert [finding for batch in batches for finding in findings(dtype, naming, batch)] == []
