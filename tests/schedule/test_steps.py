"""Steps that hand on several arrays and read parts of others are equal layers, whatever the parts are; and mean what they meant."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import eqsat as eq
from eqsat.egraph.saturate import saturate
from eqsat.egraph.snapshot.snapshot import Snapshot
from eqsat.machine import PROCESSOR, Machine
from eqsat.pipeline.functions.closed import Closed
from eqsat.pipeline.planning import stored_plans
from eqsat.reference import evaluate, evaluate_kernel
from eqsat.schedule.layers import layers_of
from eqsat.schedule.lowering.older_forms import modernize
from eqsat.schedule.offsets import with_offsets
from eqsat.schedule.plan import draft_of_layers, schedule
from eqsat.uop import UOp

STEPS, ROWS, WIDTH, INPUTS = 20, 3, 24, 20

Array = NDArray[np.float32]
STATE, INTO, OVER = (ROWS, WIDTH), (INPUTS, WIDTH), (WIDTH, WIDTH)


def simple(read: Callable[[Any, int], Any]) -> Callable[..., Any]:
    """A recurrence of which each step reads so much of an array."""

    def cell(xp: Any, x: Any, state: Any, into: Any, over: Any) -> Any:
        for step in range(STEPS):
            state = xp.tanh(read(x, step) @ into + state @ over)
        return state

    return cell


def gated(xp: Any, x: Any, state: Any, cell: Any, into: Any, over: Any) -> Any:
    """Two arrays are handed on."""
    for step in range(STEPS):
        inner = x[:, step] @ into + state @ over
        keep, take = (1.0 / (1.0 + xp.exp(-inner[:, WIDTH * each : WIDTH * (each + 1)])) for each in range(2))
        cell = keep * cell + take * xp.tanh(inner[:, 2 * WIDTH :])
        state = xp.tanh(cell)
    return state, cell


def of_products(xp: Any, x: Any, state: Any, into: Any, over: Any) -> Any:
    """Parts of an array that is computed at once."""
    products = x @ into
    for step in range(STEPS):
        state = xp.tanh(products[:, step] + state @ over)
    return state


def opposite(xp: Any, x: Any, y: Any, state: Any, into: Any, over: Any) -> Any:
    """Parts of two arrays, one of them backwards."""
    for step in range(STEPS):
        state = xp.tanh((x[:, step] + y[STEPS - 1 - step]) @ into + state @ over)
    return state


PARTS: dict[str, tuple[Callable[[Any, int], Any], tuple[int, ...]]] = {
    "axis 0": (lambda x, step: x[step], (STEPS, ROWS, INPUTS)),
    "axis 1": (lambda x, step: x[:, step], (ROWS, STEPS, INPUTS)),
    "axis 2": (lambda x, step: x[:, :, step], (ROWS, INPUTS, STEPS)),
    "backwards": (lambda x, step: x[:, STEPS - 1 - step], (ROWS, STEPS, INPUTS)),
    "turned": (lambda x, step: x[:, ::-1][:, step], (ROWS, STEPS, INPUTS)),
    "transposed": (lambda x, step: x.T[step], (INPUTS, ROWS, STEPS)),
    "every second": (lambda x, step: x[:, ::2][:, step], (ROWS, 2 * STEPS, INPUTS)),
    "every second element": (lambda x, step: x[:, step, ::2], (ROWS, STEPS, 2 * INPUTS)),
    "windows": (lambda x, step: x[:, step] - 0.5 * x[:, step + 2], (ROWS, STEPS + 2, INPUTS)),
    "part of a part": (lambda x, step: x[:, step][:, 3 : 3 + INPUTS], (ROWS, STEPS, INPUTS + 5)),
}
CELLS: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]]]] = {
    **{name: (simple(read), [shape, STATE, INTO, OVER]) for name, (read, shape) in PARTS.items()},
    "gated": (gated, [(ROWS, STEPS, INPUTS), STATE, STATE, (INPUTS, 3 * WIDTH), (WIDTH, 3 * WIDTH)]),
    "products": (of_products, [(ROWS, STEPS, INPUTS), STATE, INTO, OVER]),
    "opposite": (opposite, [(ROWS, STEPS, INPUTS), (STEPS, ROWS, INPUTS), STATE, INTO, OVER]),
}


def case(name: str) -> tuple[UOp, list[Array], list[Array]]:
    """A graph, arguments, and the results that NumPy finds."""
    function, shapes = CELLS[name]
    random = np.random.default_rng(7)
    arrays = [(random.standard_normal(shape) / 5).astype(np.float32) for shape in shapes]
    graph = eq.trace(lambda *given: function(eq, *given), *(eq.spec(shape, eq.float32) for shape in shapes))
    wanted = function(np, *arrays)
    return graph, arrays, list(wanted) if isinstance(wanted, tuple) else [wanted]


def modern(graph: UOp) -> UOp:
    return modernize(Closed.of(graph if graph.op is eq.Op.SINK else UOp.sink(graph)).sink)


def run(program: Any, arrays: list[Array]) -> list[Array]:
    found = program(*arrays)
    return list(found) if isinstance(found, tuple) else [found]


def require_close(found: list[Array], wanted: list[Array]) -> None:
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("name", CELLS)
def test_steps_are_equal_layers(name: str) -> None:
    layers = layers_of(modern(case(name)[0]))
    assert Counter(layer.sink for layer in layers).most_common(1)[0][1] >= STEPS - 2


@pytest.mark.parametrize("name", CELLS)
def test_steps_mean_what_they_meant(name: str) -> None:
    graph, arrays, wanted = case(name)
    program = eq.compile(graph)
    assert len({kernel.ast for kernel in program.schedule.kernels}) <= 4
    for _ in range(10):  # the last ones past the queue
        require_close(run(program, arrays), wanted)


@pytest.mark.parametrize(
    ("name", "steps"),
    [("gated", ("linear", "source")), ("products", ()), ("turned", ("binary",))],
    ids=("gated", "products", "turned"),
)
def test_programs_keep_where_arrays_begin(name: str, steps: tuple[str, ...], tmp_path: Path) -> None:
    """Saved, stored, staged and tuned ones. Each step is taken by one program; at each of them four kernels are compiled twice."""
    graph, arrays, wanted = case(name)
    program = eq.compile(graph)
    assert any(kernel.values for kernel in program.schedule.kernels)
    program.save(tmp_path / "steps")
    require_close(run(eq.load(tmp_path / "steps"), arrays), wanted)
    for step in steps:
        again = eq.compile(program.stage(step))
        require_close(run(again, arrays), wanted)
        require_close(run(eq.compile(again.stage(step)), arrays), wanted)
    given = {slot: array.reshape(-1) for slot, array in enumerate(arrays)}
    require_close(list(evaluate(list(program.stage("linear").src), given)), wanted)
    require_close(run(eq.compile(graph, eq.Plan(tune=2)), arrays), wanted)


def test_a_stored_plan_with_an_array_that_begins_too_late_is_refused() -> None:
    compilation = eq.compile(case("axis 0")[0])._compilation
    document = json.loads(stored_plans.encode(compilation))
    assert stored_plans.compilation_of(document).schedule == compilation.schedule
    kernels = document["schedule"]["kernels"]
    row = next(row for row in kernels if row[-1])
    row[-1] = [[name, value + STEPS * ROWS * INPUTS] for name, value in row[-1]]
    with pytest.raises(stored_plans.StoredPlanError):
        stored_plans.compilation_of(document)


def test_an_array_that_is_read_as_a_whole_begins_where_it_does() -> None:
    def cell(x: Any, state: Any, over: Any) -> Any:
        for step in range(STEPS):
            state = eq.tanh(state @ over + x[step] + eq.sum(x[:, step]))
        return state, x * 2.0

    shapes = [(STEPS, STEPS, WIDTH), (WIDTH,), OVER]
    layers = layers_of(modern(eq.trace(cell, *(eq.spec(shape, eq.float32) for shape in shapes))))
    assert sum(len(layer.offsets) for layer in layers if len(layer.sink.src) > 1) == 0


def test_results_that_read_a_whole_array_are_right() -> None:
    def cell(xp: Any, x: Any, state: Any, into: Any, over: Any) -> Any:
        return CELLS["axis 1"][0](xp, x, state, into, over), x * 2.0, xp.sum(x)

    shapes = [(ROWS, STEPS, INPUTS), STATE, INTO, OVER]
    arrays = [
        np.full(shape, 0.01, np.float32) + np.arange(shape[-1], dtype=np.float32) / 99 for shape in shapes
    ]
    graph = eq.trace(lambda *given: cell(eq, *given), *(eq.spec(shape, eq.float32) for shape in shapes))
    require_close(run(eq.compile(graph), arrays), list(cell(np, *arrays)))


@pytest.mark.parametrize("steps", [4, 7])
def test_few_steps_are_as_quick_as_one_layer(steps: int) -> None:
    """On one core. Where kernels take long to start, they are one layer."""

    def cell(xp: Any, x: Any, state: Any, into: Any, over: Any) -> Any:
        for step in range(steps):
            state = xp.tanh(x[:, step] @ into + state @ over)
        return state

    def equal(layer: UOp) -> Snapshot:
        return saturate([layer], plan.admitted, plan.budget).snapshot

    plan, machine = eq.Plan(), replace(PROCESSOR, cores=1, launch_seconds=30e-9, group_seconds=1e-9)
    shapes = [(ROWS, steps, INPUTS), STATE, INTO, OVER]
    graph = modern(
        eq.trace(lambda *given: cell(eq, *given), *(eq.spec(shape, eq.float32) for shape in shapes))
    )
    assert len({layer.sink for layer in layers_of(graph)}) == 1 < len(layers_of(graph))
    assert len(layers_of(graph, shallow=False)) == 1
    made = draft_of_layers(graph, machine, equal).schedule()
    assert made.predicted_seconds <= schedule(equal(graph), machine).predicted_seconds
    random = np.random.default_rng(3)
    arrays = [random.standard_normal(shape).astype(np.float32) / 5 for shape in shapes]
    require_close(run(eq.compile(graph), arrays), [cell(np, *arrays)])


def test_steps_along_a_dim_mean_what_they_meant() -> None:
    """Arrays begin where they did, since loops end where only calls know, so steps are layers that differ."""

    def cell(xp: Any, x: Any, state: Any, into: Any, over: Any) -> Any:
        for step in range(4):
            state = xp.tanh(x[:, step] @ into + state @ over)
        return state

    def shapes(rows: Any) -> list[tuple[Any, ...]]:
        return [(rows, 4, INPUTS), (rows, WIDTH), INTO, OVER]

    def traced(rows: Any) -> UOp:
        return eq.trace(
            lambda *given: cell(eq, *given), *(eq.spec(shape, eq.float32) for shape in shapes(rows))
        )

    layers = layers_of(modern(traced(ROWS)), moving=False)
    assert len(layers) == 4
    assert not any(layer.offsets for layer in layers)
    program = eq.compile(traced(eq.dim("rows", 1, 40)))
    for rows in (1, 2, 7, 39, 40):
        random = np.random.default_rng(rows)
        arrays = [random.standard_normal(shape).astype(np.float32) / 5 for shape in shapes(rows)]
        require_close(run(program, arrays), [cell(np, *arrays)])


def test_products_without_functions_between_are_no_steps() -> None:
    """They may be taken in another order."""

    def products(x: Any, *weights: Any) -> Any:
        for weight in weights:
            x = x @ weight
        return x

    specs = [eq.spec(shape, eq.float32) for shape in [(ROWS, WIDTH), *[OVER] * 24]]
    assert len(layers_of(modern(eq.trace(products, *specs)))) == 1


def test_arrays_that_begin_late_are_not_read_beyond_their_buffer() -> None:
    """A copy in local memory may hold more than is read: what is beyond counts as zeros."""
    x = UOp.param(0, 16, eq.float32)
    (kernel,) = schedule(UOp.sink(x.shrink(((0, 8),)) * 2.0), Machine()).kernels
    for begin, inside in ((8, 8), (10, 6)):
        (moved,) = with_offsets([kernel], [(0, begin)])
        found, data = np.zeros(8, np.float32), np.arange(16, dtype=np.float32)
        evaluate_kernel(moved.ast, [found, data])
        assert found.tolist() == [*(2 * data[begin : begin + inside]), *[0.0] * (8 - inside)]
        assert any(node.op is eq.Op.CMPLT for node in moved.ast.toposort()) == (inside < 8)
