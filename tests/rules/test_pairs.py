"""Reductions over pairs: what the rules say of parts holds for all elements that floats have, and parts have bounded sizes."""

from __future__ import annotations

from math import inf, nan, prod

import numpy as np
import pytest

from eqsat.dtype import DType, bfloat16, float16, float32, float64
from eqsat.reference import evaluate
from eqsat.rules.language.instantiate import instantiate
from eqsat.rules.language.rule import Rule
from eqsat.rules.reductions.pairs import reduction_pairs
from eqsat.rules.reductions.part_axes import (
    LARGEST_SLICE,
    across_parts,
    elements_of_part,
    in_parts,
    of_parts,
    units_at,
    within_parts,
)
from eqsat.shape import Shape
from eqsat.uop import UOp

EXPONENTIALS, DEVIATIONS = reduction_pairs.ruleset
ROUNDING = {float16: 3e-2, bfloat16: 2e-1, float32: 2e-5, float64: 1e-13}
COLUMNS = (2048, 128)
DRAWN: list[tuple[Shape, Shape]] = [
    (COLUMNS, (0,)),
    ((4, 1 << 16), (1,)),
    ((2, 1024, 130), (1,)),
    ((8, 5, 80, 128), (0, 2)),
    ((8, 3, 256, 64), (0, 2, 3)),
]


def sides(rule: Rule, shape: Shape, axes: Shape, dtype: DType, *operands: str) -> tuple[UOp, UOp]:
    """Both sides of a rule for arrays of this shape, which are the first parameters."""
    values = {name: UOp.param(slot, prod(shape), dtype).reshape(shape) for slot, name in enumerate(operands)}
    count = float(prod(shape[axis] for axis in axes))
    constants = {"c": count, "d": count} if rule is DEVIATIONS else {}
    arguments = {"a": axes, "u": units_at(shape, axes), "s": shape}
    return instantiate(rule, values | constants | arguments, dtype)


@pytest.mark.parametrize(("shape", "axes"), DRAWN, ids=str)
def test_parts_hold_every_element_once(shape: Shape, axes: Shape) -> None:
    parts, within, across = in_parts(shape, axes), within_parts(shape, axes), across_parts(shape, axes)
    assert parts is not None
    assert within is not None
    assert across is not None
    elements = np.arange(prod(shape)).reshape(shape)
    by_part = elements.reshape(parts).max(axis=within)
    assert by_part.shape == of_parts(shape, axes)
    assert np.array_equal(by_part.max(axis=across), elements.max(axis=axes))
    assert elements_of_part(shape, axes) == prod(shape) // by_part.size <= LARGEST_SLICE


@pytest.mark.parametrize(
    ("shape", "axes"),
    [
        ((1024, 128), (0,)),
        ((4096, 1024), (1,)),
        ((4099, 1024), (0,)),
        ((1 << 18, 1), ()),
        ((0, 1 << 20), (1,)),
        ((400, 4096), (0,)),
        ((7, 65_537, 2), (0, 1)),
    ],
    ids=str,
)
def test_other_reductions_have_no_parts(shape: Shape, axes: Shape) -> None:
    """Too small, rows that stay in a cache, no number of equal parts, nothing reduced, no elements, few rows, large parts."""
    assert in_parts(shape, axes) is None


@pytest.mark.parametrize("dtype", ROUNDING, ids=str)
@pytest.mark.parametrize(("shape", "axes"), DRAWN, ids=str)
def test_sums_of_parts_are_those_of_the_whole(shape: Shape, axes: Shape, dtype: DType) -> None:
    generator = np.random.default_rng(prod(shape))
    x = generator.normal(0.0, 0.5, prod(shape)).astype(np.float32)
    y = x + generator.normal(0.0, 0.2, prod(shape)).astype(np.float32)
    for rule, names in ((EXPONENTIALS, "x"), (DEVIATIONS, "xy")):
        _, right = sides(rule, shape, axes, dtype, *names)
        exact, _ = sides(rule, shape, axes, float64, *names)
        found = evaluate(right, {0: x, 1: y}).astype(np.float64)
        expected = evaluate(exact, {0: x.astype(np.float64), 1: y.astype(np.float64)})
        scale = np.abs(expected).max()
        np.testing.assert_allclose(found, expected, rtol=0, atol=ROUNDING[dtype] * scale)


def special(dtype: DType) -> np.ndarray:
    """Columns that hold infinities and NaN: in one place, in all of a part, everywhere."""
    x = np.random.default_rng(3).normal(size=COLUMNS).astype(np.float32)
    parts = in_parts(COLUMNS, (0,))
    assert parts is not None
    part = parts[1]
    for column, value in enumerate((inf, -inf, nan, 6e4, -6e4)):
        x[7, 4 * column] = value
        x[:part, 4 * column + 1] = value
        x[part:, 4 * column + 2] = value
        x[:, 4 * column + 3] = value
    x[:part, 20], x[part:, 20] = -inf, inf
    x[::2, 21], x[1::2, 21] = -inf, 3.0
    x[:part, 22], x[part:, 22] = -6e4, 6e4
    return x.astype(np.float64 if dtype is float64 else np.float32)


@pytest.mark.parametrize("dtype", ROUNDING, ids=str)
def test_exponentials_of_infinities_are_those_of_the_whole(dtype: DType) -> None:
    """A part of minus infinities adds nothing where another part has a number; NaN and infinity stay."""
    x = special(dtype).reshape(-1)
    left, right = (evaluate(side, {0: x}) for side in sides(EXPONENTIALS, COLUMNS, (0,), dtype, "x"))
    kinds = np.isnan(left.astype(np.float64))
    np.testing.assert_array_equal(np.isnan(right.astype(np.float64)), kinds)
    assert kinds.any()
    assert not kinds[5]
    assert np.isfinite(right.astype(np.float64)[~kinds]).all()
    np.testing.assert_allclose(
        right[~kinds].astype(np.float64), left[~kinds].astype(np.float64), rtol=8 * ROUNDING[dtype]
    )


@pytest.mark.parametrize("dtype", [float32, float64], ids=str)
def test_deviations_of_infinities_are_not_numbers(dtype: DType) -> None:
    x = special(dtype).reshape(-1)
    left, right = (evaluate(side, {0: x, 1: x}) for side in sides(DEVIATIONS, COLUMNS, (0,), dtype, "x", "y"))
    np.testing.assert_array_equal(np.isnan(left), np.isnan(right))
    finite = ~np.isnan(left)
    np.testing.assert_allclose(right[finite], left[finite], rtol=100 * ROUNDING[dtype])


def test_squares_far_from_zero_do_not_cancel() -> None:
    """Parts have means of their own, so that a mean a million times the deviation costs no digits."""
    x = (np.random.default_rng(5).normal(size=COLUMNS) + 1e6).astype(np.float32)
    _, right = sides(DEVIATIONS, COLUMNS, (0,), float32, "x", "y")
    flat = x.reshape(-1)
    found = evaluate(right, {0: flat, 1: flat})
    np.testing.assert_allclose(found, x.astype(np.float64).var(axis=0) * len(x), rtol=2e-2)
