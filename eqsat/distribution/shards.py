"""Movements, scans and reductions of sharded arrays: each is applied to the shards, or returns None if it needs the whole array."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

from eqsat.distribution.values import Shards, shape_of
from eqsat.errors import ShapeError
from eqsat.extents import Extent, capacity
from eqsat.ops import Op
from eqsat.uop import UOp

Move = Callable[[UOp, Shards], "Shards | None"]


def _permute(node: UOp, value: Shards) -> Shards:
    return value.replaced(node.arg.index(value.axis), [part.permute(node.arg) for part in value.nodes])


def _expand(node: UOp, value: Shards) -> Shards | None:
    axis, extents = value.axis, shape_of(node)
    if extents[axis] != shape_of(node.src[0])[axis]:
        return None
    return value.replaced(axis, [
        part.expand((*extents[:axis], shape_of(part)[axis], *extents[axis + 1 :])) for part in value.nodes
    ])  # fmt: skip


def _reshape(node: UOp, value: Shards) -> Shards | None:
    """Reshapes each shard. The sharded axis becomes the new axis before which there are equally many positions.

    None if there is no such axis, or if a shard would end inside of one of its positions.
    """
    old, new, axis = shape_of(node.src[0]), shape_of(node), value.axis
    if 0 in old:
        return None
    inside = prod(old[axis + 1 :])
    for place in range(len(new)):
        step = prod(new[place + 1 :])
        if prod(new[:place]) == prod(old[:axis]) and all(
            _divides(step, end * inside) for _, end in value.bounds
        ):
            return value.replaced(place, [
                part.reshape((*new[:place], (end - begin) * inside // step, *new[place + 1 :]))
                for part, (begin, end) in zip(value.nodes, value.bounds, strict=True)
            ])  # fmt: skip
    return None


def _divides(step: int, extent: int) -> bool:
    return extent.is_multiple(step) if isinstance(extent, Extent) else extent % capacity(step) == 0


def _pad(node: UOp, value: Shards) -> Shards:
    """Pads each shard; padding along the sharded axis goes to the first and the last shard."""
    axis, last = value.axis, len(value.nodes) - 1
    before, after = node.arg[axis]

    def amounts(number: int) -> list[tuple[int, int]]:
        own = (before if number == 0 else 0, after if number == last else 0)
        return [own if each == axis else pair for each, pair in enumerate(node.arg)]

    return value.replaced(axis, [part.pad(amounts(number)) for number, part in enumerate(value.nodes)])


def _shrink(node: UOp, value: Shards) -> Shards | None:
    """Shrinks each shard to its part of the window; None if it depends on a dim how the window lies among the shards."""
    axis, (low, high) = value.axis, node.arg[value.axis]
    parts: list[UOp] = []
    try:
        for part, (begin, end) in zip(value.nodes, value.bounds, strict=True):
            own = (_clipped(low, begin, end) - begin, _clipped(high, begin, end) - begin)
            parts.append(part.shrink([own if each == axis else pair for each, pair in enumerate(node.arg)]))
    except ShapeError:
        return None
    return value.replaced(axis, parts)


def _clipped(position: int, begin: int, end: int) -> int:
    return begin if position <= begin else min(end, position)


def _flip(node: UOp, value: Shards) -> Shards:
    parts = [part.flip(node.arg) for part in value.nodes]
    return value.replaced(value.axis, parts[::-1] if node.arg[value.axis] else parts)


def _along_others(node: UOp, value: Shards) -> Shards | None:
    """Applies a scan or a reduction to each shard, if it is along other axes than the sharded one; reduced axes disappear."""
    _, axes = node.arg
    if value.axis in axes:
        return None
    lost = 0 if node.op is Op.SCAN_AXIS else sum(axis < value.axis for axis in axes)
    return value.replaced(value.axis - lost, [node.with_src((part,)) for part in value.nodes])


MOVES: Mapping[Op, Move] = {
    Op.PERMUTE: _permute,
    Op.EXPAND: _expand,
    Op.RESHAPE: _reshape,
    Op.PAD: _pad,
    Op.SHRINK: _shrink,
    Op.FLIP: _flip,
    Op.REDUCE_AXIS: _along_others,
    Op.SCAN_AXIS: _along_others,
    Op.ARGREDUCE_AXIS: _along_others,
}
