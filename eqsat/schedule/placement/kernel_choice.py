"""The choice of a region's kernels and of their variants, as an extraction problem.

The problem has a class for each buffer and for each kernel. Each variant of a kernel is a node, whose children are the buffers that it reads.
A buffer that only one kernel writes shares the class of that kernel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import NamedTuple

from eqsat.errors import ExtractionError
from eqsat.extract import Extraction, Milp, Problem, TreeDecomposition
from eqsat.extract.extractors.frontier import Found, Option, in_order, promising, undominated
from eqsat.extract.extractors.tree_decomposition import quick_width
from eqsat.schedule.placement.cone import Cone
from eqsat.schedule.placement.variants import Variant
from eqsat.support.bits import bits_of, union

SECONDS = 2.0  # time for all integer programs of a region
SHARE = 0.25  # the share of what is left of it for each
LITTLE = 0.2  # seconds in which integer programs hardly raise a bound
MOST_FRONTIERS = 48  # frontiers that a guess follows


class Chosen(NamedTuple):
    """The number of a kernel, and the variant that computes it."""

    kernel: int
    variant: Variant


Options = Mapping[int, Sequence[Option[Chosen]]]
"""The nodes of each class."""


@dataclass(eq=False)
class KernelChoice:
    """The problem of one region without costs, which change as variants are priced.

    Attributes:
        cones: the cone of each kernel.
        alike: for each kernel, the first kernel of the same structure; it has the variants of them all.
        stored: the buffers that each kernel writes.
        roots: the buffers that must be stored.
        variants: returns all variants that a kernel ever has.
        number: the class of each buffer and of each kernel, where kernel k has the key ~k. The higher the numbers of its buffers, the higher
            the class.
        needed: the classes of `roots`, as a bit mask.
        order: the classes, each before the classes that it may need; None if kernels could need each other.
        seconds: how much time is left for integer programs.
    """

    cones: Sequence[Cone]
    alike: Sequence[int]
    stored: Sequence[Sequence[int]]
    roots: Sequence[int]
    variants: Callable[[int], Sequence[Variant]]
    number: dict[int, int] = field(init=False)
    needed: int = field(init=False)
    order: Sequence[int] | None = field(init=False)
    seconds: float = field(init=False, default=SECONDS)

    def __post_init__(self) -> None:
        self.number = self._numbered()
        self.needed = self._mask(self.roots)
        self.option_keys = [self._option_key_of(k) for k in range(len(self.cones))]
        self.children = [self._children_of(k) for k in range(len(self.cones))]
        self.order = in_order(self._needs())

    def _numbered(self) -> dict[int, int]:
        writers = Counter(buffer for row in self.stored for buffer in row)
        made = {buffer: (buffer, 1) for buffer, count in writers.items() if count > 1}
        made.update({~k: (max(row), 0) for k, row in enumerate(self.stored)})
        number = {each: number for number, each in enumerate(sorted(made, key=made.__getitem__))}
        only = {
            buffer: number[~k] for k, row in enumerate(self.stored) for buffer in row if writers[buffer] == 1
        }
        return number | only

    def _mask(self, buffers: Iterable[int]) -> int:
        """The classes of these buffers as a bit mask, without the buffers that no kernel writes."""
        mask = 0
        for each in buffers:
            if each in self.number:
                mask |= 1 << self.number[each]
        return mask

    def _option_key_of(self, k: int) -> tuple[int, ...]:
        """The first kernel of the structure, and which nodes read buffers of one class or of none. Kernels of equal keys have equal options."""
        own = [self.number.get(buffer, -1) for buffer in self.cones[k].reads]
        places = {-1: -1} | {each: place for place, each in enumerate(dict.fromkeys(own)) if each >= 0}
        return self.alike[k], *(places[each] for each in own)

    def _needs(self) -> dict[int, list[Option[Chosen]]]:
        """One option for each class, whose children are all classes that it may need."""
        masks = dict.fromkeys(self.number.values(), 0)
        for k, row in enumerate(self.stored):
            own = self.number[~k]
            masks[own] |= union(self.children[k].values())
            for buffer in row:
                if self.number[buffer] != own:
                    masks[self.number[buffer]] |= 1 << own
        return {owner: [Option(0.0, mask, None)] for owner, mask in masks.items()}

    def _children_of(self, k: int) -> dict[frozenset[int], int]:
        """The classes that the variants of a kernel need, keyed by the buffers that they read in the first kernel of the structure."""
        own = dict(zip(self.cones[self.alike[k]].reads, self.cones[k].reads, strict=True))
        reads = {each.reads for each in self.variants(k)}
        return {each: self._mask({own[buffer] for buffer in each}) for each in reads}

    def options(
        self, priced: Callable[[int], Iterable[tuple[float, Variant]]]
    ) -> dict[int, list[Option[Chosen]]]:
        """The present nodes of each class: for a kernel, the variants that `priced` returns, with their costs.

        Drops dominated variants. `priced` is called once for all kernels of equal keys.
        """
        found: dict[int, list[Option[Chosen]]] = {number: [] for number in self.number.values()}
        options_of: dict[tuple[int, ...], list[Option[Variant]]] = {}
        for k, row in enumerate(self.stored):
            own = self.number[~k]
            for buffer in row:
                if self.number[buffer] != own:
                    found[self.number[buffer]].append(Option(0.0, 1 << own, None))
            children, key = self.children[k], self.option_keys[k]
            if key not in options_of:
                options_of[key] = undominated(
                    Option(cost, children[each.reads], each) for cost, each in priced(k)
                )
            for cost, _, each in options_of[key]:
                assert each is not None
                found[own].append(Option(cost, children[each.reads], Chosen(k, each)))
        return found

    def guess(self, options: Options) -> Found[Chosen]:
        """A cheap choice, which is found in milliseconds."""
        found = [] if self.order is not None else [self._of_a_tree(options)]
        if not any(each.is_least for each in found):
            found += self._walked(options)
        return min(found, key=lambda each: each.cost)

    def _walked(self, options: Options) -> list[Found[Chosen]]:
        """The choice that a walk over few frontiers finds, if any; see `_falling` for kernels that could need each other."""
        if self.order is not None:
            return [promising(options, self.order, self.needed, MOST_FRONTIERS)]
        try:
            return [promising(self._falling(options), self._descending, self.needed, MOST_FRONTIERS)]
        except ExtractionError:  # kernels that store several arrays would all load one that is between these
            return []

    @cached_property
    def _descending(self) -> list[int]:
        """The classes in an order in which each kernel comes after all buffers that it stores.

        Buffers that need more kernels one after the other come before those that need fewer.
        """
        kernels: dict[
            int, int
        ] = {}  # by buffer, how many kernels may have to run one after the other until it is stored
        alone = sorted((row[0], k) for k, row in enumerate(self.stored) if len(row) == 1)
        for buffer, k in alone:
            before = max((kernels.get(read, 0) for read in self.cones[k].reads if read < buffer), default=0)
            kernels[buffer] = max(kernels.get(buffer, 0), before + 1)
        places = {buffer: (kernels.get(buffer, 0), buffer) for row in self.stored for buffer in row}
        keys = {self.number[buffer]: (*place, 1) for buffer, place in places.items()}
        keys |= {
            self.number[~k]: (*min(places[buffer] for buffer in row), 0) for k, row in enumerate(self.stored)
        }
        return sorted(keys, key=keys.__getitem__, reverse=True)

    def _falling(self, options: Options) -> dict[int, list[Option[Chosen]]]:
        """The options whose children all come later in `_descending`: no kernel loads a buffer that is between two that it stores."""
        found: dict[int, list[Option[Chosen]]] = {}
        later = 0
        for owner in reversed(self._descending):
            found[owner] = [option for option in options[owner] if not option.children & ~later]
            later |= 1 << owner
        return found

    def bound(self, options: Options) -> Found[Chosen]:
        """A choice and a lower bound, for regions whose kernels may need each other, or with too many live buffers at a time.

        If the time for an integer program is too short, the choice may not be the cheapest one.
        """
        found = self._of_a_tree(options)
        if found.is_least:
            return found
        start = perf_counter()
        found = self._extracted(options, Milp(SHARE * self.seconds).extract)
        self.seconds = max(0.0, self.seconds - (perf_counter() - start))
        if found.is_least:
            return found
        best = min([found, *self._walked(options)], key=lambda each: each.cost)
        return best._replace(lower_bound=found.lower_bound)

    @property
    def is_too_wide(self) -> bool:
        """Whether integer programs have used up nearly all of their time, so that bounds hardly rise any more."""
        return self.seconds < LITTLE

    def _of_a_tree(self, options: Options) -> Found[Chosen]:
        return self._extracted(options, TreeDecomposition(width=quick_width(len(options))).extract)

    def _extracted(self, options: Options, extract: Callable[[Problem], Extraction]) -> Found[Chosen]:
        rows = [(owner, option) for owner, own in options.items() for option in own]
        problem = Problem.build(
            [option.cost for _, option in rows],
            [owner for owner, _ in rows],
            [list(bits_of(option.children)) for _, option in rows],
            list(bits_of(self.needed)),
            class_count=len(options),
        )
        found = extract(problem)
        options_of = [option for _, option in rows]
        chosen: list[int] = found.choice.tolist()
        names = [options_of[node].name for node in chosen if node >= 0]
        return Found(found.dag_cost, found.dag_cost if found.optimal else found.lower_bound, names)
