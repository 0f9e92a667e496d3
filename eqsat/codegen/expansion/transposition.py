"""Transposes squares of lanes in registers, by rounds of shuffles of two vectors.

Processors are quick at shuffles within 128 bits, and at shuffles of whole blocks of 128 bits. So blocks of that width are exchanged first, as in
Eklundh's transposition of matrices, and then the rows of each block are interleaved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from eqsat.codegen.expansion.lanes import shuffled
from eqsat.dtype import DType
from eqsat.uop import UOp

BLOCK_BYTES = 16
Place = tuple[int, int]  # a row, and a lane of the row


def transpose(rows: Sequence[UOp]) -> list[UOp]:
    """As many vectors as there are rows: lane r of vector c is lane c of row r.

    Args:
        rows: vectors with as many lanes as there are rows, which is a power of two.
    """
    dtype, size = rows[0].dtype, len(rows)
    assert isinstance(dtype, DType)
    itemsize = max(dtype.scalar.itemsize, 4) if dtype.is_float else dtype.scalar.itemsize
    block = min(size, BLOCK_BYTES // itemsize)
    vectors = list(rows)
    distance = size // 2
    while distance >= block:
        vectors = _round(vectors, lambda row, lane, distance=distance: _exchanged(row, lane, distance))
        distance //= 2
    for _ in range(block.bit_length() - 1):
        vectors = _round(vectors, lambda row, lane: _interleaved(row, lane, block))
    return vectors


def _round(vectors: Sequence[UOp], place: Callable[[int, int], Place]) -> list[UOp]:
    """Vectors whose lanes come from the places that `place` gives. Each is a shuffle of these very vectors, even if they are shuffles."""
    lanes = range(len(vectors))
    return [
        shuffled([(vectors[source], taken) for source, taken in (place(row, lane) for lane in lanes)])
        for row in lanes
    ]


def _exchanged(row: int, lane: int, distance: int) -> Place:
    """The place from which a lane is taken when two rows at this distance exchange the blocks of lanes that lie as far off the diagonal."""
    if row & distance == lane & distance:
        return row, lane
    return row ^ distance, lane ^ distance


def _interleaved(row: int, lane: int, block: int) -> Place:
    """In each block of lanes, rows 2i and 2i + 1 of a block interleave the lower and the upper halves of its rows i and i + block / 2."""
    first, inside = row - row % block, row % block
    source = first + inside // 2 + lane % 2 * (block // 2)
    return source, lane - lane % block + inside % 2 * (block // 2) + lane % block // 2
