"""What accounts of kernels say is what the schedule has and the cost model counts."""

from __future__ import annotations

import pytest

import eqsat as eq
from eqsat.machine import Machine
from eqsat.pipeline.accounts import accounts
from eqsat.pipeline.compilation import drafts_of
from eqsat.schedule.cost.estimates import NOT_HIDDEN
from eqsat.schedule.draft import describe
from eqsat.schedule.kernel import Role
from eqsat.schedule.placement import Effort
from eqsat.schedule.plan import draft
from tests.schedule.graphs import GRAPHS
from tests.schedule.networks import device, network


@pytest.mark.parametrize("name", [*GRAPHS, *range(8)])
def test_accounts_agree_with_the_schedule(name: str | int) -> None:
    drafts = draft(network(name), device(name)) if isinstance(name, int) else draft(GRAPHS[name](), Machine())
    schedule = drafts.schedule()
    for kernel, each, found in zip(drafts.kernels, schedule.kernels, accounts(drafts), strict=True):
        assert found.name == each.name
        seconds = dict(found.seconds)
        overhead, loops = seconds.pop("launch"), seconds.pop("loops")
        compute = max(seconds.pop("arithmetic"), seconds.pop("ports")) + loops
        parts = [compute, seconds["chains"], seconds["memory"]]
        total = max(parts) + NOT_HIDDEN * (sum(parts) - max(parts)) + overhead
        assert found.predicted_seconds == pytest.approx(total)
        assert len(found.memory) == len(each.buffers)
        for number in each.buffers:
            spec = schedule.buffers[number]
            size = f"{spec.size:,} {spec.dtype}, {spec.size * spec.dtype.itemsize:,} bytes, "
            reason = {Role.INPUT: f"argument {spec.slot}", Role.OUTPUT: f"result {spec.slot}"}.get(spec.role)
            assert any(size + (reason or "") in line for line in found.memory)
        others = [other.predicted_seconds for other in found.runners_up]
        assert others == sorted(others)
        assert all(other >= found.predicted_seconds * (1 - 1e-9) for other in others)
        assert describe(kernel.profile, kernel.choice.best) not in [
            other.choice for other in found.runners_up
        ]


def test_temporaries_say_who_uses_them_how_often() -> None:
    graph = eq.trace(
        lambda x, y: eq.matmul(eq.cumulative_sum(eq.exp(x), axis=0), y),
        eq.spec((96, 80), eq.float32),
        eq.spec((80, 48), eq.float32),
    )
    first, last = accounts(draft(graph, Machine(), Effort(gap=0.0)))
    use = "for sum_96x48 (kernel 1), which uses each element 48 times"
    assert f"out0: 7,680 float32, 30,720 bytes, {use}" in first.memory
    assert f"in0: 7,680 float32, 30,720 bytes, stored by kernel 0, {use}" in last.memory


def test_drafts_are_of_the_kernels_that_compile_takes() -> None:
    graph = eq.trace(
        lambda x, y: eq.matmul(x, y) + 1.0, eq.spec((33, 20), eq.float32), eq.spec((20, 7), eq.float32)
    )
    assert drafts_of(graph, eq.Plan()).schedule() == eq.compile(graph).schedule
