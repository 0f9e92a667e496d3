"""The constants that differ between float32 and float64, for texts that are written once for both."""

from __future__ import annotations

from collections.abc import Sequence
from string import Template

import numpy as np

from eqsat.codegen.functions.function import Function
from eqsat.dtype import DType, float32, float64

# A float has `bits` bits, and `i` is the signed integer type of the same width. `mantissa` bits follow the exponent, which is stored plus `bias`.
# Multiplied by `lift`, every subnormal number becomes normal.
# `upper_mask` leaves the upper half of the digits, 12 and 26 of them: products of two such numbers are exact.
FORMATS = {
    float32: {
        "f": "f", "u": "u", "i": "int", "bits": "32", "mantissa": "23", "bias": "127", "mantissa_mask": "0x007fffffu",
        "sign_mask": "0x80000000u", "upper_mask": "0xfffff000u", "least_normal": "1.17549435e-38f", "lift": "8388608.0f",
    },
    float64: {
        "f": "", "u": "ul", "i": "long", "bits": "64", "mantissa": "52", "bias": "1023", "mantissa_mask": "0x000ffffffffffffful",
        "sign_mask": "0x8000000000000000ul", "upper_mask": "0xfffffffff8000000ul",
        "least_normal": "2.2250738585072014e-308", "lift": "4503599627370496.0",
    },
}  # fmt: skip

ANY_LANE = """\
$inline int any_lane_$T(const $I mask) {
$merged
}"""

# A polynomial with at least `_LONG` coefficients is computed in two chains, except for its last `_KEPT` steps.
_LONG, _KEPT = 9, 4

# Pieces of texts about an argument x: the declaration of its absolute value, and y, which is not negative, with the sign of x.
SIZE = "const $T size = as_$T(as_$U(x) & ~($U)($sign_mask));"
SIGNED = "as_$T(as_$U(y) | (as_$U(x) & $sign_mask))"


def function(
    text: str,
    dtype: DType,
    needs: tuple[str, ...] = (),
    needs_scalar: tuple[str, ...] = (),
    /,
    **values: float | str,
) -> Function:
    """A function from a `text` that has a `$name` for each of `values` and for each constant of the format.

    Literals in the text end in `$f` (a float of `dtype`) or `$u` (an unsigned integer of its width). Floats among `values` become literals.
    """
    written = {
        name: value if isinstance(value, str) else literal(value, dtype) for name, value in values.items()
    }
    return Function(Template(text).safe_substitute(FORMATS[dtype], **written), needs, needs_scalar)


def literal(value: float, dtype: DType) -> str:
    """A number as C writes it in `dtype`."""
    text = f"{np.float32(value)!s}f" if dtype == float32 else repr(value)
    return text if "." in text else text.replace("e", ".0e")


def polynomial(name: str, variable: str, coefficients: Sequence[float], dtype: DType) -> str:
    """Statements that declare `name`: the polynomial in `variable` with these coefficients, the constant first.

    Uses Horner's scheme, in which each step waits for the one before. A long polynomial uses it only for its last steps, whose rounding matters.
    Before these, the even and the odd powers are two shorter chains, which processors compute in parallel.
    """
    if len(coefficients) < _LONG:
        return _horner(name, variable, coefficients, dtype)
    last, others = coefficients[:_KEPT], coefficients[_KEPT:]
    square = f"{name}_square"
    return "\n    ".join(
        (
            f"const $T {square} = {variable} * {variable};",
            _horner(name, square, others[::2], dtype),
            _horner(f"{name}_odd", square, others[1::2], dtype),
            f"{name} = {name}_odd * {variable} + {name};",
            *(f"{name} = {name} * {variable} + {literal(each, dtype)};" for each in reversed(last)),
        )
    )


def _horner(name: str, variable: str, coefficients: Sequence[float], dtype: DType) -> str:
    highest, second, *others = (literal(each, dtype) for each in reversed(coefficients))
    first = f"$T {name} = {variable} * {highest} + {second};"
    return "\n    ".join([first, *(f"{name} = {name} * {variable} + {each};" for each in others)])
