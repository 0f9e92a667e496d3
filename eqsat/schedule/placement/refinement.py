"""The extraction of one region: lower bounds first, exact prices for the kernels that are chosen, again until nothing else can be better.

To price a kernel exactly is to search its loops, which takes milliseconds. So the variants of kernels start with lower bounds of their
prices, and the extraction over these chooses what could be best. What it chooses is priced exactly, and extracted again. Once it chooses
priced variants alone, nothing else can be better: each cost is a price, or below it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from statistics import median

from eqsat.extract import Portfolio, Problem
from eqsat.schedule.placement.cone import Cone
from eqsat.schedule.placement.variants import Enumeration, Variant

SECONDS = 2.0  # for one extraction
MICRO = 1e6  # costs of problems are microseconds


@dataclass(frozen=True)
class Effort:
    """How much is looked at, and when refinement stops.

    Attributes:
        candidates: of programs that compute so many arrays or fewer, each of them may be stored; of larger ones, those that may be worth it.
        prices: variants of one region that are priced.
        gap: between the best choice and the lower bound, relative to it.
    """

    candidates: int = 8
    prices: int = 60
    gap: float = 1e-9


@dataclass(frozen=True, eq=False)
class Solution:
    """The chosen variants, what they take together, and what no choice takes less than."""

    variants: tuple[Variant, ...]
    seconds: float
    lower_bound: float


@dataclass(eq=False)
class Refinement:
    """The state of one region.

    Attributes:
        cones: of its kernels.
        stored: the buffers that each writes, by their numbers in the region.
        numbers: of all buffers of the region.
        roots: the buffers that must be stored.
        price: the exact seconds of a variant.
    """

    cones: Sequence[Cone]
    stored: Sequence[Sequence[int]]
    numbers: Mapping[int, int]
    roots: Sequence[int]
    price: Callable[[int, Mapping[int, int]], float]
    variants: list[Variant] = field(default_factory=list[Variant])
    best: tuple[Variant, ...] = ()
    seconds: float = inf
    lower_bound: float = 0.0
    priced: int = 0

    def solve(self, effort: Effort) -> Solution:
        """The best choice found within the effort."""
        complete = True
        for k, cone in enumerate(self.cones):
            found = Enumeration(k, cone)
            self.variants += found.variants
            complete &= found.is_complete
        while self._round(bounding=False) and (self.priced < effort.prices or self.seconds == inf):
            pass
        while self._gap > effort.gap and self.priced < effort.prices and self._round(bounding=True):
            pass
        if self._gap > effort.gap:
            problem, _ = self.problem({})
            self.lower_bound = max(self.lower_bound, Portfolio(SECONDS).extract(problem).lower_bound / MICRO)
        return Solution(self.best, self.seconds, min(self.lower_bound, self.seconds) if complete else 0.0)

    @property
    def _gap(self) -> float:
        """How much more the best choice takes than the lower bound, relative to it."""
        return 1.0 if self.seconds == inf else (self.seconds - self.lower_bound) / self.seconds

    def _round(self, *, bounding: bool) -> bool:
        """Extracts, and prices what is chosen; False if that was priced already.

        Without `bounding`, what is not priced is expected to take as many times its lower bound as what is priced of its kernel.
        """
        problem, nodes = self.problem({} if bounding else self._factors())
        found = Portfolio(SECONDS).extract(problem)
        chosen = [nodes[node] for node in found.choice.tolist() if node in nodes]
        if bounding:
            self.lower_bound = max(self.lower_bound, found.lower_bound / MICRO)
        new = [variant for variant in chosen if not variant.is_exact]
        for variant in new:
            variant.seconds, variant.is_exact = self.price(variant.kernel, variant.inside), True
        self.priced += len(new)
        total = sum(variant.seconds for variant in chosen)
        if total < self.seconds or not self.best:
            self.best, self.seconds = tuple(chosen), total
        return bool(new)

    def _factors(self) -> dict[int, float]:
        """By kernel, the least ratio of exact prices to lower bounds; of those without any, that of all."""
        found: dict[int, float] = {}
        for variant in self.variants:
            if variant.is_exact and variant.seconds < inf:
                factor = variant.seconds / variant.least
                found[variant.kernel] = min(found.get(variant.kernel, inf), factor)
        usual = median(found.values()) if found else 1.0
        return {k: found.get(k, usual) for k in range(len(self.cones))}

    def problem(self, factors: Mapping[int, float]) -> tuple[Problem, dict[int, Variant]]:
        """The extraction problem of this moment: a class for each buffer and each kernel, a node for each variant.

        A variant that is not priced costs its lower bound, times the factor of its kernel.
        """
        buffers = len(self.numbers)
        written = {buffer for row in self.stored for buffer in row}
        costs: list[float] = []
        owners: list[int] = []
        rows: list[list[int]] = []
        for buffer in set(range(buffers)) - written:
            costs.append(0.0)
            owners.append(buffer)
            rows.append([])
        for k, row in enumerate(self.stored):
            for buffer in row:
                costs.append(0.0)
                owners.append(buffer)
                rows.append([buffers + k])
        nodes: dict[int, Variant] = {}
        for variant in self.variants:
            nodes[len(costs)] = variant
            costs.append(
                variant.seconds * MICRO * (1.0 if variant.is_exact else factors.get(variant.kernel, 1.0))
            )
            owners.append(buffers + variant.kernel)
            rows.append(sorted(self.numbers[buffer] for buffer in variant.reads))
        return Problem.build(costs, owners, rows, self.roots, class_count=buffers + len(self.cones)), nodes
