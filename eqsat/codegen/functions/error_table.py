"""ERF in float64, and ERFC, from tables of values and slopes.

Let a = c + h, where c is a multiple of 1/64 near a. Then erf a is erf c, plus the slope of erf at c times the integral of e^(-2ct - t²) for t
from 0 to h. The integral is h times a polynomial in -2ch and -2h², of the same length for all a; polynomials in x alone would need two long ones
and an exponential. 1 - erf is computed in the same way; fewer of its digits cancel if c is the nearest multiple. Far from zero, 1 - erf has few
digits in common with the values of neighbouring rows, and `error_function` computes it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal, localcontext
from functools import cache

from eqsat.codegen.functions.error_function import GREATEST
from eqsat.codegen.functions.format import SIGNED, SIZE, function, literal
from eqsat.codegen.functions.function import Function, FunctionTable, Rows
from eqsat.dtype import DType, float32, float64

_STEPS = 64  # rows of the table for each unit of x
_ROWS = 512  # a power of two, so that the masked low bits of a NaN are a row, too; erf is 1 from row 384 on
_END = 6.0  # from here on, erf is 1
_FAR = 6.0  # from here on, `error_function` computes 1 - erf
_FAR_BITS = {float32: "0x40c00000", float64: "0x4018000000000000l"}
_PLACES = 160  # rows are computed in whole multiples of 2^-160; at its least, 1 - erf has 105 bits
_TERMS = 16  # terms of the integral over one step; times the slope, those left out are below 2^-160
_PI = Decimal("3.14159265358979323846264338327950288419716939937510582")

_TEXT = f"""\
$table $S erf_table_$T[] = {{$rows}};

$inline $T erf_$T(const $T x) {{
$contracted
    {SIZE}
    const $T near = size > $end ? ($T)($end) : size, shifted = (near - $half_step) + $shift, c = shifted - $shift;
    const $U place = (as_$U(shifted) & $last_row) * 2;
    $gathered
    const $T h = near - c, twice = -2.0 * h, a = twice * c, b = twice * h;
    const $T first = (((((a * $a7 + $a6) * a + $a5) * a + $a4) * a + $a3) * a + $a2) * a + 0.5;
    const $T second = ((((a * $b5 + $b4) * a + $b3) * a + $b2) * a + $b1) * a + $b0;
    const $T third = ((a * $c3 + $c2) * a + $c1) * a + $c0, fourth = a * $d1 + $d0;
    const $T p = first * a + ((fourth * b + third) * b + second) * b;
    const $T y = (p * h + h) * slope + value;
    return {SIGNED};
}}"""
_COMPLEMENT_TEXT = f"""\
$table $S erfc_table_$T[] = {{$rows}};

$inline $T erfc_$T(const $T x) {{
$contracted
    {SIZE}
    const $T near = size < $end ? size : ($T)($end), shifted = near + $shift, c = shifted - $shift;
    const $U place = (as_$U(shifted) & $last_row) * 2;
    $gathered
    const $T h = near - c, twice = -2.0$f * h, a = twice * c, b = twice * h;
    $integral
    $T y = value - (p * h + h) * slope;
    const $I far = ($far_bits - as_$I(size)) >> ($bits - 1);
    if (any_lane_$T(far)) {{
        const $T tail = complement_$T(size);
        y = far ? (size > $greatest ? ($T)(0.0$f) : tail) : y;
    }}
    return x < 0.0$f ? 2.0$f - y : y;
}}"""
# p, where the integral is h + h·p; terms that are too small to count are left out.
_INTEGRAL = """\
const $T first = ((((((a * $a8 + $a7) * a + $a6) * a + $a5) * a + $a4) * a + $a3) * a + $a2) * a + 0.5;
    const $T second = (((((a * $b6 + $b5) * a + $b4) * a + $b3) * a + $b2) * a + $b1) * a + $b0;
    const $T third = (((a * $c4 + $c3) * a + $c2) * a + $c1) * a + $c0, fourth = a * $d1 + $d0;
    const $T p = first * a + ((fourth * b + third) * b + second) * b;"""
_SHORT_INTEGRAL = """\
const $T first = ((a * $a4 + $a3) * a + $a2) * a + 0.5f, second = a * $b1 + $b0;
    const $T p = first * a + second * b;"""
# Coefficients of the integral, which are Hermite polynomials divided by factorials. The letter is the power of b = -2h² (a for 0, b for 1 and
# so on), and the number is the power of a = -2ch.
_OF_POWERS = {
    "a2": 1 / 6, "a3": 1 / 24, "a4": 1 / 120, "a5": 1 / 720, "a6": 1 / 5040, "a7": 1 / 40320, "a8": 1 / 362880,
    "b0": 1 / 6, "b1": 1 / 8, "b2": 1 / 20, "b3": 1 / 72, "b4": 1 / 336, "b5": 1 / 1920,
    "b6": 1 / 12960, "c0": 1 / 40, "c1": 1 / 48, "c2": 1 / 112, "c3": 1 / 384, "c4": 1 / 1728, "d0": 1 / 336, "d1": 1 / 384,
}  # fmt: skip


@cache
def rows() -> tuple[float, ...]:
    """erf and its slope at 0, 1/64, ..., in turn."""
    return _flat((value, slope) for value, slope in _exact_rows())


@cache
def complement_rows() -> tuple[float, ...]:
    """1 - erf and the slope of erf at 0, 1/64, ..., 6, in turn."""
    last = int(_FAR * _STEPS)
    return _flat(((1 << _PLACES) - value, slope) for value, slope in _exact_rows()[: last + 1])


def _flat(pairs: Iterable[tuple[int, int]]) -> tuple[float, ...]:
    return tuple(each / (1 << _PLACES) for pair in pairs for each in pair)


@cache
def _exact_rows() -> list[tuple[int, int]]:
    """erf and its slope at 0, 1/64, ..., as multiples of 2^-160; each row is computed from the one before."""
    one = 1 << _PLACES
    with localcontext(prec=55):
        step = Decimal(1) / _STEPS
        value, slope = 0, int(2 / _PI.sqrt() * one)
        ratio, change = (int((-times * step * step).exp() * one) for times in (1, 2))
    rows: list[tuple[int, int]] = []
    for row in range(_ROWS):
        rows.append((value, slope))
        value += slope * _integral(row) >> _PLACES
        slope, ratio = slope * ratio >> _PLACES, ratio * change >> _PLACES
    return rows


def _integral(row: int) -> int:
    """The integral of e^(-2ct - t²) for t over one step, where c is the point of the row."""
    one = 1 << _PLACES
    a, b = -2 * row * one // _STEPS**2, -2 * one // _STEPS**2
    before, term, total = 0, one, one
    for power in range(1, _TERMS):
        before, term = term, (a * term + b * before >> _PLACES) // power
        total += term // (power + 1)
    return total // _STEPS


def _of_rows(
    text: str,
    dtype: DType,
    name: str,
    found: tuple[float, ...],
    needs: tuple[str, ...] = (),
    **values: float | str,
) -> Function:
    last_digit = 2.0 ** (23 if dtype == float32 else 52)
    written = function(
        text, dtype, needs, rows=", ".join(literal(each, dtype) for each in found), shift=1.5 * last_digit / _STEPS,
        last_row=str(_ROWS - 1), **_OF_POWERS, **values,
    )  # fmt: skip
    return replace(written, rows=Rows(name, ("value", "slope")))


def _complement(dtype: DType, integral: str) -> Function:
    text = _COMPLEMENT_TEXT.replace("$integral", integral)
    return _of_rows(
        text, dtype, "erfc_table", complement_rows(), ("complement", "any_lane"), end=_FAR, far_bits=_FAR_BITS[dtype],
        greatest=GREATEST[dtype],
    )  # fmt: skip


ERROR_TABLE: FunctionTable = {
    ("erf", float64): _of_rows(_TEXT, float64, "erf_table", rows(), end=_END, half_step=0.5 / _STEPS),
    ("erfc", float32): _complement(float32, _SHORT_INTEGRAL),
    ("erfc", float64): _complement(float64, _INTEGRAL),
}
