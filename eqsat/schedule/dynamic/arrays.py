"""The arrays of a program, some of whose extents calls know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from eqsat.extents import Extent, capacity
from eqsat.shape import Shape
from eqsat.uop import UOp


@dataclass(frozen=True)
class Dynamic:
    """The shapes of a program's arrays, some of whose extents calls know.

    Attributes:
        inputs: by slot.
        outputs: in order.
        known: all extents that calls know, of what is between these, too.
    """

    inputs: Mapping[int, Shape]
    outputs: tuple[Shape, ...]
    known: frozenset[Extent]

    @property
    def extents(self) -> dict[UOp, Extent]:
        """Each extent by its expression."""
        return {UOp.extent(each): each for each in self.known}

    @property
    def capacities(self) -> frozenset[int]:
        """The room of axes whose extents calls know."""
        return frozenset(map(capacity, self.known))

    def read(self, slots: Sequence[int]) -> Dynamic:
        """The same for a program that reads the arguments in these slots, in this order."""
        inputs = {place: self.inputs[slot] for place, slot in enumerate(slots) if slot in self.inputs}
        return replace(self, inputs=inputs)
