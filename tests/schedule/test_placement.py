"""The choice of kernels: the best of all on graphs small enough to try everything, and bounds that hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from math import inf
from pathlib import Path

import numpy as np
import pytest

import eqsat as eq
from benchmarks.scaling import FAMILIES
from eqsat.demo.programs import PROGRAMS
from eqsat.demo.report import as_list
from eqsat.dtype import float32, parse_dtype
from eqsat.egraph.saturate import saturate
from eqsat.egraph.snapshot.unsaturated import snapshot_as_written
from eqsat.extract import BottomUp, GreedyDag, Portfolio, load
from eqsat.machine import Machine
from eqsat.ops import Op
from eqsat.schedule.kernel import Schedule
from eqsat.schedule.lowering.older_forms import modernize
from eqsat.schedule.placement import OF_LAYERS, Effort, KernelPrices, extract_kernels
from eqsat.schedule.placement.kernel_prices import Price
from eqsat.schedule.placement.problem import Weights, placed_problem
from eqsat.schedule.placement.refinement import Refinement, Solution
from eqsat.schedule.plan import draft_of_layers, schedule
from eqsat.uop import UOp
from tests.schedule.brute_force import THOROUGH, drawn_graph, outcomes

DEVICE = Machine()
ROUNDING = 1 + 1e-9


@pytest.mark.parametrize(
    ("effort", "seed", "most"), [(THOROUGH, 0, 1.0), (Effort(), 50, 1.5)], ids=["thorough", "usual"]
)
def test_storage_is_as_good_as_the_best_of_all_choices(effort: Effort, seed: int, most: float) -> None:
    """Several outputs of one kernel, which trying all does not look at, may make it better."""
    for number, found in outcomes(8, seed, effort):
        assert found.chosen <= found.best * most * ROUNDING, number
        assert found.lower_bound <= found.chosen * ROUNDING, number


@pytest.mark.parametrize(("seed", "wide"), [(2084, False), (11065, False), (0, True)])
def test_no_bound_is_above_the_best_of_all_choices(seed: int, wide: bool) -> None:
    """A use that other choices make needless is no reason to store, and bounds of unseen variants end no proof."""
    for number, found in outcomes(4 if wide else 1, seed, wide=wide):
        assert found.chosen <= found.best * ROUNDING, number
        assert found.lower_bound <= found.best * ROUNDING, number


@pytest.mark.parametrize(("rows", "columns"), [(4, 1), (2, 3), (3, 3)])
@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_what_a_stack_is_reduced_to_is_combined_part_by_part(rows: int, columns: int, dtype: str) -> None:
    """Windows of a padded image, which no kernel has to store one by one."""

    def windows(x: eq.Array) -> list[eq.Array]:
        padded = eq.pad(x, ((1, rows - 2), (1, columns - 2) if columns > 1 else (0, 0)))
        return [padded[i : 1080 + i, j : 1920 + j] for i in range(rows) for j in range(columns)]

    given = eq.spec((1080, 1920), parse_dtype(dtype))
    stacked, chained = (
        draft_of_layers(
            eq.trace(function, given), DEVICE, lambda sink: saturate([sink], eq.Plan().admitted).snapshot
        ).schedule()
        for function in (
            lambda x: eq.max(eq.stack(windows(x)), axis=0),
            lambda x: reduce(eq.maximum, windows(x)),
        )
    )
    assert stacked.predicted_seconds <= 1.25 * chained.predicted_seconds


def test_reductions_of_the_same_arrays_share_a_kernel() -> None:
    """The second kernel joins what the first has of all parts."""

    def cosine(x: UOp, y: UOp) -> UOp:
        return eq.sum(x * y) / eq.sqrt(eq.sum(x * x) * eq.sum(y * y))

    graph = eq.trace(cosine, *[eq.spec((1 << 20,), float32)] * 2)
    made = schedule(saturate([graph], eq.Plan().admitted).snapshot, DEVICE)
    assert len(made.kernels) == 2
    assert made.gap <= 0.05


@pytest.mark.parametrize("dtype", ["int32", "uint64", "float32", "bool"])
@pytest.mark.parametrize("reduced", [eq.min, eq.max])
@pytest.mark.parametrize("rows", [1, 2, 5])
def test_extremes_of_single_elements_are_the_elements(
    dtype: str, reduced: Callable[..., UOp], rows: int
) -> None:
    """The reduction equals its operand in another shape: e-classes of one element along an axis are made of each other."""

    def outer(x: UOp) -> UOp:
        column = reduced(x, axis=1, keepdims=True)
        return column * eq.matrix_transpose(column)

    x = np.arange(1, rows + 1).reshape(rows, 1).astype(dtype)
    np.testing.assert_array_equal(eq.jit(outer)(x), x * x.T)
    if dtype != "bool":
        np.testing.assert_array_equal(
            eq.jit(lambda x: eq.matmul(reduced(x, axis=1, keepdims=True), x.T))(x), x @ x.T
        )


def test_outputs_that_are_made_of_each_other_have_an_order() -> None:
    """The greatest of copies of a number is that number, so that each of the first two outputs may be computed from the other."""

    def program(x: eq.Array) -> tuple[eq.Array, ...]:
        number = eq.astype(eq.not_equal(x, x), eq.int16)
        copies = eq.stack([number, number, number])
        return number, copies, eq.rms_norm(eq.log_softmax(copies), axis=0)

    number, copies, normal = eq.jit(program)(np.float16(3))
    assert number == 0
    np.testing.assert_array_equal(copies, [0, 0, 0])
    np.testing.assert_allclose(normal, [-1, -1, -1], rtol=1e-3)


def traced(name: str) -> UOp:
    program = PROGRAMS[name]
    specs = [eq.spec(shape, parse_dtype(dtype)) for shape, dtype in program.inputs]
    return eq.trace(program.bind(eq), *specs)


@pytest.mark.parametrize("name", ["softmax", "layer_norm", "matmul", "elementwise", "sum", "attention"])
def test_the_bound_is_reached(name: str) -> None:
    made = schedule(traced(name), DEVICE)
    assert made.lower_bound <= made.predicted_seconds * ROUNDING
    assert made.gap <= 0.05


@pytest.mark.parametrize("name", ["matmul", "attention", "conv2d"])
def test_a_choice_that_is_near_enough_ends_the_search(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    priced: list[tuple[UOp, ...]] = []
    price = KernelPrices.price

    def counted(self: KernelPrices, roots: tuple[UOp, ...], most: float = inf) -> Price:
        priced.append(roots)
        return price(self, roots, most)

    monkeypatch.setattr(KernelPrices, "price", counted)
    counts: list[int] = []
    best = draft_of_layers(traced(name), DEVICE, lambda sink: sink, gap=0.0).schedule()
    for gap in (0.0, 0.05, 0.5):
        priced.clear()
        made = draft_of_layers(traced(name), DEVICE, lambda sink: sink, gap=gap).schedule()
        counts.append(len(priced))
        assert made.gap <= max(gap, 1e-9)
        assert made.lower_bound <= best.predicted_seconds * ROUNDING <= made.predicted_seconds * ROUNDING**2
    assert counts[0] >= counts[1] >= counts[2] < counts[0]


@pytest.mark.parametrize("name", ["attention", "classifier", "training"])
def test_a_choice_without_time_is_one_that_can_be_built(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is saturated, and no choice is looked at after the first whose kernels are all priced, which computes what it should."""
    choices: list[bool] = []
    attempt = Refinement._round

    def tried(refinement: Refinement, *, bounding: bool) -> bool:
        choices.append(refinement.seconds < inf)
        return attempt(refinement, bounding=bounding)

    monkeypatch.setattr(Refinement, "_round", tried)

    def refuse(sink: UOp) -> UOp:
        raise AssertionError(f"saturation of {sink} begins after the end")

    made = draft_of_layers(traced(name), DEVICE, refuse, seconds=0.0).schedule()
    assert not any(choices)
    best = draft_of_layers(traced(name), DEVICE, lambda sink: sink).schedule()
    assert made.lower_bound <= best.predicted_seconds * ROUNDING <= made.predicted_seconds * ROUNDING**2
    assert any(choices)

    program = PROGRAMS[name]
    draw = np.random.default_rng(0)
    arrays = [draw.random(shape).astype(dtype) for shape, dtype in program.inputs]
    given = eq.compile(traced(name), eq.Plan(budget=eq.Budget(seconds=0)))(*arrays)
    usual = eq.compile(traced(name))(*arrays)
    for one, other in zip(as_list(given), as_list(usual), strict=True):
        np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("weights", [(1 / 3, 1 / 3, 1 / 3), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
def test_the_whole_problem_bounds_every_schedule(weights: Weights) -> None:
    graphs = [traced(name) for name in ("softmax", "layer_norm", "attention")]
    for graph in [*graphs, *map(drawn_graph, range(12))]:
        snapshot = snapshot_as_written([modernize(graph)])
        problem = placed_problem(snapshot, DEVICE, weights)
        least = Portfolio(10.0).extract(problem)
        assert 0 < least.dag_cost <= schedule(snapshot, DEVICE).predicted_seconds * 1e6 * ROUNDING
        assert GreedyDag().extract(problem).dag_cost >= least.lower_bound / ROUNDING


def test_the_whole_problem_reads_each_buffer_from_a_kernel_or_the_caller() -> None:
    """However many kernels may store a buffer, it is one class, which other kernels read from."""
    problem = placed_problem(snapshot_as_written([modernize(traced("classifier"))]), DEVICE)
    name = problem.class_names
    by_label = Counter(problem.labels)
    assert by_label["PARAM"] == len(PROGRAMS["classifier"].inputs)
    assert by_label["KERNEL"] <= by_label["STORE"]
    assert by_label["SINK"] == 1
    read = [row for row, label in zip(problem.child_rows, problem.labels, strict=True) if label == "READ"]
    assert read
    assert all(len(row) == 1 and name[row[0]].startswith("stored ") for row in read)


def test_the_whole_problem_survives_its_file(tmp_path: Path) -> None:
    problem = placed_problem(snapshot_as_written([modernize(traced("attention"))]), DEVICE)
    problem.save(tmp_path / "attention.json")
    again = load(tmp_path / "attention.json")
    assert (again.node_count, again.class_count) == (problem.node_count, problem.class_count)
    assert BottomUp().extract(again).dag_cost == pytest.approx(BottomUp().extract(problem).dag_cost)


def test_no_variant_takes_less_than_its_lower_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of those that are priced, with local memory and without."""
    solved: list[Refinement] = []
    solve = Refinement.solve

    def solve_and_keep(refinement: Refinement) -> Solution:
        solved.append(refinement)
        return solve(refinement)

    monkeypatch.setattr(Refinement, "solve", solve_and_keep)
    for graph in [
        *(traced(name) for name in PROGRAMS if name != "transformer"),
        *map(drawn_graph, range(40, 60)),
    ]:
        extract_kernels(snapshot_as_written([modernize(graph)]), KernelPrices(DEVICE))
    every = [each for region in solved for own in region.variants.values() for each in own if each.is_exact]
    assert any(each.uses_local_memory for each in every)
    assert [each for each in every if each.lower_bound > each.seconds * ROUNDING] == []


def test_less_effort_bounds_from_below() -> None:
    """Whatever is left out, the bound is not above what more effort finds."""
    snapshot = snapshot_as_written([modernize(UOp.sink(*traced("classifier").src))])
    little, much = (
        extract_kernels(snapshot, KernelPrices(DEVICE), Effort(prices=n, gap=0.0)) for n in (1, 200)
    )
    assert little.lower_bound <= much.seconds * ROUNDING
    assert much.seconds <= little.seconds * ROUNDING


def test_guesses_end_where_little_is_to_be_gained() -> None:
    """Of fewer prices, a choice that is hardly worse, and a bound that holds."""
    family = next(each for each in FAMILIES if each.name == "transformer")
    snapshot = saturate([modernize(family.graph(1))], eq.Plan().admitted).snapshot
    found: list[tuple[int, float]] = []
    for gain in (0.0, OF_LAYERS.gain):
        prices = KernelPrices(DEVICE)
        placed = extract_kernels(snapshot, prices, replace(OF_LAYERS, gain=gain))
        assert 0 < placed.lower_bound <= placed.seconds * ROUNDING
        found.append((len(prices.drafts.keys() | prices.slow), placed.seconds))
    (many, seconds), (few, more) = found
    assert few <= many - 4
    assert more <= 1.1 * seconds


def test_what_is_asked_for_is_stored() -> None:
    x = UOp.param(0, 64, float32)
    copied = UOp(Op.CONTIGUOUS, float32, (x * 2.0,))
    assert len(schedule(UOp.sink(x * 2.0 + 1.0), DEVICE).kernels) == 1
    assert len(schedule(UOp.sink(copied + 1.0), DEVICE).kernels) == 2


def test_reductions_of_one_array_are_one_kernel() -> None:
    x = UOp.param(0, 256 * 256, float32).reshape((256, 256))
    sums = UOp.sink(*(x.reduce_axis(op, (1,)) for op in (Op.ADD, Op.MAX, Op.MIN)))
    (kernel,) = schedule(sums, DEVICE).kernels
    assert len(kernel.ast.src) == 3


def test_neither_of_two_arrays_that_need_each_other_through_a_third_waits_for_it() -> None:
    """The first and the last sum have one shape and read one array, but a total that is stored is between them."""
    x = UOp.param(0, 256 * 256, float32).reshape((256, 256))
    first = x.reduce_axis(Op.ADD, (1,))
    total = UOp(Op.CONTIGUOUS, float32, (first.reduce_axis(Op.ADD, (0,)),))
    last = (x * total.broadcast((256, 256))).reduce_axis(Op.ADD, (1,))
    require_order(schedule(UOp.sink(first, last), DEVICE))


def require_order(made: Schedule) -> None:
    """What a kernel reads is there when it runs."""
    seen: set[int] = set(made.inputs)
    for kernel in made.kernels:
        written = {kernel.buffers[store.src[0].src[0].arg[0]] for store in kernel.ast.src}
        assert {*kernel.buffers} - written <= seen
        seen |= written


def test_two_kernels_of_two_arrays_never_wait_for_each_other() -> None:
    """Sums of rows in one kernel, sums of columns in another would each be best, but each pair has one that needs one of the other pair."""
    x = UOp.param(0, 2048 * 1024, float32).reshape((2048, 1024))
    rows, columns = (x.reduce_axis(Op.ADD, (axis,)) for axis in (1, 0))
    weighted_rows = (x * columns.reshape((1, 1024)).expand((2048, 1024))).reduce_axis(Op.ADD, (1,))
    weighted_columns = (x * rows.reshape((2048, 1)).expand((2048, 1024))).reduce_axis(Op.ADD, (0,))
    require_order(schedule(UOp.sink(rows, columns, weighted_rows, weighted_columns), DEVICE))


EMPTY_OPERANDS: dict[str, Callable[[eq.Array, eq.Array], eq.Array]] = {
    "padded": lambda none, x: eq.pad(eq.roll(none, 1, axis=0), ((0, 0), (1, 2))),
    "joined": lambda none, x: eq.concat([eq.exp(none), x, none], axis=1),
    "summed": lambda none, x: eq.sum(none * 2.0, axis=1, keepdims=True) + x,
    "multiplied": lambda none, x: none @ eq.zeros((0, 3)) + x,
}


@pytest.mark.parametrize("name", EMPTY_OPERANDS)
def test_a_kernel_reads_nothing_of_an_empty_array(name: str) -> None:
    none, x = np.zeros((2, 0), np.float32), np.arange(6, dtype=np.float32).reshape(2, 3)
    expected = {
        "padded": np.zeros((2, 3), np.float32),
        "joined": x,
        "summed": x,
        "multiplied": x,
    }[name]
    for first in (none, x):  # either order: a buffer's number is not its place among the inputs
        second = x if first is none else none
        result = eq.jit(lambda a, b: EMPTY_OPERANDS[name](*((a, b) if 0 in a.shape else (b, a))))(
            first, second
        )
        assert np.array_equal(np.asarray(result), expected)


def test_one_kernel_stores_arrays_that_are_reshaped_differently() -> None:
    """The product is a scalar made of one element, and the position an array of one."""

    def both(x: eq.Array) -> tuple[eq.Array, eq.Array]:
        return eq.matmul(eq.min(x, keepdims=True), x), eq.argmax(x, keepdims=True)

    product, position = eq.jit(both)(np.array([3], np.uint16))
    assert np.asarray(product).tolist() == 9
    assert np.asarray(position).tolist() == [0]


@pytest.mark.parametrize("name", ["classifier", "attention", "layer_norm", "image"])
def test_a_bound_holds_for_what_was_not_looked_at(name: str) -> None:
    snapshot = snapshot_as_written([modernize(UOp.sink(*traced(name).src))])
    few = extract_kernels(snapshot, KernelPrices(DEVICE), Effort(variants=2))
    much = extract_kernels(snapshot, KernelPrices(DEVICE), Effort())
    assert 0 < few.lower_bound <= much.seconds * ROUNDING
    assert few.lower_bound <= few.seconds * ROUNDING


def test_layers_are_priced_once() -> None:
    """A chain of residual layers is one region; more layers take hardly more prices, and there is a bound."""
    family = next(each for each in FAMILIES if each.name == "transformer")
    counts: list[int] = []
    for size in (10, 14):
        prices = KernelPrices(DEVICE)
        placed = extract_kernels(snapshot_as_written([modernize(family.graph(size))]), prices)
        assert placed.lower_bound >= 0.3 * placed.seconds
        counts.append(len(prices.drafts))
    assert counts[1] <= 1.05 * counts[0]
