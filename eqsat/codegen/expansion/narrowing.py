"""Computes vectors of integers in 16 bits where bounds show that nothing is lost: a register then holds more lanes.

Before and after: an expanded SINK; all values are the same. Programs convert bytes to wider integers before they compute, as they must
if sums might wrap, and convert results back. The operations in between are computed in 16 bits, if operands and results fit. They stay wide if
the final value is wide: compilers have instructions that multiply narrow lanes and add wide products. Scalars stay wide, too.
"""

from __future__ import annotations

from eqsat.codegen.expansion.lanes import broadcast, intervals_of_lanes, repeated
from eqsat.dtype import DType
from eqsat.integers.narrowing import in_16_bits, wide_operations
from eqsat.ops import Op
from eqsat.uop import UOp, toposort


def narrow(sink: UOp) -> UOp:
    """The expanded kernel with lanes of 16 bits where these are enough."""
    order = toposort([sink])
    vectors = [node for node in wide_operations(order) if node.dtype.lanes > 1]
    narrowed = in_16_bits(vectors, order, lambda: intervals_of_lanes(sink))
    built: dict[UOp, UOp] = {}
    for node in order if narrowed else ():
        sources = tuple(built[source] for source in node.src)
        dtype = narrowed.get(node)
        if dtype is not None:
            lanes = dtype.vec(node.dtype.lanes)  # pyright: ignore[reportAttributeAccessIssue]
            built[node] = UOp(node.op, lanes, tuple(_converted(source, lanes) for source in sources))
        else:
            built[node] = node.with_src(sources)
    return built.get(sink, sink)


def _converted(value: UOp, dtype: DType) -> UOp:
    """An operand as a vector of 16 bits, in which its elements fit."""
    scalar = repeated(value)
    if scalar is not None and scalar.op is Op.CONST:
        return broadcast(UOp.const(dtype.scalar, scalar.arg), dtype.lanes)
    return (value.src[0] if value.op is Op.CAST else value).cast(dtype)
