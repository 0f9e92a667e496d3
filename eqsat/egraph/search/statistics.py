"""Counts what rules do during a saturation: from egglog's own reports, or for a profile, one application at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from eqsat.egraph.compile.rules import rule_name
from eqsat.egraph.search.report import STEPS, Profile, Report, RuleCount, Work
from eqsat.egraph.tables.callbacks import Calls
from eqsat.egraph.tables.syntax import CLOCK, RunReport
from eqsat.rules.language.rule import RuleSet


@dataclass(slots=True)
class Tally:
    """Sums over all runs of egglog.

    Attributes:
        matches: the matches of each rule.
        seconds: the seconds that each rule took.
        calls: the limits and times of the Python functions that rules call.
        found: the number of matches of all rules and axioms, plus the number of claims of theories.
        changes: the number of runs that changed something.
    """

    matches: dict[str, int] = field(default_factory=dict[str, int])
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    calls: Calls = field(default_factory=Calls)
    found: int = 0
    changes: int = 0

    def add(self, report: RunReport) -> None:
        """Adds egglog's report of a run."""
        for name, matches in report.num_matches_per_rule.items():
            self.found += matches
            if matches and not name.startswith("@"):
                name = rule_name(name)
                self.matches[name] = self.matches.get(name, 0) + matches
        for name, spent in report.search_and_apply_time_per_rule.items():
            if spent and not name.startswith("@"):
                name = rule_name(name)
                self.seconds[name] = self.seconds.get(name, 0.0) + spent.total_seconds() * CLOCK

    def rule_counts(self, stated: Mapping[str, int]) -> tuple[RuleCount, ...]:
        """The counts of rules that matched, or that called functions without a match, and of theories; most matches first."""
        spent = {name: max(self.seconds.get(name, 0.0), self.calls.seconds.get(name, 0.0))
                 for name in (*self.matches, *self.calls.seconds)}  # fmt: skip
        counts = [RuleCount(name, self.matches.get(name, 0), seconds) for name, seconds in spent.items()]
        counts += [RuleCount(name, statements, is_theory=True) for name, statements in stated.items()]
        return tuple(sorted(counts, key=lambda count: (-count.matches, count.name)))


@dataclass(slots=True)
class Recorder:
    """Adds up what rules and steps do while a saturation runs."""

    rules: RuleSet
    applied: dict[str, Work] = field(default_factory=dict[str, Work])
    steps: dict[str, Work] = field(default_factory=dict[str, Work])

    def add(self, done: Work) -> None:
        """Adds one application of a rule, or one step."""
        known = self.steps if done.name in STEPS else self.applied
        before = known.get(done.name, Work(done.name))
        last = before.last_useful if done.last_useful is None else done.last_useful
        known[done.name] = Work(done.name, before.matches + done.matches, before.rows + done.rows,
                                before.seconds + done.seconds, last)  # fmt: skip

    def profile(self, report: Report) -> Profile:
        """The profile of everything that was recorded."""
        rules = [self.applied.get(rule.name, Work(rule.name)) for rule in self.rules]
        steps = [self.steps.get(step, Work(step)) for step in STEPS]
        return Profile(
            report, tuple(sorted(rules, key=lambda rule: (-rule.seconds, rule.name))), tuple(steps)
        )
