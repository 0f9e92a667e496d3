"""Cost models made by measuring the device at hand: what is measured, and that it is kept."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat as eq
from eqsat import calibrate
from eqsat.calibrate.chains import OPERATIONS, Chain, every_chain
from eqsat.calibrate.patterns import access_patterns, lessons
from eqsat.calibrate.timing import seconds_of, together
from eqsat.dtype import float32, int32
from eqsat.extract import Learned, Measured, total_cost
from eqsat.extract.costs.measured import entry
from eqsat.extract.costs.protocol import nodes_of_graph
from eqsat.ops import ELEMENTARY, Op
from eqsat.pipeline import render
from eqsat.runtime import Executable, get_device
from eqsat.schedule.plan import schedule
from eqsat.uop import UOp


def test_every_chain_measures_an_entry_that_the_model_asks_for():
    for chain in every_chain():
        asked = {entry(node) for node in nodes_of_graph([chain.graph(2)])}
        names = {f"{op} {dtype.name} {pattern}" for op, dtype, pattern in filter(None, asked)}
        assert set(chain.entries) <= names
        if chain.partner_entry:
            assert chain.partner_entry in names


def test_every_access_pattern_measures_an_entry_that_the_model_asks_for():
    for pattern in access_patterns(16):
        asked = {entry(node) for node in nodes_of_graph([pattern.graph])}
        assert pattern.entry in {f"{op} {dtype.name} {kind}" for op, dtype, kind in filter(None, asked)}


def test_a_partner_is_measured_with_its_own_chain():
    found = {name for chain in every_chain() for name in chain.entries}
    assert {chain.partner_entry for chain in every_chain()} - {None} <= found
    assert len(found) == sum(len(operations) + 3 for operations in OPERATIONS.values())


def test_elementary_functions_are_measured_beside_each_other():
    """None waits for another one."""
    for chain in every_chain():
        if chain.op in ELEMENTARY:
            graph = chain.graph(5).toposort()
            links = [node for node in graph if node.op is chain.op]
            assert len(links) == 5
            assert not any(node.op is chain.op for link in links for node in UOp.sink(*link.src).toposort())


def test_programs_put_together_keep_their_results():
    """Inputs of one slot, size and type are shared, others are not."""
    device = get_device()
    x, y, n = UOp.param(0, 32, float32), UOp.param(1, 32, float32), UOp.param(0, 32, int32)
    graphs = [
        UOp.sink(x * 2.0 + y),
        UOp.sink(x.reshape((4, 8)).reduce_axis(Op.ADD, (1,)), y * y),
        UOp.sink(n * 3),
    ]
    joined = together([schedule(graph, device.described) for graph in graphs])
    assert len(joined.inputs) == 3
    arrays = [np.arange(32, dtype=np.float32), np.ones(32, np.float32), np.arange(32, dtype=np.int32)]
    results = Executable(device, joined, render(joined, device), save=False)(*arrays)
    expected = [arrays[0] * 2 + 1, arrays[0].reshape(4, 8).sum(1), np.ones(32), arrays[2] * 3]
    for result, wanted in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result, wanted)


def test_programs_take_time(monkeypatch):
    monkeypatch.setattr("eqsat.calibrate.chains.ELEMENTS", 64)
    monkeypatch.setattr("eqsat.calibrate.chains.SLOW_ELEMENTS", 64)
    graphs = [chain.graph(2) for chain in (Chain(Op.ADD, float32, None), Chain(Op.IDIV, int32, Op.ADD))]
    assert all(seconds > 0 for seconds in seconds_of(graphs, get_device(), repeats=1))


@pytest.fixture
def small(monkeypatch, tmp_path):
    """Calibration in seconds: few operations, small arrays, a cache of its own."""
    monkeypatch.setenv("EQSAT_CACHE", str(tmp_path))
    monkeypatch.setattr("eqsat.calibrate.chains.ELEMENTS", 64)
    some = [Chain(Op.ADD, float32, None), Chain(Op.MAX, float32, Op.ADD), Chain(Op.WHERE, float32, Op.ADD)]
    monkeypatch.setattr(calibrate, "every_chain", lambda: some)
    monkeypatch.setattr(calibrate, "access_patterns", lambda: access_patterns(32)[:3])
    monkeypatch.setattr(calibrate, "lessons", lambda: lessons((16,))[:3])


def test_a_table_is_measured_once_and_kept(small):
    model = calibrate.measured()
    assert isinstance(model, Measured)
    assert model.device == get_device().name
    assert {"ADD", "MAX", "CMPLT", "WHERE", "READ", "WRITE", "PERMUTE"} <= {
        key.split()[0] for key in model.seconds
    }
    assert all(0 < seconds < 1e-3 for seconds in model.seconds.values())
    assert calibrate.measured() == model


def test_a_regression_is_learned_once_and_kept(small):
    model = calibrate.learned()
    assert isinstance(model, Learned)
    assert any(model.weights)
    assert model.error >= 0
    assert calibrate.learned() == model


def test_a_kept_model_of_another_version_is_measured_again(small, monkeypatch):
    with monkeypatch.context() as older:
        older.setattr(Learned, "to_json", lambda model: "{}")
        calibrate.learned()
    assert any(calibrate.learned().weights)


def test_a_measured_model_plans(small):
    graph = eq.trace(lambda x: x + x + x, eq.spec((64,), eq.float32))
    best = eq.optimize(graph, eq.Plan(cost=calibrate.measured()))
    assert best.cost == pytest.approx(total_cost(calibrate.measured(), [best.uop]))
