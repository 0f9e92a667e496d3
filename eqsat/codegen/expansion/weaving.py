"""Computes values that are stored interleaved in the order in which they are stored.

In pixels with adjacent channels, each channel is selected from whole loads, and results are interleaved again. If all channels
are computed alike, operations can take lanes in the order of memory. Then loads need no shuffle, or one of two loads, and stores need none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eqsat.codegen.expansion.lanes import pick, repeated, vector_of
from eqsat.ops import ALU, Op
from eqsat.uop import UOp

MAPPED = ALU | {Op.CAST}  # operations whose lanes depend only on the same lanes of their operands
MOST_VECTORS = 2  # vectors from which one shuffle takes lanes

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
    before = {phase for place in found for phase in place if _is_selection(phase)}
    after = {vector for place in found for vector in found[place] if _is_shuffle(vector)}
    saved = len(before) + len(phases) * (len(phases) - 1) - len(after)
    return found[tuple(phases)] if before and saved > 0 else None


def _leaf(place: Phases) -> list[UOp] | None:
    """The interleaved vectors of phases that are constants, or that shuffles of at most two vectors interleave; None for other phases.

    Constant conditions count as other phases: they choose between computations of different phases, and every vector would do all of these.
    """
    first, lanes = place[0], place[0].dtype.lanes
    order = [divmod(each, len(place)) for each in range(lanes * len(place))]
    if len(set(place)) == 1:
        if repeated(first) is not None:  # shortcut: its lanes are it
            return [first] * len(place)
        return [pick(first, tuple(lane for lane, _ in part)) for part in _parts(order, lanes)]
    if all(phase.op is Op.VCONST and not phase.dtype.scalar.is_bool for phase in place):
        return [
            vector_of([pick(place[phase], (lane,)) for lane, phase in part]) for part in _parts(order, lanes)
        ]
    if not all(map(_is_selection, place)):
        return None
    made = [_selection([place[phase].src[lane] for lane, phase in part]) for part in _parts(order, lanes)]
    return made if all(len(_vectors(each)) <= MOST_VECTORS for each in made) else None


def _parts(order: Sequence[tuple[int, int]], lanes: int) -> Iterator[Sequence[tuple[int, int]]]:
    for start in range(0, len(order), lanes):
        yield order[start : start + lanes]


def _is_selection(node: UOp) -> bool:
    """Whether a vector consists of lanes of whole vectors of its own type."""
    return node.op is Op.VECTORIZE and all(
        lane.op is Op.GEP and lane.src[0].dtype == node.dtype for lane in node.src
    )


def _is_shuffle(node: UOp) -> bool:
    return _is_selection(node) or (node.op is Op.GEP and node.dtype.lanes > 1)


def _vectors(node: UOp) -> set[UOp]:
    """The vectors from which a selection takes lanes."""
    return {lane.src[0] for lane in node.src} if _is_selection(node) else set()


def _selection(lanes: Sequence[UOp]) -> UOp:
    """A vector of these lanes; the source vector itself if they are all its lanes in order."""
    (vector, *others) = dict.fromkeys(lane.src[0] for lane in lanes)
    if not others and [lane.arg[0] for lane in lanes] == list(range(len(lanes))):
        return vector
    return vector_of(lanes)


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
