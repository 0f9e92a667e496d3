"""Forms have every bit of the full form inside their bounds, and are chosen nowhere else."""

from math import inf, pi

import numpy as np
import pytest

from eqsat.codegen.functions import FUNCTIONS
from eqsat.dtype import bfloat16, float16, float32, float64
from eqsat.errors import MachineError
from eqsat.floats.forms import EXACT_FORMS, chosen_form
from eqsat.floats.intervals import ANYTHING, Bounds
from eqsat.machine import share_of_form
from eqsat.ops import ELEMENTARY, Op
from tests.codegen.functions import LANES, NUMPY, apply, doubles, near, singles

FORMS = [(op, form) for op, forms in EXACT_FORMS.items() for form in forms]
IDS = [f"{op.name}-{form.name}" for op, form in FORMS]
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


@pytest.mark.parametrize("contract", [True, False], ids=["contracted", "not_contracted"])
@pytest.mark.parametrize("dtype", [float32, float64], ids=str)
@pytest.mark.parametrize(("op", "form"), FORMS, ids=IDS)
def test_a_form_has_every_bit_of_the_full_form(op, form, dtype, contract):
    values = arguments(form, dtype)
    full, short = (
        apply(name, dtype, values, contract=contract)
        for name in (op.name.lower(), f"{op.name.lower()}_{form.name}")
    )
    integer = np.uint32 if dtype == float32 else np.uint64
    differs = (full.view(integer) != short.view(integer)) & ~(np.isnan(full) & np.isnan(short))
    assert not differs.any(), (values[differs][:3], full[differs][:3], short[differs][:3])


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize(("op", "form"), FORMS, ids=IDS)
def test_a_form_gives_the_same_in_any_number_of_lanes(op, form, lanes):
    values = np.random.default_rng(1).permutation(arguments(form, float32))[:4800]
    name = f"{op.name.lower()}_{form.name}"
    np.testing.assert_array_equal(apply(name, float32, values, lanes=lanes), apply(name, float32, values))


@pytest.mark.parametrize("dtype", [float32, float64], ids=str)
@pytest.mark.parametrize(("op", "form"), FORMS, ids=IDS)
def test_a_form_is_chosen_up_to_its_ends_and_not_beyond(op, form, dtype):
    low, high = form.ends[dtype]
    for nan in (False, True):
        inside = chosen_form(op, dtype, [Bounds(low, high, nan)])
        assert inside is not None
        assert share_of_form(op, inside) <= share_of_form(op, form.name)
    for outside in ((np.nextafter(low, -inf), high), (low, np.nextafter(high, inf))):
        if outside != (low, high):
            assert not form.allows(dtype, [Bounds(*map(float, outside), nan=False)])
    assert chosen_form(op, dtype, [ANYTHING]) is None


def test_narrow_floats_have_the_bounds_of_float32():
    for dtype in (float16, bfloat16):
        assert chosen_form(Op.EXP, dtype, [Bounds(0.0, 80.0, nan=False)]) == "moderate"
        assert chosen_form(Op.EXP, dtype, [Bounds(0.0, 100.0, nan=False)]) is None


def test_every_form_has_a_text_and_a_price_below_that_of_the_full_form():
    for op, form in FORMS:
        assert op in ELEMENTARY
        assert 0 < share_of_form(op, form.name) <= 0.9  # what gains less is no form
        assert all((f"{op.name.lower()}_{form.name}", dtype) in FUNCTIONS for dtype in (float32, float64))


def test_a_form_without_a_price_is_an_error():
    with pytest.raises(MachineError, match=r"form 'large' of Op\.EXP has no price"):
        share_of_form(Op.EXP, "large")
