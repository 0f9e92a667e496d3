"""Exponentials, logarithms, powers and hyperbolic functions: how far off they are, and that no lane changes another."""

from collections.abc import Callable

import numpy as np
import pytest

from eqsat.codegen.functions import FUNCTIONS
from eqsat.dtype import DType, float32, float64
from tests.codegen.functions import LANES, NUMPY, SPECIAL, apply, doubles, near, singles, worst

Reference = Callable[..., np.ndarray]


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def _silu(x: np.ndarray) -> np.ndarray:
    return np.where(x == -np.inf, -x.dtype.type(0), x / (1 + np.exp(-x)))


# name: (exact, units in the last place that it may be off)
UNARY: dict[str, tuple[Reference, float]] = {
    "exp": (np.exp, 1), "exp2": (np.exp2, 1), "log": (np.log, 1), "log2": (np.log2, 1),
    "expm1": (np.expm1, 2), "sigmoid": (_sigmoid, 2), "silu": (_silu, 2), "log10": (np.log10, 2),
    "log1p": (np.log1p, 2), "sinh": (np.sinh, 2), "cosh": (np.cosh, 2), "tanh": (np.tanh, 2), "asinh": (np.arcsinh, 2),
    "acosh": (np.arccosh, 2), "atanh": (np.arctanh, 2),
}  # fmt: skip
# Where some function changes its method or leaves a range, in float32 and in float64.
THRESHOLDS = {
    float32: (
        0, 2**-64, 2**-30, 2**-13, 0.25, 0.5, 0.5**0.5, 0.625, 1, 2**0.5, 2, 3, 4, 9.1, 17.33, 20, 25, 40, 64, 87.336, 88.7228, 89, 89.4159,
        90, 103.28, 104, 105, 108.6, 110, 126, 127, 128, 129, 149, 150, 151, 200, 2**12, 2**24, 2**63, 2**64, 2**126, 3.4e38, 1.1754944e-38,
    ),
    float64: (
        0, 2**-128, 2**-60, 2**-26, 0.25, 0.5, 0.5**0.5, 0.625, 1, 2**0.5, 2, 3, 4, 19, 22, 36.7, 40, 45, 60, 128, 708.396, 709.7827128933839,
        710, 710.4758, 745.1332, 746, 752.2, 755, 800, 1022, 1023, 1024, 1025, 1074, 1075, 1076, 2**26, 2**53, 2**511, 2**512, 1.7e308,
        2.2250738585072014e-308,
    ),
}  # fmt: skip


def _arguments(dtype: DType) -> np.ndarray:
    """Bit patterns of every kind, the ordinary range, neighbours of thresholds, and where r is largest in e^r."""
    draw = np.random.default_rng(0)
    patterns = singles(1 << 20) if dtype == float32 else doubles(1 << 17)
    ordinary = [
        draw.uniform(low, high, 1 << 17) for low, high in ((-1, 1), (0.5, 2.5), (-20, 20), (-760, 720))
    ]
    limits = near(THRESHOLDS[dtype], dtype)
    halfway = near(np.log(2) / 2 * np.arange(1, 200), dtype, reach=8)
    others = [*ordinary, limits, halfway, np.array(SPECIAL)]
    with np.errstate(over="ignore"):
        return np.concatenate([patterns, *(each.astype(NUMPY[dtype]) for each in others)])


@pytest.mark.parametrize("contract", [True, False], ids=["contracted", "not_contracted"])
@pytest.mark.parametrize("dtype", [float32, float64], ids=str)
@pytest.mark.parametrize("name", UNARY)
def test_results_are_within_the_stated_error(name: str, dtype: DType, contract: bool):
    """With and without hardware that fuses a multiplication and an addition."""
    exact, allowed = UNARY[name]
    off, where = worst(name, dtype, exact, _arguments(dtype), contract=contract)
    assert off <= allowed, where


@pytest.mark.parametrize("dtype", [float32, float64], ids=str)
@pytest.mark.parametrize("name", UNARY)
def test_every_number_of_lanes_gives_the_same_bits(name: str, dtype: DType):
    values = np.concatenate([_arguments(dtype)[:: 1 << 8], near(THRESHOLDS[dtype], dtype, reach=2)])
    alone = apply(name, dtype, values, lanes=1)
    for lanes in LANES[1:]:
        _assert_same_bits(apply(name, dtype, values, lanes=lanes), alone)


@pytest.mark.parametrize("dtype", [float32, float64], ids=str)
@pytest.mark.parametrize("name", UNARY)
def test_no_lane_changes_another(name: str, dtype: DType):
    """A special value in one lane at a time, ordinary ones in the others."""
    with np.errstate(over="ignore"):
        special = np.array(SPECIAL).astype(NUMPY[dtype])
    ordinary = np.linspace(1.1, 1.9, 16).astype(NUMPY[dtype])
    for lanes in LANES[1:]:
        count = len(special) * lanes
        values = np.tile(ordinary[:lanes], (count, 1))
        for number in range(count):
            values[number, number % lanes] = special[number // lanes]
        _assert_same_bits(apply(name, dtype, values, lanes=lanes), apply(name, dtype, values, lanes=1))


@pytest.mark.parametrize("name", sorted({name for name, dtype in FUNCTIONS if dtype == float32}))
def test_functions_of_float32_need_no_double(name: str):
    """Devices without double precision run them."""
    text = FUNCTIONS[name, float32].render(float32.vec(4))
    assert "double" not in text


def _assert_same_bits(first: np.ndarray, second: np.ndarray) -> None:
    same = (first == second) & (np.signbit(first) == np.signbit(second)) | np.isnan(first) & np.isnan(second)
    assert same.all(), (np.flatnonzero(~same)[:5], first[~same][:5], second[~same][:5])
