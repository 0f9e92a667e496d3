"""Sums of many floats are summed in blocks, so that no accumulator outgrows what is added to it."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import pytest

import eqsat as eq
from eqsat.codegen import render as render_kernel
from eqsat.codegen.expansion import blocked_sums
from eqsat.codegen.expansion.blocked_sums import in_blocks
from eqsat.dtype import DType, float32, float64, index
from eqsat.integers.bounds import bounds
from eqsat.ops import AxisType, KernelInfo, Op
from eqsat.pipeline import render
from eqsat.pipeline.compilation import drafts_of
from eqsat.runtime import Executable, get_device
from eqsat.uop import UOp, toposort
from tests.codegen.device import on_device
from tests.codegen.kernels import load, store

PROGRAMS: dict[str, Callable[..., Any]] = {
    "sum": eq.sum,
    "rows": lambda x: eq.sum(x, axis=1),
    "columns": lambda x: eq.mean(x, axis=0),
    "variance": lambda x: eq.var(x, axis=1),
    "softmax": lambda x: eq.softmax(x, axis=1),
    "product": lambda x: x @ eq.permute_dims(x, (1, 0)),
    "pairs": lambda x: eq.sum(x[:, None] * x[None, :]),
    "shared loop": lambda x: (eq.sum(x, axis=1), eq.max(x, axis=1), eq.argmax(x, axis=1)),
    "counts beside": lambda x: (eq.sum(x, axis=1), eq.sum(x > 0.5, axis=1)),
    "running": lambda x: eq.cumulative_sum(x, axis=1) + eq.sum(x, axis=1, keepdims=True),
}


def executable(graph: UOp) -> Executable:
    """The program of a graph, rendered anew."""
    device = get_device("pocl")
    schedule = drafts_of(graph, eq.Plan()).schedule({})
    return Executable(device, schedule, render(schedule, device), save=False)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_blocks_of_any_length_have_the_same_sum(
    name: str, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Short blocks, in loops of prime and even lengths."""
    monkeypatch.setattr(blocked_sums, "LEAST", 2)
    chance = np.random.default_rng(0)
    for shape, most in (((3, 101), 5), ((16, 64), 16)):
        monkeypatch.setattr(blocked_sums, "MOST", most)
        x = chance.random(shape).astype(dtype)
        graph = eq.trace(PROGRAMS[name], eq.spec(shape, dtype))
        expected = eq.compile(eq.trace(PROGRAMS[name], eq.spec(shape, "float64")))(x.astype(np.float64))
        found = executable(graph)(x)
        error = 1e-5 if dtype == "float32" else 2e-2
        for one, other in zip(found, expected if isinstance(expected, tuple) else (expected,), strict=True):
            np.testing.assert_allclose(one, other.reshape(-1), rtol=error, atol=error)


def sum_over(extents: tuple[int, ...], dtype: DType = float32, op: Op = Op.ADD) -> UOp:
    """A kernel that reduces over nested loops, of which only the innermost moves through an array."""
    loops = [UOp.range(size, number, AxisType.REDUCE) for number, size in enumerate(extents)]
    total = UOp(Op.REDUCE, dtype, (load(UOp.param(1, extents[-1], dtype), loops[-1]), *loops), op)
    return UOp.sink(store(UOp.param(0, 1, dtype), UOp.const(index, 0), total)).replace(arg=KernelInfo("sum"))


def longest(sink: UOp) -> int:
    """The most values that one accumulator takes in a row."""
    sums = [node for node in toposort([sink]) if node.op is Op.REDUCE]
    return max(
        node.src[0].dtype.lanes // node.dtype.lanes * prod(bounds(loop)[1] + 1 for loop in node.src[1:])
        for node in sums
    )


@pytest.mark.parametrize(
    "extents", [(2049,), (10**6,), (1_000_003,), (3, 99_991), (5, 7, 11, 13, 17), (2**26, 2), (2_097_143, 3)]
)
def test_no_accumulator_takes_many_values(extents: tuple[int, ...]) -> None:
    assert longest(in_blocks(sum_over(extents))) <= blocked_sums.MOST
    assert longest(in_blocks(sum_over(extents, float64))) == prod(extents), "has bits enough"
    assert longest(in_blocks(sum_over(extents, op=Op.MAX))) == prod(extents), "does not round"


@pytest.mark.parametrize("values", [1, 2, 3, 7, 44, 45, 64, 2048])
def test_every_length_is_cut(values: int) -> None:
    """Also the squares of primes: 47 * 47 has no divisor between."""
    for extent in (*range(2040 // values, 2300 // values + 2), 2809, 3481, 9409, 9973, 10_201):
        loop = UOp.range(extent, 0, AxisType.REDUCE)
        parts = tuple(
            load(UOp.param(1, extent * values, float32), loop * values + part) for part in range(values)
        )
        source = UOp(Op.VECTORIZE, float32.vec(values), parts) if values > 1 else parts[0]
        total = UOp(Op.REDUCE, float32, (source, loop), Op.ADD)
        sink = UOp.sink(store(UOp.param(0, 1, float32), UOp.const(index, 0), total))
        assert longest(in_blocks(sink)) <= blocked_sums.MOST


@pytest.mark.parametrize("most", [2048, 2049, 10**5, 2**26, 2**40])
@pytest.mark.parametrize("outside", [1, 5, 5000])
def test_loops_whose_extents_only_calls_know_are_cut(most: int, outside: int) -> None:
    n = UOp.variable("n", 1, most)
    loops = UOp.range(outside, 0, AxisType.REDUCE), UOp.range(n, 1, AxisType.REDUCE)
    total = UOp(Op.REDUCE, float32, (load(UOp.param(1, 2**40, float32), loops[1]), *loops), Op.ADD)
    sink = UOp.sink(store(UOp.param(0, 1, float32), UOp.const(index, 0), total))
    assert longest(sink) == most * outside
    assert longest(in_blocks(sink)) <= blocked_sums.MOST


@pytest.mark.parametrize(
    "function", [eq.mean, eq.var, lambda x: eq.sum(x) + eq.max(x), lambda x: eq.sum(eq.softmax(x) * x)]
)
def test_sums_of_any_length_are_right(function: Callable[..., Any]) -> None:
    n = eq.dim("n", 1, 2**17)
    program = eq.compile(eq.trace(function, eq.spec((n,), "float32")))
    exact = eq.compile(eq.trace(function, eq.spec((n,), "float64")))
    for length in (1, 7, 127, 128, 129, 2047, 2048, 2049, 100_003):
        x = np.linspace(0.1, 0.2, length, dtype=np.float32)
        np.testing.assert_allclose(program(x), exact(x.astype(np.float64)), rtol=2e-6, atol=1e-9)


def test_a_sum_of_many_equal_numbers_does_not_stop_growing() -> None:
    """In a row, an accumulator stops at 2^21: there, a float32 moves by .25 at a time."""
    made = render_kernel(sum_over((2**15, 2**12)))
    found = on_device(made, {1: np.full(2**12, 0.1, np.float32)})[0]
    np.testing.assert_allclose(found, 0.1 * 2**27, rtol=1e-4)
