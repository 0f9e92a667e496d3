"""Limits on the search for the best choice of kernels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from time import perf_counter

FEWEST_VARIANTS = 12  # of a kernel of a region with very many kernels
GRACE = 0.25  # seconds for what must precede the first choice, and suffices for most programs; with less, choices are far worse and no sooner made


@dataclass(frozen=True)
class Effort:
    """Limits on how much is enumerated and priced, and conditions under which refinement stops.

    Attributes:
        candidates: in a program that computes this many arrays or fewer, each array may be stored; in a larger one, those that may be worth it.
        variants: variants of one kernel that are enumerated, without those that use local memory.
        all_variants: variants of all kernels of a region together, if each kernel can have `FEWEST_VARIANTS` then.
        all_elements: classes of these variants together, under the same condition.
        prices: variants of one region that are priced; kernels of one structure are priced once.
        local_memory_prices: further variants that are priced once variants that use local memory take part.
        patience: prices without an improvement after which guessing ends, unless variants that use local memory take part.
        trust: exponents of the observed price/bound ratios; where local memory may be used, guesses run once with each.
        provable: most kernels of a choice that is to be proved best, within the limit on prices; proofs about more kernels do not end.
        gap: gap between the best choice and the lower bound, relative to the choice, that is small enough to stop.
        gain: least gain, relative to the best choice, that guesses must promise to go on.
        until: the `perf_counter` time after which refinement stops, once it has a choice that can be built.
    """

    candidates: int = 8
    variants: int = 160
    all_variants: int = 8000
    all_elements: int = 600_000
    prices: int = 60
    local_memory_prices: int = 32
    patience: int = 24
    trust: tuple[float, ...] = (1.0, 0.7)
    provable: int = 8
    gap: float = 0.05
    gain: float = 0.0
    until: float = inf

    def variants_of_each(self, kernels: int, elements: int) -> int:
        """The variants that are enumerated of each of a region's kernels, which have so many classes together."""
        most = min(self.all_variants // kernels, self.all_elements // elements)
        return min(self.variants, max(FEWEST_VARIANTS, most))

    @property
    def halfway(self) -> float:
        """The `perf_counter` time at which half of the remaining time is up, and at least `GRACE`."""
        now = perf_counter()
        return max((now + self.until) / 2, now + GRACE)

    @property
    def is_over(self) -> bool:
        """Whether time is up."""
        return perf_counter() > self.until


OF_LAYERS = Effort(prices=16, local_memory_prices=18, patience=12, trust=(1.0,), provable=0, gain=0.15)
"""The effort for each layer of a deep program."""

OF_STEPS = replace(OF_LAYERS, gain=0.0)
"""The effort for each step of a recurrence. Many steps are equal, so that each gain counts many times."""

OF_FEW_STEPS = replace(OF_STEPS, provable=Effort.provable)
"""The effort for each step of a program that is cut only because its steps are equal: little else takes time."""
