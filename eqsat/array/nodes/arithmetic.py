"""The UOps that operators such as `+`, `//`, `<` and `&` build for each kind of dtype.

Each function takes UOps or Python numbers, promotes and broadcasts them as NumPy does, and returns a UOp.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from eqsat.array.nodes.operands import (
    Operand,
    WeakNumber,
    common_dtype,
    dtype_of,
    require_integers,
    require_number,
    unify,
)
from eqsat.array.nodes.rounding import divide_with_remainder
from eqsat.dtype import DType, bool_, float64, int8, uint64
from eqsat.errors import BuildError
from eqsat.extents import Extent
from eqsat.ops import Op
from eqsat.uop import UOp

_LONGEST_CHAIN = 64  # the greatest constant exponent of an integer that is expanded into products
# Constant exponents of floats that are expanded into products, with errors of at most 2 ulp: 0.5, 1.3 and 1.9 ulp for 2, 3 and 4.
# The error for 5 would be 2.9 ulp.
_FLOAT_CHAINS = (-1, 0, 1, 2, 3, 4)


def add(left: Operand, right: Operand) -> UOp:
    """The sum; for bools, whether either is true."""
    x, y = unify("add", (left, right))
    return x | y if dtype_of(x).is_bool else x + y


def subtract(left: Operand, right: Operand) -> UOp:
    """The difference; bools are refused."""
    x, y = unify("subtract", (left, right))
    require_number("subtract", dtype_of(x), "logical_xor")
    return x - y if dtype_of(x).is_float else x + _opposite(y)


def multiply(left: Operand, right: Operand) -> UOp:
    """The product; for bools, whether both are true."""
    x, y = unify("multiply", (left, right))
    return x & y if dtype_of(x).is_bool else x * y


def divide(left: Operand, right: Operand) -> UOp:
    """The quotient, always a float; integers and bools are divided in float64."""
    common = common_dtype((left, right))
    x, y = unify("divide", (left, right), common if common.is_float else float64)
    return x / y


def floor_divide(left: Operand, right: Operand) -> UOp:
    """The quotient rounded down."""
    x, y = unify("divide", (left, right), _as_integer(common_dtype((left, right))))
    return divide_with_remainder(x, y)[0] if dtype_of(x).is_float else x // y


def remainder(left: Operand, right: Operand) -> UOp:
    """The remainder of `floor_divide`, with the sign of `right`."""
    x, y = unify("take the remainder of", (left, right), _as_integer(common_dtype((left, right))))
    return divide_with_remainder(x, y)[1] if dtype_of(x).is_float else x % y


def truncated_remainder(left: Operand, right: Operand) -> UOp:
    """The remainder of the quotient rounded toward zero, with the sign of `left`."""
    x, y = unify("take the remainder of", (left, right), _as_integer(common_dtype((left, right))))
    return x.alu(Op.FMOD if dtype_of(x).is_float else Op.MOD, y)


def negative(value: Operand) -> UOp:
    """The negative of a number; unsigned integers wrap."""
    (x,) = unify("negate", (value,))
    require_number("negate", dtype_of(x), "logical_not")
    return -x if dtype_of(x).is_float else _opposite(x)


def absolute(value: Operand) -> UOp:
    """The absolute value; the least signed integer stays as it is."""
    (x,) = unify("take the absolute value of", (value,))
    dtype = dtype_of(x)
    if dtype.is_float:
        return (x > 0.0).where(x, x.like(0.0) - x)
    return (x < 0).where(x * -1, x) if dtype.is_signed else x


def power(left: Operand, right: Operand) -> UOp:
    """`left` to the power of `right`; integers stay integers, by repeated squaring.

    Raises:
        BuildError: an integer is raised to the power of a negative Python integer.
    """
    dtype = _as_integer(common_dtype((left, right)))
    if isinstance(right, int | float | Extent) and isinstance(left, UOp | WeakNumber):
        if not dtype.is_float and right < 0:
            raise BuildError(
                f"cannot raise {dtype} to the power of {right}; convert it with astype to a float dtype first"
            )
        (x,) = unify("raise", (left,), dtype)
        constant = _power_of_constant(x, right)
        if constant is not None:
            return constant
    x, y = unify("raise", (left, right), dtype)
    return x.alu(Op.POW, y) if dtype.is_float else _integer_power(x, y)


def maximum(left: Operand, right: Operand) -> UOp:
    """The greater of two numbers; NaN if either is NaN."""
    x, y = unify("take the maximum of", (left, right))
    return x | y if dtype_of(x).is_bool else x.maximum(y)


def minimum(left: Operand, right: Operand) -> UOp:
    """The lesser of two numbers; NaN if either is NaN."""
    x, y = unify("take the minimum of", (left, right))
    return x & y if dtype_of(x).is_bool else x.minimum(y)


def less(left: Operand, right: Operand) -> UOp:
    """Whether `left < right`."""
    x, y = _comparable(left, right)
    result = x.logical_not() & y if dtype_of(x).is_bool else x < y
    return _unless_negative(left, right, result, True, False)


def less_equal(left: Operand, right: Operand) -> UOp:
    """Whether `left <= right`; false if either is NaN."""
    x, y = _comparable(left, right)
    if dtype_of(x).is_float:
        return (x < y) | x.eq(y)
    return less(right, left).logical_not()


def greater(left: Operand, right: Operand) -> UOp:
    """Whether `left > right`."""
    return less(right, left)


def greater_equal(left: Operand, right: Operand) -> UOp:
    """Whether `left >= right`; false if either is NaN."""
    return less_equal(right, left)


def equal(left: Operand, right: Operand) -> UOp:
    """Whether the values are equal."""
    x, y = _comparable(left, right)
    return _unless_negative(left, right, x.eq(y), False, False)


def not_equal(left: Operand, right: Operand) -> UOp:
    """Whether the values differ."""
    x, y = _comparable(left, right)
    return _unless_negative(left, right, x.ne(y), True, True)


def bitwise_and(left: Operand, right: Operand) -> UOp:
    """The bits that are set in both; for bools, whether both are true."""
    return _bitwise(Op.AND, left, right)


def bitwise_or(left: Operand, right: Operand) -> UOp:
    """The bits that are set in either; for bools, whether either is true."""
    return _bitwise(Op.OR, left, right)


def bitwise_xor(left: Operand, right: Operand) -> UOp:
    """The bits that are set in exactly one of the two; for bools, whether they differ."""
    return _bitwise(Op.XOR, left, right)


def invert(value: Operand) -> UOp:
    """An integer with all its bits flipped; for a bool, its negation."""
    require_integers("invert the bits of", (value,))
    (x,) = unify("invert the bits of", (value,))
    dtype = dtype_of(x)
    return x.logical_not() if dtype.is_bool else x ^ (-1 if dtype.is_signed else dtype.max)


def shift_left(left: Operand, right: Operand) -> UOp:
    """Bits shifted left by `right` places, which must not be negative; zero if `right` is the width of the dtype or more."""
    x, y = _shift_operands(left, right)
    return _within_width(x, y, right, lambda amount: x << amount, x.like(0))


def shift_right(left: Operand, right: Operand) -> UOp:
    """Bits shifted right by `right` places, which must not be negative; signed integers keep their sign."""
    x, y = _shift_operands(left, right)
    beyond = x >> (dtype_of(x).bits - 1) if dtype_of(x).is_signed else x.like(0)
    return _within_width(x, y, right, lambda amount: x >> amount, beyond)


def _bitwise(op: Op, left: Operand, right: Operand) -> UOp:
    operation = f"combine by bitwise {op.name.lower()}"
    require_integers(operation, (left, right))
    x, y = unify(operation, (left, right))
    return x.alu(op, y)


def _opposite(x: UOp) -> UOp:
    """An integer times -1; for an unsigned dtype, -1 is the greatest value of the dtype."""
    dtype = dtype_of(x)
    return x * (dtype.max if dtype.kind == "u" else -1)


def _as_integer(dtype: DType) -> DType:
    """The dtype, but int8 for bool, as in NumPy's quotients, powers and shifts."""
    return int8 if dtype == bool_ else dtype


def _comparable(left: Operand, right: Operand) -> list[UOp]:
    """Both operands in one dtype; see `_exact` for Python integers.

    A signed integer beside uint64 is wrapped to uint64, since float64, their common dtype, rounds both; see `_unless_negative`.
    """
    left, right = _exact(left, right), _exact(right, left)
    return unify("compare", (left, right), uint64 if _signed_beside_uint64(left, right) is not None else None)


def _unless_negative(left: Operand, right: Operand, result: UOp, if_left: bool, if_right: bool) -> UOp:
    """The result of a comparison, except where one operand is negative and the other is uint64: there the outcome is known."""
    left, right = _exact(left, right), _exact(right, left)
    signed = _signed_beside_uint64(left, right)
    if signed is None:
        return result
    is_negative = (signed < 0).broadcast(result.shape or ())
    return is_negative.where(if_left if signed is left else if_right, result)


def _signed_beside_uint64(left: Operand, right: Operand) -> UOp | None:
    """The operand of signed integers, if the other one is of uint64."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, UOp) and isinstance(other, UOp) and dtype_of(other) == uint64:
            return one if dtype_of(one).is_int and dtype_of(one).is_signed else None
    return None


def _exact(number: Operand, other: Operand) -> Operand:
    """An operand as it is compared with another one: a Python integer is not converted to an integer dtype that may not hold it.

    If it is known that the dtype does not, the integer becomes an infinity; if its value is unknown, it keeps its 64 bits.
    """
    if isinstance(number, UOp | float | bool) or not isinstance(other, UOp) or not dtype_of(other).is_int:
        return number
    if isinstance(number, WeakNumber):
        return number.value if dtype_of(number.value).is_int else number
    if dtype_of(other).min <= number <= dtype_of(other).max:
        return number
    return inf if number > 0 else -inf


def _power_of_constant(x: UOp, exponent: int | float) -> UOp | None:
    """The power with a constant exponent as products, a reciprocal or a square root; None where the general power is needed."""
    dtype = dtype_of(x)
    if exponent == 0.5:
        return x.alu(Op.SQRT)
    if exponent not in _FLOAT_CHAINS if dtype.is_float else abs(exponent) > _LONGEST_CHAIN:
        return None
    if exponent < 0:
        return x.like(1.0) / x
    return _by_squaring(x, int(exponent)) if exponent else x.like(1.0 if dtype.is_float else 1)


def _by_squaring(x: UOp, exponent: int) -> UOp:
    result, square = None, x
    while exponent:
        if exponent & 1:
            result = square if result is None else result * square
        exponent >>= 1
        square = square * square if exponent else square
    assert result is not None, "the exponent is positive"
    return result


def _integer_power(x: UOp, y: UOp) -> UOp:
    """The power by repeated squaring, with one step for each bit of the exponent's dtype; the result for a negative exponent is meaningless."""
    dtype = dtype_of(x)
    result, square = x.like(1), x
    for bit in range(dtype.bits - dtype.is_signed):
        result = ((y >> bit) & 1).ne(0).where(result * square, result)
        square = square * square
    return result


def _shift_operands(left: Operand, right: Operand) -> list[UOp]:
    require_integers("shift", (left, right))
    return unify("shift", (left, right), _as_integer(common_dtype((left, right))))


def _within_width(x: UOp, y: UOp, amount: Operand, shift: Callable[[UOp], UOp], beyond: UOp) -> UOp:
    """The shift where its amount is less than the width, `beyond` elsewhere; a Python number as amount needs no test at run time."""
    bits = dtype_of(x).bits
    if isinstance(amount, int):
        return shift(y) if 0 <= amount < bits else beyond
    fits = y < bits if not dtype_of(y).is_signed else (y < bits) & (y > -1)
    return fits.where(shift(fits.where(y, 0)), beyond)
