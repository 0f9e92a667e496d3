"""What is known of a device before it is measured."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from eqsat.dtype import float32, int32, uint8
from eqsat.machine import PROCESSOR, Machine
from eqsat.ops import Op
from eqsat.runtime import get_device
from eqsat.runtime.opencl import describe, pocl
from eqsat.runtime.opencl.device import OpenCLDevice


@pytest.mark.parametrize(("is_linux", "knows_full", "factor"), [(True, True, 1.0), (True, False, describe.BOOST), (False, False, 1.0)])  # fmt: skip
def test_the_clock_of_a_virtual_machine_is_taken_for_the_base_clock(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, is_linux: bool, knows_full: bool, factor: float
) -> None:
    """Linux lists the greatest clock where it knows it; other systems tell it."""
    caches, clock = tmp_path / "caches", tmp_path / "clock"
    if is_linux:
        caches.mkdir()
    if knows_full:
        clock.write_text("3600000")
    monkeypatch.setattr(describe, "CPU_CACHES", caches)
    monkeypatch.setattr(describe, "FULL_CLOCK", clock)
    assert describe.frequency_of(2.4e9) == 2.4e9 * factor
    assert describe.frequency_of(0.0) == PROCESSOR.frequency


def test_a_core_has_no_more_than_its_share_of_the_last_cache(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for number, (level, size) in enumerate([("1", "48K"), ("2", "2048K"), ("3", "491520K")]):
        (tmp_path / f"index{number}").mkdir()
        for name, text in (("level", level), ("type", "Data"), ("size", size)):
            (tmp_path / f"index{number}" / name).write_text(text)
    monkeypatch.setattr(describe, "CPU_CACHES", tmp_path)
    assert describe.cache_sizes(0, cores=2) == (48 << 10, 2 << 20, 128 << 20)
    assert describe.cache_sizes(0, cores=16) == (48 << 10, 2 << 20, 480 << 20)


def test_the_processor_is_told_by_maker_family_and_model(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    info = tmp_path / "cpuinfo"
    monkeypatch.setattr(describe, "CPU_INFO", info)
    assert describe.processor() == ("", "", "")
    one = "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n\n"
    info.write_text(one + one)
    assert describe.processor()[:2] in describe.FACTS
    info.write_text("vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 207\n")
    assert describe.processor() == ("GenuineIntel", "6", "207")


@pytest.mark.parametrize(("model", "cycles"), [("143", 2.0), ("207", 2.0), ("85", 4.0)])
def test_only_sapphire_rapids_adds_floats_in_two_cycles(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, model: str, cycles: float
) -> None:
    """Nearly all processors of Intel's are of family 6; model 85 is Skylake."""
    told = _processor(monkeypatch, tmp_path, "GenuineIntel", "6", model)
    assert told.sum_cycles == cycles


def test_a_zen_4_takes_whole_registers_in_two_passes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Cycles of 64 bytes, as a loop of each instruction takes: four units add integers and choose, and two do all else."""
    told = _processor(monkeypatch, tmp_path, "AuthenticAMD", "25", "17")
    quick, others = (Op.ADD, Op.AND, Op.MIN, Op.WHERE, Op.NEG), (Op.CMPLT, Op.SHR, Op.MUL, Op.CAST)
    assert {told.cycles(op, dtype) for op in quick for dtype in (uint8, int32)} == {0.5}
    assert {told.cycles(op, int32) for op in others} == {told.cycles(Op.ADD, float32)} == {1.0}
    assert {told.wide(op, int32) for op in (*quick, *others)} == {2.0}


def _processor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *names: str) -> Machine:
    """The description of a processor with AVX-512 of this maker, family and model."""
    info = tmp_path / "cpuinfo"
    info.write_text("vendor_id\t: {}\ncpu family\t: {}\nmodel\t\t: {}\n".format(*names))
    monkeypatch.setattr(describe, "CPU_INFO", info)
    told = SimpleNamespace(
        max_compute_units=2, native_vector_width_float=16, max_clock_frequency=2000, global_mem_cache_size=0,
        local_mem_size=0, extensions="", version="",
    )  # fmt: skip
    return describe.describe(told, "cpu", None)


def test_gathers_are_asked_for_where_they_are_quick() -> None:
    assert pocl.has_quick_gathers(frozenset({"avx512f", "amx_tile", "sse2"}))
    assert not pocl.has_quick_gathers(frozenset({"avx512f", "avx512_vnni"}))  # Cascade Lake
    device = get_device("pocl")
    assert isinstance(device, OpenCLDevice)
    quick, slow = (describe.describe(device.handle, "cpu", None, has_gathers=each) for each in (True, False))
    assert slow.gathered_lane_cycles > quick.gathered_lane_cycles
