"""The engine: an egglog e-graph with the rules of a rule set.

Each thread has an engine of its own for each rule set, because only the thread that made an egglog e-graph may use and free it.

After a search, the graph is removed by deleting its rows, which takes a fraction of a millisecond. Popping back to the state before the graph is
exact, but copying and dropping the state takes 25 to 50 ms with 300 compiled rules. So the state is popped only after a large graph, after an
exception, and from time to time, because data that deleting rows leaves behind (rules that fed graphs, containers, ids) grows. Still more rarely the
e-graph is made anew: egglog keeps a report of every command as long as its e-graph lives, and copies all reports with the state.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from functools import lru_cache
from threading import local
from typing import Any
from weakref import WeakSet

from eqsat import dtype as dtypes
from eqsat.egraph.bindings import egglog
from eqsat.egraph.compile.axioms import Axiom, bounds, deletions, normal_forms
from eqsat.egraph.compile.cardinality import Body, Forecaster, body_of
from eqsat.egraph.compile.occurrence import Occurrences
from eqsat.egraph.compile.repertoire import Contents, Pairs, Repertoire
from eqsat.egraph.compile.rules import Compiled
from eqsat.egraph.compile.variant import OF_KIND, domain_name
from eqsat.egraph.tables.schema import COLUMNS, TABLES, declarations, dtype_facts
from eqsat.egraph.tables.syntax import SPAN, Action, Command, assert_, call, rule, run, text
from eqsat.rules.language.rule import Phase, Rule, RuleSet
from eqsat.support.forks import Threads

RESTORED_AFTER = 4_000  # commands after which the state is restored; a small graph takes 10 to 30
MADE_AFTER = 24_000  # commands after which the e-graph is made anew; their reports take about 120 MB
MOST_ROWS = 20_000  # most rows of a graph that is removed row by row
MOST_READ = 4_000  # most rows that are read to find the rules that can match; for more, registering all rules is faster

_TERMS = frozenset(COLUMNS)

SEARCHES = Threads("e-graphs")


class Engine:
    """An egglog e-graph into which one graph after another is put. Only the thread that made it may call its methods, inside `graph()`."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = Repertoire(rules)
        self.is_busy = False  # whether it holds a graph
        self.forecasters: dict[tuple[Phase, Contents], Forecaster] = {}
        # by phase, contents, the names of banned rules, the tables with rows, and the pairs of tables (`Occurrences.pairs`)
        self.candidates: dict[
            tuple[Phase, Contents, frozenset[str], frozenset[str], Pairs | None], list[Compiled]
        ] = {}
        self.combined: dict[tuple[str, ...], str] = {}
        self.single: dict[tuple[str, Contents], str] = {}
        self.facts_rulesets: dict[frozenset[str], str] = {}
        self.clearing: dict[frozenset[str], str] = {}
        self.counting_rulesets: dict[Body, str] = {}
        self.registered: dict[str, Compiled | Axiom] = {}
        self.make_egraph()

    def make_egraph(self) -> None:
        """Makes the e-graph, with the rules and the tables about dtypes."""
        SEARCHES.require()
        self.egraph = egglog.EGraph()
        _ENGINES_MADE.add(self)
        self.is_marked = False  # whether there is a state to go back to
        self.commands = 0  # commands that were run since the e-graph was made
        self.restored_at = 0  # the number of commands when the state was last restored
        self.feeds = 0
        self.size = 0  # rows of the graph at the last count
        self.rows_before = 0  # rows about dtypes, and rows that deleted graphs left behind
        self.forget_rulesets()
        self.execute(*declarations())
        # Rules that are lost when the state is restored
        self.registered_since_mark: list[Compiled | Axiom] = []
        self._register(self.registered.values())
        self.feed([*dtype_facts(), *_domain_facts(self.rules.rules)])

    def _register(self, rules: Iterable[Compiled | Axiom]) -> None:
        """Registers rules with egglog, which takes a fraction of a millisecond for each."""
        for each in rules:
            self.execute(egglog.AddRuleset(SPAN, each.name), each.command)

    def _require(self, rules: Iterable[Compiled | Axiom]) -> list[str]:
        """Registers the rules that are not registered yet. Returns the names of the rulesets of all these rules."""
        new = {each.name: each for each in rules}
        names = list(new)
        for name in names:
            if name in self.registered:
                del new[name]
        self._register(new.values())
        self.registered |= new
        self.registered_since_mark += new.values()
        return names

    def forget_rulesets(self) -> None:
        """Forgets the rulesets that were combined for graphs."""
        self.candidates.clear()
        self.combined.clear()
        self.single.clear()
        self.facts_rulesets.clear()
        self.clearing.clear()
        self.counting_rulesets.clear()

    def execute(self, *commands: Command) -> list[Any]:
        """Runs commands and returns their outputs."""
        self.commands += len(commands)
        return self.egraph.run_program(*commands)

    def feed(self, actions: list[Action]) -> None:
        """Carries out actions once."""
        self.feeds += 1
        name = f"feed{self.feeds}"
        self.execute(egglog.AddRuleset(SPAN, name), rule(name, name, [], actions), run(name))

    def ruleset(
        self, phase: Phase, contents: Contents, banned: frozenset[str], sizes: Mapping[str, int]
    ) -> str:
        """The egglog ruleset of a phase, without the banned rules, for the current graph, which has these contents and tables of these sizes.

        Leaves out rules that cannot match, since registering a rule takes time, and so does trying it.
        """
        filled = frozenset(table for table in TABLES if sizes.get(table))
        always = normal_forms() if phase is Phase.SIMPLIFY else ()
        candidates: list[Compiled | Axiom] = [*always, *self._occurring(phase, contents, banned, filled)]
        matching = self._require(each for each in candidates if each.tables <= filled)
        key = (phase.value, *matching)
        if key not in self.combined:
            self.combined[key] = self._combine(phase.value, matching)
        return self.combined[key]

    def _occurring(
        self, phase: Phase, contents: Contents, banned: frozenset[str], filled: frozenset[str]
    ) -> list[Compiled]:
        """The rules of a phase whose left sides may occur in the current graph. A large graph is not read: then only its tables are considered."""
        occurrences = Occurrences(self.egraph, filled) if self.size <= MOST_READ else None
        pairs = None if occurrences is None else occurrences.pairs()
        key = (phase, contents, banned, filled, pairs)
        if key not in self.candidates:
            self.candidates[key] = [
                compiled
                for compiled in self.rules.of_tables(phase, contents, filled, pairs)
                if compiled.rule.name not in banned
            ]
        candidates = self.candidates[key]
        if occurrences is None:
            return candidates
        return [
            each
            for each in candidates
            if each.name in self.registered or self.rules.occurs(each, occurrences)
        ]

    def facts(self, sizes: Mapping[str, int]) -> str:
        """The egglog ruleset of the axioms that propagate bounds, for tables of these sizes."""
        filled = frozenset(table for table in COLUMNS if sizes.get(table))
        if filled not in self.facts_rulesets:
            matching = self._require(axiom for axiom in bounds() if axiom.tables & _TERMS <= filled)
            self.facts_rulesets[filled] = self._combine("facts", matching)
        return self.facts_rulesets[filled]

    def ruleset_of(self, rule: str, contents: Contents) -> str:
        """The egglog ruleset of one rule."""
        key = (rule, contents)
        if key not in self.single:
            rules = self._require(self.rules.named(rule, contents))
            self.single[key] = self._combine(f"only {rule} ", rules)
        return self.single[key]

    def forecaster(self, phase: Phase, contents: Contents) -> Forecaster:
        """Forecasts the work of the rules of a phase that may explode in a graph with these contents."""
        key = (phase, contents)
        if key not in self.forecasters:
            bodies = [body_of(compiled) for compiled in self.rules.exploding(phase, contents)]
            self.forecasters[key] = Forecaster(bodies)
        return self.forecasters[key]

    def _combine(self, prefix: str, rulesets: list[str]) -> str:
        name = (
            f"{prefix}{len(self.combined) + len(self.single) + len(self.facts_rulesets) + len(self.clearing)}"
        )
        self.execute(egglog.UnstableCombinedRuleset(SPAN, name, rulesets))
        return name

    def count(self, body: Body) -> int:
        """An upper bound on how often a rule on a multiset would match now: the matches that are new since they were last counted.

        The counting rule has the body of the rule, whose guards take elements out of the multiset. So the guards use every row, and egglog counts
        each choice of rows. Choices that differ only in rows that nothing uses would count as one match.
        """
        if body not in self.counting_rulesets:
            self.counting_rulesets[body] = name = f"count {body.compiled.name}"
            self.execute(egglog.AddRuleset(SPAN, name), rule(name, name, body.compiled.command.rule.body, []))
        return sum(self.execute(run(self.counting_rulesets[body]))[0].report.num_matches_per_rule.values())

    def sizes(self) -> dict[str, int]:
        """How many rows each table has."""
        sizes = dict(self.execute(egglog.PrintSize(SPAN, None))[0].sizes)
        self.size = sum(sizes.values()) - self.rows_before
        return sizes

    def rows(self) -> int:
        """How many rows the graph has in all tables."""
        self.sizes()
        return self.size

    def _clearing(self) -> str:
        """The egglog ruleset that removes the rows of the graph."""
        sizes = self.sizes()
        filled = frozenset(table for table in deletions() if sizes[table])
        if filled not in self.clearing:
            rules = self._require(deletions()[table] for table in sorted(filled))
            self.clearing[filled] = self._combine("clear", rules)
        return self.clearing[filled]

    def restore(self) -> None:
        """Restores the state without any graph."""
        if self.is_marked:
            self.execute(egglog.Pop(SPAN, 1))
            self._register(self.registered_since_mark)
            self.registered_since_mark.clear()
        self.is_marked = False
        self.restored_at = self.commands
        self.forget_rulesets()

    @contextmanager
    def graph(self) -> Generator[Engine]:
        """Lends the engine, with an empty e-graph, for one graph, and removes the graph afterwards."""
        self.is_busy = True
        whole = False
        try:
            if not self.is_marked:
                self.execute(egglog.Push(1))
                self.is_marked = True
            self.rows_before = 0
            self.rows_before = self.rows()
            yield self
            whole = self.size < MOST_ROWS and self.commands - self.restored_at < RESTORED_AFTER
        finally:
            if self.commands > MADE_AFTER:
                self.make_egraph()
            elif whole:
                self.execute(run(self._clearing()))
            else:
                self.restore()
            self.is_busy = False


_ENGINES_MADE = WeakSet[Engine]()
_HELD: list[egglog.EGraph] = []  # have an extra reference during a fork, which stays in the child


def _hold() -> None:
    """Runs before a fork. Keeps the child from removing an e-graph: egglog would wait for threads that the child does not have."""
    for engine in list(_ENGINES_MADE):
        _HELD.append(engine.egraph)
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(engine.egraph))


def _let_go() -> None:
    """Runs after a fork in the process that forked. Gives up the extra references."""
    while _HELD:
        ctypes.pythonapi.Py_DecRef(ctypes.py_object(_HELD.pop()))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_hold, after_in_parent=_let_go, after_in_child=_HELD.clear)


class _Engines(local):
    """The engines of one thread."""

    def __init__(self) -> None:
        self.of = lru_cache(16)(Engine)


_ENGINES = _Engines()


def engine_for(rules: RuleSet) -> Engine:
    """The engine of a rule set in this thread. Inside a function that a rule of the set calls, it is a new engine.

    Raises:
        ForkError: this process was forked from one that had used an engine.
    """
    SEARCHES.require()
    engine = _ENGINES.of(rules)
    return Engine(rules) if engine.is_busy else engine


def _domain_facts(rules: Iterable[Rule]) -> list[Action]:
    """Facts that list the dtypes of each set to which a compiled rule may limit a dtype."""
    parts = [*OF_KIND.values(), *(members.difference(dtypes.UNSIGNED) for members in OF_KIND.values())]
    given = {declared.domain for declared in rules}
    domains = dict.fromkeys(
        [*OF_KIND.values(), *given, *(domain & members for domain in given for members in parts)]
    )
    return [
        assert_(call("DOMAIN", text(domain_name(domain)), text(name)))
        for domain in domains
        for name in sorted(dtype.name for dtype in domain)
    ]
