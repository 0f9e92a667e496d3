"""Terms that show what is known of their classes: each class written by the term that told its divisors and bits."""

from __future__ import annotations

from collections.abc import Iterator

from eqsat.egraph.analysis import Analysis
from eqsat.explain.rows import Way, with_parts
from eqsat.explain.writing import Writer
from eqsat.uop import UOp, toposort

_CHAINS = ("AND_N", "OR_N", "XOR_N")
_COMPARISONS = ("CMPLT", "CMPNE")
_DIVISIONS = ("FLOORDIV", "FLOORMOD", "SHR")


class Witnesses:
    """The witnesses of the facts of one forest, as the analysis of its tables found them."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.known = writer.known
        self.analysis = Analysis(writer.known.frozen, writer.constants)
        self.written: dict[int, UOp] = {}

    def of(self, owner: int) -> UOp:
        """A term of a class that shows its facts."""
        stack = [owner]
        while stack:
            current = stack[-1]
            row = self.analysis.witness.get(current)
            if current in self.written:
                stack.pop()
            elif row is None or current in self.writer.constants:
                constant = self.writer.constant(current)
                self.written[current] = self.writer.name(current) if constant is None else constant
            else:
                way = self.known.witness[row]
                missing = [part for part in self.writer.owners(way) if part not in self.written]
                if any(part in stack for part in missing):
                    self.written[current] = self.writer.name(current)
                elif missing:
                    stack += missing
                else:
                    self.written[current] = self._shown(way)
        return self.written[owner]

    def shown(self, term: UOp) -> UOp:
        """A term whose parts show their facts."""
        done: dict[UOp, UOp] = {}
        for node in toposort([term]):
            owner = self.known.owner.get(node)
            if node is not term and owner is not None and node is self.writer.name(owner):
                done[node] = self.of(owner)
            else:
                done[node] = node.with_src(tuple(done[source] for source in node.src))
        return done[term]

    def forms(self, owner: int) -> Iterator[UOp]:
        """The ways to write a class about which facts may tell something."""
        yield self.of(owner)
        for table in (*_CHAINS, *_COMPARISONS, *_DIVISIONS):
            for way in self.known.ways.get((owner, table), ()):
                yield self._shown(way)
                if table in _DIVISIONS or table == "AND_N":
                    yield from self._with_sums(way)

    def _with_sums(self, way: Way) -> Iterator[UOp]:
        """A division, or a mask, of a sum that is written in each way that is known."""
        owners = self.writer.owners(way)
        for place, owner in enumerate(owners):
            for form in self.writer.dividends(owner):
                parts = [self.of(other) for other in owners]
                parts[place] = self.shown(form)
                yield with_parts(way, parts)

    def _shown(self, way: Way) -> UOp:
        return with_parts(way, [self.of(owner) for owner in self.writer.owners(way)])
