"""Which reductions the work-items of a sub-group do by themselves: the lanes of a register exchange values without local memory.

OpenCL has functions for them (cl_khr_subgroups). Schedules share such a reduction over a WARP range where that is cheaper.
"""

from __future__ import annotations

from eqsat.dtype import float32, float64, int32, int64, uint32, uint64
from eqsat.ops import Op
from eqsat.uop import UOp

REDUCED = {Op.ADD: "add", Op.MAX: "max", Op.MIN: "min"}
"""The operations, with what the functions are called after."""
EXACT = frozenset({int32, uint32, int64, uint64})
FLOATS = frozenset({float32, float64})
RADIX = 8  # parts that a work-item combines in one round, where a group reduces in local memory


def reduces(node: UOp) -> bool:
    """Whether a sub-group reduces so: a REDUCE of scalars of 32 or 64 bits with a sum, maximum or minimum.

    >>> from eqsat.dtype import float16, float32
    >>> items, value = UOp.range(8, 0), UOp.param(0, 8, float32)
    >>> [reduces(UOp(Op.REDUCE, float32, (value, items), op)) for op in (Op.ADD, Op.MUL)]
    [True, False]
    """
    return node.op is Op.REDUCE and node.arg in REDUCED and node.dtype in EXACT | FLOATS


def function(node: UOp) -> str:
    """The call that reduces so, `{0}` being the part of a work-item. Extremes of floats keep NaN, which OpenCL's own pass over."""
    name = f"sub_group_reduce_{REDUCED[node.arg]}"
    return f"{name}({{0}})" if node.arg is Op.ADD or node.dtype in EXACT else f"{name}_{node.dtype}({{0}})"
