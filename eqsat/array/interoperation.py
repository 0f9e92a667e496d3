"""Interoperation with NumPy: its operators accept an Array, its functions refuse one."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import NoReturn

from eqsat.array.nodes import arithmetic
from eqsat.array.nodes.contraction import matrix_product
from eqsat.array.nodes.operands import Operand
from eqsat.errors import BuildError, ShapeError
from eqsat.uop import UOp


def product_of_matrices(left: Operand, right: Operand) -> UOp:
    """The matrix product `left @ right`.

    Raises:
        ShapeError: an operand is a Python number, or the inner extents differ.
    """
    if not isinstance(left, UOp) or not isinstance(right, UOp):
        raise ShapeError("cannot matrix-multiply by a number; multiply by it with *")
    return matrix_product(left, right)


SPELLED = {
    "absolute": "abs",
    "amax": "max",
    "amin": "min",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "concatenate": "concat",
    "cumprod": "cumulative_prod",
    "cumsum": "cumulative_sum",
    "digitize": "searchsorted",
    "dot": "matmul",
    "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift",
    "mod": "remainder",
    "nanpercentile": "nanquantile",
    "percentile": "quantile",
    "power": "pow",
    "ravel": "reshape",
    "flatten": "reshape",
    "right_shift": "bitwise_right_shift",
    "rint": "round",
    "true_divide": "divide",
}
"""Maps the names of NumPy functions to the eqsat functions that do the same, where the names differ."""


def equivalent(name: str) -> str | None:
    """The name of the eqsat function that does what NumPy's function or method of this name does; None if there is none."""
    same = SPELLED.get(name, name)
    return same if same in import_module("eqsat.array").__all__ else None


def refuse(name: str) -> NoReturn:
    """Raises the error for a NumPy function that was given an Array.

    Raises:
        BuildError: always.
    """
    same = equivalent(name)
    hint = "eqsat has no such function; use" if same is None else f"use eqsat.{same}, or"
    raise BuildError(
        f"numpy.{name} cannot take an eqsat Array, whose data is not computed yet; {hint} numpy.asarray(x) first, outside of jit"
    )


OPERATOR_OF: dict[str, Callable[[Operand, Operand], UOp]] = {
    "add": arithmetic.add,
    "subtract": arithmetic.subtract,
    "multiply": arithmetic.multiply,
    "divide": arithmetic.divide,
    "floor_divide": arithmetic.floor_divide,
    "remainder": arithmetic.remainder,
    "power": arithmetic.power,
    "matmul": product_of_matrices,
    "less": arithmetic.less,
    "less_equal": arithmetic.less_equal,
    "greater": arithmetic.greater,
    "greater_equal": arithmetic.greater_equal,
    "equal": arithmetic.equal,
    "not_equal": arithmetic.not_equal,
    "bitwise_and": arithmetic.bitwise_and,
    "bitwise_or": arithmetic.bitwise_or,
    "bitwise_xor": arithmetic.bitwise_xor,
    "left_shift": arithmetic.shift_left,
    "right_shift": arithmetic.shift_right,
}
