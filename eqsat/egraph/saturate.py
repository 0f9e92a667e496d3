"""Equality saturation under a budget.

A graph is encoded, then rules are applied in two phases: *simplify* until nothing changes, and *explore* a bounded number of times, each
followed by *simplify* again. Between runs of egglog, facts are brought up to date and the theory steps state what rules cannot find. One run of
egglog cannot be interrupted, so every run is one iteration, and the budget is looked at between runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from eqsat.egraph.snapshot import Snapshot
from eqsat.integer_facts import Facts
from eqsat.rules.rule import RuleSet
from eqsat.uop import UOp


@dataclass(frozen=True, slots=True)
class Budget:
    """When saturation stops at the latest. A spent budget is no error: what was learned until then is the result, and of a graph
    that is itself too large for the budget, the graph.

    Attributes:
        nodes: rows of the e-graph's tables (terms and facts).
        iterations: applications of all rules of a phase.
        seconds: wall time, that for reading the result back included.
        matches: of one rule in one iteration; a rule with more, and more than there are rows, is left out of all further ones.
        explorations: iterations of the explore phase.
    """

    nodes: int = 100_000
    iterations: int = 60
    seconds: float = 20.0
    matches: int = 2_000
    explorations: int = 2


class StopReason(Enum):
    """Why saturation ended."""

    SATURATED = "saturated"  # nothing more is to be learned
    EXPLORED = "explored"  # all explorations were made
    NODES = "nodes"
    ITERATIONS = "iterations"
    SECONDS = "seconds"


@dataclass(frozen=True, slots=True)
class RuleCount:
    """How often one rule, or one theory, found something."""

    name: str
    matches: int


@dataclass(frozen=True, slots=True)
class Report:
    """What a saturation did.

    Attributes:
        nodes: terms in the snapshot.
        classes: classes in the snapshot.
        rows: rows of all tables at the end.
        rules: those that matched, most matches first.
        banned: names of rules that matched too often to go on with, sorted.
    """

    iterations: int
    nodes: int
    classes: int
    rows: int
    seconds: float
    stop: StopReason
    rules: tuple[RuleCount, ...]
    banned: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Saturation:
    """The saturated e-graph and how it came about."""

    snapshot: Snapshot
    report: Report


def saturate(roots: Sequence[UOp], rules: RuleSet, budget: Budget = Budget(),
             equalities: Sequence[tuple[UOp, UOp]] = ()) -> Saturation:  # fmt: skip
    """Everything that `rules` find equal to the values of `roots`.

    `equalities` are taken as true. The left side of each stays what it is, with the right side as another way to write it: that is how a split
    loop, `r = 8 * outer + inner`, keeps all its tilings in one e-graph.

    Raises:
        RuleError: a rule cannot be compiled, or a function that it calls failed.
    """
    from eqsat.egraph.search import search  # egglog takes a fifth of a second to import

    return search(roots, rules, budget, equalities)


def facts_of(roots: Sequence[UOp], rules: RuleSet, budget: Budget = Budget(),
             equalities: Sequence[tuple[UOp, UOp]] = ()) -> list[Facts]:  # fmt: skip
    """What is known of integer values wherever they have one, after saturation as by `saturate`."""
    from eqsat.egraph.search import learn_facts  # egglog takes a fifth of a second to import

    return learn_facts(roots, rules, budget, equalities)
