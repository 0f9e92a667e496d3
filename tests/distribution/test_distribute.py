"""Graphs of several devices mean the same when each node is computed on one device, and when each device has a graph of its own."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import eqsat as eq
from eqsat.distribution import Link, cut, distribute, on_one_device
from eqsat.distribution.placement import Placement
from eqsat.ops import Op, Stage
from eqsat.reference import evaluate
from eqsat.schedule.lowering.older_forms import modernize_on_devices
from eqsat.spec import verify
from eqsat.uop import UOp
from tests.distribution.sharded import run_parts, sharded, stacked
from tests.test_programs import check, pytest_generate_tests  # noqa: F401  which draws groups of programs

RING, NAIVE = Link(step_seconds=0), Link(step_seconds=1e9)
GONE = {Op.MSTACK, Op.MSELECT, Op.ALLREDUCE}


def require_placed(sink: UOp) -> None:
    """Every node has its operands on its own device, or anywhere; COPY alone has them elsewhere."""
    verify(sink, Stage.ARRAY)
    at = Placement()
    for node in sink.toposort():
        assert node.op not in GONE
        assert node.op is not Op.MULTI or node in sink.src
        if node.op not in (Op.COPY, Op.SINK, Op.MULTI):
            assert {at(source) for source in node.src} <= {None, at(node)}, node


def distributed(program):
    """What a program makes of inputs on two or four devices, which reduce around a ring or all with all."""
    random = Random(repr(program))
    devices, link = random.choice((["A", "B"], ["A", "B", "C", "D"])), random.choice((RING, NAIVE))
    graph, data = sharded(program, devices, random)
    program.check(evaluate(graph, data))
    placed = modernize_on_devices(distribute(graph, link))
    require_placed(placed)
    program.check(evaluate(placed, data))
    return run_parts(cut(placed), data)


def test_drawn_programs_mean_the_same_on_several_devices(group, pytestconfig) -> None:
    check(distributed, group, pytestconfig.getoption("seed"))


@pytest.mark.parametrize("seed", range(60))
def test_copies_mean_the_same_on_several_devices(seed: int) -> None:
    random = Random(seed)
    graph = stacked(random, ["A", "B", "C"])
    verify(graph, Stage.ARRAY)
    data = {slot: np.random.default_rng(slot).standard_normal(12) for slot in range(3)}
    expected = evaluate(graph, data)
    for link in (RING, NAIVE):
        placed = modernize_on_devices(distribute(graph, link))
        require_placed(placed)
        for found in (
            evaluate(placed, data),
            run_parts(cut(placed), data),
            evaluate(on_one_device(graph), data),
        ):
            for mine, other in zip(found, expected, strict=True):
                np.testing.assert_allclose(mine, other, rtol=1e-12, atol=1e-12)


def halves(function, *shapes: tuple[int, ...]):
    """The parts of a program of two devices."""
    graph = eq.trace(function, *(eq.spec(shape, eq.float32) for shape in shapes))
    return cut(modernize_on_devices(distribute(graph, Link()))).parts


def test_elementwise_operations_copy_nothing() -> None:
    parts = halves(lambda x, y: eq.shard(x, ["A", "B"], 0) * 2 + eq.shard(y, ["A", "B"], 0), (6, 4), (6, 4))
    assert [part.place for part in parts] == ["A", "B"]
    # Windows of the caller's arrays alone
    assert all(source.views for part in parts for source in part.sources)


def test_replicas_stay_on_their_devices() -> None:
    """A sum over the sharded axis is combined on every device that goes on with it."""
    parts = halves(lambda x: eq.shard(x, ["A", "B"], 0) - eq.mean(eq.shard(x, ["A", "B"], 0), axis=0), (6, 4))
    assert [part.place for part in parts] == ["A", "B", "A", "B"]


def test_matrices_are_multiplied_in_shards() -> None:
    rows = halves(lambda x, y: eq.shard(x, ["A", "B"], 0) @ y, (8, 4), (4, 6))
    columns = halves(lambda x, y: x @ eq.shard(y, ["A", "B"], 1), (8, 4), (4, 6))
    inner = halves(lambda x, y: eq.shard(x, ["A", "B"], 1) @ eq.shard(y, ["A", "B"], 0), (8, 4), (4, 6))
    assert [len(each) for each in (rows, columns, inner)] == [2, 2, 3]


def received(parts, elements):
    """The most elements that one device gets from others."""
    total: dict[str, int] = {}
    for part in parts:
        for slot, source in enumerate(part.sources):
            if hasattr(source, "part") and parts[source.part].place != part.place:
                param = next(
                    node for node in part.sink.toposort() if node.op is Op.PARAM and node.arg[0] == slot
                )
                total[part.place] = total.get(part.place, 0) + param.arg[1]
    return max(total.values()) / elements


@pytest.mark.parametrize("count", [3, 4, 5])
def test_ring_moves_fewer_bytes_in_more_steps(count: int) -> None:
    devices = ["A", "B", "C", "D", "E"][:count]

    def total(x):
        sums = eq.sum(eq.shard(x, devices, 0), axis=0)
        return eq.shard(x, devices, 0) * sums

    graph = eq.trace(total, eq.spec((count, 60), eq.float32))
    ring, naive = (cut(modernize_on_devices(distribute(graph, link))).parts for link in (RING, NAIVE))
    assert received(naive, 60) == count - 1
    assert received(ring, 60) == pytest.approx(2 * (count - 1) / count)
    assert len(ring) == count * (count + 1)
    assert len(naive) == count * 2


def test_copies_move_the_smallest_of_a_chain_of_movements() -> None:
    def spread(x, y):
        return eq.shard(x, ["A", "B"], 0) + eq.broadcast_to(eq.to_device(y, "A") * 2, (64, 4))

    assert received(halves(spread, (64, 4), (4,)), 1) == 4


def test_operands_on_different_devices_are_refused() -> None:
    graph = eq.trace(lambda x: eq.to_device(x, "A") + eq.to_device(x * 2, "B"), eq.spec((4,), eq.float32))
    with pytest.raises(eq.DeviceError, match="ADD.* has operands on A and B; COPY one"):
        distribute(graph, Link())
