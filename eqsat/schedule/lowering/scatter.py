"""Lowers a scatter to loops: results begin as the identity element, then each element is combined with the result at its label.

For positions j, elements i and columns d, `sum_i where(label[i] == j, value[i, d], 0)` is

    for j: for d: out[j, d] = 0
    for i: if 0 <= label[i] < positions: for d: out[label[i], d] += value[i, d]

The loops over j and i are SCAN ranges, which run in order. The loops over columns are LOOP ranges. If work-items share them, they are around
both SCAN loops; otherwise each SCAN loop has its own loops over columns.
"""

from __future__ import annotations

from math import prod

from eqsat.dtype import DType, index, void
from eqsat.integers.bounds import bounds
from eqsat.integers.linear import affine_forms
from eqsat.ops import AxisType, KernelInfo, Op, identity_element
from eqsat.schedule.lowering.in_order import NoKernelError
from eqsat.schedule.lowering.index_arithmetic import add, flatten_index, multiply
from eqsat.schedule.lowering.local_memory import ZERO
from eqsat.schedule.lowering.lower import Lowering, Point
from eqsat.uop import UOp, rewrite, toposort


def scattered(node: UOp, buffer: int, lowering: Lowering, name: str) -> UOp:
    """The SINK of the kernel that stores a SCATTER_AXIS in a buffer of this number.

    Raises:
        NoKernelError: local memory would be filled inside its loops.
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


def arranged(sink: UOp, cores: int, line_bytes: float) -> UOp:
    """The kernel with the loops over columns inside the loops over elements.

    The last loop over columns is cut into a block of whole cache lines for each core, if there are enough columns.
    """
    (store,) = sink.src
    order = toposort([sink])
    ranges = sorted((node for node in order if node.op is Op.RANGE), key=lambda bound: bound.arg[0])
    flat = store.src[0].src[1]
    labels = frozenset[UOp]().union(
        *(atom.ranges for atom, _ in affine_forms([flat])[flat].terms if atom.op is not Op.RANGE)
    )
    columns = [bound for bound in ranges if bound.arg[1] is AxisType.LOOP and bound not in labels]
    nested = [*(bound for bound in ranges if bound not in columns), *columns]
    renumbered: dict[UOp, UOp] = {
        bound: bound.replace(arg=(number, *bound.arg[1:])) for number, bound in enumerate(nested)
    }
    if not columns or not labels.isdisjoint(bound for bound in ranges if bound.arg[1] is AxisType.LOOP):
        return rewrite([sink], renumbered)[0]
    last = columns[-1]
    extent, number = last.src[0].arg, len(nested) - 1
    each = extent // cores
    dtype = store.src[1].dtype
    assert isinstance(dtype, DType)
    if cores == 1 or extent % cores or each * dtype.itemsize < line_bytes:
        return rewrite([sink], renumbered)[0]
    block, inner = UOp.range(cores, number, AxisType.LOOP), UOp.range(each, number + 1, AxisType.LOOP)

    def in_blocks(node: UOp) -> UOp:
        if node.op is not Op.STORE or last not in node.src[2:]:
            return node
        loops = tuple(
            other for bound in node.src[2:] for other in ((block, inner) if bound is last else (bound,))
        )
        return node.with_src((*node.src[:2], *loops))

    cut = rewrite([sink], {}, in_blocks)[0]
    return rewrite([cut], {**renumbered, last: add(multiply(block, each), inner)})[0]


def _indices(places: dict[int, UOp]) -> tuple[UOp, ...]:
    return tuple(places[axis] for axis in sorted(places))


def _loops(*places: UOp) -> tuple[UOp, ...]:
    return tuple(place for place in places if place.op is Op.RANGE)


def _inside(label: UOp, positions: int) -> tuple[UOp, ...]:
    """The condition that a label is a valid position, in the label's dtype; empty if bounds show that it always is."""
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
    """The value of an element. If it reads arrays at its label, these reads are gated by the label being a valid position."""
    found = lowering.value(Point(value, _indices(places)))
    if not gates or at not in toposort([found]):
        return found
    return lowering.value(Point(value, _indices(places), gates[0]))
