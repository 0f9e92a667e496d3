"""Graphs with a plain number in place of each dynamic extent.

No other extent of the graph has the same number. So the dynamic axes can be recognized in the graph that saturation finds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from eqsat.dtype import index
from eqsat.errors import ShapeError
from eqsat.extents import Extent, capacity
from eqsat.extents.factors import Factor, Quotient, factors_in, value_of_terms
from eqsat.ops import Op
from eqsat.specialization.dynamic_extents import all_extents_of
from eqsat.specialization.specialize import Sizing
from eqsat.uop import UOp, rewrite, toposort

MOST_TRIED = 64  # attempts to increase the numbers until all of them differ


@dataclass(frozen=True)
class Capacities:
    """A graph with dynamic extents, and numbers for these: capacities, or more where two would be the same.

    Attributes:
        graph: the graph with dynamic extents.
        numbers: the number that stands for each variable and each quotient.
    """

    graph: UOp
    numbers: Mapping[Factor, int]

    @staticmethod
    def of(graph: UOp) -> Capacities:
        """Chooses numbers for the extents of a graph."""
        order = toposort([graph])
        known = all_extents_of(order)
        taken = {number for node in order for number in _numbers(node)}
        made = Capacities(graph, {})
        for turn in range(MOST_TRIED):
            made = Capacities(graph, _numbers_for(known, turn))
            numbers = [made.number(each) for each in known]
            if len({*numbers}) == len(numbers) and taken.isdisjoint(numbers):
                break
        return made

    @cached_property
    def sized(self) -> UOp:
        """The graph with numbers in place of its dynamic extents."""
        return self.with_numbers(self.graph)

    def with_numbers(self, graph: UOp) -> UOp:
        """Another graph that has these dynamic extents, with the numbers in their place."""
        return Sizing(self.number).sized([graph])[0]

    def number(self, extent: int) -> int:
        """The number that stands for an extent; a plain number stands for itself."""
        return (
            value_of_terms(extent.terms, self.numbers.__getitem__) if isinstance(extent, Extent) else extent
        )

    def restored(self, found: UOp) -> UOp:
        """The graph `found` with dynamic extents in place of their numbers; the original graph if they cannot be recognized."""
        try:
            made = _Restoring(self).graph(found)
        except ShapeError:
            return self.graph
        return made if self.with_numbers(made) is found else self.graph


class _Restoring:
    """Puts dynamic extents back in place of their numbers."""

    def __init__(self, capacities: Capacities) -> None:
        order = toposort([capacities.graph])
        known = all_extents_of(order)
        self._given = capacities.graph
        self._extents = {capacities.number(each): each for each in sorted(known, key=repr)}
        self._params = {node.arg[0]: node for node in order if node.op is Op.PARAM}
        self._done: dict[UOp, UOp] = {}

    def graph(self, found: UOp) -> UOp:
        """The whole graph, with dynamic extents."""
        for node in toposort([found]):
            self._done[node] = self._node(node, tuple(self._done[source] for source in node.src))
        return self._done[found]

    def _node(self, node: UOp, src: tuple[UOp, ...]) -> UOp:
        match node.op:
            case Op.RESHAPE:
                return src[0].reshape(self._shape(node.arg))
            case Op.EXPAND:
                return src[0].expand(self._shape(node.arg))
            case Op.PAD:
                return src[0].pad([(before, self._extent(after)) for before, after in node.arg])
            case Op.SHRINK:
                return src[0].shrink([(begin, self._extent(end)) for begin, end in node.arg])
            case Op.PARAM:
                return self._params[node.arg[0]]
            case Op.SINK:
                return node.replace(src=src, arg=self._given.arg)
            case Op.BUFFERIZE:
                return self._comprehension(node.with_src(src))
            case _:
                return node.with_src(src)

    def _comprehension(self, node: UOp) -> UOp:
        """A comprehension, with loops up to the capacities of dynamic extents."""
        shape = self._shape(node.shape or ())
        loops = {
            loop: loop.with_src((UOp.const(index, capacity(extent)),))
            for loop, extent in zip(node.src[1:], shape, strict=True)
            if isinstance(extent, Extent)
        }
        return rewrite([node], loops)[0].reshape(shape) if loops else node

    def _shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        return tuple(map(self._extent, shape))

    def _extent(self, number: int) -> int:
        """The extent for which a number stands, or a multiple of such an extent; any other number as it is."""
        if number in self._extents:
            return self._extents[number]
        for each, extent in self._extents.items():
            if number and number % each == 0:
                return extent * (number // each)
        return number


def _numbers_for(known: frozenset[Extent], turn: int) -> dict[Factor, int]:
    """A number for each variable and quotient: its capacity at turn 0; each later turn adds a different amount to each number."""
    factors = sorted({each for extent in known for each in _all_factors(extent)}, key=lambda each: each.text)
    numbers: dict[Factor, int] = {}
    for place, factor in enumerate(sorted(factors, key=_depth)):
        number = factor.capacity
        if isinstance(factor, Quotient):
            number = max(number, -(-value_of_terms(factor.terms, numbers.__getitem__) // factor.divisor))
        numbers[factor] = number + turn * (place + 1) * factor.unit
    return numbers


def _all_factors(extent: Extent) -> Iterator[Factor]:
    """The factors of an extent, and those of dividends in it."""
    for factor in factors_in(extent.terms):
        yield factor
        if isinstance(factor, Quotient):
            yield from _all_factors(Extent(factor.terms))


def _depth(factor: Factor) -> int:
    """The depth of nested divisions in a factor. Factors of dividends are less deep, so they get their numbers first."""
    return 1 + max(map(_depth, factors_in(factor.terms))) if isinstance(factor, Quotient) else 0


def _numbers(node: UOp) -> Iterator[int]:
    """The extents of a node that are plain numbers, and their product."""
    whole = [extent for extent in node.shape or () if not isinstance(extent, Extent)]
    yield from whole
    yield prod(whole)
