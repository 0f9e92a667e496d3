"""Kernels are written down once each, whole, for the referee."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eqsat.codegen import render
from eqsat.dtype import float32, void
from eqsat.ops import AxisType, KernelInfo, Op
from eqsat.runtime.record import VARIABLE, document, record
from eqsat.uop import UOp
from tests.runtime.programs import addition


def test_each_kernel_is_written_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "kernels"))
    for name in ("one", "other", "one"):
        record(addition(16, name)[1])
    documents = [json.loads(file.read_text()) for file in (tmp_path / "kernels").iterdir()]
    assert sorted(found["name"] for found in documents) == ["one", "other"]
    assert documents[0]["global_size"] == [16]
    assert documents[0]["arguments"][0] == {"dtype": "float32", "size": 16, "unset": True}


def test_kernels_without_work_are_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    record(addition(0)[1])
    assert not list(tmp_path.iterdir())


def test_nothing_is_written_unasked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    record(addition(16)[1])
    assert not list(tmp_path.iterdir())


def test_steps_grow_with_the_loops() -> None:
    def row_sum(length: int) -> int:
        row, column = UOp.range(8, 0, AxisType.GLOBAL), UOp.range(length, 1, AxisType.REDUCE)
        loaded = UOp(
            Op.LOAD,
            float32,
            (UOp(Op.INDEX, float32, (UOp.param(1, 8 * length, float32), row * length + column)),),
        )
        total = UOp(Op.REDUCE, float32, (loaded, column), Op.ADD)
        place = UOp(Op.INDEX, float32, (UOp.param(0, 8, float32), row))
        steps = document(
            render(UOp.sink(UOp(Op.STORE, void, (place, total, row)), arg=KernelInfo("row_sum")))
        )["steps"]
        assert isinstance(steps, int)
        return steps

    short, middle, long = row_sum(10), row_sum(100), row_sum(1000)
    assert long - middle == 10 * (middle - short)
