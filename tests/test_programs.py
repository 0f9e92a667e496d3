"""Drawn array programs agree with NumPy: through the reference interpreter, and through the whole pipeline on a device.

    pytest tests/test_programs.py --programs 2000 --seed 7

draws 2,000 programs other than those of another seed. They are drawn in groups, which pytest-xdist spreads over processes.
"""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import seed as seeded

import eqsat.array as xp
from eqsat import pipeline
from eqsat.array.data import parametrize
from eqsat.ops import Stage
from eqsat.reference import evaluate
from eqsat.spec import verify
from eqsat.uop import UOp
from tests.strategies import Program, programs

GROUP = 25  # programs per test
REPEATS = 6  # draws per program: Hypothesis likes to vary what it has drawn


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test per group of programs."""
    if "group" not in metafunc.fixturenames:
        return
    count = metafunc.config.getoption("programs")
    groups = [(first, min(GROUP, count - first)) for first in range(0, count, GROUP)]
    metafunc.parametrize("group", groups, ids=[f"{first}-{first + size - 1}" for first, size in groups])


def check(run: Callable[[Program], Sequence[Any]], group: tuple[int, int], seed: int) -> None:
    """Runs and compares the programs of one group; one that Hypothesis repeats with other data alone does not count."""
    seen: set[str] = set()
    failed: list[str] = []

    @seeded(seed * 1_000_003 + group[0])
    @settings(
        max_examples=REPEATS * group[1],
        database=None,
        print_blob=False,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(programs())
    def every_program_agrees(program: Program) -> None:
        name = repr(program)
        # once one has failed, Hypothesis looks for a smaller one, and every answer has to be true
        if failed or (len(seen) < group[1] and name not in seen):
            failed.append(name)
            program.check(run(program))
            failed.pop()
            seen.add(name)

    every_program_agrees()
    assert len(seen) == group[1], f"only {len(seen)} of {group[1]} programs were drawn; raise REPEATS"


def by_reference(program: Program) -> Sequence[Any]:
    """What the array layer alone makes of a program, whose graph must be legal."""
    results = program.run(xp, [xp.asarray(array) for array in program.inputs])
    graph = UOp.sink(*(result.uop for result in results))
    verify(graph, Stage.ARRAY)
    closed, data = parametrize(graph)
    return evaluate(closed, dict(enumerate(data)))


def by_pipeline(program: Program) -> Sequence[Any]:
    """What the kernels make of a program."""

    def function(*arrays: Any) -> Any:
        return program.run(xp, arrays)

    graph = pipeline.trace(function, *(pipeline.spec(array.shape, array.dtype) for array in program.inputs))
    return pipeline.compile(graph).run(program.inputs)


def test_array_layer_agrees_with_numpy(group: tuple[int, int], pytestconfig: pytest.Config) -> None:
    check(by_reference, group, pytestconfig.getoption("seed"))


def test_pipeline_agrees_with_numpy(group: tuple[int, int], pytestconfig: pytest.Config) -> None:
    check(by_pipeline, group, pytestconfig.getoption("seed"))
