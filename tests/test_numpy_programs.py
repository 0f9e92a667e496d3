"""Programs as wide as the public array functions agree with NumPy: by the interpreter alone, and compiled together on a device.

    python -m pytest tests/test_numpy_programs.py --programs 2000 --seed 7
    python -m tests.drawn_arrays --programs 50000 --seed 7

The second form checks in child processes, so that a crash is a finding, and goes on after one.
"""

import pytest

from tests.drawn_arrays.checking import Runner, check, run_compiled, run_interpreted
from tests.drawn_arrays.drawing import draw

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, about what is asked on purpose
GROUP = 40  # programs compiled together
INTERPRETED = 10  # times as many programs are interpreted, which costs a fortieth


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test per group of programs."""
    count = metafunc.config.getoption("programs")
    firsts = range(0, count, GROUP)
    metafunc.parametrize(
        "first", firsts, ids=[f"{first}-{min(first + GROUP, count) - 1}" for first in firsts]
    )


def expect_no_findings(seed: int, numbers: range, run: Runner) -> None:
    findings = check([draw(f"{seed}/{number}") for number in numbers], run)
    assert not findings, "\n\n".join(map(str, findings))


def test_interpreted_programs_agree_with_numpy(first: int, pytestconfig: pytest.Config) -> None:
    numbers = range(first * INTERPRETED, (first + GROUP) * INTERPRETED)
    expect_no_findings(pytestconfig.getoption("seed"), numbers, run_interpreted)


def test_compiled_programs_agree_with_numpy(first: int, pytestconfig: pytest.Config) -> None:
    end = min(first + GROUP, pytestconfig.getoption("programs"))
    expect_no_findings(pytestconfig.getoption("seed"), range(first, end), run_compiled)
