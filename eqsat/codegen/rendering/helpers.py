"""Functions that rendered kernels call if the language lacks them, or if its own function is slow.

Each is rendered on demand for one type, as `name_type`. In a template, $T is the value type, $I and $U the signed and the
unsigned integer type of its width, $W the unsigned type in which it wraps, $N the lanes as a suffix, $bits the bits of a lane. `Dialect`
has the words that languages spell differently.
"""

from __future__ import annotations

from eqsat.codegen.dialects import Dialect
from eqsat.codegen.dialects.dialect import suffix
from eqsat.codegen.functions import found
from eqsat.codegen.functions.function import REGISTER_BITS
from eqsat.codegen.rendering import tile_functions
from eqsat.codegen.rendering.code import literal
from eqsat.codegen.rendering.matrices import function, function_name
from eqsat.dtype import AddrSpace, DType, bool_, float32, float64, int32
from eqsat.fragments import Instruction
from eqsat.machine import TILE_WORDS

_SIGNED_DIVIDE = """\
// A quotient that cannot trap: by zero it is 0, and the least number divided by -1 wraps.
$inline $T divide_$T(const $T a, const $T b) {
    const $T safe = ((b == ($T)(0)) | (b == ($T)(-1))) ? ($T)(1) : b;
    const $T quotient = $quotient;
    return b == ($T)(0) ? ($T)(0) : b == ($T)(-1) ? $negated : quotient;
}"""
_SIGNED_MODULO = """\
$inline $T modulo_$T(const $T a, const $T b) {
    const $T safe = ((b == ($T)(0)) | (b == ($T)(-1))) ? ($T)(1) : b;
    return $rest;
}"""
_UNSIGNED_DIVIDE = """\
// A quotient that cannot trap: by zero it is 0.
$inline $T divide_$T(const $T a, const $T b) {
    const $T safe = b == ($T)(0) ? ($T)(1) : b;
    const $T quotient = $quotient;
    return b == ($T)(0) ? ($T)(0) : quotient;
}"""
_UNSIGNED_MODULO = """\
$inline $T modulo_$T(const $T a, const $T b) {
    const $T safe = b == ($T)(0) ? ($T)(1) : b;
    return $rest;
}"""
_FLOOR_DIVIDE = """\
$inline $T floor_divide_$T(const $T a, const $T b) {
    const $T quotient = divide_$T(a, b), rest = modulo_$T(a, b), lower = quotient - ($T)(1);
    return ((rest != ($T)(0)) & ((rest ^ b) < ($T)(0))) ? lower : quotient;
}"""
_FLOOR_MODULO = """\
$inline $T floor_modulo_$T(const $T a, const $T b) {
    const $T rest = modulo_$T(a, b), moved = rest + b;
    return ((rest != ($T)(0)) & ((rest ^ b) < ($T)(0))) ? moved : rest;
}"""
# By a positive number: a negative dividend is ~a, and its quotient ~(~a / b). The unsigned division is a product where `b` is constant.
_FLOOR_DIVIDE_BY_POSITIVE = """\
$inline $T floor_divide_by_positive_$T(const $T a, const $T b) {
    const $T sign = a >> ($T)($bits - 1);
    return $reinterpreted($unsigned(a ^ sign) / $unsigned(b)) ^ sign;
}"""
_FLOOR_MODULO_BY_POSITIVE = """\
$inline $T floor_modulo_by_positive_$T(const $T a, const $T b) {
    return $reinterpreted($unsigned(a) - $unsigned(floor_divide_by_positive_$T(a, b)) * $unsigned(b));
}"""
_POWER = """\
// Repeated squaring; wraps.
$inline $T power_$T(const $T base, $T exponent) {
    $W result = ($W)(1), square = $unsigned(base);
    for (int bit = 0; bit < $bits; bit++) {
        const $W next = result * square;
        result = (exponent & ($T)(1)) != ($T)(0) ? next : result;
        square *= square;
        exponent >>= ($T)(1);
    }
    return $reinterpreted(result);
}"""
_SIGNED_POWER = """\
// Repeated squaring; wraps. A negative exponent gives the reciprocal, truncated: 0 but for 1 and -1.
$inline $T power_$T(const $T base, $T exponent) {
    $W result = ($W)(1), square = $unsigned(base);
    const $T inverse = base == ($T)(1) ? base : base == ($T)(-1) ? (exponent & ($T)(1)) != ($T)(0) ? base : ($T)(1) : ($T)(0);
    const $T given = exponent;
    for (int bit = 1; bit < $bits; bit++) {
        const $W next = result * square;
        result = (exponent & ($T)(1)) != ($T)(0) ? next : result;
        square *= square;
        exponent >>= ($T)(1);
    }
    return given < ($T)(0) ? inverse : $reinterpreted(result);
}"""
_DOT = """\
// The bytes of a without signs, times those of b with signs, added to a sum.
$inline $T dot_$T(const $T sum, const $T a, const $T b) {
$dot
}"""
_DOT_OF_BYTES = """\
    const $T first = (a & 255) * (((b & 255) ^ 128) - 128), second = ((a >> 8) & 255) * ((((b >> 8) & 255) ^ 128) - 128);
    const $T third = ((a >> 16) & 255) * ((((b >> 16) & 255) ^ 128) - 128), last = ((a >> 24) & 255) * (b >> 24);
    return sum + (first + second + third + last);"""
_MULTIPLY_ADD = """\
// Rounded once, where nothing else in the kernel is contracted.
$inline $T multiply_add_$T(const $T a, const $T b, const $T c) {
    $contracted
    return a * b + c;
}"""
_ROUND_BFLOAT = """\
// To the nearest bfloat16, ties to even.
$inline $T round_bfloat_$T(const $T x) {
    const $U bits = as_$U(x);
    const $U rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) & 0xffff0000u;
    return as_$T(x != x ? (bits | 0x400000u) & 0xffff0000u : rounded);
}"""

_ROUND_TO_ODD = """\
// A float whose last bit records that something was cut off, so that rounding once more is rounding once.
$inline float$N round_to_odd_$T(const $T x) {
    const float$N near = convert_float$N(x);
    const $T back = convert_$T(near);
    const int$N beyond = $above, inexact = $differs;
    const int$N bits = as_int$N(near), cut = (bits - (beyond & 1)) | 1;
    return as_float$N(inexact != 0 ? cut : bits);
}"""
_WHOLE = """\
// Truncated and saturated; NaN becomes 0.
$inline $R $name(const $T x) {
    const $T number = x == x ? x : ($T)(0);
    const $T above = number > ($T)($least) ? number : ($T)($least);
    const $T inside = above < ($T)($greatest) ? above : ($T)($greatest);
    return $result;
}"""

_TEMPLATES = {
    "maximum": "$inline $T maximum_$T(const $T a, const $T b) { const $T c = a < b ? b : a; return b == b ? c : b; }",
    "minimum": "$inline $T minimum_$T(const $T a, const $T b) { const $T c = b < a ? b : a; return b == b ? c : b; }",
    "at_least": "$inline $T at_least_$T(const $T x, const $T least) { return least > x ? least : x; }",
    "at_most": "$inline $T at_most_$T(const $T x, const $T most) { return most < x ? most : x; }",
    "max": "$inline $T max_$T(const $T a, const $T b) { return a > b ? a : b; }",
    "min": "$inline $T min_$T(const $T a, const $T b) { return a < b ? a : b; }",
    "dot": _DOT,
    "multiply_add": _MULTIPLY_ADD,
    "floor_divide": _FLOOR_DIVIDE,
    "floor_modulo": _FLOOR_MODULO,
    "floor_divide_by_positive": _FLOOR_DIVIDE_BY_POSITIVE,
    "floor_modulo_by_positive": _FLOOR_MODULO_BY_POSITIVE,
    "round_to_odd": _ROUND_TO_ODD,
    "round_bfloat": _ROUND_BFLOAT,
}
_BY_SIGN = {
    ("divide", True): _SIGNED_DIVIDE, ("divide", False): _UNSIGNED_DIVIDE,
    ("power", True): _SIGNED_POWER, ("power", False): _POWER,
    ("modulo", True): _SIGNED_MODULO, ("modulo", False): _UNSIGNED_MODULO,
}  # fmt: skip
_NEEDS = {
    "floor_divide": ("divide", "modulo"), "floor_modulo": ("modulo",), "floor_modulo_by_positive": ("floor_divide_by_positive",),
}  # fmt: skip


class Helpers:
    """The helper functions that one kernel needs; each is rendered once, before the functions that call it."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self._sources: dict[str, str] = {}

    def call(self, name: str, dtype: DType, *operands: str) -> str:
        """A call of the helper `name` on values of `dtype`, or of the language's own function of this name if it has one."""
        if name in self.dialect.functions:
            return f"{name}({', '.join(operands)})"
        return f"{self._function(name, dtype)}({', '.join(operands)})"

    @property
    def source(self) -> str:
        """The text of all helper functions, to be put before the kernel."""
        return "".join(f"{text}\n\n" for text in self._sources.values())

    def whole(self, before: DType, after: DType, operand: str) -> str:
        """A call that converts a float held as `before` to integers of `after`, saturated."""
        name = f"{self.dialect.value_type(after.scalar)}_of_{self.dialect.value_type(before)}"
        if name not in self._sources:
            self._sources[name] = _render_whole(self.dialect, name, before, after)
        return f"{name}({operand})"

    def matrices(self, row: Instruction, *operands: str) -> str:
        """A call of the function around an instruction for products of matrices."""
        name = function_name(row)
        self._sources.setdefault(name, function(row, self.dialect))
        return f"{name}({', '.join(operands)})"

    def tiles(self, vectors: int, signs: int, spaces: tuple[AddrSpace, AddrSpace], *operands: str) -> str:
        """A call that multiplies rows by so many vectors of columns, in matrix registers."""
        name = tile_functions.function_name(vectors, signs, spaces)
        dot = self._function("dot", int32.vec(TILE_WORDS))
        self._sources.setdefault(name, tile_functions.function(vectors, signs, spaces, self.dialect, dot))
        return f"{name}({', '.join(operands)})"

    def _function(self, name: str, dtype: DType) -> str:
        called = f"{name}_{self.dialect.value_type(dtype)}"
        if called not in self._sources:
            elementary = found(name, dtype, self.dialect)
            for needed in elementary.needs if elementary else _NEEDS.get(name, ()):
                self._function(needed, dtype)
            for needed in elementary.needs_scalar if elementary else ():
                self._function(needed, dtype.scalar)
            self._sources[called] = (
                elementary.render(dtype, self.dialect) if elementary else _render(self.dialect, name, dtype)
            )
        return called


def _render(dialect: Dialect, name: str, dtype: DType) -> str:
    scalar, unsigned = dtype.lanes == 1, dialect.unsigned_type(dtype)
    template = dialect.templates.get(name) or _TEMPLATES.get(name) or _BY_SIGN[name, dtype.kind in "ix"]
    wrapping = ("uint" if dtype.bits < 32 else unsigned) if scalar else unsigned
    value, quotient = dialect.value_type(dtype), _quotient(dialect, dtype)
    return dialect.fill(
        template,
        quotient=quotient or "a / safe",
        rest=f"a - {quotient} * safe" if quotient else "a % safe",
        T=value,
        I=dialect.value_type(int32.vec(dtype.lanes)),
        U=unsigned,
        W=wrapping,
        N=suffix(dtype.lanes),
        bits=dialect.bits(dtype),
        dot=_dot(dialect, dtype) if name == "dot" else "",
        above="fabs(back) > fabs(x)" if scalar else f"convert_int{dtype.lanes}(fabs(back) > fabs(x))",
        differs="(back != x) & (x == x)" if scalar else f"convert_int{dtype.lanes}((back != x) & (x == x))",
        negated=f"({value})(-({wrapping})a)" if scalar else "-a",
        unsigned=f"({wrapping})" if scalar else f"as_{wrapping}",
        reinterpreted=f"({value})" if scalar else f"as_{value}",
    )


def _quotient(dialect: Dialect, dtype: DType) -> str:
    """The quotient of vectors of integers, divided as floats: no processor divides vectors of integers.

    Empty if this does not help, or is not exact. It is exact if the significand of the float has more bits than the integers: then no quotient
    just below a whole number is rounded up to it.
    """
    exact = float32 if dtype.bits < float32.significand else float64
    if dtype.lanes == 1 or not dialect.x86_builtins or dtype.bits >= exact.significand:
        return ""
    wide = f"convert_{dialect.value_type(exact.vec(dtype.lanes))}"
    return f"convert_{dialect.value_type(dtype)}({wide}(a) / {wide}(safe))"


def _dot(dialect: Dialect, dtype: DType) -> str:
    """The body of a DOT: the instruction that some processors have for it, or products of integers."""
    plain = dialect.fill(_DOT_OF_BYTES, T=dialect.value_type(dtype))
    bits = dtype.bits * dtype.lanes
    if not dialect.x86_builtins or bits not in REGISTER_BITS:
        return plain
    asked = f"    return __builtin_ia32_vpdpbusd{bits}(sum, a, b);"
    return f"#ifdef __AVX512VNNI__\n{asked}\n#else\n{plain}\n#endif"


def _render_whole(dialect: Dialect, function: str, before: DType, after: DType) -> str:
    """The function that converts floats to integers, saturated.

    If the greatest integer is not a float, operands are clamped to the greatest float below it. Those above that become the greatest integer
    by a selection after the conversion.
    """
    source, result, value_type = before.scalar, dialect.value_type(after), dialect.value_type
    least, greatest = float(after.scalar.min), float(after.scalar.max)
    exact = after.bits - after.is_signed <= source.significand
    if not exact:
        greatest = 2.0 ** (after.bits - after.is_signed) - 2.0 ** (
            after.bits - after.is_signed - source.significand
        )
    limit = literal(greatest, source, dialect).text
    text = f"convert_{result}(inside)"
    if not exact:
        mask = f"x > ({value_type(before)})({limit})"
        if before.lanes > 1 and before.bits != after.bits:
            mask = f"convert_{value_type(bool_.vec(before.lanes), after.bits)}({mask})"
        text = f"({mask}) ? ({result})({literal(after.scalar.max, after.scalar, dialect).text}) : {text}"
    return dialect.fill(
        _WHOLE,
        R=result,
        name=function,
        T=value_type(before),
        least=literal(least, source, dialect).text,
        greatest=limit,
        result=text,
    )
