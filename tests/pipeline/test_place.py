"""Programs with little work are planned for the part of a device that starts kernels sooner."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat as eq
from eqsat.dtype import float32
from eqsat.machine import Machine
from eqsat.pipeline.compilation import drafts_of
from eqsat.pipeline.planning import stored_plans
from eqsat.pipeline.planning.place import placed, suited
from eqsat.runtime import get_device, machine_of
from eqsat.runtime.opencl import pocl
from tests.runtime.programs import in_caller

PLAN = eq.Plan(device="pocl")


def iterated(x: Any, p: Any) -> Any:
    for _ in range(20):
        p = p @ x
        p = p / eq.sum(p)
    return p


def traced(size: int) -> eq.UOp:
    return eq.trace(iterated, eq.spec((size, size), float32), eq.spec((size,), float32))


def test_little_work_is_planned_for_the_calling_thread() -> None:
    graph, device = traced(32), get_device("pocl")
    program = eq.compile(graph, PLAN)
    alone = eq.compile(graph, eq.Plan(device=in_caller()))
    assert program.schedule.of_part
    assert not alone.schedule.of_part
    assert program.schedule.kernels == alone.schedule.kernels
    assert suited(device, program.schedule) is in_caller()
    assert drafts_of(graph, PLAN).schedule() == program.schedule


def test_much_work_is_planned_for_the_whole_device() -> None:
    made = eq.compile(traced(2048), PLAN).schedule
    assert not made.of_part
    assert suited(get_device("pocl"), made) is get_device("pocl")


@pytest.mark.parametrize("size", [100, 200, 300, 400, 500, 700])
def test_the_plan_is_the_better_of_both(size: int) -> None:
    """On either side of where the calling thread and all cores are as quick, and between."""
    graph = traced(size)
    chosen = eq.compile(graph, PLAN).schedule.predicted_seconds
    alone = eq.compile(graph, eq.Plan(device=in_caller())).schedule.predicted_seconds
    assert chosen <= 1.001 * alone


def test_no_second_place_is_planned_for_when_time_is_up() -> None:
    """Half of this work would change the place, so that both are planned for while there is time."""
    device, planned = get_device("pocl"), list[Machine]()
    machine, of_caller = machine_of(device), machine_of(in_caller())
    enough = 1.2 * (pocl.waking_seconds(machine.cores) + pocl.FOLLOWING_SECONDS) / (machine.cores - 1)

    def plans(machine: Machine) -> Machine:
        planned.append(machine)
        return machine

    def places(until: float) -> list[Machine]:
        planned.clear()
        placed(traced(2048), device, plans, lambda _: [machine.launch_seconds + enough], lambda _: 0.0, until)
        return planned[:]

    assert places(inf) == [machine, of_caller]
    assert places(0.0) == [machine]


def test_what_is_stored_says_where_it_runs(tmp_path: Path) -> None:
    program = eq.compile(traced(32), PLAN)
    made = program._compilation
    assert stored_plans.decode(stored_plans.encode(made)) == made
    program.save(tmp_path / "program")
    loaded = eq.load(tmp_path / "program", "pocl")
    assert loaded.schedule.of_part
    x, p = np.eye(32, dtype=np.float32), np.full(32, 3, np.float32)
    np.testing.assert_allclose(loaded(x, p), np.full(32, 1 / 32), rtol=1e-6)


@pytest.mark.parametrize("value", [1, "true", None])
def test_a_stored_plan_says_true_or_false(value: Any) -> None:
    document = stored_plans.document_of(eq.compile(traced(8), PLAN)._compilation)
    document["schedule"]["of_part"] = value
    with pytest.raises(stored_plans.StoredPlanError):
        stored_plans.compilation_of(document)
