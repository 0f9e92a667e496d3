"""The steps of an explanation: equalities applied at positions, and lemmas that steps use more than once."""

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

    RULE = "rule"  # both sides of a rule of the library
    THEORY = "theory"  # one of `eqsat.explain.THEORIES`
    LEMMA = "lemma"  # an earlier lemma
    BRANCH = "branch"  # a lemma about a branch of a choice, under its condition
    GATE = "gate"  # a lemma about a value that matters only where its gates let it


@dataclass(frozen=True, slots=True)
class Step:
    """One equality, applied at one place.

    Attributes:
        kind: why it holds.
        name: of the rule or theory, `lemma 2` and so on.
        forwards: whether the rule (or lemma) is read from left to right.
        position: the path to the sub-term that changes, as numbers of sources from the root.
        before: the sub-term.
        after: what stands in its place after the step.
        bindings: what the rule's variables stand for.
        premises: lemmas whose sides share the bounds that the guard asks for.
        lemma: the number of the lemma that is used.
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
        """The step walked the other way."""
        return replace(self, forwards=not self.forwards, before=self.after, after=self.before)

    def inside(self, path: Path) -> Step:
        """The step in a larger term, in which its own lies at `path`."""
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
