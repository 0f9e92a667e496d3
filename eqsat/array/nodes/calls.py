"""Calls of functions by name."""

from __future__ import annotations

from eqsat.array.nodes.operands import dtype_of
from eqsat.array.nodes.views import shape
from eqsat.custom import CustomFunction, Operand
from eqsat.dtype import void
from eqsat.ops import Op
from eqsat.uop import UOp


def called(function: CustomFunction, arguments: list[UOp]) -> list[UOp]:
    """The results of a function for these arguments.

    Raises:
        BuildError: the function has no result for such arguments.
    """
    results = function.results([Operand(shape(each), dtype_of(each)) for each in arguments])
    prototypes = [UOp(Op.EMPTY, each.dtype, (), each.shape) for each in results]
    named = UOp(Op.CUSTOM_FUNCTION, void, (UOp(Op.TUPLE, void, tuple(prototypes)),), function.name)
    call = UOp(Op.CALL, void, (named, *arguments))
    return [UOp(Op.GET_TUPLE, each.dtype, (call,), number) for number, each in enumerate(results)]
