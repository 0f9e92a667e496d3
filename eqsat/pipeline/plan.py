"""How to optimize, and where to run."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

from eqsat.egraph.saturate import Budget
from eqsat.extract import CostModel, Extractor, LoopAware, Portfolio
from eqsat.extract.costs.compositions import with_parts
from eqsat.rules.library import LIBRARY
from eqsat.rules.reduce import reduction_order
from eqsat.rules.rule import RuleSet, Soundness

EXACT = frozenset({Soundness.EXACT})
EXTRACTING = 10.0  # seconds to search for the cheapest graph; ordinary graphs take milliseconds


@dataclass(frozen=True)
class Plan:
    """How to optimize and where to run.

    Attributes:
        cost: what extraction minimizes.
        extractor: how it searches.
        rules: the equalities; None for the whole library.
        budget: when saturation stops.
        strict: admits exact rules only; otherwise sums and products of floats may be reduced in another order.
        fast_math: admits every rule, also those that hold over the real numbers only, or only without NaN and infinities.
        device: an OpenCL device by name, a part of it, or its number; None for the default.
    """

    cost: CostModel = field(default_factory=LoopAware)
    extractor: Extractor = field(default_factory=lambda: Portfolio(EXTRACTING))
    rules: RuleSet | None = None
    budget: Budget = field(default_factory=Budget)
    strict: bool = False
    fast_math: bool = False
    device: str | int | None = None

    @property
    def admitted(self) -> RuleSet:
        """The rules that this plan applies."""
        rules = LIBRARY if self.rules is None else self.rules
        return rules if self.fast_math else _admitted(rules, self.strict)

    @property
    def key(self) -> str | None:
        """What a cached program depends on, or None where a part of the plan is the user's own code."""
        parts = (*with_parts(self.cost), self.extractor)
        own = self.rules is not None or any(not type(part).__module__.startswith("eqsat.") for part in parts)
        return None if own else repr((self.cost, self.extractor, self.budget, self.strict, self.fast_math))


@functools.lru_cache(16)
def _admitted(rules: RuleSet, strict: bool) -> RuleSet:
    """The rules that are exact, and those that reorder reductions unless all have to be exact."""
    exact = rules.admitting(EXACT)
    reordering = () if strict else (rule for rule in rules if rule.topic == reduction_order.name)
    return exact + RuleSet(tuple(rule for rule in reordering if rule.soundness not in EXACT))
