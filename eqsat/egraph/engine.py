"""An e-graph with a rule set registered, made once per process and rule set.

A graph is removed by deleting its rows, which takes a fraction of a millisecond. Popping back to the state before it is exact, but
copying and dropping the state costs 5 to 15 ms with 300 compiled rules; it is done after a large graph, after an exception, and once in a
while, since what egglog keeps besides rows (rules that fed graphs, ids) grows.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock
from typing import Any

import egglog.bindings as egglog

from eqsat.egraph.axioms import axioms
from eqsat.egraph.compile import compile_rule, ruleset_of
from eqsat.egraph.schema import declarations, deletions, dtype_facts
from eqsat.egraph.terms import SPAN, Action, Command, assert_, call, rule, run, text
from eqsat.egraph.variant import OF_KIND, Variant, domain_name
from eqsat.rules.rule import Phase, RuleSet

MOST_GRAPHS = 32  # until the state is restored
MOST_ROWS = 20_000  # of a graph that is removed row by row


class Engine:
    """egglog with everything but the graph. Its methods are called inside `graph()` only, by one thread at a time."""

    def __init__(self, rules: RuleSet) -> None:
        self.egraph = egglog.EGraph()
        self.lock = Lock()
        self.graphs = 0  # since the state was last restored
        self.feeds = 0
        self.rows_before = 0  # those about dtypes, and what deleting the graphs before has left
        variants: list[Variant] = []
        self.execute(*declarations(), *axioms(), *deletions())
        for declared in rules:
            commands, its_variants = compile_rule(declared)
            variants += its_variants
            self.execute(egglog.AddRuleset(SPAN, ruleset_of(declared)), *commands)
        self.rules = rules
        self.combined: dict[tuple[Phase, frozenset[str]], str] = {}
        for phase in Phase:
            self.ruleset(phase, frozenset())
        self.feed([*dtype_facts(), *_domain_facts(variants)])

    def execute(self, *commands: Command) -> list[Any]:
        """Runs commands and returns their outputs."""
        return self.egraph.run_program(*commands)

    def feed(self, actions: list[Action]) -> None:
        """Carries out actions once."""
        self.feeds += 1
        name = f"feed{self.feeds}"
        self.execute(egglog.AddRuleset(SPAN, name), rule(name, name, [], actions), run(name))

    def ruleset(self, phase: Phase, banned: frozenset[str]) -> str:
        """The egglog ruleset of all rules of a phase but those banned."""
        key = (phase, banned)
        if key not in self.combined:
            self.combined[key] = name = f"{phase.value}{len(self.combined)}"
            members = [
                ruleset_of(rule) for rule in self.rules if rule.phase is phase and rule.name not in banned
            ]
            always = ["normalize"] if phase is Phase.SIMPLIFY else []
            self.execute(egglog.UnstableCombinedRuleset(SPAN, name, always + members))
        return self.combined[key]

    def rows(self) -> int:
        """How many rows the graph has in all tables."""
        return sum(size for _, size in self.execute(egglog.PrintSize(SPAN, None))[0].sizes) - self.rows_before

    def restore(self) -> None:
        """Goes back to the state before any graph."""
        self.execute(egglog.Pop(SPAN, 1))
        self.graphs = 0
        self.combined = {key: name for key, name in self.combined.items() if not key[1]}

    @contextmanager
    def graph(self) -> Generator[Engine]:
        """An empty e-graph for one graph."""
        with self.lock:
            if not self.graphs:
                self.execute(egglog.Push(1))
            self.graphs += 1
            self.rows_before = 0
            self.rows_before = self.rows()
            whole = False
            try:
                yield self
                whole = self.graphs < MOST_GRAPHS and self.rows() < MOST_ROWS
            finally:
                if whole:
                    self.execute(run("clear"))
                else:
                    self.restore()


@lru_cache(16)
def engine_for(rules: RuleSet) -> Engine:
    """The engine of a rule set."""
    return Engine(rules)


def _domain_facts(variants: list[Variant]) -> list[Action]:
    domains = dict.fromkeys([*OF_KIND.values(), *(variant.domain for variant in variants)])
    return [
        assert_(call("DOMAIN", text(domain_name(domain)), text(name)))
        for domain in domains
        for name in sorted(dtype.name for dtype in domain)
    ]
