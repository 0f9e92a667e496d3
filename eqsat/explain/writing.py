"""Classes of a forest written as terms, so that checks of two terms see in them what the theory steps know of classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from eqsat.dtype import DType
from eqsat.egraph.bridge import bits_float
from eqsat.egraph.folding import fold
from eqsat.egraph.polynomial import RING, Polynomial, Polynomials
from eqsat.explain.rows import Tables, Way, with_parts
from eqsat.uop import UOp, toposort

CHAINS = ("MAX_N", "MIN_N", "AND_N", "OR_N", "XOR_N")
_SAYING = ("AND_N", "OR_N", "XOR_N", "MAX_N", "MIN_N", "CMPNE", "CMPLT")
MOST_FORMS = 24  # ways to write one sum that are tried


class Writer:
    """Writes the classes of one moment.

    Attributes:
        constants: the classes that have one value, as bits.
        polynomials: sums and products in normal form.
    """

    def __init__(self, known: Tables) -> None:
        self.known = known
        self.constants, _ = fold(known.frozen)
        self.polynomials = Polynomials(known.frozen, self.constants)
        self._spelled: dict[int, UOp] = {}
        self._tables: dict[int, list[str]] = {}
        for owner, table in known.ways:
            self._tables.setdefault(owner, []).append(table)

    def name(self, owner: int) -> UOp:
        """A term of a class."""
        return self.known.simplest[owner]

    def constant(self, owner: int) -> UOp | None:
        """The constant that a class is, as the theory step found."""
        bits = self.constants.get(owner)
        if bits is None:
            return None
        member = self.name(owner)
        assert isinstance(member.dtype, DType)
        return UOp.full(member.shape or (), member.dtype, bits_float(bits) if member.dtype.is_float else bits)

    def ways(self, owner: int, tables: Iterable[str] = ()) -> Iterator[Way]:
        """The ways to write a class in some tables, or in all."""
        for table in tables or self._tables.get(owner, ()):
            yield from self.known.ways.get((owner, table), ())

    def forms(self, owner: int) -> Iterator[UOp]:
        """Terms of a class with what is below them written out, as the theory steps do."""
        ring = list(self.ways(owner, RING))
        if ring:
            yield self.unfold(owner)
            for way in ring[:MOST_FORMS]:
                yield self.unfolded(way)
            for atom, other in self.alternatives(owner):
                yield self.unfold(owner, {atom: other})
        for table in CHAINS:
            for way in self.known.ways.get((owner, table), ()):
                yield self.chain(way, table)
        for way in self.ways(owner, ("CMPLT", "CMPNE")):
            yield self.unfolded(way)
        for way in self.ways(owner, ("FLOORDIV", "FLOORMOD")):
            dividend, divisor = self.owners(way)
            yield with_parts(way, [self.unfold(dividend), self.name(divisor)])
        yield from self._reading_bits(owner)

    def pairs(self, owner: int, term: UOp) -> Iterator[tuple[UOp, UOp]]:
        """A class and a term that may equal it, each written in several ways."""
        ends = [term]
        other = self.known.owner.get(term)
        if other is not None:
            ends += self.forms(other)
        for start in self.forms(owner):
            for end in ends:
                yield start, end
        for atom, alternative in self.alternatives(owner):
            yield self.unfold(owner, {atom: alternative}), replaced_name(term, self.name(atom), alternative)
        is_atom = owner not in self.polynomials.spread
        for row in self.polynomials.ring_rows.get(owner, [])[:MOST_FORMS] if is_atom else ():
            for atom, alternative in self._alternatives_in(self.polynomials.of_row(row), owner):
                yield self.unfolded(self.known.witness[row], {atom: alternative}), term
        chains = list(self.ways(owner, CHAINS))
        end = self.spelled_term(term) if chains else term
        for way in chains:
            yield with_parts(way, [self.spelled(part) for part in self.owners(way)]), end

    # sums

    def dividends(self, owner: int) -> Iterator[UOp]:
        """The sums by which a dividend may be written."""
        yield self.name(owner)
        yield from self.forms(owner)
        if not list(self.ways(owner, RING)):
            for atom, other in self.alternatives(owner):
                yield self.unfold(owner, {atom: other})

    def alternatives(self, owner: int) -> Iterator[tuple[int, UOp]]:
        """The atoms of a sum that are written as sums themselves, and how."""
        yield from self._alternatives_in(self.polynomials.of(owner), owner)

    def _alternatives_in(self, form: Polynomial, owner: int) -> Iterator[tuple[int, UOp]]:
        for monomial in list(form):
            if len(monomial) == 1 and monomial[0] != owner:
                for way in list(self.ways(monomial[0], RING))[:MOST_FORMS]:
                    yield monomial[0], self.unfolded(way)

    def unfolded(self, way: Way, given: Mapping[int, UOp] | None = None) -> UOp:
        """A way to write a class with its parts as sums."""
        return with_parts(way, [self.unfold(part, given) for part in self.owners(way)])

    def unfold(self, owner: int, given: Mapping[int, UOp] | None = None) -> UOp:
        """A class as a sum of products of atoms, with the terms in `given` for some atoms."""
        return self._write(owner, dict(given or {}), self._sum)

    def _sum(self, owner: int) -> Way | None:
        polynomials = self.polynomials
        if owner in polynomials.constants or owner not in polynomials.spread:
            return None
        return self.known.witness[polynomials.ring_rows[owner][0]]

    # chains

    def chain(self, way: Way, table: str) -> UOp:
        """A chain with the inner chains of its operation written out."""
        done: dict[int, UOp] = {}

        def inner(owner: int) -> Way | None:
            is_chain = owner not in self.constants and self._tables.get(owner) == [table]
            return self.known.ways[owner, table][0] if is_chain else None

        return with_parts(way, [self._write(part, done, inner) for part in self.owners(way)])

    def spelled(self, owner: int) -> UOp:
        """A class as what it says of others: a chain, a difference or a comparison, wherever it is one."""
        return self._write(owner, self._spelled, self._saying)

    def spelled_term(self, term: UOp) -> UOp:
        """A term with the classes in it written so."""
        done: dict[UOp, UOp] = {}
        for node in toposort([term]):
            owner = self.known.owner.get(node)
            if owner is not None and node is self.name(owner):
                done[node] = self.spelled(owner)
            else:
                done[node] = node.with_src(tuple(done[source] for source in node.src))
        return done[term]

    def _saying(self, owner: int) -> Way | None:
        return None if owner in self.constants else next(self.ways(owner, _SAYING), None)

    # bitcasts

    def _reading_bits(self, owner: int) -> Iterator[UOp]:
        """Chains of which elements are written as bitcasts, and bitcasts of such chains."""
        if not self._has_bitcasts:
            return
        tables = ("ADD_N", "MUL_N", *CHAINS)
        for way in self.ways(owner, tables):
            yield with_parts(way, [self._as_bitcast(part) for part in self.owners(way)])
        for outer in self.ways(owner, ("BITCAST",)):
            for way in self.ways(self.owners(outer)[0], tables):
                yield with_parts(
                    outer, [with_parts(way, [self._as_bitcast(part) for part in self.owners(way)])]
                )

    @cached_property
    def _has_bitcasts(self) -> bool:
        return any("BITCAST" in tables for tables in self._tables.values())

    def _as_bitcast(self, owner: int) -> UOp:
        """A class as a bitcast, or as a multiple of one, where it is known as that."""
        for way in self.ways(owner, ("BITCAST",)):
            return self._by_names(way)
        for way in self.ways(owner, ("SCALE",)):
            (value,) = self.owners(way)
            inner = next(self.ways(value, ("BITCAST",)), None)
            if inner is not None:
                return with_parts(way, [self._by_names(inner)])
        return self.name(owner)

    def _by_names(self, way: Way) -> UOp:
        return with_parts(way, [self.name(part) for part in self.owners(way)])

    def _write(self, root: int, done: dict[int, UOp], way_of: Callable[[int], Way | None]) -> UOp:
        """A class by the ways that are given for it and for what it is made of, otherwise by name; one that contains itself by its name."""
        opened: set[int] = set()
        stack = [root]
        while stack:
            owner = stack[-1]
            if owner in done:
                stack.pop()
                continue
            way = way_of(owner)
            owners = [] if way is None else self.owners(way)
            missing = [part for part in owners if part not in done]
            if way is None or (missing and owner in opened):
                constant = self.constant(owner)
                done[owner] = self.name(owner) if constant is None else constant
            elif missing:
                opened.add(owner)
                stack += missing
            else:
                done[owner] = with_parts(way, [done[part] for part in owners])
        return done[root]

    def owners(self, way: Way) -> list[int]:
        """The classes of a way's parts."""
        return [self.known.owner[part] for part in way.parts]


def replaced_name(term: UOp, name: UOp, other: UOp) -> UOp:
    """A term with another one for a name in it."""
    return term.substitute({name: other})
