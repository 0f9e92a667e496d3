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
    """What is known of an obligation."""

    PROVED = "proved"  # by Z3, for all values
    SAMPLED = "sampled"  # on random values; a proof is not to be had
    TIMED_OUT = "timed_out"  # a proof took too long; sampled
    REFUTED = "refuted"  # there is a counterexample
    UNMATCHED = "unmatched"  # no values were found that the rule applies to, so nothing is known


@dataclass(frozen=True, slots=True)
class Result:
    """What is known of one rule on one choice of dtypes.

    Attributes:
        dtypes: the choice, in words.
        status: what is known.
        method: by what: an encoding in Z3, or samples.
        integral: whether it is a claim about single integers, indices or bools, which can be proved.
        cases: of constants that a proof distinguished; 1 where it distinguished none.
        elements: compared by samples.
        seconds: that it took, when it was found.
        limit: seconds that a proof was allowed to take.
        counterexample: where the rule is wrong, if it is.
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
        """The fields, the status by its name."""
        return asdict(self) | {"status": self.status.value}

    @staticmethod
    def from_json(fields: Mapping[str, Any]) -> Result:
        """What `to_json` gave."""
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
    """What is known of one rule on every choice of dtypes."""

    rule: Rule
    results: tuple[Result, ...]

    def count(self, status: Status) -> int:
        """How many obligations have this status."""
        return sum(result.status is status for result in self.results)

    @property
    def counterexample(self) -> Counterexample | None:
        """The smallest one, over all dtypes."""
        return smallest([result.counterexample for result in self.results if result.counterexample])


@dataclass(frozen=True, slots=True, eq=False)
class VerificationReport:
    """What is known of a set of rules.

    Attributes:
        rows: one per rule, in order.
        prover: the version of Z3, empty where it is not installed.
        cached: how many results were found in the cache.
        seconds: that this verification took.
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
        """How many claims that makes: one per rule and choice of dtypes."""
        return sum(len(row.results) for row in self.rows)

    @property
    def proved(self) -> int:
        """How many hold for all values, by Z3."""
        return self.count(Status.PROVED)

    @property
    def sampled(self) -> int:
        """How many hold on samples, and no proof is to be had."""
        return self.count(Status.SAMPLED)

    @property
    def timed_out(self) -> int:
        """How many hold on samples, and a proof took too long."""
        return self.count(Status.TIMED_OUT)

    @property
    def refuted(self) -> int:
        """How many are wrong."""
        return self.count(Status.REFUTED)

    @property
    def unmatched(self) -> int:
        """How many nothing is known of, since no values satisfied the guard."""
        return self.count(Status.UNMATCHED)

    def count(self, status: Status) -> int:
        """How many obligations have this status."""
        return sum(row.count(status) for row in self.rows)

    @property
    def integral(self) -> tuple[int, int]:
        """Of claims about single integers, indices and bools: how many are proved, and how many there are."""
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
