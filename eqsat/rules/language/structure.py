"""The structural operations, which rules may match besides arithmetic, movement and reductions: addresses, loads, vectors, marks on whole values.

The table says what each source has in common with the result. The dtypes and shapes in patterns, the tables of the e-graph and the samples
of a verification follow from it. A node with another number of sources, or with an argument that the table does not allow, can only be matched
as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from eqsat.dtype import ALL, DType
from eqsat.ops import Op

LANES = (2, 4, 8, 16)  # the numbers of lanes that a vector may have


class Role(Enum):
    """The role of a source in an operation."""

    SAME = "same"  # has the dtype and the shape of the result
    LANE = "lane"  # has a dtype and a shape that all such sources share; the result's dtype follows from it
    BUFFER = "buffer"  # holds elements of the result's dtype in a shape of its own
    POSITION = "position"  # is an index, of the result's shape
    GATE = "gate"  # is a bool, of the result's shape


MARKS = (Op.CONTIGUOUS, Op.CONTIGUOUS_BACKWARD, Op.DETACH, Op.PRECAST, Op.NOOP)

STRUCTURE: Mapping[tuple[Op, int], tuple[Role, ...]] = {
    (Op.INDEX, 2): (Role.BUFFER, Role.POSITION),
    (Op.INDEX, 3): (Role.BUFFER, Role.POSITION, Role.GATE),
    (Op.LOAD, 1): (Role.SAME,),
    (Op.LOAD, 2): (Role.SAME, Role.SAME),
    (Op.GEP, 1): (Role.LANE,),
    **{(Op.VECTORIZE, lanes): (Role.LANE,) * lanes for lanes in LANES},
    **{(Op.CAT, parts): (Role.LANE,) * parts for parts in (2, 4)},
    **{(mark, 1): (Role.SAME,) for mark in MARKS},
}
"""The roles of the sources, by operation and number of sources."""

STRUCTURAL = frozenset(op for op, _ in STRUCTURE)
RETYPED = frozenset({Op.VECTORIZE, Op.CAT, Op.GEP})  # their dtype follows from the dtype of their sources
LANED = RETYPED | {Op.LOAD}  # their dtype may differ from the dtype of their sources in the number of lanes


def roles_of(op: Op, sources: int) -> tuple[Role, ...] | None:
    """The roles of the sources of a structural operation with this number of sources; None for any other."""
    return STRUCTURE.get((op, sources))


def retyped(op: Op, dtype: DType, sources: int, lanes: tuple[int, ...] = ()) -> DType:
    """The dtype of a VECTORIZE, CAT or GEP (of the given lanes) with this number of sources of `dtype`.

    >>> from eqsat.dtype import float32
    >>> retyped(Op.CAT, float32.vec(2), 2), retyped(Op.GEP, float32.vec(4), 1, (3,))
    (float32x4, float32)
    """
    count = len(lanes) if op is Op.GEP else sources * dtype.lanes
    return dtype.scalar.vec(count)


def vectors_of(scalars: frozenset[DType]) -> frozenset[DType]:
    """The vectors whose lanes have one of these dtypes."""
    return frozenset(dtype.vec(lanes) for dtype in ALL if dtype in scalars for lanes in LANES)
