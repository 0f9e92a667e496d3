"""The machines agree with each other, count what they do, and run calls at the end without a stack."""

import numpy as np
import pytest

import eqsat as eq
from eqsat.autobatch import batch
from eqsat.autobatch.batch_program import BatchProgram
from eqsat.autobatch.ir.operations import targets
from eqsat.autobatch.ir.patterns import leaves
from eqsat.autobatch.opencl import launch
from eqsat.codegen import OPENCL_GPU
from eqsat.runtime import get_device
from eqsat.runtime.opencl.device import OpenCLDevice
from tests.autobatch import drawn_programs
from tests.autobatch.agreement import MACHINES, differences
from tests.autobatch.frontend.programs import collatz, even, fibonacci, mandelbrot, tail_sum
from tests.autobatch.workloads import WORKLOADS

DTYPES = {  # the rest by `python -m tests.autobatch.agreement`
    name: workload.dtypes[number % len(workload.dtypes)]
    for number, (name, workload) in enumerate(WORKLOADS.items())
}


@pytest.mark.parametrize("name", WORKLOADS)
def test_machines_agree_bitwise(name):
    workload, dtype = WORKLOADS[name], DTYPES[name]
    inputs = workload.draw(np.random.default_rng(7), 15, dtype)
    assert not differences(workload.program(dtype), inputs)


@pytest.mark.parametrize("seed", [2, 9, 164, 501, 503])
def test_machines_agree_on_drawn_programs(seed):
    """More by `python -m tests.autobatch.drawn_programs`. The first three were wrong once: functions that nothing calls had no types; a value
    without inputs was computed in one block and used in another; an array that optimization left unread was read as a scalar."""
    assert not drawn_programs.differences_of(seed)


@pytest.mark.parametrize("seed", [2, 3])
def test_machines_agree_on_library_functions(seed):
    """More by `python -m tests.autobatch.drawn_programs --functions`."""
    assert not drawn_programs.differences_of(seed, has_functions=True)


@batch
def remainders(v, x):
    """A library function of an array, which stands in a function of its own, and of a number, which stands in the kernel."""
    w = v % 1.5
    while x > 1:
        x = x % 0.7
    return w, x


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_library_functions_of_arrays_and_of_numbers(dtype):
    v, x = np.linspace(-4, 4, 12).astype(dtype).reshape(3, 4), np.array([0.5, 2, 3], dtype)
    program = BatchProgram(remainders.program(v, x), eq.Plan(strict=True))
    assert not differences(program, [v, x], ("opencl",))


@batch
def likely(m):
    e = eq.exp(m - eq.max(m, axis=-1, keepdims=True))
    return e / eq.sum(e, axis=-1, keepdims=True), m @ m


@pytest.mark.parametrize("extent", [3, 64])
@pytest.mark.parametrize("group", [1, 8])
def test_functions_of_arrays_keep_arrays_of_their_own(monkeypatch, extent, group):
    monkeypatch.setitem(launch._GROUPS, get_device().kind, group)
    m = np.random.default_rng(0).normal(size=(11, extent, extent))
    rows, product = batch(likely.source.function)(m)
    e = np.exp(m - m.max(-1, keepdims=True))
    np.testing.assert_allclose(rows, e / e.sum(-1, keepdims=True))
    np.testing.assert_allclose(product, m @ m)


@pytest.mark.parametrize("size", [0, 1, 7, 100_000])
def test_batches_of_any_size(size):
    n = np.random.default_rng(size).integers(0, 9, size).astype(np.int32)
    known = np.array([0, 1, 1, 2, 3, 5, 8, 13, 21])
    for machine in ("opencl", "numpy", "static") if size else (*MACHINES, "interpreter"):
        found = fibonacci(n, machine=machine)
        assert found.dtype == np.int32
        np.testing.assert_array_equal(found, known[n])


def doubled(x, n):
    if n < 1:
        return x
    y = doubled(x * 2.0, n - 1)
    return y + x


@pytest.mark.parametrize("machine", MACHINES)
def test_arrays_of_members_may_be_empty(machine):
    x, n = np.zeros((5, 0), np.float32), np.arange(5)
    assert batch(doubled)(x, n, machine=machine).shape == (5, 0)


@batch
def one_element(x, n):
    y = x
    while n > 0:
        if n % 2 == 0:
            y = x
        x = x + x[0]
        n -= 1
    return x, y, x[0]


@batch
def one_number(n):
    return eq.full((1,), n)[n - 3]


def test_arrays_of_one_element_are_arrays():
    x, n = np.arange(1, 6, dtype=np.int32)[:, None], np.arange(5)
    assert not differences(one_element.compiled(x, n), [x, n])
    assert not differences(one_number.compiled(n), [n])


def test_batches_larger_than_a_launch_are_run_in_parts(monkeypatch):
    monkeypatch.setattr(launch, "MOST_MEMBERS", 16)
    n = np.random.default_rng(0).integers(1, 99, 53).astype(np.int32)
    np.testing.assert_array_equal(collatz(n), collatz(n, machine="static"))


def test_launches_hold_no_more_than_devices_surely_do(monkeypatch):
    """Five members of 8 bytes each."""
    monkeypatch.setattr(launch, "_LAUNCH_BYTES", 5 * 12)
    n = np.arange(9, dtype=np.int32)
    program = BatchProgram(fibonacci.program(n))
    assert program._kernel._most_members(1) == 5
    np.testing.assert_array_equal(program.run([n]), [0, 1, 1, 2, 3, 5, 8, 13, 21])


@pytest.mark.parametrize("private", [0, 1 << 15])
def test_work_groups_as_on_graphics_processors(monkeypatch, private):
    """Of eight work-items, of which some have no member, with stacks of their own."""
    monkeypatch.setattr(launch, "_PRIVATE_BYTES", private)
    n = np.random.default_rng(0).integers(0, 9, 77).astype(np.int32)
    program = BatchProgram(fibonacci.program(n))
    program._kernel._group = 8
    for size in (1, 9, 77):
        np.testing.assert_array_equal(program.run([n[:size]]), program.run([n[:size]], machine="numpy"))


@pytest.mark.parametrize("name", WORKLOADS)
def test_programs_in_the_language_of_graphics_cards(monkeypatch, name):
    """Functions on arrays of members, which begin anywhere, in groups of eight and alone."""
    monkeypatch.setattr(OpenCLDevice, "dialect", OPENCL_GPU)
    workload = WORKLOADS[name]
    dtype = workload.dtypes[-1]
    program = workload.program(dtype)
    inputs = workload.draw(np.random.default_rng(0), 19, dtype)
    for group in (1, 8):
        program._kernel._group = group
        assert not differences(program, inputs, ("opencl",))


def test_what_optimization_changed_is_explained():
    program = BatchProgram(collatz.program(eq.int64))
    found = program.explain()
    assert found
    for name, explanation in found.items():
        assert explanation.after is program.executed[1][name].graph
        assert explanation.steps


def test_a_loop_with_two_conditions_is_one_block():
    """`while count < most and ...` is decided at once, where the second condition is cheap; no variable is kept that is not read again."""
    program, regions = BatchProgram(mandelbrot.program(eq.float32, eq.float32, eq.int32)).executed
    (loop,) = (block for block in program.graph.blocks if block.name in targets(block.terminator))
    assert len(program.graph.blocks) == 3
    assert set(regions[loop.name].effects) == {"mandelbrot.u", "mandelbrot.v", "mandelbrot.count"}


def test_calls_that_return_to_one_place_are_jumps():
    """The only call of each function, and copies of a short function without recursion, need no return address."""

    @batch
    def double(x):
        return x + x

    @batch
    def twice(x):
        if x > 10:
            return double(x) + 1
        return double(double(x))

    x = np.array([1, 11, 3], np.int32)
    program = twice.compiled(x)
    assert "pc" not in program.lowered.var_alloc
    np.testing.assert_array_equal(program.run([x]), [4, 23, 12])


def test_fibonacci_keeps_stacks_of_three_variables():
    """The return address, the argument, and the result of the first call."""
    lowered = fibonacci.compiled(eq.int32).lowered
    full = {name for name, how in lowered.var_alloc.items() if how.value == "full"}
    assert full == {"pc", "fibonacci.n", "fibonacci.left"}


@pytest.mark.parametrize("function", [even, tail_sum])
@pytest.mark.parametrize("machine", ["opencl", "numpy"])
def test_calls_at_the_end_need_no_stack(function, machine):
    """A stack of one value holds 2,000 calls."""
    program = function.compiled(eq.int32, *([eq.int32] if function is tail_sum else []))
    assert not [name for name, how in program.lowered.var_alloc.items() if how.value == "full"]
    n = np.array([2000, 3, 1999], np.int32)
    inputs = [n, n * 0] if function is tail_sum else [n]
    found = program.run(inputs, machine=machine, max_depth=1, on_overflow="raise")
    wanted = n * (n + 1) // 2 if function is tail_sum else n % 2 == 0
    np.testing.assert_array_equal(found, wanted)


def test_statistics_count_blocks_members_and_depths():
    n = np.array([0, 5, 3], np.int32)
    program = BatchProgram(fibonacci.program(eq.int32))
    program.run([n], machine="static")
    found = program.statistics
    assert found.batch == 3
    assert found.members["fibonacci.0"] == 1 + 15 + 5  # calls of each member
    # Of which those of the deepest member are alone, or with the others
    assert found.runs["fibonacci.0"] == 15
    assert found.depths == {"main": 1, "fibonacci": 5}
    assert found.utilization["fibonacci.0"] == 21 / (15 * 3)
    program.run([n], machine="numpy")
    counted = program.statistics
    assert sum(counted.members.values()) >= 21
    assert all(0 < part <= 1 for part in counted.utilization.values())
    assert counted.depths["pc"] >= 4


def test_the_static_machine_needs_no_python_stack():
    n = np.array([1200, 1], np.int32)
    found = tail_sum(n, n * 0, machine="static")
    np.testing.assert_array_equal(found, n * (n + 1) // 2)


def test_results_are_arrays_of_their_own():
    @batch
    def same(x):
        return x

    x = np.arange(4, dtype=np.int32)
    for machine in (*MACHINES, "interpreter"):
        (found,) = leaves(same(x, machine=machine))
        found += 1
        np.testing.assert_array_equal(x, np.arange(4))
