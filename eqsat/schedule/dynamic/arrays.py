"""The shapes of a program's arrays if some extents are dynamic, that is, known only when the program is called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from eqsat.extents import Extent, capacity
from eqsat.shape import Shape
from eqsat.uop import UOp


@dataclass(frozen=True)
class Dynamic:
    """The shapes of a program's arrays, some of which have dynamic extents.

    Attributes:
        inputs: the shapes of inputs, by slot.
        outputs: the shapes of outputs, in order.
        known: all dynamic extents, including those of intermediate arrays.
    """

    inputs: Mapping[int, Shape]
    outputs: tuple[Shape, ...]
    known: frozenset[Extent]

    @property
    def extents(self) -> dict[UOp, Extent]:
        """Each dynamic extent, by its expression."""
        return {UOp.extent(each): each for each in self.known}

    @property
    def capacities(self) -> frozenset[int]:
        """The capacities of axes with dynamic extents."""
        return frozenset(map(capacity, self.known))

    def read(self, slots: Sequence[int]) -> Dynamic:
        """The same shapes for a program whose inputs are the arguments in these slots, in this order."""
        inputs = {place: self.inputs[slot] for place, slot in enumerate(slots) if slot in self.inputs}
        return replace(self, inputs=inputs)
