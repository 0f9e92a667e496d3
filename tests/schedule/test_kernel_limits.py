"""Large elementwise programs: cut into few kernels, each small enough for a compiler."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import eqsat as eq
from eqsat.egraph.saturate import saturate
from eqsat.egraph.snapshot.unsaturated import snapshot_as_written
from eqsat.machine import Machine
from eqsat.ops import ALU, Op
from eqsat.schedule.placement.array_graph import ArrayGraph
from eqsat.schedule.placement.candidates import StorageCandidates
from eqsat.schedule.placement.kernel_limits import KERNEL_BUFFERS, KERNEL_INSTRUCTIONS, KERNEL_NODES


def hashed(x: eq.Array) -> eq.Array:
    return (x ^ (x >> 3)) + x * 5 - (x & 77)


def chaotic(x: eq.Array) -> eq.Array:
    return eq.sin(x) * x + eq.cos(x * 3.7) / (x * x + 1)


def recurrence(step: Callable[[eq.Array], eq.Array], steps: int, dtype: eq.DType) -> eq.UOp:
    def program(x: eq.Array) -> eq.Array:
        for _ in range(steps):
            x = step(x)
        return x

    return eq.trace(program, eq.spec((64,), dtype))


def one(graph: ArrayGraph, c: int) -> float:
    """One for each operation on elements."""
    return float(graph.term(graph.cheapest[c]).op in ALU)


def instructions(graph: ArrayGraph, c: int) -> float:
    return graph.instructions(graph.cheapest[c])


def sizes(
    graph: ArrayGraph, stored: set[int], size_of: Callable[[ArrayGraph, int], float] = one
) -> list[float]:
    """The size of the kernel that computes each of these e-classes by its cheapest e-nodes: its operations, or what `size_of` gives for each."""
    found: list[float] = []
    for c in stored:
        seen, pending = {c}, [c]
        while pending:
            new = set(graph.rows[graph.cheapest[pending.pop()]]) - seen - stored
            seen |= new
            pending += new
        found.append(sum(size_of(graph, each) for each in seen))
    return found


@pytest.mark.parametrize("steps", [30, 100, 400])
@pytest.mark.parametrize(("step", "dtype"), [(hashed, eq.int32), (chaotic, eq.float32)])
def test_a_recurrence_is_cut_where_one_value_carries_its_state(
    step: Callable[[eq.Array], eq.Array], dtype: eq.DType, steps: int
) -> None:
    graph = ArrayGraph(snapshot_as_written([recurrence(step, steps, dtype)]), Machine())
    kept = StorageCandidates(graph).must_store
    counts = sizes(graph, kept)
    assert max(counts) <= KERNEL_NODES
    # Nearly as few as there can be, and nothing is computed twice
    assert len(kept) <= sum(counts) // KERNEL_NODES + 2
    assert sum(counts) == sum(graph.term(graph.cheapest[c]).op in ALU for c in graph.needed)


def wide(count: int, seed: int) -> eq.UOp:
    """Operations on any two of the 40 values before each, so that at each place some 40 values carry all that is known."""
    draw = np.random.default_rng(seed)

    def program(*inputs: eq.Array) -> eq.Array:
        values = list(inputs)
        for place in range(count):
            one, other = (values[each] for each in draw.integers(max(0, len(values) - 40), len(values), 2))
            values.append([one + other, one * other * 0.5, eq.maximum(one, other)][place % 3])
        return sum(values[-39:], values[-40])

    return eq.trace(program, *[eq.spec((64,), eq.float32)] * 4)


@pytest.mark.parametrize("count", [600, 1200])
def test_a_program_is_not_cut_where_many_values_carry_its_state(count: int) -> None:
    """Each cut would store an array, and leave nearly all the work to the next kernel."""
    graph = ArrayGraph(snapshot_as_written([wide(count, count)]), Machine())
    assert len(StorageCandidates(graph).must_store) == 1


def test_no_kernel_has_too_many_instructions() -> None:
    graph = ArrayGraph(snapshot_as_written([wide(3300, 3300)]), Machine())
    kept = StorageCandidates(graph).must_store
    assert sum(instructions(graph, c) for c in graph.needed) > KERNEL_INSTRUCTIONS
    assert max(sizes(graph, kept, instructions)) <= KERNEL_INSTRUCTIONS


def test_sums_of_many_inputs_are_cut_by_their_buffers() -> None:
    def total(*inputs: eq.Array) -> eq.Array:
        return eq.sum(eq.stack([eq.sin(each) for each in inputs]), axis=0)

    graph = ArrayGraph(snapshot_as_written([eq.trace(total, *[eq.spec((8,), eq.float32)] * 150)]), Machine())
    stored = StorageCandidates(graph).must_store
    for c in stored:
        seen, pending = {c}, [c]
        while pending:
            each = pending.pop()
            if each in graph.inputs or (each in stored and each != c):
                continue
            new = set(graph.rows[graph.cheapest[each]]) - seen
            seen |= new
            pending += new
        is_reduction = graph.term(graph.cheapest[c]).op is Op.REDUCE_AXIS
        assert is_reduction or len(seen & (graph.inputs | stored)) <= KERNEL_BUFFERS


def test_the_cheapest_e_nodes_count_shared_values_once() -> None:
    """With each use counted, the cost of this recurrence doubles in each step, and sums over all former steps seem cheap."""

    def program(x: eq.Array) -> eq.Array:
        for step in range(20):
            x = (x ^ (x >> 3)) + x * 5 - (x & (step + 1))
        return x

    traced = eq.trace(program, eq.spec((64,), eq.int32))
    graph = ArrayGraph(saturate([traced], eq.Plan().admitted).snapshot, Machine())
    assert sum(graph.term(graph.cheapest[c]).op in ALU for c in graph.needed) <= 7 * 20


@pytest.mark.parametrize("steps", [60, 100])
def test_a_recurrence_of_two_values_is_one_kernel(steps: int) -> None:
    """No value carries the state alone, though many operations leave only one value to load."""

    def program(x: eq.Array, y: eq.Array) -> tuple[eq.Array, eq.Array]:
        for _ in range(steps):
            x, y = abs(-abs(-(x * y))), -abs(-abs(x + y))
        return x, y

    graph = ArrayGraph(snapshot_as_written([eq.trace(program, *[eq.spec((64,), eq.float32)] * 2)]), Machine())
    candidates = StorageCandidates(graph)
    assert sum(one(graph, c) for c in graph.needed) > KERNEL_NODES
    assert candidates.storable == candidates.must_store == set(graph.outputs)
