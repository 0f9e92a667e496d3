"""Calls of custom functions, which users register."""

from __future__ import annotations

from eqsat.array.core import Array, ArrayLike, node
from eqsat.array.nodes.operands import broadcast_shapes
from eqsat.custom import Operand, custom_function, custom_named
from eqsat.dtype import DType, void
from eqsat.ops import Op
from eqsat.uop import UOp

__all__ = ["call_custom", "custom_function"]


def call_custom(name: str, *arrays: ArrayLike) -> Array | tuple[Array, ...]:
    """Calls a function that `custom_function` registered; returns its result, or a tuple if it has several.

    If the function has OpenCL C source, the arguments are broadcast to one shape first.

    Raises:
        BuildError: no function has this name, or the function has no result for such arguments.
        ShapeError: the arguments of a function in OpenCL C do not broadcast.
    """
    function = custom_named(name)
    given = [node(array) for array in arrays]
    if function.opencl is not None:
        shape = broadcast_shapes(name, *(each.shape or () for each in given))
        given = [each.broadcast(shape) for each in given]
    results = function.results([_operand(each) for each in given])
    prototypes = [UOp(Op.EMPTY, each.dtype, (), each.shape) for each in results]
    called = UOp(Op.CUSTOM_FUNCTION, void, (UOp(Op.TUPLE, void, tuple(prototypes)),), name)
    call = UOp(Op.CALL, void, (called, *given))
    made = [Array(UOp(Op.GET_TUPLE, each.dtype, (call,), number)) for number, each in enumerate(results)]
    return made[0] if len(made) == 1 else tuple(made)


def _operand(value: UOp) -> Operand:
    assert isinstance(value.dtype, DType), "an array has elements"
    return Operand(value.shape or (), value.dtype)
