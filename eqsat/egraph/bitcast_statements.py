"""Sums, products and chains of bitcasts between integers of one width: several bitcasts become one.

Rules take constants out of bitcasts (`rules.bitcasts`). What combines several values is stated here, for all of its elements at once: a rule would
make a term for each of their subsets.
"""

from __future__ import annotations

from collections.abc import Sequence

from eqsat.egraph.frozen import Row
from eqsat.egraph.statements import Statements
from eqsat.egraph.terms import Expression
from eqsat.rules.instantiate import wrap

_CHAINS = frozenset({"ADD_N", "MUL_N", "AND_N", "OR_N", "XOR_N"})
Read = tuple[int, int]  # a coefficient, and the class whose bits are read


def collect_bitcasts(step: Statements) -> None:
    """States the chains of what is read by several elements of a chain, and the chains below a bitcast that read bits themselves."""
    collector = _Bitcasts(step)
    if not collector.read:
        return
    for row in step.frozen.rows:
        if (
            row.table in _CHAINS
            and row.owner not in step.constants
            and step.polynomials.dtype(row.dtype).is_int
        ):
            collector.collect(row)


class _Bitcasts:
    def __init__(self, step: Statements) -> None:
        self.step = step
        self.read: dict[int, dict[str, Read]] = {}  # of each class, by the dtype from which bits are read
        self.readers: dict[int, list[Row]] = {}
        for row in step.frozen.rows:
            if row.table == "BITCAST" and self.is_of_one_width(row.columns[0], row.columns[1]):
                self.read.setdefault(row.owner, {}).setdefault(row.columns[1], (1, row.columns[3]))
                self.readers.setdefault(row.columns[3], []).append(row)
        for row in step.frozen.rows if self.read else ():
            if row.table == "SCALE":
                for source, (factor, inner) in self.read.get(row.columns[3], {}).items():
                    if factor == 1:
                        self.read.setdefault(row.owner, {}).setdefault(source, (row.columns[2], inner))

    def is_of_one_width(self, one: str, other: str) -> bool:
        """Whether two names are of dtypes that differ in their sign alone."""
        first, second = self.step.polynomials.dtype(one), self.step.polynomials.dtype(other)
        return first.is_int and second.is_int and first.bits == second.bits and one != other

    def collect(self, row: Row) -> None:
        """States what follows for one chain."""
        sources = dict.fromkeys(source for element in row.columns[2] for source in self.read.get(element, ()))
        for source in sources:
            reading = [element for element in row.columns[2] if source in self.read.get(element, ())]
            others = [element for element in row.columns[2] if source not in self.read.get(element, ())]
            if len(reading) > 1:
                self.state(row.owner, row, source, others, reading)
            for reader in self.readers.get(row.owner, ()):
                if reader.columns[0] == source:
                    self.state_below(reader, row, reading, others)

    def state(self, owner: int, row: Row, source: str, others: Sequence[int], reading: Sequence[int]) -> None:
        """A chain of several elements that read bits of `source` is one of the others and of a bitcast."""
        with self.step.once(
            lambda: ("bitcasts", row.table, source, *map(self.step.stable, (owner, *reading)))
        ) as is_new:
            if is_new:
                inner = self.chain(row, source, [self.bits(row, source, element) for element in reading])
                outer = self.step.feeder.term("BITCAST", row.dtype, source, row.shape, inner)
                terms = [*(self.step.feeder.name(element) for element in others), outer]
                self.step.feeder.union(owner, self.chain(row, row.dtype, terms))
                self.step.theory.count("bitcasts")

    def state_below(self, reader: Row, row: Row, reading: Sequence[int], others: Sequence[int]) -> None:
        """A bitcast of a chain of which elements read bits of its own dtype is a chain of what they read, and of a bitcast."""
        source = reader.columns[0]
        key = ("bitcast of bitcasts", row.table, source)
        with self.step.once(lambda: (*key, *map(self.step.stable, (reader.owner, *reading)))) as is_new:
            if is_new:
                terms = [self.bits(row, source, element) for element in reading]
                if others:
                    rest = self.chain(row, row.dtype, [self.step.feeder.name(element) for element in others])
                    terms.append(self.step.feeder.term("BITCAST", source, row.dtype, row.shape, rest))
                self.step.feeder.union(reader.owner, self.chain(row, source, terms))
                self.step.theory.count("bitcasts")

    def bits(self, row: Row, source: str, element: int) -> Expression:
        """What an element reads, times its coefficient."""
        factor, inner = self.read[element][source]
        value = self.step.feeder.name(inner)
        if factor == 1:
            return value
        coefficient = int(wrap(self.step.polynomials.dtype(source), factor))
        return self.step.feeder.term("SCALE", source, row.shape, coefficient, value)

    def chain(self, row: Row, dtype: str, terms: Sequence[Expression]) -> Expression:
        return (
            terms[0] if len(terms) == 1 else self.step.feeder.term(row.table, dtype, row.shape, tuple(terms))
        )
