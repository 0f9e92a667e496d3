"""The extraction of one region: it starts from lower bounds, prices the chosen kernels exactly, and repeats until nothing can be better.

An exact price needs a search of the kernel's loops, which takes milliseconds. So each variant starts with a lower bound of its price, and
an extraction over these bounds chooses what could be best. The chosen variants are priced exactly, and the extraction runs again. Once it
chooses only priced variants, no other choice can be better, because each cost is a price or lies below it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isclose
from statistics import median
from time import perf_counter

from eqsat.extract.extractors.frontier import Option, cheapest
from eqsat.schedule.placement.cone import Cone
from eqsat.schedule.placement.effort import Effort
from eqsat.schedule.placement.equal_variants import VariantKeys
from eqsat.schedule.placement.kernel_choice import Chosen, KernelChoice
from eqsat.schedule.placement.kernel_prices import Price
from eqsat.schedule.placement.variants import Enumeration, Variant

MICRO = 1e6  # costs of problems are microseconds

LARGE_SHARE = 1 / 8  # buffers that supply at least this share of the bytes of the most-read one are large

WIDE_GAP = 0.4  # relative gap above which guesses start again from the kernels that compute least
ROUNDING = 1e-9  # relative rounding error allowed in sums of seconds
PRICED_AS_ONE = 24  # nodes; guesses count a kernel of n times as many as n prices: its search takes longer
NEAR = 0.05  # relative difference of lower bounds above which two variants are not compared

Kind = tuple[int, bool, frozenset[int]]
"""The kind of a variant: its kernel, whether it uses local memory, and the large buffers that it reads."""


@dataclass(frozen=True, eq=False)
class Solution:
    """The chosen kernels, their total seconds, and a lower bound on the seconds of any choice."""

    kernels: tuple[Chosen, ...]
    seconds: float
    lower_bound: float


@dataclass(eq=False)
class Refinement:
    """The state of one region.

    Attributes:
        cones, alike, stored, roots: as in `KernelChoice`.
        price: returns the price of a kernel's variant; for a variant that takes longer than the given seconds, it may return a lower bound.
        keys_of: returns the keys of a variant of a first kernel; variants of equal keys have prices in common.
        effort: limits on what is enumerated and priced.
        variants: the variants of each first kernel of a structure.
        ratios, kernel_ratios: the least ratio of a price, or of an improved bound, to the first lower bound: by kind, and by kernel and
            whether local memory is used.
        spent: how many variants were priced so far; a large one counts as several.
        trust: exponent applied to observed price/bound ratios when guessing an unpriced variant: 1 trusts them fully, 0 uses the bound itself.
        with_local_memory: whether variants that use local memory take part; in regions of many kernels only once the best of the others is known.
        is_wide: whether a proof has too many frontiers when these variants take part.
        stand_ins: stand-ins with lower bounds for the variants of each first kernel that were not enumerated.
    """

    cones: Sequence[Cone]
    alike: Sequence[int]
    stored: Sequence[Sequence[int]]
    roots: Sequence[int]
    price: Callable[[int, Mapping[int, int], float], Price]
    keys_of: Callable[[int, Mapping[int, int]], VariantKeys]
    effort: Effort
    variants: dict[int, list[Variant]] = field(default_factory=dict[int, list[Variant]])
    stand_ins: dict[int, list[Variant]] = field(default_factory=dict[int, list[Variant]])
    keys: dict[Variant, VariantKeys] = field(default_factory=dict[Variant, VariantKeys])
    ratios: dict[Kind, float] = field(default_factory=dict[Kind, float])
    kernel_ratios: dict[tuple[int, bool], float] = field(default_factory=dict[tuple[int, bool], float])
    best: tuple[Chosen, ...] = ()
    seconds: float = inf
    lower_bound: float = 0.0
    spent: int = 0
    with_local_memory: bool = False
    trust: float = 1.0
    is_wide: bool = False

    def __post_init__(self) -> None:
        kernels = dict.fromkeys(self.alike)
        elements = sum(self.cones[first].class_count for first in kernels)
        most, until = self.effort.variants_of_each(len(kernels), elements), self.effort.halfway
        for left, first in zip(range(len(kernels), 0, -1), kernels, strict=True):
            now = perf_counter()
            found = Enumeration(first, self.cones[first], most, now + (until - now) / left)
            self.variants[first] = sorted(found.variants, key=lambda each: not each.uses_local_memory)
            self.stand_ins[first] = found.stand_ins
        self.kinds = {each: self._kind_of(each) for row in self.variants.values() for each in row}
        self.all_kinds = set(self.kinds.values())
        self.choice = KernelChoice(self.cones, self.alike, self.stored, self.roots, self._all_variants)

    def _kind_of(self, variant: Variant) -> Kind:
        cone = self.cones[variant.kernel]
        read = {
            cone.reads[node]: cone.read_bytes[node]
            for node in variant.inside.values()
            if cone.reads[node] >= 0
        }
        least = LARGE_SHARE * max(read.values(), default=0.0)
        return (
            variant.kernel,
            variant.uses_local_memory,
            frozenset(buffer for buffer, size in read.items() if size >= least),
        )

    def _all_variants(self, k: int) -> list[Variant]:
        """The variants of a kernel, and stand-ins for the variants that were not enumerated."""
        first = self.alike[k]
        return self.variants[first] + self.stand_ins[first]

    def _known_variants(self, k: int) -> list[Variant]:
        return self.variants[self.alike[k]]

    def solve(self) -> Solution:
        """The best choice found within the effort.

        Raises:
            ExtractionError: each choice needs a kernel that is too large.
        """
        effort, most = self.effort, self.effort.prices
        has_local_memory = any(
            each.uses_local_memory for variants in self.variants.values() for each in variants
        )
        if not (has_local_memory and self._is_small):
            self._guess(most)
        if has_local_memory:
            self.with_local_memory, most = True, most + effort.local_memory_prices
            if self._is_small:
                self._prove(effort.prices)
            if not self._is_near:
                for trust in effort.trust:
                    self.trust = trust
                    self._guess(self.spent + effort.local_memory_prices)
        is_wide = effort.provable and not self._is_over and self._gap > WIDE_GAP
        if is_wide and self.choice.order is not None and not self._is_least():
            self._guess_from_least_work()
        took_part = self.with_local_memory
        if len(self.best) <= self.effort.provable:
            self._prove(most)
            if not self._is_near:  # bounds of variants that were not enumerated, or limits, stopped the proof
                self.trust = 0.0
                self._guess(most)
        if not self._is_near or self.with_local_memory != took_part:
            self.with_local_memory, self.lower_bound = took_part, 0.0
            self._extract(bounding=True)
        return Solution(self.best, self.seconds, min(self.lower_bound, self.seconds))

    def _is_least(self) -> bool:
        """Computes the lower bound, which guesses do not, and returns whether the best choice reaches it. If not, restores the state."""
        before = self.with_local_memory, self.is_wide, self.lower_bound
        self._extract(bounding=True)
        if self.with_local_memory == before[0] and self._gap <= ROUNDING:
            return True
        self.with_local_memory, self.is_wide, self.lower_bound = before
        return False

    def _guess_from_least_work(self) -> None:
        """Prices the variant of each kernel that computes the fewest values, then repeats the guesses with these prices.

        For kernels that compute much, bounds may be far below prices. Guesses would try one such kernel after the other, and never those
        that compute less.
        """
        found = self.choice.guess(self._options(self._least_variants, {}))
        if self._price([name for name in found.names if name is not None]):
            self._guess(self.spent + self.effort.prices)

    def _least_variants(self, k: int) -> list[Variant]:
        """The variant of a kernel that computes least, without local memory if there is one; a list of at most one."""
        return sorted(self._known_variants(k), key=lambda each: (each.uses_local_memory, len(each.inside)))[
            :1
        ]

    def _guess(self, most: int) -> None:
        """Prices the choice that is expected to be best, again and again.

        Ends when that choice is priced or promises too little gain, when `spent` reaches `most`, or, without local memory, when
        `Effort.patience` prices brought nothing better. It goes on until some choice can be built, unless there is none: where elements are
        gathered from a scan, many variants read it out of order and cannot be built.
        """
        best, since = self.seconds, self.spent
        while (
            not self._is_over and self._round(bounding=False) and (self.spent < most or self.seconds == inf)
        ):
            if self.seconds < best:
                best, since = self.seconds, self.spent
            elif (
                self.seconds < inf
                and self.spent - since >= self.effort.patience
                and not self.with_local_memory
            ):
                break

    def _prove(self, most: int) -> None:
        """Prices the choices that could be better until none can be, or until `most` variants are priced."""
        while (
            not (self._is_near or self._is_over or self.choice.is_too_wide)
            and self.spent < most
            and self._round(bounding=True)
        ):
            pass

    @property
    def _is_over(self) -> bool:
        """Whether a choice is known and time is up."""
        return self.seconds < inf and self.effort.is_over

    @property
    def _is_small(self) -> bool:
        """Whether the region has few kernels: a proof is then always tried, and mostly ends sooner than guesses do."""
        return len(self.cones) <= self.effort.provable

    @property
    def _is_near(self) -> bool:
        """Whether the best choice is within the allowed gap of the lower bound."""
        return self._gap <= max(self.effort.gap, ROUNDING)

    @property
    def _gap(self) -> float:
        """The relative gap, (best - lower bound) / best; 1 while no choice is known."""
        return 1.0 if self.seconds == inf else (self.seconds - self.lower_bound) / self.seconds

    def _round(self, *, bounding: bool) -> bool:
        """Extracts a choice and prices it; False if it was priced already, or if its expected gain is too small.

        Without `bounding`, an unpriced variant is expected to take its lower bound times the price/bound ratio of its kind, to the power `trust`.
        """
        cost, chosen = self._extract(bounding=bounding)
        if not bounding and cost > (1.0 - self.effort.gain) * self.seconds * MICRO:
            return False
        return self._price(chosen)

    def _price(self, chosen: Sequence[Chosen]) -> bool:
        """Prices the chosen variants, or improves their bounds until the choice cannot beat the best; False if all were priced already."""
        new = {id(each.variant): each for each in chosen if each.variant.inside and not each.variant.is_exact}
        # in large regions the other prices are worth having where small gains count, as they show how far bounds are below prices
        ends_early = self._is_small or self.effort.gain > 0.0
        for k, variant in sorted(new.values(), key=lambda each: -each.variant.seconds):
            price = self.price(k, variant.inside, variant.seconds + max(0.0, self._slack(chosen)))
            self._note(variant, price)
            self.spent += max(1, len(variant.inside) // PRICED_AS_ONE)
            if not price.is_exact or (ends_early and self._slack(chosen) < 0.0):
                break  # the choice cannot be the best, whatever the others take
        if all(each.variant.is_exact for each in chosen):
            total = sum(each.variant.seconds for each in chosen)
            if total < self.seconds or not self.best:
                self.best, self.seconds = tuple(chosen), total
        return bool(new)

    def _slack(self, chosen: Sequence[Chosen]) -> float:
        """The slack of a choice: the seconds of the best one minus all known seconds of this one; negative if it cannot be the best."""
        return self.seconds - sum(each.variant.seconds for each in chosen) if self.seconds < inf else inf

    def _note(self, variant: Variant, price: Price) -> None:
        """Records the price of a variant, and what it implies for variants of equal keys."""
        variant.seconds, variant.is_exact = price.seconds, price.is_exact
        if price.seconds < inf:
            kind, ratio = self.kinds[variant], price.seconds / variant.lower_bound
            self.ratios[kind] = min(self.ratios.get(kind, inf), ratio)
            self.kernel_ratios[kind[:2]] = min(self.kernel_ratios.get(kind[:2], inf), ratio)
        for each in self.variants[variant.kernel]:
            if each.is_exact or self.kinds[each] != self.kinds[variant] or each is variant:
                continue
            if (
                isclose(each.lower_bound, variant.lower_bound, rel_tol=NEAR)
                and self._keys(each).kernel == self._keys(variant).kernel
            ):
                each.seconds, each.is_exact = price.seconds, price.is_exact
            elif (
                each.seconds < price.without_arithmetic
                and self._keys(each).frame == self._keys(variant).frame
            ):
                each.seconds = price.without_arithmetic

    def _keys(self, variant: Variant) -> VariantKeys:
        if variant not in self.keys:
            self.keys[variant] = self.keys_of(variant.kernel, variant.inside)
        return self.keys[variant]

    def _extract(self, *, bounding: bool) -> tuple[float, list[Chosen]]:
        """The cost of the cheapest choice and its variants: by lower bounds, which may raise `lower_bound`, or else by estimates."""
        options = self._options(
            *((self._all_variants, {}) if bounding else (self._known_variants, self._factors()))
        )
        if not bounding:
            found = self.choice.guess(options)
        elif self.choice.order is None or (self.is_wide and self.with_local_memory):
            found = self.choice.bound(options)
        else:
            found = cheapest(options, self.choice.order, self.choice.needed)
            if found is None and self.with_local_memory:
                self.is_wide, self.with_local_memory = True, False
                return self._extract(bounding=True)
            found = found or self.choice.bound(options)
        if bounding:
            self.lower_bound = max(self.lower_bound, found.lower_bound / MICRO)
        return found.cost, [name for name in found.names if name is not None]

    def _factors(self) -> dict[Kind, float]:
        """The price/bound ratio of each kind.

        A kind without prices takes its kernel's ratio, else the median. Kinds that use local memory start at 1, so that each is tried once.
        """
        of_all = median(self.kernel_ratios.values()) if self.kernel_ratios else 1.0
        plain = [
            ratio for (_, uses_local_memory), ratio in self.kernel_ratios.items() if not uses_local_memory
        ]
        usual = median(plain) if plain else of_all
        return {
            kind: self.ratios.get(kind, 1.0 if kind[1] else self.kernel_ratios.get(kind[:2], usual))
            for kind in self.all_kinds
        }

    def _options(
        self, variants: Callable[[int], Sequence[Variant]], factors: Mapping[Kind, float]
    ) -> dict[int, list[Option[Chosen]]]:
        """The present extraction problem. An unpriced variant costs its lower bound times the factor of its kind, to the power `trust`."""
        return self.choice.options(
            lambda k: [
                (self._cost(each, factors), each)
                for each in variants(k)
                if self.with_local_memory or not each.uses_local_memory
            ]
        )

    def _cost(self, variant: Variant, factors: Mapping[Kind, float]) -> float:
        factor = 1.0 if variant.is_exact or not factors else factors[self.kinds[variant]]
        return variant.seconds * MICRO * factor**self.trust
