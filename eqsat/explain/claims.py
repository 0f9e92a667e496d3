"""What the theory steps find in a forest, as links between terms: each is checked when it is made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, cast

from eqsat.dtype import DType, bool_, parse_dtype
from eqsat.egraph.bridge import bits_float, decode
from eqsat.egraph.deductions import deduce
from eqsat.egraph.frozen import Row
from eqsat.egraph.polynomial import Polynomial, normal
from eqsat.egraph.splits import substituted
from eqsat.egraph.statements import Statements
from eqsat.egraph.theory import Theory
from eqsat.explain.bounds import Bounds, Interval
from eqsat.explain.constants import constant_of
from eqsat.explain.elements import chain_elements
from eqsat.explain.forest import ByTheory, Fact, Forest
from eqsat.explain.polynomials import polynomial
from eqsat.explain.rows import Tables, Way, with_parts
from eqsat.explain.theories import DEDUCTIONS, THEORIES
from eqsat.explain.witnesses import Witnesses
from eqsat.explain.writing import CHAINS, MOST_FORMS, Writer
from eqsat.ops import COMPARISON, Op
from eqsat.uop import UOp, toposort

_UNCONDITIONAL = (
    "sums",
    "chains",
    "limits",
    "differences",
    "bitcasts",
    "comparison of counts",
    "division by a factor",
    "division of two values",
    "inner remainders",
    "extents",
    "extremes",
)


class ForestBounds(Bounds):
    """The bounds that a forest knows."""

    def __init__(self, forest: Forest) -> None:
        super().__init__()
        self.forest = forest

    def of(self, terms: Sequence[UOp]) -> list[Interval]:
        """The interval of each term."""
        return [self.forest.bounds(term) if term in self.forest.parent else (None, None) for term in terms]


class Claims:
    """The statements of one theory step, in terms. It is called like a `Feeder`."""

    def __init__(self, forest: Forest, known: Tables, theory: Theory) -> None:
        self.forest = forest
        self.known = known
        self.bounds = ForestBounds(forest)
        self.equal: list[tuple[int, UOp]] = []
        self.splits: list[tuple[int, int, UOp, UOp]] = []
        self.names: dict[int, UOp] = {}
        self.theory = theory
        self.writer = Writer(known)

    def run(self) -> None:
        """Collects the statements."""
        self.theory.state(self.known.frozen, self)

    def deduce(self) -> None:
        """Collects what divisors and bits tell, which theory steps ask only where they state nothing else, be it known or not."""
        deduce(Statements(self.theory, self.known.frozen, cast("Any", self)))

    # what a theory step calls

    def name(self, owner: int) -> UOp:
        """A term of a class."""
        return self.writer.name(owner)

    def term(self, table: str, *columns: Any) -> UOp:
        """A term, from the columns of its row; a tuple is a chain's elements."""
        place = [column for column in columns if isinstance(column, str)]
        dtype, shape = parse_dtype(place[0]), decode("t", place[-1])
        assert isinstance(dtype, DType)
        operands = columns[len(place) :]
        if table == "CONST":
            return UOp.full(shape, dtype, bits_float(operands[0]) if dtype.is_float else operands[0])
        if table == "SCALE":
            return operands[1] * UOp.full(shape, dtype, operands[0])
        if table.endswith("_N"):
            result: UOp = operands[0][0]
            for element in operands[0][1:]:
                result = UOp(Op[table.removesuffix("_N")], dtype, (result, element))
            return result
        op = Op[table]
        return UOp(op, bool_ if op in COMPARISON else dtype, operands)

    def polynomial(self, place: tuple[str, str], polynomial: Polynomial) -> UOp:
        """The sum that a polynomial writes."""
        terms: list[UOp] = []
        for monomial, coefficient in sorted(polynomial.items()):
            if not monomial:
                terms.append(self.term("CONST", *place, coefficient))
                continue
            factors = tuple(self.name(atom) for atom in monomial)
            value = self.term("MUL_N", *place, factors)
            terms.append(value if coefficient == 1 else self.term("SCALE", *place, coefficient, value))
        return self.term("ADD_N", *place, tuple(terms)) if terms else self.term("CONST", *place, 0)

    def union(self, owner: int, term: UOp) -> None:
        """Notes that a class equals a term."""
        self.equal.append((owner, term))

    def subsume(self, row: Row) -> None:
        """Nothing: all ways to write a term are looked at."""

    def split(self, owner: int, divisor: int, quotient: UOp, rest: UOp) -> None:
        """Notes that a class is divisor * quotient + rest."""
        self.splits.append((owner, divisor, quotient, rest))

    # links

    def prove(self, owner: int, term: UOp) -> bool:
        """Links a class with a term that a theory makes of it; false where no check is convinced."""
        forest = self.forest
        forest.add(term)
        if forest.same(self.name(owner), term):
            return True
        reasons = self._constant(owner, term) if constant_of(term) is not None else self._written(owner, term)
        for start, end, why in chain(reasons, self._deduced(owner, term)):
            forest.add(start)
            forest.add(end)
            if forest.same(start, self.name(owner)) and forest.same(end, term):
                forest.merge(start, end, why)
                return True
        return False

    def _constant(self, owner: int, term: UOp) -> Iterator[tuple[UOp, UOp, ByTheory]]:
        rep = self.name(owner)
        value = constant_of(term)
        if not isinstance(value, float) and value is not None and self.bounds.of([rep]) == [(value, value)]:
            yield rep, term, ByTheory("bounds", self.facts([rep]))
        for way in self.writer.ways(owner):
            constants = [self.writer.constant(part) for part in self.writer.owners(way)]
            if way.parts and None not in constants:
                folded = with_parts(way, cast("list[UOp]", constants))
                for name in ("constants", "sums", "chains"):
                    if THEORIES[name].check(folded, term, self.bounds):
                        yield folded, term, ByTheory(name)
            if way.term.op in COMPARISON:
                sides = self.writer.unfolded(way)
                self.forest.add(sides)
                if THEORIES["comparison of bounds"].check(sides, term, self.bounds):
                    yield sides, term, ByTheory("comparison of bounds", self.facts(self._atoms(sides.src)))
        yield from self._written(owner, term)

    def _written(self, owner: int, term: UOp) -> Iterator[tuple[UOp, UOp, ByTheory]]:
        for start, end in self.writer.pairs(owner, term):
            for name in _UNCONDITIONAL:
                if THEORIES[name].check(start, end, self.bounds):
                    sides = (*start.src, *end.src) if name not in ("sums", "chains", "limits") else ()
                    yield start, end, ByTheory(name, self.facts(self._atoms(sides)))

    def _deduced(self, owner: int, term: UOp) -> Iterator[tuple[UOp, UOp, ByTheory]]:
        """What divisors and bits tell, if the parts of both terms are written so that they show them."""
        end = self.witnesses.shown(term)
        self.forest.add(end)
        for start in self.witnesses.forms(owner):
            self.forest.add(start)
            for name in DEDUCTIONS:
                if THEORIES[name].check(start, end, self.bounds):
                    yield start, end, ByTheory(name, self.facts(toposort([start, end])))

    @cached_property
    def witnesses(self) -> Witnesses:
        """How classes are written so that their divisors and bits show."""
        return Witnesses(self.writer)

    def coincidences(self) -> Iterator[tuple[UOp, UOp, str]]:
        """Pairs of terms that a theory makes equal once an atom in one of them is written otherwise, which the theory steps do not try."""
        yield from self._equal_sums()
        for (_, table), ways in self.known.ways.items():
            if table in CHAINS:
                for way in ways:
                    yield from self._shortened(way, table)

    def sums_written_out(self) -> Iterator[tuple[UOp, UOp]]:
        """Pairs of classes that are one sum; the theory steps hold back large coefficients and long sums, which they would write again."""
        known: dict[Any, UOp] = {}
        for rows in self.writer.polynomials.ring_rows.values():
            for row in rows[:MOST_FORMS]:
                term = self.writer.unfolded(self.known.witness[row])
                other = known.setdefault((term.dtype, term.shape, frozenset(polynomial(term).items())), term)
                if other is not term:
                    yield term, other

    def _equal_sums(self) -> Iterator[tuple[UOp, UOp, str]]:
        polynomials = self.writer.polynomials
        written: dict[Any, tuple[int, Way]] = {}
        rows = [(owner, row) for owner, rows in polynomials.ring_rows.items() for row in rows[:MOST_FORMS]]
        for owner, row in rows:
            form = polynomials.of_row(row)
            written.setdefault(polynomials.key(owner, form), (owner, self.known.witness[row]))
        for owner, row in rows:
            form = normal(polynomials.of_row(row), polynomials.dtype(row.dtype))
            for monomial, factor in form.items():
                if len(monomial) != 1 or monomial[0] == owner:
                    continue
                for inner in polynomials.ring_rows.get(monomial[0], [])[:MOST_FORMS]:
                    longer = normal(
                        substituted(form, monomial[0], factor, polynomials.of_row(inner)),
                        polynomials.dtype(row.dtype),
                    )
                    place = polynomials.key(owner, longer)
                    other = written.get(place)
                    if (
                        other is None
                        and len(longer) == 1
                        and set(longer.values()) == {1}
                        and len(atom := next(iter(longer))) == 1
                    ):
                        yield self._rewritten(row, monomial[0], inner), self.name(atom[0]), "sums"
                    elif other is not None and other[0] != owner:
                        yield self._rewritten(row, monomial[0], inner), self.writer.unfolded(other[1]), "sums"

    def _rewritten(self, row: Row, atom: int, inner: Row) -> UOp:
        """A sum with one of its atoms written by a row."""
        given = {atom: self.writer.unfolded(self.known.witness[inner])}
        return self.writer.unfolded(self.known.witness[row], given)

    def _shortened(self, way: Way, table: str) -> Iterator[tuple[UOp, UOp, str]]:
        """x & 7 & 8 is 0, although x & 7 is known by other terms too."""
        op = Op[table.removesuffix("_N")]
        parts = [self.name(part) for part in self.writer.owners(way)]
        for position, part in enumerate(way.parts):
            for inner in self.known.ways.get((self.known.owner[part], table), ())[:MOST_FORMS]:
                ends = [self.name(end) for end in self.writer.owners(inner)]
                whole = with_parts(way, [*parts[:position], with_parts(inner, ends), *parts[position + 1 :]])
                elements, constant = chain_elements(whole, op)
                if len(elements) + (constant is not None) < len(parts) + len(ends) - 1:
                    yield whole, self._chain_of(op, elements, constant, whole), "chains"

    def _chain_of(self, op: Op, elements: Iterable[UOp], constant: int | None, like: UOp) -> UOp:
        assert isinstance(like.dtype, DType)
        parts = sorted(elements, key=self.forest.number.__getitem__)
        if constant is not None or not parts:
            parts.append(UOp.full(like.shape or (), like.dtype, constant or 0))
        result = parts[0]
        for part in parts[1:]:
            result = UOp(op, like.dtype, (result, part))
        return result

    def _atoms(self, terms: Iterable[UOp]) -> list[UOp]:
        """What the sums in terms are made of."""
        found: dict[UOp, None] = {}
        seen: set[UOp] = set()
        pending = list(terms)
        while pending:
            term = pending.pop()
            if term in seen:
                continue
            seen.add(term)
            self.forest.add(term)
            is_sum = term.op in (Op.ADD, Op.MUL, Op.SUB, Op.NEG)
            if not is_sum:
                found[term] = None
            if is_sum or term.op in (Op.FLOORDIV, Op.FLOORMOD):
                pending += term.src
        return list(found)

    def facts(self, terms: Iterable[UOp]) -> tuple[tuple[UOp, Fact], ...]:
        """The bounds that are known of terms."""
        return tuple(
            (term, fact)
            for term in terms
            for fact in self.forest.facts.get(self.forest.find(term), (None, None))
            if fact is not None
        )
