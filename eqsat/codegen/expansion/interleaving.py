"""Stores at small strides of which a work-item does every phase: interleaved in registers, they are whole stores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from eqsat.codegen.expansion.lanes import broadcast, lane_of, pick, vector_of
from eqsat.codegen.expansion.selection import moved
from eqsat.integers.linear import Affine, affine_forms
from eqsat.machine import SELECTED
from eqsat.uop import UOp


class Write(NamedTuple):
    """One copy of a store.

    Attributes:
        targets: one address if scalar or contiguous, else one per lane.
        value: of as many lanes, or a scalar for all.
        kept: the loops that it closes.
    """

    targets: tuple[UOp, ...]
    value: UOp
    kept: tuple[UOp, ...]

    def parts(self) -> Iterator[tuple[UOp, UOp]]:
        """What goes to each address."""
        if len(self.targets) == 1:
            yield self.targets[0], self.value
        else:
            for lane, target in enumerate(self.targets):
                yield target, pick(self.value, (lane,))


def interleaved(writes: Sequence[Write]) -> list[Write]:
    """The same, with whole stores for those that lie between each other."""
    forms = affine_forms(
        target.src[1] for write in writes for target in write.targets if len(target.src) == 2
    )
    places = {_place(write, forms): write for write in writes if _stride(write, forms) in SELECTED}
    made: dict[Write, list[Write]] = {}
    for (stride, constant, rest), write in places.items():
        phases = [places.get((stride, constant + phase, rest)) for phase in range(stride)]
        complete = [phase for phase in phases if phase is not None and phase not in made]
        if len(complete) == stride:
            made |= {phase: [] for phase in complete}
            made[write] = _whole(complete)
    return [each for write in writes for each in made.get(write, [write])]


def _stride(write: Write, forms: Mapping[UOp, Affine]) -> int:
    """Elements from one lane to the next; 0 where there is one address, or a gate."""
    if len(write.targets) == 1 or any(len(target.src) != 2 for target in write.targets):
        return 0
    first, second = (forms[target.src[1]] for target in write.targets[:2])
    between = second.plus(first, -1)
    steady = all(
        forms[target.src[1]] == first.plus(Affine(between.constant * lane))
        for lane, target in enumerate(write.targets)
    )
    return between.constant if steady else 0


def _place(write: Write, forms: Mapping[UOp, Affine]) -> tuple[int, int, object]:
    """Stride, constant part of the first address, and all else that writes to be interleaved have in common."""
    form = forms[write.targets[0].src[1]]
    rest = (
        frozenset(form.terms),
        write.targets[0].src[0],
        write.kept,
        write.value.dtype.scalar,
        len(write.targets),
    )
    return _stride(write, forms), form.constant, rest


def _whole(phases: Sequence[Write]) -> list[Write]:
    first = phases[0]
    lanes = len(first.targets)
    vectors = _interleave([broadcast(phase.value, lanes) for phase in phases], lanes)
    return [
        Write((moved(first.targets[0], number * lanes),), vector, first.kept)
        for number, vector in enumerate(vectors)
    ]


def _interleave(values: Sequence[UOp], lanes: int) -> list[UOp]:
    """Lane 0 of each, lane 1 of each, and so on, by shuffles of two vectors."""
    if len(values) == 4:
        even, odd = _interleave(values[::2], lanes), _interleave(values[1::2], lanes)
        return [half for pair in zip(even, odd, strict=True) for half in _interleave(pair, lanes)]
    found: list[UOp] = []
    for start in range(0, len(values) * lanes, lanes):
        places = [divmod(place, len(values))[::-1] for place in range(start, start + lanes)]
        vector = vector_of([lane_of(values[min(phase, 1)], lane) for phase, lane in places])
        if len(values) > 2:
            last = enumerate(places)
            vector = vector_of(
                [
                    lane_of(values[2], lane) if phase == 2 else lane_of(vector, place)
                    for place, (phase, lane) in last
                ]
            )
        found.append(vector)
    return found
