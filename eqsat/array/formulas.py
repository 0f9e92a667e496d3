"""How functions that are composed of other array functions compute with floats."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from eqsat.array.core import Array
from eqsat.array.nodes.operands import cast, common_dtype, float_of_means, in_working_precision
from eqsat.uop import UOp


def computed(formula: Callable[..., Array], operands: Sequence[UOp]) -> Array:
    """Applies a formula to arrays of one dtype, in float32 or a wider float."""
    return Array(in_working_precision(lambda *values: formula(*map(Array, values)).uop, *operands))


def floats(*operands: UOp) -> list[UOp]:
    """The operands converted to the float dtype of the mean of their common dtype."""
    dtype = float_of_means(common_dtype(operands))
    return [cast(value, dtype) for value in operands]
