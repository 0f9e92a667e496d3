"""The results of a saturation: its report, its profile rule by rule, and the e-graph that it made."""

from __future__ import annotations

from dataclasses import dataclass, field

from eqsat.egraph.search.budget import StopReason
from eqsat.egraph.snapshot.snapshot import Snapshot

GOOD_PART = 0.25  # share of all matches, rows or seconds; a rule with more than this dominates
UNSPENT = {
    StopReason.SATURATED: "nothing more was to be learned",
    StopReason.EXPLORED: "all explorations were made",
}


@dataclass(frozen=True, slots=True)
class RuleCount:
    """How often one rule, or one theory, found something.

    Attributes:
        seconds: time of the rule, measured by egglog; egglog 13 counts whole milliseconds of each iteration. 0 for a theory.
        is_theory: whether a theory found it; a theory cannot be left out.
    """

    name: str
    matches: int
    seconds: float = field(default=0.0, compare=False, repr=False)
    is_theory: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """Counts of what a saturation did, and why it stopped.

    Attributes:
        nodes: terms in the snapshot.
        classes: classes in the snapshot.
        rows: rows of all tables at the end.
        rules: the rules that matched, or that called functions without a match, most matches first.
        banned: names of rules that were left out because they matched too often, or would have made more rows than there was room for, sorted.
        contradiction: a contradiction in the e-graph, in words; the snapshot then holds the graph as it was given.
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
        """The rules that were left out and, if a budget was spent, those with a large part of all matches or seconds; sorted."""
        rules = [rule for rule in self.rules if not rule.is_theory]
        matches, seconds = sum(rule.matches for rule in rules), sum(rule.seconds for rule in rules)
        greedy = (rule.name for rule in rules
                  if rule.matches > GOOD_PART * matches or rule.seconds > GOOD_PART * seconds)  # fmt: skip
        return tuple(sorted({*self.banned, *(greedy if self.stop not in UNSPENT else ())}))

    @property
    def explanation(self) -> str:
        """Says in words why saturation ended, which rules caused that, and what to try."""
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
class Work:
    """The work of one rule, or of another step of saturation.

    Attributes:
        name: the name of the rule or step; steps are listed in `STEPS`.
        matches: how often the rule matched, repeated matches included; for the theory steps, the number of claims.
        rows: the number of rows of terms and facts by which the e-graph grew. Negative if more terms became equal than were made.
        seconds: wall time, including the time to bring the e-graph up to date after each application.
        last_useful: the last iteration in which the rule or step changed the e-graph; None if it never did.
    """

    name: str
    matches: int = 0
    rows: int = 0
    seconds: float = 0.0
    last_useful: int | None = None


BUILD, NORMALIZE, FACTS, THEORY, READ = STEPS = (  # no rule has a space in its name
    "build terms",  # the terms of the graph
    "normalize terms",  # normal forms, each made from one term
    "update facts",  # bounds, and the index of multisets by their elements
    "theory steps",  # the claims of theories: constants, sums, n-ary operators, splits
    "read back",  # the snapshot that extraction reads
)


@dataclass(frozen=True, slots=True)
class Profile:
    """The work of a saturation, rule by rule. Rules were applied one after the other, so all figures are exact, but for this run only. Without a
    profile, the rules of an iteration are applied together: a rule does not see the rows that others make in it, and may make them again.

    Attributes:
        report: the report of the saturation.
        rules: the work of every rule, longest time first.
        steps: the other work, in the order of `STEPS`.
    """

    report: Report
    rules: tuple[Work, ...]
    steps: tuple[Work, ...]

    @property
    def never_fired(self) -> tuple[str, ...]:
        """Rules without a match, sorted."""
        return tuple(sorted(rule.name for rule in self.rules if not rule.matches))

    @property
    def dominating(self) -> tuple[str, ...]:
        """Rules that took more than a quarter of the seconds of all rules that matched, or made more than a quarter of their rows; sorted."""
        fired = [rule for rule in self.rules if rule.matches]
        seconds, rows = sum(rule.seconds for rule in fired), sum(max(0, rule.rows) for rule in fired)
        return tuple(sorted(rule.name for rule in fired
                            if rule.seconds > GOOD_PART * seconds or rule.rows > GOOD_PART * rows > 0))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Saturation:
    """The saturated e-graph, the report of the saturation, and its profile if one was asked for."""

    snapshot: Snapshot
    report: Report
    profile: Profile | None = None
