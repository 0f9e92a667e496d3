"""Finds loops that add products of bytes, for the matrix registers of x86 (AMX).

Each of eight registers has 16 rows of 64 bytes. One instruction multiplies 16 rows of 16 words by 16 words of 16 columns, where a word has four
bytes, and adds the products to 16 × 16 sums. This equals 16 iterations of a loop that, in each of 16 rows, adds a word of the row times the words
of the columns to a vector of 16 sums:

    for (k in words)  acc[r][v] = dot(acc[r][v], rows[r * step + k], columns_v[k * step + lane])

So a loop is written as a call that multiplies all words. Compilers may not know these instructions, so they are written as bytes, which also fix
their operands. Words that are left after the last group of 16 are multiplied in registers of a smaller shape.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from eqsat.codegen.expansion.lanes import repeated
from eqsat.codegen.rendering.memory import definition
from eqsat.codegen.rendering.tile_functions import SIGNED_ROWS, UNSIGNED_ROWS
from eqsat.dtype import AddrSpace, PtrDType, int32
from eqsat.integers.linear import Affine, affine_forms
from eqsat.machine import TILE_ROWS, TILE_VECTORS, TILE_WORDS
from eqsat.ops import Op
from eqsat.uop import UOp


@dataclass(frozen=True)
class TileLoop:
    """A loop that matrix registers can carry out.

    Attributes:
        bound: the RANGE of the loop.
        words: the number of its iterations.
        signs: which of the bytes have signs, `UNSIGNED_ROWS` or `SIGNED_ROWS`.
        rows: the address of the first word of the first row, and the words from one row to the next.
        columns: for each vector of columns, the address of its first words, and the words from one iteration to the next.
        registers: for each vector, its accumulators by row.
    """

    bound: UOp
    words: int
    signs: int
    rows: tuple[Address, int]
    columns: tuple[tuple[Address, int], ...]
    registers: tuple[tuple[UOp, ...], ...]

    @property
    def last(self) -> int:
        """The number of words that are left after the last group of 16."""
        return self.words % TILE_WORDS

    @property
    def spaces(self) -> tuple[AddrSpace, AddrSpace]:
        """The address spaces of rows and columns."""
        rows, columns = self.rows[0].buffer.dtype, self.columns[0][0].buffer.dtype
        assert isinstance(rows, PtrDType)
        assert isinstance(columns, PtrDType)
        return rows.space, columns.space


@dataclass(frozen=True)
class Address:
    """An element of a buffer."""

    buffer: UOp
    element: Affine


def tile_loops(instructions: Sequence[UOp]) -> dict[UOp, TileLoop]:
    """The loops that matrix registers can carry out, by RANGE; all of them have equally many words left after the last group of 16."""
    found: dict[UOp, TileLoop] = {}
    if any(node.op is Op.BARRIER for node in instructions):
        return found  # at a BARRIER, the work-items of a group take turns in one thread
    for bound, body in _innermost(instructions):
        loop = _tile_loop(bound, body)
        if loop is not None and all(loop.last == each.last for each in found.values()):
            found[bound] = loop
    return found


def _innermost(instructions: Sequence[UOp]) -> Iterator[tuple[UOp, Sequence[UOp]]]:
    """The innermost loops with constant extents, and the instructions between their RANGE and their END."""
    start = None
    for place, node in enumerate(instructions):
        if node.op is Op.RANGE and node.src[0].op is Op.CONST:
            start = place
        elif node.op is Op.END and start is not None and node.src[1:] == (instructions[start],):
            yield instructions[start], instructions[start + 1 : place]
            start = None
        elif node.op in (Op.RANGE, Op.IF, Op.END, Op.ENDIF):
            start = None


@dataclass(frozen=True)
class _Update:
    """acc = acc + DOT(a word in all lanes, words of columns), or with the operands the other way around."""

    register: UOp
    word: UOp
    words: UOp
    signs: int


def _tile_loop(bound: UOp, body: Sequence[UOp]) -> TileLoop | None:
    """The loop, if it only adds words of 16 rows times words of up to four vectors of columns, each pair of row and vector once; else None."""
    updates = [_update(node) for node in body if node.op in (Op.STORE, Op.CUSTOM)]
    known = [each for each in updates if each is not None]
    words = int(bound.src[0].arg)
    if (
        not known
        or len(known) < len(updates)
        or len({each.signs for each in known}) > 1
        or words < TILE_WORDS
    ):
        return None
    accumulators = {(each.word, each.words): each.register for each in known}
    row_loads, column_loads = (list(dict.fromkeys(each)) for each in zip(*accumulators, strict=True))
    shape = len(row_loads), len(column_loads)
    if (
        shape[0] != TILE_ROWS
        or shape[1] > TILE_VECTORS
        or len(known) != len(accumulators)
        or len(known) != shape[0] * shape[1]
    ):
        return None
    forms = affine_forms([load.src[0].src[1] for load in (*row_loads, *column_loads)])
    rows, columns = ([_Walk.of(load, forms, bound) for load in loads] for loads in (row_loads, column_loads))
    inside = set(body) | {bound}
    if any(atom in inside for walk in (*rows, *columns) for atom, _ in walk.start.element.terms):
        return None
    order = sorted(range(len(rows)), key=lambda row: rows[row].start.element.constant)
    first, second = rows[order[0]].start, rows[order[1]].start
    step = second.element.constant - first.element.constant
    expected = [Address(first.buffer, first.element.plus(Affine(row * step))) for row in range(TILE_ROWS)]
    if step <= 0 or [rows[row].start for row in order] != expected or {walk.step for walk in rows} != {1}:
        return None
    if any(walk.step <= 0 or walk.start.buffer is not columns[0].start.buffer for walk in columns):
        return None
    return TileLoop(
        bound,
        words,
        known[0].signs,
        (first, step),
        tuple((walk.start, walk.step) for walk in columns),
        tuple(tuple(accumulators[row_loads[row], column] for row in order) for column in column_loads),
    )


def _update(store: UOp) -> _Update | None:
    if store.op is not Op.STORE or definition(store.src[0]).op is not Op.DEFINE_REG:
        return None
    total = store.src[1]
    if total.op is not Op.ADD or total.dtype != int32.vec(TILE_WORDS):
        return None
    before, product = total.src
    if before.op is not Op.LOAD or before.src[0] is not store.src[0] or product.op is not Op.DOT:
        return None
    for factor, other, signs in (
        (*product.src, UNSIGNED_ROWS),
        (*reversed(product.src), SIGNED_ROWS),
    ):
        word = repeated(factor)
        if word is not None and _is_plain_load(word) and _is_plain_load(other):
            return _Update(definition(store.src[0]), word, other, signs)
    return None


def _is_plain_load(node: UOp) -> bool:
    """Whether this is a LOAD from a buffer, without a gate."""
    if node.op is not Op.LOAD or len(node.src) != 1:
        return False
    (address,) = node.src
    return address.op is Op.INDEX and len(address.src) == 2 and definition(address).op is not Op.DEFINE_REG


@dataclass(frozen=True)
class _Walk:
    """The address at which a load starts, and the elements from one iteration to the next."""

    start: Address
    step: int

    @staticmethod
    def of(load: UOp, forms: Mapping[UOp, Affine], bound: UOp) -> _Walk:
        form = forms[load.src[0].src[1]]
        step = form.coefficients.get(bound, 0)
        return _Walk(Address(definition(load.src[0]), form.plus(Affine.of(bound), -step)), step)
