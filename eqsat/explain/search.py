"""Making two terms one class: the rules and the theory steps, applied to a forest that holds both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from eqsat.dtype import DType, bool_
from eqsat.egraph.theory import Theory
from eqsat.errors import BuildError, RuleError
from eqsat.explain.assumptions import Assumption, known_truths, partial_sums
from eqsat.explain.assumptions import written as linear_term
from eqsat.explain.bounds import Bounds
from eqsat.explain.claims import Claims
from eqsat.explain.constants import constant_of
from eqsat.explain.forest import ByRule, ByTheory, Fact, Forest
from eqsat.explain.matching import Direction, Found, Matcher, Spot, directions
from eqsat.explain.rows import (
    Tables,
    Way,
    chain_op,
    lowered_on_integers,
    tables,
    visible_terms,
    with_parts,
    written,
)
from eqsat.explain.theories import THEORIES
from eqsat.ops import Op
from eqsat.rules.instantiate import build, holds, wrap
from eqsat.rules.pattern import Value
from eqsat.rules.rule import Phase, RuleSet
from eqsat.uop import UOp, toposort

_DEPTH = 3  # of the classes that a pattern looks at below its root
_NOTHING = Bounds()
FAR = 1 << 62  # stands for an end that is not known


@dataclass(frozen=True, slots=True)
class Limits:
    """When the search for an explanation is given up.

    Attributes:
        terms: that it may make.
        seconds: wall time.
        rounds: applications of all rules.
    """

    terms: int = 60_000
    seconds: float = 60.0
    rounds: int = 60


class Search:
    """Grows a forest from some terms until two of them are in one class."""

    def __init__(self, rules: RuleSet, limits: Limits, assumptions: Sequence[Assumption] = ()) -> None:
        self.forest = Forest()
        self.assumptions = tuple(assumptions)
        self.stand_ins: dict[UOp, UOp] = {}
        self.limits = limits
        self.theory = Theory(0)
        self.splits: dict[UOp, list[tuple[int, UOp, UOp]]] = {}
        self.applied: set[tuple[Any, ...]] = set()
        self.deadline = perf_counter() + limits.seconds
        self.by_table: dict[Phase, dict[str, list[Direction]]] = {phase: {} for phase in Phase}
        for direction in directions(tuple(rules)):
            for table in sorted(direction.root_tables()):
                self.by_table[direction.rule.phase].setdefault(table, []).append(direction)

    def show(self, term: UOp) -> None:
        """Lets rules and theories look at a term and at what is below it."""
        forest = self.forest
        forest.add(term)
        for node in visible_terms(term):
            if node in forest.visible:
                continue
            forest.visible[node] = written(node)
            forest.stamp[forest.find(node)] = forest.clock
            value = constant_of(node)
            if value is not None and isinstance(node.dtype, DType):
                self._link(node, UOp.full(node.shape or (), node.dtype, value), "constants")
            elif lowered_on_integers(node):
                lowered = _lowered(node)
                self._link(node, lowered, "sums")
                self.show(lowered)

    def _link(self, one: UOp, other: UOp, theory: str) -> None:
        forest = self.forest
        forest.add(other)
        if not forest.same(one, other) and THEORIES[theory].check(one, other, _NOTHING):
            forest.merge(one, other, ByTheory(theory))

    def connect(self, one: UOp, other: UOp) -> bool:
        """Whether two terms were found to be equal."""
        self.show(one)
        self.show(other)
        if self.assumptions:
            self._assume(one, other)
        forest = self.forest
        explored = 0
        since = -1
        for round_number in range(self.limits.rounds):
            if forest.same(one, other):
                return True
            if len(forest.number) > self.limits.terms or perf_counter() > self.deadline:
                return False
            forest.clock += 1
            before = self._state()
            if round_number % 2:
                self._theories(self._tables())
            else:
                self._rules(self._tables(), Phase.SIMPLIFY, since)
                since = forest.clock - 1
            if self._state() == before and round_number % 2 == 0:
                forest.clock += 1
                self._theories(self._tables())
                if self._state() == before:
                    if explored >= 2:
                        break
                    explored += 1
                    self._rules(self._tables(), Phase.EXPLORE, -1)
                    if self._state() == before:
                        break
        return forest.same(one, other)

    @property
    def spent(self) -> str:
        """How far the search came."""
        seconds = self.limits.seconds - (self.deadline - perf_counter())
        return f"{len(self.forest.number)} terms were made in {seconds:.1f} s"

    def _assume(self, one: UOp, other: UOp) -> None:
        """Makes known what the assumptions say about two terms: bools, bounds, and variables that stand for bounded sums."""
        forest = self.forest
        order = toposort([one, other, *(condition for condition, _ in self.assumptions)])
        for node, truth in known_truths(self.assumptions).items():
            value = UOp.full(node.shape or (), bool_, truth)
            self.show(value)
            if node in forest.parent:
                forest.merge(node, value, ByTheory("assumed"))
        narrowed = Bounds((), self.assumptions).of(order)
        for node, ends in zip(order, narrowed, strict=True):
            forest.add(node)
            forest.narrow(node, ends)
        for part in partial_sums(self.assumptions, order):
            variable = self._stand_in(part.total)
            rewritten = variable * part.factor
            if part.rest.terms or part.rest.constant:
                rewritten = linear_term(part.rest) + rewritten
            self.show(rewritten)
            forest.merge(part.term, rewritten, ByTheory("sums"))

    def _stand_in(self, total: UOp) -> UOp:
        """A variable with the bounds that the assumptions give a sum."""
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
        self.forest.atoms.append(variable)
        self.forest.merge(total, variable, ByTheory("sums"))
        return variable

    def _state(self) -> tuple[int, int, int]:
        forest = self.forest
        return len(forest.members), len(forest.visible), sum(map(len, self.splits.values()))

    def _tables(self) -> Tables:
        """The forest's tables, once chains of the same elements are one class."""
        while True:
            known = tables(self.forest)
            linked = [self._link_twins(known, *twins) for twins in known.twins]
            if not any(linked):
                return known

    def _link_twins(self, known: Tables, one: Way, other: Way) -> bool:
        forest = self.forest
        if forest.same(one.term, other.term):
            return False
        ends = [
            with_parts(way, [known.simplest[known.owner[part]] for part in way.parts]) for way in (one, other)
        ]
        for end in ends:
            forest.add(end)
        for theory in ("sums", "chains"):
            self._link(ends[0], ends[1], theory)
        return forest.same(one.term, other.term)

    # theories

    def _theories(self, known: Tables) -> None:
        claims = Claims(self.forest, known, self.theory)
        claims.run()
        for owner, term in claims.equal:
            if claims.prove(owner, term):
                self.show(term)
        for start, end, theory in claims.coincidences():
            self.forest.add(start)
            self._link(start, end, theory)
        for owner, divisor, quotient, rest in claims.splits:
            dtype = quotient.dtype
            assert isinstance(dtype, DType)
            term = quotient * UOp.full(quotient.shape or (), dtype, divisor) + rest
            if any(self._joined(form, term, claims.name(owner)) for form in claims.dividends(owner)):
                self.show(quotient)
                self.show(rest)
                self.splits.setdefault(claims.name(owner), []).append((divisor, quotient, rest))
                self.forest.stamp[self.forest.find(term)] = self.forest.clock

    def _joined(self, form: UOp, term: UOp, dividend: UOp) -> bool:
        forest = self.forest
        if not THEORIES["sums"].check(form, term, _NOTHING):
            return False
        forest.add(form)
        forest.add(term)
        if not forest.same(form, dividend):
            return False
        if not forest.same(form, term):
            forest.merge(form, term, ByTheory("sums"))
        return True

    # rules

    def _rules(self, known: Tables, phase: Phase, since: int) -> None:
        by_table = self.by_table[phase]
        matcher = Matcher(known, self._splits_by_class(known))
        changed = self._changed(known, since)
        found: list[tuple[Direction, Way, Found]] = []
        for (owner, table), ways in known.ways.items():
            if owner not in changed:
                continue
            for direction in by_table.get(table, ()):
                for way in ways:
                    for match in matcher.root(direction, way, table):
                        found.append((direction, way, match))
        for direction, way, match in found:
            self._apply(known, direction, way, match)
            if len(self.forest.number) > self.limits.terms or perf_counter() > self.deadline:
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
        """The classes that changed, and those written with them, as far up as patterns reach."""
        forest = self.forest
        found = {known.owner[term] for term in forest.members if forest.stamp[term] > since}
        latest = found
        for _ in range(_DEPTH):
            latest = {user for owner in latest for user in known.users.get(owner, ())} - found
            found |= latest
        return found

    def _apply(self, known: Tables, direction: Direction, way: Way, match: Found) -> None:
        rule = direction.oriented
        term = way.term
        assert isinstance(term.dtype, DType)
        bindings = {name: self._bound(known, direction, match, name) for name in match.env}
        key = (direction.rule.name, direction.forwards, term, *bindings.values())
        if key in self.applied:
            return
        self.applied.add(key)
        intervals = {
            name: self.forest.bounds(bindings[name])
            for name in direction.bounded
            if bindings[name] in self.forest.parent
        }
        try:
            if not holds(rule, bindings, intervals):
                self.applied.discard(key)
                return
            left = build(rule.left, bindings, term.dtype, term.shape or ())
            right = build(rule.right, bindings, _dtype(left), left.shape or (), intervals)
        except (BuildError, RuleError):
            return
        principal = left if direction.principal is None else bindings[direction.principal]
        if not direction.admits(_dtype(principal)):
            return
        if left.dtype != right.dtype or left.shape != right.shape:
            return
        whole_left, whole_right = self._whole(direction, match, way, left, right)
        forest = self.forest
        forest.add(whole_left)
        if not self._bridge(direction, match, bindings, left, whole_left, way):
            return
        facts = self._facts(direction, bindings)
        forest.add(right)
        if not forest.same(left, right):
            ends = (left, right) if direction.forwards else (right, left)
            forest.merge(*ends, ByRule(direction.rule, bindings, facts))
        forest.add(whole_right)
        self.show(whole_right)

    def _bound(self, known: Tables, direction: Direction, match: Found, name: str) -> Any:
        """What a variable stands for: of a value, a term of the class that was matched."""
        value = match.env[name]
        if not isinstance(direction.rule.variables[name], Value):
            return value
        if isinstance(value, int):
            return known.simplest[value]
        op = next(chain_op(spot.way.term) for spot in match.spots if value[0] in spot.way.parts)
        assert op is not None
        return _chained(op, value)

    def _whole(self, direction: Direction, match: Found, way: Way, left: UOp, right: UOp) -> tuple[UOp, UOp]:
        """Both sides with what else the matched chain combines."""
        if not match.spots or match.spots[-1].pattern is not direction.pattern:
            return left, right
        rest = [
            part for part, element in zip(way.parts, match.spots[-1].elements, strict=True) if element is None
        ]
        op = chain_op(way.term)
        assert op is not None
        return _chained(op, (left, *rest)), _chained(op, (right, *rest))

    def _bridge(
        self, direction: Direction, match: Found, bindings: dict[str, Any], left: UOp, whole: UOp, way: Way
    ) -> bool:
        """Links the matched term with the left side that stands in its place; false if that cannot be."""
        for spot in match.spots:
            if not self._regrouped(direction, spot, bindings, whole):
                return False
        if direction.lowered and not self.forest.same(whole, way.term):
            lowered = build(direction.pattern, bindings, _dtype(left), left.shape or ())
            self.forest.add(lowered)
            self._link(lowered, left, "sums")
        return self.forest.same(whole, way.term)

    def _regrouped(self, direction: Direction, spot: Spot, bindings: dict[str, Any], whole: UOp) -> bool:
        forest, term = self.forest, spot.way.term
        dtype, shape = _dtype(term), term.shape or ()
        parts = [
            part if element is None else build(element, bindings, dtype, shape)
            for part, element in zip(spot.way.parts, spot.elements, strict=True)
        ]
        apart = with_parts(spot.way, parts)
        forest.add(apart)
        if not forest.same(apart, term):
            return False
        target = whole if spot.pattern is direction.pattern else build(spot.pattern, bindings, dtype, shape)
        forest.add(target)
        for theory in ("sums", "chains"):
            self._link(apart, target, theory)
        return forest.same(apart, target)

    def _facts(self, direction: Direction, bindings: dict[str, Any]) -> tuple[tuple[UOp, Fact], ...]:
        return tuple(
            (bindings[name], fact)
            for name in sorted(direction.bounded)
            for fact in self.forest.facts.get(self.forest.find(bindings[name]), (None, None))
            if fact is not None
        )


def _chained(op: Op, parts: Sequence[UOp]) -> UOp:
    result = parts[0]
    for part in parts[1:]:
        result = UOp(op, result.dtype, (result, part))
    return result


def _dtype(term: UOp) -> DType:
    assert isinstance(term.dtype, DType)
    return term.dtype


def _lowered(term: UOp) -> UOp:
    """A difference, negation or MULACC of integers as a sum."""
    minus_one = UOp.full(term.shape or (), _dtype(term), wrap(_dtype(term), -1))
    match term.op:
        case Op.NEG:
            return term.src[0] * minus_one
        case Op.SUB:
            return term.src[0] + term.src[1] * minus_one
        case _:
            return term.src[0] * term.src[1] + term.src[2]
