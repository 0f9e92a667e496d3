"""Functions about dtypes: other numbers, other readings of the same bits, and what operations give."""

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
    """Converted to another dtype: toward zero from float to integer, wrapping between integers, to whether it is not zero as a bool.

    Floats beyond the range of an integer dtype become its least or greatest value, and NaN becomes 0; of those, NumPy promises nothing.
    """
    return Array(cast(node(x), as_dtype(dtype)))


@array_function
def bitcast(x: ArrayLike, dtype: Dtype, /) -> Array:
    """The bits read as another dtype of the same size. A bool is a byte that is 0 or 1; any other byte is read as true.

    Raises:
        DTypeError: the sizes differ.
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
    """The dtype that an operation on these gives."""
    stand_ins = [UOp.const(part, 0) if isinstance(part, DType) else operand(part) for part in operands]
    return common_dtype(stand_ins)
