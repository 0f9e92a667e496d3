"""Kernels of programs are clean under Oclgrind: no races, no accesses out of bounds, nothing uninitialized."""

import pytest

from tests.autobatch.simulated import WAYS, reports


@pytest.mark.parametrize(("seed", "way"), list(zip((4, 503, 505, 508, 1, 1, 2, 4, 3), WAYS, strict=True)))
def test_kernels_of_drawn_programs_are_clean(seed, way):
    assert not reports(seed, way)
