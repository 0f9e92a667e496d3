"""Members with large arrays: a work-group runs each, on arrays in global memory."""

import numpy as np
import pytest

import eqsat as eq
from eqsat.autobatch import batch
from eqsat.autobatch.batch_program import BatchProgram
from eqsat.autobatch.opencl import code, launch
from eqsat.autobatch.opencl.functions import divided_by_lanes
from eqsat.errors import StackOverflowError
from eqsat.runtime import get_device
from tests.autobatch import drawn_programs
from tests.autobatch.agreement import differences
from tests.autobatch.workloads import WORKLOADS

LARGE = 100_000  # more than a work-item could keep by itself


@batch
def settled(x, limit):
    """A loop whose condition is a reduction."""
    steps = 0
    while eq.max(x) > limit:
        x = eq.where(x > limit, x * 0.5, x)
        steps += 1
    return x, steps


@batch
def folded(x, n):
    """Recursion with an array that lives across the call."""
    if n == 0:
        return x
    return eq.maximum(folded(x * 0.5 + 1, n - 1), x)


@batch
def exchanged(x, y, n):
    """Variables that take each other's values."""
    for k in range(n):
        x, y = y, x
        if k % 2 == 1:
            x = x + y
    return x, y, x


def program_of(function, inputs):
    return BatchProgram(function.program(*inputs), eq.Plan(strict=True), function.source.name)


def vectors(count, size=LARGE):
    return np.random.default_rng(2).uniform(-9, 9, (count, size)).astype(np.float32)


@pytest.mark.parametrize(
    ("function", "further"),
    [
        (settled, [np.array([5, 0.1, 9.5], np.float32)]),
        (folded, [np.array([0, 3, 1], np.int32)]),
        (exchanged, [vectors(3)[::-1], np.array([0, 1, 4], np.int32)]),
    ],
)
def test_arrays_larger_than_private_memory(function, further):
    inputs = [vectors(3), *further]
    program = program_of(function, inputs)
    assert "_swapped" in program.kernel.source
    assert not differences(program, inputs, ["numpy", "opencl"])
    assert all(len(part) == 0 for part in as_tuple(program.run([each[:0] for each in inputs])))


def as_tuple(result):
    return result if isinstance(result, tuple) else (result,)


def test_small_arrays_stay_with_work_items():
    assert "_swapped" not in program_of(settled, [vectors(1, 8), np.ones(1, np.float32)]).kernel.source


def test_stacks_of_large_arrays_grow_and_overflow(monkeypatch):
    inputs = [vectors(3, 4096), np.array([30, 2, 12], np.int32)]
    program = program_of(folded, inputs)
    monkeypatch.setattr(launch, "FIRST_DEPTH", 4)
    wanted = program.run(inputs, machine="numpy")
    np.testing.assert_array_equal(program.run(inputs), wanted)
    with pytest.raises(StackOverflowError) as caught:
        program.run(inputs, on_overflow="raise", max_depth=8)
    assert caught.value.members.tolist() == [0, 2]
    np.testing.assert_array_equal(caught.value.results[0][1], wanted[1])


@pytest.mark.parametrize("name", ["quicksort", "mutual", "heavy"])
def test_every_array_program_can_be_run_by_groups(monkeypatch, name):
    monkeypatch.setattr(code, "LARGE", 0)
    workload = WORKLOADS[name]
    dtype = eq.float32
    assert not differences(
        workload.program(dtype), workload.draw(np.random.default_rng(0), 9, dtype), ["opencl"]
    )


def test_a_drawn_program_by_groups(monkeypatch):
    monkeypatch.setattr(code, "LARGE", 0)
    assert not drawn_programs.differences_of(12, machines=["opencl"])


def test_only_functions_that_store_within_one_loop_are_divided():
    loop = "{\n    for (long i0 = 0; i0 < 99; i0++) {\n        out0[i0] = 1;\n    }\n}"
    assert "i0 += 8" in (divided_by_lanes(loop, 8) or "")
    assert divided_by_lanes(loop.replace("    for", "    out1[0] = 2;\n    for"), 8) is None
    assert divided_by_lanes("{\n    out0[0] = 1;\n}", 8) is None


@batch
def summed_again(x):
    """A loop over prefix sums, which go from element to element."""
    for _ in range(2):
        x = eq.cumulative_sum(x)
        while eq.max(x) > 99:
            x = x // 2
    return x


def test_work_items_of_a_group_do_not_share_a_scan(monkeypatch):
    monkeypatch.setattr(code, "LARGE", 0)
    monkeypatch.setitem(launch._GROUPS, get_device(None).kind, 4)
    program = program_of(summed_again, [np.arange(1024, dtype=np.int64).reshape(2, 512)])
    functions = program.kernel.source.split("inline void ")[1:]
    scans = [text for text in functions if "acc0" in text.partition("__kernel")[0]]
    assert scans
    assert not any("get_local_id" in text.partition("__kernel")[0] for text in scans)
    assert any("i0 += 4" in text for text in functions if text not in scans)
