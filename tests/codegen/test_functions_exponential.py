"""Exponentials, logarithms, powers and hyperbolic functions: how far off they are, in every number of lanes."""

import re
from collections.abc import Callable

import numpy as np
import pytest

from eqsat.codegen import OPENCL_CPU
from eqsat.codegen.functions import FUNCTIONS
from eqsat.codegen.functions.cancellation import CANCELLATION_PLACES
from eqsat.dtype import DType, float32, float64
from eqsat.ops import Op
from eqsat.reference.elementary import FUNCTIONS as FUNCTIONS_OF_OPS
from tests.codegen.functions import (
    LANES,
    NUMPY,
    SPECIAL,
    WIDER,
    apply,
    apply_in_all_lanes,
    doubles,
    near,
    singles,
    worst,
)

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
BINARY: dict[str, Reference] = {
    "pow": np.power,
    "hypot": np.hypot,
    "logaddexp": FUNCTIONS_OF_OPS[Op.LOGADDEXP],
}
# Where some function changes its method or leaves a range, in float32 and in float64.
THRESHOLDS = {
    float32: (
        0, 2**-64, 2**-30, 2**-13, 2**-10, 0.25, 0.5, 0.55, 0.5**0.5, 0.625, 1, 2**0.5, 2, 3, 4, 9.1, 17.33, 20, 25, 40, 64, 87.336, 88.7228, 89,
        89.4159, 90, 103.28, 104, 105, 108.6, 110, 126, 127, 128, 129, 149, 150, 151, 200, 2**12, 2**24, 2**63, 2**64, 2**126, 3.4e38, 1.1754944e-38,
    ),
    float64: (
        0, 2**-128, 2**-60, 2**-20, 0.25, 0.5, 0.55, 0.5**0.5, 0.625, 1, 2**0.5, 2, 3, 4, 19, 22, 36.7, 40, 45, 60, 128, 708.396,
        709.7827128933839, 710, 710.4758, 745.1332, 746, 752.2, 755, 800, 1022, 1024, 1025, 1074, 1076, 2**26, 2**53, 2**511, 2**512, 1.7e308,
        2.2250738585072014e-308,
    ),
}  # fmt: skip


def _arguments(dtype: DType) -> np.ndarray:
    """Bit patterns of every kind, the ordinary range, neighbours of thresholds, and where r is largest in e^r."""
    draw = np.random.default_rng(0)
    patterns = singles(1 << 18) if dtype == float32 else doubles(1 << 15)
    ordinary = [
        draw.uniform(low, high, 1 << 15) for low, high in ((-1, 1), (0.5, 2.5), (-20, 20), (-760, 720))
    ]
    limits = near(THRESHOLDS[dtype], dtype)
    halfway = near(np.log(2) / 2 * np.arange(1, 200), dtype, reach=8)
    others = [*ordinary, limits, halfway, np.array(SPECIAL)]
    with np.errstate(over="ignore"):
        return np.concatenate([patterns, *(each.astype(NUMPY[dtype]) for each in others)])


def _pairs(dtype: DType) -> list[np.ndarray]:
    """Pairs of bit patterns, of special values, of bases and exponents near the ends of the range, of whole exponents, of cancelling sums."""
    draw, count, top = np.random.default_rng(0), 1 << 15, 128 if dtype == float32 else 1024
    patterns = singles(count, 17) if dtype == float32 else doubles(count, 1)
    special = np.array(
        [*SPECIAL, 0.5, -2, 3, -3, 1.5, -2.5, 16777215, -16777217, 9007199254740991, 0.9999999, 1.0000001]
    )
    base, near_one = (
        np.exp(draw.uniform(-3, 3, count)),
        1 + draw.uniform(-1, 1, count) * 2.0 ** draw.uniform(-23, -1, count),
    )
    small, signs = (
        draw.uniform(-1, 1, count) * 10.0 ** draw.uniform(-12, 2, count),
        draw.choice([-1, 1], count),
    )
    cancelling = -np.log1p(np.exp(-np.abs(draw.normal(0, 5, count))))
    couples = [
        (patterns, draw.permutation(patterns)),
        tuple(each.reshape(-1) for each in np.meshgrid(special, special)),
        (base, draw.uniform(-1.1, 1.1, count) * top / np.log2(base)),
        (base * signs, np.round(draw.uniform(-1.1, 1.1, count) * top / np.log2(base))),
        (near_one, draw.uniform(-1.1, 1.1, count) * top / np.log2(near_one)),
        (draw.normal(0, 3, count), draw.integers(-40, 40, count)),
        (2.0 ** draw.uniform(-top - 20, top, count), draw.uniform(-2, 2, count)),
        (small, draw.uniform(-20, 20, count)),
        (cancelling, cancelling + draw.normal(0, 3, count)),
    ]
    with np.errstate(over="ignore", invalid="ignore"):
        return [np.concatenate([each[side].astype(NUMPY[dtype]) for each in couples]) for side in (0, 1)]


@pytest.mark.parametrize("dtype", [float32, float64], ids=str)
@pytest.mark.parametrize("name", UNARY)
def test_results_are_within_the_stated_error(name: str, dtype: DType):
    exact, allowed = UNARY[name]
    off, where = worst(name, dtype, exact, _arguments(dtype))
    assert off <= allowed, where


@pytest.mark.parametrize("dtype", [float32, float64], ids=str)
@pytest.mark.parametrize("name", BINARY)
def test_results_of_two_operands_are_within_the_stated_error(name: str, dtype: DType):
    off, where = worst(name, dtype, BINARY[name], *_pairs(dtype))
    assert off <= 2, where


@pytest.mark.parametrize("dtype", [float32, float64], ids=str)
def test_logaddexp_keeps_its_digits_where_its_terms_cancel(dtype: DType):
    """One operand is log(1 - e^y): rounded, a neighbour, or so much larger that less and less cancels."""
    draw = np.random.default_rng(4)
    y = -np.exp(draw.uniform(np.log(0.3), np.log(100 if dtype == float32 else 740), 1 << 10)).astype(
        NUMPY[dtype]
    )
    x = np.log1p(-np.exp(y.astype(WIDER[dtype])))
    for factor in (1.0, 1 + 2.0**-22, 1 - 2.0**-52, 1.001, 0.9, 2 ** draw.uniform(-2, 2, y.size)):
        off, where = worst("logaddexp", dtype, BINARY["logaddexp"], (x * factor).astype(NUMPY[dtype]), y)
        assert off <= 2, where


@pytest.mark.parametrize("dtype", [float32, float64], ids=str)
def test_logaddexp_is_as_accurate_where_some_digits_cancel(dtype: DType):
    """Results of every size from one half down to where whole numbers take over."""
    draw = np.random.default_rng(6)
    wide = WIDER[dtype]
    result = (2 ** draw.uniform(-9, 0, 1 << 14) * draw.choice([-1, 1], 1 << 14)).astype(wide)
    x = -draw.exponential(1.5, result.size).astype(wide)
    rest = np.exp(result) - np.exp(x)
    pairs = [each[(rest > 0) & (rest < 1)].astype(NUMPY[dtype]) for each in (x, np.log(np.abs(rest)))]
    off, where = worst("logaddexp", dtype, BINARY["logaddexp"], *pairs)
    assert off <= 2, where


@pytest.mark.parametrize("dtype", [float32, float64], ids=str)
def test_logaddexp_is_as_accurate_at_and_between_the_rows_of_its_table(dtype: DType):
    """Of a greater operand that is zero, takes half away, or all but 2^-8 and 2^-7; also where the table ends."""
    draw = np.random.default_rng(7)
    wide = WIDER[dtype]
    middles = near(np.arange(1, 64 * 4 + 40) / 64, dtype, reach=4).astype(wide)
    difference = -np.concatenate([np.abs(middles), draw.uniform(0, 5, 1 << 12).astype(wide)])
    logarithm = np.log1p(np.exp(difference))
    for left in (logarithm, logarithm / 2, wide(2.0**-8), wide(2.0**-7), -wide(2.0**-8)):
        x = (left - logarithm).astype(NUMPY[dtype])
        pairs = x, (x.astype(wide) + difference).astype(NUMPY[dtype])
        off, where = worst("logaddexp", dtype, BINARY["logaddexp"], *pairs)
        assert off <= 2, where


@pytest.mark.parametrize("dtype", [float32, float64], ids=str)
def test_logaddexp_is_as_accurate_where_all_digits_are_kept(dtype: DType):
    """Few pairs come as close as to need the last places: they must be right everywhere."""
    draw = np.random.default_rng(5)
    y = -np.exp(draw.uniform(np.log(0.5), np.log(80 if dtype == float32 else 700), 1 << 10)).astype(
        NUMPY[dtype]
    )
    x = np.log1p(-np.exp(y.astype(WIDER[dtype]))).astype(NUMPY[dtype])
    ordered = np.maximum(x, y), np.minimum(x, y)
    for places in CANCELLATION_PLACES[dtype][1:]:
        off, where = worst(f"cancelled_logaddexp_{places}", dtype, BINARY["logaddexp"], *ordered)
        assert off <= 2, where


@pytest.mark.parametrize(
    ("x", "y", "power"),
    [
        (1.0, np.nan, 1.0), (np.nan, 0.0, 1.0), (np.nan, -0.0, 1.0), (-0.0, -3.0, -np.inf), (-0.0, -2.0, np.inf), (0.0, -0.5, np.inf),
        (-0.0, 3.0, -0.0), (-0.0, 2.0, 0.0), (-0.0, 0.5, 0.0), (-1.0, np.inf, 1.0), (-1.0, -np.inf, 1.0), (0.5, np.inf, 0.0),
        (0.5, -np.inf, np.inf), (2.0, np.inf, np.inf), (-2.0, -np.inf, 0.0), (-2.0, 0.5, np.nan), (-np.inf, 3.0, -np.inf),
        (-np.inf, 0.5, np.inf), (-np.inf, -3.0, -0.0), (np.inf, -0.5, 0.0), (np.nan, 1.0, np.nan), (2.0, np.nan, np.nan), (-8.0, 3.0, -512.0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("dtype", [float32, float64], ids=str)
def test_special_powers(dtype: DType, x: float, y: float, power: float):
    """ISO/IEC 9899:1999, F.9.4.4."""
    _assert_same_bits(apply("pow", dtype, x, y), np.array([power], NUMPY[dtype]))


@pytest.mark.parametrize("dtype", [float32, float64], ids=str)
@pytest.mark.parametrize(
    ("name", "operands", "result"),
    [
        ("hypot", (np.inf, np.nan), np.inf), ("hypot", (np.nan, -np.inf), np.inf), ("hypot", (3.0, -4.0), 5.0),
        ("logaddexp", (-np.inf, -np.inf), -np.inf), ("logaddexp", (np.inf, np.inf), np.inf), ("logaddexp", (np.inf, -np.inf), np.inf),
        ("logaddexp", (1.0, -np.inf), 1.0), ("logaddexp", (np.nan, np.inf), np.nan), ("acosh", (-1e9,), np.nan), ("acosh", (1.0,), 0.0),
        ("atanh", (-1.0,), -np.inf), ("atanh", (1.5,), np.nan), ("log1p", (-1.0,), -np.inf), ("log", (-0.0,), -np.inf), ("log2", (-1.0,), np.nan),
        ("silu", (-np.inf,), -0.0), ("sigmoid", (-np.inf,), 0.0), ("tanh", (-0.0,), -0.0), ("expm1", (-np.inf,), -1.0),
    ],
)  # fmt: skip
def test_special_values(name: str, dtype: DType, operands: tuple[float, ...], result: float):
    _assert_same_bits(apply(name, dtype, *map(np.array, operands)), np.array([result], NUMPY[dtype]))


def test_the_tail_of_sigmoid_is_subnormal_not_zero():
    tail = np.linspace(-103.2, -87.4, 1000)
    assert apply("sigmoid", float32, tail).min() > 0
    off, where = worst("sigmoid", float32, _sigmoid, tail)
    assert off <= 1, where


@pytest.mark.parametrize(
    "name", ["exp", "exp_below", "exp_relaxed", "exp_below_relaxed", "exp2", "exp2_below"]
)
def test_powers_may_be_subnormal(name: str):
    """They are whole numbers of the least step, computed apart from others: products with subnormal results would take 150 cycles each."""
    below = np.linspace(-138.7, -126.1, 1 << 10)
    numbers = below if name.startswith("exp2") else below * np.log(2)
    result = apply(name, float32, numbers.astype(np.float32))
    given = numbers.astype(np.float32).astype(np.float64)
    exact = np.exp2(given) if name.startswith("exp2") else np.exp(given)
    assert ((result > 0) & (result < 2**-126)).all()
    assert np.abs(result.astype(np.float64) - exact).max() <= 2 * 2.0**-149


@pytest.mark.parametrize("dtype", [float32, float64], ids=str)
@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_every_number_of_lanes_gives_the_same_bits(name: str, dtype: DType):
    """And `test_lanes` puts special values into one lane at a time."""
    values = np.concatenate([_arguments(dtype)[:: 1 << 6], near(THRESHOLDS[dtype], dtype, reach=2)])
    operands = [values] if name in UNARY else [each[:: 1 << 6] for each in _pairs(dtype)]
    results = apply_in_all_lanes(name, dtype, *operands)
    for lanes in LANES[1:]:
        _assert_same_bits(results[lanes], results[1])


@pytest.mark.parametrize(
    ("name", "dtype"),
    [key for key in FUNCTIONS if re.fullmatch("exp2?(_below)?(_relaxed)?", key[0])],
    ids=str,
)
def test_unusual_neighbours_in_a_vector_do_not_change_bits(name: str, dtype: DType):
    """Vectors whose results are all normal take a way of their own; sorted, most vectors do or do not, and shuffled, hardly any does."""
    limit, greatest = (160, 127 if name.startswith("exp2") else 87.9) if dtype == float32 else (1100, 708.9)
    ends = (88, 126, 127, 87.33655) if dtype == float32 else (709, 1022, 1023, 708.39641853227)
    draw = np.random.default_rng(0)
    values = [draw.uniform(-limit, limit, 1 << 13), near(ends, dtype), [np.nan, np.inf, -np.inf, 0.0, -0.0]]
    operands = np.sort(np.concatenate(values).astype(NUMPY[dtype]))
    if "below" in name:
        operands = operands[~(operands > greatest)]
    alone, order = apply(name, dtype, operands, lanes=1), draw.permutation(operands.size)
    for lanes in LANES[1:]:
        _assert_same_bits(apply(name, dtype, operands, lanes=lanes), alone)
        _assert_same_bits(apply(name, dtype, operands[order], lanes=lanes), alone[order])


@pytest.mark.parametrize("dtype", [float32, float64], ids=str)
@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_whether_kernels_contract_does_not_change_functions(name: str, dtype: DType):
    """Each function says for itself whether multiplications and additions may be fused in it."""
    operands = (
        [_arguments(dtype)[:: 1 << 4]] if name in UNARY else [each[:: 1 << 4] for each in _pairs(dtype)]
    )
    _assert_same_bits(apply(name, dtype, *operands, contract=None), apply(name, dtype, *operands))


@pytest.mark.parametrize("name", sorted({name for name, dtype in FUNCTIONS if dtype == float32}))
def test_functions_of_float32_need_no_double(name: str):
    """Devices without double precision run them."""
    text = FUNCTIONS[name, float32].render(float32.vec(4), OPENCL_CPU)
    assert "double" not in text


def _assert_same_bits(first: np.ndarray, second: np.ndarray) -> None:
    same = (first == second) & (np.signbit(first) == np.signbit(second)) | np.isnan(first) & np.isnan(second)
    assert same.all(), (np.flatnonzero(~same)[:5], first[~same][:5], second[~same][:5])
