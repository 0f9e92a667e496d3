"""Lanes that lie apart in memory, taken out of whole vectors that together cover them.

Compilers make shuffles of registers of such selections; lanes loaded one by one take a load and an insertion each (docs/decisions.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eqsat.codegen.expansion.lanes import pick, vector_of
from eqsat.dtype import PtrDType
from eqsat.integers.bounds import bounds
from eqsat.integers.linear import Affine, affine_forms
from eqsat.ops import Op
from eqsat.spec.sources import behind
from eqsat.uop import UOp

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Cover:
    """Whole vectors around lanes that lie apart.

    Attributes:
        starts: where the vectors start, in elements from the lowest lane on.
        places: for each lane, which vector it is in, and which lane of that.
    """

    starts: tuple[int, ...]
    places: tuple[Place, ...]

    @staticmethod
    def of(lowest: UOp, stride: int, lanes: int, has_variables: bool) -> Cover:
        """The vectors of `lanes` elements around `lanes` elements that lie `stride` apart.

        They start at a multiple of the stride, plus what varies, so that accesses of one pixel's channels share them. Where
        that might leave the buffer, they span from the lowest lane to the highest.

        Args:
            lowest: the address of the lowest lane.
            stride: elements from one lane to the next; below zero, the last lane is the lowest.
            lanes: of the whole vectors, too.
            has_variables: whether the kernel has some; arguments may be smaller than they seem to be then.
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

    def loads(self, first: UOp, alternatives: Sequence[tuple[UOp, ...]]) -> list[UOp]:
        """The vectors, where `first` is a LOAD of one at the lowest lane; what each gives where the gate is false."""
        return [
            first.with_src((moved(first.src[0], start), *alternative))
            for start, alternative in zip(self.starts, alternatives, strict=True)
        ]


def _is_inside(address: UOp, begin: int, end: int) -> bool:
    """Whether the elements from `begin` to before `end`, counted from an address, are all of its buffer; behind a gate, nothing is known."""
    _, position, *gates = address.src
    buffer = behind(address.src[0])
    size = buffer.dtype.size if isinstance(buffer.dtype, PtrDType) else buffer.arg[1]
    least, greatest = bounds(position)
    return not gates and least + begin >= 0 and greatest + end <= size


def _place(starts: tuple[int, ...], element: int, lanes: int) -> Place:
    vector = next(number for number, start in enumerate(starts) if element < start + lanes)
    return vector, element - starts[vector]


def select(vectors: Sequence[UOp], places: tuple[Place, ...]) -> UOp:
    """Lanes of some vectors, side by side."""
    if len(vectors) == 1 and places == tuple(sorted(places)):
        return vectors[0]
    return vector_of([pick(vectors[number], (lane,)) for number, lane in places])


def moved(address: UOp, elements: int) -> UOp:
    """The address so many elements further on."""
    return address.with_src((address.src[0], _plus(address.src[1], elements), *address.src[2:]))


def _plus(position: UOp, elements: int) -> UOp:
    if position.op is Op.CONST:
        return position.replace(arg=position.arg + elements)
    if position.op is Op.ADD and position.src[1].op is Op.CONST:
        return Affine.of(position.src[0]).plus(Affine(position.src[1].arg + elements)).build()
    return Affine.of(position).plus(Affine(elements)).build()
