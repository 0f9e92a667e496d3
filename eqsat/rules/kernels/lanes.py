"""The arithmetic of lanes: the pure functions of the rules in `vectors`. Lanes are tuples of their numbers, from 0."""

from __future__ import annotations

from eqsat.dtype import DType
from eqsat.rules.language.scalar import pure

Lanes = tuple[int, ...]


@pure
def is_every_lane(lanes: Lanes, dtype: DType) -> bool:
    """Whether these are all lanes of a vector of `dtype`, in order."""
    return lanes == tuple(range(dtype.lanes))


@pure
def is_single(lanes: Lanes) -> bool:
    """Whether this is one lane, a scalar."""
    return len(lanes) == 1


@pure
def are_as_many(first: Lanes, second: Lanes) -> bool:
    """Whether these are two vectors of one length."""
    return len(first) == len(second) > 1


@pure
def is_pair(dtype: DType) -> bool:
    """Whether this is a vector of two lanes."""
    return dtype.lanes == 2


@pure
def picked(lanes: Lanes, chosen: Lanes) -> Lanes:
    """The lanes of a vector that some of its lanes have in `chosen`.

    >>> picked((4, 5, 6, 7), (3, 0))
    (7, 4)
    """
    return tuple(lanes[place] for place in chosen)


@pure
def concatenated(first: Lanes, second: Lanes) -> Lanes:
    """The lanes of one after those of another."""
    return first + second


@pure
def is_of_first(lanes: Lanes, dtype: DType) -> bool:
    """Whether all lanes lie in the first of two vectors of `dtype`."""
    return all(lane < dtype.lanes for lane in lanes)


@pure
def is_of_last(lanes: Lanes, dtype: DType) -> bool:
    """Whether all lanes lie in the second of two vectors of `dtype`."""
    return all(lane >= dtype.lanes for lane in lanes)


@pure
def of_last(lanes: Lanes, dtype: DType) -> Lanes:
    """Lanes of two vectors of `dtype`, counted in the second."""
    return tuple(lane - dtype.lanes for lane in lanes)


@pure
def first_half(lanes: Lanes) -> Lanes:
    """The first half of some lanes."""
    return lanes[: len(lanes) // 2]


@pure
def second_half(lanes: Lanes) -> Lanes:
    """The other half."""
    return lanes[len(lanes) // 2 :]


@pure
def spans_halves(lanes: Lanes, dtype: DType) -> bool:
    """Whether the first half of several lanes lies in the first of two vectors of `dtype`, the rest in the second."""
    half = len(lanes) // 2
    in_first = [lane < dtype.lanes for lane in lanes]
    return half > 1 and len(lanes) == 2 * half and all(in_first[:half]) and not any(in_first[half:])


@pure
def vector_of(dtype: DType, lanes: int) -> DType:
    """The vector of so many lanes of `dtype`."""
    return dtype.scalar.vec(lanes)


@pure
def doubled(dtype: DType) -> DType:
    """The vector of twice as many lanes."""
    return dtype.scalar.vec(2 * dtype.lanes)


@pure
def lane_count(dtype: DType) -> int:
    """How many lanes a vector has."""
    return dtype.lanes
