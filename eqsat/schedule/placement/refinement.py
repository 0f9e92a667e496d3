"""The extraction of one region: lower bounds first, exact prices for the kernels that are chosen, again until nothing else can be better.

To price a kernel exactly is to search its loops, which takes milliseconds. So the variants of kernels start with lower bounds of their
prices, and the extraction over these chooses what could be best. What it chooses is priced exactly, and extracted again. Once it chooses
priced variants alone, nothing else can be better: each cost is a price, or below it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isclose
from statistics import median

from eqsat.extract.extractors.frontier import Option, cheapest, promising
from eqsat.schedule.placement.cone import Cone
from eqsat.schedule.placement.effort import Effort
from eqsat.schedule.placement.kernel_choice import Chosen, KernelChoice
from eqsat.schedule.placement.kernel_prices import Price
from eqsat.schedule.placement.kinship import Kin
from eqsat.schedule.placement.variants import Enumeration, Variant

WIDTH = 48  # frontiers that a guess follows
MICRO = 1e6  # costs of problems are microseconds

LARGE = 1 / 8  # of the most bytes that a variant reads of one buffer: what reads the same of these is alike

WIDE = 0.4  # gaps after which kernels that compute less are looked at
ROUNDING = 1e-9  # of sums of seconds
PRICED_AS_ONE = 24  # nodes: guesses count the price of a larger kernel, which takes longer, as several
NEAR = 0.05  # kernels of which lower bounds differ by more are not compared

Kind = tuple[int, bool, frozenset[int]]
"""Of a variant: its kernel, whether it keeps values, and the large buffers that it reads."""


@dataclass(frozen=True, eq=False)
class Solution:
    """The chosen kernels, what they take together, and what no choice takes less than."""

    kernels: tuple[Chosen, ...]
    seconds: float
    lower_bound: float


@dataclass(eq=False)
class Refinement:
    """The state of one region.

    Attributes:
        cones, alike, stored, roots: those of its `KernelChoice`.
        price: of a variant of a kernel; if that takes longer than so many seconds, a bound of it may do.
        kinship: of a variant of a first kernel, what it has in common with others.
        effort: how much is looked at.
        variants: of the first kernels.
        ratios, of_kernel: least ratio of prices, or of what they exceed, to lower bounds: by kind, and by kernel and whether values are kept.
        priced, spent: variants so far, and the same as guesses count them.
        trust: how much of that what is not priced is expected to exceed its lower bound by: all of it with 1.
        keeping: whether variants that keep values in local memory are looked at; of many kernels once the best of the others is known.
        is_wide: whether there are too many frontiers with these for a proof.
        unexplored: by first kernel, bounds of the variants that are not among these.
    """

    cones: Sequence[Cone]
    alike: Sequence[int]
    stored: Sequence[Sequence[int]]
    roots: Sequence[int]
    price: Callable[[int, Mapping[int, int], float], Price]
    kinship: Callable[[int, Mapping[int, int]], Kin]
    effort: Effort
    variants: dict[int, list[Variant]] = field(default_factory=dict[int, list[Variant]])
    unexplored: dict[int, list[Variant]] = field(default_factory=dict[int, list[Variant]])
    kin: dict[Variant, Kin] = field(default_factory=dict[Variant, Kin])
    ratios: dict[Kind, float] = field(default_factory=dict[Kind, float])
    of_kernel: dict[tuple[int, bool], float] = field(default_factory=dict[tuple[int, bool], float])
    best: tuple[Chosen, ...] = ()
    seconds: float = inf
    lower_bound: float = 0.0
    priced: int = 0
    spent: int = 0
    keeping: bool = False
    trust: float = 1.0
    is_wide: bool = False

    def __post_init__(self) -> None:
        for first in dict.fromkeys(self.alike):
            found = Enumeration(first, self.cones[first], self.effort.variants)
            self.variants[first] = sorted(found.variants, key=lambda each: not each.keeps)
            self.unexplored[first] = found.unexplored
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
        least = LARGE * max(read.values(), default=0.0)
        return (
            variant.kernel,
            variant.keeps,
            frozenset(buffer for buffer, size in read.items() if size >= least),
        )

    def _all_variants(self, k: int) -> list[Variant]:
        """The variants of a kernel, and some in place of all that were not looked at."""
        first = self.alike[k]
        return self.variants[first] + self.unexplored[first]

    def _known_variants(self, k: int) -> list[Variant]:
        return self.variants[self.alike[k]]

    def solve(self) -> Solution:
        """The best choice found within the effort.

        Raises:
            ExtractionError: each choice needs a kernel that is too large.
        """
        effort, most = self.effort, self.effort.prices
        keeps = any(each.keeps for variants in self.variants.values() for each in variants)
        if not (keeps and self._is_small):
            self._guess(most)
        if keeps:
            self.keeping, most = True, most + effort.kept
            if self._is_small:
                self._prove(effort.prices)
            if not self._is_near:
                for self.trust in effort.trust:
                    self._guess(self.spent + effort.kept)
        is_wide = effort.provable and not self._is_over and self._gap > WIDE
        if is_wide and self.choice.order is not None and not self._is_least():
            self._separate(self.choice.order)
        keeping = self.keeping
        if len(self.best) <= self.effort.provable:
            self._prove(most)
            if not self._is_near:  # bounds of variants not looked at are in the way, or the effort ends
                self.trust = 0.0
                self._guess(most)
        if not self._is_near or self.keeping != keeping:
            self.keeping, self.lower_bound = keeping, 0.0
            self._extract(bounding=True)
        return Solution(self.best, self.seconds, min(self.lower_bound, self.seconds))

    def _is_least(self) -> bool:
        """Whether the best choice takes no longer than the lower bound, which is looked for: guesses tell none. Otherwise all is as it was."""
        before = self.keeping, self.is_wide, self.lower_bound
        self._extract(bounding=True)
        if self.keeping == before[0] and self._gap <= ROUNDING:
            return True
        self.keeping, self.is_wide, self.lower_bound = before
        return False

    def _separate(self, order: Sequence[int]) -> None:
        """Prices kernels that compute as little as they can, and guesses again with what is known then.

        Of kernels that compute much, bounds may be far below prices: guesses try one after the other, and never those that do less.
        """
        found = promising(self._options(self._least_variants, {}), order, self.choice.needed, WIDTH)
        if self._price([name for name in found.names if name is not None]):
            self._guess(self.spent + self.effort.prices)

    def _least_variants(self, k: int) -> list[Variant]:
        """Of a kernel, the variant that computes least."""
        return sorted(self._known_variants(k), key=lambda each: (each.keeps, len(each.inside)))[:1]

    def _guess(self, most: int) -> None:
        """Prices what is expected to be best until all of that is priced, so many variants are, or nothing better was found for long.

        It does not end before a choice is found that can be built, unless there is none: of a scan that is gathered from, every other variant
        may read it out of order.
        """
        best, since = self.seconds, self.spent
        while (
            not self._is_over and self._round(bounding=False) and (self.spent < most or self.seconds == inf)
        ):
            if self.seconds < best:
                best, since = self.seconds, self.spent
            elif self.seconds < inf and self.spent - since >= self.effort.patience and not self.keeping:
                break

    def _prove(self, most: int) -> None:
        """Prices what could be better until nothing can, or so many variants are priced."""
        while not self._is_near and not self._is_over and self.priced < most and self._round(bounding=True):
            pass

    @property
    def _is_over(self) -> bool:
        """Whether there is no time for more than the best choice so far."""
        return self.seconds < inf and self.effort.is_over

    @property
    def _is_small(self) -> bool:
        """Whether a proof is tried whatever is found, and mostly ends sooner than guesses do."""
        return len(self.cones) <= self.effort.provable

    @property
    def _is_near(self) -> bool:
        """Whether the best choice is near enough to the lower bound."""
        return self._gap <= max(self.effort.gap, ROUNDING)

    @property
    def _gap(self) -> float:
        """How much more the best choice takes than the lower bound, relative to it."""
        return 1.0 if self.seconds == inf else (self.seconds - self.lower_bound) / self.seconds

    def _round(self, *, bounding: bool) -> bool:
        """Extracts, and prices what is chosen; False if that was priced already, or is not expected to gain enough.

        Without `bounding`, what is not priced is expected to take as many times its lower bound as what is priced of its kernel, or somewhat less.
        """
        cost, chosen = self._extract(bounding=bounding)
        if not bounding and cost > (1.0 - self.effort.gain) * self.seconds * MICRO:
            return False
        return self._price(chosen)

    def _price(self, chosen: Sequence[Chosen]) -> bool:
        """Prices what is chosen, or bounds it where the choice is then no better than the best; False if all was priced already."""
        new = {id(each.variant): each for each in chosen if each.variant.inside and not each.variant.is_exact}
        # in large regions the other prices tell how far bounds are from prices, which is worth it for small gains, too
        ends_early = self._is_small or self.effort.gain > 0.0
        for k, variant in sorted(new.values(), key=lambda each: -each.variant.seconds):
            price = self.price(k, variant.inside, variant.seconds + max(0.0, self._spare(chosen)))
            self._note(variant, price)
            self.priced += 1
            self.spent += max(1, len(variant.inside) // PRICED_AS_ONE)
            if not price.is_exact or (ends_early and self._spare(chosen) < 0.0):
                break  # whatever the others take
        if all(each.variant.is_exact for each in chosen):
            total = sum(each.variant.seconds for each in chosen)
            if total < self.seconds or not self.best:
                self.best, self.seconds = tuple(chosen), total
        return bool(new)

    def _spare(self, chosen: Sequence[Chosen]) -> float:
        """How much more than is known so far a choice may take and still be the best; negative if it is not."""
        return self.seconds - sum(each.variant.seconds for each in chosen) if self.seconds < inf else inf

    def _note(self, variant: Variant, price: Price) -> None:
        """The price of a variant, and what it says of its kin."""
        variant.seconds, variant.is_exact = price.seconds, price.is_exact
        if price.seconds < inf:
            kind, ratio = self.kinds[variant], price.seconds / variant.least
            self.ratios[kind] = min(self.ratios.get(kind, inf), ratio)
            self.of_kernel[kind[:2]] = min(self.of_kernel.get(kind[:2], inf), ratio)
        for each in self.variants[variant.kernel]:
            if each.is_exact or self.kinds[each] != self.kinds[variant] or each is variant:
                continue
            if (
                isclose(each.least, variant.least, rel_tol=NEAR)
                and self._kin(each).kernel == self._kin(variant).kernel
            ):
                each.seconds, each.is_exact = price.seconds, price.is_exact
            elif each.seconds < price.bare and self._kin(each).frame == self._kin(variant).frame:
                each.seconds = price.bare

    def _kin(self, variant: Variant) -> Kin:
        if variant not in self.kin:
            self.kin[variant] = self.kinship(variant.kernel, variant.inside)
        return self.kin[variant]

    def _extract(self, *, bounding: bool) -> tuple[float, list[Chosen]]:
        """The cheapest choice, and its cost, by lower bounds, which raises the lower bound of all, or by estimates."""
        options = self._options(
            *((self._all_variants, {}) if bounding else (self._known_variants, self._factors()))
        )
        if self.choice.order is None or (self.is_wide and bounding and self.keeping):
            found = self.choice.by_portfolio(options)
        elif not bounding:
            found = promising(options, self.choice.order, self.choice.needed, WIDTH)
        else:
            found = cheapest(options, self.choice.order, self.choice.needed)
            if found is None and self.keeping:
                self.is_wide, self.keeping = True, False
                return self._extract(bounding=True)
            found = found or self.choice.by_portfolio(options)
        if bounding:
            self.lower_bound = max(self.lower_bound, found.lower_bound / MICRO)
        return found.cost, [name for name in found.names if name is not None]

    def _factors(self) -> dict[Kind, float]:
        """By kind, `ratios`.

        Where none is priced, that of the kernel or of others, or 1 where values are kept, so that one of each kind is tried.
        """
        of_all = median(self.of_kernel.values()) if self.of_kernel else 1.0
        plain = [ratio for (_, keeps), ratio in self.of_kernel.items() if not keeps]
        usual = median(plain) if plain else of_all
        return {
            kind: self.ratios.get(kind, 1.0 if kind[1] else self.of_kernel.get(kind[:2], usual))
            for kind in self.all_kinds
        }

    def _options(
        self, variants: Callable[[int], Sequence[Variant]], factors: Mapping[Kind, float]
    ) -> dict[int, list[Option[Chosen]]]:
        """The extraction problem of this moment. A variant that is not priced costs its lower bound, times the factor of its kernel."""
        return self.choice.options(
            lambda k: [
                (self._cost(each, factors), each) for each in variants(k) if self.keeping or not each.keeps
            ]
        )

    def _cost(self, variant: Variant, factors: Mapping[Kind, float]) -> float:
        factor = 1.0 if variant.is_exact or not factors else factors[self.kinds[variant]]
        return variant.seconds * MICRO * factor**self.trust
