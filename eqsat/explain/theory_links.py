"""Turns the claims of theories about a congruence closure into links between terms. Each link passes a check of its theory when it is made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, cast

from eqsat.dtype import DType, bool_
from eqsat.egraph.snapshot.constants import plain_dtype
from eqsat.egraph.snapshot.frozen import Row
from eqsat.egraph.tables.callbacks import bits_float, decode
from eqsat.egraph.theories.claims import (
    Claim,
    Constant,
    Equal,
    Operation,
    Place,
    Reinterpreted,
    Scaled,
    Split,
    Sum,
    Term,
    written_out,
)
from eqsat.egraph.theories.constants import CONSTANTS
from eqsat.egraph.theories.context import Context
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.egraph.theories.terms.constants import constant_of
from eqsat.egraph.theories.terms.operands import operands_and_constant
from eqsat.egraph.theories.terms.sums import polynomial
from eqsat.egraph.theories.theory import LAST_RESORT
from eqsat.egraph.theories.theory import THEORIES as SEARCHED
from eqsat.explain.closure.analysis_witnesses import Witnesses
from eqsat.explain.closure.congruence import ByTheory, CongruenceClosure
from eqsat.explain.closure.representatives import MOST_FORMS, NARY_TABLES, Representatives
from eqsat.explain.closure.tables import ENode, Tables, combined, with_parts
from eqsat.explain.theory_checks import THEORIES
from eqsat.integers.intervals import Interval
from eqsat.integers.polynomials import term_replaced, wrapped
from eqsat.ops import COMPARISON, Op
from eqsat.shape import Shape
from eqsat.uop import UOp, toposort

# checks that are tried on the forms of a class; those of constants are tried on its e-nodes
_ON_FORMS = tuple(name for each in SEARCHED if each is not CONSTANTS for name in each.checks)


class ClosureBounds(Bounds):
    """The bounds that a congruence closure knows."""

    def __init__(self, closure: CongruenceClosure) -> None:
        super().__init__()
        self.closure = closure

    def of(self, terms: Sequence[UOp]) -> list[Interval]:
        """The interval of each term."""
        return [self.closure.bounds(term) if term in self.closure.parent else (None, None) for term in terms]


def _place(place: Place) -> tuple[DType, Shape]:
    return plain_dtype(place[0]), decode("t", place[1])


class TheoryLinks:
    """Receives the claims of theories about a congruence closure, and proves them as links between terms."""

    def __init__(self, closure: CongruenceClosure, known: Tables) -> None:
        self.closure = closure
        self.known = known
        self.bounds = ClosureBounds(closure)
        self.equal: list[tuple[int, UOp]] = []
        self.splits: list[tuple[int, int, UOp, UOp]] = []
        self.context = Context(known.frozen)
        self.representatives = Representatives(known, self.context)

    def claim(self, claim: Claim) -> None:
        """Records a claim, to be proved later."""
        match claim:
            case Equal():
                self.equal.append((claim.owner, self.write(claim.term)))
            case Split(_, owner, place, divisor, quotient, rest):
                self.splits.append(
                    (owner, divisor, self.write(Sum(place, quotient)), self.write(Sum(place, rest)))
                )

    def lasting_name(self, owner: int) -> int:
        """A number of a class that stays the same from one round to the next."""
        return self.known.frozen.names[owner]

    def name(self, owner: int) -> UOp:
        """The smallest term of a class."""
        return self.representatives.name(owner)

    def write(self, term: Term) -> UOp:
        """The UOp that a term of a claim denotes."""
        match term:
            case int():
                return self.name(term)
            case Sum():
                return self.write(written_out(term))
            case Constant(place, bits):
                dtype, shape = _place(place)
                return UOp.full(shape, dtype, bits_float(bits) if dtype.is_float else bits)
            case Scaled(place, factor, value):
                dtype, shape = _place(place)
                return self.write(value) * UOp.full(shape, dtype, factor)
            case Reinterpreted(place, _, value):
                return UOp(Op.BITCAST, _place(place)[0], (self.write(value),))
            case Operation(table, place, operands):
                dtype, _ = _place(place)
                op = Op[table.removesuffix("_N")]
                written = [self.write(operand) for operand in operands]
                if table.endswith("_N"):
                    return combined(op, written)
                return UOp(op, bool_ if op in COMPARISON else dtype, tuple(written))

    # links

    def prove(self, owner: int, term: UOp) -> bool:
        """Links a class with the term that a theory claims it equals. Returns false if no check accepts the claim."""
        closure = self.closure
        closure.add(term)
        if closure.same(self.name(owner), term):
            return True
        reasons = self._constant(owner, term) if constant_of(term) is not None else self._written(owner, term)
        for start, end, why in chain(reasons, self._deduced(owner, term)):
            closure.add(start)
            closure.add(end)
            if closure.same(start, self.name(owner)) and closure.same(end, term):
                closure.merge(start, end, why)
                return True
        return False

    def _constant(self, owner: int, term: UOp) -> Iterator[tuple[UOp, UOp, ByTheory]]:
        rep = self.name(owner)
        value = constant_of(term)
        if not isinstance(value, float) and value is not None and self.bounds.of([rep]) == [(value, value)]:
            yield rep, term, ByTheory("bounds", self.closure.facts_of([rep]))
        for enode in self.representatives.enodes(owner):
            constants = [self.representatives.constant(part) for part in self.representatives.owners(enode)]
            if enode.parts and None not in constants:
                folded = with_parts(enode, cast("list[UOp]", constants))
                for name in ("constants", "sums", "n-ary operands"):
                    if THEORIES[name].check(folded, term, self.bounds):
                        yield folded, term, ByTheory(name)
            if enode.term.op in COMPARISON:
                sides = self.representatives.unfolded(enode)
                self.closure.add(sides)
                if THEORIES["comparison of bounds"].check(sides, term, self.bounds):
                    yield (
                        sides,
                        term,
                        ByTheory("comparison of bounds", self.closure.facts_of(self._atoms(sides.src))),
                    )
        yield from self._written(owner, term)

    def _written(self, owner: int, term: UOp) -> Iterator[tuple[UOp, UOp, ByTheory]]:
        for start, end in self.representatives.pairs(owner, term):
            for name in _ON_FORMS:
                if THEORIES[name].check(start, end, self.bounds):
                    sides = (*start.src, *end.src) if name not in ("sums", "n-ary operands", "limits") else ()
                    yield start, end, ByTheory(name, self.closure.facts_of(self._atoms(sides)))

    def _deduced(self, owner: int, term: UOp) -> Iterator[tuple[UOp, UOp, ByTheory]]:
        """Proofs from divisors and known bits: the operands of both terms are replaced by witnesses, from which the facts can be computed."""
        end = self.witnesses.shown(term)
        self.closure.add(end)
        for start in self.witnesses.forms(owner):
            self.closure.add(start)
            for name in LAST_RESORT.checks:
                if THEORIES[name].check(start, end, self.bounds):
                    yield start, end, ByTheory(name, self.closure.facts_of(toposort([start, end])))

    @cached_property
    def witnesses(self) -> Witnesses:
        """The witnesses of the known divisors and bits of classes."""
        return Witnesses(self.representatives)

    def coincidences(self) -> Iterator[tuple[UOp, UOp, str]]:
        """Pairs of terms that a theory can prove equal after one atom is replaced by another e-node of its class; theory steps do not try this."""
        yield from self._equal_sums()
        for (_, table), enodes in self.known.enodes.items():
            if table in NARY_TABLES:
                for enode in enodes:
                    yield from self._shortened(enode, table)

    def sums_written_out(self) -> Iterator[tuple[UOp, UOp]]:
        """Pairs of classes that are equal as fully expanded polynomials; theory steps skip those with large coefficients or many terms."""
        known: dict[Any, UOp] = {}
        for rows in self.representatives.polynomials.ring_rows.values():
            for row in rows[:MOST_FORMS]:
                term = self.representatives.unfolded(self.known.witness[row])
                other = known.setdefault((term.dtype, term.shape, frozenset(polynomial(term).items())), term)
                if other is not term:
                    yield term, other

    def _equal_sums(self) -> Iterator[tuple[UOp, UOp, str]]:
        polynomials = self.representatives.polynomials
        written: dict[Any, tuple[int, ENode]] = {}
        rows = [(owner, row) for owner, rows in polynomials.ring_rows.items() for row in rows[:MOST_FORMS]]
        for owner, row in rows:
            form = polynomials.of_row(row)
            written.setdefault(polynomials.key(owner, form), (owner, self.known.witness[row]))
        for owner, row in rows:
            form = wrapped(polynomials.of_row(row), plain_dtype(row.dtype))
            for monomial in form:
                if len(monomial) != 1 or monomial[0] == owner:
                    continue
                for inner in polynomials.ring_rows.get(monomial[0], [])[:MOST_FORMS]:
                    longer = wrapped(
                        term_replaced(form, monomial, polynomials.of_row(inner)), plain_dtype(row.dtype)
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
                        yield (
                            self._rewritten(row, monomial[0], inner),
                            self.representatives.unfolded(other[1]),
                            "sums",
                        )

    def _rewritten(self, row: Row, atom: int, inner: Row) -> UOp:
        """The sum of `row` with the sum of `inner` in place of `atom`."""
        given = {atom: self.representatives.unfolded(self.known.witness[inner])}
        return self.representatives.unfolded(self.known.witness[row], given)

    def _shortened(self, enode: ENode, table: str) -> Iterator[tuple[UOp, UOp, str]]:
        """Applications that become shorter once an operand is written as another e-node of its class.

        For example, x & 7 & 8 is 0, although x & 7 may be known by another term.
        """
        op = Op[table.removesuffix("_N")]
        parts = [self.name(part) for part in self.representatives.owners(enode)]
        for position, part in enumerate(enode.parts):
            for inner in self.known.enodes.get((self.known.owner[part], table), ())[:MOST_FORMS]:
                ends = [self.name(end) for end in self.representatives.owners(inner)]
                whole = with_parts(
                    enode, [*parts[:position], with_parts(inner, ends), *parts[position + 1 :]]
                )
                operands, constant = operands_and_constant(whole, op)
                if len(operands) + (constant is not None) < len(parts) + len(ends) - 1:
                    yield whole, self._nary_application(op, operands, constant, whole), "n-ary operands"

    def _nary_application(self, op: Op, operands: Iterable[UOp], constant: int | None, like: UOp) -> UOp:
        assert isinstance(like.dtype, DType)
        parts = sorted(operands, key=self.closure.number.__getitem__)
        if constant is not None or not parts:
            parts.append(UOp.full(like.shape or (), like.dtype, constant or 0))
        return combined(op, parts)

    def _atoms(self, terms: Iterable[UOp]) -> list[UOp]:
        """The atoms of the polynomials in some terms: every subterm that is no sum, product, difference or negation."""
        found: dict[UOp, None] = {}
        seen: set[UOp] = set()
        pending = list(terms)
        while pending:
            term = pending.pop()
            if term in seen:
                continue
            seen.add(term)
            self.closure.add(term)
            is_sum = term.op in (Op.ADD, Op.MUL, Op.SUB, Op.NEG)
            if not is_sum:
                found[term] = None
            if is_sum or term.op in (Op.FLOORDIV, Op.FLOORMOD):
                pending += term.src
        return list(found)
