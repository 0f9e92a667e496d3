"""What the theory steps find in a forest, as links between terms: each is checked when it is made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, cast

from eqsat.dtype import DType, bool_, parse_dtype
from eqsat.egraph.bridge import bits_float, decode
from eqsat.egraph.deductions import deduce
from eqsat.egraph.folding import fold
from eqsat.egraph.frozen import Row
from eqsat.egraph.polynomial import RING, Polynomial, Polynomials, normal
from eqsat.egraph.splits import substituted
from eqsat.egraph.statements import Statements
from eqsat.egraph.theory import Theory
from eqsat.explain.bounds import Bounds, Interval
from eqsat.explain.constants import constant_of
from eqsat.explain.elements import chain_elements
from eqsat.explain.forest import ByTheory, Fact, Forest
from eqsat.explain.rows import Tables, Way, with_parts
from eqsat.explain.theories import DEDUCTIONS, THEORIES
from eqsat.explain.witnesses import Witnesses
from eqsat.ops import COMPARISON, Op
from eqsat.uop import UOp, toposort

_CHAINS = ("MAX_N", "MIN_N", "AND_N", "OR_N", "XOR_N")
_UNCONDITIONAL = (
    "sums",
    "chains",
    "limits",
    "differences",
    "bitcasts",
    "comparison of counts",
    "division by a factor",
    "division of two values",
    "extents",
)
MOST_FORMS = 24  # ways to write one sum that are tried


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
        self.constants, _ = fold(known.frozen)
        self.polynomials = Polynomials(known.frozen, self.constants)

    def run(self) -> None:
        """Collects the statements."""
        self.theory.state(self.known.frozen, self)

    def deduce(self) -> None:
        """Collects what divisors and bits tell, which theory steps ask only where they state nothing else, be it known or not."""
        deduce(Statements(self.theory, self.known.frozen, cast("Any", self)))

    # what a theory step calls

    def name(self, owner: int) -> UOp:
        """A term of a class."""
        return self.known.simplest[owner]

    def constant(self, owner: int) -> UOp | None:
        """The constant that a class is, as the theory step found."""
        bits = self.constants.get(owner)
        if bits is None:
            return None
        member = self.name(owner)
        return self.term("CONST", member.dtype.name, repr(member.shape), bits)

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
        for way in self._ways(owner):
            constants = [self.constant(self.known.owner[part]) for part in way.parts]
            if way.parts and None not in constants:
                folded = with_parts(way, cast("list[UOp]", constants))
                for name in ("constants", "sums", "chains"):
                    if THEORIES[name].check(folded, term, self.bounds):
                        yield folded, term, ByTheory(name)
            if way.term.op in COMPARISON:
                sides = with_parts(way, [self.unfold(self.known.owner[part]) for part in way.parts])
                self.forest.add(sides)
                if THEORIES["comparison of bounds"].check(sides, term, self.bounds):
                    yield sides, term, ByTheory("comparison of bounds", self.facts(self._atoms(sides.src)))
        yield from self._written(owner, term)

    def _written(self, owner: int, term: UOp) -> Iterator[tuple[UOp, UOp, ByTheory]]:
        ends = [term]
        other = self.known.owner.get(term)
        if other is not None:
            ends += self._forms(other)
        for start in self._forms(owner):
            for end in ends:
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
        return Witnesses(self)

    def _forms(self, owner: int) -> Iterator[UOp]:
        """Terms of a class with what is below them written out, as the theory steps do."""
        ring = list(self._ways(owner, RING))
        if ring:
            yield self.unfold(owner)
            for way in ring[:MOST_FORMS]:
                yield self._unfolded(way, {})
            yield from self._with_alternatives(owner)
        for table in _CHAINS:
            for way in self.known.ways.get((owner, table), ()):
                yield self._chain(way, table)
        for way in self._ways(owner, ("CMPLT", "CMPNE")):
            yield with_parts(way, [self.unfold(self.known.owner[part]) for part in way.parts])
        for way in self._ways(owner, ("FLOORDIV", "FLOORMOD")):
            dividend, divisor = (self.known.owner[part] for part in way.parts)
            yield with_parts(way, [self.unfold(dividend), self.name(divisor)])
        yield from self._reading_bits(owner)

    def _reading_bits(self, owner: int) -> Iterator[UOp]:
        """Chains of which elements are written as bitcasts, and bitcasts of such chains."""
        if (owner, "BITCAST") not in self.known.ways and not self._has_bitcasts:
            return
        tables = ("ADD_N", "MUL_N", *_CHAINS)
        for way in self._ways(owner, tables):
            yield with_parts(way, [self._as_bitcast(part) for part in way.parts])
        for outer in self._ways(owner, ("BITCAST",)):
            for way in self._ways(self.known.owner[outer.parts[0]], tables):
                yield with_parts(outer, [with_parts(way, [self._as_bitcast(part) for part in way.parts])])

    @cached_property
    def _has_bitcasts(self) -> bool:
        return any(table == "BITCAST" for _, table in self.known.ways)

    def _as_bitcast(self, part: UOp) -> UOp:
        """A class as a bitcast, or as a multiple of one, where it is known as that."""
        owner = self.known.owner[part]
        for way in self._ways(owner, ("BITCAST",)):
            return with_parts(way, [self.name(self.known.owner[way.parts[0]])])
        for way in self._ways(owner, ("SCALE",)):
            inner = [self._ways(self.known.owner[value], ("BITCAST",)) for value in way.parts]
            parts = [
                next(
                    (with_parts(found, [self.name(self.known.owner[found.parts[0]])]) for found in ways), None
                )
                for ways in inner
            ]
            if any(parts):
                names = [self.name(self.known.owner[value]) for value in way.parts]
                return with_parts(way, [shown or name for shown, name in zip(parts, names, strict=True)])
        return self.name(owner)

    def _with_alternatives(self, owner: int) -> Iterator[UOp]:
        for monomial in list(self.polynomials.of(owner)):
            if len(monomial) == 1 and monomial[0] != owner:
                for way in list(self._ways(monomial[0], RING))[:MOST_FORMS]:
                    yield self.unfold(owner, {monomial[0]: self._unfolded(way, {})})

    def coincidences(self) -> Iterator[tuple[UOp, UOp, str]]:
        """Pairs of terms that a theory makes equal once an atom in one of them is written otherwise, which the theory steps do not try."""
        yield from self._equal_sums()
        for (_, table), ways in self.known.ways.items():
            if table in _CHAINS:
                for way in ways:
                    yield from self._shortened(way, table)

    def _equal_sums(self) -> Iterator[tuple[UOp, UOp, str]]:
        polynomials = self.polynomials
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
                        yield self._rewritten(row, monomial[0], inner), self._unfolded(other[1], {}), "sums"

    def _rewritten(self, row: Row, atom: int, inner: Row) -> UOp:
        """A sum with one of its atoms written by a row."""
        given = {atom: self._unfolded(self.known.witness[inner], {})}
        return self._unfolded(self.known.witness[row], given)

    def _shortened(self, way: Way, table: str) -> Iterator[tuple[UOp, UOp, str]]:
        """x & 7 & 8 is 0, although x & 7 is known by other terms too."""
        op = Op[table.removesuffix("_N")]
        parts = [self.name(self.known.owner[part]) for part in way.parts]
        for position, part in enumerate(way.parts):
            for inner in self.known.ways.get((self.known.owner[part], table), ())[:MOST_FORMS]:
                ends = [self.name(self.known.owner[end]) for end in inner.parts]
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

    def dividends(self, owner: int) -> Iterator[UOp]:
        """The sums by which a dividend may be written."""
        yield self.name(owner)
        yield from self._forms(owner)
        if not list(self._ways(owner, RING)):
            yield from self._with_alternatives(owner)

    def _ways(self, owner: int, tables: Iterable[str] = ()) -> Iterator[Way]:
        for table in tables or self._tables_of(owner):
            yield from self.known.ways.get((owner, table), ())

    def _tables_of(self, owner: int) -> list[str]:
        return [table for place, table in self.known.ways if place == owner]

    def unfold(self, owner: int, given: Mapping[int, UOp] | None = None) -> UOp:
        """A class as a sum of products of atoms, with the terms in `given` for some atoms."""
        done: dict[int, UOp] = dict(given or {})
        stack = [owner]
        opened: set[int] = set()
        while stack:
            current = stack[-1]
            if current in done:
                stack.pop()
                continue
            way = self._way_to_unfold(current)
            missing = (
                []
                if way is None
                else [self.known.owner[part] for part in way.parts if self.known.owner[part] not in done]
            )
            if way is None or (missing and current in opened):
                done[current] = self.constant(current) or self.name(current)
            elif missing:
                opened.add(current)
                stack += missing
            else:
                done[current] = with_parts(way, [done[self.known.owner[part]] for part in way.parts])
        return done[owner]

    def _way_to_unfold(self, owner: int) -> Way | None:
        polynomials = self.polynomials
        if (
            owner in polynomials.constants
            or owner not in polynomials.spread
            or polynomials.of(owner) == {(owner,): 1}
        ):
            return None
        return self.known.witness[polynomials.ring_rows[owner][0]]

    def _unfolded(self, way: Way, given: Mapping[int, UOp]) -> UOp:
        return with_parts(way, [self.unfold(self.known.owner[part], given) for part in way.parts])

    def _chain(self, way: Way, table: str) -> UOp:
        """A chain with the inner chains of its operation written out."""
        done: dict[int, UOp] = {}
        for part in way.parts:
            self._write_chain(self.known.owner[part], table, done)
        return with_parts(way, [done[self.known.owner[part]] for part in way.parts])

    def _write_chain(self, root: int, table: str, done: dict[int, UOp]) -> None:
        """Writes a class that is known as chains of one operation only by the first of them; one that contains itself by its name."""
        opened: set[int] = set()
        stack = [root]
        while stack:
            owner = stack[-1]
            if owner in done:
                stack.pop()
                continue
            way = self._only_chain(owner, table)
            owners = [] if way is None else [self.known.owner[part] for part in way.parts]
            missing = [other for other in owners if other not in done]
            if way is None or (missing and owner in opened):
                done[owner] = self.constant(owner) or self.name(owner)
            elif missing:
                opened.add(owner)
                stack += missing
            else:
                done[owner] = with_parts(way, [done[other] for other in owners])

    def _only_chain(self, owner: int, table: str) -> Way | None:
        """The first way to write a class that is known as chains of one operation only."""
        if self.constant(owner) is not None or self._tables_of(owner) != [table]:
            return None
        return self.known.ways[owner, table][0]

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
