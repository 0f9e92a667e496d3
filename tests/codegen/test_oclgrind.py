"""Rendered kernels under Oclgrind: no race, no access out of bounds, no uninitialized read."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np

from eqsat.codegen import render
from eqsat.dtype import bool_, float16, float32, int32, to_numpy
from eqsat.ops import Op
from eqsat.uop import UOp
from tests.codegen.device import buffers_of
from tests.codegen.kernels import elementwise, gather, masked_copy, matmul, row_sum, softmax

REPORTS = {"OCLGRIND_DATA_RACES": "1", "OCLGRIND_UNINITIALIZED": "1"}


def kernels() -> list[UOp]:
    """One of each kind."""
    maximum = elementwise([lambda a, b: a.maximum(b), lambda a, b: a.alu(Op.EXP2)], (float32, float32), 64, 8)
    return [
        matmul(16, 64, 24, 4, 2, 8),
        softmax(4, 64, 8, 2),
        row_sum(6, 128, Op.MAX, bool_, 8, 2),
        row_sum(6, 128, Op.ADD, float16, 8, 2),
        masked_copy(64, 5, 8, gate_by_lane=True),
        gather(64, 10, 8),
        maximum,
        elementwise([lambda a: a // 3, lambda a: a % 3, lambda a: a.alu(Op.POW, a & 3)], (int32,), 64, 8),
        elementwise([lambda a: a + 1], (int32,), 64, 1),
    ]


def launched(kernel: UOp) -> tuple[str, str, tuple[int, ...], tuple[int, ...], list[np.ndarray]]:
    """What the referee needs of a kernel."""
    rendered = render(kernel)
    inputs = {
        each.slot: np.ones(each.size, to_numpy(each.dtype)) for each in rendered.arguments if not each.written
    }
    made = buffers_of(rendered, inputs)
    return (
        rendered.name,
        rendered.source,
        rendered.global_size,
        rendered.local_size,
        [made[each.slot] for each in rendered.arguments],
    )


def referee(tmp_path: Path, launches: list[tuple]) -> tuple[int, str]:
    """Exit code and report of Oclgrind."""
    file = tmp_path / "kernels.pickle"
    file.write_bytes(pickle.dumps(launches))
    script = Path(__file__).with_name("referee.py")
    done = subprocess.run(
        [sys.executable, str(script), str(file)],
        env={**os.environ, **REPORTS},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line for line in done.stderr.splitlines() if not line.startswith("kernel ")]
    return done.returncode, "\n".join(lines)


def test_kernels_are_clean(tmp_path: Path) -> None:
    assert referee(tmp_path, [launched(kernel) for kernel in kernels()]) == (0, "")


def test_the_referee_reports_an_access_out_of_bounds(tmp_path: Path) -> None:
    name, source, size, group, arrays = launched(elementwise([lambda a: a + 1], (int32,), 64, 1))
    _, report = referee(tmp_path, [(name, source, size, group, [array[:-1] for array in arrays])])
    assert "Invalid read" in report
