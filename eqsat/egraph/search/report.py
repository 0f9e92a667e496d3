"""What a saturation did: its report, its profile rule by rule, and the e-graph that it made."""

from __future__ import annotations

from dataclasses import dataclass, field

from eqsat.egraph.search.budget import StopReason
from eqsat.egraph.snapshot.snapshot import Snapshot

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
class Work:
    """What one rule, or another step of saturation, did.

    Attributes:
        name: of the rule; of a step, one of `STEPS`.
        matches: how often the rule matched, again matched included; for the theory steps, what they stated.
        rows: by how many rows of terms and facts the e-graph grew. Below zero where more terms became equal than were made.
        seconds: wall time, that of bringing the e-graph up to date after each application included.
        last_useful: the last iteration in which the e-graph changed by it; None if it never did.
    """

    name: str
    matches: int = 0
    rows: int = 0
    seconds: float = 0.0
    last_useful: int | None = None


BUILD, NORMALIZE, FACTS, THEORY, READ = STEPS = (  # spaces keep them apart from rules
    "build terms",  # of the graph
    "normalize terms",  # canonical forms, each from one term
    "update facts",  # bounds, and the elements of sums
    "theory steps",  # what is computed beside egglog: constants, sums, chains, splits
    "read back",  # the snapshot that extraction reads
)


@dataclass(frozen=True, slots=True)
class Profile:
    """A saturation rule by rule. Rules were applied one after the other, so all figures are exact, but of this run: applied together, as without
    a profile, the rules of an iteration do not see what the others make in it, and may make it again.

    Attributes:
        report: of the saturation.
        rules: all that there are, those that took longest first.
        steps: what else took time, in the order of `STEPS`.
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
    """The saturated e-graph and how it came about, rule by rule if that was asked for."""

    snapshot: Snapshot
    report: Report
    profile: Profile | None = None
