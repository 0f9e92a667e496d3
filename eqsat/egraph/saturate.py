"""Equality saturation under a budget.

A graph is encoded, then rules are applied in two phases: *simplify* until nothing changes, and *explore* a bounded number of times, each
followed by *simplify* again. Between runs of egglog, facts are brought up to date and the theory steps state what rules cannot find. One run of
egglog cannot be interrupted, so every run is one iteration, the budget is looked at between runs, and a rule that could make more than there is
room for is not run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from eqsat.egraph.snapshot import Snapshot
from eqsat.integer_facts import Facts
from eqsat.rules.rule import RuleSet
from eqsat.uop import UOp

if TYPE_CHECKING:
    from eqsat.egraph.profile import Profile


@dataclass(frozen=True, slots=True)
class Budget:
    """When saturation stops at the latest. A spent budget is no error: what was learned until then is the result, and of a graph
    that is itself too large for the budget, the graph.

    Attributes:
        nodes: rows of the e-graph's tables (terms and facts).
        iterations: applications of all rules of a phase.
        seconds: wall time, that for reading the result back included. A function that a rule calls is not interrupted, but not called again.
        matches: of one rule in one iteration; a rule with more, and more than there are rows, is left out of all further ones.
        explorations: iterations of the explore phase.
        memory: MiB by which the process may grow, by the e-graph and by reading it back. A row takes 1 to 1.5 KiB.
    """

    nodes: int = 100_000
    iterations: int = 60
    seconds: float = 20.0
    matches: int = 2_000
    explorations: int = 2
    memory: int = 1_024


class StopReason(Enum):
    """Why saturation ended."""

    SATURATED = "saturated"  # nothing more is to be learned
    EXPLORED = "explored"  # all explorations were made
    NODES = "nodes"
    ITERATIONS = "iterations"
    SECONDS = "seconds"
    MEMORY = "memory"


GOOD_PART = 0.25  # of all matches, rows or seconds: a rule with more dominates
UNSPENT = {
    StopReason.SATURATED: "nothing more was to be learned",
    StopReason.EXPLORED: "all explorations were made",
}


@dataclass(frozen=True, slots=True)
class RuleCount:
    """How often one rule, or one theory, found something.

    Attributes:
        seconds: that egglog says the rule took; egglog 13 counts whole milliseconds of each iteration. 0 for a theory.
        is_theory: whether it is computed beside egglog, and so no rule that could be left out.
    """

    name: str
    matches: int
    seconds: float = field(default=0.0, compare=False, repr=False)
    is_theory: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """What a saturation did.

    Attributes:
        nodes: terms in the snapshot.
        classes: classes in the snapshot.
        rows: rows of all tables at the end.
        rules: those that matched, or called functions in vain, most matches first.
        banned: names of rules left out because they matched too often to go on with, or would have made more than there was room for, sorted.
        contradiction: what the e-graph says that cannot be, in words; the snapshot is then that of the graph as it was written.
    """

    iterations: int
    nodes: int
    classes: int
    rows: int
    seconds: float
    stop: StopReason
    rules: tuple[RuleCount, ...]
    banned: tuple[str, ...] = ()
    contradiction: str = ""

    @property
    def responsible(self) -> tuple[str, ...]:
        """The rules left out and, where a budget was spent, those that had a good part of all matches or seconds; sorted."""
        rules = [rule for rule in self.rules if not rule.is_theory]
        matches, seconds = sum(rule.matches for rule in rules), sum(rule.seconds for rule in rules)
        greedy = (rule.name for rule in rules
                  if rule.matches > GOOD_PART * matches or rule.seconds > GOOD_PART * seconds)  # fmt: skip
        return tuple(sorted({*self.banned, *(greedy if self.stop not in UNSPENT else ())}))

    @property
    def explanation(self) -> str:
        """Why saturation ended, in words, which rules that is due to, and what to try."""
        if self.contradiction:
            return (f"a rule is wrong, or what was taken as true never is: by the e-graph, {self.contradiction}; "
                    "nothing that was found is used; check rules by `eq.verify`")  # fmt: skip
        named = ", ".join(self.responsible)
        match self.stop:
            case ended if ended in UNSPENT:
                return (
                    f"{UNSPENT[ended]}, without the rules that match too often: {named}"
                    if named
                    else UNSPENT[ended]
                )
            case spent:
                guard = f"guard or leave out the rules that it went to ({named}), or " if named else ""
                return f"the budget of {spent.value} was spent; {guard}raise `Budget({spent.value}=…)`"


@dataclass(frozen=True, slots=True)
class Saturation:
    """The saturated e-graph and how it came about, rule by rule if that was asked for."""

    snapshot: Snapshot
    report: Report
    profile: Profile | None = None


def saturate(roots: Sequence[UOp], rules: RuleSet, budget: Budget = Budget(),
             equalities: Sequence[tuple[UOp, UOp]] = (), *, profile: bool = False) -> Saturation:  # fmt: skip
    """Everything that `rules` find equal to the values of `roots`.

    `equalities` are taken as true. The left side of each stays what it is, with the right side as another way to write it: that is how a split
    loop, `r = 8 * outer + inner`, keeps all its tilings in one e-graph. With `profile`, rules are applied one after the other, so that what each
    of them does can be told; that takes longer.

    Raises:
        RuleError: a rule cannot be compiled, or a function that it calls failed.
    """
    from eqsat.egraph.profile import Recorder
    from eqsat.egraph.search import search  # egglog takes a fifth of a second to import

    return search(roots, rules, budget, equalities, Recorder(rules) if profile else None)


def facts_of(roots: Sequence[UOp], rules: RuleSet, budget: Budget = Budget(),
             equalities: Sequence[tuple[UOp, UOp]] = ()) -> list[Facts]:  # fmt: skip
    """What is known of integer values wherever they have one, after saturation as by `saturate`."""
    from eqsat.egraph.search import learn_facts  # egglog takes a fifth of a second to import

    return learn_facts(roots, rules, budget, equalities)
