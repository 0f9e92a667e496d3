"""The ways to compute one kernel, of cones written by hand."""

from __future__ import annotations

import numpy as np

from eqsat.schedule.placement.cone import Cone, Way
from eqsat.schedule.placement.variants import Enumeration

Ways = dict[Way, tuple[int, list[int]]]
"""By what each node does, its class and its operands."""


def test_no_variant_has_a_class_that_needs_itself() -> None:
    # class 1 is below class 0 by its e-class, and may be computed of it
    ways: Ways = {Way(7, 0): (0, [1]), Way(7, 1): (0, []), Way(3, 2): (1, [0]), Way(3, 3): (1, [])}
    assert _insides([(7, 0), (3, 0)], ways) == [{0: 0, 1: 3}, {0: 1}]


def test_what_is_met_twice_is_no_cycle() -> None:
    ways: Ways = {Way(7, 0): (0, [1, 2]), Way(5, 1): (1, [3]), Way(4, 2): (2, [1, 3]), Way(6, 3): (3, [])}
    assert _insides([(7, 0), (5, 0), (4, 0), (6, 0)], ways) == [{0: 0, 1: 1, 2: 2, 3: 3}]


def test_a_long_cycle_is_found_behind_what_it_does_not_need() -> None:
    ways: Ways = {
        Way(9, 0): (0, [1, 2]),
        Way(8, 1): (1, [3]),
        Way(7, 2): (2, [4, 3]),
        Way(6, 3): (3, []),
        Way(5, 4): (4, [3, 2]),
    }
    assert _insides([(9, 0), (8, 0), (7, 0), (6, 0), (5, 0)], ways) == []


def _insides(places: list[tuple[int, int]], ways: Ways) -> list[dict[int, int]]:
    """The nodes of each variant, of a cone with class 0 as its root."""
    count = len(ways)
    cone = Cone(
        stores=(places[0][0],),
        roots=[0],
        owner=[owner for owner, _ in ways.values()],
        rows=[row for _, row in ways.values()],
        ways=list(ways),
        reads=[-1] * count,
        least_seconds=np.zeros((count, 3)),
        loop_shares=np.zeros((count, 2)),
        chains=np.zeros(count),
        read_bytes=np.zeros(count),
        elements=places,
    )
    return [each.inside for each in Enumeration(0, cone, 20).variants]
