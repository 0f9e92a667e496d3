"""The extension that makes small calls: what it checks, and what it holds on to."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from typing import Any, NamedTuple

import numpy as np
import pytest

import eqsat as eq
from eqsat.pipeline.programs.program import Program
from eqsat.runtime.executable import CALLS_BEFORE_DIRECT
from eqsat.runtime.opencl import extension

POCL = eq.Plan(device="pocl")
CALLS = 40_000

pytestmark = pytest.mark.skipif(extension.call_type() is None, reason="the extension was not built")


def with_calls(function: Any, *specs: Any) -> tuple[Program, Any]:
    """A program, and what runs it past the queue on arrays of these shapes and dtypes."""
    program = eq.compile(eq.trace(function, *specs), POCL)
    arrays = [np.ones(spec.shape, str(spec.dtype)) for spec in specs]
    for _ in range(CALLS_BEFORE_DIRECT):
        program(*arrays)
    kind = extension.call_type()
    assert kind is not None
    assert isinstance(program.direct, kind)
    return program, program.direct


def three(x: Any, y: Any) -> Any:
    return x + y, x * 2, eq.sum(y)


def test_nothing_is_left_behind_by_calls() -> None:
    _, call = with_calls(three, eq.spec((4, 4), eq.float32), eq.spec((4, 4), eq.float32))
    x, y = np.ones((4, 4), np.float32), np.ones((8, 8), np.float32)[::2, ::2]
    with_constants = call.among((None, (eq,), None), False)
    refused = [(x,), (x, x[:2]), (x, x.astype(np.float64)), (x, None), (x, x.view(np.matrix))]
    held = (x, y, x.dtype, eq, call, None, True, with_constants)

    def work(count: int) -> None:
        for _ in range(count):
            assert call((x, y)) is not None
            assert with_constants([x, eq, x]) is not None
            for arguments in refused:
                assert call(arguments) is None
            assert with_constants((x, np, x)) is None

    work(100)
    before = [sys.getrefcount(each) for each in held]
    tracemalloc.start()
    try:
        work(100)
        first = tracemalloc.get_traced_memory()[0]
        work(CALLS // 4)
        grown = tracemalloc.get_traced_memory()[0] - first
    finally:
        tracemalloc.stop()
    assert abs(grown) < CALLS // 100
    # Others use None and True, too
    assert all(abs(sys.getrefcount(each) - count) < 50 for each, count in zip(held, before, strict=True))


def test_calls_that_are_dropped_let_go_of_what_they_held() -> None:
    program, call = with_calls(three, eq.spec(8, eq.float32), eq.spec(8, eq.float32))
    constant = object()
    before = sys.getrefcount(constant), sys.getrefcount(call)
    for _ in range(1000):
        call.among((None, None, (constant,)), False)
        with pytest.raises(TypeError):
            call.among([None], False)
        with pytest.raises(ValueError, match="several results"):
            call.among((None, None), True)
    assert (sys.getrefcount(constant), sys.getrefcount(call)) == before
    assert program.direct is call
    assert gc.is_tracked(call)
    assert gc.get_referents(call)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(), (1,), (3, 0, 2), (5, 7), (150, 131)])
def test_dtypes_and_shapes(dtype: str, shape: tuple[int, ...]) -> None:
    spec = eq.spec(shape, getattr(eq, dtype if dtype != "bool" else "bool_", None) or eq.bool)
    program = eq.compile(eq.trace(lambda x, y: (eq.where(x > y, x, y), x == y), spec, spec), POCL)
    rng = np.random.default_rng(5)
    for _ in range(CALLS_BEFORE_DIRECT + 2):
        x, y = ((rng.integers(0, 2, shape) * 3).astype(dtype) for _ in range(2))
        greatest, equal = program(x, y)
        np.testing.assert_array_equal(greatest, np.maximum(x, y))
        np.testing.assert_array_equal(equal, x == y)
        assert (greatest.dtype, greatest.shape, equal.shape) == (x.dtype, shape, shape)
    assert program.direct is not None or 0 in shape


def test_arrays_are_taken_as_they_lie() -> None:
    """Small ones are copied where that is needed; large ones have to take the usual way then, as subclasses do at all sizes."""
    for rows in (8, 400):
        _, call = with_calls(three, eq.spec((rows, 8), eq.float64), eq.spec((rows, 8), eq.float64))
        y = np.arange(8.0 * rows).reshape(rows, 8)
        fixed = y.copy()
        fixed.flags.writeable = False
        apart = np.repeat(y, 2, axis=1)[:, ::2]
        shifted = np.frombuffer(b"0" + y.tobytes(), np.uint8)[1:].view(np.float64).reshape(rows, 8)
        backwards, columns = y[::-1, ::-1].copy()[::-1, ::-1], np.asfortranarray(y)
        later = np.concatenate([[0.0], y.ravel()])[1:].reshape(rows, 8)
        for other in (fixed, later):
            assert (call((y, other))[0] == 2 * y).all()
        for other in (apart, shifted, backwards, columns):
            made = call((y, other))
            assert made is None if rows == 400 else (made[0] == 2 * y).all()
        assert call((y.view(np.recarray), y)) is None
        assert call((y, y)) is not None


def test_results_are_new_arrays_that_own_nothing_of_each_other() -> None:
    _, call = with_calls(three, eq.spec(64, eq.float32), eq.spec(64, eq.float32))
    x, y = np.ones(64, np.float32), np.ones(64, np.float32)
    first, second = call((x, y)), call((x, x))
    arrays = [x, y, *first, *second]
    for position, one in enumerate(arrays):
        assert not any(np.shares_memory(one, other) for other in arrays[position + 1 :])
        assert one.flags.writeable
        assert one.flags.owndata


def test_calls_inside_calls_do_not_mix_their_arrays() -> None:
    """The garbage collector runs Python code where a call asks for memory."""
    _, call = with_calls(three, eq.spec(16, eq.float32), eq.spec(16, eq.float32))
    x, y = np.arange(16, dtype=np.float32), np.ones(16, np.float32)
    inner: list[Any] = []

    def collecting(phase: str, information: dict[str, int]) -> None:
        inner.append(call((y, y[::-1])))

    usual = gc.get_threshold()
    gc.callbacks.append(collecting)
    gc.set_threshold(1)
    try:
        made = [call((x, y)) for _ in range(200)]
    finally:
        gc.set_threshold(*usual)
        gc.callbacks.remove(collecting)
    assert inner
    assert all((each[0] == 2).all() for each in inner)
    assert all((each[0] == x + 1).all() and (each[1] == 2 * x).all() for each in made)


def test_calls_take_one_sequence() -> None:
    _, call = with_calls(three, eq.spec(4, eq.float32), eq.spec(4, eq.float32))
    x = np.ones(4, np.float32)
    for arguments in ((x, x), (), (x,), ({x.size: x},)):
        with pytest.raises(TypeError, match="tuple or list"):
            call(*arguments)


def test_libraries_of_another_source_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extension, "INTERFACE", extension.INTERFACE + 1)
    assert extension.call_type() is None
    monkeypatch.undo()
    monkeypatch.setenv(extension.VARIABLE, "python")
    assert extension.call_type() is None


class Pair(NamedTuple):
    one: Any
    other: Any


@pytest.mark.parametrize("read", [False, True])
@pytest.mark.parametrize(
    "structure",
    [
        lambda a, b: a,
        lambda a, b: (a,),
        lambda a, b: (a, b),
        lambda a, b: [a, b],
        lambda a, b: (a, (), b),
        Pair,
        lambda a, b: {"a": (a, b)},
    ],
)
def test_jitted_functions_keep_the_structure_of_results(structure: Any, read: bool) -> None:
    library = eq if read else None

    @eq.jit(plan=POCL)
    def function(x: Any, power: int, y: Any) -> Any:
        assert library is None or library is eq
        return structure(x + y, x**power)

    x, y = np.arange(6, dtype=np.float32), np.ones(6, np.float32)
    for power in (2, 3):
        for _ in range(CALLS_BEFORE_DIRECT + 2):
            made, expected = function(x, power, y), structure(x + y, x**power)
            assert type(made) is type(expected)
            assert repr(made) == repr(expected)
        assert function._quick
    assert repr(function(x, y=y, power=3)) == repr(expected)
