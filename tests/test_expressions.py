"""Scalar expressions drawn at random are simplified to what computes the same, by no more operations, within bounds of time and memory.

    pytest tests/test_expressions.py --expressions 10000 --seed 7 -n 2

draws 10,000 expressions other than those of another seed. They come in groups, which pytest-xdist spreads over processes.
"""

from __future__ import annotations

import resource
from time import process_time

import pytest

import eqsat as eq
from eqsat.egraph.search.budget import Budget
from eqsat.simplification.sharing import count_operations
from eqsat.uop import UOp, toposort
from tests.drawn import LEAST, MOST, drawn, first_difference

GROUP = 20  # expressions per test
SECONDS = Budget().seconds
MEMORY = 1 << 30  # bytes by which a group of expressions raises the most that the process has held, at most


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test per group of expressions."""
    if "group" in metafunc.fixturenames:
        count = metafunc.config.getoption("expressions")
        groups = [(first, min(GROUP, count - first)) for first in range(0, count, GROUP)]
        metafunc.parametrize("group", groups, ids=[f"{first}-{first + size - 1}" for first, size in groups])


def test_simplified_expressions_compute_the_same(group: tuple[int, int], pytestconfig: pytest.Config) -> None:
    seeds = [pytestconfig.getoption("seed") * 1_000_003 + group[0] + number for number in range(group[1])]
    before = most_held()
    failures = [failure for seed in seeds if (failure := failure_of(seed))]
    assert not failures, "\n".join(failures)
    assert most_held() - before < MEMORY


def most_held() -> int:
    """The most memory that this process has held so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def failure_of(seed: int) -> str | None:
    """What is wrong with how the expression of this number is simplified, or with how a part of it is, where that suffices."""
    root = drawn(seed)
    assert LEAST <= len(toposort([root])) <= MOST
    if wrong(root, seed) is None:
        return None
    smallest = next(part for part in toposort([root]) if part.shape == () and wrong(part, seed))
    return f"drawn({seed}): {wrong(smallest, seed)}\n{smallest.pretty()}"


def wrong(root: UOp, seed: int) -> str | None:
    """What is wrong with how an expression is simplified."""
    begin = process_time()
    found = eq.simplify(root)
    if (seconds := process_time() - begin) > SECONDS:
        return f"took {seconds:.1f} s"
    if (difference := first_difference(root, found, seed)) is not None:
        return f"differs where {difference}, from\n{found.pretty()}"
    before, after = count_operations([root]), count_operations([found])
    return f"{before} operations became {after}" if after > before else None


def test_the_same_number_draws_the_same_expression() -> None:
    assert all(drawn(seed) is drawn(seed) for seed in range(20))
