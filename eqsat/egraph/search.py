"""The search behind `saturate`: what is done in which order, and when it stops."""

from __future__ import annotations

import gc
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter

from eqsat.egraph.analysis import Analysis
from eqsat.egraph.compile import rule_name
from eqsat.egraph.encode import Encoding, encode
from eqsat.egraph.engine import Contents, Engine, engine_for
from eqsat.egraph.folding import fold
from eqsat.egraph.frozen import Frozen, freeze
from eqsat.egraph.read_back import take_snapshot
from eqsat.egraph.saturate import Budget, Report, RuleCount, Saturation, StopReason
from eqsat.egraph.terms import Action, Command, RunReport, run, run_repeatedly
from eqsat.egraph.theory import Theory
from eqsat.egraph.unsearched import snapshot_as_written
from eqsat.integer_facts import ANYTHING, Facts
from eqsat.rules.rule import Phase, RuleSet
from eqsat.uop import UOp

_READING = 1e-5  # seconds to read one row back at the end; that time is kept free
_STATING = 6e-5  # seconds to state one action, in one run of egglog for all of them
_FACT_STEPS = 16  # iterations of bounds between two looks at the clock; rules that contradict each other narrow them for ever
_RULE_STEPS = 4  # iterations of the rules between two theory steps


def search(
    roots: Sequence[UOp], rules: RuleSet, budget: Budget, equalities: Sequence[tuple[UOp, UOp]]
) -> Saturation:
    """As `saturate`."""
    start = perf_counter()
    with _collector_paused():
        encoding = encode(roots, equalities)
        if too_large := _too_large(encoding, budget, start):
            snapshot = snapshot_as_written(roots, equalities)
            nodes, classes = len(snapshot.terms), len(snapshot.class_dtype)
            return Saturation(
                snapshot, Report(0, nodes, classes, nodes, perf_counter() - start, too_large, ())
            )
        with engine_for(rules).graph() as engine:
            search = _Search(engine, encoding, budget, start)
            stop = search.run()
            snapshot = take_snapshot(search.look(), encoding)
            rows = search.count_rows()
    report = Report(search.iterations, len(snapshot.terms), len(snapshot.class_dtype), rows, perf_counter() - start, stop,
                    search.rule_counts(), tuple(sorted(search.banned)))  # fmt: skip
    return Saturation(snapshot, report)


def learn_facts(
    roots: Sequence[UOp], rules: RuleSet, budget: Budget, equalities: Sequence[tuple[UOp, UOp]]
) -> list[Facts]:
    """As `facts_of`."""
    start = perf_counter()
    with _collector_paused():
        encoding = encode(roots, equalities)
        if _too_large(encoding, budget, start):
            return [ANYTHING] * len(roots)
        with engine_for(rules).graph() as engine:
            search = _Search(engine, encoding, budget, start)
            search.run()
            frozen = search.look()
    analysis = Analysis(frozen, fold(frozen)[0])
    return [analysis.of(frozen.named[number]) for number in range(encoding.roots)]


def _too_large(encoding: Encoding, budget: Budget, start: float) -> StopReason | None:
    """Why the budget would be spent as soon as the graph is in the e-graph."""
    if encoding.terms > budget.nodes:
        return StopReason.NODES
    spent = perf_counter() - start + len(encoding.actions) * _STATING + encoding.terms * _READING
    return StopReason.SECONDS if spent > budget.seconds else None


@contextmanager
def _collector_paused() -> Generator[None]:
    """Python's cycle collector off: syntax trees have no cycles, and walking them over and over takes half the time of a large graph."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _BudgetSpentError(Exception):
    def __init__(self, reason: StopReason) -> None:
        super().__init__(reason.value)
        self.reason = reason


@dataclass(slots=True)
class _Search:
    engine: Engine
    encoding: Encoding
    budget: Budget
    start: float
    iterations: int = 0
    matches: dict[str, int] = field(default_factory=dict[str, int])
    banned: frozenset[str] = frozenset()
    frozen: Frozen | None = None  # the e-graph as it is, where it was read since it last changed
    rows: int | None = None  # that it has, where they were counted since
    theory: Theory = field(init=False)
    contents: Contents = field(init=False)

    def __post_init__(self) -> None:
        self.theory = Theory(self.encoding.names)
        self.contents = Contents(frozenset(self.encoding.kinds), frozenset(self.encoding.structure))

    def run(self) -> StopReason:
        try:
            self.feed(self.encoding.actions)
            self.simplify()
            for _ in range(self.budget.explorations):
                if not self.iterate(Phase.EXPLORE):
                    return StopReason.SATURATED
                self.simplify()
        except _BudgetSpentError as spent:
            return spent.reason
        return StopReason.EXPLORED

    def simplify(self) -> None:
        """Applies the simplifying rules and the theory steps until neither changes anything."""
        settled = False
        while not settled:
            settled = any(not self.iterate(Phase.SIMPLIFY) for _ in range(_RULE_STEPS))
            self.check_budget()
            if statements := self.theory.step(self.look()):
                self.check_budget(len(statements) * _STATING)
                self.feed(statements)
                settled = False

    def iterate(self, phase: Phase) -> bool:
        """Applies all rules of a phase once; False if that changed nothing. A rule that matched too often is left out from now on."""
        rows = self.check_budget()
        if self.iterations >= self.budget.iterations:
            raise _BudgetSpentError(StopReason.ITERATIONS)
        self.iterations += 1
        most = max(self.budget.matches, rows)
        before = dict(self.matches)
        changed = self.execute(run(self.engine.ruleset(phase, self.contents, self.banned))).updated
        excessive = {name for name, matches in self.matches.items() if matches - before.get(name, 0) > most}
        self.banned |= excessive
        if changed:
            self.update_facts()
        return changed

    def feed(self, actions: list[Action]) -> None:
        """Carries out actions and draws conclusions about bounds."""
        self.engine.feed(actions)
        self.frozen = self.rows = None
        self.update_facts()

    def update_facts(self) -> None:
        """Draws conclusions about bounds until there are no more."""
        while len(self.execute(run_repeatedly("facts", _FACT_STEPS)).iterations) == _FACT_STEPS:
            self.check_budget()

    def execute(self, command: Command) -> RunReport:
        report = self.engine.execute(command)[0].report
        if report.updated:
            self.frozen = self.rows = None
        for name, matches in report.num_matches_per_rule.items():
            if matches and not name.startswith("@"):
                name = rule_name(name)
                self.matches[name] = self.matches.get(name, 0) + matches
        return report

    def look(self) -> Frozen:
        """The e-graph as it is."""
        if self.frozen is None:
            self.frozen = freeze(self.engine.egraph)
        return self.frozen

    def check_budget(self, ahead: float = 0) -> int:
        """How many rows there are, if there may be more, and time is left for a step of `ahead` seconds."""
        rows = self.count_rows()
        if perf_counter() - self.start + ahead + rows * _READING > self.budget.seconds:
            raise _BudgetSpentError(StopReason.SECONDS)
        if rows > self.budget.nodes:
            raise _BudgetSpentError(StopReason.NODES)
        return rows

    def count_rows(self) -> int:
        """How many rows the e-graph has."""
        if self.rows is None:
            self.rows = self.engine.rows()
        return self.rows

    def rule_counts(self) -> tuple[RuleCount, ...]:
        counts = {**self.matches, **self.theory.counts}
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        return tuple(RuleCount(name, matches) for name, matches in ordered if matches)
