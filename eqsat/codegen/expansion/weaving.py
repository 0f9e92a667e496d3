"""Computes values that are stored interleaved in the order in which they are stored.

In pixels with adjacent channels, each channel is selected from whole loads, and results are interleaved again. If all channels
are computed alike, operations can take lanes in the order of memory. Then loads need no shuffle, or one of two loads, and stores need none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from eqsat.codegen.expansion.lanes import (
    Lane,
    by_pairs,
    is_shuffle,
    origins_of,
    pick,
    repeated,
    sources_of,
    vector_of,
)
from eqsat.ops import ALU, Op
from eqsat.uop import UOp

MAPPED = ALU | {Op.CAST}  # operations whose lanes depend only on the same lanes of their operands
MOST_VECTORS = 3  # vectors from which interleaved lanes are taken; lanes of more are transposed, in steps that other vectors share

Phases = tuple[UOp, ...]


def interleaved(phases: Sequence[UOp]) -> list[UOp] | None:
    """Lane 0 of each phase, lane 1 of each, and so on, in as many vectors as there are phases.

    None if this does not save shuffles over interleaving the computed phases. The `phases` have equally many lanes.
    """
    found: dict[Phases, list[UOp]] = {}
    agenda = [tuple(phases)]
    while agenda:
        place = agenda[-1]
        if place in found:
            agenda.pop()
        elif (made := _leaf(place)) is not None:
            found[place] = made
        elif not _are_alike(place):
            return None
        elif waiting := [each for each in _operands(place) if each not in found]:
            agenda += waiting
        else:
            operands = [found[each] for each in _operands(place)]
            found[place] = [place[0].with_src(own) for own in zip(*operands, strict=True)]
    before = _shuffles([phase for place in found for phase in place])
    after = _shuffles([vector for place in found for vector in found[place]])
    saved = before + len(phases) * (len(phases) - 1) - after
    return found[tuple(phases)] if before and saved > 0 else None


def _leaf(place: Phases) -> list[UOp] | None:
    """The interleaved vectors of phases that are constants, or lanes of few other vectors; None for other phases.

    Constant conditions count as other phases: they choose between computations of different phases, and every vector would do all of these.
    """
    first, lanes = place[0], place[0].dtype.lanes
    order = [divmod(each, len(place)) for each in range(lanes * len(place))]
    if len(set(place)) == 1 and repeated(first) is not None:  # shortcut: its lanes are it
        return [first] * len(place)
    if all(map(is_shuffle, place)):
        origins = [origins_of(phase) for phase in place]
        parts = [[origins[phase][lane] for lane, phase in part] for part in _parts(order, lanes)]
        few = all(len({vector for vector, _ in part}) <= MOST_VECTORS for part in parts)
        return list(map(_selection, parts)) if few else None
    if len(set(place)) == 1:
        return [pick(first, tuple(lane for lane, _ in part)) for part in _parts(order, lanes)]
    if all(phase.op is Op.VCONST and not phase.dtype.scalar.is_bool for phase in place):
        return [
            vector_of([pick(place[phase], (lane,)) for lane, phase in part]) for part in _parts(order, lanes)
        ]
    return None


def _parts(order: Sequence[tuple[int, int]], lanes: int) -> Iterator[Sequence[tuple[int, int]]]:
    for start in range(0, len(order), lanes):
        yield order[start : start + lanes]


def _shuffles(values: Iterable[UOp]) -> int:
    """The number of shuffles of two vectors that make these values, as far as they are shuffles."""
    found: set[UOp] = set()
    agenda = list(values)
    while agenda:
        node = agenda.pop()
        if node not in found and is_shuffle(node):
            found.add(node)
            agenda += sources_of(node)
    return sum(max(1, len(sources_of(node)) - 1) for node in found)


def _selection(lanes: Sequence[Lane]) -> UOp:
    """A vector of these lanes; the source vector itself if they are all its lanes in order."""
    (vector, _), *_ = lanes
    if list(lanes) == [(vector, lane) for lane in range(len(lanes))]:
        return vector
    return by_pairs(lanes)


def _are_alike(place: Phases) -> bool:
    """Whether all phases are the same operation, lane by lane."""
    first = place[0]
    return first.op in MAPPED and all(
        (each.op, each.dtype, each.arg, len(each.src)) == (first.op, first.dtype, first.arg, len(first.src))
        and all(source.dtype.lanes == first.dtype.lanes for source in each.src)
        for each in place
    )


def _operands(place: Phases) -> list[Phases]:
    return list(zip(*(each.src for each in place), strict=True))
