"""An e-graph with a rule set registered, made once per process and rule set.

A graph is removed by deleting its rows, which takes a fraction of a millisecond. Popping back to the state before it is exact, but
copying and dropping the state costs 5 to 15 ms with 300 compiled rules; it is done after a large graph, after an exception, and once in a
while, since what egglog keeps besides rows (rules that fed graphs, ids) grows.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any

import egglog.bindings as egglog

from eqsat.egraph.axioms import axioms
from eqsat.egraph.compile import Compiled, compile_rule
from eqsat.egraph.schema import declarations, deletions, dtype_facts
from eqsat.egraph.terms import SPAN, Action, Command, assert_, call, rule, run, text
from eqsat.egraph.variant import OF_KIND, domain_name
from eqsat.ops import Op
from eqsat.rules.rule import Phase, RuleSet

MOST_GRAPHS = 32  # until the state is restored
MOST_ROWS = 20_000  # of a graph that is removed row by row


@dataclass(frozen=True, slots=True)
class Contents:
    """What occurs in a graph, so that rules about anything else can be left out.

    Attributes:
        kinds: of dtypes, see `schema.kind_of`.
        structure: the operations of `rules.structure`.
    """

    kinds: frozenset[str]
    structure: frozenset[Op]


class Engine:
    """egglog with everything but the graph. Its methods are called inside `graph()` only, by one thread at a time."""

    def __init__(self, rules: RuleSet) -> None:
        self.egraph = egglog.EGraph()
        self.lock = Lock()
        self.graphs = 0  # since the state was last restored
        self.feeds = 0
        self.size = 0  # rows when they were last counted
        self.has_structure = False  # whether rows of structural operations may be in the graph
        self.rows_before = 0  # those about dtypes, and what deleting the graphs before has left
        self.execute(*declarations(), *axioms(), *deletions())
        self.rules = [compiled for declared in rules for compiled in compile_rule(declared)]
        for compiled in self.rules:
            self.execute(egglog.AddRuleset(SPAN, compiled.name), compiled.command)
        self.combined: dict[tuple[Phase, Contents, frozenset[str]], str] = {}
        self.applicable = lru_cache(64)(self._applicable)
        self.feed([*dtype_facts(), *_domain_facts(self.rules)])

    def execute(self, *commands: Command) -> list[Any]:
        """Runs commands and returns their outputs."""
        return self.egraph.run_program(*commands)

    def feed(self, actions: list[Action]) -> None:
        """Carries out actions once."""
        self.feeds += 1
        name = f"feed{self.feeds}"
        self.execute(egglog.AddRuleset(SPAN, name), rule(name, name, [], actions), run(name))

    def ruleset(self, phase: Phase, contents: Contents, banned: frozenset[str]) -> str:
        """The egglog ruleset of the rules of a phase but those banned, for a graph with these contents."""
        key = (phase, contents, banned)
        self.has_structure |= bool(contents.structure)
        if key not in self.combined:
            self.combined[key] = name = f"{phase.value}{len(self.combined)}"
            members = [
                compiled.name
                for compiled in self.applicable(contents)
                if compiled.rule.phase is phase and compiled.rule.name not in banned
            ]
            always = ["normalize"] if phase is Phase.SIMPLIFY else []
            self.execute(egglog.UnstableCombinedRuleset(SPAN, name, always + members))
        return self.combined[key]

    def _applicable(self, contents: Contents) -> list[Compiled]:
        """The rules that can match in a graph with these contents, or with what such rules add to them."""
        structure, found = contents.structure, list[Compiled]()
        while True:
            matched = [compiled for compiled in self.rules if compiled.variant.structure_matched <= structure]
            if len(matched) == len(found):
                break
            found = matched
            structure = structure.union(*(compiled.variant.structure_made for compiled in found))
        kinds = contents.kinds.union(*(compiled.variant.kinds_made for compiled in found))
        return [compiled for compiled in found if compiled.variant.may_match(kinds)]

    def rows(self) -> int:
        """How many rows the graph has in all tables."""
        self.size = (
            sum(size for _, size in self.execute(egglog.PrintSize(SPAN, None))[0].sizes) - self.rows_before
        )
        return self.size

    def restore(self) -> None:
        """Goes back to the state before any graph."""
        self.execute(egglog.Pop(SPAN, 1))
        self.graphs = 0
        self.combined.clear()

    @contextmanager
    def graph(self) -> Generator[Engine]:
        """An empty e-graph for one graph."""
        with self.lock:
            if not self.graphs:
                self.execute(egglog.Push(1))
            self.graphs += 1
            self.has_structure = False
            self.rows_before = 0
            self.rows_before = self.rows()
            whole = False
            try:
                yield self
                whole = self.graphs < MOST_GRAPHS and self.size < MOST_ROWS
            finally:
                if whole:
                    self.execute(run("clear"), *([run("clear structure")] if self.has_structure else []))
                else:
                    self.restore()


@lru_cache(16)
def engine_for(rules: RuleSet) -> Engine:
    """The engine of a rule set."""
    return Engine(rules)


def _domain_facts(rules: list[Compiled]) -> list[Action]:
    domains = dict.fromkeys([*OF_KIND.values(), *(compiled.variant.domain for compiled in rules)])
    return [
        assert_(call("DOMAIN", text(domain_name(domain)), text(name)))
        for domain in domains
        for name in sorted(dtype.name for dtype in domain)
    ]
