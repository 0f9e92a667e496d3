"""The arithmetic of lanes: the pure functions of the rules in `vectors`. Lanes are given as a tuple of their numbers, counted from 0."""

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
    """Whether both are vectors, and have the same number of lanes."""
    return len(first) == len(second) > 1


@pure
def is_pair(dtype: DType) -> bool:
    """Whether this is a vector of two lanes."""
    return dtype.lanes == 2


@pure
def picked(lanes: Lanes, chosen: Lanes) -> Lanes:
    """The lanes that stand at the places `chosen` in `lanes`.

    >>> picked((4, 5, 6, 7), (3, 0))
    (7, 4)
    """
    return tuple(lanes[place] for place in chosen)


@pure
def concatenated(first: Lanes, second: Lanes) -> Lanes:
    """The lanes of both, the first ones first."""
    return first + second


@pure
def is_of_first(lanes: Lanes, dtype: DType) -> bool:
    """Whether all lanes of two concatenated vectors of `dtype` lie in the first one."""
    return all(lane < dtype.lanes for lane in lanes)


@pure
def is_of_last(lanes: Lanes, dtype: DType) -> bool:
    """Whether all lanes of two concatenated vectors of `dtype` lie in the second one."""
    return all(lane >= dtype.lanes for lane in lanes)


@pure
def of_last(lanes: Lanes, dtype: DType) -> Lanes:
    """The numbers, within the second vector, of lanes of two concatenated vectors of `dtype`."""
    return tuple(lane - dtype.lanes for lane in lanes)


@pure
def first_half(lanes: Lanes) -> Lanes:
    """The first half of some lanes."""
    return lanes[: len(lanes) // 2]


@pure
def second_half(lanes: Lanes) -> Lanes:
    """The second half of some lanes."""
    return lanes[len(lanes) // 2 :]


@pure
def spans_halves(lanes: Lanes, dtype: DType) -> bool:
    """Whether the first half of several lanes lies in the first of two concatenated vectors of `dtype`, the rest in the second."""
    half = len(lanes) // 2
    in_first = [lane < dtype.lanes for lane in lanes]
    return half > 1 and len(lanes) == 2 * half and all(in_first[:half]) and not any(in_first[half:])


@pure
def vector_of(dtype: DType, lanes: int) -> DType:
    """The dtype of a vector with this number of lanes of `dtype`."""
    return dtype.scalar.vec(lanes)


@pure
def doubled(dtype: DType) -> DType:
    """The dtype of a vector with twice as many lanes."""
    return dtype.scalar.vec(2 * dtype.lanes)


@pure
def lane_count(dtype: DType) -> int:
    """The number of lanes of a vector."""
    return dtype.lanes
