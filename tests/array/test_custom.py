"""Functions that users register are called from arrays, run on devices or on the host, and mean what they say in NumPy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat as eq
from eqsat import custom
from eqsat.errors import BuildError, EvaluationError, ExecutionError, GraphFileError, SpecError
from eqsat.ops import Stage
from eqsat.spec import verify

X = np.sin(np.arange(32, dtype=np.float32)).reshape(4, 8)


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions of these tests alone."""
    monkeypatch.setattr(custom, "_REGISTERED", dict(custom._REGISTERED))  # pyright: ignore[reportPrivateUsage]
    eq.custom_function("softsign_of", lambda x: x / (1 + np.abs(x)), opencl="{0} / (1.0f + fabs({0}))")
    eq.custom_function("affine_of", lambda x, y: x * y + y, opencl="{0} * {1} + {1}")
    eq.custom_function("sorted_of", lambda x: np.sort(x, axis=-1))
    eq.custom_function("count_of", lambda x: (x.sum(0), (x > 0).astype(np.int32)),
                       result=lambda x: [((x.shape[1],), x.dtype), (x.shape, eq.int32)])  # fmt: skip


def everything(x: Any) -> Any:
    a = eq.call_custom("softsign_of", x * 2) + 1
    s = eq.call_custom("sorted_of", a)
    t, u = eq.call_custom("count_of", s - eq.mean(s))
    return (
        s * 3,
        t + eq.sum(eq.call_custom("affine_of", u, np.int32(2)), axis=0),
        {"a": a, "sum": eq.sum(s, axis=-1)},
    )


def test_program_computes_what_numpy_says() -> None:
    a = 2 * X / (1 + np.abs(2 * X)) + 1
    s = np.sort(a, axis=-1)
    centred = s - s.mean()
    first = centred.sum(0) + ((centred > 0) * 2 + 2).sum(0)
    found = eq.jit(everything)(X)
    for each, wanted in zip((found[0], found[1], found[2]["a"], found[2]["sum"]), (s * 3, first, a, s.sum(-1)), strict=True):  # fmt: skip
        np.testing.assert_allclose(each, wanted, rtol=1e-5, atol=1e-5)
    graph = eq.trace(everything, eq.spec(X.shape, eq.float32))
    verify(graph, Stage.PROGRAM)
    program = eq.compile(graph)
    for each, wanted in zip(program(X), eq.evaluate(graph, {0: X}), strict=True):
        np.testing.assert_allclose(each, wanted, rtol=1e-5, atol=1e-5)
        assert each.dtype == wanted.dtype
    assert len(program.parts) == 3, "up to each step of the host, and from the last one"
    assert sum("softsign_of" in kernel.name for kernel in program.kernels) == 1, (
        "what a step is given is computed once"
    )


def test_expression_runs_in_a_kernel_of_its_own_between_others() -> None:
    program = eq.compile(
        eq.trace(lambda x: eq.call_custom("softsign_of", x.T) + 1, eq.spec(X.shape, eq.float32))
    )
    assert any(kernel.name == "softsign_of_32" for kernel in program.kernels)
    assert not any(kernel.name.startswith("copy") for kernel in program.kernels)
    np.testing.assert_allclose(program(X), X.T / (1 + np.abs(X.T)) + 1, rtol=1e-6)
    np.testing.assert_allclose(program.stage("source") and program(X), program(X))


def test_data_of_the_graph_reaches_the_host() -> None:
    data = np.arange(8, dtype=np.float32)
    found = eq.jit(lambda x: eq.call_custom("sorted_of", x + data[::-1].copy()) * data)(X[0])
    np.testing.assert_allclose(found, np.sort(X[0] + data[::-1]) * data, rtol=1e-6)


def test_host_may_run_another_function_than_the_reference() -> None:
    eq.custom_function("twice_of", lambda x: x * 2, host=lambda x: x + x)
    np.testing.assert_array_equal(eq.jit(lambda x: eq.call_custom("twice_of", x))(X), 2 * X)


def test_graph_of_it_is_written_and_read_where_code_is_allowed() -> None:
    graph = eq.trace(everything, eq.spec(X.shape, eq.float32))
    document = json.loads(json.dumps(eq.to_json([graph])))
    assert eq.from_json(document, allow_custom=True) == [graph]
    with pytest.raises(GraphFileError, match="CUSTOM_FUNCTION holds code"):
        eq.from_json(document)


def wrong(meaning: Any, **options: Any) -> Any:
    eq.custom_function("wrong_of", meaning, replace=True, **options)
    return eq.trace(lambda x: eq.call_custom("wrong_of", x), eq.spec(X.shape, eq.float32))


@pytest.mark.parametrize(
    ("meaning", "words"),
    [
        (lambda x: x[0], r"gave \[\(\(8,\), 'float32'\)\], and its rule says \[\(\(4, 8\), 'float32'\)\]"),
        (lambda x: x.astype(np.float64), "gave .*float64.*; correct one of them"),
        (lambda x: (x, x), "correct one of them"),
        (lambda x: 1 // 0, "raised ZeroDivisionError"),
        (lambda: 0, "raised TypeError"),
        (lambda x: np.negative(x, out=x), "raised ValueError: output array is read-only"),
    ],
)
def test_function_that_breaks_its_word_is_a_typed_error(meaning: Any, words: str) -> None:
    graph = wrong(meaning)
    with pytest.raises(EvaluationError, match=words):
        eq.evaluate(graph, {0: X})
    with pytest.raises(ExecutionError, match=words):
        eq.compile(graph)(X)


JUNK: list[Any] = [None, -5, "", "a b", "é", "x\n;", 3.5, (), b"x"]


@pytest.mark.parametrize("junk", JUNK, ids=repr)
def test_nonsense_is_refused(junk: Any) -> None:
    with pytest.raises(BuildError, match="name of a custom function"):
        eq.custom_function(junk, np.sort)
    with pytest.raises(BuildError, match="no custom function is named .* register it"):
        eq.call_custom(junk, X)
    if not callable(junk):
        with pytest.raises(BuildError, match="needs a function of NumPy arrays"):
            eq.custom_function("new_of", junk)
    if junk is not None:
        with pytest.raises(BuildError, match="custom function 'new_of'"):
            eq.custom_function("new_of", np.sort, result=junk)
    eq.custom_function("junk_of", lambda x: x, result=lambda x: junk, replace=True)
    with pytest.raises(BuildError, match="its rule gives"):
        eq.call_custom("junk_of", X)


def test_others_say_what_to_do() -> None:
    with pytest.raises(BuildError, match="named 'sorted_of' already"):
        eq.custom_function("sorted_of", np.sort)
    with pytest.raises(BuildError, match="one of both"):
        eq.custom_function("new_of", np.sort, opencl="{0}", host=np.sort)
    with pytest.raises(BuildError, match="has no result for"):
        eq.call_custom("count_of", X[0])
    with pytest.raises(BuildError, match="shape of its first argument"):
        eq.call_custom("sorted_of")
    graph = eq.trace(lambda x: eq.call_custom("sorted_of", x), eq.spec(X.shape, eq.float32))
    program = eq.compile(graph)
    for act in (lambda: program.stage("sink"), lambda: program.profile(X)):
        with pytest.raises(ExecutionError, match="parts"):
            act()
    with pytest.raises(ExecutionError, match=r"has shape \(2, 8\) and must be \(4, 8\)"):
        program(X[:2])
    with pytest.raises(SpecError, match="belongs to program"):
        eq.optimize(graph)


def test_functions_of_the_host_take_dims_and_are_saved_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shape = (4, eq.dim("n", 5, 8))
    graph = eq.trace(lambda x: eq.call_custom("sorted_of", x * 2) + 1, eq.spec(shape, eq.float32))
    program = eq.compile(graph)
    program.save(tmp_path / "program")
    loaded = eq.load(tmp_path / "program")
    for part in (X, X[:, :5]):
        for run in (program, loaded):
            np.testing.assert_allclose(run(part), np.sort(part * 2) + 1, rtol=1e-6)
    monkeypatch.setattr(custom, "_REGISTERED", {})
    with pytest.raises(GraphFileError, match="no custom function is named 'sorted_of'"):
        eq.load(tmp_path / "program")


def test_functions_in_opencl_refuse_dims() -> None:
    shape = (4, eq.dim("n", 5, 8))
    with pytest.raises(BuildError, match="extents that only calls know"):
        eq.trace(lambda x: eq.call_custom("softsign_of", x), eq.spec(shape, eq.float32))


def test_names_of_the_package_are_not_registered() -> None:
    with pytest.raises(BuildError, match="one of letters, digits and _"):
        eq.custom_function("eqsat.sorted_elements", np.sort)
