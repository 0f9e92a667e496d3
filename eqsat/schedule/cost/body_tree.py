"""The tree of a kernel's loop bodies: which bodies run one after the other, and in which loops."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from eqsat.schedule.cost.accesses import Accesses, bits, by_buffer
from eqsat.schedule.cost.profile import Profile
from eqsat.schedule.tiling import Bools

_Leaf = tuple[int, list[int]]
"""The loops of an innermost body, as a bit mask, and the numbers of its accesses."""


@dataclass(frozen=True, eq=False)
class Body:
    """An innermost loop body, or several bodies inside common loops.

    Attributes:
        loops: ranges whose loops are around all of the body.
        inside: ranges whose loops are within the body.
        accesses: the accesses in the body.
        parts: bodies nested in this one, which run one after the other; an innermost body has none.
    """

    loops: Bools
    inside: Bools
    accesses: Accesses
    parts: tuple[Body, ...] = ()

    @cached_property
    def places(self) -> list[NDArray[np.int64]]:
        """For each part, the positions of its buffers among the buffers of the body."""
        return [np.searchsorted(self.accesses.buffers, part.accesses.buffers) for part in self.parts]


def innermost(masks: Iterable[int]) -> list[int]:
    """The sets of loops that are not a subset of another one; the given sets differ."""
    masks = list(masks)
    return [mask for mask in masks if not any(mask != other and mask & ~other == 0 for other in masks)]


def tree(kernel: Profile, accesses: Accesses, masks: Iterable[int]) -> Body:
    """The tree of a kernel whose bodies are in these sets of loops. An access belongs to the first innermost body whose loops include its own."""
    free = {number: access.sits for number, access in enumerate(by_buffer(kernel))}
    leaves: list[_Leaf] = []
    for mask in innermost(masks):
        own = [number for number, sits in free.items() if sits & ~mask == 0]
        free = {number: sits for number, sits in free.items() if sits & ~mask}
        leaves.append((mask, own))
    return _joined(accesses, leaves)


def _joined(accesses: Accesses, leaves: Sequence[_Leaf]) -> Body:
    """The tree of these innermost bodies."""
    loops = inside = leaves[0][0]
    for mask, _ in leaves:
        loops, inside = loops & mask, inside | mask
    inside &= ~loops
    groups: list[list[_Leaf]] = []  # the leaves of a group share further loops
    for leaf in leaves:
        near = [group for group in groups if any(leaf[0] & other & inside for other, _ in group)]
        groups = [group for group in groups if group not in near]
        groups.append([*(other for group in near for other in group), leaf])
    apart = groups if len(groups) > 1 else [[leaf] for leaf in leaves]
    parts = tuple(_joined(accesses, group) for group in apart) if len(leaves) > 1 else ()
    numbers = sorted(number for _, own in leaves for number in own)
    around, within = bits([loops, inside], accesses.depends.shape[1])
    return Body(around, within, accesses.take(numbers), parts)
