"""Squares of lanes transposed in registers, by rounds of shuffles of two vectors.

Processors shuffle quickly within 128 bits, and blocks of 128 bits. So blocks of that width change places first, as in Eklundh's
transposition of matrices, and then the rows of each block are interleaved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from eqsat.codegen.expansion.lanes import shuffled
from eqsat.dtype import DType
from eqsat.uop import UOp

BLOCK_BYTES = 16
Place = tuple[int, int]  # a row and a lane of it


def transpose(rows: Sequence[UOp]) -> list[UOp]:
    """As many vectors as there are rows: lane r of vector c is lane c of row r.

    Args:
        rows: of as many lanes as there are rows, a power of two.
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
    """Vectors whose lanes are those at the places; each stays a shuffle, and is not looked through."""
    lanes = range(len(vectors))
    return [
        shuffled([(vectors[source], taken) for source, taken in (place(row, lane) for lane in lanes)])
        for row in lanes
    ]


def _exchanged(row: int, lane: int, distance: int) -> Place:
    """Of two rows so far apart, the blocks of lanes that lie as far off the diagonal change places."""
    if row & distance == lane & distance:
        return row, lane
    return row ^ distance, lane ^ distance


def _interleaved(row: int, lane: int, block: int) -> Place:
    """Rows 2i and 2i + 1 of a block interleave the lower and the upper halves of rows i and i + block / 2, in each block of lanes."""
    first, inside = row - row % block, row % block
    source = first + inside // 2 + lane % 2 * (block // 2)
    return source, lane - lane % block + inside % 2 * (block // 2) + lane % block // 2
