"""Calls of custom functions, which users register."""

from __future__ import annotations

from eqsat.array.core import Array, ArrayLike, node
from eqsat.array.nodes.calls import called
from eqsat.array.nodes.operands import broadcast_shapes
from eqsat.array.nodes.views import shape
from eqsat.custom import custom_function, custom_named

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
        common = broadcast_shapes(name, *map(shape, given))
        given = [each.broadcast(common) for each in given]
    made = [Array(each) for each in called(function, given)]
    return made[0] if len(made) == 1 else tuple(made)
