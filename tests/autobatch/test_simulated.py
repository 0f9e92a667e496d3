"""Kernels of programs are clean under Oclgrind: no races, no accesses out of bounds, nothing uninitialized."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from tests.autobatch.simulated import WAYS, reports_of_ways

SEEDS = (4, 503, 505, 508, 1, 1, 2, 4, 3)  # of the programs that are made in each way


def test_kernels_of_drawn_programs_are_clean():
    """One process makes the programs, and forks for each way."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        found = list(pool.map(reports_of_ways, SEEDS, [[way] for way in WAYS]))
    assert len(found) == len(WAYS)
    assert [report for reports in found for report in reports] == []
