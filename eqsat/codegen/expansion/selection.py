"""Selects lanes that lie apart in memory from whole vectors that together cover them.

Compilers turn such selections into shuffles of registers; lanes loaded one by one take a load and an insertion each (docs/decisions.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eqsat.codegen.expansion.lanes import by_pairs, pick, vector_of
from eqsat.dtype import PtrDType
from eqsat.integers.bounds import bounds
from eqsat.integers.linear import Affine, affine_forms
from eqsat.machine import NARROW, SELECTED
from eqsat.ops import Op
from eqsat.spec.sources import behind
from eqsat.uop import UOp

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Cover:
    """Whole vectors that cover lanes which lie apart.

    Attributes:
        starts: the start of each vector, in elements from the lowest lane on.
        places: for each lane, the number of the vector that has it, and its lane in that vector.
    """

    starts: tuple[int, ...]
    places: tuple[Place, ...]

    @staticmethod
    def of(lowest: UOp, stride: int, lanes: int, has_variables: bool) -> Cover:
        """The vectors of `lanes` elements that cover `lanes` elements at distance `stride`.

        The constant part of their position is a multiple of the stride, so that accesses to the channels of one pixel share them. If such
        vectors might leave the buffer, they span from the lowest lane to the highest instead.

        Args:
            lowest: the address of the lowest lane.
            stride: elements from one lane to the next; below zero, the last lane is the lowest.
            lanes: the number of lanes to cover, and of the lanes of each whole vector.
            has_variables: whether the kernel has variables; then arguments may be smaller than their stated sizes.
        """
        step = abs(stride)
        first, end = 0, step * (lanes - 1) + 1
        begin = -(affine_forms([lowest.src[1]])[lowest.src[1]].constant % step)
        is_local = behind(lowest.src[0]).op is Op.DEFINE_LOCAL
        if (is_local or not has_variables) and _is_inside(lowest, begin, begin + step * lanes):
            first, end = begin, begin + step * lanes
        starts = tuple(min(start, end - lanes) for start in range(first, end, lanes))
        lowest_first = [_place(starts, step * lane, lanes) for lane in range(lanes)]
        return Cover(starts, tuple(lowest_first if stride > 0 else lowest_first[::-1]))

    def selected(self, vectors: Sequence[UOp]) -> UOp:
        """The lanes, selected from the loaded vectors.

        Of vectors that begin at a multiple of the stride, narrow lanes are selected in a step for each prime factor of the stride: lanes at
        stride 6 are every third of every second element. Accesses to other elements of the same vectors share the first steps.
        """
        lanes, step = len(self.places), len(vectors)
        numbers = [vector * lanes + lane for vector, lane in self.places]
        first = min(numbers)
        is_regular = first < step and sorted(numbers) == [first + step * lane for lane in range(lanes)]
        if vectors[0].dtype.scalar.itemsize > NARROW or step not in SELECTED or not is_regular:
            return select(vectors, self.places)
        for factor in SELECTED[step][:-1]:
            wanted = [first % factor + factor * lane for lane in range(lanes)]
            vectors = [_chosen(vectors[each : each + factor], wanted) for each in range(0, step, factor)]
            first, step = first // factor, step // factor
        wanted = [first + step * lane for lane in range(lanes)]
        return _chosen(vectors, wanted if numbers[0] == min(numbers) else wanted[::-1])

    def loads(self, first: UOp, alternatives: Sequence[tuple[UOp, ...]]) -> list[UOp]:
        """The loads of the vectors. `first` is a LOAD of a vector at the lowest lane; `alternatives` are their values where the gate is false."""
        return [
            first.with_src((moved(first.src[0], start), *alternative))
            for start, alternative in zip(self.starts, alternatives, strict=True)
        ]


def _chosen(vectors: Sequence[UOp], numbers: Sequence[int]) -> UOp:
    """A vector of the elements with these numbers, counted through all vectors."""
    places = [divmod(number, vectors[0].dtype.lanes) for number in numbers]
    return by_pairs([(vectors[vector], lane) for vector, lane in places])


def _is_inside(address: UOp, begin: int, end: int) -> bool:
    """Whether all elements from `begin` to before `end`, counted from an address, are in its buffer; unknown, so False, under a gate."""
    _, position, *gates = address.src
    buffer = behind(address.src[0])
    size = buffer.dtype.size if isinstance(buffer.dtype, PtrDType) else buffer.arg[1]
    least, greatest = bounds(position)
    return not gates and least + begin >= 0 and greatest + end <= size


def _place(starts: tuple[int, ...], element: int, lanes: int) -> Place:
    vector = next(number for number, start in enumerate(starts) if element < start + lanes)
    return vector, element - starts[vector]


def select(vectors: Sequence[UOp], places: tuple[Place, ...]) -> UOp:
    """A vector of these lanes of some vectors."""
    if len(vectors) == 1 and places == tuple(sorted(places)):
        return vectors[0]
    return vector_of([pick(vectors[number], (lane,)) for number, lane in places])


def moved(address: UOp, elements: int) -> UOp:
    """The address `elements` further on."""
    return address.with_src((address.src[0], _plus(address.src[1], elements), *address.src[2:]))


def _plus(position: UOp, elements: int) -> UOp:
    if position.op is Op.CONST:
        return position.replace(arg=position.arg + elements)
    if position.op is Op.ADD and position.src[1].op is Op.CONST:
        return Affine.of(position.src[0]).plus(Affine(position.src[1].arg + elements)).build()
    return Affine.of(position).plus(Affine(elements)).build()
