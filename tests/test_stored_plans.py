"""A plan comes back from the cache as it was, a document that is no plan is forgotten, and nothing is unpickled on the way."""

from __future__ import annotations

import ast
import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat as eq
from eqsat.pipeline import compilation
from eqsat.pipeline.functions.closed import Closed
from eqsat.pipeline.planning import plan_cache, stored_plans
from eqsat.pipeline.planning.planned import Compilation
from eqsat.runtime import PLANS, get_device
from eqsat.schedule.kernel import Tuning
from tests.mutation import mutated

PACKAGE = Path(eq.__file__).parent


def softmax(x: Any) -> Any:
    e = eq.exp(x - eq.max(x, axis=-1, keepdims=True))
    return e / eq.sum(e, axis=-1, keepdims=True)


def attention(q: Any, k: Any, v: Any) -> Any:
    return eq.matmul(softmax(eq.matmul(q, k.mT)), v)


def moved(x: Any) -> Any:
    return eq.max(eq.pad(eq.flip(x), ((1, 0), (0, 2))), axis=0), eq.sin(x[::2, 1:]), eq.sum(x), x.T


GRAPHS = {
    "softmax": eq.trace(softmax, eq.spec((8, 16), eq.float32)),
    "attention": eq.trace(attention, *[eq.spec((8, 4), eq.float32)] * 3),
    "moved": eq.trace(moved, eq.spec((6, 5), eq.float32)),
}


def planned(graph: eq.UOp) -> Compilation:
    """What `compile` would keep of a graph, the first kernel as if it were tuned."""
    plan = eq.Plan()
    found = compilation._planned(eq.optimize(Closed.of(graph).sink, plan).uop, plan, get_device(plan.device))
    first, *others = found.schedule.kernels
    tuned = replace(first, tuning=Tuning(1e-3, None, 2e-3, 4, ("the process was ended by SIGSEGV",)))
    return replace(found, schedule=replace(found.schedule, kernels=(tuned, *others)))


@pytest.fixture(scope="module")
def documents() -> dict[str, bytes]:
    return {name: stored_plans.encode(planned(graph)) for name, graph in GRAPHS.items()}


@pytest.mark.parametrize("name", GRAPHS)
def test_plan_of_example_comes_back(name: str) -> None:
    found = planned(GRAPHS[name])
    again = stored_plans.decode(stored_plans.encode(found))
    assert again == found
    assert stored_plans.encode(again) == stored_plans.encode(found)


@pytest.mark.parametrize(
    "dtype", [eq.bool_, eq.int8, eq.uint64, eq.float16, eq.bfloat16, eq.float64], ids=str
)
def test_plan_of_dtype_comes_back(dtype: eq.DType) -> None:
    def several(x: Any, y: Any) -> Any:
        return (
            x,
            eq.where(x > y, x, y),
            eq.full((0, 3), 1.0),
            eq.maximum(eq.sum(x, axis=0), 0),
            eq.full((2,), np.nan),
            -y,
        )

    if dtype is eq.bool_:
        several = lambda x, y: (x & y, eq.sum(x, axis=0))  # noqa: E731
    found = planned(eq.trace(several, eq.spec((5, 7), dtype), eq.spec((5, 7), dtype)))
    assert stored_plans.decode(stored_plans.encode(found)) == found


def test_second_process_finds_the_plan(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EQSAT_CACHE", str(tmp_path))
    graph = GRAPHS["softmax"]
    eq.compile(graph)
    found, get = [], PLANS.get
    monkeypatch.setattr(PLANS, "get", lambda key: found.append(get(key)) or found[-1])
    monkeypatch.setattr(compilation, "cheapest", None)  # as if there were no other way
    eq.compile(graph)
    assert [each is not None for each in found] == [True]
    PLANS.close()


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"null", b"\xff", b'{"version": 1}', b'{"version": 2}', b"[" * 100_000,
                                  b'{"version": NaN}', b"1" * 5000])  # fmt: skip
def test_what_is_no_plan_is_named(data: bytes) -> None:
    with pytest.raises(stored_plans.StoredPlanError):
        stored_plans.decode(data)


def test_what_is_no_plan_is_forgotten(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EQSAT_CACHE", str(tmp_path))
    graph = GRAPHS["softmax"]
    expected = eq.compile(graph)
    (key,) = [plan_cache.key_of(Closed.of(graph).sink, eq.Plan(), get_device(None))]
    assert key is not None
    PLANS.put(key, b"{}")
    assert plan_cache.stored(key) is None
    assert PLANS.get(key) is None
    assert [kernel.source for kernel in eq.compile(graph).kernels] == [
        kernel.source for kernel in expected.kernels
    ]
    assert PLANS.get(key) is not None
    PLANS.close()


@pytest.mark.parametrize("name", GRAPHS)
def test_mutated_plan_is_a_plan_or_named(
    name: str, documents: dict[str, bytes], request: pytest.FixtureRequest
) -> None:
    """Also under a right digest, as only someone could write who may write the folder: no other error, and no memory taken amiss."""
    drawn = random.Random(f"{name} {request.config.getoption('--seed')}")
    refused = 0
    count = request.config.getoption("--mutations")
    for _ in range(count):
        data = mutated(documents[name], drawn)
        try:
            found = stored_plans.decode(data)
        except stored_plans.StoredPlanError:
            refused += 1
            continue
        for kernel, rendered in zip(found.schedule.kernels, found.kernels, strict=True):
            for argument in rendered.arguments:
                assert found.schedule.buffers[kernel.buffers[argument.slot]].size == argument.size
    assert refused > count // 10, "mutations must matter"


PERMITTED = {
    "eqsat/runtime/worker_process.py": {
        "pickle.dump",
        "pickle.dumps",
        "pickle.load",
        "pickle.loads",
    },  # a pipe to a child of ours
    "eqsat/runtime/task.py": {"cloudpickle.dumps"},
    "eqsat/autobatch/frontend/compiled.py": {
        "eval"
    },  # expressions of the user's own functions, in their own namespace
    "eqsat/comparison/run.py": {"pickle.dumps"},
    "eqsat/egraph/tables/callbacks.py": {"pickle.dumps"},  # a function of ours, for egglog in this process
}
DANGEROUS = {"pickle", "cloudpickle", "marshal", "shelve", "dill", "joblib", "yaml"}
BUILTINS = {"eval", "exec", "__import__", "compile"}


def calls(tree: ast.AST) -> Iterator[str]:
    """What a module calls, or imports by name, that can run what it is given."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in BUILTINS:
                yield name
            case ast.Attribute(value=ast.Name(id=module), attr=name) if (
                module in DANGEROUS and not name.endswith("Error")
            ):
                yield f"{module}.{name}"
            case ast.ImportFrom(module=str(module), names=names) if module.partition(".")[0] in DANGEROUS:
                yield from (f"{module}.{alias.name}" for alias in names)
            case ast.keyword(arg="allow_pickle", value=ast.Constant(value=True)):
                yield "allow_pickle"
            case _:
                pass


def test_calls_that_run_what_they_read_are_found() -> None:
    source = "import pickle\npickle.loads(b'')\neval('1')\nnp.load(f, allow_pickle=True)\nfrom cloudpickle import loads"
    assert set(calls(ast.parse(source))) == {"pickle.loads", "eval", "allow_pickle", "cloudpickle.loads"}


def test_nothing_else_in_the_package_can_run_what_it_reads() -> None:
    """A pickle that is read from a disk or a network runs what it says; SECURITY.md says which calls are left."""
    found = {
        str(file.relative_to(PACKAGE.parent)): set(calls(ast.parse(file.read_text(encoding="utf-8"))))
        for file in PACKAGE.rglob("*.py")
    }
    own = {"compile"}  # eqsat's own function of this name
    left = {name: uses - own for name, uses in found.items() if uses - own}
    assert {
        name: uses - PERMITTED.get(name, set())
        for name, uses in left.items()
        if uses - PERMITTED.get(name, set())
    } == {}


def test_document_is_json_throughout(documents: dict[str, bytes]) -> None:
    for data in documents.values():
        assert json.loads(data)["version"] == stored_plans.VERSION
