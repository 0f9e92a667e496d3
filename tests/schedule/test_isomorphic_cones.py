"""A cone that is renamed from one alike says what it would have said had it been built."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import eqsat as eq
from benchmarks.scaling import FAMILIES
from eqsat.egraph.saturate import saturate
from eqsat.egraph.snapshot.unsaturated import snapshot_as_written
from eqsat.machine import Machine
from eqsat.schedule.lowering.older_forms import modernize
from eqsat.schedule.placement.array_graph import ArrayGraph
from eqsat.schedule.placement.candidates import StorageCandidates
from eqsat.schedule.placement.cone import Cone
from eqsat.schedule.placement.cone_builder import ConeBuilder
from eqsat.schedule.placement.isomorphic_cones import IsomorphicCones
from eqsat.uop import UOp
from tests.schedule.networks import network

FAMILY = {family.name: family for family in FAMILIES}


def builder_of(graph: UOp, *, saturated: bool = False) -> ConeBuilder:
    sink = modernize(graph if graph.op is eq.Op.SINK else UOp.sink(graph))
    snapshot = saturate([sink], eq.Plan().admitted).snapshot if saturated else snapshot_as_written([sink])
    graph_of_arrays = ArrayGraph(snapshot, Machine())
    return ConeBuilder(graph_of_arrays, StorageCandidates(graph_of_arrays, 8))


def said(cone: Cone) -> set[object]:
    """What each node of a cone does and takes, whatever the numbers of classes and nodes."""
    return {
        (
            cone.elements[owner],
            kind,
            tuple(cone.elements[each] for each in row),
            cone.reads[node],
            tuple(cone.least_seconds[node].tolist()),
            float(cone.read_bytes[node]),
        )
        for node, (owner, row, kind) in enumerate(zip(cone.owner, cone.rows, cone.kinds, strict=True))
    }


def renamed_cones(builder: ConeBuilder) -> int:
    """How many cones of a program are renamed; each is compared with the one that is built without others."""
    alone = ConeBuilder(builder.graph, builder.candidates, builder.maps)
    found = 0
    for c in sorted(builder.candidates.storable):
        cone = builder.build([c])
        found += cone.pattern is not None
        alone.isomorphic = IsomorphicCones(alone)
        built = alone.build([c])
        assert built.pattern is None
        assert said(cone) == said(built), c
        assert cone.stores == built.stores
        assert cone.copied == built.copied
        assert [cone.elements[root] for root in cone.roots] == [built.elements[root] for root in built.roots]
        assert np.isclose(cone.launch + sum(cone.store_seconds), built.launch + sum(built.store_seconds))
    return found


@pytest.mark.parametrize(("name", "size", "least"), [("transformer", 4, 10), ("layers", 8, 4)])
def test_equal_layers_are_renamed(name: str, size: int, least: int) -> None:
    assert renamed_cones(builder_of(FAMILY[name].graph(size), saturated=name == "layers")) >= least


def on_other_inputs(graph: UOp) -> UOp:
    """A program that does everything twice: to its inputs, and to as many others."""
    params = [node for node in graph.toposort() if node.op is eq.Op.PARAM]
    count = 1 + max(each.arg[0] for each in params)
    others = {each: each.replace(arg=(each.arg[0] + count, *each.arg[1:])) for each in params}
    roots = graph.src if graph.op is eq.Op.SINK else (graph,)
    return UOp.sink(*roots, *(root.substitute(others) for root in roots))


@pytest.mark.parametrize("seed", range(8))
def test_drawn_networks_on_other_inputs(seed: int) -> None:
    assert renamed_cones(builder_of(on_other_inputs(network(seed)))) > 0


def twice(first: Callable[[UOp, UOp], UOp], second: Callable[[UOp, UOp], UOp]) -> ConeBuilder:
    """Two programs of two arrays each, side by side."""

    def both(a: UOp, b: UOp, c: UOp, d: UOp) -> tuple[UOp, UOp]:
        return first(a, b), second(c, d)

    matrix = eq.spec((64, 64), eq.float32)
    return builder_of(eq.trace(both, matrix, matrix, matrix, matrix))


def results_are_alike(builder: ConeBuilder) -> bool:
    one, other = builder.graph.outputs
    builder.build([one])
    return builder.build([other]).pattern is not None


def exponentials_of_product(x: UOp, y: UOp) -> UOp:
    return eq.exp(eq.matmul(x, y))


def test_what_differs_is_built() -> None:
    """In an operation, a constant, an operand used twice, or a buffer read twice."""
    assert results_are_alike(twice(exponentials_of_product, exponentials_of_product))
    for other in (
        lambda x, y: eq.sin(eq.matmul(x, y)),
        lambda x, y: eq.exp(eq.matmul(x, y)) + 1.0,
        lambda x, y: eq.exp(eq.matmul(x, x)),
        lambda x, y: eq.exp(eq.matmul(x, eq.permute_dims(y, (1, 0)))),
    ):
        assert not results_are_alike(twice(exponentials_of_product, other))


def test_the_costs_of_what_is_loaded_matter() -> None:
    """Whether a sum is computed again rather than stored depends on the length of the sum, which the kernel of the result may never see."""
    assert not results_are_alike(
        twice(
            lambda x, y: eq.exp(eq.sum(x, axis=1, keepdims=True) * y),
            lambda x, y: eq.exp(eq.max(x, axis=1, keepdims=True) * y),
        )
    )


def test_more_of_one_kind_than_are_compared() -> None:
    """What is below tells apart those that store results of one kind, so that the one alike is found among many."""

    def scaled(*matrices: UOp) -> tuple[UOp, ...]:
        return tuple(eq.exp(eq.sum(x, axis=1) * (2.0 + number % 40)) for number, x in enumerate(matrices))

    builder = builder_of(eq.trace(scaled, *[eq.spec((8, 8), eq.float32)] * 80))
    cones = [builder.build([c]) for c in builder.graph.outputs]
    assert all(cone.pattern is not None for cone in cones[40:])


def test_cones_load_what_they_can_when_time_is_up() -> None:
    """No cone is larger than without a limit, all together are smaller, and those of the outputs read something."""
    builder = builder_of(network(4))
    late = ConeBuilder(builder.graph, builder.candidates, until=0.0)
    pairs = [(builder.build([c]), late.build([c])) for c in sorted(builder.candidates.storable)]
    sizes = [(len(usual.elements), len(small.elements)) for usual, small in pairs]
    assert all(small <= usual for usual, small in sizes)
    assert 2 * sum(small for _, small in sizes) < sum(usual for usual, _ in sizes)
    assert all(small.read_nodes and not small.filling for _, small in pairs)
