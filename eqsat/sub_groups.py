"""Reductions that the work-items of a sub-group compute by exchanging values of registers, without local memory.

OpenCL has functions for them (cl_khr_subgroups). A schedule splits such a reduction over a WARP range where that is cheaper.
"""

from __future__ import annotations

from eqsat.dtype import float32, float64, int32, int64, uint32, uint64
from eqsat.ops import Op
from eqsat.uop import UOp

REDUCED = {Op.ADD: "add", Op.MAX: "max", Op.MIN: "min"}
"""The operations, with their names in the names of the OpenCL functions."""
EXACT = frozenset({int32, uint32, int64, uint64})
FLOATS = frozenset({float32, float64})
RADIX = 8  # partial results that a work-item combines in one round, when a work-group reduces in local memory


def reduces(node: UOp) -> bool:
    """Whether a sub-group function computes this reduction: the sum, maximum or minimum of scalars of 32 or 64 bits.

    >>> from eqsat.dtype import float16, float32
    >>> items, value = UOp.range(8, 0), UOp.param(0, 8, float32)
    >>> [reduces(UOp(Op.REDUCE, float32, (value, items), op)) for op in (Op.ADD, Op.MUL)]
    [True, False]
    """
    return node.op is Op.REDUCE and node.arg in REDUCED and node.dtype in EXACT | FLOATS


def function(node: UOp) -> str:
    """The call that computes the reduction, where `{0}` is the value of a work-item.

    OpenCL's own maximum and minimum of floats ignore NaN, so eqsat defines functions that return it.
    """
    name = f"sub_group_reduce_{REDUCED[node.arg]}"
    return f"{name}({{0}})" if node.arg is Op.ADD or node.dtype in EXACT else f"{name}_{node.dtype}({{0}})"
