"""`scan` is a loop over the elements that hands on what it keeps."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest

import eqsat as eq
from eqsat.errors import BuildError, DTypeError, ShapeError
from eqsat.ops import Op
from eqsat.pipeline.functions import scanning
from eqsat.pipeline.functions.nested import leaves_of, mapped
from eqsat.pipeline.functions.recurrences import LONGEST
from eqsat.uop import toposort

Step = Callable[[Any], Callable[[Any, Any], tuple[Any, Any]]]
"""A step for a library of arrays."""

TOLERANCE = {"float16": 2e-2, "float32": 1e-4, "float64": 1e-10}


class State(NamedTuple):
    level: Any
    trend: Any


def smoothing(xp: Any) -> Any:
    """Of a level and a trend."""

    def step(state: State, x: Any) -> Any:
        level = state.level + state.trend + (x - state.level - state.trend) / 2
        trend = state.trend + (level - state.level - state.trend) / 4
        return State(level, trend), {"fit": level, "rest": x - level}

    return step


def congruential(xp: Any) -> Any:
    """Numbers that look drawn; they wrap."""

    def step(state: Any, x: Any) -> Any:
        return state * 5 + x, state ^ x

    return step


def parity(xp: Any) -> Any:
    return lambda odd, x: (odd ^ x, odd & x)


def swapping(xp: Any) -> Any:
    """Each kept value becomes the one of the other."""
    return lambda kept, x: ((kept[1], kept[0] + x), [kept[0], kept[1]])


def greatest_gap(xp: Any) -> Any:
    """What is kept has another dtype than the elements, and the step chooses."""

    def step(kept: Any, x: Any) -> Any:
        last, count = kept
        is_new = x > last
        return (xp.where(is_new, x, last), count + is_new.astype(np.int32)), count

    return step


def rotating(xp: Any) -> Any:
    """A vector of two elements times a matrix that depends on the element."""

    def step(v: Any, x: Any) -> Any:
        turned = xp.stack([v[..., 0] - x * v[..., 1], v[..., 1] + x * v[..., 0]], axis=-1) / 2
        return turned, xp.sum(turned, axis=-1)

    return step


def most_likely(xp: Any) -> Any:
    """Viterbi's: the best way to each of three states, and where it comes from."""
    change = np.array([[0, -1, -2], [-3, 0.5, -1], [-1, -1, 0]])

    def step(score: Any, x: Any) -> Any:
        ways = score[..., :, None] + change.astype(str(score.dtype))
        return xp.max(ways, axis=-2) + x[..., None], xp.argmax(ways, axis=-2)

    return step


STEPS: dict[str, tuple[Step, tuple[str, ...], Callable[[tuple[int, ...], str], Any]]] = {
    "smoothing": (smoothing, ("float16", "float32", "float64"), lambda shape, dtype: State(np.ones(shape, dtype), np.zeros(shape, dtype))),
    "congruential": (congruential, ("int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"), lambda shape, dtype: np.full(shape, 3, dtype)),
    "parity": (parity, ("bool",), np.zeros),
    "swapping": (swapping, ("int32", "float32", "uint8"), lambda shape, dtype: (np.ones(shape, dtype), np.zeros(shape, dtype))),
    "gap": (greatest_gap, ("float32", "int16", "float64"), lambda shape, dtype: (np.full(shape, 0, dtype), np.zeros(shape, np.int32))),
    "most likely": (most_likely, ("float32", "float64"), lambda shape, dtype: np.zeros((*shape, 3), dtype)),
    "rotating": (rotating, ("float32", "float64"), lambda shape, dtype: np.ones((*shape, 2), dtype)),
}  # fmt: skip
"""Steps, the dtypes that they are for, and what they keep at first."""


def by_loop(step: Callable[[Any, Any], Any], kept: Any, elements: Any, axis: int, *, reverse: bool) -> Any:
    """The definition, with NumPy."""
    count = next(each.shape[axis] for _, each in leaves_of(elements))
    given = list[Any]()
    for place in range(count)[:: -1 if reverse else 1]:
        kept, result = step(kept, mapped(elements, lambda _, each, place=place: each.take(place, axis)))
        given.append(result)
    every = [dict(leaves_of(each)) for each in (given[::-1] if reverse else given)]
    return kept, mapped(given[0], lambda place, _: np.stack([each[place] for each in every], axis=axis))


def drawn(shape: tuple[int, ...], dtype: str, seed: int) -> Any:
    generator = np.random.default_rng(seed)
    if dtype == "bool":
        return generator.random(shape) < 0.4
    values = generator.uniform(-1, 1, shape) if dtype.startswith("f") else generator.integers(0, 100, shape)
    return values.astype(dtype)


def assert_same(found: Any, expected: Any) -> None:
    results = dict(leaves_of(found))
    for place, each in leaves_of(expected):
        result = np.asarray(results.pop(place))
        assert (result.shape, result.dtype) == (np.shape(each), each.dtype)
        if each.dtype.kind == "f":
            bound = TOLERANCE[each.dtype.name]
            np.testing.assert_allclose(result, each, rtol=bound, atol=bound)
        else:
            np.testing.assert_array_equal(result, each)
    assert not results


@pytest.mark.parametrize("name", STEPS)
def test_drawn_scans(name):
    step, dtypes, start = STEPS[name]
    chance = Random(name)
    for seed, dtype in enumerate(dtypes * 3):
        shape = [chance.choice((1, 2, 3, 17)) for _ in range(chance.randrange(3))]
        axis, reverse = chance.randrange(len(shape) + 1), chance.random() < 0.4
        kept = start(tuple(shape), dtype)
        shape.insert(axis, chance.choice((1, 2, 31, 32, 64)))
        elements = drawn(tuple(shape), dtype, seed)
        with np.errstate(over="ignore"):
            expected = by_loop(step(np), kept, elements, axis, reverse=reverse)
        assert_same(eq.scan(step(eq), kept, elements, axis=axis, reverse=reverse), expected)


def operations_of(function: Callable[..., Any], *shapes: tuple[int, ...]) -> list[Op]:
    graph = eq.trace(function, *(eq.spec(shape, eq.float32) for shape in shapes))
    return [node.op for node in toposort([graph])]


def test_a_step_with_formulas_is_called_once_and_is_one_loop():
    calls = list[int]()

    def step(kept: Any, x: Any) -> Any:
        calls.append(1)
        return kept * 0.5 + x, kept

    ops = operations_of(lambda x: eq.scan(step, eq.zeros(7, dtype=eq.float32), x), (100_000, 7))
    assert len(calls) == 1
    assert Op.RECUR_AXIS in ops
    assert len(ops) < 60


def test_the_kept_matrix_of_a_filter_is_in_one_kernel():
    """Kalman's filter of position and speed: products of 2 × 2 matrices, and what the function reads besides."""
    move, noise = np.array([[1, 1], [0, 1]], np.float32), np.eye(2, dtype=np.float32) / 64

    def filtered(xp: Any) -> Any:
        def step(kept: Any, measured: Any) -> Any:
            mean, spread = kept
            mean, spread = move @ mean, move @ spread @ move.T + noise
            gain = spread[:, 0] / (spread[0, 0] + 0.5)
            mean = mean + gain * (measured - mean[0])
            return (mean, spread - gain[:, None] * spread[0][None, :]), mean

        return step

    start = (np.zeros(2, np.float32), np.eye(2, dtype=np.float32))
    z = drawn((300,), "float32", 0)
    program = eq.compile(eq.trace(lambda z: eq.scan(filtered(eq), start, z)[1], eq.spec(z.shape, eq.float32)))
    assert len(program.kernels) == 1
    assert_same(program(z), by_loop(filtered(np), start, z, 0, reverse=False)[1])


def test_steps_without_formulas_are_parts_of_the_graph():
    weights = drawn((24, 24), "float32", 1) / 4

    def cell(xp: Any) -> Any:
        return lambda h, x: (xp.tanh(h @ weights + x), xp.sum(x * x))

    x, h = drawn((6, 4, 24), "float32", 2), np.zeros((4, 24), np.float32)
    assert Op.RECUR_AXIS not in operations_of(lambda x: eq.scan(cell(eq), h, x), x.shape)
    assert_same(eq.scan(cell(eq), h, x), by_loop(cell(np), h, x, 0, reverse=False))


def test_arrays_that_the_step_reads():
    """By place of the batch, whole, and a single number."""
    rates, bias = drawn((5,), "float64", 3), drawn((4, 5), "float64", 4)

    def step(kept: Any, x: Any) -> Any:
        return kept * rates[None, :] + bias * x, kept + bias[1, 2]

    x, start = drawn((9, 4, 5), "float64", 5), drawn((4, 5), "float64", 6)
    assert_same(eq.scan(step, start, x), by_loop(step, start, x, 0, reverse=False))


def test_views_of_arrays_that_the_step_reads():
    """Parts, backwards, repeated; and a part of what is kept times an array."""
    rates, wide = drawn((8,), "float64", 3), drawn((4, 7), "float64", 10)

    def stepping(xp: Any) -> Any:
        def step(kept: Any, x: Any) -> Any:
            both = (
                xp.concat([kept, kept], axis=-1)[:, :7]
                if xp is eq
                else np.concatenate([kept, kept], axis=-1)[:, :7]
            )
            return kept * rates[1:6] + wide[::-1, :5] * x + wide[:, :1], (both * wide)[:, :5] + rates[2]

        return step

    x, start = drawn((9, 4, 5), "float64", 5), drawn((4, 5), "float64", 6)
    assert_same(eq.scan(stepping(eq), start, x), by_loop(stepping(np), start, x, 0, reverse=False))
    pair = lambda kept, x: ((kept * np.ones((4, 7))[:, :5] * wide[:, :5]) * 0.5 + x, kept)  # noqa: E731
    assert_same(eq.scan(pair, start, x), by_loop(pair, start, x, 0, reverse=False))
    assert Op.RECUR_AXIS in [node.op for node in toposort([eq.scan(pair, start, x)[1].uop])]


def test_members_of_a_batch():
    x = drawn((5, 40), "float32", 7)
    scan = eq.jit(eq.vmap(lambda x: eq.scan(lambda h, x: (h * 0.5 + x, h), x[0], x)[1]))
    expected = [
        by_loop(lambda h, x: (h * np.float32(0.5) + x, h), each[0], each, 0, reverse=False)[1] for each in x
    ]
    np.testing.assert_allclose(scan(x), expected, rtol=1e-5)


def test_scans_of_scans():
    """The inner scan is part of a step, which therefore has no formulas."""
    x = drawn((4, 6), "float64", 8)

    def rows(xp: Any, inner: Any) -> Any:
        return lambda kept, row: (inner(lambda h, v: (h * 0.5 + v, h), kept, row)[0], kept)

    found = eq.scan(rows(eq, eq.scan), np.float64(1), x)
    loop = lambda step, kept, row: by_loop(step, kept, row, 0, reverse=False)  # noqa: E731
    assert_same(found, by_loop(rows(np, loop), np.float64(1), x, 0, reverse=False))


def test_a_step_may_give_nothing():
    last, nothing = eq.scan(lambda h, x: (h + x, ()), np.float32(0), np.ones(5, np.float32))
    assert nothing == ()
    assert float(last) == 5


def test_graphs_with_recurrences_are_written_and_read():
    graph = eq.trace(
        lambda x: eq.scan(smoothing(eq), State(x[0], x[0] * 0), x)[1], eq.spec((30, 3), eq.float32)
    )
    (read,) = eq.from_json(eq.to_json([graph]))
    assert read is graph
    x = drawn((30, 3), "float32", 9)
    expected = by_loop(smoothing(np), State(x[0], x[0] * 0), x, 0, reverse=False)[1]
    assert_same(eq.evaluate(graph, {0: x})[0], expected["fit"])


def test_sums_of_many_elements_are_not_rounded_away():
    """Parts of long axes are combined for themselves, as those of a sum are."""
    x = np.full(LONGEST * 40, 0.1, np.float32)
    found = eq.associative_scan(lambda a, b: a + b, x).numpy()
    np.testing.assert_allclose(found, np.cumsum(x, dtype=np.float64), rtol=2e-5)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: eq.scan(3, 0.0, x), BuildError, "3 is none"),
        (lambda x: eq.scan(lambda h, v: (h, v), 0.0, x, reverse=1), BuildError, "reverse is True or False"),
        (lambda x: eq.scan(lambda h, v: (h, v), 0.0, ()), BuildError, "no arrays to scan"),
        (lambda x: eq.scan(lambda h, v: h, x[0], x), BuildError, "return two trees"),
        (lambda x: eq.scan(lambda h, v: (h, h, v), x[0], x), BuildError, "return two trees"),
        (lambda x: eq.scan(lambda h, v: ({}, v), x[0], x), BuildError, "returns no arrays"),
        (lambda x: eq.scan(lambda h, v: (v, v), x[0, 0], x), ShapeError, r"arrays of \(\) and returns \(4,\)"),
        (lambda x: eq.scan(lambda h, v: (h + 1.5, v), np.int32(1), x), DTypeError, "given int32 and returns float64"),
        (lambda x: eq.scan(lambda h, v: (h, v), x[0], x[:0]), ShapeError, "at least one, not 0"),
        (lambda x: eq.scan(lambda h, v: (h, v), x[0], x, axis=2), ShapeError, "scan along axis 2"),
        (lambda x: eq.scan(lambda h, v: (h, v), x[0], (x, x[1:])), ShapeError, "3 and 2 elements"),
    ],
)  # fmt: skip
def test_wrong_calls(call, error, message):
    with pytest.raises(error, match=message):
        call(eq.asarray(np.ones((3, 4), np.float32)))


def test_too_many_steps_without_formulas():
    weights = np.ones((24, 24), np.float32)
    x = eq.zeros((scanning.MOST_STEPS + 1, 24), dtype=eq.float32)
    with pytest.raises(BuildError, match="are the most; scan fewer elements"):
        eq.scan(lambda h, v: (h @ weights + v, h), x[0], x)


def test_steps_whose_number_only_calls_know():
    n = eq.dim("n", 1, 8)
    with pytest.raises(ShapeError, match="known when it is traced"):
        eq.jit(lambda x: eq.scan(lambda h, v: (h + v, h), x[0], x), dynamic={"x": {0: n}})(
            np.ones(3, np.float32)
        )
