"""Programs that go too deep, take too long or are given what does not fit end in typed errors that name what is wrong."""

import numpy as np
import pytest

import eqsat as eq
from eqsat.autobatch import ProgramBuilder, batch
from eqsat.autobatch.machines import limits, static
from eqsat.autobatch.opencl import launch
from eqsat.errors import (
    BuildError,
    DTypeError,
    ExecutionError,
    ShapeError,
    StackOverflowError,
    StepLimitError,
)
from tests.autobatch.frontend.programs import fibonacci, gcd

ALL = ("opencl", "numpy", "static", "interpreter")


@batch
def endless(n):
    """Never returns for members that are not negative."""
    if n < 0:
        return n
    return endless(n + 1) * 1 + 1


@batch
def forever(n):
    while n >= 0:
        n = n + 0
    return n


@pytest.mark.parametrize("machine", ["opencl", "numpy"])
def test_an_overflow_names_variable_member_and_depth_and_holds_other_results(machine):
    n = np.array([3, 9, 1, 8, 2], np.int32)
    with pytest.raises(StackOverflowError, match=r"member 1 .*4|'fibonacci.n' of member 1 .*4") as caught:
        fibonacci(n, machine=machine, max_depth=4, on_overflow="raise")
    assert "'fibonacci.n'" in str(caught.value)
    assert caught.value.members.tolist() == [1, 3]
    (results,) = caught.value.results
    np.testing.assert_array_equal(results[[0, 2, 4]], [2, 1, 1])


@pytest.mark.parametrize("machine", ["static", "interpreter"])
def test_machines_without_stacks_limit_calls(machine):
    with pytest.raises(StackOverflowError, match=r"member 1 has 5 calls in progress.*'fibonacci'") as caught:
        fibonacci(np.array([3, 9], np.int32), machine=machine, max_depth=4)
    assert 1 in caught.value.members


def test_stacks_grow_for_those_who_need_it():
    n = np.array([200, 3, 70, 0, 1000], np.int32)

    @batch
    def counted(n):
        if n == 0:
            return n
        return 1 + counted(n - 1)

    np.testing.assert_array_equal(counted(n), n)
    with pytest.raises(StackOverflowError) as caught:
        counted(n, on_overflow="raise")
    assert caught.value.members.tolist() == [0, 2, 4]
    with pytest.raises(StackOverflowError, match="more than 300 values") as caught:
        counted(n, max_depth=300)
    assert caught.value.members.tolist() == [4]
    np.testing.assert_array_equal(caught.value.results[0][:4], n[:4])


@pytest.mark.parametrize("machine", ALL)
def test_endless_recursion_ends(machine, monkeypatch):
    monkeypatch.setattr(launch, "_STACK_BYTES", 1 << 18)
    monkeypatch.setattr(limits, "_STACK_BYTES", 1 << 13)
    for module in (static, __import__("eqsat.autobatch.machines.interpreter", fromlist=["MOST_CALLS"])):
        monkeypatch.setattr(module, "MOST_CALLS", 300)
    with pytest.raises(StackOverflowError) as caught:
        endless(np.array([-1, 3], np.int32), machine=machine)
    assert list(caught.value.members) == [1]
    if caught.value.results is not None:
        assert caught.value.results[0][0] == -1


@pytest.mark.parametrize("machine", ALL)
def test_endless_loops_end_where_steps_are_limited(machine):
    with pytest.raises(StepLimitError, match=r"member 1 of the batch took more than 500 steps"):
        forever(np.array([-1, 3, -2], np.int32), machine=machine, most_steps=500)


def test_machines_of_lowered_programs_count_the_same_steps():
    n = np.array([7, 3], np.int32)
    limits_of = []
    for machine in ("opencl", "numpy"):
        program = fibonacci.compiled(eq.int32)
        low, high = 1, 10_000
        while low < high:
            middle = (low + high) // 2
            try:
                program.run([n], machine=machine, most_steps=middle)
            except StepLimitError:
                low = middle + 1
            else:
                high = middle
        limits_of.append(low)
    assert limits_of[0] == limits_of[1] > 41  # the calls of the first member


def test_what_does_not_fit_is_refused():
    program = gcd.compiled(eq.int32, eq.int32)
    a = np.zeros(3, np.int32)
    with pytest.raises(ExecutionError, match=r"takes 2 arrays \(gcd.a, gcd.b\) and was given 1"):
        program.run([a])
    with pytest.raises(ShapeError, match=r"gcd.b of gcd has 4 members, and gcd.a has 3"):
        program.run([a, np.zeros(4, np.int32)])
    with pytest.raises(ShapeError, match=r"gcd.b of gcd has shape \(3, 2\); it is \(batch"):
        program.run([a, np.zeros((3, 2), np.int32)])
    with pytest.raises(ExecutionError, match=r"gcd.a of gcd is float64 and must be int32; convert it"):
        program.run([np.zeros(3), a])
    with pytest.raises(BuildError, match=r"there is no machine 'abacus'"):
        program.run([a, a], machine="abacus")
    with pytest.raises(BuildError, match=r"there is no machine \['numpy'\]; take opencl, numpy"):
        program.run([a, a], machine=["numpy"])
    assert program.run([a, a], max_depth=np.int8(3)).tolist() == [0, 0, 0]


def test_a_conflict_of_types_names_both_call_sites():
    builder = ProgramBuilder()
    with builder.function("halved", "x") as f:
        f.return_("x")
    with builder.function("both", "i", "y") as f:
        f.call("one", "halved", "i")
        f.call("other", "halved", "y")
        f.return_(lambda one, other: one + other)
    lines = r".*test_errors.py:\d+: f.call\(\"one\".*float32.*test_errors.py:\d+: f.call\(\"other\""
    with pytest.raises(BuildError, match=rf"'halved.x' is int32 \({lines}"):
        builder.program("both", eq.int32, eq.float32)


def test_a_function_that_is_not_called_is_left_out():
    builder = ProgramBuilder()
    with builder.function("used", "x") as f:
        f.return_("x")
    with builder.function("unused", "n") as f:
        with f.if_(lambda n: n > 0):
            f.return_(1)
        f.return_("n")
    assert not builder.program("used", eq.int32).functions


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"on_overflow": "grwo"}, "on_overflow is 'raise' or 'grow', not 'grwo'"),
        ({"max_depth": -1}, "max_depth is -1, and it is an integer from 1; leave it out"),
        ({"most_steps": 0}, "most_steps is 0"),
        ({"max_depth": "3"}, "max_depth is '3', and it is an integer"),
        ({"max_depth": 1.5}, "max_depth is 1.5"),
        ({"most_steps": float("nan")}, "most_steps is nan"),
        ({"most_steps": True}, "most_steps is True"),
    ],
)
@pytest.mark.parametrize("machine", ["opencl", "numpy"])
def test_options_without_meaning_are_refused(options, what, machine):
    with pytest.raises(BuildError, match=what):
        fibonacci(np.arange(3), machine=machine, **options)


def test_arguments_that_are_too_large_or_nested_without_end_are_refused():
    nested = []
    for _ in range(5000):
        nested = [nested]
    with pytest.raises(DTypeError, match="does not fit"):
        fibonacci(2**63)
    with pytest.raises(BuildError, match="nested without end"):
        fibonacci(nested)
