"""Graphs of 40,000 UOps and chains 20,000 deep pass through every stage: no recursion, and about linear time."""

from __future__ import annotations

import copy
import gc
import json
import pickle
import threading
import time
import weakref
from collections.abc import Generator
from contextlib import contextmanager

import numpy as np
import pytest

import eqsat as eq
from eqsat.dtype import to_numpy
from eqsat.egraph.search.budget import StopReason
from eqsat.ops import AxisType, Stage
from eqsat.spec import verify
from eqsat.uop import UOp
from eqsat.uop.tree_text import indented_tree

DEPTH, COUNT = 20_000, 40_000
LONGEST = 30  # seconds of the processor; each step takes less than one, and a quadratic one would take hours
THREAD_STACK = 256 << 10  # bytes


def chain(depth: int = DEPTH, dtype: eq.DType = eq.float32) -> UOp:
    """Products and sums by turns, on 16 elements."""
    value = UOp.param(0, 16, dtype)
    for level in range(depth):
        value = value * 2 if level % 2 else value + 1
    return value


def thicket() -> UOp:
    """40,000 UOps, each a sum of two of the ten before it."""
    nodes = [UOp.param(slot, 4, eq.float32) for slot in range(10)]
    for one, other in np.random.default_rng(0).integers(1, 11, (COUNT + COUNT // 20, 2)).tolist():
        nodes.append(nodes[-one] + nodes[-other])
    return UOp.sink(*nodes)


def row() -> UOp:
    """40,000 UOps, none of them deep."""
    value = UOp.param(0, 4, eq.float32)
    return UOp.sink(*(value + float(number) for number in range(COUNT // 4)))


SHAPES = {"deep": chain, "tangled": thicket, "wide": row}
every_shape = pytest.mark.parametrize("build", SHAPES.values(), ids=SHAPES)


@contextmanager
def quick() -> Generator[None]:
    begin = time.process_time()
    yield
    assert time.process_time() - begin < LONGEST


@every_shape
def test_large_graph_is_built_verified_and_printed(build):
    with quick():
        graph = build()
        size = len(graph.toposort())
        assert size > (DEPTH if build is chain else COUNT)
        verify(graph, Stage.ARRAY)
        assert sum(" : " in line for line in graph.pretty().splitlines()) == size
        assert indented_tree(graph, limit=5).count("\n") == 5
        assert len(repr(UOp.sink(graph))) < 100


@every_shape
def test_large_graph_is_one_object_whatever_way_it_comes_back(build):
    graph = build()
    with quick():
        assert build() is graph
        assert hash(build()) == hash(graph)
        assert eq.from_json(json.loads(json.dumps(eq.to_json([graph])))) == [graph]
        assert pickle.loads(pickle.dumps(graph)) is graph
        assert copy.copy(graph) is copy.deepcopy([graph])[0] is graph


@every_shape
def test_large_graph_is_substituted_into(build):
    graph = build()
    other = UOp.param(99, graph.toposort()[0].shape[0], eq.float32)
    with quick():
        renewed = graph.substitute({graph.toposort()[0]: other})
    assert other in renewed.toposort()
    assert renewed.substitute({other: graph.toposort()[0]}) is graph


def test_ranges_of_a_deep_chain_are_found():
    loop = UOp.range(4, 0)
    value = loop
    for number in range(DEPTH):
        value = value * 2 + number
    with quick():
        assert value.ranges == {loop}
        assert UOp.sink(UOp(eq.Op.REDUCE, eq.index, (value, loop), eq.Op.ADD)).ranges == frozenset()
    assert loop.arg[1] is AxisType.LOOP


@every_shape
def test_last_reference_may_go_on_a_small_stack(build):
    before = threading.stack_size(THREAD_STACK)
    graphs = [build()]
    leaf = weakref.ref(graphs[0].toposort()[-2])
    thread = threading.Thread(target=graphs.clear)
    try:
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    gc.collect()
    assert leaf() is None


@pytest.mark.parametrize(("dtype", "seconds"), [(eq.float32, 1.0), (eq.index, 0.5), (eq.int32, 0.5)])
def test_deep_chain_is_optimized_within_its_budget(dtype, seconds):
    def optimized(budget):
        begin = time.process_time()
        best = eq.optimize(graph, eq.Plan(budget=eq.Budget(seconds=budget)))
        return best, time.process_time() - begin

    graph = chain(DEPTH // 2, dtype)
    # Seconds of this process; no budget is for encoding, extracting and building, which take long where nothing is searched, too.
    _, beside = optimized(0.01)
    best, taken = optimized(seconds)
    assert best.report.stop in (StopReason.NODES, StopReason.SECONDS, StopReason.SATURATED)
    assert taken < 2 * (seconds + beside)
    assert best.lower_bound <= best.cost < np.inf
    if dtype is not eq.index:  # whose values here have 5,000 bits
        data = {0: np.arange(16, dtype=to_numpy(dtype))}
        assert np.array_equal(eq.evaluate(best.uop, data), eq.evaluate(graph, data))


def test_program_of_4_000_operations_is_compiled_and_run():
    def long(x):
        for level in range(4_000):
            x = eq.sqrt(x) if level % 2 else x + 1.0
        return x

    with quick():
        program = eq.compile(eq.trace(long, eq.spec((16,), eq.float32)))
        x = np.linspace(0, 9, 16, dtype=np.float32)
        result = program(x)
    for level in range(4_000):
        x = np.sqrt(x) if level % 2 else x + np.float32(1)
    assert np.allclose(result, x)


def test_100_steps_of_a_stencil_are_compiled_and_run():
    def steps(xp, x):
        for _ in range(100):
            x = xp.pad(0.25 * x[:-2] + 0.5 * x[1:-1] + 0.25 * x[2:], [(1, 1)])
        return x

    with quick():
        program = eq.compile(eq.trace(lambda x: steps(eq, x), eq.spec((4096,), eq.float32)))
        x = np.linspace(0, 9, 4096, dtype=np.float32)
        result = program(x)
    assert np.allclose(result, steps(np, x), rtol=1e-5)
