"""Searches for rules: takes candidates, smallest first, drops those that the rules derive, and has the others proved.

A candidate that holds joins the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from time import perf_counter

from eqsat.dtype import bool_
from eqsat.proof.obligation import obligations
from eqsat.proof.report import Result, Status
from eqsat.proof.verification import SECONDS, check
from eqsat.rules.language.inference import infer
from eqsat.rules.language.rule import ANY, BOOL, Domain, Rule, RuleSet
from eqsat.rules.library import LIBRARY
from eqsat.simplification.simplify import integral_rules
from eqsat.suggest.candidate import Candidate
from eqsat.suggest.derivation import is_applicable, simplified_already, underivable
from eqsat.suggest.enumeration import Enumeration
from eqsat.suggest.grammar import Grammar

BATCH = 128  # candidates in one e-graph

_WRONG = frozenset({Status.REFUTED, Status.UNMATCHED})


@dataclass(frozen=True, slots=True, eq=False)
class Suggestion:
    """A rule that holds and that the library does not derive.

    Attributes:
        rule: the rule, with a name made of its operations.
        results: the results of its verification, one for each choice of dtypes.
        size: the number of operations of its left side.
        gain: how many operations fewer its right side has.
    """

    rule: Rule
    results: tuple[Result, ...]
    size: int
    gain: int

    @property
    def counts(self) -> dict[Status, int]:
        """The number of results with each status."""
        return dict(Counter(result.status for result in self.results))

    @property
    def is_proved(self) -> bool:
        """Whether Z3 proved it on every dtype; otherwise it is sampled on some."""
        return set(self.counts) == {Status.PROVED}


@dataclass(slots=True)
class Search:
    """A search in one domain. Iterate over it for suggestions, smallest first; its attributes say at any time what was done.

    The same arguments give the same suggestions in the same order, as many as the seconds allow.

    >>> from eqsat.proof import equation
    >>> from eqsat.suggest import GRAMMARS
    >>> search = Search(GRAMMARS["bool"], LIBRARY.without("nested_choices_with_one_result"), size=1)
    >>> [equation(suggestion.rule) for suggestion in search], search.is_complete
    ([], True)

    Attributes:
        grammar: the grammar of the terms; `GRAMMARS` has one for each domain.
        rules: the rules from which suggestions must not follow; the library by default. Suggestions are added.
        size: the most operations of a left side.
        seconds: the time that the search may take; it ends with what was found until then.
        equal: whether to suggest also rules whose right side is no quicker than the left one, only written differently.
        proof_seconds: the time that one proof may take.
        progress: called with a description of each step before it begins.
        terms: the number of different behaviours.
        candidates: the number of pairs of terms that behave alike on samples.
        underived: how many candidates the rules did not derive.
        refuted: how many of the underived candidates do not hold, or cannot be stated for any domain.
        searched: the size of left sides up to which the search is complete.
    """

    grammar: Grammar
    rules: RuleSet = LIBRARY
    size: int = 2
    seconds: float = 120.0
    equal: bool = False
    proof_seconds: float = SECONDS
    progress: Callable[[str], None] | None = None
    terms: int = 0
    candidates: int = 0
    underived: int = 0
    refuted: int = 0
    searched: int = 0
    _deadline: float = field(default=0.0, init=False)

    def __iter__(self) -> Iterator[Suggestion]:
        self._deadline = perf_counter() + self.seconds
        try:
            yield from self._levels()
        except _SecondsSpentError:
            return

    @property
    def is_complete(self) -> bool:
        """Whether everything up to `size` was searched."""
        return self.searched == self.size

    def _levels(self) -> Iterator[Suggestion]:
        grammar = self.grammar
        if not grammar.dtype.is_float:
            self.rules = integral_rules(self.rules)
        enumerations = [Enumeration(grammar, setting, self.size) for setting in grammar.settings]
        for size in range(1, self.size + 1):
            found: list[Candidate] = []
            for enumeration in enumerations:
                self._say(f"terms of {size} operations")
                found += (each for each in self._timed(enumeration.grow()) if each.is_slower or self.equal)
            self.candidates += len(found)
            self.terms = sum(each.terms for each in enumerations)
            yield from self._selected(sorted(found, key=lambda candidate: candidate.order))
            self.searched = size

    def _selected(self, candidates: Sequence[Candidate]) -> Iterator[Suggestion]:
        """The suggestions among the candidates: those that hold and that neither the rules nor earlier suggestions derive.

        After each suggestion, the candidates that remain of its batch are checked again.
        """
        waiting = list(candidates)
        while waiting:
            self._say(f"{len(waiting):,} candidates of {waiting[0].size} operations")
            batch, waiting = waiting[:BATCH], waiting[BATCH:]
            left = underivable(batch, self.rules, self.grammar)
            for number, candidate in enumerate(left):
                suggestion = self._verified(candidate)
                if suggestion is not None:
                    yield suggestion
                    self.rules += RuleSet((suggestion.rule,))
                    waiting = left[number + 1 :] + waiting
                    break

    def _verified(self, candidate: Candidate) -> Suggestion | None:
        """The candidate as a rule for the widest domain on whose dtypes it holds; None if there is no such domain, or if it is derived."""
        # In a larger e-graph, an n-ary application may be hidden inside another
        alone = underivable([candidate], self.rules, self.grammar)
        if not alone or simplified_already(candidate, self.rules, self.grammar):
            return None
        self.underived += 1
        name = self._free_name(candidate.name)
        known: dict[str, Result] = {}
        first, *domains = _domains(candidate, self.grammar)
        if self._results(candidate.rule(name, first), known):
            for domain in domains:
                rule = candidate.rule(name, domain)
                if is_applicable(rule) and (results := self._results(rule, known)):
                    return Suggestion(rule, results, candidate.size, candidate.gain)
        self.refuted += 1
        return None

    def _results(self, rule: Rule, known: dict[str, Result]) -> tuple[Result, ...]:
        """The result of verifying each obligation of a rule; empty if one is wrong."""
        stated = obligations([rule])
        for obligation in stated:
            self._check_clock()
            if obligation.dtypes not in known:
                known[obligation.dtypes] = check(obligation, self.proof_seconds)
            if known[obligation.dtypes].status in _WRONG:
                return ()
        return tuple(known[obligation.dtypes] for obligation in stated)

    def _free_name(self, name: str) -> str:
        taken = {rule.name for rule in self.rules}
        return next(
            free for number in count(1) if (free := f"{name}_{number}" if number > 1 else name) not in taken
        )

    def _timed(self, candidates: Iterator[Candidate]) -> Iterator[Candidate]:
        for candidate in candidates:
            self._check_clock()
            yield candidate

    def _say(self, message: str) -> None:
        self._check_clock()
        if self.progress is not None:
            self.progress(message)

    def _check_clock(self) -> None:
        if perf_counter() > self._deadline:
            raise _SecondsSpentError


class _SecondsSpentError(Exception):
    pass


def _domains(candidate: Candidate, grammar: Grammar) -> list[Domain]:
    """The domains to verify a rule on: first the dtype on which terms were compared, which refutes quickly, then those it may be stated for."""
    if infer(candidate.rule("candidate", ANY)).principal == bool_.name:
        return [BOOL, BOOL]
    return [frozenset({grammar.dtype}), *grammar.domains]
