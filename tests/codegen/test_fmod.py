"""FMOD of large quotients: exact for every pair of numbers, computed in floats and in doubles, in every number of lanes."""

import numpy as np
import pytest

from eqsat.codegen.dialects import OPENCL_CPU, OPENCL_GPU, C, Dialect
from eqsat.codegen.rendering.helpers import Helpers
from eqsat.dtype import DType, float32, float64
from tests.codegen.c_compiler import compile_c, needs_compiler
from tests.codegen.functions import LANES, NUMPY, apply, apply_in_all_lanes

# Powers of two: limits of a step and of exact products, then quotients that overflow.
QUOTIENTS = [
    *range(9, 13),
    *range(22, 31),
    *range(51, 55),
    100,
    *range(126, 130),
    200,
    *range(1022, 1026),
    1500,
    2000,
]
FEW, MANY = 500, 4000
SCALARS = pytest.mark.parametrize("scalar", [float32, float64], ids=str)


@SCALARS
@pytest.mark.parametrize("dialect", [OPENCL_CPU, OPENCL_GPU], ids=lambda each: each.name)
@pytest.mark.parametrize("contract", [True, False])
def test_every_remainder_is_exact(scalar: DType, dialect: Dialect, contract: bool) -> None:
    x, y = _pairs(scalar)
    _assert_exact(apply("fmod", scalar, x, y, contract=contract, dialect=dialect), x, y)


@SCALARS
def test_every_number_of_lanes_gives_exact_remainders(scalar: DType) -> None:
    x, y = _pairs(scalar)
    results = apply_in_all_lanes("fmod", scalar, x, y)
    assert tuple(results) == LANES
    for result in results.values():
        _assert_exact(result, x, y)


@needs_compiler
@SCALARS
def test_remainders_in_c_are_exact(scalar: DType) -> None:
    helpers, (x, y) = Helpers(C), _pairs(scalar)
    value = C.value_type(scalar)
    call = helpers.call("fmod", scalar, "x[i]", "y[i]")
    loop = f"for (long i = 0; i < {x.size}; i++)\n        out[i] = {call};"
    text = f"void all({value} *out, const {value} *x, const {value} *y) {{\n    {loop}\n}}"
    found = np.empty_like(x)
    compile_c(C.whole(helpers.source + text)).all(*(np.ctypeslib.as_ctypes(each) for each in (found, x, y)))
    _assert_exact(found, x, y)


@pytest.mark.parametrize("power", [0, 1, 4, 30])
def test_the_multiple_nearest_to_the_greatest_number_may_overflow(power: int) -> None:
    for scalar in (float32, float64):
        greatest = np.finfo(NUMPY[scalar]).max
        y = np.ldexp(
            np.random.default_rng(power).uniform(0.5, 1, FEW).astype(NUMPY[scalar]) * greatest, -power
        )
        for dialect in (OPENCL_CPU, OPENCL_GPU):
            x = np.full_like(y, greatest)
            _assert_exact(apply("fmod", scalar, x, y, dialect=dialect), x, y)


def _assert_exact(found: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
    """The bits of NumPy's remainder, which is that of the C library; any NaN for a NaN."""
    with np.errstate(all="ignore"):
        expected = np.fmod(x, y)
    differs = (found != expected) | (np.signbit(found) != np.signbit(expected))
    wrong = np.flatnonzero(differs & ~(np.isnan(found) & np.isnan(expected)))
    assert not wrong.size, (x[wrong[:3]], y[wrong[:3]], found[wrong[:3]], expected[wrong[:3]])


def _pairs(scalar: DType) -> tuple[np.ndarray, np.ndarray]:
    """Of random bits, with quotients near powers of two, with subnormal divisors, and all pairs of extreme numbers."""
    kind = NUMPY[scalar]
    limits, draw = np.finfo(kind), np.random.default_rng(11)
    integer = np.dtype(f"u{limits.dtype.itemsize}")
    bits = draw.integers(0, np.iinfo(integer).max, (2, MANY), integer, endpoint=True).view(kind)
    subnormal = (draw.integers(1, 1 << limits.nmant, MANY) >> draw.integers(0, limits.nmant, MANY)).astype(
        integer
    )
    ends = [limits.max, limits.tiny, np.nextafter(limits.tiny, kind(0)), limits.smallest_subnormal, 0, np.inf]
    ends = np.array([*ends, 1, 1.5, 3, np.nan], kind)
    ends = np.concatenate([ends, -ends])
    parts = [
        tuple(bits),
        (bits[0], (subnormal | 1).view(kind)),
        (ends.repeat(ends.size), np.tile(ends, ends.size)),
    ]
    for power in QUOTIENTS:
        exponents = draw.integers(limits.minexp - limits.nmant, limits.maxexp, FEW)
        divisors = np.ldexp(draw.uniform(0.5, 1, FEW).astype(kind), exponents)
        steps = draw.choice(np.array([-np.inf, 0, np.inf], kind), FEW)
        with np.errstate(all="ignore"):
            multiples = np.ldexp(divisors, power)
            near = np.where(steps == 0, multiples, np.nextafter(multiples, steps))
        parts.append((near, divisors))
    x, y = (np.concatenate(each) for each in zip(*parts, strict=True))
    return x, y
