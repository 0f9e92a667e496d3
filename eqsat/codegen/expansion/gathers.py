"""Gathers: vectors of elements from anywhere in a buffer. Some are loaded by one instruction, others lane by lane."""

from __future__ import annotations

from collections.abc import Sequence

from eqsat.codegen.expansion.lanes import broadcast, pick, vector_of
from eqsat.dtype import DType, float32, float64, index, int32, int64
from eqsat.ops import Op
from eqsat.uop import UOp

# The ends of the names of the builtin functions for eight lanes.
INSTRUCTIONS = {float32: "16sf", int32: "16si", float64: "8df", int64: "8di"}


def has_instruction(dtype: DType) -> bool:
    """Whether processors with AVX-512 gather vectors of a dtype by one instruction, or by two for its halves.

    >>> has_instruction(float32.vec(16)), has_instruction(float32.vec(4))
    (True, False)
    """
    return dtype.scalar in INSTRUCTIONS and dtype.lanes in (8, 16)


def gathered_lanes(load: UOp, base: UOp, parts: Sequence[UOp], lanes: int, *, has_variables: bool) -> UOp:
    """The lanes of a LOAD from `base`, each at an address of its own; `parts` are vectors of its index, its gate and its alternative.

    If one instruction gathers them, or the kernel has variables, each lane has its gate. Otherwise lanes outside load the first element and
    drop it, since a branch for each lane takes longer than a load.
    """
    assert isinstance(load.dtype, DType)
    if len(parts) == 3 and not has_variables and not has_instruction(load.dtype.scalar.vec(lanes)):
        return _from_inside(load, base, *parts)
    loads: list[UOp] = []
    for lane in range(lanes):
        place, *others = (pick(part, (lane,)) for part in parts)
        gates, alternative = others[: len(load.src[0].src) - 2], others[len(load.src[0].src) - 2 :]
        loads.append(UOp(Op.LOAD, load.dtype, (load.src[0].with_src((base, place, *gates)), *alternative)))
    return vector_of(loads)


def _from_inside(load: UOp, base: UOp, places: UOp, gate: UOp, otherwise: UOp) -> UOp:
    """Loads of all lanes; those whose gate is false load the first element, and take the alternative instead."""
    assert isinstance(load.dtype, DType)
    lanes = places.dtype.lanes
    inside = gate.alu(Op.WHERE, places, broadcast(UOp.const(index, 0), lanes))
    addresses = [UOp(Op.INDEX, load.src[0].dtype, (base, pick(inside, (lane,)))) for lane in range(lanes)]
    loaded = vector_of([UOp(Op.LOAD, load.dtype, (each,)) for each in addresses])
    return gate.alu(Op.WHERE, loaded, otherwise)
