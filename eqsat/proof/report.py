"""The verification report: one result for each obligation, and totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

from eqsat.proof.matches.counterexample import Counterexample, smallest
from eqsat.rules.language.rule import Rule


class Status(Enum):
    """The outcome of verifying one obligation."""

    PROVED = "proved"  # by Z3, for all values
    SAMPLED = "sampled"  # on random values; no proof is available
    TIMED_OUT = "timed_out"  # a proof took too long; sampled
    REFUTED = "refuted"  # there is a counterexample
    UNMATCHED = "unmatched"  # no values were found that the rule applies to, so nothing is known


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome for one rule on one choice of dtypes.

    Attributes:
        dtypes: the choice, in words.
        status: the outcome.
        method: how it was found: the name of an encoding in Z3, or samples.
        integral: whether it is a claim about single integers, indices or bools, which can be proved.
        cases: the number of constants that the proof tried one by one; 1 if it needed no case distinction.
        elements: the number of elements that samples compared.
        seconds: the time that it took when it was computed.
        limit: the time limit of the proof in seconds.
        counterexample: shows that the rule is wrong; None if it was not refuted.
    """

    dtypes: str
    status: Status
    method: str
    integral: bool = False
    cases: int = 1
    elements: int = 0
    seconds: float = 0.0
    limit: float = 0.0
    counterexample: Counterexample | None = None

    def to_json(self) -> dict[str, Any]:
        """The fields, with the name of the status."""
        return asdict(self) | {"status": self.status.value}

    @staticmethod
    def from_json(fields: Mapping[str, Any]) -> Result:
        """The result that `to_json` wrote."""
        found = fields["counterexample"]
        counterexample = None if found is None else Counterexample(**found | {"size": tuple(found["size"])})
        rest: dict[str, Any] = {
            **fields,
            "status": Status(fields["status"]),
            "counterexample": counterexample,
        }
        return Result(**rest)


@dataclass(frozen=True, slots=True, eq=False)
class RuleReport:
    """The outcomes for one rule, one for each choice of dtypes."""

    rule: Rule
    results: tuple[Result, ...]

    def count(self, status: Status) -> int:
        """How many obligations have this status."""
        return sum(result.status is status for result in self.results)

    @property
    def counterexample(self) -> Counterexample | None:
        """The smallest counterexample for any choice of dtypes; None if there is none."""
        return smallest([result.counterexample for result in self.results if result.counterexample])


@dataclass(frozen=True, slots=True, eq=False)
class VerificationReport:
    """The outcomes for a set of rules.

    Attributes:
        rows: one per rule, in order.
        prover: the version of Z3, empty where it is not installed.
        cached: how many results were found in the cache.
        seconds: the time that this verification took.
    """

    rows: tuple[RuleReport, ...]
    prover: str
    cached: int
    seconds: float

    @property
    def rules(self) -> int:
        """How many rules were verified."""
        return len(self.rows)

    @property
    def obligations(self) -> int:
        """How many obligations there are: one for each rule and choice of dtypes."""
        return sum(len(row.results) for row in self.rows)

    @property
    def proved(self) -> int:
        """How many obligations Z3 proved for all values."""
        return self.count(Status.PROVED)

    @property
    def sampled(self) -> int:
        """How many obligations hold on samples and cannot be stated in Z3."""
        return self.count(Status.SAMPLED)

    @property
    def timed_out(self) -> int:
        """How many obligations hold on samples after a proof ran out of time."""
        return self.count(Status.TIMED_OUT)

    @property
    def refuted(self) -> int:
        """How many obligations have a counterexample."""
        return self.count(Status.REFUTED)

    @property
    def unmatched(self) -> int:
        """How many obligations were not checked, because no drawn values satisfied the guard."""
        return self.count(Status.UNMATCHED)

    def count(self, status: Status) -> int:
        """How many obligations have this status."""
        return sum(row.count(status) for row in self.rows)

    @property
    def integral(self) -> tuple[int, int]:
        """Two numbers about single integers, indices and bools: how many obligations are proved, and how many there are."""
        results = [result for row in self.rows for result in row.results if result.integral]
        return sum(result.status is Status.PROVED for result in results), len(results)

    def to_json(self) -> dict[str, Any]:
        """The counts, and a row for each rule."""
        proved, provable = self.integral
        return {
            "rules": self.rules,
            "obligations": self.obligations,
            **{status.value: self.count(status) for status in Status},
            "integral": {"obligations": provable, "proved": proved},
            "prover": self.prover,
            "cached": self.cached,
            "seconds": round(self.seconds, 3),
            "rows": [_row(row) for row in self.rows],
        }


def _row(row: RuleReport) -> dict[str, Any]:
    statuses = Counter(result.status.value for result in row.results)
    return {
        "name": row.rule.name,
        "topic": row.rule.topic,
        "soundness": row.rule.soundness.value,
        **{status.value: statuses[status.value] for status in Status},
        "methods": sorted({result.method for result in row.results}),
        "results": [result.to_json() for result in row.results],
    }
