"""Which kernels compute a region, and how: an extraction problem.

A class for each buffer and each kernel, a node for each variant of a kernel, whose children are the buffers that it reads. A buffer that one
kernel alone writes is of the class of that kernel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple

from eqsat.extract import Portfolio, Problem
from eqsat.extract.extractors.frontier import Found, Option, bits_of, in_order, undominated
from eqsat.schedule.placement.cone import Cone
from eqsat.schedule.placement.variants import Variant

SECONDS = 0.5  # for one extraction by the portfolio


class Chosen(NamedTuple):
    """A kernel by its number, and how it is computed."""

    kernel: int
    variant: Variant


Options = Mapping[int, Sequence[Option[Chosen]]]
"""By class, its nodes."""


@dataclass(eq=False)
class KernelChoice:
    """The problem of one region, whatever its variants cost.

    Attributes:
        cones: of its kernels.
        alike: by kernel, the first of the same structure, whose variants are those of all.
        stored: the buffers that each writes.
        roots: the buffers that must be stored.
        variants: of a kernel, all that it ever has.
        number: the class of each buffer, and of each kernel (from −1 down): the later its buffers are made, the greater.
        needed: the classes of `roots`, as bits.
        order: of the classes, each after those that it may need; None if kernels could need each other.
    """

    cones: Sequence[Cone]
    alike: Sequence[int]
    stored: Sequence[Sequence[int]]
    roots: Sequence[int]
    variants: Callable[[int], Sequence[Variant]]
    number: dict[int, int] = field(init=False)
    needed: int = field(init=False)
    order: Sequence[int] | None = field(init=False)

    def __post_init__(self) -> None:
        self.number = self._numbered()
        self.needed = self._mask(self.roots)
        self.shapes = [self._shape_of(k) for k in range(len(self.cones))]
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
        """The classes of those buffers that kernels write, as bits."""
        mask = 0
        for each in buffers:
            if each in self.number:
                mask |= 1 << self.number[each]
        return mask

    def _shape_of(self, k: int) -> tuple[int, ...]:
        """The first kernel of the structure, and which of its reads are of one class, or of none: kernels alike in this have the same options."""
        own = [self.number.get(buffer, -1) for buffer in self.cones[k].reads]
        places = {-1: -1} | {each: place for place, each in enumerate(dict.fromkeys(own)) if each >= 0}
        return self.alike[k], *(places[each] for each in own)

    def _needs(self) -> dict[int, list[Option[Chosen]]]:
        """All that each class may need, as one option."""
        masks = dict.fromkeys(self.number.values(), 0)
        for k, row in enumerate(self.stored):
            own = self.number[~k]
            masks[own] |= reduce(int.__or__, self.children[k].values(), 0)
            for buffer in row:
                if self.number[buffer] != own:
                    masks[self.number[buffer]] |= 1 << own
        return {owner: [Option(0.0, mask, None)] for owner, mask in masks.items()}

    def _children_of(self, k: int) -> dict[frozenset[int], int]:
        """The classes that each variant of a kernel needs, by what it would read in the first kernel of the structure."""
        own = dict(zip(self.cones[self.alike[k]].reads, self.cones[k].reads, strict=True))
        reads = {each.reads for each in self.variants(k)}
        return {each: self._mask({own[buffer] for buffer in each}) for each in reads}

    def options(
        self, priced: Callable[[int], Iterable[tuple[float, Variant]]]
    ) -> dict[int, list[Option[Chosen]]]:
        """The nodes of this moment, by class: of each kernel those variants that are given, with their costs.

        Those that another one is better than whatever else is chosen are left out. Kernels alike have the same.
        """
        found: dict[int, list[Option[Chosen]]] = {number: [] for number in self.number.values()}
        kept: dict[tuple[int, ...], list[Option[Variant]]] = {}
        for k, row in enumerate(self.stored):
            own = self.number[~k]
            for buffer in row:
                if self.number[buffer] != own:
                    found[self.number[buffer]].append(Option(0.0, 1 << own, None))
            children, shape = self.children[k], self.shapes[k]
            if shape not in kept:
                kept[shape] = undominated(
                    Option(cost, children[each.reads], each) for cost, each in priced(k)
                )
            for cost, _, each in kept[shape]:
                assert each is not None
                found[own].append(Option(cost, children[each.reads], Chosen(k, each)))
        return found

    def by_portfolio(self, options: Options) -> Found[Chosen]:
        """The cheapest choice where kernels may need each other, or too many buffers are alive at a time."""
        rows = [(owner, option) for owner, own in options.items() for option in own]
        problem = Problem.build(
            [option.cost for _, option in rows],
            [owner for owner, _ in rows],
            [list(bits_of(option.children)) for _, option in rows],
            list(bits_of(self.needed)),
            class_count=len(options),
        )
        found = Portfolio(SECONDS).extract(problem)
        options_of = [option for _, option in rows]
        chosen: list[int] = found.choice.tolist()
        names = [options_of[node].name for node in chosen if node >= 0]
        return Found(found.dag_cost, found.lower_bound, names)
