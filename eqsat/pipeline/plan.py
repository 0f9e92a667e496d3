"""How to optimize, and where to run."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

from eqsat.egraph.saturate import Budget
from eqsat.extract import CostModel, Extractor, LoopAware, Portfolio
from eqsat.extract.costs.compositions import with_parts
from eqsat.rules.floats import contraction
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
        strict: admits exact rules only, and no contraction; otherwise sums and products of floats may be reduced in another order.
        contract: a product of floats that is added to something may be rounded once, with the sum (a fused multiply-add): rules may
            state it, and the device's compiler may do it. Off where `strict` is on.
        fast_math: admits every rule, also those that hold over the real numbers only, or only without NaN and infinities.
        device: an OpenCL device by name, a part of it, or its number; None for the default.
    """

    cost: CostModel = field(default_factory=LoopAware)
    extractor: Extractor = field(default_factory=lambda: Portfolio(EXTRACTING))
    rules: RuleSet | None = None
    budget: Budget = field(default_factory=Budget)
    strict: bool = False
    contract: bool = True
    fast_math: bool = False
    device: str | int | None = None

    @property
    def admitted(self) -> RuleSet:
        """The rules that this plan applies."""
        rules = LIBRARY if self.rules is None else self.rules
        return (
            rules if self.fast_math else _admitted(rules, reorders=not self.strict, contracts=self.contracts)
        )

    @property
    def contracts(self) -> bool:
        """Whether a product may be rounded once with the sum that it is part of."""
        return self.contract and not self.strict

    @property
    def key(self) -> str | None:
        """What a cached program depends on, or None where a part of the plan is the user's own code."""
        parts = (*with_parts(self.cost), self.extractor)
        own = self.rules is not None or any(not type(part).__module__.startswith("eqsat.") for part in parts)
        arithmetic = (self.strict, self.contracts, self.fast_math)
        return None if own else repr((self.cost, self.extractor, self.budget, *arithmetic))


@functools.lru_cache(16)
def _admitted(rules: RuleSet, *, reorders: bool, contracts: bool) -> RuleSet:
    """The rules that are exact, and of the others those that reorder reductions, or contract products and sums."""
    topics = {reduction_order.name: reorders, contraction.name: contracts}
    inexact = (rule for rule in rules if rule.soundness not in EXACT and topics.get(rule.topic, False))
    return rules.admitting(EXACT) + RuleSet(tuple(inexact))
