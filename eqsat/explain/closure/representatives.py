"""Picks terms that represent classes. The check of a theory sees only two terms, so each must contain the e-nodes that the theory used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from eqsat.dtype import DType
from eqsat.egraph.tables.callbacks import bits_float
from eqsat.egraph.theories.context import Context
from eqsat.egraph.theories.polynomial import RING, Polynomial
from eqsat.explain.closure.tables import ENode, Tables, with_parts
from eqsat.uop import UOp, toposort

NARY_TABLES = ("MAX_N", "MIN_N", "AND_N", "OR_N", "XOR_N")
_SAYING = ("AND_N", "OR_N", "XOR_N", "MAX_N", "MIN_N", "CMPNE", "CMPLT")
MOST_FORMS = 24  # forms of one sum that are tried


class Representatives:
    """Terms that represent the classes of a congruence closure at one moment.

    Attributes:
        constants: the value of each class that equals a constant, as bits.
        polynomials: the normal forms of sums and products.
    """

    def __init__(self, known: Tables, context: Context) -> None:
        self.known = known
        self.context = context
        self.constants = context.constants
        self.polynomials = context.polynomials
        self._spelled: dict[int, UOp] = {}
        self._tables: dict[int, list[str]] = {}
        for owner, table in known.enodes:
            self._tables.setdefault(owner, []).append(table)

    def name(self, owner: int) -> UOp:
        """The smallest term of a class."""
        return self.known.simplest[owner]

    def constant(self, owner: int) -> UOp | None:
        """The constant that a class equals by constant folding, or None."""
        bits = self.constants.get(owner)
        if bits is None:
            return None
        member = self.name(owner)
        assert isinstance(member.dtype, DType)
        return UOp.full(member.shape or (), member.dtype, bits_float(bits) if member.dtype.is_float else bits)

    def enodes(self, owner: int, tables: Iterable[str] = ()) -> Iterator[ENode]:
        """The e-nodes of a class in some tables, or in all."""
        for table in tables or self._tables.get(owner, ()):
            yield from self.known.enodes.get((owner, table), ())

    def forms(self, owner: int) -> Iterator[UOp]:
        """Terms of a class with sums and n-ary applications expanded, as the theories read them."""
        ring = list(self.enodes(owner, RING))
        if ring:
            yield self.unfold(owner)
            for enode in ring[:MOST_FORMS]:
                yield self.unfolded(enode)
            for atom, other in self.alternatives(owner):
                yield self.unfold(owner, {atom: other})
        for table in NARY_TABLES:
            for enode in self.known.enodes.get((owner, table), ()):
                yield self.chain(enode, table)
        for enode in self.enodes(owner, ("CMPLT", "CMPNE")):
            yield self.unfolded(enode)
        for enode in self.enodes(owner, ("FLOORDIV", "FLOORMOD")):
            dividend, divisor = self.owners(enode)
            yield with_parts(enode, [self.unfold(dividend), self.name(divisor)])
        yield from self._reading_bits(owner)

    def pairs(self, owner: int, term: UOp) -> Iterator[tuple[UOp, UOp]]:
        """Pairs of a term of a class and a form of `term`, to try a check on."""
        ends = [term]
        other = self.known.owner.get(term)
        if other is not None:
            ends += self.forms(other)
        for start in self.forms(owner):
            for end in ends:
                yield start, end
        for atom, alternative in self.alternatives(owner):
            yield self.unfold(owner, {atom: alternative}), term.substitute({self.name(atom): alternative})
        is_atom = owner not in self.polynomials.spread
        for row in self.polynomials.ring_rows.get(owner, [])[:MOST_FORMS] if is_atom else ():
            for atom, alternative in self._alternatives_in(self.polynomials.of_row(row), owner):
                yield self.unfolded(self.known.witness[row], {atom: alternative}), term
        chains = list(self.enodes(owner, NARY_TABLES))
        end = self.spelled_term(term) if chains else term
        for enode in chains:
            yield with_parts(enode, [self.spelled(part) for part in self.owners(enode)]), end

    # sums

    def dividends(self, owner: int) -> Iterator[UOp]:
        """The sums that equal a dividend."""
        yield self.name(owner)
        yield from self.forms(owner)
        if not list(self.enodes(owner, RING)):
            for atom, other in self.alternatives(owner):
                yield self.unfold(owner, {atom: other})

    def alternatives(self, owner: int) -> Iterator[tuple[int, UOp]]:
        """The atoms of a class's polynomial that also equal a sum, with that sum."""
        yield from self._alternatives_in(self.polynomials.of(owner), owner)

    def _alternatives_in(self, form: Polynomial, owner: int) -> Iterator[tuple[int, UOp]]:
        for monomial in list(form):
            if len(monomial) == 1 and monomial[0] != owner:
                for enode in list(self.enodes(monomial[0], RING))[:MOST_FORMS]:
                    yield monomial[0], self.unfolded(enode)

    def unfolded(self, enode: ENode, given: Mapping[int, UOp] | None = None) -> UOp:
        """The term of an e-node with its operands as polynomials."""
        return with_parts(enode, [self.unfold(part, given) for part in self.owners(enode)])

    def unfold(self, owner: int, given: Mapping[int, UOp] | None = None) -> UOp:
        """A class as a polynomial of atoms; atoms in `given` are replaced by these terms."""
        return self._write(owner, dict(given or {}), self._sum)

    def _sum(self, owner: int) -> ENode | None:
        polynomials = self.polynomials
        if owner in polynomials.constants or owner not in polynomials.spread:
            return None
        return self.known.witness[polynomials.ring_rows[owner][0]]

    # chains

    def chain(self, enode: ENode, table: str) -> UOp:
        """An n-ary application with inner applications of its operator flattened."""
        done: dict[int, UOp] = {}

        def inner(owner: int) -> ENode | None:
            is_chain = owner not in self.constants and self._tables.get(owner) == [table]
            return self.known.enodes[owner, table][0] if is_chain else None

        return with_parts(enode, [self._write(part, done, inner) for part in self.owners(enode)])

    def spelled(self, owner: int) -> UOp:
        """A class as an application of AND, OR, XOR, MAX or MIN, or as a comparison, if it has such an e-node."""
        return self._write(owner, self._spelled, self._saying)

    def spelled_term(self, term: UOp) -> UOp:
        """A term with its subterms replaced as `spelled` does."""
        done: dict[UOp, UOp] = {}
        for node in toposort([term]):
            owner = self.known.owner.get(node)
            if owner is not None and node is self.name(owner):
                done[node] = self.spelled(owner)
            else:
                done[node] = node.with_src(tuple(done[source] for source in node.src))
        return done[term]

    def _saying(self, owner: int) -> ENode | None:
        return None if owner in self.constants else next(self.enodes(owner, _SAYING), None)

    # bitcasts

    def _reading_bits(self, owner: int) -> Iterator[UOp]:
        """N-ary applications whose operands are bitcasts, and bitcasts of such applications."""
        if not self._has_bitcasts:
            return
        tables = ("ADD_N", "MUL_N", *NARY_TABLES)
        for enode in self.enodes(owner, tables):
            yield with_parts(enode, [self._as_bitcast(part) for part in self.owners(enode)])
        for outer in self.enodes(owner, ("BITCAST",)):
            for enode in self.enodes(self.owners(outer)[0], tables):
                yield with_parts(
                    outer, [with_parts(enode, [self._as_bitcast(part) for part in self.owners(enode)])]
                )

    @cached_property
    def _has_bitcasts(self) -> bool:
        return any("BITCAST" in tables for tables in self._tables.values())

    def _as_bitcast(self, owner: int) -> UOp:
        """A class as a bitcast, or as a multiple of one, if it has such an e-node."""
        for enode in self.enodes(owner, ("BITCAST",)):
            return self._by_names(enode)
        for enode in self.enodes(owner, ("SCALE",)):
            (value,) = self.owners(enode)
            inner = next(self.enodes(value, ("BITCAST",)), None)
            if inner is not None:
                return with_parts(enode, [self._by_names(inner)])
        return self.name(owner)

    def _by_names(self, enode: ENode) -> UOp:
        return with_parts(enode, [self.name(part) for part in self.owners(enode)])

    def _write(self, root: int, done: dict[int, UOp], way_of: Callable[[int], ENode | None]) -> UOp:
        """The term of a class, built from the e-nodes that `way_of` chooses for it and for its operands.

        A class that has no such e-node, or contains itself, is written as its constant or as its smallest term.
        """
        opened: set[int] = set()
        stack = [root]
        while stack:
            owner = stack[-1]
            if owner in done:
                stack.pop()
                continue
            enode = way_of(owner)
            owners = [] if enode is None else self.owners(enode)
            missing = [part for part in owners if part not in done]
            if enode is None or (missing and owner in opened):
                constant = self.constant(owner)
                done[owner] = self.name(owner) if constant is None else constant
            elif missing:
                opened.add(owner)
                stack += missing
            else:
                done[owner] = with_parts(enode, [done[part] for part in owners])
        return done[root]

    def owners(self, enode: ENode) -> list[int]:
        """The classes of an e-node's operands."""
        return [self.known.owner[part] for part in enode.parts]
