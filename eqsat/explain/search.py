"""Proves two terms equal: applies rules and theory steps to a congruence closure of both until they are in one class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

from eqsat.comprehensions import written_out
from eqsat.dtype import DType, bool_, wrap
from eqsat.egraph.tables.encode import held_comparison
from eqsat.egraph.theories.terms.assumptions import Assumption, known_truths, partial_sums
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.egraph.theories.terms.constants import constant_of
from eqsat.egraph.theories.theory import LAST_RESORT, Theories
from eqsat.egraph.theories.theory import THEORIES as SEARCHED
from eqsat.errors import ExplanationError, brief
from eqsat.explain.closure.congruence import ByTheory, CongruenceClosure
from eqsat.explain.closure.tables import (
    ENode,
    Tables,
    lowered_on_integers,
    tables,
    visible_terms,
    with_parts,
    written,
)
from eqsat.explain.matching.application import Applications, link
from eqsat.explain.matching.matcher import Found, Matcher
from eqsat.explain.matching.oriented_rules import Direction, directions_by_table
from eqsat.explain.theory_checks import THEORIES
from eqsat.explain.theory_links import TheoryLinks
from eqsat.ops import Op
from eqsat.rules.language.rule import Phase, RuleSet
from eqsat.uop import UOp, toposort
from eqsat.uop.limits import LARGEST

_DEPTH = 3  # levels of classes below its root that a pattern looks at
MOST_EXPLORATIONS = 2
_NOTHING = Bounds()
FAR = 1 << 62  # stands for a bound that is not known


@dataclass(frozen=True, slots=True)
class Limits:
    """When the search for an explanation stops.

    Attributes:
        terms: the greatest number of terms in the congruence closure.
        seconds: the longest wall time.
        rounds: the greatest number of rounds, each of which applies all rules or all theories.
    """

    terms: int = 60_000
    seconds: float = 60.0
    rounds: int = 60

    def __post_init__(self) -> None:
        for name in ("terms", "seconds", "rounds"):
            limit: object = getattr(self, name)
            if not isinstance(limit, int | float if name == "seconds" else int) or not 0 <= limit <= LARGEST:
                raise ExplanationError(
                    f"{name} of an explanation are limited by a number from 0 on, not {brief(limit)}"
                )

    @staticmethod
    def of(given: Limits | None) -> Limits:
        """The given limits; the default ones for None.

        Raises:
            ExplanationError: `given` is something else.
        """
        if given is not None and not isinstance(given, Limits):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ExplanationError(
                f"limits are an eqsat.explain.Limits, not {brief(given)}; None has usual ones"
            )
        return given or Limits()


class Search:
    """Applies rules to a congruence closure until two terms are in one class, or a limit is reached."""

    def __init__(
        self, rules: RuleSet, limits: Limits, assumptions: Sequence[Assumption] = (), *, theories_first: bool = False
    ) -> None:  # fmt: skip
        self.closure = CongruenceClosure()
        self.assumptions = tuple(assumptions)
        self.stand_ins: dict[UOp, UOp] = {}
        self.limits = limits
        self.theories_first = theories_first
        self.theories = Theories(0)
        self.splits: dict[UOp, list[tuple[int, UOp, UOp]]] = {}
        self.applications = Applications(self.closure)
        self.deadline = perf_counter() + limits.seconds
        self.by_table = directions_by_table(rules)
        self.given: frozenset[UOp] = frozenset()
        self.explorations = 0

    def show(self, term: UOp) -> None:
        """Makes a term and its subterms visible to rules and theories."""
        closure = self.closure
        closure.add(term)
        for node in visible_terms(term):
            if node in closure.visible:
                continue
            closure.visible[node] = written(node)
            closure.stamp[closure.find(node)] = closure.clock
            value = constant_of(node)
            if value is not None and isinstance(node.dtype, DType):
                link(self.closure, node, UOp.full(node.shape or (), node.dtype, value), "constants")
            elif lowered_on_integers(node):
                lowered = _lowered(node)
                link(self.closure, node, lowered, "sums")
                self.show(lowered)
            elif (comparison := held_comparison(node)) is not None:
                self.show(comparison)
                link(
                    self.closure, comparison, UOp.full(node.shape or (), bool_, True), "comparison of bounds"
                )
            elif (value := written_out(node)) is not None:
                self.show(value)
                link(self.closure, node, value, "comprehensions")

    def connect(self, one: UOp, other: UOp) -> bool:
        """Searches until two terms are in one class or a limit is reached; returns whether they are."""
        self.show(one)
        self.show(other)
        if self.assumptions:
            self._assume(one, other)
        closure = self.closure
        self.given = frozenset(toposort([one, other]))
        since = -1
        for round_number in range(self.limits.rounds):
            if closure.same(one, other):
                return True
            if self.is_exhausted:
                return False
            closure.clock += 1
            before = self._state()
            has_rules = round_number % 2 == int(self.theories_first)
            if has_rules:
                self._rules(self._tables(), Phase.SIMPLIFY, since)
                since = closure.clock - 1
            else:
                self._theories(self._tables())
            if self._state() == before and has_rules:
                closure.clock += 1
                self._theories(self._tables())
                if self._state() == before and not self._look_further():
                    break
        return closure.same(one, other)

    def _look_further(self) -> bool:
        """Tries what normal rounds leave out, and returns whether that found anything.

        These are fully expanded sums, and rules on given terms that equal one of their own operands; after these, exploring rules.
        """
        before = self._state()
        for one, other in TheoryLinks(self.closure, self._tables()).sums_written_out():
            link(self.closure, one, other, "sums")
        self._rules(tables(self.closure, self.given), Phase.SIMPLIFY, -1)
        if self._state() == before and self.explorations < MOST_EXPLORATIONS:
            self.explorations += 1
            self._rules(self._tables(), Phase.EXPLORE, -1)
        return self._state() != before

    @property
    def is_exhausted(self) -> bool:
        """Whether the limit of terms or seconds is reached."""
        return len(self.closure.number) > self.limits.terms or perf_counter() > self.deadline

    @property
    def spent(self) -> str:
        """What the search has used of its limits, in words."""
        seconds = self.limits.seconds - (self.deadline - perf_counter())
        return f"{len(self.closure.number)} terms were made in {seconds:.1f} s"

    def _assume(self, one: UOp, other: UOp) -> None:
        """Adds the facts that the assumptions imply about two terms: values of bools, bounds, and stand-in variables for bounded sums."""
        closure = self.closure
        order = toposort([one, other, *(condition for condition, _ in self.assumptions)])
        for node, truth in known_truths(self.assumptions).items():
            value = UOp.full(node.shape or (), bool_, truth)
            self.show(value)
            if node in closure.parent:
                closure.merge(node, value, ByTheory("assumed"))
        narrowed = Bounds((), self.assumptions).of(order)
        for node, ends in zip(order, narrowed, strict=True):
            closure.add(node)
            closure.narrow(node, ends)
        for part in partial_sums(self.assumptions, order):
            variable = self._stand_in(part.total)
            rewritten = variable * part.factor
            if part.rest.terms or part.rest.constant:
                rewritten = part.rest.build() + rewritten
            self.show(rewritten)
            closure.merge(part.term, rewritten, ByTheory("sums"))

    def _stand_in(self, total: UOp) -> UOp:
        """The stand-in variable for a sum. It has the bounds that the assumptions give the sum."""
        for variable, known in self.stand_ins.items():
            if known is total:
                return variable
        ((low, high),) = Bounds((), self.assumptions).of([total])
        variable = UOp.variable(
            f"sum {len(self.stand_ins)}", -FAR if low is None else low, FAR if high is None else high
        )
        self.stand_ins[variable] = total
        self.show(total)
        self.show(variable)
        self.closure.atoms.append(variable)
        self.closure.merge(total, variable, ByTheory("sums"))
        return variable

    def _state(self) -> tuple[int, ...]:
        """Counts that change whenever something is found. Terms and classes are counted apart, since one can hide a change of the other."""
        closure = self.closure
        splits = sum(map(len, self.splits.values()))
        return len(closure.number), len(closure.members), len(closure.visible), splits

    def _tables(self) -> Tables:
        """The tables of the closure, after n-ary applications with equal operands have been merged."""
        while True:
            known = tables(self.closure)
            linked = [self._link_twins(known, *twins) for twins in known.twins]
            if not any(linked):
                return known

    def _link_twins(self, known: Tables, one: ENode, other: ENode) -> bool:
        closure = self.closure
        if closure.same(one.term, other.term):
            return False
        ends = [
            with_parts(enode, [known.simplest[known.owner[part]] for part in enode.parts])
            for enode in (one, other)
        ]
        for end in ends:
            closure.add(end)
        for theory in ("sums", "n-ary operands"):
            link(self.closure, ends[0], ends[1], theory)
        return closure.same(one.term, other.term)

    # theories

    def _theories(self, known: Tables) -> None:
        """Runs the theories. If they find nothing new, runs the theory of last resort, which uses divisors and known bits."""
        before = self._state()
        claims = TheoryLinks(self.closure, known)
        self.theories.claim(claims.context, SEARCHED, claims)
        self._link_claims(claims)
        if self._state() == before:
            claims = TheoryLinks(self.closure, known)
            self.theories.claim(claims.context, (LAST_RESORT,), claims)
            self._link_claims(claims)

    def _link_claims(self, claims: TheoryLinks) -> None:
        for owner, term in claims.equal:
            if claims.prove(owner, term):
                self.show(term)
        for start, end, theory in claims.coincidences():
            link(self.closure, start, end, theory)
            if self.closure.same(start, end):
                self.show(end)
        for owner, divisor, quotient, rest in claims.splits:
            dtype = quotient.dtype
            assert isinstance(dtype, DType)
            term = quotient * UOp.full(quotient.shape or (), dtype, divisor) + rest
            if any(
                self._joined(form, term, claims.name(owner))
                for form in claims.representatives.dividends(owner)
            ):
                self.show(quotient)
                self.show(rest)
                self.splits.setdefault(claims.name(owner), []).append((divisor, quotient, rest))
                self.closure.stamp[self.closure.find(term)] = self.closure.clock

    def _joined(self, form: UOp, term: UOp, dividend: UOp) -> bool:
        closure = self.closure
        if not THEORIES["sums"].check(form, term, _NOTHING):
            return False
        closure.add(form)
        closure.add(term)
        if not closure.same(form, dividend):
            return False
        if not closure.same(form, term):
            closure.merge(form, term, ByTheory("sums"))
        return True

    # rules

    def _rules(self, known: Tables, phase: Phase, since: int) -> None:
        matcher = Matcher(known, self._splits_by_class(known))
        changed = self._changed(known, since)
        found: list[tuple[Direction, ENode, Found]] = []
        for (owner, table), enodes in known.enodes.items():
            if owner not in changed:
                continue
            if perf_counter() > self.deadline:
                return
            for direction in self.by_table.get((phase, table), ()):
                for enode in enodes:
                    for match in matcher.root(direction, enode, table):
                        found.append((direction, enode, match))
        for direction, enode, match in found:
            made = self.applications.apply(known, direction, enode, match)
            if made is not None:
                self.show(made)
            if self.is_exhausted:
                return

    def _splits_by_class(self, known: Tables) -> dict[int, list[tuple[int, int, int]]]:
        found: dict[int, list[tuple[int, int, int]]] = {}
        for term, splits in self.splits.items():
            for divisor, quotient, rest in splits:
                entry = (divisor, known.owner[quotient], known.owner[rest])
                entries = found.setdefault(known.owner[term], [])
                if entry not in entries:
                    entries.append(entry)
        return found

    def _changed(self, known: Tables, since: int) -> set[int]:
        """The classes that changed since a clock value, and their users up to the depth of patterns."""
        closure = self.closure
        found = {known.owner[term] for term in closure.members if closure.stamp[term] > since}
        latest = found
        for _ in range(_DEPTH):
            latest = {user for owner in latest for user in known.users.get(owner, ())} - found
            found |= latest
        return found


def _lowered(term: UOp) -> UOp:
    """Rewrites a SUB, NEG or MULACC of integers as a sum."""
    dtype = term.dtype
    assert isinstance(dtype, DType)
    minus_one = UOp.full(term.shape or (), dtype, wrap(dtype, -1))
    match term.op:
        case Op.NEG:
            return term.src[0] * minus_one
        case Op.SUB:
            return term.src[0] + term.src[1] * minus_one
        case _:
            return term.src[0] * term.src[1] + term.src[2]
