"""Kernels of programs are clean under Oclgrind: no races, no accesses out of bounds, nothing uninitialized."""

import pytest

from tests.autobatch import simulated


@pytest.fixture(scope="module")
def forks():
    with simulated.forks() as started:
        yield started


@pytest.mark.parametrize(
    ("seed", "way"), list(zip((4, 503, 505, 508, 1, 1, 2, 4, 3), simulated.WAYS, strict=True))
)
def test_kernels_of_drawn_programs_are_clean(seed, way, forks):
    assert not forks.submit(simulated.reports_of, seed, way).result()
