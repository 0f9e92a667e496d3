"""All-reduce as COPYs and arithmetic: naive, or around a ring.

*Naive*: every device gets all copies and combines them: one step, in which each device receives n - 1 arrays. *Ring*: the array is cut into n
pieces. Piece k goes around the devices, each combining its own with what it gets, and ends at device k, which sends it to all others: n steps, in
which each device receives 2 (n - 1) / n of an array in all. The ring moves fewer bytes for three devices and more, and takes more steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from eqsat.distribution.placement import Place, Placement
from eqsat.distribution.values import shape_of
from eqsat.dtype import DType
from eqsat.extents import Extent, capacity, is_dynamic
from eqsat.ops import Op
from eqsat.shape import Shape
from eqsat.uop import UOp, join

Cut = tuple[Shape, int]  # the shape that arrays have when they are cut, and along which axis

STEP_SECONDS = 40e-6  # to hand values to another device's thread, which waits for them


@dataclass(frozen=True, slots=True)
class Link:
    """What copies between devices take.

    Attributes:
        bandwidth: bytes per second that one device receives.
        step_seconds: of each step in which devices wait for each other.
    """

    bandwidth: float = 10e9
    step_seconds: float = STEP_SECONDS

    def prefers_ring(self, devices: int, size: int) -> bool:
        """Whether an all-reduce of `size` bytes on so many devices is quicker around a ring.

        >>> link = Link(bandwidth=10e9, step_seconds=40e-6)
        >>> [link.prefers_ring(2, 1 << 30), link.prefers_ring(4, 1 << 10), link.prefers_ring(4, 1 << 24)]
        [False, False, True]
        """
        once = size / self.bandwidth
        naive = self.step_seconds + (devices - 1) * once
        ring = devices * self.step_seconds + 2 * (devices - 1) / devices * once
        return ring < naive


def all_reduce(nodes: Sequence[UOp], op: Op, place: Place, at: Placement, link: Link) -> dict[Place, UOp]:
    """The combination of arrays, on one device, or on each device that has one of them."""
    homes = dict.fromkeys(home for node in nodes if (home := at(node)) is not None)
    targets: list[Place] = [place] if place is not None else list(homes) or [None]
    dtype = nodes[0].dtype
    assert isinstance(dtype, DType), "arrays have elements"
    shape = shape_of(nodes[0])
    size = capacity(prod(shape)) * dtype.itemsize
    cut = _cut(shape, len(nodes))
    if cut and len(homes) == len(nodes) and place is None and link.prefers_ring(len(nodes), size):
        return ring(nodes, op, at, cut)
    return {target: naive(nodes, op, target, at) for target in targets}


def naive(nodes: Sequence[UOp], op: Op, place: Place, at: Placement) -> UOp:
    """All arrays combined on one device, in their order: every device that does so has the same bits."""
    result, *others = (at.fetch(node, place) for node in nodes)
    for other in others:
        result = result.alu(op, other)
    return result


def ring(nodes: Sequence[UOp], op: Op, at: Placement, cut: Cut) -> dict[Place, UOp]:
    """All arrays combined piece by piece; each piece is combined once, and every device gets it."""
    count, whole, (shape, axis) = len(nodes), shape_of(nodes[0]), cut
    cuttable = [node.reshape(shape) for node in nodes]
    homes = [at(node) for node in nodes]
    ends = [shape[axis] * number // count for number in range(count + 1)]
    pieces: list[UOp] = []
    for piece in range(count):
        window = tuple(
            (ends[piece], ends[piece + 1]) if each == axis else (0, extent)
            for each, extent in enumerate(shape)
        )
        result = cuttable[(piece + 1) % count].shrink(window)
        for step in range(2, count + 1):
            number = (piece + step) % count
            result = cuttable[number].shrink(window).alu(op, at.fetch(result, homes[number]))
        pieces.append(result)
    return {home: join([at.fetch(piece, home) for piece in pieces], axis).reshape(whole) for home in homes}


def _cut(shape: Shape, count: int) -> Cut | None:
    """How arrays are cut into so many pieces: flat, or where only calls know some extents, along another axis; None where there is none."""
    if not is_dynamic(shape):
        return (prod(shape),), 0
    known = (axis for axis, extent in enumerate(shape) if not isinstance(extent, Extent) and extent >= count)
    axis = next(known, None)
    return None if axis is None else (shape, axis)
