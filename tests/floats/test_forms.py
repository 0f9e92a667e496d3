"""Forms have every bit of the full form inside their bounds, and are chosen nowhere else."""

from dataclasses import replace
from math import inf, pi

import numpy as np
import pytest

from eqsat.codegen.functions import FUNCTIONS
from eqsat.dtype import bfloat16, float16, float32
from eqsat.errors import MachineError
from eqsat.floats.forms import FORMS, chosen_form
from eqsat.floats.intervals import ANYTHING, UNITS, Bounds
from eqsat.machine import share_of_form
from eqsat.ops import ELEMENTARY, ELEMENTARY_BINARY, Op
from eqsat.reference.elementary import FUNCTIONS as MEANING
from tests.codegen.functions import LANES, NUMPY, apply, apply_in_all_lanes, doubles, near, singles, worst

ALL = [(op, form, dtype) for op, forms in FORMS.items() for form in forms for dtype in form.ends]
EXACT = [(op, form, dtype) for op, form, dtype in ALL if form.errors is None]
RELAXED = [(op, form, dtype) for op, form, dtype in ALL if form.errors is not None]
SINGLE = [(op, form, dtype) for op, form, dtype in ALL if dtype == float32]


def ids(forms):
    return [f"{op.name}-{form.name}-{dtype}" for op, form, dtype in forms]


NEAR = (
    0,
    2.0**-126,
    1e-30,
    0.25,
    0.5,
    0.55,
    1,
    0.5**0.5,
    2**0.5,
    pi / 4,
    pi / 2,
    np.log(2) / 2,
    3,
    20,
    40,
    64,
    88,
    300,
)


def arguments(form, dtype):
    """Numbers inside the bounds: bit patterns, ordinary ones, thresholds, both ends and the numbers beside them, zeros, infinities, NaN."""
    low, high = form.ends[dtype]
    draw = np.random.default_rng(0)
    patterns = singles(1 << 18) if dtype == float32 else doubles(1 << 16)
    ordinary = [draw.uniform(max(low, -least), min(high, least), 1 << 15) for least in (1, 30, 1e3, 1e6)]
    edges = [end for end in (low, high) if abs(end) < inf]
    all_of_it = [
        patterns,
        *ordinary,
        near([*NEAR, *edges], dtype),
        np.array([0.0, -0.0, inf, -inf, np.nan, *edges]),
    ]
    values = np.concatenate([each.astype(NUMPY[dtype]) for each in all_of_it])
    return values[((low <= values) & (values <= high)) | np.isnan(values)]


def operands_of(op, form, dtype):
    """Arguments of a function; of one with two operands, the second is any number if one inside the bounds is enough."""
    values = arguments(form, dtype)
    if op not in ELEMENTARY_BINARY:
        return (values,)
    others = arguments(replace(form, ends={dtype: (-inf, inf)}) if form.any_operand else form, dtype)
    draw = np.random.default_rng(2)
    with np.errstate(all="ignore"):
        near_it = values * draw.uniform(-1.5, 1.5, values.size).astype(values.dtype)
    second = np.where(draw.random(values.size) < 0.3, near_it, draw.choice(others, values.size))
    swapped = draw.random(values.size) < 0.5
    return np.where(swapped, second, values), np.where(swapped, values, second)


@pytest.mark.parametrize("contract", [True, False], ids=["contracted", "not_contracted"])
@pytest.mark.parametrize(("op", "form", "dtype"), EXACT, ids=ids(EXACT))
def test_a_form_has_every_bit_of_the_full_form(op, form, dtype, contract):
    values = arguments(form, dtype)
    full, short = (
        apply(name, dtype, values, contract=contract)
        for name in (op.name.lower(), f"{op.name.lower()}_{form.name}")
    )
    integer = np.uint32 if dtype == float32 else np.uint64
    if form.for_weights:  # zeros below the least normal number, and maybe just above it
        least = np.finfo(full.dtype).tiny
        assert not short[full < least].any()
        full = np.where((full < least * 1.001) & (short == 0), short, full)
    differs = (full.view(integer) != short.view(integer)) & ~(np.isnan(full) & np.isnan(short))
    assert not differs.any(), (values[differs][:3], full[differs][:3], short[differs][:3])


@pytest.mark.parametrize(("op", "form", "dtype"), SINGLE, ids=ids(SINGLE))
def test_a_form_gives_the_same_in_any_number_of_lanes(op, form, dtype):
    given = operands_of(op, form, dtype)
    order = np.random.default_rng(1).permutation(given[0].size)[:4800]
    values = [each[order] for each in given]
    name = f"{op.name.lower()}_{form.name}"
    results = apply_in_all_lanes(name, dtype, *values)
    for lanes in LANES:
        np.testing.assert_array_equal(results[lanes], results[8], err_msg=str(lanes))


@pytest.mark.parametrize(("op", "form", "dtype"), EXACT, ids=ids(EXACT))
def test_a_form_is_chosen_up_to_its_ends_and_not_beyond(op, form, dtype):
    low, high = form.ends[dtype]
    for nan in (False, True):
        inside = chosen_form(op, dtype, [Bounds(low, high, nan)], is_weight=form.for_weights)
        assert inside is not None
        assert share_of_form(op, inside) <= share_of_form(op, form.name)
    for outside in ((np.nextafter(low, -inf), high), (low, np.nextafter(high, inf))):
        if outside != (low, high):
            assert not form.allows(dtype, [Bounds(*map(float, outside), nan=False)])
    assert chosen_form(op, dtype, [ANYTHING]) is None


@pytest.mark.parametrize(("op", "form", "dtype"), RELAXED, ids=ids(RELAXED))
def test_a_relaxed_form_is_as_far_off_as_it_states(op, form, dtype):
    """Signs of zeros, infinities and NaN are right."""
    values, *others = operands_of(op, form, dtype)
    if op in (Op.SIN, Op.COS, Op.TAN):
        turns = near((np.arange(1, 1 << 15) * (pi / 2)).astype(NUMPY[dtype]), dtype, 2)
        values = np.concatenate([values, turns[np.abs(turns) <= form.ends[dtype][1]]])
    if form.for_weights:
        values = values[~(values < (-87 if dtype == float32 else -708))]
    name = f"{op.name.lower()}_{form.name}"
    off, where = worst(name, dtype, MEANING[op], values, *others)
    assert off <= form.errors[dtype] < UNITS, where


@pytest.mark.parametrize(("op", "form", "dtype"), RELAXED, ids=ids(RELAXED))
def test_a_relaxed_form_is_chosen_from_its_stated_error_on(op, form, dtype):
    bounds, stated = [Bounds(*form.ends[dtype], nan=True)], form.errors[dtype]
    assert chosen_form(op, dtype, bounds, stated, is_weight=form.for_weights) == form.name
    assert chosen_form(op, dtype, bounds, np.nextafter(stated, 0), is_weight=form.for_weights) != form.name
    assert chosen_form(op, dtype, bounds) != form.name
    if form.ends[dtype] != (-inf, inf):
        assert chosen_form(op, dtype, [ANYTHING], stated) != form.name


def test_logaddexp_of_a_number_that_is_not_negative_has_a_form_of_its_own():
    positive, any_sign = Bounds(0.0, inf, nan=True), Bounds(-1.0, inf, nan=False)
    for operands in ((positive, ANYTHING), (any_sign, positive)):
        assert chosen_form(Op.LOGADDEXP, float32, operands, 4) == "positive_relaxed"
        assert chosen_form(Op.LOGADDEXP, float32, operands) is None
    assert chosen_form(Op.LOGADDEXP, float32, (any_sign, ANYTHING), 4) is None


def test_narrow_floats_have_the_bounds_of_float32():
    for dtype in (float16, bfloat16):
        assert chosen_form(Op.EXP, dtype, [Bounds(0.0, 80.0, nan=False)]) == "moderate"
        assert chosen_form(Op.EXP, dtype, [Bounds(0.0, 100.0, nan=False)]) is None


def test_every_form_has_a_text_and_a_price_below_that_of_the_full_form():
    for op, form, dtype in ALL:
        assert op in ELEMENTARY
        assert 0 < share_of_form(op, form.name) <= 0.95  # what gains less is no form
        assert (f"{op.name.lower()}_{form.name}", dtype) in FUNCTIONS


def test_a_form_without_a_price_is_an_error():
    with pytest.raises(MachineError, match=r"form 'large' of Op\.EXP has no price"):
        share_of_form(Op.EXP, "large")
