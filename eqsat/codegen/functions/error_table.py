"""ERF in float64, from a table of values and slopes.

For a = c + h, with c the multiple of 1/64 below it, erf a is erf c and the slope there times the integral of e^(-2ct - t²) from 0 to h,
which is h times a polynomial in -2ch and -2h². It has one length for all a; polynomials in x alone would need two long ones and an exponential.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal, localcontext
from functools import cache

from eqsat.codegen.functions.format import SIGNED, SIZE, function, literal
from eqsat.codegen.functions.function import FunctionTable, Rows
from eqsat.dtype import float64

_STEPS = 64  # rows for each unit
_ROWS = 512  # twice as far as erf differs from 1, and as far as the low bits of a NaN reach
_END = 6.0  # from here on, erf is 1
_PLACES = 110  # bits of whole numbers that rows are computed in
_TERMS = 12  # of the integral over one step: below 2^-110
_PI = Decimal("3.1415926535897932384626433832795028841972")

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
# The terms of the integral, Hermite polynomials over factorials, by powers of b = -2h²: of a = -2ch in each.
_OF_POWERS = {
    "a2": 1 / 6, "a3": 1 / 24, "a4": 1 / 120, "a5": 1 / 720, "a6": 1 / 5040, "a7": 1 / 40320,
    "b0": 1 / 6, "b1": 1 / 8, "b2": 1 / 20, "b3": 1 / 72, "b4": 1 / 336, "b5": 1 / 1920,
    "c0": 1 / 40, "c1": 1 / 48, "c2": 1 / 112, "c3": 1 / 384, "d0": 1 / 336, "d1": 1 / 384,
}  # fmt: skip


@cache
def rows() -> tuple[float, ...]:
    """erf and its slope for 0, 1/64, ..., by steps in whole numbers of 2^-110."""
    one = 1 << _PLACES
    with localcontext(prec=40):
        step = Decimal(1) / _STEPS
        value, slope = 0, int(2 / _PI.sqrt() * one)
        ratio, change = (int((-times * step * step).exp() * one) for times in (1, 2))
    rows: list[float] = []
    for row in range(_ROWS):
        rows += [value / one, slope / one]
        value += slope * _integral(row) >> _PLACES
        slope, ratio = slope * ratio >> _PLACES, ratio * change >> _PLACES
    return tuple(rows)


def _integral(row: int) -> int:
    """That of e^(-2ct - t²) over one step."""
    one = 1 << _PLACES
    a, b = -2 * row * one // _STEPS**2, -2 * one // _STEPS**2
    before, term, total = 0, one, one
    for power in range(1, _TERMS):
        before, term = term, (a * term + b * before >> _PLACES) // power
        total += term // (power + 1)
    return total // _STEPS


ERROR_TABLE: FunctionTable = {
    ("erf", float64): replace(
        function(
            _TEXT, float64, rows=", ".join(literal(each, float64) for each in rows()), end=_END,
            half_step=0.5 / _STEPS, shift=1.5 * 2.0**52 / _STEPS, last_row=str(_ROWS - 1), **_OF_POWERS,
        ),
        rows=Rows("erf_table", ("value", "slope")),
    )
}  # fmt: skip
