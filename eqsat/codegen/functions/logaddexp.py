"""LOGADDEXP: the greater of two numbers plus log(1 + e^d), where d is the other number less the greater.

For d from -4 to 0, the logarithm is a series about the nearest multiple of 1/32; a table has its value and slope there, in two parts each.
Below -4, it is e^d - e^2d/2 + e^3d/3 ... Both terms are held in parts: if the greater number is negative and cancels most of the logarithm, a
result of 2^-8 or more still has all its digits. A smaller result is computed in whole numbers (`cancellation`).
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal, localcontext
from functools import cache

import numpy as np

from eqsat.codegen.functions.cancellation import CANCELLATION_PLACES
from eqsat.codegen.functions.format import function, literal, polynomial
from eqsat.codegen.functions.function import FunctionTable, Rows
from eqsat.dtype import DType, float32, float64

_STEPS, _RANGE = 32, 4  # rows of the table for each unit of d, and the length of the table in units
# The derivatives of log(1 + e^d) from the second on, divided by factorials and by v, as polynomials in v: s is the slope, v = s·(1 - s).
# Every other one is multiplied by 1 - 2s, too.
_DERIVATIVES = (
    (1 / 2,), (1 / 6,), (1 / 24, -6 / 24), (1 / 120, -12 / 120), (1 / 720, -30 / 720, 120 / 720),
    (1 / 5040, -60 / 5040, 360 / 5040), (1 / 40320, -126 / 40320, 1680 / 40320, -5040 / 40320),
)  # fmt: skip

_NEAR_TEXT = """\
$table $S softplus_table_$T[] = {$rows};

// log(1 + e^d) for d from -$range to 0, in three parts.
$inline $T softplus_near_$T(const $T d, const $T d_low, $T *second_part, $T *third_part) {
$contracted
    const $T shifted = d * -$steps + $shift, h = (shifted - $shift) * $step + d;
    const $U place = (as_$U(shifted) & 255) * 4;
    $gathered
    const $T slope = head_slope + rest_slope, v = slope - slope * slope, w = 1.0$f - 2.0$f * slope;
    $derivatives
    $T p = $last;
    $series
    const $T head = as_$T(as_$U(h) & $upper_mask);
    *second_part = head * head_slope;
    *third_part = h * h * v * p + ((h - head) * head_slope + (h * rest_slope + (slope * d_low + low)));
    return value;
}"""
# Rounding errors matter where the greater number is negative and cancels most of the logarithm. So the rounding error of the difference,
# times the slope, and that of each sum are added in. Where this is not enough, vectors are computed again in whole numbers.
_LOGADDEXP_TEXT = """\
// log(e^x + e^y)
$inline $T logaddexp_$T(const $T x, const $T y) {
$contracted
    const $T greater = x < y ? y : x, other = x < y ? x : y;
    const $T difference = other - greater, part = difference - other;
    const $T rounded = (other - (difference - part)) - (greater + part), d_low = rounded == rounded ? rounded : ($T)(0.0$f);
    $T second, third, first = softplus_near_$T(difference > -$range ? difference : ($T)(-$range), d_low, &second, &third);
    const $I far = difference < -$range ? ($I)(-1) : ($I)(0);
    if (any_lane_$T(far)) {
        $T lost;
        const $T power = exp_split_$T(difference > $least ? difference : ($T)($least), &lost);
        const $T counted = difference < -$negligible ? ($T)(0.0$f) : power;  // its square would be too small
        $far_series
        first = far ? power : first;
        second = far ? ($T)(0.0$f) : second;
        third = far ? p * (counted * counted) + (counted * d_low + lost) : third;
    }
    const $T total = greater + first, added = total - greater;
    const $T total_lost = (greater - (total - added)) + (first - added);
    const $T all = total + second, all_added = all - total;
    const $T left = (total - (all - all_added)) + (second - all_added) + total_lost + third;
    const $T sum = left == left ? all + left : total;
    $T result = (x == x) & (y == y) ? sum : x + y;
    const $T size = result < 0.0$f ? -result : result;
    const $I cancelled = (size < greater * -$threshold) & (size < $near) ? ($I)(-1) : ($I)(0);
    if (any_lane_$T(cancelled)) {
        const $I few = size < greater * -$few ? ($I)(-1) : ($I)(0), some = cancelled & ~few;
        if (any_lane_$T(some))
            result = some ? cancelled_logaddexp_${some}_$T(some ? greater : ($T)(-1.0$f), some ? other : ($T)(-1.0$f)) : result;
        if (any_lane_$T(few))
            result = few ? cancelled_logaddexp_${most}_$T(few ? greater : ($T)(-1.0$f), few ? other : ($T)(-1.0$f)) : result;
    }
    return result;
}"""


def _functions(dtype: DType) -> FunctionTable:
    single = dtype == float32
    some, most = (str(places) for places in CANCELLATION_PLACES[dtype][:2])
    derivatives = _DERIVATIVES[: 3 if single else None]
    names = [f"c{number}" for number in range(len(derivatives))]
    texts = [_of_v(name, terms, dtype) for name, terms in zip(names, derivatives, strict=True)]
    far = [(-1) ** (power - 1) / power for power in range(2, 6 if single else 11)]
    return {
        ("softplus_near", dtype): replace(
            function(
                _NEAR_TEXT, dtype, rows=_rows(dtype), steps=float(_STEPS), step=1 / _STEPS, range=float(_RANGE),
                shift=(1.5 * 2.0**23 if single else 1.5 * 2.0**52), derivatives="\n    ".join(texts), last=names[-1],
                series="\n    ".join(f"p = p * h + {name};" for name in reversed(names[:-1])),
            ),
            rows=Rows("softplus_table", ("value", "low", "head_slope", "rest_slope")),
        ),
        # Below `least`, e^difference is 0.
        ("logaddexp", dtype): function(
            _LOGADDEXP_TEXT, dtype, ("any_lane", "softplus_near", "exp_split", f"cancelled_logaddexp_{some}", f"cancelled_logaddexp_{most}"),
            least=-105.0 if single else -746.0, negligible=30.0 if single else 60.0,
            range=float(_RANGE), threshold=0.55, near=2.0**-8, few=2.0**-18 if single else 2.0**-24,
            some=some, most=most, far_series=polynomial("p", "counted", far, dtype).replace("\n    ", "\n        "),
        ),
    }  # fmt: skip


def _of_v(name: str, terms: tuple[float, ...], dtype: DType) -> str:
    """A statement that declares one of `_DERIVATIVES`, a polynomial in v, as a constant."""
    text = literal(terms[-1], dtype)
    for term in reversed(terms[:-1]):
        text = f"({text} * v + {literal(term, dtype)})"
    return f"const $T {name} = " + (f"{text} * w;" if int(name[1:]) % 2 else f"{text};")


def _rows(dtype: DType) -> str:
    """The table: value and slope in two parts each.

    The first part of a slope has so few digits that its product with the upper half of a number is exact.
    """
    numbers: list[float] = []
    unit = 2**13 if dtype == float32 else 2**27
    for value, slope in _softplus():
        first = float(np.float32(value) if dtype == float32 else value)
        head = int(slope * unit) / unit
        numbers += [first, float(value - Decimal(first)), head, float(slope - Decimal(head))]
    return ", ".join(literal(each, dtype) for each in numbers)


@cache
def _softplus() -> list[tuple[Decimal, Decimal]]:
    """log(1 + e^d) and its slope for d = 0, -1/32, ..."""
    with localcontext(prec=30):
        step, power, rows = (Decimal(-1) / _STEPS).exp(), Decimal(1), list[tuple[Decimal, Decimal]]()
        for _ in range(_STEPS * _RANGE + 1):
            rows.append(((1 + power).ln(), power / (1 + power)))
            power *= step
        return rows


LOGADDEXP: FunctionTable = _functions(float32) | _functions(float64)
