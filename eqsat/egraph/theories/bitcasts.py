"""Bitcasts between integers of one width, around sums, products and bitwise operations: several bitcasts become one.

Rules take constants out of bitcasts (`rules.conversions.bitcasts`). An operation on several values is handled here, for all of its operands at
once: a rule would make a term for each subset of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eqsat.dtype import DType, wrap
from eqsat.egraph.snapshot.constants import plain_dtype
from eqsat.egraph.snapshot.frozen import Row
from eqsat.egraph.theories.claims import Check, Claim, Equal, Operation, Reinterpreted, Scaled, Term, Theory
from eqsat.egraph.theories.context import Context
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.egraph.theories.terms.constants import constant_of
from eqsat.egraph.theories.terms.operands import same_operands
from eqsat.egraph.theories.terms.sums import polynomial
from eqsat.ops import MOVEMENT, Op
from eqsat.uop import UOp, toposort
from eqsat.uop.satisfying import Satisfying

_WRAPPING_TABLES = frozenset({"ADD_N", "MUL_N", "AND_N", "OR_N", "XOR_N"})
Read = tuple[int, int]  # a coefficient, and the class whose bits are read


def find_bitcasts(context: Context) -> Iterator[Claim]:
    """Claims that operations on bitcasts are bitcasts of operations, and that bitcasts cancel around operations on bitcasts."""
    finder = _Bitcasts(context)
    if not finder.read:
        return
    for row in context.rows:
        if (
            row.table in _WRAPPING_TABLES
            and row.owner not in context.constants
            and plain_dtype(row.dtype).is_int
        ):
            yield from finder.of_row(row)


class _Bitcasts:
    def __init__(self, context: Context) -> None:
        self.context = context
        # By class, then by the dtype that a bitcast reads: the coefficient, and the class that is read
        self.read: dict[int, dict[str, Read]] = {}
        self.readers: dict[int, list[Row]] = {}
        for row in context.rows:
            if row.table == "BITCAST" and self.are_of_one_width(row.columns[0], row.columns[1]):
                self.read.setdefault(row.owner, {}).setdefault(row.columns[1], (1, row.columns[3]))
                self.readers.setdefault(row.columns[3], []).append(row)
        for row in context.rows if self.read else ():
            if row.table == "SCALE":
                for source, (factor, inner) in self.read.get(row.columns[3], {}).items():
                    if factor == 1:
                        self.read.setdefault(row.owner, {}).setdefault(source, (row.columns[2], inner))

    def are_of_one_width(self, one: str, other: str) -> bool:
        """Whether two names are of integer dtypes with the same width and different signedness."""
        first, second = plain_dtype(one), plain_dtype(other)
        return first.is_int and second.is_int and first.bits == second.bits and one != other

    def of_row(self, row: Row) -> Iterator[Claim]:
        sources = dict.fromkeys(source for operand in row.columns[2] for source in self.read.get(operand, ()))
        for source in sources:
            reading = [operand for operand in row.columns[2] if source in self.read.get(operand, ())]
            others = [operand for operand in row.columns[2] if source not in self.read.get(operand, ())]
            if len(reading) > 1:
                yield self.above(row, source, others, reading)
            for reader in self.readers.get(row.owner, ()):
                if reader.columns[0] == source:
                    yield self.below(reader, row, reading, others)

    def above(self, row: Row, source: str, others: Sequence[int], reading: Sequence[int]) -> Equal:
        """Claims that an operation on several bitcasts from `source` is an operation on a single bitcast and the other operands."""
        inner = self.operation(row, source, [self.bits(row, source, operand) for operand in reading])
        outer = Reinterpreted((row.dtype, row.shape), source, inner)
        by = ("bitcasts", row.table, source, *reading)
        return Equal("bitcasts", row.owner, self.operation(row, row.dtype, [*others, outer]), by)

    def below(self, reader: Row, row: Row, reading: Sequence[int], others: Sequence[int]) -> Equal:
        """Claims that the bitcast of an operation on opposite bitcasts is the operation on the original values."""
        source = reader.columns[0]
        terms = [self.bits(row, source, operand) for operand in reading]
        if others:
            rest = self.operation(row, row.dtype, others)
            terms.append(Reinterpreted((source, row.shape), row.dtype, rest))
        by = ("bitcast of bitcasts", row.table, source, *reading)
        return Equal("bitcasts", reader.owner, self.operation(row, source, terms), by)

    def bits(self, row: Row, source: str, operand: int) -> Term:
        """The value whose bits an operand reads, times its coefficient."""
        factor, inner = self.read[operand][source]
        return (
            inner
            if factor == 1
            else Scaled((source, row.shape), int(wrap(plain_dtype(source), factor)), inner)
        )

    def operation(self, row: Row, dtype: str, terms: Sequence[Term]) -> Term:
        return terms[0] if len(terms) == 1 else Operation(row.table, (dtype, row.shape), tuple(terms))


# The check

_WRAPPING = frozenset({Op.ADD, Op.SUB, Op.NEG, Op.MUL, Op.MULACC, Op.AND, Op.OR, Op.XOR})


def same_bits(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Checks that two integers are the same sum, or the same bitwise operation, once bitcasts are pushed down to its operands."""
    if before.dtype != after.dtype or not before.dtype.scalar.is_int:
        return False
    first, second = _read_first(before), _read_first(after)
    return polynomial(first) == polynomial(second) or same_operands(first, second, bounds)


def _read_first(root: UOp) -> UOp:
    """An equal term, in which bitcasts are pushed below the operations that combine integers."""
    known: dict[UOp, UOp] = {}
    for node in toposort([root], _NOT_COMBINED):
        if _is_reading(node):
            known[node] = _as_dtype(known.get(node.src[0], node.src[0]), node.dtype.scalar)
        elif _is_combined(node):
            known[node] = node.with_src(tuple(known.get(source, source) for source in node.src))
    return known.get(root, root)


def _as_dtype(root: UOp, dtype: DType) -> UOp:
    """The bits of an integer as another dtype of its width, with the bitcast pushed below the operations that combine integers."""
    known: dict[UOp, UOp] = {}
    for node in toposort([root], _NOT_COMBINED):
        value = constant_of(node)
        if _is_reading(node) and node.src[0].dtype == dtype:
            known[node] = node.src[0]
        elif value is not None and not node.src:
            known[node] = UOp.const(dtype, wrap(dtype, value))
        elif _is_combined(node) and node.op is not Op.BITCAST:
            known[node] = UOp(node.op, dtype, tuple(known[source] for source in node.src), node.arg)
        else:
            known[node] = node.bitcast(dtype)
    return known[root]


def _is_reading(node: UOp) -> bool:
    """Whether a term is a bitcast between integers of the same width."""
    return node.op is Op.BITCAST and node.dtype.scalar.is_int and node.src[0].dtype.scalar.is_int


def _is_combined(node: UOp) -> bool:
    if constant_of(node) is not None:
        return node.op in MOVEMENT
    return (node.op in _WRAPPING and node.dtype.scalar.is_int) or _is_reading(node)


_NOT_COMBINED = Satisfying(lambda node: not _is_combined(node))  # a walk stops at these terms


BITCASTS = Theory(
    find_bitcasts,
    {
        "bitcasts": Check(
            "Both are the same sum or bitwise operation, once the bits of each operand are read in one dtype.",
            same_bits,
        )
    },
)
