"""One script under `mpirun`: its ranks have the results of the reference, and fail together."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mpi4py")
LAUNCHER = shutil.which(
    "mpirun", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
)
pytestmark = pytest.mark.skipif(LAUNCHER is None, reason="no mpirun; `pip install mpich` brings one")
ROOT = Path(__file__).parents[2]


def run(count: int, *what: str) -> None:
    """Runs functions of the script `ranks` on so many ranks."""
    command = [str(LAUNCHER), "-n", str(count), sys.executable, "-m", "tests.distribution.ranks", *what]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [f"rank {rank} is done" in done.stdout for rank in range(count)] == [True] * count


def test_two_ranks_have_the_results_of_the_reference_until_one_is_lost() -> None:
    """What fails on all ranks comes last: after that they have no more to say to each other."""
    run(2, "train", "multiply", "dims", "ring", "every_dtype", "unknown", "fail")


def test_three_ranks_reduce_around_a_ring_until_one_script_ends() -> None:
    run(3, "ring", "ending")


def test_a_silent_rank_is_an_error_on_the_other() -> None:
    run(2, "silent")


@pytest.mark.parametrize(("count", "what"), [(2, "programs_apart"), (3, "rows_apart"), (2, "dims_apart")])
def test_ranks_that_call_different_programs_say_so(count: int, what: str) -> None:
    """Messages of one program are never taken for those of another."""
    run(count, what)
