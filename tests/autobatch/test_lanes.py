"""Vectors of lanes compute what members compute by themselves, and are taken where they gain."""

import numpy as np
import pytest

import eqsat as eq
from eqsat.autobatch import batch
from eqsat.autobatch.batch_program import BatchProgram
from eqsat.autobatch.opencl import launch
from eqsat.autobatch.opencl.lanes import gains, have_lanes
from eqsat.machine import Machine
from tests.autobatch.agreement import differences
from tests.autobatch.drawing import Drawing
from tests.autobatch.drawn_programs import translated
from tests.autobatch.frontend.programs import ackermann, collatz, fibonacci, mandelbrot
from tests.autobatch.workloads import WORKLOADS


@pytest.fixture
def in_lanes(monkeypatch):
    """Takes lanes wherever there can be some, for any batch."""
    monkeypatch.setattr(launch, "gains", lambda *_: True)
    monkeypatch.setattr(launch, "_MEMBERS_PER_CORE", 0)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("even", eq.int8), ("tail_sum", eq.uint16), ("gcd", eq.int32), ("swapped_gcd", eq.float64), ("collatz", eq.uint64),
        ("last_digits", eq.int64), ("mandelbrot", eq.float32), ("bisection", eq.float64),
    ],
)  # fmt: skip
def test_lanes_agree_with_the_interpreter(in_lanes, name, dtype):
    """37 members: two vectors are full, and one is not."""
    workload = WORKLOADS[name]
    program = workload.program(dtype)
    assert program._kernel._has_lanes
    inputs = workload.draw(np.random.default_rng(3), 37, dtype)
    assert not differences(program, inputs, ["opencl"])


@pytest.mark.parametrize("seed", [1, 2, 5, 8, 13])
def test_lanes_agree_on_drawn_programs(in_lanes, seed):
    """More by `python -m tests.autobatch.drawn_programs --flat`."""
    drawing = Drawing(seed, is_flat=True)
    program = translated(drawing, f"flat{seed}")
    assert program._kernel._has_lanes
    assert not differences(program, drawing.inputs(np.random.default_rng(seed), 37), ["opencl"])


def test_a_lane_takes_the_next_member_when_one_is_done():
    """One member of a vector takes a thousand times as long as the others, and the results are those of each."""
    n = np.full(500, 2, np.int64)
    n[::16] = 77_031  # 350 steps
    program = collatz.compiled(n)
    assert program._kernel._has_lanes
    np.testing.assert_array_equal(program.run([n]), np.where(n == 2, 1, 350))


@pytest.mark.parametrize(("function", "types"), [(fibonacci, 1), (ackermann, 2)])
def test_programs_with_stacks_have_no_lanes(function, types):
    assert not have_lanes(*function.compiled(*[eq.int32] * types).executed)


def test_lanes_are_taken_where_they_are_predicted_to_gain():
    """Products gain; divisions of 64 bits, which processors carry out lane by lane, gain nothing."""
    machine = Machine()
    assert gains(*mandelbrot.compiled(eq.float32, eq.float32, eq.int32).executed, machine)
    digits = WORKLOADS["last_digits"].function.compiled(eq.int64, eq.int64)
    assert have_lanes(*digits.executed)
    assert not gains(*digits.executed, machine)


@batch
def is_prime(n):
    d = 2
    while d * d <= n:
        if n % d == 0:
            return False
        d += 1
    return n > 1


@batch
def sum_of_digits(n):
    s = 0
    while n > 0:
        s += n % 10
        n = n // 10
    return s


@pytest.mark.parametrize(
    ("workload", "types", "is_gain"),
    [
        (WORKLOADS["gcd"].function, [eq.int32] * 2, True),
        (WORKLOADS["gcd"].function, [eq.int64] * 2, False),
        (is_prime, [eq.int32], False),
        (sum_of_digits, [eq.int32], False),
    ],
)  # fmt: skip
def test_divisions_alone_cost_most_where_the_next_one_waits(workload, types, is_gain):
    """By themselves, members wait for remainders of 32 bits as long as lanes do for sixteen; quotients by constants are products."""
    assert gains(*workload.compiled(*types).executed, Machine(vector_bytes=64)) == is_gain


def test_few_members_run_one_by_one():
    n = np.arange(1, 4)
    program = BatchProgram(collatz.program(n))
    np.testing.assert_array_equal(program.run([n]), [0, 1, 7])
    assert not any(options.has_lanes for _, options in program._kernel._compiled)
