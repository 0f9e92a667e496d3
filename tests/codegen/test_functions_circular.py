"""Circular functions, their inverses, the error function and FMOD: how far off, in every number of lanes."""

import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

from eqsat.codegen.functions import FUNCTIONS
from eqsat.codegen.functions.cancellation import CANCELLATION
from eqsat.codegen.functions.circular import CIRCULAR
from eqsat.codegen.functions.error_function import ERROR_FUNCTION
from eqsat.codegen.functions.error_table import ERROR_TABLE, rows
from eqsat.codegen.functions.exponential import EXPONENTIAL
from eqsat.codegen.functions.hyperbolic import HYPERBOLIC
from eqsat.codegen.functions.inverse_circular import INVERSE_CIRCULAR
from eqsat.codegen.functions.logaddexp import LOGADDEXP
from eqsat.codegen.functions.logarithm import LOGARITHM
from eqsat.codegen.functions.power import POWER
from eqsat.codegen.functions.relaxed import RELAXED
from eqsat.codegen.functions.relaxed_logarithm import RELAXED_LOGARITHM
from eqsat.codegen.functions.remainder import REMAINDER
from eqsat.dtype import DType, float32, float64
from tests.codegen import error_function
from tests.codegen.functions import (
    LANES,
    NUMPY,
    SPECIAL,
    apply,
    apply_in_all_lanes,
    doubles,
    near,
    singles,
    worst,
)

# As many quarter turns as cancel most in float64, then the limits up to which angles are reduced without Payne and Hanek.
TURNS = np.concatenate([np.arange(1.0, 3000.0), 2.0 ** np.arange(12, 60) + 1.0])
HARD_ANGLES = [6381956970095103.0 * 2.0**797, 1.5708158, 267058.94, 51456.0, 3293184.0, 2.0**-12, 1e8, 1e22]
TINY = [1e-45, 1e-40, 1.1754944e-38, 1e-20, 5e-324, 1e-310, 2.2250738585072014e-308]

# Arguments with results that must be these bits.
EXACTLY = {
    "sin": [(0.0, 0.0), (-0.0, -0.0), (np.inf, np.nan), (-np.inf, np.nan)],
    "cos": [(0.0, 1.0), (-0.0, 1.0), (np.inf, np.nan)],
    "tan": [(0.0, 0.0), (-0.0, -0.0), (np.inf, np.nan)],
    "asin": [(-0.0, -0.0), (1.0, np.pi / 2), (1.0000001, np.nan), (-np.inf, np.nan)],
    "acos": [(1.0, 0.0), (-1.0, np.pi), (-1.0000001, np.nan), (np.inf, np.nan)],
    "atan": [(-0.0, -0.0), (np.inf, np.pi / 2), (-np.inf, -np.pi / 2)],
    "erf": [(-0.0, -0.0), (50.0, 1.0), (1e30, 1.0), (-np.inf, -1.0)],
    "erfc": [(-0.0, 1.0), (-50.0, 2.0), (-np.inf, 2.0), (50.0, 0.0), (np.inf, 0.0)],
    "gelu": [(0.0, 0.0), (-0.0, -0.0), (-np.inf, -0.0), (-1e30, -0.0), (1e30, 1e30), (np.inf, np.inf)],
}


class Case(NamedTuple):
    """A function of one argument: what it should be, the units in the last place it may be off, where it is hard."""

    name: str
    reference: Callable[..., np.ndarray]
    units: float
    hard: np.ndarray


def _angles() -> np.ndarray:
    return np.concatenate([TURNS * (np.pi / 2), HARD_ANGLES, TINY])


# Where one polynomial takes over from another, and where the last digit of the result leaves.
SEAMS = np.asarray(
    [0.5, 0.74, 0.75, 0.8125, 1.0, 3.92, 3.93, 5.92, 9.19, 9.5, 10.1, 13.0, 14.17, 14.5, 26.5, 27.3, 38.5]
)

ROWS = np.arange(1, 385) / 64  # of the tables of erf and erfc

ENDS = np.concatenate(
    [TINY, [2.0**-12, 0.5, 0.6, 1.0, 1.5, 2.0, 1e8, 1e38, 3.4028235e38, 1.7976931348623157e308]]
)

CASES = [
    Case("sin", np.sin, 1.0, _angles()),
    Case("cos", np.cos, 1.0, _angles()),
    Case("tan", np.tan, 2.0, _angles()),
    Case("asin", np.arcsin, 2.0, ENDS),
    Case("acos", np.arccos, 2.0, ENDS),
    Case("atan", np.arctan, 2.0, ENDS),
    Case("erf", error_function.erf, 2.0, np.concatenate([SEAMS, ROWS])),
    Case("erfc", error_function.erfc, 2.0, np.concatenate([SEAMS, ROWS])),
    Case("gelu", error_function.gelu, 2.0, SEAMS),
]
EACH = pytest.mark.parametrize(
    ("case", "scalar"),
    [(case, scalar) for case in CASES for scalar in (float32, float64)],
    ids=lambda value: getattr(value, "name", str(value)),
)
SCALARS = pytest.mark.parametrize("scalar", [float32, float64], ids=str)


@EACH
def test_over_all_bit_patterns_and_in_hard_places(case: Case, scalar: DType) -> None:
    drawn = singles(1 << 18, 1237) if scalar == float32 else doubles(30_000)
    uniform = np.random.default_rng(1).uniform(-1, 1, 30_000)
    inputs = np.concatenate(
        [drawn, _in(scalar, uniform), _in(scalar, uniform * 40), near(_in(scalar, case.hard), scalar, 8)]
    )
    units, where = worst(case.name, scalar, case.reference, inputs)
    assert units <= case.units, where


@EACH
def test_every_number_of_lanes_gives_the_same_bits(case: Case, scalar: DType) -> None:
    """And `test_lanes` puts special values into one lane at a time."""
    inputs = np.concatenate([_mixed(scalar), _in(scalar, case.hard)])
    results = apply_in_all_lanes(case.name, scalar, inputs)
    for lanes in LANES[1:]:
        _same_bits(results[lanes], results[1])


@pytest.mark.parametrize("name", sorted(EXACTLY))
@SCALARS
def test_zeros_and_ends_are_exact(name: str, scalar: DType) -> None:
    given, meant = np.asarray(EXACTLY[name], NUMPY[scalar]).T
    _same_bits(apply(name, scalar, given), meant)


@SCALARS
def test_atan2_in_all_quadrants(scalar: DType) -> None:
    y, x = _pairs(scalar)
    units, where = worst("atan2", scalar, np.arctan2, y, x)
    assert units <= 2.0, where


@SCALARS
@pytest.mark.parametrize("lanes", LANES[1:])
def test_atan2_gives_the_same_bits_in_every_lane(scalar: DType, lanes: int) -> None:
    y, x = _pairs(scalar)
    _same_bits(apply("atan2", scalar, y, x, lanes=lanes), apply("atan2", scalar, y, x, lanes=1))


@SCALARS
@pytest.mark.parametrize("lanes", LANES)
def test_fmod_is_exact_in_every_lane(scalar: DType, lanes: int) -> None:
    x, y = _pairs(scalar)
    with np.errstate(all="ignore"):
        expected = np.fmod(x, y)
    _same_bits(apply("fmod", scalar, x, y, lanes=lanes), expected)


@SCALARS
@pytest.mark.parametrize("contract", [True, False])
def test_fmod_is_exact_for_quotients_of_every_length(scalar: DType, contract: bool) -> None:
    """Around the bits that are taken off at once, of normal and of subnormal divisors."""
    random, floats = np.random.default_rng(3), NUMPY[scalar]
    tiny = float(np.finfo(floats).smallest_subnormal)
    for bits in (1, 9, 10, 11, 19, 20, 24, 25, 26, 49, 50, 51, 75, 99, 101, 120):
        for unit in (1.0, 0.003, tiny * 12_345):
            y = (unit * (1 + random.random(4096))).astype(floats)
            x = (y * 2.0**bits * (1 + random.random(4096))).astype(floats)
            _same_bits(apply("fmod", scalar, x, y, contract=contract), np.fmod(x, y))


def test_fmod_of_a_quotient_of_a_hundred_bits() -> None:
    assert apply("fmod", float64, np.asarray(1e30), np.asarray(89.0))[0] == int(1e30) % 89


def test_no_function_replaces_one_of_another_family() -> None:
    families = (
        CANCELLATION,
        CIRCULAR,
        INVERSE_CIRCULAR,
        ERROR_FUNCTION,
        ERROR_TABLE,
        REMAINDER,
        EXPONENTIAL,
        HYPERBOLIC,
        LOGARITHM,
        POWER,
        LOGADDEXP,
        RELAXED,
        RELAXED_LOGARITHM,
    )
    assert len(FUNCTIONS) == sum(len(family) for family in families)


def test_functions_in_float32_need_no_doubles() -> None:
    for (name, scalar), function in (
        CIRCULAR | INVERSE_CIRCULAR | ERROR_FUNCTION | ERROR_TABLE | REMAINDER
    ).items():
        if scalar == float32:
            assert not {"double", "$D"} & set(re.findall(r"[$\w]+", function.text)), name


def _pairs(scalar: DType) -> tuple[np.ndarray, np.ndarray]:
    """Of random bits, ordinary, whole, and all pairs of special values."""
    draw = np.random.default_rng(3)
    patterns = doubles(40_000) if scalar == float64 else draw.permutation(singles(40_000))
    special = np.asarray([*SPECIAL, 1.0, -1.0, 3.0, 89.0, 1e30, 5e-324, 1e-45, 1e308])
    dividends = [patterns[:20_000], draw.uniform(-1e4, 1e4, 20_000), draw.integers(-(10**6), 10**6, 20_000)]
    divisors = [patterns[20_000:], draw.uniform(-9, 9, 20_000), draw.integers(1, 1000, 20_000)]
    x = np.concatenate([_in(scalar, each) for each in (*dividends, special.repeat(special.size))])
    y = np.concatenate([_in(scalar, each) for each in (*divisors, np.tile(special, special.size))])
    return x, y


def _mixed(scalar: DType) -> np.ndarray:
    """Ordinary values, large and tiny ones and special ones, side by side."""
    ordinary = np.random.default_rng(2).uniform(-20, 20, 4000)
    patterns = singles(4000) if scalar == float32 else doubles(4000)
    mixed = np.stack([_in(scalar, ordinary), patterns]).T.reshape(-1)
    return np.concatenate([mixed, _in(scalar, np.asarray(SPECIAL))])


def _in(scalar: DType, values: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return values.astype(NUMPY[scalar])


def _same_bits(result: np.ndarray, expected: np.ndarray) -> None:
    integer = np.uint32 if result.dtype == np.float32 else np.uint64
    differ = (result.view(integer) != expected.view(integer)) & ~(np.isnan(result) & np.isnan(expected))
    assert not differ.any(), (result[differ][:4], expected[differ][:4])


def test_the_table_of_erf_has_its_values_and_slopes_to_the_last_digit() -> None:
    found = np.asarray(rows()).reshape(-1, 2)
    x = np.arange(len(found)).astype(np.longdouble) / 64
    slopes = 2 / np.sqrt(4 * np.arctan(np.longdouble(1))) * np.exp(-x * x)
    for row, exact in zip(found.T, (error_function.erf(x), slopes), strict=True):
        units = np.abs(row - exact) / np.spacing(np.maximum(exact.astype(np.float64), 1e-290))
        assert units[x < 6].max() < 0.51
    assert (found[x >= 6, 0] == 1).all()
