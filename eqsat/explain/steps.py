"""The steps of an explanation, each an equality applied at a position, and the lemmas that several steps use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from eqsat.egraph.theories.terms.assumptions import Assumption
from eqsat.rules.language.notation import term_text
from eqsat.uop import UOp

Path = tuple[int, ...]


class StepKind(Enum):
    """Why a step holds."""

    RULE = "rule"  # the two terms are the sides of a rule of the library
    THEORY = "theory"  # a check of `eqsat.explain.THEORIES` accepts the two terms
    LEMMA = "lemma"  # the two terms are the sides of an earlier lemma
    BRANCH = "branch"  # a lemma rewrites a branch of a WHERE under its condition
    GATE = "gate"  # a lemma rewrites a value that is used only where its gates hold


@dataclass(frozen=True, slots=True)
class Step:
    """One equality, applied at one position.

    Attributes:
        kind: why the equality holds.
        name: the name of the rule or theory, or `lemma 2` for lemma number 2.
        forwards: whether the rule or lemma is read from left to right.
        position: the path from the root to the sub-term that changes, as source numbers; `()` is the root.
        before: the sub-term before the step.
        after: the sub-term after the step.
        bindings: the value of each variable of the rule.
        premises: the numbers of lemmas; the two sides of a lemma share their bounds, which the guard or the check needs.
        lemma: the number of the lemma that the step applies; None for a rule or theory.
    """

    kind: StepKind
    name: str
    forwards: bool
    position: Path
    before: UOp
    after: UOp
    bindings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    premises: tuple[int, ...] = ()
    lemma: int | None = None

    def turned(self) -> Step:
        """The same step in the other direction."""
        return replace(self, forwards=not self.forwards, before=self.after, after=self.before)

    def inside(self, path: Path) -> Step:
        """The same step in a larger term, which contains the term of the step at `path`."""
        return replace(self, position=path + self.position)

    def __str__(self) -> str:
        place = f" at {'.'.join(map(str, self.position))}" if self.position else ""
        way = "" if self.forwards or self.kind is not StepKind.RULE else " (backwards)"
        premises = f" by lemma {', '.join(map(str, self.premises))}" if self.premises else ""
        return f"{self.name}{way}{place}{premises}: {term_text(self.before)} → {term_text(self.after)}"


@dataclass(frozen=True, slots=True)
class Lemma:
    """An equality that later steps use: `before` is `after` wherever all assumptions hold."""

    before: UOp
    after: UOp
    steps: tuple[Step, ...]
    assumptions: tuple[Assumption, ...] = ()

    def __str__(self) -> str:
        given = " and ".join(
            term_text(condition) if holds else f"not ({term_text(condition)})"
            for condition, holds in self.assumptions
        )
        return f"{term_text(self.before)} = {term_text(self.after)}" + (f", where {given}" if given else "")
