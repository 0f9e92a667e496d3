"""Drawn networks of movements, reductions and shared values are scheduled and computed as the reference says.

    pytest tests/schedule/test_networks.py --networks 2000 --seed 7

draws 2,000 networks other than those of another seed.
"""

from __future__ import annotations

import numpy as np
import pytest

import eqsat as eq
from eqsat.ops import Op, Stage
from eqsat.reference import evaluate
from eqsat.schedule.plan import schedule
from eqsat.spec import verify
from tests.schedule.graphs import inputs_for, run
from tests.schedule.networks import device, network

GROUP = 10  # networks per test
DEVICE_SHARE = 10  # of so many networks, one is built and run on the device, too


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test per group of networks."""
    count = metafunc.config.getoption("networks")
    first = metafunc.config.getoption("seed") * 1_000_003
    groups = [range(first + start, first + min(start + GROUP, count)) for start in range(0, count, GROUP)]
    if "group" in metafunc.fixturenames:
        metafunc.parametrize("group", groups, ids=[f"{group[0]}-{group[-1]}" for group in groups])


def test_network_is_scheduled_as_the_reference_computes_it(group: range) -> None:
    for seed in group:
        sink = network(seed)
        result = schedule(sink, device(seed))
        for kernel in result.kernels:
            verify(kernel.ast, Stage.KERNEL)
        inputs = inputs_for(result, seed)
        slots = [result.buffers[number].slot for number in result.inputs]
        expected = evaluate(sink, dict(zip(slots, inputs, strict=True)))
        expected = expected if isinstance(expected, tuple) else (expected,)
        for got, want in zip(run(result, inputs), expected, strict=True):
            np.testing.assert_array_equal(got.reshape(want.shape), want, f"network {seed}")


def test_network_runs_as_the_reference_computes_it(group: range) -> None:
    for seed in group[::DEVICE_SHARE]:
        sink = network(seed)
        random = np.random.default_rng(seed)
        sizes = {node.arg[0]: node.arg[1] for node in sink.toposort() if node.op is Op.PARAM}
        inputs = [random.integers(-9, 9, sizes.get(slot, 1), np.int32) for slot in range(max(sizes) + 1)]
        expected = evaluate(sink, dict(enumerate(inputs)))
        expected = expected if isinstance(expected, tuple) else (expected,)
        for got, want in zip(eq.compile(sink).run(inputs), expected, strict=True):
            np.testing.assert_array_equal(got, want, f"network {seed}")
