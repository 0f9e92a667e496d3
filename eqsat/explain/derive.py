"""Extracts a proof from a congruence closure: the path between two equal terms becomes a chain of steps, and paths that steps share become lemmas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from eqsat.egraph.tables.encode import operands_of
from eqsat.egraph.theories.terms.assumptions import Assumption
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.explain.closure.congruence import ByCongruence, ByLemma, ByRule, ByTheory, CongruenceClosure, Fact
from eqsat.explain.replay import replaced, rule_problem, subterm
from eqsat.explain.steps import Lemma, Path, Step, StepKind
from eqsat.explain.theory_checks import THEORIES
from eqsat.uop import UOp, toposort

Pair = tuple[UOp, UOp]  # two equal terms


@dataclass(frozen=True, slots=True)
class Use:
    """The use of another pair inside a chain: at a position, and in one of the two directions."""

    pair: Pair
    forwards: bool
    position: Path


# The steps from one side of a pair to the other. Each step comes with its premises, which have no lemma numbers yet.
Chain = list[tuple[Step, tuple[Pair, ...]] | Use]


class Derivation:
    """Extracts chains of steps from one congruence closure; shared paths are appended to the given lemmas.

    Variables that stand for sums in the closure are replaced by these sums, their `originals`. The chain holds under `assumptions`.
    """

    def __init__(
        self,
        closure: CongruenceClosure,
        lemmas: list[Lemma],
        originals: Mapping[UOp, UOp],
        assumptions: Sequence[Assumption],
    ) -> None:
        self.closure = closure
        self.lemmas = lemmas
        self.renamed: dict[UOp, UOp] = dict(originals)
        self.has_copies = bool(originals)
        self.assumptions = tuple(assumptions)
        self.chains: dict[Pair, Chain] = {}
        self.numbers: dict[Pair, int] = {}
        self.written: dict[Pair, list[Step]] = {}

    def steps(self, before: UOp, after: UOp) -> list[Step]:
        """The steps from one term of the closure to an equal one. Appends the lemmas that they need to `lemmas`."""
        target, forwards = self._pair(before, after)
        order = self._collect(target)
        uses: dict[Pair, int] = {}
        shown: set[Pair] = set()
        for pair in order:
            for item in self.chains[pair]:
                if isinstance(item, Use):
                    uses[item.pair] = uses.get(item.pair, 0) + 1
                else:
                    shown.update(item[1])
        for pair in order:
            if pair in self.written:
                continue
            steps = self._write(pair)
            self.written[pair] = steps
            if pair != target and ((pair in shown and steps) or (uses.get(pair, 0) > 1 and len(steps) > 1)):
                self.numbers[pair] = len(self.lemmas)
                sides = (self.rename(pair[0]), self.rename(pair[1]))
                self.lemmas.append(Lemma(*sides, tuple(steps), self.assumptions))
        found = self.written[target]
        return found if forwards else [step.turned() for step in reversed(found)]

    def rename(self, term: UOp) -> UOp:
        """A term with all stand-in variables replaced by their originals."""
        if not self.has_copies:
            return term
        for node in toposort([term]):
            if node not in self.renamed:
                self.renamed[node] = node.with_src(tuple(self.renamed[source] for source in node.src))
        return self.renamed[term]

    def _pair(self, one: UOp, other: UOp) -> tuple[Pair, bool]:
        number = self.closure.number
        return ((one, other), True) if number[one] <= number[other] else ((other, one), False)

    def _collect(self, target: Pair) -> list[Pair]:
        """All pairs that the target needs; each pair comes after the pairs that it needs itself."""
        order: dict[Pair, None] = {}
        stack: list[tuple[Pair, bool]] = [(target, False)]
        while stack:
            pair, ready = stack.pop()
            if pair in order:
                continue
            if ready:
                order[pair] = None
                continue
            if pair not in self.chains:
                self.chains[pair] = self._chain(pair)
            stack.append((pair, True))
            for item in self.chains[pair]:
                needed = [item.pair] if isinstance(item, Use) else item[1]
                stack += [(other, False) for other in needed if other not in order]
        return list(order)

    def _chain(self, pair: Pair) -> Chain:
        chain: Chain = []
        for start, end, why, as_stated in self.closure.path(*pair):
            if isinstance(why, ByCongruence):
                for place, (one, other) in enumerate(zip(operands_of(start), operands_of(end), strict=True)):
                    if one is not other:
                        inner, forwards = self._pair(one, other)
                        chain.append(Use(inner, forwards, (place,)))
                continue
            before, after = self.rename(start), self.rename(end)
            if before is after:
                continue
            stated = (before, after) if as_stated else (after, before)
            step, premises = self._step(stated, why)
            chain.append((step if as_stated else step.turned(), premises))
        return chain

    def _step(
        self, stated: tuple[UOp, UOp], why: ByRule | ByTheory | ByLemma
    ) -> tuple[Step, tuple[Pair, ...]]:
        before, after = stated
        match why:
            case ByLemma(kind, number):
                return Step(kind, f"lemma {number}", True, (), before, after, lemma=number), ()
            case ByTheory(name, facts):
                step = Step(StepKind.THEORY, name, True, (), before, after)
                return step, self._premises(step, why, facts)
            case ByRule(rule, given, facts):
                bindings: dict[str, Any] = {
                    name: self.rename(value) if isinstance(value, UOp) else value
                    for name, value in given.items()
                }
                step = Step(StepKind.RULE, rule.name, True, (), before, after, bindings)
                return step, self._premises(step, why, facts)

    def _premises(
        self, step: Step, why: ByRule | ByTheory, facts: Iterable[tuple[UOp, Fact]]
    ) -> tuple[Pair, ...]:
        """The equalities that a step needs so that its terms have the bounds that its guard or check asks for."""
        if not facts or self._holds(step, why, ()):
            return ()
        needed = list(self._sources(facts))
        for pair in list(needed):
            fewer = [other for other in needed if other != pair]
            if self._holds(step, why, fewer):
                needed = fewer
        return tuple(needed)

    def _sources(self, facts: Iterable[tuple[UOp, Fact]]) -> dict[Pair, None]:
        """The equalities from which facts were derived."""
        found: dict[Pair, None] = {}
        pending = list(facts)
        seen: set[tuple[int, int]] = set()
        while pending:
            term, fact = pending.pop()
            if (id(term), id(fact)) in seen:
                continue
            seen.add((id(term), id(fact)))
            if term is not fact.term:
                found[self._pair(term, fact.term)[0]] = None
            pending += fact.sources
        return found

    def _holds(self, step: Step, why: ByRule | ByTheory, premises: Iterable[Pair]) -> bool:
        bounds = Bounds([(self.rename(one), self.rename(other)) for one, other in premises], self.assumptions)
        if isinstance(why, ByTheory):
            return THEORIES[why.name].check(step.before, step.after, bounds)
        return not rule_problem(why.rule, step, bounds)

    def _write(self, pair: Pair) -> list[Step]:
        """The steps of a pair. Pairs that have a lemma become one step; the steps of other pairs are inserted."""
        steps: list[Step] = []
        for item in self.chains[pair]:
            if not isinstance(item, Use):
                step, premises = item
                numbered = tuple(self.numbers[premise] for premise in premises if premise in self.numbers)
                steps.append(replace(step, premises=numbered))
                continue
            number = self.numbers.get(item.pair)
            if number is not None:
                sides = (self.rename(item.pair[0]), self.rename(item.pair[1]))
                used = Step(StepKind.LEMMA, f"lemma {number}", True, (), *sides, lemma=number)
                inner = [used if item.forwards else used.turned()]
            else:
                inner = self.written[item.pair]
                inner = inner if item.forwards else [step.turned() for step in reversed(inner)]
            steps += [step.inside(item.position) for step in inner]
        start = self.rename(pair[0])
        return joined(start, without_detours(start, steps))


def without_detours(start: UOp, steps: Sequence[Step]) -> list[Step]:
    """Removes the steps between two occurrences of the same term."""
    kept: list[Step] = []
    terms = [start]
    places = {start: 0}
    for step in steps:
        term = replaced(terms[-1], step.position, step.after)
        if term in places:
            for dropped in terms[places[term] + 1 :]:
                del places[dropped]
            del terms[places[term] + 1 :], kept[places[term] :]
            continue
        places[term] = len(terms)
        terms.append(term)
        kept.append(step)
    return kept


def joined(start: UOp, steps: Sequence[Step]) -> list[Step]:
    """Replaces each run of steps that regroup operands of an n-ary operator by a single step, if one theory check accepts it."""
    result: list[Step] = []
    term, run = start, list[Step]()
    for step in [*steps, None]:
        if step is not None and step.kind is StepKind.THEORY and step.name in _REGROUPINGS:
            run.append(step)
            continue
        result += _regrouped(term, run)
        term = _end(term, run)
        run = []
        if step is not None:
            result.append(step)
            term = replaced(term, step.position, step.after)
    return result


def _regrouped(start: UOp, run: list[Step]) -> list[Step]:
    """A run of regroupings as one step, or the run itself if no theory check accepts it as one."""
    if len(run) < 2:
        return run
    path = _common([step.position for step in run])
    before, after = subterm(start, path), subterm(_end(start, run), path)
    assert before is not None
    assert after is not None
    for name in _REGROUPINGS[:2]:
        if THEORIES[name].check(before, after, _NO_BOUNDS):
            return [Step(StepKind.THEORY, name, True, path, before, after)]
    return run


def _end(start: UOp, steps: Sequence[Step]) -> UOp:
    for step in steps:
        start = replaced(start, step.position, step.after)
    return start


def _common(paths: Sequence[Path]) -> Path:
    """The longest common prefix of some paths."""
    first, last = min(paths), max(paths)
    length = next(
        (place for place, (one, other) in enumerate(zip(first, last, strict=False)) if one != other),
        min(len(first), len(last)),
    )
    return first[:length]


_REGROUPINGS = ("sums", "n-ary operands", "commuted")
_NO_BOUNDS = Bounds()
