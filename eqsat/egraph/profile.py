"""What each rule of a saturation did."""

from __future__ import annotations

from dataclasses import dataclass, field

from eqsat.egraph.saturate import GOOD_PART, Report
from eqsat.rules.rule import RuleSet


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


@dataclass(slots=True)
class Recorder:
    """Adds up what rules and steps do while a saturation runs."""

    rules: RuleSet
    applied: dict[str, Work] = field(default_factory=dict[str, Work])
    steps: dict[str, Work] = field(default_factory=dict[str, Work])

    def add(self, done: Work) -> None:
        """One application of a rule, or one of the steps."""
        known = self.steps if done.name in STEPS else self.applied
        before = known.get(done.name, Work(done.name))
        last = before.last_useful if done.last_useful is None else done.last_useful
        known[done.name] = Work(done.name, before.matches + done.matches, before.rows + done.rows,
                                before.seconds + done.seconds, last)  # fmt: skip

    def profile(self, report: Report) -> Profile:
        """What was recorded."""
        rules = [self.applied.get(rule.name, Work(rule.name)) for rule in self.rules]
        steps = [self.steps.get(step, Work(step)) for step in STEPS]
        return Profile(
            report, tuple(sorted(rules, key=lambda rule: (-rule.seconds, rule.name))), tuple(steps)
        )
