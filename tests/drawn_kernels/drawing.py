"""Draws kernels that have one result: no race, no access out of bounds, nothing without a value, and no float that is rounded.

The results of a kernel lie along its outer ranges, in an order that is drawn. Floats are small whole numbers, so that sums may be taken in any order.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from math import prod
from random import Random

import numpy as np

from eqsat.dtype import (
    AddrSpace,
    DType,
    bool_,
    index,
    int32,
    void,
)
from eqsat.integers.bounds import bounds
from eqsat.ops import AxisType, BufferizeOpts, KernelInfo, Op
from eqsat.uop import UOp
from tests.drawn_kernels.contents import FLOATS, INTEGERS, LARGEST, READ, content, reductions

WIDTHS = (2, 3, 4, 4, 8, 8, 16)  # of vectors
MOST_POINTS = 3000  # of the ranges of a kernel, which bounds how long the interpreter takes
GLOBAL, LOCAL, LOOP, UNROLL, UPCAST, REDUCE, SCAN = (
    AxisType.GLOBAL, AxisType.LOCAL, AxisType.LOOP, AxisType.UNROLL, AxisType.UPCAST, AxisType.REDUCE, AxisType.SCAN,
)  # fmt: skip


_IN_ORDER = (REDUCE, AxisType.GROUP_REDUCE, AxisType.WARP)


@dataclass(frozen=True)
class Drawn:
    """A kernel, and what its inputs hold, by slot."""

    sink: UOp
    inputs: dict[int, np.ndarray]


def drawn(seed: str, number: int) -> Drawn:
    """One kernel."""
    return _Drawing(Random(f"{seed}/{number}"), f"drawn_{number}").kernel()


class _Drawing:
    def __init__(self, random: Random, name: str) -> None:
        self.random, self.name = random, name
        self.combining = Random(name)
        self.numbers = count()
        self.inputs: dict[DType, UOp] = {}
        self.kept: list[UOp] = []  # local memory, along the LOCAL ranges
        self.points = 1

    def kernel(self) -> Drawn:
        outer = self.outer()
        self.items = tuple(bound for bound in outer if bound.arg[1] is LOCAL)
        self.shared = bool(self.items) or self.random.random() < 0.25  # whether groups may share reductions
        self.carries = [bound for bound in outer if bound.arg[1] is SCAN]
        stores = [self.stored(slot, outer) for slot in range(self.random.choice((1, 1, 2)))]
        if self.random.random() < 0.15:
            stores = [UOp(Op.GROUP, void, tuple(stores))]
        data = np.random.default_rng(self.random.randrange(1 << 30))
        inputs = {each.arg[0]: content(dtype, data) for dtype, each in self.inputs.items()}
        chains, group = self.random.choice((1, 2, 8)), self.random.choice((1, 1, 4))
        streams = self.random.random() < 0.2
        return Drawn(UOp.sink(*stores, arg=KernelInfo(self.name, chains, group, streams)), inputs)

    # ranges

    def outer(self) -> list[UOp]:
        """The ranges that results lie along, as an outermost loop first."""
        chosen = [GLOBAL] * self.random.choice((1, 1, 2, 2, 3, 4))
        chosen += [LOCAL] * self.random.choice((0, 0, 0, 1, 2))
        chosen += [LOOP] * self.random.choice((0, 0, 1))
        if self.random.random() < 0.2:
            chosen.append(SCAN)
        chosen += [UNROLL] * self.random.choice((0, 0, 1, 1, 2))
        chosen += [UPCAST] * (self.random.random() < 0.65)
        return [self.range(axis) for axis in chosen]

    def range(self, axis: AxisType) -> UOp:
        match axis:
            case AxisType.UPCAST:
                extent = self.random.choice(WIDTHS)
            case AxisType.UNROLL:
                extent = self.random.choice((2, 3, 4, 4, 8))
            case AxisType.GROUP_REDUCE | AxisType.WARP:
                extent = self.random.choice((2, 3, 4, 8, 12, 16))
            case _:
                extent = self.random.choice((1, 2, 2, 3, 4))
        while self.points * extent > MOST_POINTS and extent > 2:
            extent = 2
        self.points *= extent
        return UOp.range(extent, next(self.numbers), axis)

    # statements

    def stored(self, slot: int, outer: list[UOp]) -> UOp:
        """A store of all results along the ranges, or along some, with a gate or without; some combine their results over the loops."""
        along = [
            each for each in outer if slot == 0 or each.arg[1] is not GLOBAL or self.random.random() < 0.7
        ]
        dtype = self.dtype()
        order = list(along)
        self.random.shuffle(order)
        op, serial = None, [each for each in along if each.arg[1] in (LOOP, SCAN)]
        if serial and self.combining.random() < 0.3:  # in all iterations at one place
            op = self.combining.choice(reductions(dtype, prod(each.src[0].arg for each in serial)))
            order = [each for each in order if each not in serial]
        lanes = [each for each in order if each.arg[1] is UPCAST]
        if lanes and self.random.random() < 0.6:  # contiguous
            order = [each for each in order if each not in lanes] + lanes
        place, size = UOp.const(index, 0), 1
        for bound in reversed(order):
            extent = bound.src[0].arg
            step = (extent - 1) + bound * -1 if self.random.random() < 0.15 else bound
            place, size = place + step * size, size * extent
        spread = self.random.choice((1, 1, 1, 1, 2, 3))
        place = place * spread + self.random.randrange(spread) if spread > 1 else place
        gates = (self.gate(along),) if self.random.random() < 0.25 else ()
        buffer = UOp.param(slot, size * spread, dtype)
        varying = along
        if op is not None and self.combining.random() < 0.3:
            varying = [each for each in along if each.arg[1] is not LOOP]
        value = self.value(dtype, self.random.choice((1, 2, 3)), varying)
        statement = (UOp(Op.INDEX, dtype, (buffer, place, *gates)), value)
        if self.random.random() < 0.15:
            return UOp(Op.END, void, (UOp(Op.STORE, void, statement, op), *along))
        return UOp(Op.STORE, void, (*statement, *along), op)

    # values: of a dtype, so deep, that vary with these ranges

    def dtype(self) -> DType:
        return self.random.choice(self.random.choice((FLOATS, FLOATS, INTEGERS, INTEGERS, (bool_,))))

    def value(self, dtype: DType, depth: int, scope: list[UOp]) -> UOp:
        if depth == 0:
            return self.leaf(dtype, scope)
        draw = self.random.random()
        if draw < 0.22:
            return self.reduced(dtype, depth, scope)
        if draw < 0.30 and self.carries and all(each in scope for each in self.carries):
            return self.scanned(dtype, depth, scope)
        if draw < 0.38 and self.items and all(each in scope for each in self.items):
            return self.exchanged(dtype, scope)
        if draw < 0.43:
            return self.private(dtype, scope)
        if draw < 0.53:
            condition = self.value(bool_, depth - 1, scope)
            branches = (self.value(dtype, depth - 1, scope) for _ in range(2))
            return condition.where(*branches)
        if draw < 0.62:
            return self.converted(dtype, depth, scope)
        if dtype.is_bool:
            return self.truth(depth, scope)
        return (
            self.whole(dtype, depth, scope) if dtype.is_int else self.small(self.float(dtype, depth, scope))
        )

    def leaf(self, dtype: DType, scope: list[UOp]) -> UOp:
        draw = self.random.random()
        if draw < 0.15:
            return UOp.const(dtype, self.random.randrange(2) if dtype.is_bool else self.random.randint(0, 3))
        if draw < 0.25 and scope and not dtype.is_bool:
            return (self.random.choice(scope) + 1).cast(dtype)
        return self.loaded(dtype, scope)

    def small(self, value: UOp) -> UOp:
        """A float no larger than others."""
        least, most = (UOp.const(value.dtype, each) for each in (-LARGEST, LARGEST))
        return value.alu(Op.MAX, least).alu(Op.MIN, most)

    def float(self, dtype: DType, depth: int, scope: list[UOp]) -> UOp:
        def operand() -> UOp:
            return self.value(dtype, depth - 1, scope)

        match self.random.choice("+-*^v!/f√"):
            case "+":
                return operand() + operand()
            case "-":
                return operand().alu(Op.SUB, operand())
            case "*":
                return operand() * operand()
            case "^":
                return operand().alu(Op.MAX, operand())
            case "v":
                return operand().alu(Op.MIN, operand())
            case "!":
                return operand().alu(Op.NEG)
            case "/":
                return (operand() * 4.0).alu(Op.FDIV, UOp.const(dtype, self.random.choice((1.0, -2.0, 4.0))))
            case "√":
                square = operand()
                return (square * square).alu(Op.SQRT)
            case _:
                return operand().alu(Op.MULACC, operand(), operand())

    def whole(self, dtype: DType, depth: int, scope: list[UOp]) -> UOp:
        """An operation on integers, which wrap."""

        def operand() -> UOp:
            return self.value(dtype, depth - 1, scope)

        op = self.random.choice(
            (Op.ADD, Op.SUB, Op.MUL, Op.AND, Op.OR, Op.XOR, Op.MAX, Op.MIN, Op.NEG, Op.SHL, Op.SHR, Op.MULACC,
             Op.IDIV, Op.MOD, Op.FLOORDIV, Op.FLOORMOD)
        )  # fmt: skip
        if op is Op.NEG:
            return operand().alu(op)
        if op is Op.MULACC:
            return operand().alu(op, operand(), operand())
        if op in (Op.SHL, Op.SHR):
            amount = UOp.const(dtype, self.random.randint(0, 7))
            if self.random.random() < 0.5:
                amount = operand().alu(Op.AND, UOp.const(dtype, 7))
            return operand().alu(op, amount)
        if op in (Op.IDIV, Op.MOD, Op.FLOORDIV, Op.FLOORMOD):
            divisor = UOp.const(dtype, self.random.choice((1, 2, 3, 4, 7, 8)))
            if self.random.random() < 0.4:
                divisor = operand().alu(Op.AND, UOp.const(dtype, 3)) + 1
            elif dtype.is_signed and self.random.random() < 0.3:
                divisor = UOp.const(dtype, self.random.choice((-2, -3)))
            return operand().alu(op, divisor)
        return operand().alu(op, operand())

    def between(self, value: UOp) -> UOp:
        """A condition that a value lies between two numbers, or nowhere."""
        least, end = sorted(self.random.choices((0, 0, 1, 2, 3, 5, 9), k=2))
        low, high = value >= least, value < end
        return low & high if self.random.random() < 0.7 else high & low

    def truth(self, depth: int, scope: list[UOp]) -> UOp:
        draw = self.random.random()
        if draw < 0.15:
            dtype = self.random.choice((*FLOATS, *INTEGERS, index))
            return self.between(
                self.position(scope) if dtype is index else self.value(dtype, depth - 1, scope)
            )
        if draw < 0.5:
            dtype = self.random.choice((*FLOATS, *INTEGERS, index, index, index))
            left, right = (
                self.position(scope) if dtype is index else self.value(dtype, depth - 1, scope)
                for _ in range(2)
            )
            return left.alu(self.random.choice((Op.CMPLT, Op.CMPLT, Op.CMPNE)), right)
        if draw < 0.65:
            return self.value(bool_, depth - 1, scope).logical_not()
        op = self.random.choice(
            (Op.AND, Op.OR, Op.XOR, Op.CMPNE, Op.CMPLT, Op.ADD, Op.SUB, Op.MUL, Op.MAX, Op.MIN, Op.POW, Op.MULACC, Op.NEG)
        )  # fmt: skip
        others = {Op.NEG: 0, Op.MULACC: 2}.get(op, 1)
        return self.value(bool_, depth - 1, scope).alu(
            op, *(self.value(bool_, depth - 1, scope) for _ in range(others))
        )

    def converted(self, dtype: DType, depth: int, scope: list[UOp]) -> UOp:
        """A value of another dtype; integers wrap, and floats fit into every dtype."""
        other = self.dtype()
        if dtype.is_float and other.is_int:
            return self.value(other, depth - 1, scope).alu(Op.AND, UOp.const(other, 7)).cast(dtype)
        given = self.value(other, depth - 1, scope)
        if other.is_float and dtype.is_int:
            return self.small(given).alu(Op.MAX, UOp.const(other, 0)).cast(dtype)
        if other.is_int and dtype.is_int and other.bits == dtype.bits and self.random.random() < 0.5:
            return given.bitcast(dtype)
        return given.cast(dtype)

    # indices and memory

    def position(self, scope: list[UOp]) -> UOp:
        """A sum of multiples of ranges, maybe divided."""
        chosen = self.random.sample(scope, min(len(scope), self.random.choice((1, 2, 2, 3))))
        place = UOp.const(index, self.random.randint(-2, 3))
        for bound in chosen:
            place = bound * self.random.choice((1, 1, 1, 1, 2, 3, 4, 8, -1, -2)) + place
        if self.random.random() < 0.15:
            op = self.random.choice((Op.FLOORDIV, Op.FLOORMOD))
            place = place.alu(op, UOp.const(index, self.random.choice((2, 3, 4))))
        return place

    def gate(self, scope: list[UOp]) -> UOp:
        """A condition on positions."""
        if self.random.random() < 0.15:
            return self.between(self.position(scope))
        found = self.position(scope) < self.random.randint(0, 12)
        if self.random.random() < 0.4:
            found = found & (self.position(scope) >= self.random.randint(-2, 4))
        if self.random.random() < 0.2:
            found = found.logical_not()
        return found

    def loaded(self, dtype: DType, scope: list[UOp]) -> UOp:
        """An element of the input of this dtype: always inside, or under a gate."""
        buffer = self.inputs.setdefault(dtype, UOp.param(2 + len(self.inputs), READ, dtype))
        place = self.position(scope)
        draw = self.random.random()
        if draw < 0.3:
            inside = (place >= 0) & (place < READ)
            if self.random.random() < 0.3:
                inside = inside & self.gate(scope)
            other = self.leaf(dtype, scope) if self.random.random() < 0.3 else UOp.const(dtype, 1)
            return UOp(Op.LOAD, dtype, (UOp(Op.INDEX, dtype, (buffer, place, inside)), other))
        least, most = bounds(place)
        if draw < 0.9 and most - least < READ:
            place = place + (self.random.randint(0, READ - 1 - (most - least)) - least)
        elif self.random.random() < 0.3:
            place = place.alu(Op.MAX, UOp.const(index, 0)).alu(Op.MIN, UOp.const(index, READ - 1))
        else:
            place = place.alu(Op.FLOORMOD, UOp.const(index, READ))
        return UOp(Op.LOAD, dtype, (UOp(Op.INDEX, dtype, (buffer, place)),))

    def exchanged(self, dtype: DType, scope: list[UOp]) -> UOp:
        """What another item of the group has kept in local memory."""
        around = [each for each in scope if each.arg[1] is GLOBAL]
        own = (
            self.value(dtype, 1, [*around, *self.items])
            if self.random.random() < 0.5
            else self.loaded(dtype, [*around, *self.items])
        )
        kept = UOp(Op.BUFFERIZE, dtype, (own, *self.items), BufferizeOpts(space=AddrSpace.LOCAL))
        places = [
            (each.src[0].arg - 1) + each * -1 if self.random.random() < 0.7 else each for each in self.items
        ]
        return UOp(Op.LOAD, dtype, (UOp(Op.INDEX, dtype, (kept, *places)),))

    def private(self, dtype: DType, scope: list[UOp]) -> UOp:
        """An element of what a work-item has kept for itself: in registers, or in local memory if it is alone in its group."""
        own = [
            self.range(self.random.choice((LOOP, LOOP, UNROLL))) for _ in range(self.random.choice((1, 1, 2)))
        ]
        around = [each for each in scope if each.arg[1] in (GLOBAL, LOCAL)]
        value = self.value(dtype, self.random.choice((0, 1)), [*around, *own])
        alone = not self.items and not self.shared and self.random.random() < 0.5
        space = AddrSpace.LOCAL if alone else AddrSpace.REG
        kept = UOp(Op.BUFFERIZE, dtype, (value, *own), BufferizeOpts(space=space))
        places: list[UOp] = []
        for bound in own:
            end = bound.src[0].arg
            inside = [each for each in scope if each.src[0].arg <= end]
            if inside and self.random.random() < 0.7:
                places.append((end - 1) + self.random.choice(inside) * -1)
            else:
                places.append(UOp.const(index, self.random.randrange(end)))
        return UOp(Op.LOAD, dtype, (UOp(Op.INDEX, dtype, (kept, *places)),))

    # reductions and scans

    def reduced(self, dtype: DType, depth: int, scope: list[UOp]) -> UOp:
        """A reduction over ranges of its own; lanes that it reduces are no lanes of results."""
        axes = [REDUCE] * self.random.choice((0, 1, 1, 2)) + [UNROLL] * self.random.choice((0, 0, 1))
        lanes = self.random.random() < 0.4
        if lanes:
            axes.append(UPCAST)
            scope = [each for each in scope if each.arg[1] is not UPCAST]
        if self.shared and self.random.random() < 0.6:
            axes.append(self.random.choice((AxisType.GROUP_REDUCE, AxisType.GROUP_REDUCE, AxisType.WARP)))
        own = [self.range(axis) for axis in axes or [REDUCE]]
        value = self.value(dtype, depth - 1, [*scope, *own])
        if not dtype.is_bool and self.random.random() < 0.25:
            return self.extreme(value, own)
        op = self.random.choice(reductions(dtype, prod(each.src[0].arg for each in own)))
        total = UOp(Op.REDUCE, dtype, (value, *own), op)
        return self.small(total) if dtype.is_float else total

    def extreme(self, value: UOp, own: list[UOp]) -> UOp:
        """The greatest or least value, or where it stands first."""
        place: UOp = own[0]
        for bound in own[1:]:
            place = place * bound.src[0].arg + bound
        dtype, op = value.dtype, self.random.choice((Op.MAX, Op.MIN))
        assert isinstance(dtype, DType)
        if self.random.random() < 0.5:
            return UOp(Op.ARGREDUCE, dtype, (value, place.cast(int32), *own), (op, 0))
        found = UOp(Op.ARGREDUCE, int32, (value, place.cast(int32), *own), (op, 1))
        return found.alu(Op.AND, UOp.const(int32, 7)).cast(dtype)

    def scanned(self, dtype: DType, depth: int, scope: list[UOp]) -> UOp:
        """What was combined along the range that carries values, in no loop of a reduction."""
        outside = [each for each in scope if each.arg[1] not in _IN_ORDER]
        value = self.value(dtype, depth - 1, outside)
        op = self.random.choice(reductions(dtype, prod(each.src[0].arg for each in self.carries)))
        found = UOp(Op.SCAN, dtype, (value, *self.carries), (op, self.random.random() < 0.4))
        return self.small(found) if dtype.is_float else found
