"""Functions of float32 that processors compute in doubles, and graphics cards in floats: both as accurately, with the same special cases."""

import re
from collections.abc import Callable

import numpy as np
import pytest

from eqsat.codegen.dialects import OPENCL_CPU, OPENCL_GPU, C, Dialect
from eqsat.codegen.functions import FUNCTIONS
from eqsat.codegen.functions.by_doubles import BY_DOUBLES, FAR
from eqsat.codegen.rendering.helpers import Helpers
from eqsat.dtype import float32
from tests.codegen.functions import LANES, SPECIAL, apply, apply_in_all_lanes, near, singles, worst

HARD = np.concatenate([np.arange(1.0, 3000.0) * (np.pi / 2), [51456.0, 3293184.0, 267058.94, 1e22]])
POWERS = [(x, y) for x in (*SPECIAL, 0.3, -0.3, 2.0, -2.0) for y in (*SPECIAL, 0.5, 2.0, -3.0, 2.0**24 + 2)]


def text(name: str, dialect: Dialect) -> str:
    helpers = Helpers(dialect)
    helpers.call(name, float32.vec(4), "x", "y")
    return helpers.source


@pytest.mark.parametrize("name", ["sin", "cos", "pow"])
@pytest.mark.parametrize(
    ("dialect", "doubles"), [(OPENCL_CPU, True), (C, True), (OPENCL_GPU, False)], ids=lambda each: str(getattr(each, "name", each))
)  # fmt: skip
def test_doubles_are_used_where_they_take_twice_as_long_only(name: str, dialect: Dialect, doubles: bool):
    assert bool(re.search(r"\bdouble\d*\b", text(name, dialect))) == doubles


@pytest.mark.parametrize(("name", "reference"), [("sin", np.sin), ("cos", np.cos)])
def test_circular_functions_of_graphics_cards_are_right(name: str, reference: Callable[..., np.ndarray]):
    inputs = np.concatenate([singles(1 << 16, 77), near(HARD.astype(np.float32), float32, 8)])
    units, where = worst(name, float32, reference, inputs, dialect=OPENCL_GPU)
    assert 0 < units <= 1.0, where


@pytest.mark.parametrize("dialect", [OPENCL_CPU, OPENCL_GPU], ids=lambda each: each.name)
def test_powers_are_right(dialect: Dialect):
    draw = np.random.default_rng(5)
    bits = draw.integers(0, 0x7F800000, 20_000, np.uint32).view(np.float32)
    ordinary, close = np.abs(draw.standard_normal((2, 20_000))).astype(np.float32)
    x = np.concatenate([bits, ordinary, 1 + close * np.float32(1e-5)])
    y = np.repeat(np.float32([1, 40, 4e6]), 20_000) * draw.standard_normal(60_000).astype(np.float32)
    units, where = worst("pow", float32, np.power, x, y, dialect=dialect)
    assert 0 < units <= (0.6 if dialect is OPENCL_CPU else 2.0), where


def test_special_powers_are_the_same_on_both():
    with np.errstate(over="ignore"):
        x, y = np.asarray(POWERS).astype(np.float32).T
    both = [apply("pow", float32, x, y, dialect=dialect) for dialect in (OPENCL_CPU, OPENCL_GPU)]
    unlike = ~(np.isclose(*both, rtol=1e-6, atol=0) & (np.signbit(both[0]) == np.signbit(both[1])))
    assert not (unlike & ~(np.isnan(both[0]) & np.isnan(both[1]))).any(), (x[unlike], y[unlike])


def test_one_special_lane_changes_no_other():
    """Vectors without special cases take another way than those with one."""
    draw = np.random.default_rng(6)
    x, y = (
        np.abs(draw.standard_normal(4096)).astype(np.float32),
        draw.standard_normal(4096).astype(np.float32),
    )
    x[::37], x[::41], x[::43], y[::47] = -2.0, 0.0, 1e-41, np.nan
    results = apply_in_all_lanes("pow", float32, x, y)
    for lanes in LANES[1:]:
        np.testing.assert_array_equal(results[lanes], results[1])


def test_limit_of_angles_is_that_of_the_whole_number_of_turns():
    """Its product with the first part of π has to be exact: 21 bits, with the half that cosines take off."""
    limit = np.uint32(int(FAR, 16)).view(np.float32)
    assert limit / np.pi < 2**20


def test_each_stands_for_a_function_or_is_needed_by_one():
    functions = [
        each for function in BY_DOUBLES.values() for each in (function, function.vector_form) if each
    ]
    needed = {name for each in functions for name in each.needs + each.needs_scalar}
    assert {name for name in BY_DOUBLES if (name, float32) not in FUNCTIONS} <= needed
