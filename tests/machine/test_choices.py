"""Whoever chooses among programs goes by the machine of the device that is asked for, calibrated if it was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

import eqsat as eq
from eqsat import calibrate
from eqsat.calibrate.machine import machine_measured
from eqsat.dtype import float32, int32
from eqsat.errors import DeviceError
from eqsat.extract import LoopAware, Measured, cost_model_named
from eqsat.machine import PROCESSOR, Machine, OwnPrice, to_json
from eqsat.ops import Op
from eqsat.runtime import MEASUREMENTS, CacheWarning, calibrated, keep_machine, machine_of
from eqsat.schedule.plan import schedule
from tests.runtime.interpreted import InterpretedDevice

SLOW_ROOTS = replace(PROCESSOR, prices=(OwnPrice("SQRT", "float32", 5000.0),))


class Elsewhere(InterpretedDevice):
    """A device with a machine of its own."""

    def __init__(self, described: Machine) -> None:
        self.described = described


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> Iterator[None]:
    monkeypatch.setenv("EQSAT_CACHE", str(tmp_path))
    yield
    MEASUREMENTS.close()


def total(size: int) -> eq.UOp:
    """The sum of many numbers, which is worth splitting where cores wait for work."""
    return eq.trace(eq.sum, eq.spec((size,), eq.float32))


@pytest.mark.parametrize("cores", [1, 2, 64])
def test_optimization_is_priced_for_the_cores_of_the_device(cores: int) -> None:
    plan = eq.Plan(device=Elsewhere(replace(PROCESSOR, cores=cores)))
    assert plan.model == LoopAware.of(plan.machine)
    assert isinstance(plan.model, LoopAware)
    assert plan.model.cores == cores
    best = eq.optimize(total(1 << 20), plan)
    assert (best.unit, best.kernels is not None) == ("seconds", True)
    assert best.cost == pytest.approx(schedule(best.uop, plan.machine).predicted_seconds, rel=1e-3)


def test_a_large_sum_is_split_where_there_are_cores_for_it() -> None:
    def seconds(cores: int, cost: LoopAware | None = None) -> float:
        plan = eq.Plan(device=Elsewhere(replace(PROCESSOR, cores=cores, bandwidth=1e15)), cost=cost)
        return schedule(eq.optimize(total(1 << 22), plan).uop, plan.machine).predicted_seconds

    assert seconds(2) < 0.6 * seconds(1)
    assert seconds(2) < 0.6 * seconds(2, LoopAware(cores=1))


def test_a_plan_without_any_device_is_priced_for_an_ordinary_processor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none(name: object = None) -> None:
        raise DeviceError("no OpenCL platform")

    monkeypatch.setattr("eqsat.runtime.get_device", none)
    assert eq.Plan().machine == PROCESSOR
    with pytest.raises(DeviceError):
        _ = eq.Plan(device="abacus").machine


def test_a_calibration_is_what_every_user_of_prices_goes_by() -> None:
    """Optimization, schedules, and cost models by name."""
    device = Elsewhere(PROCESSOR)
    plan = eq.Plan(device=device)
    graph = eq.trace(lambda x, y: eq.sqrt(x) * eq.sqrt(y), *[eq.spec((1000,), eq.float32)] * 2)
    shares = eq.trace(
        lambda x: eq.sqrt(x) / eq.sum(eq.sqrt(x), axis=-1, keepdims=True), eq.spec((8, 64), eq.float32)
    )
    expected = schedule(shares, SLOW_ROOTS).predicted_seconds
    before = eq.optimize(graph, plan).cost
    assert schedule(shares, machine_of(device)).predicted_seconds < expected
    keep_machine(device, SLOW_ROOTS)
    assert machine_of(device) == SLOW_ROOTS
    assert eq.optimize(graph, plan).cost > 10 * before
    assert schedule(shares, machine_of(device)).predicted_seconds == expected
    assert cost_model_named("latency", plan.machine) == eq.Latency(SLOW_ROOTS)
    keep_machine(device, device.described)
    assert eq.optimize(graph, plan).cost == before


def test_a_calibration_is_read_by_later_processes_for_the_same_description_only() -> None:
    device = Elsewhere(PROCESSOR)
    keep_machine(device, SLOW_ROOTS)
    calibrated._KNOWN.clear()
    assert machine_of(device) == SLOW_ROOTS
    other = Elsewhere(replace(PROCESSOR, cores=8))
    assert machine_of(other) == other.described


@pytest.mark.parametrize(
    "stored", [b"", b"{}", b"\xff", to_json(PROCESSOR).replace("2", "-2").encode(), b"[" * 100_000]
)
def test_a_calibration_that_cannot_be_read_is_forgotten_with_a_warning(stored: bytes) -> None:
    device = Elsewhere(PROCESSOR)
    MEASUREMENTS.put(calibrated._key(device), stored)
    calibrated._KNOWN.clear()
    with pytest.warns(
        CacheWarning,
        match=r"the calibration of interpreter is forgotten: .* calibrate again|invalid start byte",
    ):
        assert machine_of(device) == PROCESSOR
    calibrated._KNOWN.clear()
    assert machine_of(device) == PROCESSOR


def test_a_measured_table_becomes_prices_of_one_core_and_register(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Measured(
        "interpreter",
        {
            "SQRT float32 elementwise": 2e-10,
            "MUL int32 elementwise": 1e-14,  # noise: no operation takes nothing
            "READ float32 contiguous": 1e-10,
            "WRITE float32 contiguous": 1e-10,
            "REDUCE ADD float32 rows": 1e-10,
        },
        3e-5,
    )
    own = (OwnPrice("DOT", "int32", 0.05), OwnPrice("SQRT", "float32", 99.0))
    device = Elsewhere(replace(PROCESSOR, cores=4, frequency=1e9, vector_bytes=32, prices=own))
    monkeypatch.setattr(calibrate, "measured", lambda device, again: table)
    found = calibrate.machine(device)
    assert found.cycles(Op.DOT, int32) == 0.05
    assert found == machine_of(device) == machine_measured(device.described, table)
    assert found.cycles(Op.SQRT, float32) == pytest.approx(2e-10 * 4 * 1e9 * 8)
    assert found.cycles(Op.MUL, int32) == PROCESSOR.cycles(Op.MUL, int32) / 2
    assert found.cycles(Op.ADD, float32) == PROCESSOR.cycles(Op.ADD, float32)
    assert (found.bandwidth, found.launch_seconds, found.cores) == (pytest.approx(4e10), 3e-5, 4)
