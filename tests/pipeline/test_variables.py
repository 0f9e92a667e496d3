"""Integers that a program is given when it is called: the same on a device, in an interpreter and in C as in the reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat as eq
from eqsat.pipeline import emit_c
from tests.codegen.c_compiler import needs_compiler, run_c
from tests.runtime.interpreted import InterpretedDevice

N, START, SMALL = eq.variable("n", 0, 40), eq.variable("start", 0, 30), eq.variable("k", -3, 100, eq.int8)
X = np.random.default_rng(7).normal(size=(40, 9)).astype(np.float32)


def head(x: Any) -> Any:
    """The first rows of x, and zeros."""
    return eq.where(eq.arange(40)[:, None] < eq.asarray(N), x, 0.0)


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "mask": head,
    "sum of the first": lambda x: eq.sum(head(x), axis=0),
    "mean of the first": lambda x: eq.sum(head(x), axis=0) / eq.maximum(eq.asarray(N), 1).astype(eq.float32),
    "softmax of the first": lambda x: eq.exp(x - eq.max(head(x), axis=0)) / eq.sum(eq.exp(head(x)), axis=0),
    "product": lambda x: eq.matmul(head(x).T, x),
    "window": lambda x: eq.take(x, eq.arange(10) + eq.asarray(START), axis=0),
    "row": lambda x: x[eq.asarray(START)],
    "turned": lambda x: eq.take(x, (eq.arange(40) + eq.asarray(START)) % 40, axis=0),
    "running sum": lambda x: eq.cumulative_sum(head(x), axis=0),
    "where it is greatest": lambda x: eq.argmax(head(x), axis=0),
    "two": lambda x: (head(x) * eq.asarray(SMALL), x + eq.asarray(START)),
    "a number alone": lambda x: eq.asarray(N) * 3 + eq.asarray(START) - eq.asarray(SMALL),
    "unused": lambda x: x + eq.asarray(N) * 0,
}
VALUES = [
    {"n": 0, "start": 0, "k": -3},
    {"n": 1, "start": 30, "k": 0},
    {"n": 17, "start": 11, "k": 100},
    {"n": 40, "start": 7, "k": 5},
]
DEVICES = {"pocl": "pocl", "interpreter": InterpretedDevice()}


@pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_program_takes_values_of_its_variables(name: str, device: Any) -> None:
    graph = eq.trace(PROGRAMS[name], eq.spec(X.shape, eq.float32))
    program = eq.compile(graph, eq.Plan(device=device))
    for given in VALUES:
        own = {variable: given[variable] for variable in program.variables}
        for found, wanted in zip(program.run([X], own), eq.evaluate(graph, {0: X, **own}), strict=True):
            assert np.allclose(found, wanted, rtol=1e-5, atol=1e-5), own


def test_optimize_keeps_variables() -> None:
    graph = eq.trace(head, eq.spec(X.shape, eq.float32))
    best = eq.optimize(graph).uop
    for given in VALUES:
        assert np.array_equal(eq.evaluate(best, {0: X, **given})[0], eq.evaluate(graph, {0: X, **given})[0])


def test_bounds_of_a_variable_simplify() -> None:
    """What holds for all values is no question at run time."""
    graph = eq.trace(lambda x: eq.where(eq.asarray(N) < 41, x, 0.0), eq.spec(X.shape, eq.float32))
    assert not any(kernel.variables for kernel in eq.compile(graph).kernels)


def test_bound_variable_needs_no_value() -> None:
    bound = eq.UOp(eq.Op.BIND, eq.index, (N, eq.UOp.const(eq.index, 4)))
    program = eq.compile(eq.trace(lambda x: x * eq.asarray(bound) + eq.asarray(N), eq.spec((3,), eq.float32)))
    assert np.array_equal(program(np.ones(3, np.float32), n=2), [6, 6, 6])
    assert eq.compile(eq.trace(lambda x: x * eq.asarray(bound), eq.spec((3,), eq.float32))).variables == {}


def test_stored_program_takes_values() -> None:
    graph = eq.trace(PROGRAMS["two"], eq.spec(X.shape, eq.float32))
    for _ in range(2):  # compiled, then found in the cache
        first, second = eq.compile(graph)(X, n=3, start=2, k=-1)
        assert np.array_equal(first[:3], -X[:3])
        assert np.array_equal(second, X + np.int64(2))


def test_tuned_program_takes_values() -> None:
    program = eq.compile(eq.trace(head, eq.spec(X.shape, eq.float32)), eq.Plan(tune=2))
    assert np.array_equal(program(X, n=np.int32(5))[:6], np.vstack([X[:5], np.zeros((1, 9), np.float32)]))
    assert len(program.profile(X, values={"n": 5})) == len(program.kernels)


@needs_compiler
@pytest.mark.parametrize("name", PROGRAMS)
def test_file_of_c_takes_values(name: str) -> None:
    graph = eq.trace(PROGRAMS[name], eq.spec(X.shape, eq.float32))
    variables = eq.compile(graph, eq.Plan(device=DEVICES["interpreter"])).variables
    for given in VALUES[1:3]:
        own = {variable: given[variable] for variable in sorted(variables)}
        taken = [own[each] for each in own if name != "unused"]
        for found, wanted in zip(
            run_c(graph, [X], values=taken), eq.evaluate(graph, {0: X, **own}), strict=True
        ):
            assert np.allclose(found, wanted, rtol=1e-5, atol=1e-5), own


def test_file_of_c_names_its_variables() -> None:
    program = emit_c(eq.trace(PROGRAMS["two"], eq.spec(X.shape, eq.float32)))
    assert [str(each) for each in program.parameters if each.bounds] == [
        "variable0: k, int8 in -3..100", "variable1: n, index in 0..40", "variable2: start, index in 0..30",
    ]  # fmt: skip


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "none": (
        {},
        r"variable 'n' has no value; give values by name, as in program\(x, n=3\), of all its variables: n",
    ),
    "too large": ({"n": 41}, r"variable 'n' is 41 and must be an integer in 0\.\.40; compile"),
    "too small": ({"n": -1}, r"variable 'n' is -1 and must be an integer in 0\.\.40; compile"),
    "a float": ({"n": 1.0}, r"variable 'n' is 1\.0 and must be an integer"),
    "a truth value": ({"n": True}, r"variable 'n' is True and must be an integer"),
    "mistyped": ({"q": 1}, "variable 'q' has a value and is not in the program; give"),
    "unknown": ({"n": 1, "m": 1}, "variable 'm' has a value and is not in the program; give"),
}


@pytest.mark.parametrize(("values", "message"), REFUSED.values(), ids=REFUSED)
def test_values_that_do_not_fit_are_refused(values: dict[str, Any], message: str) -> None:
    program = eq.compile(eq.trace(head, eq.spec(X.shape, eq.float32)))
    with pytest.raises(eq.ExecutionError, match=message):
        program(X, **values)
