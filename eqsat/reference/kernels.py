"""The meaning of ranges, addresses, loads, stores and reductions in a kernel. All points of the ranges are computed at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from eqsat.dtype import PtrDType, to_numpy
from eqsat.errors import EvaluationError
from eqsat.ops import Op, identity_element
from eqsat.reference.alu import accumulate, combine, extreme_pair
from eqsat.reference.arrays import view_offsets
from eqsat.reference.frame import Frame, Meaning, Result, element_type, is_shaped_buffer, lanes_of
from eqsat.reference.memory import Address, Pointer, Storage, widen, write
from eqsat.reference.number import Array
from eqsat.reference.races import nests_of
from eqsat.reference.value import Value, extents_of, move_last, spread, union
from eqsat.uop import UOp

_BUFFERS = frozenset(
    {Op.PARAM, Op.BUFFER, Op.BUFFER_VIEW, Op.DEFINE_GLOBAL, Op.DEFINE_LOCAL, Op.DEFINE_REG, Op.AFTER}
)


def _range(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    """A named axis with the values 0, 1, …, end-1, or with the values in its window."""
    # Further sources are the ranges around it
    limits = 2 if isinstance(node.arg, int) and len(node.src) > 1 else 1
    bounds = [_one_integer(frame, node, *each) for each in zip(sources[:limits], node.src, strict=False)]
    begin, end = (0, *bounds) if limits == 1 else bounds
    begin, end = frame.windows.get(node, (begin, end))
    return Value((node,), np.arange(begin, end, dtype=np.int64))


def _one_integer(frame: Frame, node: UOp, result: Result, source: UOp) -> int:
    bound = frame.value(result, source).data
    if bound.size != 1:
        raise EvaluationError(f"{node!r} has an end that varies; bind the range itself to samples")
    return int(bound.reshape(()))


def _special(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    return frame.names[node.arg] if node.arg in frame.names else _range(frame, node, sources)


def _index(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    base, gates, indices = sources[0], list[Value](), list[Value]()
    lanes = any(lanes_of(source) > 1 for source in node.src[1:])
    for result, source in zip(sources[1:], node.src[1:], strict=True):
        value = frame.value(result, source)
        value = _laned(value, not lanes or lanes_of(source) > 1)
        (gates if source.dtype.scalar.is_bool else indices).append(value)
    if is_shaped_buffer(node.src[0]):  # the elements of the buffer are in one row, in memory or as samples
        indices = [_row_major(frame, node.src[0].arg, indices)]
    target = base if isinstance(base, Pointer) else frame.value(base, node.src[0])
    address = Address(target, tuple(indices), gates[0] if gates else None, lanes)
    return widen(address, lanes_of(node))


def _row_major(frame: Frame, shape: tuple[int, ...], indices: Sequence[Value]) -> Value:
    """The row-major position of an element; -1, which is outside the buffer, if an index is outside its axis."""

    def further(extent: int, place: Array, index: Array) -> Array:
        inside = (place >= 0) & (index >= 0) & (index < extent)
        return np.where(inside, place * extent + index, -1)

    place = Value((), np.zeros((), np.int64))
    if indices and indices[0].inner:
        place = Value((), np.zeros((1,) * len(indices[0].inner), np.int64))
    for extent, index in zip(shape, indices, strict=True):
        place = frame.together(partial(further, extent), place, index)
    return place


def _pointer_index(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    """The source pointer, moved by a number of bytes."""
    offset = frame.value(sources[1], node.src[1])
    steps = Value(offset.axes, elements_of_bytes(offset.data, node))
    base = sources[0]
    if isinstance(base, Pointer):
        return Address(base, (steps,))
    assert isinstance(base, Address)
    return Address(base.base, (frame.together(np.add, base.indices[0], steps),), base.gate, base.lanes)


def elements_of_bytes(offset: Array, node: UOp) -> Array:
    """The number of elements that a POINTER_INDEX moves by.

    Raises:
        EvaluationError: the number of bytes is not a multiple of the element size.
    """
    size = node.src[0].dtype.scalar.itemsize
    if np.any(offset % size):
        raise EvaluationError(
            f"{node!r} moves by {int(offset[offset % size != 0].flat[0])} bytes, into an element of {size}; use multiples"
        )
    return np.floor_divide(offset, size)


def _pointer_concatenation(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    """One address with the lanes of all sources. All sources must point into one buffer."""
    addresses = [widen(address, lanes_of(source)) for address, source in zip(sources, node.src, strict=True)]
    first = addresses[0]
    indices = [_laned(address.indices[0], address.lanes) for address in addresses]
    axes = union(indices, frame.position)
    extents = extents_of(indices, axes)
    lanes = np.concatenate([spread(index, axes, extents) for index in indices], -1)
    if any(address.gate is not None for address in addresses) or any(
        address.base != first.base for address in addresses
    ):
        raise EvaluationError(
            f"{node!r} joins addresses of several buffers, or gated ones; load them one by one"
        )
    return Address(first.base, (Value(axes, lanes),), lanes=True)


def _laned(index: Value, has_lanes: bool) -> Value:
    return index if has_lanes else Value(index.axes, index.data[..., None])


def _load(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    if node.src[0].op in _BUFFERS and any(source.op in (Op.INDEX, Op.VIEW) for source in node.src[1:2]):
        return _load_beside(frame, node, sources)
    address = sources[0]
    if not isinstance(address, Address):
        return frame.value(address, node.src[0])
    for result, source in zip(sources[2:3], node.src[2:3], strict=True):
        if source.dtype.scalar.is_bool:
            address = _gated(frame, address, frame.value(result, source))
    address = widen(address, lanes_of(node))
    found = frame.load(address, node)
    if address.gate is None or not node.src[1:]:
        return found
    return frame.together(np.where, address.gate, found, frame.value(sources[1], node.src[1]))


def _load_beside(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    """The older forms of a LOAD: (buffer, INDEX, alternative), and (buffer, VIEW, a store to wait for)."""
    if node.src[1].op is Op.INDEX:
        return _load(frame, node.with_src(node.src[1:]), sources[1:])
    if node.src[1].src:
        return frame.value(sources[1], node.src[1])
    base = sources[0]
    if isinstance(base, Pointer) and node.src[2:]:
        base = Pointer(base.storage, base.offset, base.size, live=True)
    return frame.value(_view_address(base, node.src[1]), node)


def _view_address(base: Any, view: UOp) -> Address:
    offsets, inside = view_offsets(view.arg)
    return Address(base, (Value((), offsets),), Value((), inside))


def _gated(frame: Frame, address: Address, gate: Value) -> Address:
    gate = _laned(gate, not address.lanes or len(gate.inner) > 0)
    both = gate if address.gate is None else frame.together(np.logical_and, address.gate, gate)
    return Address(address.base, address.indices, both, address.lanes)


def _store(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    """Writes to memory. A STORE with an operation combines over all ranges that it ends, whether or not anything varies with them."""
    repeated = [frame.value(frame.values[bound], bound) for bound in frame.repeated.get(node, ())]
    if node.src[1].op is Op.VIEW:
        address, value = _view_address(sources[0], node.src[1]), frame.value(sources[2], node.src[2])
    else:
        address, value = sources[0], frame.value(sources[1], node.src[1])
        for result, source in zip(sources[2:], node.src[2:], strict=False):
            if source.dtype.scalar.is_bool:
                address = _gated(frame, address, frame.value(result, source))
    if not isinstance(address, Address):
        raise EvaluationError(f"{node!r} has no address to write to; give it an INDEX into a buffer")
    address = widen(address, lanes_of(node.src[1]))
    frame.loops = nests_of(frame.roots) if frame.loops is None else frame.loops
    write(address, value, repeated, frame.position, node, frame.windows, frame.loops.get(node))
    assert isinstance(address.base, Pointer)
    return Pointer(address.base.storage, address.base.offset, address.base.size, live=True)


def _define_local(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    """Memory of one group or work-item. A kernel is computed in pieces that are small enough to need only one such memory at a time."""
    assert isinstance(node.dtype, PtrDType)
    return Pointer(Storage(np.zeros(node.dtype.size, to_numpy(node.dtype.base))), 0, node.dtype.size)


def _reduce(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    """Reduces over the ranges. If the source has more lanes than the result, groups of lanes are reduced too."""
    value = frame.value(sources[0], node.src[0])
    ranges = [frame.value(result, source) for result, source in zip(sources[1:], node.src[1:], strict=True)]
    counts = [prod(bound.data.shape) for bound in ranges]
    moved = move_last(value, node.src[1:], counts)
    outer = len(moved.axes)
    data = combine(node.arg, element_type(node), moved.data, tuple(range(outer, outer + len(counts))))
    lanes = lanes_of(node)
    if lanes_of(node.src[0]) > lanes:
        data = combine(
            node.arg, element_type(node), data.reshape(*data.shape[:-1], -1, lanes), (data.ndim - 1,)
        )
        data = data[..., 0] if lanes == 1 else data
    return Value(moved.axes, data)


def _argreduce(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    """The extreme value over the ranges, or its position. Without iterations, these are the identity element and 0.

    If the sources have more lanes than the result, groups of lanes are combined too.
    """
    op: Op = node.arg[0]
    member: int = node.arg[1]
    bounds = node.src[2:]
    given = [frame.value(result, source) for result, source in zip(sources, node.src, strict=True)]
    counts = [prod(bound.data.shape) for bound in given[2:]]
    axes = union(given[:2], frame.position)
    extents = extents_of(given[:2], axes)
    moved = [move_last(Value(axes, spread(each, axes, extents)), bounds, counts) for each in given[:2]]
    outer, lanes = len(moved[0].axes), lanes_of(node)
    rows = [each.data.reshape(*each.data.shape[:outer], prod(counts), *given[0].inner) for each in moved]
    if prod(counts):
        pair = extreme_pair(op, rows[0], rows[1], outer)
    else:  # without iterations, the pair is the initial value of an accumulator
        shape = rows[0].sum(outer).shape
        least = identity_element(op, element_type(node.src[0]).scalar)
        pair = np.full(shape, least, rows[0].dtype), np.zeros(shape, rows[1].dtype)
    if lanes_of(node.src[0]) > lanes:
        groups = [each.reshape(*each.shape[:-1], -1, lanes) for each in pair]
        pair = extreme_pair(op, groups[0], groups[1], groups[0].ndim - 2)
    data = pair[member]
    return Value(moved[0].axes, data[..., 0] if lanes == 1 < lanes_of(node.src[0]) else data)


def _scan(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    """Combines each iteration of the ranges with all iterations before it; the last range varies fastest."""
    op, exclusive = node.arg
    value = frame.value(sources[0], node.src[0])
    ranges = [frame.value(result, source) for result, source in zip(sources[1:], node.src[1:], strict=True)]
    counts = [prod(bound.data.shape) for bound in ranges]
    moved = move_last(value, node.src[1:], counts)
    outer = len(moved.axes)
    dtype = element_type(node)
    rows = moved.data.reshape(*moved.data.shape[:outer], prod(counts), *value.inner)
    scanned = accumulate(op, dtype, rows, outer)
    if exclusive and prod(counts):
        before = np.full_like(scanned, identity_element(op, dtype.scalar))
        every = (slice(None),) * outer
        before[*every, 1:] = scanned[*every, :-1]
        scanned = before
    names = (*moved.axes, *node.src[1:])
    order = sorted(range(len(names)), key=lambda place: frame.position[names[place]])
    data = scanned.reshape(*moved.data.shape[:outer], *counts, *value.inner)
    inner = range(len(names), data.ndim)
    return Value(tuple(names[place] for place in order), data.transpose(*order, *inner))


def _carry(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    """What the iteration before has kept."""
    if node in frame.kept:
        return frame.kept[node]
    if any(frame.windows.get(bound, (1, 0))[0] for bound in node.src[node.arg[2] :]):
        raise EvaluationError(
            f"{node!r} is kept by a RECUR, outside of which it has no value; use what that gives"
        )
    return Value(
        (), np.zeros((lanes_of(node),) if lanes_of(node) > 1 else (), to_numpy(element_type(node).scalar))
    )


def _after(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    """Source 0 after the other sources have taken effect: its content after the last ASSIGN to it, or after all stores so far."""
    base = sources[0]
    if isinstance(base, Pointer):
        if all(each in frame.assigned for each in node.src[1:]):
            contents = [base.storage, *(frame.assigned[each] for each in node.src[1:])]
            own = [each for each in contents if each.origin is base.storage.origin]
            latest = max(own, key=lambda each: each.version)
            return Pointer(latest, base.offset, base.size, base.live)
        return Pointer(base.storage, base.offset, base.size, live=True)
    return base


MEANING: dict[Op, Meaning] = {
    Op.RANGE: _range,
    Op.SPECIAL: _special,
    Op.INDEX: _index,
    Op.POINTER_INDEX: _pointer_index,
    Op.PTRCAT: _pointer_concatenation,
    Op.LOAD: _load,
    Op.STORE: _store,
    **dict.fromkeys((Op.DEFINE_LOCAL, Op.DEFINE_REG), _define_local),
    Op.REDUCE: _reduce,
    Op.SCAN: _scan,
    Op.CARRY: _carry,
    Op.ARGREDUCE: _argreduce,
    Op.AFTER: _after,
}
