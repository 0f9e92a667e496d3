"""Buffers, pointers and addresses during evaluation, and how LOAD and STORE use them.

A load sees the content of the buffer before the kernel. If it reads through AFTER, it also sees the stores so far. The first store copies the
buffer and all stores change the copy, so the caller's arrays change only when the evaluator writes them back. If nothing orders several stores
to one element, by different work-items or STOREs, the last one depends on the device, and the evaluation ends with an error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from eqsat.dtype import DType
from eqsat.errors import EvaluationError
from eqsat.reference.alu import combine_at
from eqsat.reference.number import Array
from eqsat.reference.races import LastWrites, Points, require_one_item
from eqsat.reference.value import Axes, Axis, Value, align, extents_of, union
from eqsat.uop import UOp


class Storage:
    """One buffer: its elements before the kernel, and after the stores so far.

    Attributes:
        origin: the original buffer; this storage is its content after `version` ASSIGNs. Before the first, the storage itself.
        writes: the last write to each element by a STORE without an operation; None before the first.
    """

    __slots__ = ("initial", "origin", "stored", "version", "writes")

    def __init__(self, initial: Array, origin: Storage | None = None, version: int = 0) -> None:
        self.initial = initial
        self.stored: Array | None = None
        self.writes: LastWrites | None = None
        self.origin = origin or self
        self.version = version

    @property
    def current(self) -> Array:
        """The elements with all stores so far."""
        return self.initial if self.stored is None else self.stored

    def writable(self) -> Array:
        """The elements to store into."""
        if self.stored is None:
            self.stored = self.initial.copy()
        return self.stored


@dataclass(frozen=True, slots=True)
class Pointer:
    """`size` elements of a storage from `offset` on. If `live`, it sees the stores so far, otherwise the content before the kernel."""

    storage: Storage
    offset: int
    size: int
    live: bool = False

    def elements(self) -> Array:
        """The elements that the pointer sees, as a 1-D array."""
        source = self.storage.current if self.live else self.storage.initial
        return source[self.offset : self.offset + self.size]


@dataclass(frozen=True, slots=True)
class Address:
    """Elements of `base` where `gate` is true. `indices` has one index per dimension; if `lanes`, their last axis counts lanes."""

    base: Pointer | Value
    indices: tuple[Value, ...]
    gate: Value | None = None
    lanes: bool = False


def widen(address: Address, lanes: int) -> Address:
    """Widens the address of one element to `lanes` consecutive elements. An address with lanes stays as it is."""
    if lanes == 1 or address.lanes:
        return address
    *outer, last = address.indices
    steps = np.arange(lanes)
    indices = [Value(index.axes, index.data[..., None]) for index in outer]
    indices.append(Value(last.axes, last.data[..., None] + steps))
    gate = address.gate and Value(address.gate.axes, address.gate.data[..., None])
    return Address(address.base, tuple(indices), gate, lanes=True)


def read(address: Address, position: Mapping[Axis, int]) -> tuple[Value, Value]:
    """Reads an address. Returns its elements and a mask of ungated accesses outside the buffer.

    An element is 0 where the address points outside the buffer or its gate is false.
    """
    base = address.base if isinstance(address.base, Value) else Value((), address.base.elements())
    parts = [base, *address.indices, *([address.gate] if address.gate else [])]
    axes = union(parts, position)
    grid = _axis_grid(base.axes, axes, base, inner=_inner_rank(address))
    inside = np.ones((), bool)
    where: list[Array] = list(grid)
    for index, extent in zip(address.indices, base.inner, strict=True):
        wanted = align(index, axes)
        inside = inside & (wanted >= 0) & (wanted < extent)
        where.append(np.clip(wanted, 0, max(extent - 1, 0)).astype(np.int64))
    allowed = np.ones((), bool) if address.gate is None else align(address.gate, axes)
    if base.data.size == 0:
        shape = np.broadcast_shapes(*(index.shape for index in where), np.shape(allowed))
        found = np.zeros(shape, base.data.dtype)
    else:
        found = base.data[tuple(where)]
    found = np.where(inside & allowed, found, np.zeros((), base.data.dtype))
    return Value(axes, found), Value(axes, np.asarray(~inside & allowed))


def _inner_rank(address: Address) -> int:
    return max((len(index.inner) for index in address.indices), default=0)


def _axis_grid(names: Axes, axes: Axes, base: Value, inner: int) -> list[Array]:
    """Indices that pick, for each point of `axes`, the matching element of the base's own named axes."""
    grid: list[Array] = []
    for name, extent in zip(names, base.data.shape, strict=False):
        place = axes.index(name)
        after = len(axes) + inner - place - 1
        grid.append(np.arange(int(extent), dtype=np.int64).reshape(-1, *(1,) * after))
    return grid


def write(
    address: Address,
    value: Value,
    repeated: Sequence[Value],
    position: Mapping[Axis, int],
    node: UOp,
    windows: Mapping[UOp, tuple[int, int]],
    loops: tuple[UOp, ...] | None,
) -> None:
    """Stores `value` at an address, once per point of all axes of both. If several points store to one element, the last in time wins.

    A STORE with an operation combines each value, in order of time, with the element, also once per point of the ranges `repeated`.
    `loops` are the LOOP ranges that the STORE ends, outer ones first; None if there is no other STORE.

    Raises:
        EvaluationError: the target is not a buffer, an address whose gate is true points outside it, or unordered stores write one element.
    """
    if not isinstance(address.base, Pointer):
        raise EvaluationError(f"{node!r} writes into a computed value; its address must lead to a buffer")
    (index,) = address.indices
    parts = [index, value, *repeated, *([address.gate] if address.gate else [])]
    axes = union(parts, position)
    if node.arg is not None and any(begin and bound not in axes for bound, (begin, _) in windows.items()):
        return  # of the pieces along a range that it has not, it combines in the first one
    inner = np.broadcast_shapes(index.inner, value.inner)
    points = Points(axes, extents_of(parts, axes), len(inner), windows)
    shape = (*points.extents, *inner)

    def in_time(data: Array) -> Array:
        return np.broadcast_to(data, shape).transpose(points.in_time)

    allowed = None if address.gate is None else in_time(align(address.gate, axes))

    def stored_at(data: Array) -> Array:
        return in_time(data).ravel() if allowed is None else in_time(data)[allowed]

    target, stored = stored_at(align(index, axes)), stored_at(align(value, axes))
    check_bounds(target, address.base.size, node)
    places = address.base.offset + target.astype(np.int64)
    item = stored_at(points.number(points.items))
    require_one_item(places, item, node)
    storage = address.base.storage
    if node.arg is not None:
        _combine(storage, places, stored, node)
        return
    if loops is not None:
        storage.writes = storage.writes or LastWrites(storage.initial.size)
        last = storage.writes.note(node, points, loops, places, item, stored_at(points.number(loops)))
        places, stored = places[last], stored[last]
    storage.writable()[places] = stored


def _combine(storage: Storage, places: Array, stored: Array, node: UOp) -> None:
    """Combines values in their order with the elements at these places, as a STORE with an operation does."""
    dtype = node.src[1].dtype
    assert isinstance(dtype, DType)
    combine_at(node.arg, dtype, storage.writable(), places, stored)


def check_bounds(target: Array, size: int, node: UOp) -> None:
    """Raises `EvaluationError` if an index is not in 0..size-1."""
    outside = (target < 0) | (target >= size)
    if np.any(outside):
        first = np.asarray(target)[outside].flat[0]
        raise EvaluationError(
            f"{node!r} accesses element {first} of {size} in {node.src[0]!r} "
            f"({int(np.count_nonzero(outside))} accesses are outside); gate the INDEX, or correct it"
        )
