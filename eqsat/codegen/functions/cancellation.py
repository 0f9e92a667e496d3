"""LOGADDEXP where its terms cancel, computed in fractions with enough digits to make up for the lost ones.

If e^x + e^y is close to 1, the leading digits of its logarithm cancel: at worst 50 bits in float32 and 111 in float64, because e^x + e^y is
never 1 and the pairs of x and y are finitely many. The sum less 1 is 2^-n·(1 - f·falling(f) - T·falling(t)), with t = -x, T = 2^n·t,
y = -n·ln 2 - f and falling(x) = (1 - e^-x)/x. The function `falling` is a series in 13/16 - x/2 without negative terms, and T is less than 8.

A number is an array of digits of 29 bits, so that 64 bits hold a sum of products of two digits; the first digit also holds the part above 1.
Half of each number is stored. Most compilers multiply 64-bit lanes quickly if they see that the upper halves are zero, so factors are masked
where they are multiplied.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from functools import cache
from math import factorial
from string import Template

from eqsat.codegen.functions.format import FORMATS, function, literal
from eqsat.codegen.functions.function import FunctionTable
from eqsat.dtype import DType, float32, float64

_BITS = 29
_MIDDLE = Decimal("1.625")  # the series of `falling` is about this point; t is less
# Numbers of digits to compute with: if some bits cancel, if most do, and if the digits before were not enough.
CANCELLATION_PLACES = {float32: (2, 3), float64: (3, 5, 6)}
# Bits that must be left after cancellation: those of the result, one more, and four that may be wrong.
_ENOUGH = {float32: 29, float64: 58}

_TO_DIGITS_TEXT = """\
// The digits of size·2^power; what comes after the last digit is left out.
$inline void to_digits_${places}_$T(const $T size, const $L power, $M *digits) {
    const $U bits = as_$U(size), field = bits >> $mantissa;
    const $M mantissa = convert_$M((bits & $mantissa_mask) | (field > 0 ? ($U)1 << $mantissa : ($U)0));
    $L shift = convert_$L(field > 0 ? field : ($U)1) - ($bias + $mantissa) + power;
    $unrolled
    for (int place = 0; place < $places; place++) {
        shift += $bits_of_digit;
        const $M left = shift < 64 ? mantissa << as_$M(shift & 63) : ($M)(0), right = shift > -64 ? mantissa >> as_$M(-shift & 63) : ($M)(0);
        digits[place] = (shift < 0 ? right : left) & (place ? $mask : 0xfffffffful);
    }
}"""
_LESS_TEXT = """\
$table ulong half_ln2_${places}_$T[] = {$half_ln2};

// result = whole·2^-$bits_of_digit + n/2·ln 2 - digits, to the last digit.
$inline void less_${places}_$T(const ulong whole, const $M n, const $M *digits, $M *result) {
    $M carry = ((n * half_ln2_${places}_$T[$places]) >> $bits_of_digit) + 1;
    $unrolled
    for (int place = $places - 1; place > 0; place--) {
        carry += n * half_ln2_${places}_$T[place] + ($mask - (digits[place] & $mask));
        result[place] = carry & $mask;
        carry >>= $bits_of_digit;
    }
    result[0] = (n * half_ln2_${places}_$T[0] + carry + whole - 1 - digits[0]) & 0xfffffffful;
}"""
_PLUS_TEXT = """\
// result = more + x·y, not carried; it may be stored where an operand is.
$inline void plus_${places}_$T(const $M *more, const $M *x, const $M *y, $M *result) {
    $M sum = 0;
    $unrolled
    for (int place = $places; place >= 0; place--) {
        if (place < $places)
            sum += more[place] & (place ? $mask : 0xfffffffful);
        $unrolled
        for (int other = 0; other < place; other++)
            sum += x[other] * (y[place - 1 - other] & (other < place - 1 ? $mask : 0xfffffffful));
        if (place < $places)
            result[place] = sum;
        sum >>= $bits_of_digit;
    }
}"""
_FALLING_TEXT = """\
$table ulong falling_terms_${places}_$T[] = {$rows};

// (1 - e^-x)/x, of 13/16 - x/2, for two x: neither waits for the other.
$inline void falling_${places}_$T(const $M *rest, const $M *other_rest, $M *result, $M *other) {
    $M next[$places];
    $unrolled
    for (int place = 0; place < $places; place++)
        result[place] = other[place] = 0;
    for (int term = $terms - 1; term >= 0; term--) {
        $unrolled
        for (int place = 0; place < $places; place++)
            next[place] = falling_terms_${places}_$T[term * $places + place];
        plus_${places}_$T(next, rest, result, result);
        plus_${places}_$T(next, other_rest, other, other);
    }
}"""
_CANCELLED_TEXT = """\
// log(e^x + e^y), for x and y that are negative, where that is less than |x|.
$inline $T cancelled_logaddexp_${places}_$T(const $T x, const $T y) {
$uncontracted
    $M digits[$places], f[$places], t[$places], falling_f[$places], falling_t[$places], sum[$places] = {0};
    const $U n = as_$U((y * -$log2e - 0.501$f) + $units) & 4095;
    to_digits_${places}_$T(-y, ($L)(-1), digits);
    less_${places}_$T($middle, convert_$M(n), digits, f);
    to_digits_${places}_$T(-x, ($L)(-1), digits);
    less_${places}_$T($middle, ($M)(0), digits, t);
    falling_${places}_$T(f, t, falling_f, falling_t);
    less_${places}_$T($middle, ($M)(0), f, digits);
    plus_${places}_$T(sum, digits, falling_f, sum);
    to_digits_${places}_$T(-x, convert_$L(n) - 1, digits);
    plus_${places}_$T(sum, digits, falling_t, sum);
    less_${places}_$T($half, ($M)(0), sum, digits);
    const $L below = sum[0] >= $half ? ($L)(-1) : ($L)(0);
    sum[0] -= $half;
    $T size = 0;
    $unrolled
    for (int place = $places - 1; place > 0; place--)
        size = (size + convert_$T(convert_int$N((below ? sum[place] : digits[place]) & $mask))) * $unit;
    const int$N first = convert_int$N(below ? sum[0] : digits[0]);
    size = ((size + convert_$T(first & 63)) + convert_$T(first & ~63)) * $unit;
    const $T left = as_$T(as_$U(size) | (convert_$U(as_$M(below)) & $sign_mask));
    $T result = log1p_$T(scale_$T(left, 2 * $bias + 1 - n));
    $more
    return result;
}"""
_MORE_TEXT = """\
const $I few = size < $least ? ($I)(-1) : ($I)(0);
    if (any_lane_$T(few))
        result = few ? cancelled_logaddexp_${next}_$T(few ? x : ($T)(-1.0$f), few ? y : ($T)(-1.0$f)) : result;"""


def _functions(dtype: DType) -> FunctionTable:
    some, most, *all_digits = CANCELLATION_PLACES[dtype]
    table = _cancelled(dtype, some) | _cancelled(dtype, most, *all_digits)
    return table | _cancelled(dtype, *all_digits) if all_digits else table


def _cancelled(dtype: DType, places: int, after: int | None = None) -> FunctionTable:
    """The functions on numbers of `places` digits. If these are too few, the result is computed again with `after` digits."""
    to_digits, less, plus, falling = (f"{name}_{places}" for name in ("to_digits", "less", "plus", "falling"))
    others = () if after is None else (f"cancelled_logaddexp_{after}",)
    least = literal(2.0 ** (_ENOUGH[dtype] - _BITS * places), dtype)
    more = (
        ""
        if after is None
        else Template(_MORE_TEXT).safe_substitute(next=after, least=least, f=FORMATS[dtype]["f"])
    )
    terms = _falling_terms(places)
    with localcontext(prec=100):
        half_ln2 = _digits(Decimal(2).ln() / 2, places + 1)
    values = {
        "places": str(places), "bits_of_digit": str(_BITS), "mask": f"{(1 << _BITS) - 1:#x}ul", "half": f"{1 << _BITS - 1:#x}ul",
        "middle": f"{int(_MIDDLE * (1 << _BITS - 1)):#x}ul",
    }  # fmt: skip
    return {
        (f"cancelled_logaddexp_{places}", dtype): function(
            _CANCELLED_TEXT, dtype, (to_digits, less, plus, falling, "scale", "log1p", "any_lane", *others), log2e=1.4426950408889634,
            unit=2.0**-_BITS, units=1.5 * 2.0 ** (23 if dtype == float32 else 52), more=more, **values,
        ),
        (falling, dtype): function(
            _FALLING_TEXT, dtype, (plus,), rows=", ".join(_digits(each, places) for each in terms), terms=str(len(terms)), **values,
        ),
        (plus, dtype): function(_PLUS_TEXT, dtype, **values),
        (less, dtype): function(_LESS_TEXT, dtype, half_ln2=half_ln2, **values),
        (to_digits, dtype): function(_TO_DIGITS_TEXT, dtype, **values),
    }  # fmt: skip


def _falling_terms(places: int) -> list[Decimal]:
    """Coefficients of (1 - e^-x)/x in powers of (middle - x)/2: the integrals of (2u)^k·e^(-middle·u)/k! for u from 0 to 1."""
    terms: list[Decimal] = []
    while not terms or terms[-1] > Decimal(2) ** (-_BITS * places):
        terms.append(_falling_term(len(terms)))
    return terms


@cache
def _falling_term(k: int) -> Decimal:
    with localcontext(prec=100):
        whole = sum((part / (k + j + 1) for j, part in enumerate(_falling_parts())), Decimal(0))
        return whole * 2**k / factorial(k)


@cache
def _falling_parts() -> list[Decimal]:
    """Coefficients of e^(-middle·u) in powers of u."""
    with localcontext(prec=100):
        return [(-_MIDDLE) ** j / factorial(j) for j in range(90)]


def _digits(number: Decimal, places: int) -> str:
    """The digits of a number below 1, as a list of C constants."""
    with localcontext(prec=100):
        whole = int(number * 2 ** (_BITS * places))
    shifts = range(_BITS * (places - 1), -1, -_BITS)
    return ", ".join(f"{whole >> shift & (1 << _BITS) - 1:#x}ul" for shift in shifts)


CANCELLATION: FunctionTable = _functions(float32) | _functions(float64)
