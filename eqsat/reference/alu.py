"""The arithmetic: the result of each ALU operation on arrays of one dtype.

Integers wrap at their width, `index` is exact, bools are truth values (ADD is or, MUL is and), floats are rounded to their
dtype after every operation; elementary functions are in `elementary`. MULACC of floats rounds once.

A quotient and a remainder by zero are 0. Other operations have no value on some operands. There, they still return one, the same here and
on every device. They raise no error and no warning, and no rule may depend on that value. A shift takes its amount modulo the width. An
integer to a negative power is the truncated reciprocal: 0, except for 1 and -1. A float that is cast to an integer becomes the nearest
integer of the dtype, and NaN becomes 0 (`number.convert`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from eqsat.dtype import DType, bfloat16
from eqsat.errors import EvaluationError
from eqsat.ops import ELEMENTARY, EXTREMES, Op, identity_element
from eqsat.reference.elementary import elementary
from eqsat.reference.fused import multiply_add
from eqsat.reference.in_turn import in_turn
from eqsat.reference.number import Array, narrow, objects, round_bfloat16

Function = Callable[..., Array]

_WIDE = 32  # this many numbers take as long to combine one by one as in arrays
_SAFE = 1 << 62  # index results below this magnitude cannot have wrapped in int64
_MOST_EXPONENT = 4096  # powers of an index beyond this have no value: they would fill memory


def compute(op: Op, dtype: DType, *operands: Array) -> Array:
    """Applies `op` elementwise to operands of `dtype`, which broadcast. For WHERE, `dtype` is the dtype of the branches.

    CAST and BITCAST have two dtypes, so they are functions of their own: `number.convert` and `number.reinterpret`.

    Raises:
        EvaluationError: the operation is not defined on this dtype.
    """
    scalar = dtype.scalar
    if scalar.is_float and op in ELEMENTARY:
        with np.errstate(all="ignore"):
            return elementary(op, scalar.name, *operands)
    function = _FUNCTIONS[scalar.kind].get(op)
    if function is None:
        raise EvaluationError(f"{op} is not defined on {dtype}; cast its operands first")
    with np.errstate(all="ignore"):
        result = np.asarray(function(*operands))
        if scalar.is_index and result.dtype == object:
            return narrow(result)
        if scalar == bfloat16 and result.dtype != np.bool_:
            return round_bfloat16(result)
    return result


def combine(op: Op, dtype: DType, values: Array, axes: tuple[int, ...]) -> Array:
    """Reduces `values` with `op` along `axes` (counted from the front) and removes these axes. An empty reduction gives the identity element.

    Floats are added pairwise, and each partial sum is rounded to `dtype`. The meaning of a sum does not fix the order of its terms.
    """
    scalar = dtype.scalar
    if scalar == bfloat16:
        return _combine_by_halves(op, dtype, values, axes)
    identity = identity_element(op, scalar)
    with np.errstate(all="ignore"):
        if scalar.is_index:
            return _combine_index(op, values, axes, int(identity))
        ufunc = _COMBINING["b" if scalar.is_bool else "n"][op]
        return np.asarray(ufunc.reduce(values, axis=axes, initial=identity, dtype=values.dtype))


def accumulate(op: Op, dtype: DType, values: Array, axis: int) -> Array:
    """Each element combined with all before it along `axis` (counted from the front), rounded to `dtype` at each step."""
    scalar = dtype.scalar
    with np.errstate(all="ignore"):
        if scalar.is_index:
            return narrow(np.asarray(_COMBINING["n"][op].accumulate(values.astype(object), axis)))
        if not _rounds_apart(op, scalar):
            return _COMBINING["b" if scalar.is_bool else "n"][op].accumulate(values, axis, values.dtype)
    result = np.moveaxis(values.copy(), axis, 0)
    if result.size < _WIDE * len(result):
        columns = result.reshape(len(result), -1).T
        for column in columns:
            column[1:] = list(in_turn(op, float(column[0]), column[1:].tolist()))
        return np.moveaxis(columns.T.reshape(result.shape), 0, axis)
    for place in range(1, len(result)):
        result[place] = compute(op, dtype, result[place - 1], result[place])
    return np.moveaxis(result, 0, axis)


def combine_at(op: Op, dtype: DType, memory: Array, places: Array, values: Array) -> None:
    """Combines each value, in row-major order, with the element of `memory` at its place, rounded to `dtype` at each step."""
    scalar = dtype.scalar
    if not _rounds_apart(op, scalar):
        with np.errstate(all="ignore"):
            _COMBINING["b" if scalar.is_bool else "n"][op].at(memory, places, values)
        return
    for place, value in zip(places.reshape(-1).tolist(), values.reshape(-1).tolist(), strict=True):
        memory[place] = next(in_turn(op, float(memory[place]), (value,)))


def _rounds_apart(op: Op, scalar: DType) -> bool:
    """Whether the results of NumPy must be rounded afterwards. Extremes of bfloat16 numbers need no rounding."""
    return scalar == bfloat16 and op not in EXTREMES


def extreme_pair(op: Op, values: Array, positions: Array, axis: int) -> tuple[Array, Array]:
    """The extreme value of the pairs along `axis`, and the least of its positions; a NaN counts as the extreme."""
    best = (np.max if op is Op.MAX else np.min)(values, axis, keepdims=True)
    found = (values == best) | (values != values)
    last = np.iinfo(positions.dtype).max
    return np.squeeze(best, axis), np.min(np.where(found, positions, last), axis)


def _combine_index(op: Op, values: Array, axes: tuple[int, ...], identity: int) -> Array:
    count = max(1, int(np.prod([values.shape[axis] for axis in axes], dtype=np.int64)))
    largest = _largest(values)
    bound = largest**count if op is Op.MUL and largest > 1 and count <= 64 else largest * count
    overflows = bound >= _SAFE or (op is Op.MUL and largest > 1 and count > 64)
    exact = values.astype(object) if op in (Op.ADD, Op.MUL) and overflows else values
    if op in (Op.MAX, Op.MIN) and all(values.shape[axis] for axis in axes):
        # without the identity element: it is only the greatest number of 64 bits, and an index may exceed it
        return narrow(np.asarray(_COMBINING["n"][op].reduce(exact, axis=axes)))
    return narrow(np.asarray(_COMBINING["n"][op].reduce(exact, axis=axes, initial=identity)))


def _combine_by_halves(op: Op, dtype: DType, values: Array, axes: tuple[int, ...]) -> Array:
    kept = [axis for axis in range(values.ndim) if axis not in axes]
    count = int(np.prod([values.shape[axis] for axis in axes], dtype=np.int64))
    rows = np.transpose(values, (*axes, *kept)).reshape(count, *(values.shape[axis] for axis in kept))
    if len(rows) == 0:
        return np.full(rows.shape[1:], identity_element(op, dtype.scalar), np.float32)
    while len(rows) > 1:
        half = len(rows) // 2
        paired = compute(op, dtype, rows[:half], rows[half : 2 * half])
        rows = np.concatenate([paired, rows[2 * half :]])
    return rows[0]


def _largest(values: Array) -> int:
    """The greatest magnitude in an index array, 0 for an empty one."""
    if values.size <= 1:
        return abs(int(values.item())) if values.size else 0
    return max(abs(int(values.max())), abs(int(values.min())))


def _exactly(function: Function, bound: Callable[..., int]) -> Function:
    """Applies `function` to index arrays: in int64 if `bound` of the operands' magnitudes shows that the result fits, else on Python integers."""

    def exact(*operands: Array) -> Array:
        if all(operand.dtype != object for operand in operands):
            if bound(*(_largest(operand) for operand in operands)) < _SAFE:
                return function(*operands)
        return np.asarray(function(*(operand.astype(object) for operand in operands)))

    return exact


def _total(*magnitudes: int) -> int:
    return sum(magnitudes)


def _product(first: int, second: int, addend: int = 0) -> int:
    return first * second + addend


def _truncating_quotient(dividend: Array, divisor: Array) -> Array:
    return np.where(divisor == 0, _zero(divisor), _truncated(dividend, _nonzero(divisor)))


def _truncated(dividend: Array, divisor: Array) -> Array:
    quotient = np.asarray(np.floor_divide(dividend, divisor))  # NumPy unwraps single Python integers
    cut_off = np.asarray((quotient * divisor != dividend) & ((dividend < 0) != (divisor < 0)))
    return quotient + cut_off.astype(quotient.dtype)


def _truncating_remainder(dividend: Array, divisor: Array) -> Array:
    divisor = _nonzero(divisor)
    return dividend - _truncated(dividend, divisor) * divisor


def _floor_quotient(dividend: Array, divisor: Array) -> Array:
    return np.where(divisor == 0, _zero(divisor), np.floor_divide(dividend, _nonzero(divisor)))


def _floor_remainder(dividend: Array, divisor: Array) -> Array:
    return np.remainder(dividend, _nonzero(divisor))  # a divisor of 0 becomes 1, which leaves 0


def _nonzero(divisor: Array) -> Array:
    return np.where(divisor == 0, np.ones((), divisor.dtype), divisor)


def _zero(like: Array) -> Array:
    return np.zeros((), like.dtype)


def _shift_left(value: Array, amount: Array) -> Array:
    return np.left_shift(value, _modulo_width(amount))


def _shift_right(value: Array, amount: Array) -> Array:
    return np.right_shift(value, _modulo_width(amount))


def _modulo_width(amount: Array) -> Array:
    return amount & (8 * amount.dtype.itemsize - 1)


def _integer_power(base: Array, exponent: Array) -> Array:
    """The power by repeated squaring, at the width of the operands. A negative exponent gives the truncated reciprocal."""
    square, remaining = np.broadcast_arrays(base, np.maximum(exponent, 0))
    result = np.ones_like(square)
    while np.any(remaining):
        result = np.where(remaining & 1, result * square, result)
        square, remaining = square * square, remaining >> 1
    reciprocal = np.where(np.abs(base) == 1, np.where(exponent & 1, base, base * base), 0)
    return np.where(exponent < 0, reciprocal, result).astype(base.dtype)


def _index_power(base: Array, exponent: Array) -> Array:
    base, exponent = np.broadcast_arrays(base, exponent)
    powers = [_one_power(int(b), int(e)) for b, e in zip(base.flat, exponent.flat, strict=True)]
    return objects(powers, base.shape)


def _one_power(base: int, exponent: int) -> int:
    if exponent >= 0:
        return base ** (exponent if abs(base) <= 1 else min(exponent, _MOST_EXPONENT))
    return base ** (exponent & 1) if abs(base) == 1 else 0


def _index_shift_left(value: Array, amount: Array) -> Array:
    return np.asarray(value.astype(object) << (amount & 63).astype(object))


def _index_shift_right(value: Array, amount: Array) -> Array:
    return np.right_shift(value, amount & 63)


def _multiply_add(factor: Array, other: Array, addend: Array) -> Array:
    return factor * other + addend


def _dot(unsigned: Array, signed: Array) -> Array:
    def bytes_of(words: Array, kind: type[np.generic]) -> Array:
        whole = np.ascontiguousarray(words)
        return whole.view(kind).reshape(*whole.shape, 4).astype(np.int32)

    return np.asarray(np.sum(bytes_of(unsigned, np.uint8) * bytes_of(signed, np.int8), -1, np.int32))


def _itself(value: Array) -> Array:
    return value


def _bool_power(base: Array, exponent: Array) -> Array:
    return base | ~exponent


def _bool_multiply_add(factor: Array, other: Array, addend: Array) -> Array:
    return (factor & other) | addend


_COMPARE: dict[Op, Function] = {Op.CMPLT: np.less, Op.CMPNE: np.not_equal, Op.WHERE: np.where}
_BITWISE: dict[Op, Function] = {Op.XOR: np.bitwise_xor, Op.OR: np.bitwise_or, Op.AND: np.bitwise_and}
_FLOAT: dict[Op, Function] = {
    **_COMPARE, Op.SQRT: np.sqrt, Op.RECIP: np.reciprocal,
    Op.NEG: np.negative, Op.ADD: np.add, Op.SUB: np.subtract, Op.MUL: np.multiply, Op.FDIV: np.divide,
    Op.MAX: np.maximum, Op.MIN: np.minimum, Op.MULACC: multiply_add,
}  # fmt: skip
_INTEGER: dict[Op, Function] = {
    **_COMPARE, **_BITWISE, Op.NEG: np.negative, Op.ADD: np.add, Op.SUB: np.subtract, Op.MUL: np.multiply,
    Op.POW: _integer_power, Op.IDIV: _truncating_quotient, Op.MOD: _truncating_remainder, Op.FLOORDIV: _floor_quotient,
    Op.FLOORMOD: _floor_remainder, Op.MAX: np.maximum, Op.MIN: np.minimum, Op.SHL: _shift_left, Op.SHR: _shift_right,
    Op.MULACC: _multiply_add, Op.DOT: _dot,
}  # fmt: skip
_INDEX: dict[Op, Function] = {
    **_INTEGER,
    Op.NEG: _exactly(np.negative, _total),
    Op.ADD: _exactly(np.add, _total),
    Op.SUB: _exactly(np.subtract, _total),
    Op.MUL: _exactly(np.multiply, _product),
    Op.MULACC: _exactly(_multiply_add, _product),
    Op.IDIV: _exactly(_truncating_quotient, max),
    Op.MOD: _exactly(_truncating_remainder, max),
    Op.FLOORDIV: _exactly(_floor_quotient, max),
    Op.FLOORMOD: _exactly(_floor_remainder, max),
    Op.MAX: _exactly(np.maximum, max),
    Op.MIN: _exactly(np.minimum, max),
    Op.POW: _index_power,
    Op.SHL: _index_shift_left,
    Op.SHR: _index_shift_right,
}
_BOOL: dict[Op, Function] = {
    **_COMPARE, **_BITWISE, Op.NEG: _itself, Op.ADD: np.logical_or, Op.SUB: np.logical_xor, Op.MUL: np.logical_and,
    Op.POW: _bool_power, Op.MAX: np.logical_or, Op.MIN: np.logical_and,
    Op.MULACC: _bool_multiply_add,
}  # fmt: skip
_FUNCTIONS: Mapping[str, dict[Op, Function]] = {
    "f": _FLOAT,
    "i": _INTEGER,
    "u": _INTEGER,
    "x": _INDEX,
    "b": _BOOL,
}
_OR, _AND = np.logical_or, np.logical_and
_COMBINING: Mapping[str, dict[Op, np.ufunc]] = {
    "n": {Op.ADD: np.add, Op.MUL: np.multiply, Op.MAX: np.maximum, Op.MIN: np.minimum},
    "b": {Op.ADD: _OR, Op.MUL: _AND, Op.MAX: _OR, Op.MIN: _AND},
}
