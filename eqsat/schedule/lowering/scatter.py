"""A scatter as loops: results begin as the identity element, then each element is combined with the result at its label.

For columns d, which work-items may share, positions j and elements i, `sum_i where(label[i] == j, value[i, d], 0)` is

    for d:
      for j: out[j, d] = 0
      for i: if 0 <= label[i] < positions: out[label[i], d] += value[i, d]

The loops over j and i are SCAN ranges: they run in order, inside all others.
"""

from __future__ import annotations

from math import prod

from eqsat.dtype import DType, index, void
from eqsat.integers.bounds import bounds
from eqsat.ops import AxisType, KernelInfo, Op, identity_element
from eqsat.schedule.lowering.index_arithmetic import flatten_index
from eqsat.schedule.lowering.local_memory import ZERO
from eqsat.schedule.lowering.lower import Lowering, NoKernelError, Point
from eqsat.uop import UOp, toposort


def scattered(node: UOp, buffer: int, lowering: Lowering, name: str) -> UOp:
    """The SINK of the kernel that stores a SCATTER_AXIS in a buffer of this number.

    Raises:
        NoKernelError: local memory would be filled in its loops.
    """
    assert isinstance(node.dtype, DType)
    op: Op = node.arg[0]
    axis: int = node.arg[1][0]
    reduced: tuple[int, ...] = node.arg[1][1:]
    value, labels = node.src
    shape, results = value.shape or (), node.shape or ()
    kept = [place for place in range(len(shape)) if place not in (axis, *reduced)]
    columns = {place: lowering.fresh_range(shape[place], AxisType.LOOP) for place in kept}
    position = lowering.fresh_range(shape[axis], AxisType.SCAN)
    elements = {place: lowering.fresh_range(shape[place], AxisType.SCAN) for place in reduced}
    lowering.outputs = frozenset(loop for loop in columns.values() if loop.op is Op.RANGE)

    def address(memory: UOp, at: UOp, *gates: UOp) -> UOp:
        place = [{**columns, axis: at}[each] for each in range(len(shape)) if each not in reduced]
        return UOp(Op.INDEX, node.dtype, (memory, flatten_index(tuple(place), results), *gates))

    memory = UOp.param(buffer, prod(results), node.dtype)
    identity = UOp.const(node.dtype, identity_element(op, node.dtype))
    empty = UOp(Op.STORE, void, (address(memory, position), identity, *_loops(position)))
    walked = {**columns, **elements}
    label = lowering.value(Point(labels, _indices({**walked, axis: ZERO})))
    at = label.cast(index)
    gates = _inside(label, shape[axis])
    found = _value(value, {**walked, axis: at}, at, gates, lowering)
    if lowering.staged:
        raise NoKernelError(f"{node!r} reads local memory at labels; store what it reads")
    ready = UOp(Op.AFTER, memory.dtype, (memory, empty))
    loops = (*_loops(*columns.values()), *_loops(*elements.values()))
    store = UOp(Op.STORE, void, (address(ready, at, *gates), found, *loops), op)
    return UOp.sink(store, arg=KernelInfo(name))


def _indices(places: dict[int, UOp]) -> tuple[UOp, ...]:
    return tuple(places[axis] for axis in sorted(places))


def _loops(*places: UOp) -> tuple[UOp, ...]:
    return tuple(place for place in places if place.op is Op.RANGE)


def _inside(label: UOp, positions: int) -> tuple[UOp, ...]:
    """The condition that a label is a position, in its own dtype; none where bounds show it."""
    assert isinstance(label.dtype, DType)
    least, most = bounds(label)
    conditions: list[UOp] = []
    if least < 0:
        conditions.append((label < UOp.const(label.dtype, 0)).logical_not())
    if most >= positions:
        conditions.append((UOp.const(label.dtype, positions - 1) < label).logical_not())
    if not conditions:
        return ()
    return (conditions[0] if len(conditions) == 1 else conditions[0] & conditions[1],)


def _value(value: UOp, places: dict[int, UOp], at: UOp, gates: tuple[UOp, ...], lowering: Lowering) -> UOp:
    """An element; what is read at its label is read where that is a position."""
    found = lowering.value(Point(value, _indices(places)))
    if not gates or at not in toposort([found]):
        return found
    return lowering.value(Point(value, _indices(places), gates[0]))
