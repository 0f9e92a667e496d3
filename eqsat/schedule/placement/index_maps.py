"""Index maps: which element of an array a kernel needs, as expressions over the kernel's loops. Equal index maps have one number."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from math import prod

from eqsat.dtype import index
from eqsat.integers.conditions import conjuncts, sign_change
from eqsat.integers.linear import affine_forms
from eqsat.ops import AxisType, Op
from eqsat.schedule.lowering.index_arithmetic import add, flatten_index, inside
from eqsat.schedule.lowering.local_memory import ZERO, Indices, StagedParts, beginnings, part_of
from eqsat.schedule.lowering.movements import Position, moved
from eqsat.schedule.lowering.output_loops import output_indices
from eqsat.shape import Shape
from eqsat.uop import UOp

FIRST_REDUCE = 1000  # loops of reductions and fills are numbered from here on, output loops below


def _share(gate: UOp) -> float:
    """The fraction of iterations in which a gate holds; only comparisons of one loop variable with a constant are counted."""
    tests = [(each.src[0], False) if each.op is Op.CMPNE else (each, True) for each in conjuncts(gate)]
    tests = [(test, wanted) for test, wanted in tests if test.op is Op.CMPLT and test.src[0].dtype is index]
    forms = affine_forms(source for test, _ in tests for source in test.src)
    ends: dict[UOp, tuple[int, int]] = {}
    for test, wanted in tests:
        left, right = (forms[source] for source in test.src)
        form = left.plus(right, -1)
        if len(form.terms) != 1 or form.terms[0][0].op is not Op.RANGE:
            continue
        ((loop, factor),) = form.terms
        begin, end = ends.get(loop, (0, loop.src[0].arg))
        place = sign_change(factor, form.constant)
        ends[loop] = (begin, min(end, place)) if (factor > 0) == wanted else (max(begin, place), end)
    return prod(max(0, end - begin) / loop.src[0].arg for loop, (begin, end) in ends.items())


def is_outer(loop: UOp) -> bool:
    """Whether a loop is an output loop, by its number."""
    return loop.arg[0] < FIRST_REDUCE


class IndexMaps:
    """Numbers for index maps, and for the loops that they depend on.

    Loops have the same numbers in every kernel: one loop of each extent for each axis of an output, and one for each reduction at an index
    map. Sets of loops are bit masks.
    """

    def __init__(self) -> None:
        self.by_number: list[Position] = []
        self.loops: list[int] = []  # by index map, the loops that occur in its indices
        self.nests: list[int] = []  # by index map, these and the loops around them
        self.extents: list[int] = []  # by loop
        self._around: dict[int, int] = {}  # by loop of a reduction or a fill, the loops around it
        self._numbers: dict[Position, int] = {}
        self._loop: dict[UOp, int] = {}
        self._moved: dict[object, int] = {}
        self._touched: dict[tuple[int, Shape], int] = {}
        self._moving: dict[tuple[int, Shape], frozenset[tuple[UOp, int]]] = {}
        self._gathered: dict[UOp, bool] = {}
        self._trips: dict[int, int] = {}
        self._shares: dict[UOp, float] = {}
        self._filling = 0  # the loops that fill local memory

    def start(self, shape: Shape, others: Iterable[Shape] = ()) -> int:
        """The index map at which a kernel over this shape stores; `others` are shapes of arrays of as many elements that it may read."""
        numbers = count()
        return self.intern(
            output_indices(shape, others, lambda n: UOp.range(n, next(numbers)) if n > 1 else ZERO)
        )

    def intern(self, indices: Indices, gate: UOp | None = None) -> int:
        """The number of an index map."""
        position = indices, gate
        if position not in self._numbers:
            self._numbers[position] = len(self.by_number)
            self.by_number.append(position)
            loops = self._mask(each for index in indices for each in index.ranges)
            self.loops.append(loops)
            self.nests.append(loops)
            for loop, around in self._around.items():
                if loops & loop:
                    self.nests[-1] |= around
        return self._numbers[position]

    def _mask(self, loops: Iterable[UOp]) -> int:
        mask = 0
        for loop in loops:
            if loop not in self._loop:
                self._loop[loop] = len(self.extents)
                self.extents.append(loop.src[0].arg)
            mask |= 1 << self._loop[loop]
        return mask

    def trips(self, loops: int) -> int:
        """The trip count of a nest of loops: the product of their extents."""
        if loops not in self._trips:
            self._trips[loops] = prod(n for loop, n in enumerate(self.extents) if loops >> loop & 1)
        return self._trips[loops]

    def trips_of(self, loops: int, nest: int, shared: int) -> int:
        """A lower bound of how often a nest computes a value that depends on `loops`, if up to `shared` iterations reuse it."""
        return max(self.trips(loops), self.trips(nest) // shared)

    def share(self, at: int) -> float:
        """The least share of its iterations in which an index map is needed: each loop is between the numbers with which the gate compares it."""
        gate = self.by_number[at][1]
        if gate is None:
            return 1.0
        if gate not in self._shares:
            self._shares[gate] = _share(gate)
        return self._shares[gate]

    def moved(self, op: Op, arg: object, source: Shape, at: int) -> int:
        """The index map of a movement's operand, of shape `source`, for the element of its result at `at`."""
        key = op, arg, source, at
        if key not in self._moved:
            self._moved[key] = self.intern(*moved(op, arg, source, self.by_number[at]))
        return self._moved[key]

    def reduced(self, axes: tuple[int, ...], source: Shape, at: int) -> tuple[int, int]:
        """The index map at which a reduction at `at` reads its operand, and its loops; reductions along equal axes have the same loops."""
        indices, gate = self.by_number[at]
        key = "reduced", tuple(source[axis] for axis in axes), tuple(sorted(axes)), len(source), at
        if key not in self._moved:
            own = {axis: self._fresh(source[axis]) if source[axis] > 1 else ZERO for axis in axes}
            others = iter(indices)
            place = tuple(own[axis] if axis in own else next(others) for axis in range(len(source)))
            for loop in own.values():
                if loop.op is Op.RANGE:
                    self._around[self._mask([loop])] = self.nests[at]
            self._moved[key] = self.intern(place, gate)
        inner = self._moved[key]
        place = self.by_number[inner][0]
        return inner, self._mask(place[axis] for axis in axes if place[axis].op is Op.RANGE)

    def scattered(self, axes: tuple[int, ...], source: Shape, at: int) -> tuple[int, int]:
        """The index map at which a scatter to any position reads its operands, and its loops."""
        axis, *reduced = axes
        indices, gate = self.by_number[at]
        place = axis - sum(each < axis for each in reduced)
        anywhere = (*indices[:place], ZERO, *indices[place + 1 :])
        return self.reduced(tuple(reduced), source, self.intern(anywhere, gate))

    def is_reduced(self, place: UOp) -> bool:
        """Whether an index varies with a loop of a reduction, or with one that fills local memory."""
        return any(not is_outer(loop) for loop in place.ranges)

    def is_gathered(self, place: UOp) -> bool:
        """Whether an index is computed from loaded values."""
        if place not in self._gathered:
            self._gathered[place] = any(node.op is Op.LOAD for node in place.toposort())
        return self._gathered[place]

    def is_filled(self, at: int) -> bool:
        """Whether elements at an index map are only computed to fill local memory with them, or with values that depend on them."""
        return bool(self.nests[at] & self._filling)

    def parts_of(self, place: UOp, extent: int) -> int:
        """How many elements of an axis the loops of reductions walk in each iteration of the output loops; all if they do not walk it in parts."""
        inner = [loop for loop in place.ranges if not is_outer(loop)]
        return part_of(place, inner, extent)

    def around(self, staged: StagedParts, source: Shape, at: int) -> int:
        """The index map of the first element of an array of this shape that is staged together with the one at `at`."""
        return self.intern(beginnings(self.by_number[at][0], staged, source, is_outer))

    def filled(self, staged: StagedParts, source: Shape, at: int, number: int) -> int:
        """The index map of all elements that are staged together with the one at `at`, over new loops for the fill of this number."""
        around = self.around(staged, source, at)
        key = "filled", staged, source, around, number
        if key not in self._moved:
            own = {axis: self._fresh(extent) for axis, extent, _ in staged}
            self._filling |= self._mask(own.values())
            for loop in own.values():
                self._around[self._mask([loop])] = self.nests[around]
            first = self.by_number[around][0]
            place = (add(index, own[axis]) if axis in own else index for axis, index in enumerate(first))
            self._moved[key] = self.intern(tuple(place))
        return self._moved[key]

    def _fresh(self, extent: int) -> UOp:
        loop = UOp.range(extent, FIRST_REDUCE + len(self.extents), AxisType.REDUCE)
        self._mask([loop])
        return loop

    def gathered(self, places: Iterable[UOp], source: Shape) -> int:
        """The index map of an array of this shape at indices that are computed values."""
        indices = tuple(places)
        return self.intern(indices, inside(indices, source))

    def touched(self, at: int, shape: Shape) -> int:
        """The least number of elements of an array of this shape that are accessed at `at`, all loops together."""
        if (at, shape) not in self._touched:
            steps: dict[int, int] = {}
            for atom, stride in self.moving(at, shape):
                if atom.op is Op.RANGE:
                    steps[abs(stride)] = steps.get(abs(stride), 0) + atom.src[0].arg - 1
            self._touched[at, shape] = prod(most + 1 for most in steps.values())
        return self._touched[at, shape]

    def moving(self, at: int, shape: Shape) -> frozenset[tuple[UOp, int]]:
        """What moves the place of `at` in an array of this shape, each with the elements of a step: the same for maps at a constant offset."""
        if (at, shape) not in self._moving:
            flat = flatten_index(self.by_number[at][0], shape)
            self._moving[at, shape] = frozenset(affine_forms([flat])[flat].terms)
        return self._moving[at, shape]
