"""All-reduce as COPYs and arithmetic: naive, or around a ring.

*Naive*: every device gets all copies and combines them. This takes one step, in which each of n devices receives n - 1 arrays. *Ring*: the array
is cut into n pieces. Piece k goes around the devices; each combines its own piece with the one it receives. The piece ends at device k, which
sends it to all others. This takes n steps, in which each device receives 2 (n - 1) / n arrays in total. With three or more devices, the ring
moves fewer bytes, but it takes more steps.
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

Cut = tuple[Shape, int]  # the shape to which arrays are reshaped before they are cut, and the axis of the cut

STEP_SECONDS = 40e-6  # seconds to hand values to another device's thread that waits for them


@dataclass(frozen=True, slots=True)
class Link:
    """The speed of copies between devices.

    Attributes:
        bandwidth: the bytes per second that one device receives.
        step_seconds: the seconds of each step in which devices wait for each other.
    """

    bandwidth: float = 10e9
    step_seconds: float = STEP_SECONDS

    def prefers_ring(self, devices: int, size: int) -> bool:
        """Whether an all-reduce of `size` bytes on this many devices is faster around a ring than naively.

        >>> link = Link(bandwidth=10e9, step_seconds=40e-6)
        >>> [link.prefers_ring(2, 1 << 30), link.prefers_ring(4, 1 << 10), link.prefers_ring(4, 1 << 24)]
        [False, False, True]
        """
        once = size / self.bandwidth
        naive = self.step_seconds + (devices - 1) * once
        ring = devices * self.step_seconds + 2 * (devices - 1) / devices * once
        return ring < naive


def all_reduce(nodes: Sequence[UOp], op: Op, place: Place, at: Placement, link: Link) -> dict[Place, UOp]:
    """The arrays combined by `op`: on device `place`, or without one on each device that has one of the arrays."""
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
    """The arrays combined on one device, in a fixed order, so that every device that does so gets the same bits."""
    result, *others = (at.fetch(node, place) for node in nodes)
    for other in others:
        result = result.alu(op, other)
    return result


def ring(nodes: Sequence[UOp], op: Op, at: Placement, cut: Cut) -> dict[Place, UOp]:
    """The arrays combined piece by piece around a ring; each piece is combined once, and every device gets all pieces."""
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
    """How to cut arrays into `count` pieces: flattened, or if an extent depends on a dim, along an axis that does not; None if there is none."""
    if not is_dynamic(shape):
        return (prod(shape),), 0
    known = (axis for axis, extent in enumerate(shape) if not isinstance(extent, Extent) and extent >= count)
    axis = next(known, None)
    return None if axis is None else (shape, axis)
