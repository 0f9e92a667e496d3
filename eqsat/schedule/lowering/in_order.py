"""Scans and recurrences: which loop over outputs hands on values from each element of an axis to the next."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from eqsat.errors import ScheduleError
from eqsat.ops import Op
from eqsat.schedule.lowering.index_arithmetic import add
from eqsat.schedule.lowering.local_memory import Indices
from eqsat.uop import UOp
from eqsat.uop.recurrence import Recurrence


class NoKernelError(ScheduleError):
    """Nodes cannot be computed by one kernel."""


class ScanOrderError(NoKernelError):
    """A kernel's loops do not walk along the axis of a scan in order."""


@dataclass(frozen=True)
class Walk:
    """The loop over outputs along which scans carry values.

    Attributes:
        loop: the loop over outputs.
        along: the SCAN loop that replaces it, from the first element of the scan to the last.
        backwards: whether the last output has the first element.
    """

    loop: UOp
    along: UOp
    backwards: bool

    def taken(self, store: UOp) -> UOp:
        """A store over the SCAN loop `along` instead of the loop over outputs."""
        address, value, *bounds = store.src
        place = add(self.along * -1, self.loop.src[0].arg - 1) if self.backwards else self.along
        moved = UOp.sink(address, value).substitute({self.loop: place}).src
        return store.with_src((*moved, *(self.along if bound is self.loop else bound for bound in bounds)))


def loop_along(
    indices: Indices, axis: int, extent: int, gate: UOp | None, outputs: frozenset[UOp], innermost: UOp | None
) -> tuple[UOp, bool]:
    """The loop over outputs that walks along an axis, from its first element on, and whether it begins with the last output.

    Raises:
        ScanOrderError: there is none, or another loop would be inside it.
    """
    along = indices[axis]
    (loop,) = along.ranges if len(along.ranges) == 1 else (None,)
    others = frozenset[UOp]().union(*(each.ranges for each in (*indices[:axis], *indices[axis + 1 :])))
    around = others if gate is None else others | gate.ranges
    if loop is None or loop in around or any(each not in outputs for each in (loop, *around)):
        raise ScanOrderError("a scan is read in another order than loops over outputs have; store it first")
    backwards = along is add(loop * -1, extent - 1)
    if not (along is loop or (backwards and loop.src[0].arg == extent and loop is not innermost)):
        raise ScanOrderError("a scan is not read from its first element on; store it first")
    return loop, backwards


def recur(formulas: Recurrence, elements: tuple[UOp, ...], along: UOp, number: int) -> UOp:
    """What recurrence `number` of a kernel gives for the elements of an iteration of the loop `along`."""
    kept = [
        UOp(Op.CARRY, zero.dtype, (*elements, along), (number, place, len(elements)))
        for place, zero in enumerate(formulas.zeros)
    ]
    found = formulas.at((*kept, *elements))
    pairs = chain.from_iterable(zip(found.following, kept, strict=True))
    return UOp(Op.RECUR, found.result.dtype, (found.result, *pairs, along), len(kept))
