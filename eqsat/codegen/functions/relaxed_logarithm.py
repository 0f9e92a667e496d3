"""Relaxed forms: LOG2 and LOG10 with one rounded product, and LOGADDEXP where an operand is not negative.

LOG2 and LOGADDEXP are at most 2.5 units in the last place off, LOG10 3.5. The full forms carry the logarithm to base e in two parts, and need
a table where a result of LOGADDEXP may be close to 0.
"""

from __future__ import annotations

from math import log, log10

from eqsat.codegen.functions.format import function, polynomial
from eqsat.codegen.functions.function import FunctionTable
from eqsat.dtype import DType, float32, float64

# (2·atanh(s)/s - 2)/s² in s², up to 1/9 (Remez), to 1.1e-10 and 3.5e-20 of log(1 + p).
_SERIES = {
    float32: (0.66666675, 0.39998889, 0.28616598, 0.21430731, 0.24289596),
    float64: (
        0.6666666666666667, 0.3999999999999406, 0.2857142857249729, 0.22222222126425237, 0.1818182316181347, 0.15384453026745007,
        0.1333678719088765, 0.11716153692971391, 0.10971195665853267, 0.06999472573713074, 0.1645904378034822,
    ),
}  # fmt: skip

_SCALED_TEXT = """\
// k·unit + log(1 + f)·factor
$inline $T ${name}_$T(const $T x) {
$contracted
    $T k, half_square;
    const $T f = ${split}_$T(x, &k), rest = log_rest_$T(f, &half_square);
    return ${ends}_$T(x, k * $unit + ((rest - half_square) + f) * $factor);
}"""
# log(1 + p) is p - p²/2 + s·(p²/2 + z·series), with s = p/(2 + p) and z = s². Below $tiny, it is p: nothing that is too small is multiplied.
_POSITIVE_TEXT = """\
// log(e^x + e^y), where x or y is not negative
$inline $T logaddexp_positive_relaxed_$T(const $T x, const $T y) {
$contracted
    const $T greater = x < y ? y : x, other = x < y ? x : y;
    const $T difference = other - greater, part = difference - other;
    const $T d_low = (other - (difference - part)) - (greater + part), power = exp_below_$T(difference);
    const $T p = power > $tiny ? power : ($T)($tiny), lost = (power > $tiny) & (d_low == d_low) ? d_low : ($T)(0.0$f);
    const $T s = p / (p + 2.0$f), z = s * s, half_square = p * p * 0.5$f;
    $series
    const $T rest = (s * (z * q + half_square) - half_square) + (p - p * s) * lost;
    const $T sum = greater + ((power > $tiny ? rest : ($T)(0.0$f)) + power);
    return difference == difference ? sum : x == y ? x : x + y;
}"""


def _table(dtype: DType) -> FunctionTable:
    units = {"log2": (1.0, 1 / log(2)), "log10": (log10(2), 1 / log(10))}
    names = {
        (op, form): f"{op}_normal_relaxed" if form else f"{op}_relaxed"
        for op in units
        for form in ("", "_normal")
    }
    return {
        **{
            (name, dtype): function(
                _SCALED_TEXT, dtype, (f"log_split{form}", "log_rest", f"log_ends{form}"), name=name, split=f"log_split{form}",
                ends=f"log_ends{form}", unit=units[op][0], factor=units[op][1],
            )
            for (op, form), name in names.items()
        },
        ("logaddexp_positive_relaxed", dtype): function(
            _POSITIVE_TEXT, dtype, ("exp_below",), tiny=2.0**-30 if dtype == float32 else 2.0**-60,
            series=polynomial("q", "z", _SERIES[dtype], dtype),
        ),
    }  # fmt: skip


RELAXED_LOGARITHM: FunctionTable = _table(float32) | _table(float64)
