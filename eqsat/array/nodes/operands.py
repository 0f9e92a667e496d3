"""Brings the operands of an operation to one dtype and one shape.

Operands are UOps or Python numbers. A Python number is *weak*, as in NumPy 2 (NEP 50): it takes the dtype of the
arrays it meets, unless its kind is higher (a float among ints). It is weak, too, if its value is known only when the
program runs (`WeakNumber`). This module does not depend on `Array`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from eqsat.dtype import (
    DType,
    bfloat16,
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int64,
    promote,
    uint8,
    uint16,
)
from eqsat.errors import DTypeError, ShapeError, brief
from eqsat.extents import Extent
from eqsat.shape import Shape
from eqsat.uop import UOp


@dataclass(frozen=True, slots=True)
class WeakNumber:
    """A Python number whose value is known only when the program runs.

    Attributes:
        value: the number, without axes, in the dtype that it has by itself: bool, int64 or float64.
    """

    value: UOp


Number = bool | int | float
Operand = UOp | WeakNumber | bool | int | float

_RANK = {"b": 0, "i": 1, "u": 1, "x": 1, "f": 2}
_FLOAT_FOR = {bool_: float16, int8: float16, uint8: float16, int16: float32, uint16: float32}


def unify(operation: str, operands: Sequence[Operand], dtype: DType | None = None) -> list[UOp]:
    """The operands converted to one dtype, by default their common one, and broadcast to one shape.

    Raises:
        ShapeError: the shapes do not broadcast to each other.
        DTypeError: an integer does not fit the common dtype.
    """
    shape = broadcast_shapes(operation, *(shape_of(operand) for operand in operands))
    common = dtype or common_dtype(operands)
    return [convert(operand, common).broadcast(shape) for operand in operands]


def unify_floats(operation: str, operands: Sequence[Operand]) -> list[UOp]:
    """Like `unify`, in the float dtype in which NumPy computes elementary functions of these operands.

    For integer arrays, that is the common dtype of the floats for each: float32 for int8 and uint16, although their common dtype is int32,
    whose float is float64. A Python integer counts beside bools only, whose common dtype it changes to int64.
    """
    common = common_dtype(operands)
    dtypes = [dtype_of(each) for each in operands if isinstance(each, UOp)]
    is_of_arrays = bool(dtypes) and not common.is_float and common == promote(*dtypes)
    floats = dtypes if is_of_arrays else [common]
    return unify(operation, operands, promote(*map(float_for, floats)))


def broadcast_shapes(operation: str, *shapes: Shape) -> Shape:
    """The common shape of several shapes by NumPy's broadcasting.

    Raises:
        ShapeError: two extents of one axis differ and neither is 1.
    """
    rank = max(map(len, shapes), default=0)
    result: list[int] = []
    for axis in range(-rank, 0):
        extents = {shape[axis] for shape in shapes if len(shape) >= -axis} - {1}
        if len(extents) > 1:
            listed = " and ".join(map(str, shapes))
            raise ShapeError(
                f"cannot {operation} {listed}: axis {axis} has extents {sorted(extents, key=str)}; "
                f"expand one first, or reshape it so that extents agree or are 1"
            )
        result.append(extents.pop() if extents else 1)
    return tuple(result)


def shape_of(operand: Operand) -> Shape:
    """The shape of an operand; `()` for a Python number."""
    return (operand.shape or ()) if isinstance(operand, UOp) else ()


def dtype_of(value: UOp) -> DType:
    """The dtype of a value's elements.

    Raises:
        DTypeError: the value is a pointer, which arrays are not at this stage.
    """
    if not isinstance(value.dtype, DType):
        raise DTypeError(f"{value!r} is an address, not an array of values; load it first")
    return value.dtype


def common_dtype(operands: Sequence[Operand]) -> DType:
    """NumPy's result type of the operands, where Python numbers are weak."""
    dtypes = [dtype_of(operand) for operand in operands if isinstance(operand, UOp)]
    numbers = [operand for operand in operands if not isinstance(operand, UOp)]
    if not dtypes:
        return max((_dtype_of_number(number) for number in numbers), key=lambda dtype: _RANK[dtype.kind])
    common = promote(*dtypes)
    for number in numbers:
        natural = _dtype_of_number(number)
        if _RANK[natural.kind] > _RANK[common.kind]:
            common = natural
    return common


def float_for(dtype: DType) -> DType:
    """The float dtype for elementary functions of a dtype: a float itself, else by width as in NumPy (int8 → float16, int32 → float64)."""
    return dtype if dtype.is_float else _FLOAT_FOR.get(dtype, float64)


def float_of_means(dtype: DType) -> DType:
    """The float dtype for means of a dtype: a float itself, else float64."""
    return dtype if dtype.is_float else float64


def convert(operand: Operand, dtype: DType) -> UOp:
    """The operand as a UOp of `dtype`, in its own shape.

    Raises:
        DTypeError: a Python integer does not fit `dtype`.
    """
    if isinstance(operand, WeakNumber):
        operand = operand.value
    return cast(operand, dtype) if isinstance(operand, UOp) else UOp.const(dtype, _rounded(operand, dtype))


def cast(value: UOp, dtype: DType) -> UOp:
    """The value converted as by NumPy's `astype`; a number becomes the bool that says whether it is nonzero."""
    if dtype.is_bool and not dtype_of(value).is_bool:
        return value.ne(0)
    return value.cast(dtype)


def in_working_precision(function: Callable[..., UOp], *operands: UOp) -> UOp:
    """Applies `function` to floats in float32 or wider: half precision is for storage, not for formulas of several steps."""
    dtype = dtype_of(operands[0])
    if not dtype.is_float or dtype.bits >= 32:
        return function(*operands)
    return function(*(operand.cast(float32) for operand in operands)).cast(dtype)


def require_integers(operation: str, operands: Sequence[Operand]) -> None:
    """Refuses floats as operands of an operation on bits or integers.

    Raises:
        DTypeError: an operand is a float, or no integer dtype holds all operands (as with int64 and uint64).
    """
    if common_dtype(operands).is_float:
        listed = " and ".join(str(common_dtype([operand])) for operand in operands)
        raise DTypeError(
            f"cannot {operation} {listed}; convert with astype to one integer or bool dtype first"
        )


def require_number(operation: str, dtype: DType, instead: str) -> None:
    """Refuses bools, as NumPy does.

    Raises:
        DTypeError: the dtype is bool.
    """
    if dtype.is_bool:
        raise DTypeError(f"cannot {operation} bools; use {instead}, or astype to an integer dtype first")


def _dtype_of_number(number: WeakNumber | Number) -> DType:
    if isinstance(number, WeakNumber):
        return dtype_of(number.value)
    if isinstance(number, bool):
        return bool_
    return int64 if isinstance(number, int | Extent) else float64


def _rounded(number: Number, dtype: DType) -> Number:
    """A number rounded to a float dtype, so that equal constants are one UOp; for other dtypes, the number as it is."""
    if not dtype.is_float or dtype == bfloat16 or isinstance(number, Extent):
        return number
    with np.errstate(over="ignore"):
        try:
            return float(np.dtype(dtype.name).type(number))
        except (OverflowError, TypeError, ValueError, RuntimeError) as error:
            raise DTypeError(
                f"{brief(number)} is no {dtype}: {error}; give a number that a float can hold"
            ) from error
