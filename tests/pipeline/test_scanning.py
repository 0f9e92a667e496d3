"""`associative_scan` is what a loop over the elements computes."""

from __future__ import annotations

import random
from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

import numpy as np
import pytest

import eqsat as eq
from eqsat.errors import BuildError, DTypeError, ShapeError
from eqsat.pipeline.functions.blocks import LONGEST, block_lengths
from eqsat.pipeline.functions.nested import leaves_of, mapped

Draw = Callable[[tuple[int, ...], str], Any]
"""Draws an array."""

TOLERANCE = {"float32": 1e-4, "float64": 1e-11}
FLOATS, INTEGERS = ("float32", "float64"), ("int8", "uint8", "int32", "int64", "uint64")


class Moments(NamedTuple):
    count: Any
    total: Any


def recurrence(xp: Any) -> Any:
    return lambda a, b: (a[0] * b[0], b[0] * a[1] + b[1])


def products(xp: Any) -> Any:
    """Of 2×2 matrices, whose axes are the last two."""
    return xp.matmul


def matrices_written_out(xp: Any) -> Any:
    return lambda a, b: [[a[k][0] * b[0][j] + a[k][1] * b[1][j] for j in range(2)] for k in range(2)]


def greatest(xp: Any) -> Any:
    def combine(a: Any, b: Any) -> Any:
        is_later = b["value"] > a["value"]
        return {name: xp.where(is_later, b[name], a[name]) for name in ("place", "value")}

    return combine


def segments(xp: Any) -> Any:
    """Sums that begin anew where a flag is set."""
    return lambda a, b: (a[0] | b[0], [xp.where(b[0], b[1][0], a[1][0] + b[1][0])])


def moments(xp: Any) -> Any:
    return lambda a, b: Moments(a.count + b.count, {"x": a.total["x"] + b.total["x"]})


OPERATORS: dict[
    str, tuple[Callable[[Any], Any], tuple[str, ...], Callable[[Draw, tuple[int, ...], str], Any]]
] = {
    "recurrence": (
        recurrence,
        FLOATS + INTEGERS,
        lambda draw, shape, dtype: (draw(shape, dtype), draw(shape, dtype)),
    ),
    "matrices": (products, INTEGERS, lambda draw, shape, dtype: draw((*shape, 2, 2), dtype)),
    "written out": (
        matrices_written_out,
        ("int32", "float64"),
        lambda draw, shape, dtype: [[draw(shape, dtype) for _ in range(2)] for _ in range(2)],
    ),
    "greatest": (
        greatest,
        FLOATS + INTEGERS,
        lambda draw, shape, dtype: {"value": draw(shape, dtype), "place": draw(shape, "int64")},
    ),
    "segments": (
        segments,
        INTEGERS + FLOATS,
        lambda draw, shape, dtype: (draw(shape, "bool"), [draw(shape, dtype)]),
    ),
    "moments": (
        moments,
        FLOATS,
        lambda draw, shape, dtype: Moments(draw(shape, "int64"), {"x": draw(shape, dtype)}),
    ),
    "logarithms": (lambda xp: xp.logaddexp, FLOATS, lambda draw, shape, dtype: draw(shape, dtype)),
    "first": (lambda xp: lambda a, b: a, (*FLOATS, "bool"), lambda draw, shape, dtype: draw(shape, dtype)),
    "last": (lambda xp: lambda a, b: b, (*FLOATS, "bool"), lambda draw, shape, dtype: draw(shape, dtype)),
    "parity": (
        lambda xp: lambda a, b: a ^ b,
        ("bool", *INTEGERS),
        lambda draw, shape, dtype: draw(shape, dtype),
    ),
}  # the function of arrays of a library, the dtypes that it is for, and how its elements are drawn


def by_loop(function: Callable[[Any, Any], Any], elements: Any, axis: int, *, reverse: bool) -> Any:
    """The definition, with NumPy. `axis` counts from the front."""

    def at(place: int) -> Any:
        return mapped(elements, lambda _, each: each[(slice(None),) * axis + (slice(place, place + 1),)])

    count = next(each.shape[axis] for _, each in leaves_of(elements))
    results = list[Any]()
    for place in range(count)[:: -1 if reverse else 1]:
        results.append(function(results[-1], at(place)) if results else at(place))
    results = results[:: -1 if reverse else 1]
    every = [dict(leaves_of(each)) for each in results]
    if not every:
        return elements
    return mapped(elements, lambda place, _: np.concatenate([each[place] for each in every], axis=axis))


def drawing(seed: int) -> Draw:
    generator = np.random.default_rng(seed)

    def draw(shape: tuple[int, ...], dtype: str) -> Any:
        if dtype == "bool":
            return generator.random(shape) < 0.3
        if dtype in FLOATS:
            return generator.uniform(-1.0, 1.0, shape).astype(dtype)
        return generator.integers(0, 100, shape).astype(dtype)

    return draw


def assert_same(found: Any, expected: Any) -> None:
    assert type(found) is type(expected) or not isinstance(expected, tuple | list | dict)
    results = dict(leaves_of(found))
    for place, each in leaves_of(expected):
        result = np.asarray(results.pop(place))
        assert (result.shape, result.dtype) == (each.shape, each.dtype)
        if each.dtype.kind == "f":
            np.testing.assert_allclose(
                result, each, rtol=TOLERANCE[each.dtype.name], atol=TOLERANCE[each.dtype.name]
            )
        else:
            np.testing.assert_array_equal(result, each)
    assert not results


@pytest.mark.parametrize("name", OPERATORS)
def test_drawn_scans(name):
    operator, dtypes, elements_of = OPERATORS[name]
    chance = random.Random(name)
    for seed in range(12):
        axis, dtype = chance.randrange(3), chance.choice(dtypes)
        shape = [chance.randint(1, 3) for _ in range(3)]
        shape[axis] = [0, 1, 2, 71][seed] if seed < 4 else chance.randint(3, 70)
        elements = elements_of(drawing(seed), tuple(shape), dtype)
        reverse = chance.random() < 0.4
        with np.errstate(over="ignore"):
            expected = by_loop(operator(np), elements, axis, reverse=reverse)
        found = eq.associative_scan(operator(eq), elements, axis=axis, reverse=reverse)
        assert_same(found, expected)


@pytest.mark.parametrize("count", [1009, 4096])
def test_long_axes(count):
    for name in ("recurrence", "matrices"):
        operator, dtypes, elements_of = OPERATORS[name]
        elements = elements_of(drawing(count), (count,), dtypes[-1])
        with np.errstate(over="ignore"):
            assert_same(
                eq.associative_scan(operator(eq), elements), by_loop(operator(np), elements, 0, reverse=False)
            )


@pytest.mark.parametrize(
    ("name", "shape", "axis", "reverse"),
    [
        ("recurrence", (70,), 0, False),
        ("recurrence", (2, 48, 8), -2, True),
        ("written out", (18,), 0, False),
        ("matrices", (7,), 0, False),
        ("greatest", (3, 20), 1, False),
        ("segments", (60,), 0, True),
    ],
)
def test_compiled(name, shape, axis, reverse):
    operator, dtypes, elements_of = OPERATORS[name]
    elements = elements_of(drawing(0), shape, dtypes[0])
    found = eq.jit(lambda elements: eq.associative_scan(operator(eq), elements, axis=axis, reverse=reverse))(
        elements
    )
    with np.errstate(over="ignore"):
        assert_same(found, by_loop(operator(np), elements, axis % len(shape), reverse=reverse))


def test_negative_axes_count_from_the_end_of_each_array():
    x, y = np.arange(6).reshape(2, 3), np.arange(3)
    found = eq.associative_scan(lambda a, b: (a[0] + b[0], a[1] + b[1]), (x, y), axis=-1)
    assert_same(found, (x.cumsum(1), y.cumsum()))


def test_lists_without_arrays_are_arrays():
    np.testing.assert_array_equal(eq.associative_scan(lambda a, b: a * b, [1.0, 2.0, 3.0]), [1.0, 2.0, 6.0])


def test_members_of_a_batch():
    a, b = drawing(0)((5, 20), "float64"), drawing(1)((20,), "float64")
    scan = eq.jit(eq.vmap(lambda a, b: eq.associative_scan(recurrence(eq), (a, b))[1], in_axes=(0, None)))
    expected = [by_loop(recurrence(np), (each, b), 0, reverse=False)[1] for each in a]
    np.testing.assert_allclose(scan(a, b), expected)


@pytest.mark.parametrize("reverse", [False, True])
def test_extents_that_calls_know(reverse):
    n, m = eq.dim("n", 1, 12), eq.dim("m", 1, 4)
    scan = eq.jit(
        lambda x: eq.associative_scan(lambda a, b: a + b - a * b, x, reverse=reverse),
        dynamic={"x": {0: n, 1: m}},
    )
    for shape in ((1, 1), (7, 3), (12, 4)):
        x = drawing(0)(shape, "float64")
        np.testing.assert_allclose(scan(x), by_loop(lambda a, b: a + b - a * b, x, 0, reverse=reverse))


def test_programs_grow_with_the_logarithm():
    calls = list[int]()

    def combine(a: eq.Array, b: eq.Array) -> eq.Array:
        calls.append(1)
        return a + b

    for count, most in ((1000, 60), (1_000_000, 125), (10**9, 190)):
        calls.clear()
        eq.trace(lambda x: eq.associative_scan(combine, x), eq.spec(count, eq.float32))
        assert len(calls) < most


def test_blocks_have_little_room_to_spare():
    for count in (*range(2, 100), 1009, 99991, 10**6, 10**7 + 19):
        lengths = block_lengths(count)
        assert max(lengths) <= LONGEST
        assert count <= prod(lengths) <= count * 1.06 + 3


def test_few_kernels():
    program = eq.compile(
        eq.trace(
            lambda a, b: eq.associative_scan(recurrence(eq), (a, b))[1],
            *[eq.spec((4, 100, 16), eq.float32)] * 2,
        )
    )
    assert len(program.kernels) <= 7


@pytest.mark.parametrize(
    ("function", "elements", "options", "error", "message"),
    [
        (3, np.ones(3), {}, BuildError, "3 is none"),
        (recurrence(eq), np.ones(3), {"reverse": np.ones(3)}, BuildError, "reverse is True or False, not array"),
        (recurrence(eq), (), {}, BuildError, "no arrays to scan"),
        (recurrence(eq), {"x": ({},)}, {}, BuildError, "no arrays to scan"),
        (recurrence(eq), np.float32(1), {}, ShapeError, "array without axes"),
        (recurrence(eq), np.ones((2, 3)), {"axis": 2}, ShapeError, "scan along axis 2 of 2 axes"),
        (recurrence(eq), np.ones((2, 3)), {"axis": 1.5}, ShapeError, "integers as names"),
        (recurrence(eq), (np.ones(3), [np.ones(4)]), {}, ShapeError, r"3 and 4 elements \(the latter at \[1\]\[0\]\)"),
        (lambda a, b: a[0], (np.ones(3), np.ones(3)), {}, BuildError, r"given arrays at \[0\], \[1\] and returns an array;"),
        (lambda a, b: {}, np.ones(3), {}, BuildError, "given an array and returns no arrays"),
        (lambda a, b: {"x": a["x"]}, {"x": np.ones(3), "y": np.ones(3)}, {}, BuildError, r"returns arrays at \['x'\];"),
        (lambda a, b: eq.sum(a + b), np.ones(3), {}, ShapeError, r"given arrays of \(1,\) and returns \(\);"),
        (lambda a, b: (a[0], a[1][:0]), (np.ones(3), np.ones(3)), {}, ShapeError, r"returns \(0,\) at \[1\];"),
        (lambda a, b: a + b * 1.0, np.arange(3), {}, DTypeError, "given int64 and returns float64; convert"),
    ],
)  # fmt: skip
def test_wrong_calls(function, elements, options, error, message):
    with pytest.raises(error, match=message):
        eq.associative_scan(function, elements, **options)
