"""Programs as wide as the public array functions agree with NumPy: by the interpreter alone, and compiled together on a device.

    python -m pytest tests/test_numpy_programs.py --programs 2000 --seed 7
    python -m tests.drawn_arrays --programs 50000 --seed 7 --way default

The second form checks in child processes, so that a crash is a finding, and goes on after one.
"""

import pytest

from tests.codegen.c_compiler import needs_compiler
from tests.drawn_arrays.checking import check
from tests.drawn_arrays.drawing import draw
from tests.drawn_arrays.ways import WAYS

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, about what is asked on purpose
GROUP = 50  # programs of a test
TOGETHER = 32  # of them compiled, as one program
IN_C = 12  # of them in one file of C, whose compiler takes most of the time
INTERPRETED = 8  # times as many programs are interpreted, which costs a fortieth

COMPILED = ("uncontracted", "default", "fast")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test per group of programs."""
    count = metafunc.config.getoption("programs")
    firsts = range(0, count, GROUP)
    metafunc.parametrize(
        "first", firsts, ids=[f"{first}-{min(first + GROUP, count) - 1}" for first in firsts]
    )


def expect_no_findings(seed: int, numbers: range, name: str) -> None:
    way = WAYS[name]
    programs = [draw(f"{seed}/{number}", way.dtypes, way.kinds, moderate=way.moderate) for number in numbers]
    findings = check(programs, way)
    assert not findings, "\n\n".join(map(str, findings))


def test_interpreted_programs_agree_with_numpy(first: int, pytestconfig: pytest.Config) -> None:
    numbers = range(first * INTERPRETED, (first + GROUP) * INTERPRETED)
    expect_no_findings(pytestconfig.getoption("seed"), numbers, "interpreted")


def test_compiled_programs_agree_with_numpy(first: int, pytestconfig: pytest.Config) -> None:
    """Groups take turns: without contraction, under the default plan, with all that holds over the real numbers."""
    end = min(first + TOGETHER, pytestconfig.getoption("programs"))
    turn = COMPILED[first // GROUP % len(COMPILED)]
    expect_no_findings(pytestconfig.getoption("seed"), range(first, end), turn)


@needs_compiler
def test_programs_in_c_agree_with_numpy(first: int, pytestconfig: pytest.Config) -> None:
    """Without contraction; other programs of the group than are compiled for a device, as far as there are any."""
    end = min(first + GROUP, pytestconfig.getoption("programs"))
    expect_no_findings(pytestconfig.getoption("seed"), range(max(first, end - IN_C), end), "c")
