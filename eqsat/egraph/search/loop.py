"""The saturation loop: the order of phases, rules and theory steps, and the conditions that end it."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from time import perf_counter

from eqsat.egraph.compile.cardinality import Body, Counts
from eqsat.egraph.compile.repertoire import Contents
from eqsat.egraph.search.budget import Budget, BudgetSpentError, Meter, StopReason
from eqsat.egraph.search.contradiction import contradiction
from eqsat.egraph.search.engine import Engine, engine_for
from eqsat.egraph.search.report import (
    BUILD,
    FACTS,
    NORMALIZE,
    READ,
    THEORY,
    UNSPENT,
    Report,
    Saturation,
    Work,
)
from eqsat.egraph.search.statistics import Recorder, Tally
from eqsat.egraph.snapshot.constants import fold
from eqsat.egraph.snapshot.frozen import FrozenEGraph, freeze
from eqsat.egraph.snapshot.read_back import take_snapshot
from eqsat.egraph.snapshot.snapshot import Snapshot
from eqsat.egraph.snapshot.unsaturated import snapshot_as_written
from eqsat.egraph.tables.callbacks import OverdueError, recorded
from eqsat.egraph.tables.encode import Encoding, encode
from eqsat.egraph.tables.syntax import Action, Command, RunReport, run, run_repeatedly
from eqsat.egraph.theories.context import Analysis
from eqsat.egraph.theories.theory import Theories
from eqsat.integers.facts import ANYTHING, Facts
from eqsat.rules.language.rule import Phase, RuleSet
from eqsat.support.garbage_collection import collector_paused
from eqsat.uop import UOp

_SECONDS_PER_ACTION = 6e-5  # seconds for one action, if one run of egglog carries out all of them
_FACT_STEPS = 16  # iterations of bounds between two checks of the clock; contradictory rules would narrow bounds for ever
_RULE_STEPS = 4  # iterations of the rules between two theory steps
_GRACE = 0.5  # share of the budget's seconds; this long after the deadline, a run that still calls functions is ended
# Share of the room for rows. A rule that might make more rows runs by itself, after another check.
_STEEP_SHARE = 1 / 8
# Share of these rows. As long as no rule might make more, not every iteration is checked.
_CALM_SHARE = 1 / 8
_GROWTH = 1.25  # growth of the rows after which an iteration is checked again


def search(roots: Sequence[UOp], rules: RuleSet, budget: Budget, equalities: Sequence[tuple[UOp, UOp]],
           recorder: Recorder | None) -> Saturation:  # fmt: skip
    """Does the work of `saturate`."""
    meter = Meter(budget)
    with collector_paused():
        encoding = encode(roots, equalities)
        stop, banned = _too_large(encoding, meter), ()
        if stop is None:
            try:
                with engine_for(rules).graph() as engine:
                    return _saturated(_Search(engine, encoding, meter, recorder), roots, equalities)
            except OverdueError as overdue:
                stop, banned = StopReason.SECONDS, (overdue.rule,)
        snapshot = snapshot_as_written(roots, equalities)
        nodes, classes = len(snapshot.terms), len(snapshot.class_dtype)
        report = Report(0, nodes, classes, nodes, meter.seconds, stop, (), banned)
    return Saturation(snapshot, report, recorder and recorder.profile(report))


def _saturated(search: _Search, roots: Sequence[UOp], equalities: Sequence[tuple[UOp, UOp]]) -> Saturation:
    """Runs a search and returns its result. If the e-graph contradicts itself, the snapshot holds the graph as it was given."""
    stop, false = search.run(), contradiction(search.look())
    snapshot = snapshot_as_written(roots, equalities) if false else search.read_back()
    report = Report(
        iterations=search.iterations,
        nodes=len(snapshot.terms),
        classes=len(snapshot.class_dtype),
        rows=search.count(),
        seconds=search.meter.seconds,
        stop=stop,
        rules=search.tally.rule_counts(search.theories.counts),
        banned=tuple(sorted(search.banned)),
        contradiction=false or "",
    )
    return Saturation(snapshot, report, search.recorder and search.recorder.profile(report))


def learn_facts(
    roots: Sequence[UOp], rules: RuleSet, budget: Budget, equalities: Sequence[tuple[UOp, UOp]]
) -> list[Facts]:
    """Does the work of `facts_of`."""
    meter = Meter(budget)
    with collector_paused():
        encoding = encode(roots, equalities)
        if _too_large(encoding, meter):
            return [ANYTHING] * len(roots)
        try:
            with engine_for(rules).graph() as engine:
                search = _Search(engine, encoding, meter, None)
                search.run()
                frozen = search.look()
        except OverdueError:
            return [ANYTHING] * len(roots)
    if contradiction(frozen):
        return [ANYTHING] * len(roots)
    analysis = Analysis(frozen, fold(frozen)[0])
    return [analysis.of(frozen.named[number]) for number in range(encoding.roots)]


def _too_large(encoding: Encoding, meter: Meter) -> StopReason | None:
    """The reason why the budget would be spent as soon as the graph is in the e-graph; None if it would not be."""
    try:
        meter.check(encoding.terms, ahead=len(encoding.actions) * _SECONDS_PER_ACTION)
    except BudgetSpentError as spent:
        return spent.reason
    return None


@dataclass(slots=True)
class _Search:
    engine: Engine
    encoding: Encoding
    meter: Meter
    recorder: Recorder | None
    iterations: int = 0
    tally: Tally = field(default_factory=Tally)
    banned: frozenset[str] = frozenset()
    refused: StopReason | None = None  # the limit that left no room for a rule, which is now left out
    # Rows of each table at the last count
    sizes: dict[str, int] = field(default_factory=dict[str, int])
    rows: int = 0  # rows of all tables at the last count
    is_counted: bool = False  # whether these numbers are up to date
    frozen: FrozenEGraph | None = None  # a copy of the e-graph, if it was read since it last changed
    theories: Theories = field(init=False)
    theory_seconds: float = 0.0  # seconds per row that the last theory step took
    # by phase: the iteration and the number of rows up to which no new forecast is needed
    calm: dict[Phase, tuple[int, float]] = field(default_factory=dict[Phase, tuple[int, float]])
    contents: Contents = field(init=False)

    def __post_init__(self) -> None:
        self.theories = Theories(self.encoding.names)
        self.contents = Contents(frozenset(self.encoding.kinds), frozenset(self.encoding.structure))

    def run(self) -> StopReason:
        """Saturates and returns why it stopped. If a rule was left out for lack of room, that counts as a spent budget."""
        stop = self.saturate()
        return stop if stop not in UNSPENT or self.refused is None else self.refused

    def saturate(self) -> StopReason:
        try:
            self.feed(self.encoding.actions, BUILD)
            self.simplify()
            for _ in range(self.meter.budget.explorations):
                if not self.iterate(Phase.EXPLORE):
                    return StopReason.SATURATED
                self.simplify()
        except BudgetSpentError as spent:
            return spent.reason
        return StopReason.EXPLORED

    def simplify(self) -> None:
        """Applies the simplifying rules and the theory steps until neither changes anything."""
        settled = False  # whether rules change nothing any more
        while not settled or self.frozen is None:
            if statements := self.theory_step():
                self.check_budget(len(statements) * _SECONDS_PER_ACTION)
                self.feed(statements, THEORY)
            elif settled:
                return
            settled = any(not self.iterate(Phase.SIMPLIFY) for _ in range(_RULE_STEPS))
            self.check_budget()

    def theory_step(self) -> list[Action]:
        """Runs the theories on the current e-graph. Returns the actions that state their claims."""
        self.check_budget()
        self.meter.check(self.rows, ahead=self.rows * self.theory_seconds)
        start = perf_counter()
        with self.noted(THEORY):
            statements = self.theories.step(self.look())
            self.tally.found += len(statements)
        self.theory_seconds = (perf_counter() - start) / max(1, self.rows)
        return statements

    def iterate(self, phase: Phase) -> bool:
        """Applies all rules of a phase once; returns whether that changed anything. Rules that matched too often are left out from now on."""
        self.check_budget()
        if self.iterations >= self.meter.budget.iterations:
            raise BudgetSpentError(StopReason.ITERATIONS)
        self.iterations += 1
        most = max(self.meter.budget.matches, self.rows)
        before = dict(self.tally.matches)
        changed = self.apply_rules(phase)
        excessive = {
            name for name, matches in self.tally.matches.items() if matches - before.get(name, 0) > most
        }
        self.banned |= excessive
        if changed:
            self.update_facts()
        return changed

    def apply_rules(self, phase: Phase) -> bool:
        """Applies each rule of a phase once. Rules that might make many rows run one at a time, and so do all rules while a profile is taken."""
        apart = self.engine.rules.names(phase) if self.recorder else self.steep(phase)
        with self.noted(NORMALIZE):
            changed = self.execute(
                run(self.engine.ruleset(phase, self.contents, self.banned.union(apart), self.sizes))
            ).updated
        for name in apart:
            if name not in self.banned and self.has_room(phase, name):
                with self.noted(name):
                    changed |= self.execute(run(self.engine.ruleset_of(name, self.contents))).updated
        return changed

    def steep(self, phase: Phase) -> list[str]:
        """The names of rules that might use a large part of the remaining row budget."""
        room = self.meter.room(self.rows) * _STEEP_SHARE
        iteration, rows = self.calm.get(phase, (0, 0))
        if self.iterations < iteration and self.rows < rows:
            return []
        bodies = self.suspects(phase, room)
        counts = Counts(self.engine.egraph) if bodies else None
        forecasts = {body: counts.forecast(body).rows for body in bodies} if counts else {}
        if max(forecasts.values(), default=0) < _CALM_SHARE * room:
            self.calm[phase] = (self.iterations + _RULE_STEPS, _GROWTH * self.rows)
        return list(dict.fromkeys(body.rule for body, rows in forecasts.items() if rows > room))

    def suspects(self, phase: Phase, room: float) -> list[Body]:
        """The compiled rules that might make more than `room` rows, judged by the sizes of tables alone."""
        return [body for body in self.engine.forecaster(phase, self.contents).beyond(self.sizes, room)
                if body.rule not in self.banned]  # fmt: skip

    def has_room(self, phase: Phase, name: str) -> bool:
        """Whether there is time to find the matches of a rule, and room for their rows.

        A rule that needs more than `Meter.large` rows is left out from now on, if there is no room for them.

        Raises:
            BudgetSpentError: the rule needs no more than `Meter.large` rows, but there is no longer room for them.
        """
        self.check_budget()
        room = self.meter.room(self.rows)
        bodies = [body for body in self.suspects(phase, room) if body.rule == name]
        needed = self.needed(bodies, room) if bodies else 0
        if needed <= room:
            return True
        if needed <= self.meter.large:
            raise BudgetSpentError(self.meter.scarcest(self.rows))
        self.refused = self.meter.scarcest(self.rows)
        self.banned |= {name}
        return False

    def needed(self, bodies: list[Body], room: float) -> float:
        """The number of rows that compiled rules would make now; infinite if there is no time to count them."""
        counts = Counts(self.engine.egraph)
        needed = 0.0
        for body in bodies:
            most = counts.forecast(body)
            if most.steps > self.meter.steps(self.rows):
                return inf
            with self.calls_in_time():
                matches = self.engine.count(body) if body.has_multiset and most.rows > room else most.matches
            needed += matches * most.rows / max(1, most.matches)
        return needed

    def feed(self, actions: list[Action], step: str) -> None:
        """Carries out actions and propagates bounds."""
        with self.noted(step):
            self.engine.feed(actions)
            self.has_changed()
        self.update_facts()

    def update_facts(self) -> None:
        self.count()
        facts = run_repeatedly(self.engine.facts(self.sizes), _FACT_STEPS)
        with self.noted(FACTS):
            while len(self.execute(facts).iterations) == _FACT_STEPS:
                self.check_budget()

    def execute(self, command: Command) -> RunReport:
        with self.calls_in_time():
            report = self.engine.execute(command)[0].report
            self.tally.add(report)
            if report.updated:
                self.has_changed()
        return report

    def has_changed(self) -> None:
        """Notes that the e-graph has changed: drops the data that was read from it."""
        self.frozen = None
        self.is_counted = False
        self.tally.changes += 1

    @contextmanager
    def calls_in_time(self) -> Generator[None]:
        """Inside this context, rules call no Python function after the deadline.

        Raises:
            BudgetSpentError: the deadline passed inside the context.
        """
        self.tally.calls.deadline = self.meter.deadline(self.rows)
        self.tally.calls.end = self.tally.calls.deadline + _GRACE * self.meter.budget.seconds
        with recorded(self.tally.calls):
            yield
        if perf_counter() > self.tally.calls.deadline:
            raise BudgetSpentError(StopReason.SECONDS)

    @contextmanager
    def noted(self, name: str) -> Generator[None]:
        """Records the work inside this context as that of a rule or a step, if a profile is taken."""
        if self.recorder is None:
            yield
            return
        tally, rows, start = self.tally, self.engine.rows(), perf_counter()
        found, changes = tally.found, tally.changes
        try:
            yield
        finally:
            seconds = perf_counter() - start
            last_useful = self.iterations if tally.changes > changes else None
            self.recorder.add(
                Work(name, tally.found - found, self.engine.rows() - rows, seconds, last_useful)
            )

    def look(self) -> FrozenEGraph:
        """A frozen copy of the current e-graph."""
        if self.frozen is None:
            self.frozen = freeze(self.engine.egraph)
        return self.frozen

    def read_back(self) -> Snapshot:
        """Takes the snapshot of the current e-graph."""
        with self.noted(READ):
            return take_snapshot(self.look(), self.encoding)

    def check_budget(self, ahead: float = 0) -> None:
        """Checks that the budget allows more rows, and a step of `ahead` seconds."""
        self.count()
        self.meter.check(self.rows, ahead)

    def count(self) -> int:
        """The number of rows in all tables."""
        if not self.is_counted:
            self.sizes, self.rows, self.is_counted = self.engine.sizes(), self.engine.size, True
        return self.rows
