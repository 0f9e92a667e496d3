"""The ways to compute one kernel, of cones written by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from eqsat.schedule.placement.cone import LOADED, READ, Cone, NodeKind
from eqsat.schedule.placement.kernel_limits import KERNEL_BUFFERS
from eqsat.schedule.placement.variants import Enumeration

Kinds = dict[NodeKind, tuple[int, list[int]]]
"""By what each node does, its class and its operands."""


def test_no_variant_has_a_class_that_needs_itself() -> None:
    # class 1 is below class 0 by its e-class, and may be computed of it
    kinds: Kinds = {
        NodeKind(7, 0): (0, [1]),
        NodeKind(7, 1): (0, []),
        NodeKind(3, 2): (1, [0]),
        NodeKind(3, 3): (1, []),
    }
    assert _insides([(7, 0), (3, 0)], kinds) == [{0: 0, 1: 3}, {0: 1}]


def test_what_is_met_twice_is_no_cycle() -> None:
    kinds: Kinds = {
        NodeKind(7, 0): (0, [1, 2]),
        NodeKind(5, 1): (1, [3]),
        NodeKind(4, 2): (2, [1, 3]),
        NodeKind(6, 3): (3, []),
    }
    assert _insides([(7, 0), (5, 0), (4, 0), (6, 0)], kinds) == [{0: 0, 1: 1, 2: 2, 3: 3}]


def test_a_long_cycle_is_found_behind_what_it_does_not_need() -> None:
    kinds: Kinds = {
        NodeKind(9, 0): (0, [1, 2]),
        NodeKind(8, 1): (1, [3]),
        NodeKind(7, 2): (2, [4, 3]),
        NodeKind(6, 3): (3, []),
        NodeKind(5, 4): (4, [3, 2]),
    }
    assert _insides([(9, 0), (8, 0), (7, 0), (6, 0), (5, 0)], kinds) == []


def test_a_variant_is_found_when_time_is_up() -> None:
    """It loads what it can. A stand-in for all others has a lower bound of each."""
    chain: Kinds = {NodeKind(20 - c, node): (c, [c + 1]) for c in range(8) for node in (2 * c, 2 * c + 1)}
    cone = _cone([(20 - c, 0) for c in range(9)], chain | {NodeKind(12, 16): (8, [])})
    every, first = Enumeration(0, cone, 1000), Enumeration(0, cone, 1000, until=0.0)
    assert len(every.variants) == 2**8
    assert not every.stand_ins
    assert len(first.variants) in (1, 2)
    assert [each.inside for each in first.variants] == [each.inside for each in every.variants[:1]]
    (other,) = first.stand_ins
    assert all(other.lower_bound <= each.lower_bound and other.reads <= each.reads for each in every.variants)


@pytest.mark.parametrize("operands", [KERNEL_BUFFERS - 1, KERNEL_BUFFERS, 3 * KERNEL_BUFFERS])
def test_variants_read_no_more_than_a_kernel_can(operands: int) -> None:
    """The root needs many operands, each of which may be loaded, or computed of one input."""
    found = Enumeration(0, _cone_of_many(operands, are_computed=True), 100).variants
    assert len(found) >= 50
    assert max(len(each.reads) for each in found) == KERNEL_BUFFERS - 1
    if operands >= KERNEL_BUFFERS:
        assert all(0 in each.reads for each in found)
    if operands == KERNEL_BUFFERS - 1:
        assert {*range(1, operands + 1)} in [each.reads for each in found]


def test_a_kernel_that_must_read_more_has_a_variant() -> None:
    found = Enumeration(0, _cone_of_many(2 * KERNEL_BUFFERS, are_computed=False), 100).variants
    assert {len(each.reads) for each in found} == {2 * KERNEL_BUFFERS}


def test_sums_of_products_are_not_also_enumerated_fused() -> None:
    """Each sum of a chain may be a sum of a product, or both in one: one kernel in 2**8 ways."""
    kinds: Kinds = {NodeKind(0, 0): (0, [])}
    places = [(0, 0)]
    for step in range(8):
        before, factor, product, total = 3 * step, *(3 * step + more for more in (1, 2, 3))
        nodes = [
            (factor, []),
            (product, [before, factor]),
            (total, [product, factor]),
            (total, [before, factor, factor]),
        ]
        kinds |= {NodeKind(owner, len(kinds) + k): (owner, row) for k, (owner, row) in enumerate(nodes)}
        places += [(owner, 0) for owner in (factor, product, total)]
    cone = replace(_cone(places, kinds), roots=[len(places) - 1])
    (only,) = Enumeration(0, cone, 1000).variants
    assert len(only.inside) == len(places)


def _cone_of_many(operands: int, *, are_computed: bool) -> Cone:
    """A cone whose root needs operands of the buffers 1, 2, …; buffer 0 is the input."""
    buffers = range(operands + 1)
    root, computed = operands + 1, range(1, operands + 1)
    places = [(1000, 0), *((500 + each, 0) for each in computed), *((each, READ) for each in buffers)]
    kinds: Kinds = {NodeKind(1000, 0): (0, [*computed])}
    for each in computed:
        kinds[NodeKind(500 + each, LOADED)] = each, [root + each]
        if are_computed:
            kinds[NodeKind(500 + each, each)] = each, [root]
    reads = {NodeKind(each, READ): (root + each, []) for each in buffers}
    cone = _cone(places, kinds | reads)
    cone.reads = [-1] * len(kinds) + [*buffers]
    return cone


def _insides(places: list[tuple[int, int]], kinds: Kinds) -> list[dict[int, int]]:
    """The nodes of each variant, of a cone with class 0 as its root."""
    return [each.inside for each in Enumeration(0, _cone(places, kinds), 20).variants]


def _cone(places: list[tuple[int, int]], kinds: Kinds) -> Cone:
    count = len(kinds)
    return Cone(
        stores=(places[0][0],),
        roots=[0],
        owner=[owner for owner, _ in kinds.values()],
        rows=[row for _, row in kinds.values()],
        kinds=list(kinds),
        reads=[-1] * count,
        least_seconds=np.zeros((count, 3)),
        loop_shares=np.zeros((count, 2)),
        chains=np.zeros(count),
        read_bytes=np.zeros(count),
        elements=places,
    )
