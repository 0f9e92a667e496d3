"""Functions of dtypes: conversion, reinterpretation of bits, and type promotion."""

from __future__ import annotations

from eqsat.array.checking import array_function
from eqsat.array.core import Array, ArrayLike, Dtype, as_dtype, node, operand
from eqsat.array.nodes.operands import cast, common_dtype, dtype_of
from eqsat.dtype import DType
from eqsat.errors import DTypeError
from eqsat.uop import UOp

__all__ = ["astype", "bitcast", "result_type"]


@array_function
def astype(x: ArrayLike, dtype: Dtype, /) -> Array:
    """The array converted to another dtype.

    Floats are truncated toward zero when they become integers, integers wrap to the new range, and a number becomes the bool that says whether
    it is nonzero. Floats outside the range of an integer dtype become its least or greatest value, and NaN becomes 0; NumPy promises nothing
    for these.

    Raises:
        DTypeError: eqsat has no such dtype.
    """
    return Array(cast(node(x), as_dtype(dtype)))


@array_function
def bitcast(x: ArrayLike, dtype: Dtype, /) -> Array:
    """The bits of each element reinterpreted as another dtype of the same size.

    A bool is a byte that is 0 or 1; any other byte is read as true.

    Raises:
        DTypeError: the two dtypes differ in size, or eqsat has no such dtype.
    """
    value, wanted = node(x), as_dtype(dtype)
    given = dtype_of(value)
    if given.itemsize != wanted.itemsize:
        raise DTypeError(
            f"cannot read {given} bits as {wanted}: the sizes differ; use astype to convert the value"
        )
    return Array(cast(value, wanted) if given.is_bool or wanted.is_bool else value.bitcast(wanted))


@array_function
def result_type(*operands: ArrayLike | DType) -> DType:
    """The dtype of the result of an operation on these arrays, Python numbers or dtypes, by NumPy's promotion."""
    stand_ins = [UOp.const(part, 0) if isinstance(part, DType) else operand(part) for part in operands]
    return common_dtype(stand_ins)
