"""Members that wait at a product with shared data are answered together, and compute what they compute alone."""

import numpy as np
import pytest

import eqsat as eq
from eqsat.autobatch import batch
from eqsat.autobatch.batch_program import BatchProgram
from eqsat.autobatch.opencl import code, launch, meetings
from eqsat.dtype import to_numpy
from eqsat.errors import StackOverflowError, StepLimitError
from tests.autobatch import drawn_programs
from tests.autobatch.agreement import differences

DRAW = np.random.default_rng(3)
# Of whole numbers, whose sums have every bit in every order
MATRIX = DRAW.integers(-1, 2, (24, 24)).astype(np.float32)
WIDE = MATRIX.astype(np.float64)


@batch
def stepped(x, n):
    """A loop, with another number of meetings for each member."""
    for _ in range(n):
        x = (MATRIX @ x) % 16
    return x, n


def folded(product, half):
    """Recursion, with stacks of arrays and of scalars of every width that memory holds otherwise than registers."""

    @batch
    def fold(x, small, n, flag):
        if n == 0:
            return x, small, flag
        y, other, other_flag = fold(eq.astype(product(x), x.dtype) % 8, small * 2, n - 1, flag ^ (n % 2 == 0))
        return y - x, other + small, other_flag ^ flag

    vector = eq.spec((24,), eq.float64 if half == eq.float64 else eq.float32)
    return program_of(fold, vector, half, eq.int32, eq.bool_), vector.dtype


@pytest.fixture
def small(monkeypatch):
    """Small products are worth a meeting."""
    monkeypatch.setattr(meetings, "_FEWEST_SUMMANDS", 24)
    monkeypatch.setattr(meetings, "_FEWEST_SHARED", 24)


def program_of(function, *types):
    return BatchProgram(function.program(*types), eq.Plan(strict=True), function.source.name)


def whole_numbers(*shape):
    return DRAW.integers(-3, 4, shape).astype(np.float32)


def stepped_inputs(count):
    return [whole_numbers(count, 24), DRAW.integers(0, 6, count).astype(np.int32)]


@pytest.mark.parametrize("count", [1, 150])
def test_members_of_loops_meet(small, count):
    program = program_of(stepped, eq.spec((24,), eq.float32), eq.int32)
    assert not differences(program, stepped_inputs(count))
    assert "_answered" in program.kernel.source


@pytest.mark.parametrize("half", [eq.float16, eq.bfloat16, eq.float64, eq.int8])
def test_stacks_outlive_meetings(small, half):
    program, dtype = folded(lambda x: (WIDE if half == eq.float64 else MATRIX) @ x, half)
    inputs = [whole_numbers(9, 24).astype(to_numpy(dtype)), np.arange(9).astype(to_numpy(half))]
    inputs += [DRAW.integers(0, 5, 9).astype(np.int32), np.arange(9) % 2 == 0]
    assert not differences(program, inputs)
    assert "_answered" in program.kernel.source


def test_only_large_shared_work_is_worth_a_meeting():
    program = program_of(stepped, eq.spec((24,), eq.float32), eq.int32)
    assert "answered" not in program.kernel.source
    data = whole_numbers(1024, 64)

    @batch
    def scored(x, n):
        total = x[0]
        for _ in range(n):
            total = total + eq.sum(data @ x)
        return total

    large = program_of(scored, eq.spec((64,), eq.float32), eq.int32)
    assert "answered" in large.kernel.source
    inputs = [whole_numbers(5, 64), np.array([0, 1, 3, 2, 1], np.int32)]
    assert not differences(large, inputs, ["opencl"])


def test_stacks_grow_and_steps_are_counted_between_rounds(small, monkeypatch):
    program, _ = folded(lambda x: MATRIX @ x, eq.float16)
    n = np.array([1, 30, 3, 20], np.int32)
    inputs = [np.ones((4, 24), np.float32), np.ones(4, np.float16), n, np.zeros(4, bool)]
    wanted = program.run(inputs, machine="numpy")
    monkeypatch.setattr(launch, "FIRST_DEPTH", 8)
    for got, known in zip(program.run(inputs), wanted, strict=True):
        np.testing.assert_array_equal(got, known)
    with pytest.raises(StackOverflowError) as caught:
        program.run(inputs, on_overflow="raise", max_depth=8)
    assert caught.value.members.tolist() == [1, 3]
    np.testing.assert_array_equal(caught.value.results[0][[0, 2]], wanted[0][[0, 2]])
    with pytest.raises(StepLimitError, match="member 1"):
        program.run(inputs, most_steps=60)
    np.testing.assert_array_equal(program.run(inputs, most_steps=10_000)[0], wanted[0])


def test_large_batches_meet_in_parts(small, monkeypatch):
    monkeypatch.setattr(launch, "MOST_MEMBERS", 7)
    program = program_of(stepped, eq.spec((24,), eq.float32), eq.int32)
    assert not differences(program, stepped_inputs(20), ["opencl"])
    assert [len(part) for part in program.run([each[:0] for each in stepped_inputs(1)])] == [0, 0]


def test_a_drawn_program_whose_reductions_are_meetings(monkeypatch):
    monkeypatch.setattr(code, "is_meeting", is_reduction)
    assert not drawn_programs.differences_of(3, machines=["opencl"])


def is_reduction(region):
    """Every sum that depends on a member is a meeting."""
    return meetings.summands_of(region) > 0


@batch
def ordered(x, nothing, n):
    """The host sorts long axes, and members call for it at different times."""
    total = 0
    while n > 0:
        x = eq.sort(x * 3 % 7)
        nothing = eq.sort(nothing)
        total += x[3]
        n -= 1
    return eq.argsort(x), nothing, total


def test_members_meet_for_steps_of_the_host():
    x, n = whole_numbers(20, 40), DRAW.integers(0, 4, 20)
    assert not differences(ordered.compiled(x, x[:, :0], n), [x, x[:, :0], n])
    positions = ordered(x, x[:, :0], np.ones(20, int))[0]
    np.testing.assert_array_equal(positions, np.tile(np.arange(40), (20, 1)))


def test_members_meet_where_they_ask_for_nothing():
    @batch
    def same(n):
        return eq.sort(eq.arange(40) * 7 % 11)

    np.testing.assert_array_equal(same(np.arange(3)), np.sort(np.arange(40) * 7 % 11)[None].repeat(3, 0))
