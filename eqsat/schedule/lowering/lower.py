"""Lowers arrays to loops: makes the stores of one kernel from the array nodes that it computes.

Each output element is computed at an index, with one RANGE per axis. Movement operations become arithmetic on that index, a reduction
becomes a REDUCE over fresh ranges, and an array in memory becomes a LOAD. Loads that may be outside of an array are gated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import NamedTuple

from eqsat.dtype import DType, void
from eqsat.errors import ScheduleError
from eqsat.floats.zeros import from_zero
from eqsat.ops import ALU, AT_HAND, AXES_REDUCED, AxisType, KernelInfo, Op, identity_element
from eqsat.schedule.lowering.capture import avoid_capture
from eqsat.schedule.lowering.gates import chosen, loaded, zero_outside
from eqsat.schedule.lowering.in_order import NoKernelError, ScanOrderError, Walk, loop_along, recur
from eqsat.schedule.lowering.index_arithmetic import add, flatten_index, inside, multiply
from eqsat.schedule.lowering.local_memory import (
    ZERO,
    Indices,
    StagedParts,
    beginnings,
    grown,
    is_inside,
    is_within_windows,
    positions,
    staged_parts,
)
from eqsat.schedule.lowering.movements import MOVES, framed, moved
from eqsat.schedule.lowering.output_loops import output_indices, reshaped
from eqsat.uop import UOp
from eqsat.uop.recurrence import unpacked


class TooManyCopiesError(NoKernelError):
    """A kernel would compute its nodes at more indices than allowed."""


class Point(NamedTuple):
    """An array node at an index; `gate`, if any, is the condition under which the element is needed and safe to read."""

    node: UOp
    indices: Indices
    gate: UOp | None = None


@dataclass
class Lowering:
    """The state of lowering one kernel.

    Attributes:
        stored: the buffer number of each array node that is in memory.
        depth: how many reductions are nested below each array node, without those in memory.
        most: most points that may be computed; None for no limit.
        values: the scalar computed at each point.
        moved: the point that each movement, reduction or comprehension reads.
        reduce_ranges: the loops of reductions; independent reductions over equal axes at one index share them.
        next_range: the number of the next loop.
        outputs: the loops over outputs.
        innermost: the innermost loop over outputs, whose elements are contiguous; walked backwards, vectors would be stored lane by lane.
        walk: the loop along which scans carry values, if any.
        recurrences: the number of each recurrence, by the formulas of its kept values and what it reads.
        steps: loops over the steps that share a window, and their trip counts.
        longer: for each loop that fills a window, one more than the number of steps by which it is longer than planned.
        staged: the point that fills each local memory, by the staged node, the indices of the first staged element, and the staged parts.
    """

    stored: Mapping[UOp, int]
    depth: Mapping[UOp, int]
    most: int | None = None
    values: dict[Point, UOp] = field(default_factory=dict[Point, UOp])
    moved: dict[Point, Point] = field(default_factory=dict[Point, Point])
    reduce_ranges: dict[tuple[object, ...], Indices] = field(
        default_factory=dict[tuple[object, ...], Indices]
    )
    next_range: int = 0
    outputs: frozenset[UOp] = frozenset()
    innermost: UOp | None = None
    walk: Walk | None = None
    recurrences: dict[tuple[object, ...], int] = field(default_factory=dict[tuple[object, ...], int])
    steps: dict[UOp, int] = field(default_factory=dict[UOp, int])
    longer: dict[UOp, int] = field(default_factory=dict[UOp, int])
    staged: dict[tuple[UOp, Indices, StagedParts], Point] = field(
        default_factory=dict[tuple[UOp, Indices, StagedParts], Point]
    )

    def fresh_range(self, extent: int, axis: AxisType) -> UOp:
        """A new loop variable; an extent of 1 needs none."""
        if extent == 1:
            return ZERO
        self.next_range += 1
        return UOp.range(extent, self.next_range - 1, axis)

    def output_loop(self, extent: int, blocks: Mapping[int, int]) -> UOp:
        """An index over a new loop over outputs, or over two loops if `blocks` cuts it into blocks."""
        steps = blocks.get(self.next_range, 1) if extent > 1 else 1
        outer = self.fresh_range(extent // steps, AxisType.LOOP)
        if steps == 1:
            return outer
        self.steps[self.fresh_range(steps, AxisType.LOOP)] = steps
        return add(multiply(outer, steps), next(reversed(self.steps)))

    def value(self, root: Point) -> UOp:
        """The scalar computed at a point; iterative, as graphs may be deep."""
        stack, entered = [root], set[Point]()
        while stack:
            point = stack[-1]
            if point in self.values:
                stack.pop()
                continue
            if point not in entered:
                needed = [each for each in self._needs(point) if each not in self.values]
                if point.node.op is not Op.INDEX or not needed:  # a gather needs its source next
                    entered.add(point)
                if needed:
                    stack.extend(reversed(needed))
                    continue
            stack.pop()
            self.values[point] = self._build(point)
            if self.most is not None and len(self.values) > self.most:
                raise TooManyCopiesError
        return self.values[root]

    def _needs(self, point: Point) -> Sequence[Point]:
        node = point.node
        if node in self.stored or node.op in AT_HAND or node.op is Op.PARAM or is_empty(node):
            return ()
        if node.op is Op.BUFFERIZE:
            return [self._formula(point)]
        if node.op is Op.REDUCE_AXIS and is_empty(node.src[0]):
            return ()
        if node.op in ALU:
            return [Point(source, point.indices, point.gate) for source in node.src]
        if node.op is Op.RECUR_AXIS:
            axis: int = node.arg[1][0]
            self._walk(point.indices, axis, (node.shape or ())[axis], point.gate)
            return [Point(source, point.indices, point.gate) for source in node.src]
        if node.op is Op.INDEX:
            positions = [Point(source, point.indices, point.gate) for source in node.src[1:]]
            if any(position not in self.values for position in positions):
                return positions
            return [*positions, self._gathered(point)]
        return [self._moved(point)]

    def _build(self, point: Point) -> UOp:
        node = point.node
        if is_empty(node):  # has no element, but a PAD around it may
            assert isinstance(node.dtype, DType)
            return UOp.const(node.dtype, 0)
        if node in self.stored:
            return self._load(point)
        if node.op in AT_HAND:
            return node
        if node.op is Op.BUFFERIZE:
            return self.values[self._formula(point)]
        if node.op in ALU:
            sources = tuple(self.values[Point(source, point.indices, point.gate)] for source in node.src)
            return chosen(*sources) if node.op is Op.WHERE else UOp(node.op, node.dtype, sources, node.arg)
        if node.op is Op.INDEX:
            gathered = self._gathered(point)
            return zero_outside(self.values[gathered], gathered.gate, point.gate)
        if node.op is Op.REDUCE_AXIS and is_empty(node.src[0]):
            assert isinstance(node.dtype, DType)
            return UOp.const(node.dtype, identity_element(node.arg[0], node.dtype))
        return self._recurrent(point) if node.op is Op.RECUR_AXIS else self._from_moved(point)

    def _from_moved(self, point: Point) -> UOp:
        """The scalar that a movement, a reduction or a scan makes of what it reads."""
        node = point.node
        moved = self._moved(point)
        inner = self.values[moved]
        if staged_parts(node):
            return self._staged_value(point, moved, inner)
        if node.op is Op.REDUCE_AXIS:
            return self._reduced(node, inner, moved)
        if node.op is Op.ARGREDUCE_AXIS:
            return _position(node, inner, moved)
        if node.op is Op.SCAN_AXIS:
            axes: tuple[int, ...] = node.arg[1]
            if self.walk is None or moved.indices[axes[0]] is ZERO:
                return inner
            return UOp(Op.SCAN, node.dtype, (inner, self.walk.along), (node.arg[0], False))
        if node.op is Op.PAD:
            return zero_outside(inner, framed(node.arg, node.src[0].shape or (), point.indices), point.gate)
        return inner

    def _formula(self, point: Point) -> Point:
        """The scalar formula of a comprehension at an element; it may read arrays. The indices of the element are values already."""
        if point not in self.moved:
            ranges = point.node.src[1:]
            for place in point.indices:
                self.values[Point(place, (), point.gate)] = place
            formula = avoid_capture(point.node.src[0], ranges).substitute(
                dict(zip(ranges, point.indices, strict=True))
            )
            self.moved[point] = Point(formula, (), point.gate)
        return self.moved[point]

    def _load(self, point: Point) -> UOp:
        node = point.node
        assert isinstance(node.dtype, DType)
        shape = node.shape or ()
        buffer = UOp.param(self.stored[node], prod(shape), node.dtype)
        gate = None if inside(point.indices, shape) is None else point.gate  # a load that is safe needs none
        return loaded(buffer, node.dtype, flatten_index(point.indices, shape), gate)

    def _moved(self, point: Point) -> Point:
        """The point of its source that a movement or reduction reads."""
        if point not in self.moved:
            self.moved[point] = self._move(point)
        return self.moved[point]

    def _move(self, point: Point) -> Point:
        node, (source, *_), indices, gate = point.node, point.node.src, point.indices, point.gate
        if staged_parts(node):
            return self._stage(node, indices)
        if node.op in AXES_REDUCED:
            return Point(source, self._with_reduced_axes(node, indices, gate), gate)
        if node.op is Op.SCAN_AXIS:
            axis: int = node.arg[1][0]
            self._walk(indices, axis, (source.shape or ())[axis], gate)
            return Point(source, indices, gate)
        if node.op not in MOVES:
            raise ScheduleError(
                f"{node!r} of shape {node.shape} cannot be turned into loops; lower it to array operations first"
            )
        return Point(source, *moved(node.op, node.arg, source.shape or (), (indices, gate)))

    def _stage(self, node: UOp, indices: Indices) -> Point:
        """The point that fills local memory, with loops of its own over the staged elements.

        Raises:
            NoKernelError: the loops around these are not all over outputs, or staged elements may be outside of the array or the window.
        """
        shape, staged = node.shape or (), self._staged_at(node, indices)
        around = beginnings(indices, staged, shape, self._is_outer)
        if (
            not is_inside(around, staged, shape)
            or not is_within_windows(indices, around, staged, shape)
            or any(bound not in self.outputs for place in around for bound in place.ranges)
        ):
            raise NoKernelError(f"{node!r} is read in loops that it cannot be staged in local memory for")
        if (node, around, staged) not in self.staged:
            own = list(around)
            for (axis, extent, _), planned in zip(staged, staged_parts(node), strict=True):
                loop = self.fresh_range(extent, AxisType.LOOP)
                own[axis] = add(own[axis], loop)
                self.longer[loop] = extent - planned.extent + 1
            self.staged[node, around, staged] = Point(node.src[0], tuple(own))
        return self.staged[node, around, staged]

    def _staged_at(self, node: UOp, indices: Indices) -> StagedParts:
        """The parts staged around an element.

        A window grows to serve all steps of a block, and all steps of longer loops that fill another window from it.
        """
        return grown(staged_parts(node), indices, self.steps | self.longer)

    def _staged_value(self, point: Point, stage: Point, value: UOp) -> UOp:
        """A load of a staged element from local memory."""
        node = point.node
        shape, staged = node.shape or (), self._staged_at(node, point.indices)
        loops = positions(stage.indices, staged, shape, self._is_outer)
        memory = UOp(Op.BUFFERIZE, node.dtype, (value, *loops))
        extents = tuple(part.extent for part in staged if shape[part.axis] > 1)
        flat = flatten_index(positions(point.indices, staged, shape, self._is_outer), extents)
        return loaded(memory, node.dtype, flat, point.gate)

    def _is_outer(self, loop: UOp) -> bool:
        """Whether a loop moves windows."""
        return loop in self.outputs and loop not in self.steps

    def _gathered(self, point: Point) -> Point:
        """The point that a gather reads, once its index arrays have values; gated unless bounds show that it is inside."""
        source, *positions = point.node.src
        indices = tuple(self.values[Point(position, point.indices, point.gate)] for position in positions)
        return Point(source, indices, inside(indices, source.shape or ()))

    def _with_reduced_axes(self, node: UOp, indices: Indices, gate: UOp | None) -> Indices:
        """The indices at which a reduction reads its source. Independent reductions over equal axes at one index share their loops."""
        shape = node.src[0].shape or ()
        axes: tuple[int, ...] = node.arg[1]
        extents = tuple(shape[axis] for axis in axes)
        key = (indices, gate, extents, tuple(sorted(axes)), self.depth[node])
        if key not in self.reduce_ranges:
            self.reduce_ranges[key] = tuple(self.fresh_range(extent, AxisType.REDUCE) for extent in extents)
        reduced = dict(zip(axes, self.reduce_ranges[key], strict=True))
        others = iter(indices)
        return tuple(reduced[axis] if axis in reduced else next(others) for axis in range(len(shape)))

    def _walk(self, indices: Indices, axis: int, extent: int, gate: UOp | None) -> None:
        """Decides which loop over outputs carries a value from each element along an axis to the next, beginning with the first element.

        Raises:
            ScanOrderError: it is no loop over outputs, another loop would be inside it, or the scan would not begin with its first element.
        """
        if indices[axis] is not ZERO:
            loop, backwards = loop_along(indices, axis, extent, gate, self.outputs, self.innermost)
            if self.walk is None:
                self.walk = Walk(loop, self.fresh_range(loop.src[0].arg, AxisType.SCAN), backwards)
            if (self.walk.loop, self.walk.backwards) != (loop, backwards):
                raise ScanOrderError("two scans run in different directions; store one first")

    def _recurrent(self, point: Point) -> UOp:
        """What a recurrence gives for an element; recurrences that differ only in what they give keep the same values."""
        packed, (axis,) = point.node.arg
        elements = tuple(self.values[Point(source, point.indices, point.gate)] for source in point.node.src)
        formulas = unpacked(packed)
        if self.walk is None or point.indices[axis] is ZERO:
            return formulas.at((*formulas.zeros, *elements)).result
        number = self.recurrences.setdefault((formulas.following, elements), len(self.recurrences))
        return recur(formulas, elements, self.walk.along, number)

    def require_walk_is_innermost(self, walk: Walk) -> None:
        """Rejects local memory that is filled in each step of a scan and read in loops that would have to be inside that step.

        Raises:
            ScanOrderError: there is such local memory.
        """
        for node, indices, _ in self.staged:
            around = frozenset[UOp]().union(*(place.ranges for place in indices))
            if walk.loop in around and not self.outputs <= around:
                raise ScanOrderError(f"{node!r} is staged for each step of a scan; store the scan first")

    def _reduced(self, node: UOp, value: UOp, moved: Point) -> UOp:
        op: Op = node.arg[0]
        axes: tuple[int, ...] = node.arg[1]
        ranges = tuple(moved.indices[axis] for axis in axes if moved.indices[axis].op is Op.RANGE)
        return UOp(Op.REDUCE, node.dtype, (value, *ranges), op) if ranges else from_zero(value, op)


def _position(node: UOp, value: UOp, moved: Point) -> UOp:
    """The position of the extreme of a value along a loop, as an ARGREDUCE over that loop."""
    op: Op = node.arg[0]
    axes: tuple[int, ...] = node.arg[1]
    place = moved.indices[axes[0]]
    assert isinstance(node.dtype, DType)
    if place is ZERO:
        return UOp.const(node.dtype, 0)
    return UOp(Op.ARGREDUCE, node.dtype, (value, place.cast(node.dtype), place), (op, 1))


def is_empty(node: UOp) -> bool:
    """Whether an array has no elements."""
    return 0 in (node.shape or ())


def lower(nodes: Sequence[UOp], buffers: Mapping[UOp, int], depth: Mapping[UOp, int], name: str,
          most: int | None = None, blocks: Mapping[int, int] | None = None) -> tuple[UOp, Lowering]:  # fmt: skip
    """The SINK of one kernel that computes `nodes`, all of one shape, and the state of its lowering.

    `buffers` numbers the array nodes that are in memory, including `nodes`; these numbers are the PARAM slots of the result. `blocks` maps the
    numbers of loops over outputs to the number of their steps that share a window in local memory.

    Raises:
        TooManyCopiesError: there would be more than `most` points.
        ScanOrderError: scans run along several axes, in another order than the outputs, or with other loops inside their own.
    """
    shape = nodes[0].shape or ()
    stored = {node: number for node, number in buffers.items() if node not in nodes}
    lowering = Lowering(stored, depth, most)
    indices = output_indices(shape, reshaped(nodes), lambda n: lowering.output_loop(n, blocks or {}))
    lowering.outputs = frozenset[UOp]().union(*(place.ranges for place in indices))
    ranges = sorted(lowering.outputs, key=lambda loop: loop.arg[0])
    lowering.innermost = ranges[-1] if ranges else None
    stores: list[UOp] = []
    for node in nodes:
        assert isinstance(node.dtype, DType)
        buffer = UOp.param(buffers[node], prod(shape), node.dtype)
        address = UOp(Op.INDEX, node.dtype, (buffer, flatten_index(indices, shape)))
        stores.append(UOp(Op.STORE, void, (address, lowering.value(Point(node, indices)), *ranges)))
    if lowering.walk is not None:
        lowering.require_walk_is_innermost(lowering.walk)
        stores = [lowering.walk.taken(each) for each in stores]
    return UOp.sink(*stores, arg=KernelInfo(name)), lowering
