"""Scalar formulas of the elements of arrays.

A function of arrays, which was called on stand-ins, is read element by element. Each element of a result becomes a formula whose leaves are
elements of the stand-ins, and of other arrays that the function reads. The first axes of all stand-ins, or their last ones, may be axes of a
*batch*: then an element reads only elements at its own place along these, and one formula holds for the whole batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import product
from math import prod
from typing import Any

from eqsat.dtype import DType
from eqsat.extents import capacities
from eqsat.ops import ALU, AXES_REDUCED, AxisType, Op, identity_element
from eqsat.schedule.lowering.local_memory import ZERO, Indices
from eqsat.schedule.lowering.movements import MOVES, moved
from eqsat.shape import Shape
from eqsat.uop import UOp, toposort
from eqsat.uop.recurrence import leaf

MOST = 512  # points of arrays that are read
Point = tuple[UOp, Indices]


class NoFormulasError(Exception):
    """The elements have no formulas of a moderate length, or not for a whole batch."""


class Formulas:
    """The formulas of elements, which are made when they are asked for.

    Attributes:
        shape: the extents of the batch.
        last: whether its axes are the last ones of each array, not the first ones.
        elements: the number of the leaf of the first element of each stand-in, whose others follow.
        count: the number of these leaves.
        captured: the elements of other arrays, each with the number of its leaf.
    """

    def __init__(self, stand_ins: Sequence[UOp], results: Sequence[UOp], shape: Shape, *, last: bool) -> None:
        self.shape, self.last = shape, last
        self._batch = tuple(
            ZERO if extent == 1 else UOp.range(extent, number, AxisType.LOOP)
            for number, extent in enumerate(capacities(shape))
        )
        self.elements: dict[UOp, int] = {}
        self.count = 0
        for each in stand_ins:
            self.elements[each] = self.count
            self.count += prod(self.apart(each.shape or ())[1])
        self.captured: dict[Point, int] = {}
        self._values: dict[Point, UOp] = {}
        self._varies = set(stand_ins)
        for node in toposort(results):
            if not self._varies.isdisjoint(node.src):
                self._varies.add(node)

    def apart(self, axes: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """What belongs to axes of the batch, and what belongs to the other axes of an array."""
        begin = len(axes) - len(self.shape) if self.last else len(self.shape)
        return (axes[begin:], axes[:begin]) if self.last else (axes[:begin], axes[begin:])

    def joined(self, batch: tuple[Any, ...], others: tuple[Any, ...]) -> tuple[Any, ...]:
        """What belongs to all axes of an array."""
        return (*others, *batch) if self.last else (*batch, *others)

    def of(self, result: UOp) -> list[UOp]:
        """The formula of each element of a result at one place of the batch.

        Raises:
            NoFormulasError: there are none.
        """
        batch, others = self.apart(result.shape or ())
        if batch != self.shape:
            raise NoFormulasError
        return [self._value((result, self.joined(self._batch, places))) for places in _places(others)]

    def arrays(self) -> list[UOp]:
        """The arrays of the batch that leaves after those of the stand-ins stand for."""
        return [self._of_batch(*point) for point in self.captured]

    def _of_batch(self, node: UOp, indices: Indices) -> UOp:
        """The elements of an array at these indices, for all places of the batch."""
        window = [
            (0, self.shape[self._batch.index(place)]) if place.op is Op.RANGE else (place.arg, place.arg + 1)
            for place in indices
        ]
        order = [self._batch.index(place) for place in indices if place.op is Op.RANGE]
        part = node.shrink(window).reshape([self.shape[axis] for axis in order])
        part = part.permute(sorted(range(len(order)), key=order.__getitem__))
        thin = [extent if axis in order else 1 for axis, extent in enumerate(self.shape)]
        return part.reshape(thin).expand(self.shape)

    def _value(self, root: Point) -> UOp:
        """The formula of one element; iterative, as graphs may be deep."""
        stack = [root]
        while stack:
            point = stack[-1]
            if point in self._values:
                stack.pop()
                continue
            needed = self._needs(point)
            missing = [each for each in needed if each not in self._values]
            if missing:
                stack += reversed(missing)
                continue
            stack.pop()
            self._values[point] = self._built(point, [self._values[each] for each in needed])
            if len(self._values) > MOST:
                raise NoFormulasError
        return self._values[root]

    def _needs(self, point: Point) -> list[Point]:
        node, indices = point
        if node not in self._varies or node in self.elements:
            return []
        if node.op in ALU:
            return [(source, indices) for source in node.src]
        source, shape = node.src[0], node.src[0].shape or ()
        if node.op in MOVES:
            places, gate = _moved(node, indices)
            if gate is not None and gate.op is not Op.CONST:
                raise NoFormulasError
            return [(source, places)] if gate is None or gate.arg else []
        if node.op in AXES_REDUCED:
            axes: tuple[int, ...] = node.arg[1]
            if prod(shape[axis] for axis in axes) > MOST:
                raise NoFormulasError
            return [
                (source, _inserted(indices, axes, places))
                for places in _places([shape[axis] for axis in axes])
            ]
        raise NoFormulasError

    def _built(self, point: Point, sources: list[UOp]) -> UOp:
        node, indices = point
        assert isinstance(node.dtype, DType)
        if node not in self._varies:
            return self._captured(point)
        if node in self.elements:
            return leaf(self.elements[node] + self._number(node, indices), node.dtype)
        if node.op in ALU:
            return UOp(node.op, node.dtype, tuple(sources), node.arg)
        if node.op is Op.ARGREDUCE_AXIS:
            return _position_of_extreme(node, sources)
        if node.op is Op.REDUCE_AXIS:
            op: Op = node.arg[0]
            if not sources:
                return UOp.const(node.dtype, identity_element(op, node.dtype))
            return reduce(lambda total, each: total.alu(op, each), sources)
        return sources[0] if sources else UOp.const(node.dtype, 0)

    def _number(self, node: UOp, indices: Indices) -> int:
        """The number of an element among those of a stand-in at one place of the batch."""
        own, rest = self.apart(indices)
        if own != self._batch or any(place.op is not Op.CONST for place in rest):
            raise NoFormulasError
        number = 0
        for place, extent in zip(rest, self.apart(node.shape or ())[1], strict=True):
            number = number * extent + place.arg
        return number

    def _captured(self, point: Point) -> UOp:
        """A constant, or the leaf of an element of an array that the function reads besides its arguments."""
        node, indices = point
        if (constant := _behind_movements(node)).op is Op.CONST:
            return constant
        assert isinstance(node.dtype, DType)
        varying = [place for place in indices if place.op is not Op.CONST]
        if len(set(varying)) < len(varying) or not set(varying) <= set(self._batch):
            raise NoFormulasError
        number = self.captured.setdefault((node, indices), self.count + len(self.captured))
        return leaf(number, node.dtype)


def _position_of_extreme(node: UOp, values: Sequence[UOp]) -> UOp:
    """The position of the first extreme among formulas; a NaN counts as extreme."""
    assert isinstance(node.dtype, DType)
    extreme, found = values[0], UOp.const(node.dtype, 0)
    for place, value in enumerate(values[1:], 1):
        is_beyond = extreme < value if node.arg[0] is Op.MAX else value < extreme
        if value.dtype.scalar.is_float:
            is_beyond = (is_beyond | value.alu(Op.CMPNE, value)) & extreme.alu(
                Op.CMPNE, extreme
            ).logical_not()
        found = is_beyond.where(UOp.const(node.dtype, place), found)
        extreme = is_beyond.where(value, extreme)
    return found


def _behind_movements(node: UOp) -> UOp:
    """The array whose elements movements without gaps move."""
    while node.op in MOVES and node.op is not Op.PAD:
        (node,) = node.src
    return node


def _moved(node: UOp, indices: Indices) -> tuple[Indices, UOp | None]:
    """The indices at which a movement reads its source, and the condition under which it does, if there is one."""
    arg = capacities(node.arg) if node.op is Op.RESHAPE else node.arg
    return moved(node.op, arg, capacities(node.src[0].shape or ()), (indices, None))


def _places(shape: Sequence[int]) -> list[Indices]:
    """The indices of all elements of a small array.

    Raises:
        NoFormulasError: it is large.
    """
    if prod(shape) > MOST:
        raise NoFormulasError
    return [tuple(map(UOp.extent, each)) for each in product(*map(range, shape))]


def _inserted(indices: Indices, axes: Sequence[int], places: Indices) -> Indices:
    """The indices with those of reduced axes among them."""
    reduced, others = dict(zip(axes, places, strict=True)), iter(indices)
    return tuple(
        reduced[axis] if axis in reduced else next(others) for axis in range(len(indices) + len(axes))
    )
