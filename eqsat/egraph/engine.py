"""An e-graph with a rule set registered, made once per process and rule set; each graph lives between a push and a pop."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock
from typing import Any

import egglog.bindings as egglog

from eqsat.egraph.axioms import axioms
from eqsat.egraph.compile import compile_rule
from eqsat.egraph.schema import declarations, dtype_facts
from eqsat.egraph.terms import SPAN, Action, Command, assert_, call, rule, run, text
from eqsat.egraph.variant import OF_KIND, Variant, domain_name
from eqsat.rules.rule import RuleSet


class Engine:
    """egglog with everything but the graph. Its methods are called inside `graph()` only, by one thread at a time."""

    def __init__(self, rules: RuleSet) -> None:
        self.egraph = egglog.EGraph()
        self.lock = Lock()
        variants: list[Variant] = []
        self.execute(*declarations(), *axioms())
        for declared in rules:
            commands, its_variants = compile_rule(declared)
            variants += its_variants
            self.execute(*commands)
        self.feed("dtypes", [*dtype_facts(), *_domain_facts(variants)])

    def execute(self, *commands: Command) -> list[Any]:
        """Runs commands and returns their outputs."""
        return self.egraph.run_program(*commands)

    def feed(self, name: str, actions: list[Action]) -> None:
        """Carries out actions once; `name` is new within the graph."""
        self.execute(rule(name, "feed", [], actions), run("feed"))

    def rows(self) -> int:
        """How many rows all tables have together."""
        return sum(size for _, size in self.execute(egglog.PrintSize(SPAN, None))[0].sizes)

    @contextmanager
    def graph(self) -> Iterator[Engine]:
        """An empty e-graph for one graph."""
        with self.lock:
            self.execute(egglog.Push(1))
            try:
                yield self
            finally:
                self.execute(egglog.Pop(SPAN, 1))


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
