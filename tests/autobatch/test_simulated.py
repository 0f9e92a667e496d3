"""Kernels of programs are clean under Oclgrind: no races, no accesses out of bounds, nothing uninitialized."""

import pytest

from tests.autobatch.simulated import WAYS, reports_of

DRAWN = list(zip((4, 503, 505, 508, 1, 1, 2, 4, 3), WAYS, strict=True))


@pytest.fixture(scope="module")
def reports():
    return dict(zip(DRAWN, reports_of(DRAWN), strict=True))


@pytest.mark.parametrize(("seed", "way"), DRAWN)
def test_kernels_of_drawn_programs_are_clean(seed, way, reports):
    assert not reports[seed, way]
