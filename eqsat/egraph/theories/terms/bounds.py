"""Computes bounds of integer terms from the terms, proved equalities and assumed conditions. Checks use them for guards on `lo(x)` and `hi(x)`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from eqsat.egraph.theories.terms.assumptions import Assumption, Inequality, inequalities, known_truths
from eqsat.integers.bounds import interval_of
from eqsat.integers.intervals import UNKNOWN, Interval, intersection
from eqsat.uop import UOp, toposort

ROUNDS = 16  # most rounds of tightening bounds by premises and assumptions


class Bounds:
    """Intervals of terms, given proved equalities and assumed conditions.

    `premises` are pairs of equal terms; both terms get the narrower bounds.
    """

    def __init__(
        self, premises: Iterable[tuple[UOp, UOp]] = (), assumptions: Sequence[Assumption] = ()
    ) -> None:
        self.premises = tuple(premises)
        self.assumptions = tuple(assumptions)

    def of(self, terms: Sequence[UOp]) -> list[Interval]:
        """The interval of each term."""
        found = self._known(terms)
        return [found[term] for term in terms]

    def is_contradiction(self) -> bool:
        """Whether the bounds of some term exclude each other, so that the assumptions never hold together."""
        truths: dict[UOp, bool] = {}
        for condition, holds in self.assumptions:
            for node, value in known_truths([(condition, holds)]).items():
                if truths.setdefault(node, value) != value:
                    return True
        ends = self._known([condition for condition, _ in self.assumptions]).values()
        return any(low is not None and high is not None and low > high for low, high in ends)

    def _known(self, terms: Sequence[UOp]) -> dict[UOp, Interval]:
        order = toposort(
            [*terms, *(side for pair in self.premises for side in pair), *(a for a, _ in self.assumptions)]
        )
        facts = inequalities(self.assumptions, order) if self.assumptions else []
        found: dict[UOp, Interval] = {
            node: (int(value), int(value)) for node, value in known_truths(self.assumptions).items()
        }
        for _ in range(ROUNDS if self.premises or facts else 1):
            before = dict(found)
            for node in order:
                narrowed = interval_of(node, [found[source] for source in node.src])
                found[node] = intersection(found.get(node, UNKNOWN), narrowed)
            for one, other in self.premises:
                found[one] = found[other] = intersection(found[one], found[other])
            for fact in facts:
                _tighten(found, fact)
            if found == before:
                break
        return found


def _tighten(found: dict[UOp, Interval], fact: Inequality) -> None:
    """The bounds of each term that follow from sum(factor * term) <= most and the bounds of the other terms."""
    least: dict[UOp, int | None] = {}
    for term, factor in fact.terms:
        end = found[term][0 if factor > 0 else 1]
        least[term] = None if end is None else factor * end
    unknown = [term for term, value in least.items() if value is None]
    if len(unknown) > 1:
        return
    total = sum(value for value in least.values() if value is not None)
    for term, factor in fact.terms:
        if unknown and term is not unknown[0]:
            continue
        rest = fact.most - (total - (least[term] or 0))
        limit: Interval = (None, rest // factor) if factor > 0 else (-(rest // -factor), None)
        found[term] = intersection(found[term], limit)
