"""How much of the choice of kernels is looked at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from time import perf_counter


@dataclass(frozen=True)
class Effort:
    """How much is looked at, and when refinement stops.

    Attributes:
        candidates: of programs that compute so many arrays or fewer, each of them may be stored; of larger ones, those that may be worth it.
        variants: of one kernel that are looked at.
        prices: variants of one region that are priced; those of kernels of one structure are priced once.
        kept: those that are priced besides, once variants that keep values in local memory are looked at.
        patience: prices after which guessing without anything better ends, where nothing is kept.
        trust: in what was seen of prices, by turns: exponents of their ratios to lower bounds.
        provable: kernels of a choice that is proved best, if that takes no more prices; proofs about more do not end.
        gap: between the best choice and the lower bound, relative to the choice, with which it is good enough.
        gain: what guesses are expected to gain, relative to the best choice; with less to gain, they end.
        until: the moment, as `perf_counter` tells it, after which nothing more is looked at once there is a choice that can be built.
    """

    candidates: int = 8
    variants: int = 160
    prices: int = 60
    kept: int = 32
    patience: int = 24
    trust: tuple[float, ...] = (1.0, 0.7)
    provable: int = 8
    gap: float = 0.05
    gain: float = 0.0
    until: float = inf

    @property
    def is_over(self) -> bool:
        """Whether its time is."""
        return perf_counter() > self.until


OF_LAYERS = Effort(prices=16, kept=18, patience=12, trust=(1.0,), provable=0, gain=0.15)
"""For each layer of a deep program."""

OF_STEPS = replace(OF_LAYERS, gain=0.0)
"""For each step of a recurrence, of which there are many alike: what is gained is gained again and again."""

OF_FEW_STEPS = replace(OF_STEPS, provable=Effort.provable)
"""For each step of a program that would not be cut if its steps were not alike: little else takes time."""
