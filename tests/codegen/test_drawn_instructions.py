"""Drawn linear programs do on the device what they do in the interpreter; the referee sees their kernels as those of all tests.

    python -m tests.drawn_instructions --programs 500 --seed 1

draws and checks many more, and prints what was in them.
"""

from __future__ import annotations

import pytest

from eqsat.ops import Op
from tests.drawn_instructions.checking import COUNTED, check, gates, nested
from tests.drawn_instructions.drawing import drawn

GROUP = 10


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test per group of programs."""
    if "group" in metafunc.fixturenames:
        count = metafunc.config.getoption("linear")
        groups = [range(start, min(start + GROUP, count)) for start in range(0, count, GROUP)]
        metafunc.parametrize("group", groups, ids=[f"{group[0]}-{group[-1]}" for group in groups])


def test_device_does_what_the_interpreter_does(group: range, request: pytest.FixtureRequest) -> None:
    for number in group:
        check(drawn(f"test {request.config.getoption('seed')}", number))


def test_programs_that_ended_the_process() -> None:
    """PoCL, left to its own choice, writes two items one after the other, and barriers in loops of loops wrongly."""
    check(drawn("112730", 273))


def test_all_kinds_of_instructions_are_drawn() -> None:
    programs = [drawn("kinds", number) for number in range(40)]
    present = {node.op for program in programs for node in program.linear.src}
    assert present >= {*COUNTED, Op.ENDIF, Op.END, Op.AFTER, Op.VECTORIZE, Op.GEP}
    assert sum(map(gates, programs)) > 100
    assert sum(map(nested, programs)) > 10


def test_what_is_wrong_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device that leaves other numbers behind is noticed."""
    from tests.drawn_instructions import checking

    run = checking.on_device
    monkeypatch.setattr(
        checking, "on_device", lambda *given: {slot: array + 1 for slot, array in run(*given).items()}
    )
    with pytest.raises(AssertionError, match="on the device"):
        check(drawn("wrong", 0))
