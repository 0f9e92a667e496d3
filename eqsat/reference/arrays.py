"""The meaning of operations on whole arrays: movement, views, reductions along axes, comprehensions, shards."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from eqsat.dtype import to_numpy
from eqsat.errors import EvaluationError
from eqsat.ops import REDUCE_OPS, Op, View, identity_element
from eqsat.reference.alu import accumulate, combine, compute
from eqsat.reference.frame import Frame, Meaning, Result, Shards, element_type
from eqsat.reference.memory import Pointer, Storage
from eqsat.reference.number import Array
from eqsat.reference.scalars import formulas
from eqsat.reference.value import Value, align, move_last, union
from eqsat.shape import Shape
from eqsat.uop import UOp
from eqsat.uop.recurrence import unpacked


def _movement(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    value = frame.value(sources[0], node.src[0])
    return Value(value.axes, _MOVE[node.op](value.data, len(value.axes), node.arg))


def _reshape(data: Array, outer: int, shape: tuple[int, ...]) -> Array:
    return data.reshape((*data.shape[:outer], *shape))


def _permute(data: Array, outer: int, axes: tuple[int, ...]) -> Array:
    return data.transpose(*range(outer), *(outer + axis for axis in axes))


def _expand(data: Array, outer: int, shape: tuple[int, ...]) -> Array:
    return np.broadcast_to(data, (*data.shape[:outer], *shape))


def _pad(data: Array, outer: int, amounts: tuple[tuple[int, int], ...]) -> Array:
    return np.pad(data, (*[(0, 0)] * outer, *amounts)) if data.ndim else data


def _shrink(data: Array, outer: int, window: tuple[tuple[int, int], ...]) -> Array:
    return data[(*[slice(None)] * outer, *(slice(begin, end) for begin, end in window))]


def _flip(data: Array, outer: int, reversed_axes: tuple[bool, ...]) -> Array:
    axes = tuple(outer + axis for axis, is_reversed in enumerate(reversed_axes) if is_reversed)
    return np.asarray(np.flip(data, axes))  # NumPy unwraps an object array without axes


_MOVE = {
    Op.RESHAPE: _reshape,
    Op.PERMUTE: _permute,
    Op.EXPAND: _expand,
    Op.PAD: _pad,
    Op.SHRINK: _shrink,
    Op.FLIP: _flip,
}


def _view(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    """The strided window of the source. Without a source it only holds positions, for a LOAD or STORE that names the buffer itself."""
    if not node.src:
        return None
    value = frame.value(sources[0], node.src[0])
    flat = value.data.reshape(*value.data.shape[: len(value.axes)], -1)
    return Value(value.axes, view_of(flat, node.arg))


def view_of(flat: Array, view: View) -> Array:
    """The elements of a view into the last axis of `flat`. Elements outside the mask or outside the buffer are zero."""
    offsets, inside = view_offsets(view)
    inside = inside & (offsets >= 0) & (offsets < flat.shape[-1])
    if flat.shape[-1] == 0:
        return np.zeros((*flat.shape[:-1], *view.shape), flat.dtype)
    return np.where(inside, flat[..., np.where(inside, offsets, 0)], np.zeros((), flat.dtype))


def view_offsets(view: View) -> tuple[Array, Array]:
    """For each element of a view, its position in the buffer, and whether the mask includes it."""
    places = np.indices(view.shape, sparse=True) if view.shape else ()
    offsets = np.full(view.shape, view.offset, np.int64)
    inside = np.ones(view.shape, bool)
    for axis, place in enumerate(places):
        offsets = offsets + place * view.strides[axis]
        if view.mask is not None:
            begin, end = view.mask[axis]
            inside = inside & (place >= begin) & (place < end)
    return offsets, inside


def _valid(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    return Value((), view_offsets(node.src[0].arg)[1])


def _empty(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    return Value((), np.zeros(node.shape or (), to_numpy(element_type(node))))


def _buffer(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    storage = frame.storage(node)
    return Pointer(storage, 0, len(storage.initial))


def _buffer_view(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    size, offset = node.arg
    base = sources[0]
    if isinstance(base, Pointer):
        return Pointer(base.storage, base.offset + offset, size, base.live)
    value = frame.value(base, node.src[0])
    return Value(value.axes, value.data[..., offset : offset + size])


def _bufferize(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    """An array whose element (i, j, …) is the source at the point where the ranges have the values i, j, …"""
    value = frame.value(sources[0], node.src[0])
    return move_last(value, node.src[1:], node.shape or ())


def _reduce_axis(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    value = frame.value(sources[0], node.src[0])
    op, axes = node.arg
    outer = len(value.axes)
    return Value(
        value.axes, combine(op, element_type(node), value.data, tuple(outer + axis for axis in axes))
    )


def _argreduce_axis(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    value = frame.value(sources[0], node.src[0])
    op, (axis,) = node.arg
    find = np.argmax if op is Op.MAX else np.argmin
    found = find(value.data, len(value.axes) + axis)
    return Value(value.axes, np.asarray(found).astype(to_numpy(element_type(node))))


def _scatter_axis(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    """Reduces the values whose label is the position along the axis; the identity element takes the place of the others."""
    op: Op = node.arg[0]
    axis: int = node.arg[1][0]
    reduced: tuple[int, ...] = node.arg[1][1:]
    shape: Shape = node.src[0].shape or ()
    dtype = element_type(node)
    places = np.arange(shape[axis]).reshape([-1 if place == axis else 1 for place in range(len(shape))])
    values, labels = _parts(frame, node, sources)
    first = np.take(labels.data, [0] if shape[axis] else [], len(labels.axes) + axis)
    is_own = Value(labels.axes, first == places)
    chosen = frame.together(partial(_or_identity, identity_element(op, dtype.scalar)), is_own, values)
    outer = len(chosen.axes)
    return Value(chosen.axes, combine(op, dtype, chosen.data, tuple(outer + axis for axis in reduced)))


def _or_identity(identity: float, is_own: Array, values: Array) -> Array:
    return np.where(is_own, values, np.asarray(identity, values.dtype))


def _scan_axis(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    value = frame.value(sources[0], node.src[0])
    op, (axis,) = node.arg
    return Value(value.axes, accumulate(op, element_type(node), value.data, len(value.axes) + axis))


def _recur_axis(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    """Goes from one element along the axis to the next, for all other axes at once."""
    packed, (axis,) = node.arg
    recurrence = unpacked(packed)
    values = _parts(frame, node, sources)
    axes = union(values, frame.position)
    place = len(axes) + axis
    rows = [
        np.moveaxis(row, place, 0) for row in np.broadcast_arrays(*(align(value, axes) for value in values))
    ]
    kept = [np.zeros(rows[0].shape[1:], to_numpy(element_type(each))) for each in recurrence.following]
    found = np.empty(rows[0].shape, to_numpy(element_type(node)))
    for number, row in enumerate(zip(*rows, strict=True)):
        leaves = {f"#{leaf}": Value(axes, each) for leaf, each in enumerate((*kept, *row))}
        results = formulas((recurrence.result, *recurrence.following), leaves, frame)
        found[number], *kept = (np.broadcast_to(each.data, row[0].shape) for each in results)
    return Value(axes, np.moveaxis(found, 0, place))


def _multi(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    axis, real = node.arg
    return Shards(_parts(frame, node, sources), axis, real)


def _stack(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    return Shards(_parts(frame, node, sources), None, (True,) * len(sources))


def _parts(frame: Frame, node: UOp, sources: Sequence[Any]) -> tuple[Value, ...]:
    return tuple(frame.value(result, source) for result, source in zip(sources, node.src, strict=True))


def _select(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    return _part(sources[0], node.arg)


def _part(shards: Result, number: int) -> Result:
    return shards.parts[number] if isinstance(shards, Shards) else shards


def _all_reduce(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    """Combines the real shards element by element. A single array is returned as it is."""
    shards = sources[0]
    if node.arg not in REDUCE_OPS:
        raise ValueError(f"{node.arg!r} does not reduce")
    if not isinstance(shards, Shards):
        return shards
    if shards.axis is not None:
        raise EvaluationError(
            f"{node!r} combines shards that are parts along axis {shards.axis}; they must be whole arrays"
        )
    total, *others = (part for part, real in zip(shards.parts, shards.real, strict=True) if real)
    for other in others:
        total = frame.together(partial(compute, node.arg, element_type(node)), total, other)
    return total


def _assign(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    """The new content of the target. A read of the target through AFTER sees it too."""
    value = frame.value(sources[1], node.src[1])
    target = sources[0]
    if isinstance(target, Pointer):
        window = slice(target.offset, target.offset + target.size)
        new = np.broadcast_to(value.data, node.shape or ()).reshape(-1)
        content = Storage(target.storage.initial.copy(), target.storage.origin, target.storage.version + 1)
        content.initial[window] = new
        frame.assigned[node] = content
        target.storage.origin.writable()[window] = new  # the caller of a function sees this
    return value


MEANING: dict[Op, Meaning] = {
    **dict.fromkeys(_MOVE, _movement),
    Op.VIEW: _view,
    Op.VALID: _valid,
    Op.EMPTY: _empty,
    **dict.fromkeys((Op.PARAM, Op.BUFFER, Op.DEFINE_GLOBAL), _buffer),
    Op.BUFFER_VIEW: _buffer_view,
    Op.BUFFERIZE: _bufferize,
    Op.REDUCE_AXIS: _reduce_axis,
    Op.SCAN_AXIS: _scan_axis,
    Op.ARGREDUCE_AXIS: _argreduce_axis,
    Op.SCATTER_AXIS: _scatter_axis,
    Op.RECUR_AXIS: _recur_axis,
    Op.MULTI: _multi,
    Op.MSTACK: _stack,
    Op.MSELECT: _select,
    Op.ALLREDUCE: _all_reduce,
    Op.ASSIGN: _assign,
}
