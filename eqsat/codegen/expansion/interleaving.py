"""Stores whose lanes lie apart, where copies fill the gaps: interleaved or transposed in registers, they become whole stores.

At small strides, a work-item that computes every phase interleaves them. At other strides, copies that are adjacent in each lane are transposed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from eqsat.codegen.expansion.access import store_whole_or_parts, stores_of
from eqsat.codegen.expansion.lanes import broadcast, pick, shuffled
from eqsat.codegen.expansion.selection import moved
from eqsat.codegen.expansion.transposition import transpose
from eqsat.codegen.expansion.weaving import interleaved
from eqsat.dtype import index
from eqsat.integers.linear import Affine, affine_forms
from eqsat.machine import INTERLEAVED
from eqsat.ops import Op
from eqsat.uop import UOp

FEWEST_COPIES = 4  # fewest adjacent copies that are transposed


class Write(NamedTuple):
    """One copy of a store.

    Attributes:
        targets: one address if scalar or contiguous, else one per lane.
        value: a vector with as many lanes as there are elements, or a scalar for all of them.
        loops: the loops that it closes.
        is_row: whether the targets are adjacent, and all gates hold if the gate of the last target holds.
    """

    targets: tuple[UOp, ...]
    value: UOp
    loops: tuple[UOp, ...]
    is_row: bool = False

    def parts(self) -> Iterator[tuple[UOp, UOp]]:
        """Each address with the value that goes there."""
        if len(self.targets) == 1:
            yield self.targets[0], self.value
        else:
            for lane, target in enumerate(self.targets):
                yield target, pick(self.value, (lane,))


def destination(root: UOp) -> UOp:
    """The buffer that an ungated plain store writes; for any other statement, the statement itself."""
    is_plain = root.op is Op.STORE and root.arg is None and root.src[0].op is Op.INDEX
    return root.src[0].src[0] if is_plain and len(root.src[0].src) == 2 else root


def stores_of_writes(writes: Sequence[Write]) -> list[UOp]:
    """The statements of writes, with whole stores where writes fill each other's gaps."""
    targets = [target for write in writes for target in write.targets]
    are_apart = len(set(targets)) == len(targets)  # if some overwrite others, all stay in order
    made = _transposed(_interleaved(writes)) if are_apart else writes
    return [store for write in made for store in _stores(write)]


def _stores(write: Write) -> list[UOp]:
    if write.is_row:
        return store_whole_or_parts(list(write.targets), write.value, write.loops)
    return [each for target, part in write.parts() for each in stores_of(target, part, write.loops)]


def _interleaved(writes: Sequence[Write]) -> list[Write]:
    """The writes, with whole stores in place of those whose lanes interleave."""
    if all(len(write.targets) == 1 for write in writes):  # shortcut
        return list(writes)
    forms = affine_forms(
        target.src[1] for write in writes for target in write.targets if len(target.src) == 2
    )
    places = {_place(write, forms): write for write in writes if _stride(write, forms) in INTERLEAVED}
    made: dict[Write, list[Write]] = {}
    for (stride, constant, rest), write in places.items():
        phases = [places.get((stride, constant + phase, rest)) for phase in range(stride)]
        complete = [phase for phase in phases if phase is not None and phase not in made]
        if len(complete) == stride:
            made |= {phase: [] for phase in complete}
            made[write] = _whole(complete)
    return [each for write in writes for each in made.get(write, [write])]


def _transposed(writes: Sequence[Write]) -> list[Write]:
    """The writes, with one store for each lane in place of copies that are adjacent in each lane."""
    if all(len(write.targets) < FEWEST_COPIES for write in writes):  # shortcut
        return list(writes)
    scattered = [write for write in writes if _is_scattered(write)]
    forms = affine_forms(target.src[1] for write in scattered for target in write.targets)
    places = {_row(write, forms): write for write in scattered}
    made: dict[Write, list[Write]] = {}
    for (constant, rest), write in places.items():
        side_by_side = [places.get((constant + step, rest)) for step in range(len(write.targets))]
        found = [each for each in takewhile(lambda each: each is not None, side_by_side) if each is not None]
        copies = 1 << (len(found).bit_length() - 1)
        if (
            copies >= FEWEST_COPIES
            and not any(each in made for each in found[:copies])
            and all(map(_is_row, zip(*(each.targets for each in found[:copies]), strict=True)))
        ):
            made |= {each: [] for each in found[:copies]}
            made[write] = _squares(found[:copies])
    return [each for write in writes for each in made.get(write, [write])]


def _is_scattered(write: Write) -> bool:
    """Whether the number of addresses is a power of two, as squares need."""
    lanes = len(write.targets)
    return lanes & (lanes - 1) == 0


def _row(write: Write, forms: Mapping[UOp, Affine]) -> tuple[int, object]:
    """The constant part of the first address, and all else that writes to be transposed have in common, such as the distances of the other lanes."""
    first, *others = (forms[target.src[1]] for target in write.targets)
    apart = tuple(other.plus(first, -1) for other in others)
    rest = frozenset(first.terms), write.targets[0].src[0], write.loops, write.value.dtype, apart
    return first.constant, rest


def _is_row(targets: Sequence[UOp]) -> bool:
    """Whether adjacent addresses have the same gate, or gates that all hold if the last does: adjacent positions are below one end."""
    if len({target.src[2:] for target in targets}) == 1:
        return True
    if any(len(target.src) < 3 for target in targets):
        return False
    gates = {place: target.src[2] for place, target in enumerate(targets) if not _is_true(target.src[2])}
    if any(gate.op is not Op.CMPLT or gate.src[0].dtype is not index for gate in gates.values()):
        return False
    forms = affine_forms(gate.src[0] for gate in gates.values())
    starts = {(gate.src[1], forms[gate.src[0]].plus(Affine(-place))) for place, gate in gates.items()}
    return len(starts) == 1 and len(targets) - 1 in gates


def _is_true(gate: UOp) -> bool:
    return gate.op is Op.CONST and bool(gate.arg)


def _squares(copies: Sequence[Write]) -> list[Write]:
    """For each lane, one store of all copies. The lanes are transposed in squares, which have as many lanes as there are copies."""
    first, size = copies[0], len(copies)
    values = [broadcast(each.value, len(first.targets)) for each in copies]
    found: list[Write] = []
    for start in range(0, len(first.targets), size):
        lanes = tuple(range(start, start + size))
        rows = transpose([pick(value, lanes) for value in values])
        found += [
            _write_of_row([each.targets[lane] for each in copies], row, first.loops)
            for lane, row in zip(lanes, rows, strict=True)
        ]
    return found


def _write_of_row(targets: Sequence[UOp], row: UOp, loops: tuple[UOp, ...]) -> Write:
    """One store to adjacent addresses, which have the same gate or several."""
    is_one = len({target.src[2:] for target in targets}) == 1
    return Write((targets[0],), row, loops) if is_one else Write(tuple(targets), row, loops, is_row=True)


def _stride(write: Write, forms: Mapping[UOp, Affine]) -> int:
    """Elements from one lane to the next; 0 if there is only one address, or a gate, or no constant stride."""
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
    """The stride, the constant part of the first address, and all else that writes to be interleaved have in common."""
    form = forms[write.targets[0].src[1]]
    rest = (
        frozenset(form.terms),
        write.targets[0].src[0],
        write.loops,
        write.value.dtype.scalar,
        len(write.targets),
    )
    return _stride(write, forms), form.constant, rest


def _whole(phases: Sequence[Write]) -> list[Write]:
    first = phases[0]
    lanes = len(first.targets)
    values = [broadcast(phase.value, lanes) for phase in phases]
    vectors = interleaved(values) or _interleave(values, lanes)
    return [
        Write((moved(first.targets[0], number * lanes),), vector, first.loops)
        for number, vector in enumerate(vectors)
    ]


def _interleave(values: Sequence[UOp], lanes: int) -> list[UOp]:
    """Lane 0 of each value, lane 1 of each, and so on, by shuffles of two vectors."""
    if len(values) == 4:
        even, odd = _interleave(values[::2], lanes), _interleave(values[1::2], lanes)
        return [half for pair in zip(even, odd, strict=True) for half in _interleave(pair, lanes)]
    found: list[UOp] = []
    for start in range(0, len(values) * lanes, lanes):
        places = [divmod(place, len(values))[::-1] for place in range(start, start + lanes)]
        vector = shuffled([(values[min(phase, 1)], lane) for phase, lane in places])
        if len(values) > 2:
            last = enumerate(places)
            vector = shuffled(
                [(values[2], lane) if phase == 2 else (vector, place) for place, (phase, lane) in last]
            )
        found.append(vector)
    return found
