"""Witnesses of the integer analysis: for each class, the term from which its known divisors and bits can be computed again."""

from __future__ import annotations

from collections.abc import Iterator

from eqsat.explain.closure.representatives import Representatives
from eqsat.explain.closure.tables import ENode, with_parts
from eqsat.uop import UOp, toposort

_NARY_TABLES = ("AND_N", "OR_N", "XOR_N")
_COMPARISONS = ("CMPLT", "CMPNE")
_DIVISIONS = ("FLOORDIV", "FLOORMOD", "SHR")


class Witnesses:
    """The witnesses of one congruence closure, found by the analysis of its tables."""

    def __init__(self, representatives: Representatives) -> None:
        self.representatives = representatives
        self.known = representatives.known
        self.analysis = representatives.context.analysis
        self.written: dict[int, UOp] = {}

    def of(self, owner: int) -> UOp:
        """The witness of a class: a term whose own analysis gives the facts of the class."""
        stack = [owner]
        while stack:
            current = stack[-1]
            row = self.analysis.witness.get(current)
            if current in self.written:
                stack.pop()
            elif row is None or current in self.representatives.constants:
                constant = self.representatives.constant(current)
                self.written[current] = self.representatives.name(current) if constant is None else constant
            else:
                enode = self.known.witness[row]
                missing = [part for part in self.representatives.owners(enode) if part not in self.written]
                if any(part in stack for part in missing):
                    self.written[current] = self.representatives.name(current)
                elif missing:
                    stack += missing
                else:
                    self.written[current] = self._shown(enode)
        return self.written[owner]

    def shown(self, term: UOp) -> UOp:
        """A term with its operands replaced by their witnesses."""
        done: dict[UOp, UOp] = {}
        for node in toposort([term]):
            owner = self.known.owner.get(node)
            if node is not term and owner is not None and node is self.representatives.name(owner):
                done[node] = self.of(owner)
            else:
                done[node] = node.with_src(tuple(done[source] for source in node.src))
        return done[term]

    def forms(self, owner: int) -> Iterator[UOp]:
        """The witness of a class, and its bitwise operations, comparisons and divisions of witnesses."""
        yield self.of(owner)
        for table in (*_NARY_TABLES, *_COMPARISONS, *_DIVISIONS):
            for enode in self.known.enodes.get((owner, table), ()):
                yield self._shown(enode)
                if table in _DIVISIONS or table == "AND_N":
                    yield from self._with_sums(enode)

    def _with_sums(self, enode: ENode) -> Iterator[UOp]:
        """A division or a mask whose operand is replaced by each sum that the operand is known to equal."""
        owners = self.representatives.owners(enode)
        for place, owner in enumerate(owners):
            for form in self.representatives.dividends(owner):
                parts = [self.of(other) for other in owners]
                parts[place] = self.shown(form)
                yield with_parts(enode, parts)

    def _shown(self, enode: ENode) -> UOp:
        return with_parts(enode, [self.of(owner) for owner in self.representatives.owners(enode)])
