"""No dtype, size, offset or stride of an array ends the process or gives another result than NumPy.

Each process gets some dtypes and sizes, and those of one that ended are tried one by one; `--sizes all` sweeps over all of them.
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
FEW = {"named": (100,), "as it is": (13,)}


def findings(dtypes: tuple[str, ...], naming: str, sizes: tuple[int, ...]) -> list[str]:
    """Wrong results, and steps at which a process ended; its dtypes, then its sizes are tried one by one."""
    environment = {name: value for name, value in os.environ.items() if name != RECORD}
    environment.update(PYTHONPATH=os.pathsep.join(sys.path), EQSAT_CACHE="off")
    done = subprocess.run(
        [sys.executable, "-m", "tests.runtime.sweep", ",".join(dtypes), naming, *map(str, sizes)],
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
    if len(dtypes) > 1:
        return [finding for dtype in dtypes for finding in findings((dtype,), naming, sizes)]
    if len(sizes) > 1:
        return [finding for size in sizes for finding in findings(dtypes, naming, (size,))]
    return [*found, f"ended with {done.returncode} in {lines[-1:]}: {done.stderr[-500:]}"]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """With few sizes each naming has one process, which sweeps over every second dtype; with all sizes each dtype is a test."""
    if "dtypes" in metafunc.fixturenames:
        alone = metafunc.config.getoption("--sizes") == "all"
        metafunc.parametrize(
            "dtypes", [(name,) for name in DTYPES] if alone else [tuple(DTYPES)], ids="-".join
        )


@pytest.mark.parametrize("naming", NAMINGS)
def test_arrays_of_every_layout(dtypes: tuple[str, ...], naming: str, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--sizes") == "all":
        sizes = SIZES
    else:
        dtypes, sizes = dtypes[NAMINGS.index(naming) :: len(NAMINGS)], FEW[naming]
    batches = [sizes[start : start + BATCH] for start in range(0, len(sizes), BATCH)]
    assert [finding for batch in batches for finding in findings(dtypes, naming, batch)] == []
