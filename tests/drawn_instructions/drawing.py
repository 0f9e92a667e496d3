"""Draws programs that have one result: no race, no access out of bounds, nothing read that nobody wrote.

Every work-item writes elements of its own. In local memory each writes its own elements, waits at a BARRIER, reads anybody's, and waits again;
this happens only where all items of a group are. Floats are small whole numbers, so that nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import numpy as np

from eqsat.dtype import AddrSpace, DType, PtrDType, bool_, float32, index, int32, void
from eqsat.ops import AxisType, Op
from eqsat.uop import UOp
from tests.drawn_instructions.listing import GoneError, Listing

OWN = 16  # elements that each work-item writes
READ = 40  # elements of each input
DEEPEST = 3
LARGEST = 99  # of floats
LANES = (2, 3, 4, 8, 16)


@dataclass(frozen=True)
class Drawn:
    """A program, and what it is run on."""

    linear: UOp
    buffers: tuple[np.ndarray, ...]


def drawn(seed: str, number: int) -> Drawn:
    """One program."""
    return _Drawing(Random(f"{seed}/{number}"), f"drawn_{number}").program()


def node(op: Op, dtype: DType | PtrDType, *src: UOp, arg: object = None) -> UOp:
    return UOp(op, dtype, src, arg)


def whole(value: int) -> UOp:
    return UOp.const(index, value)


class _Drawing:
    def __init__(self, random: Random, name: str) -> None:
        self.random, self.name = random, name
        self.listing = Listing()
        self.groups, self.items = random.choice((1, 2, 3)), random.choice((1, 2, 4))
        count = self.groups * self.items * OWN
        self.out = node(Op.DEFINE_GLOBAL, PtrDType(float32, AddrSpace.GLOBAL, count), arg=0)
        self.given = {
            dtype: node(Op.DEFINE_GLOBAL, PtrDType(dtype, AddrSpace.GLOBAL, READ), arg=slot)
            for slot, dtype in ((1, float32), (2, int32))
        }
        self.group = node(Op.SPECIAL, index, whole(self.groups), arg="gidx0")
        self.item = node(Op.SPECIAL, index, whole(self.items), arg="lid0")
        self.shared = node(Op.DEFINE_LOCAL, PtrDType(float32, AddrSpace.LOCAL, 2 * self.items), arg="shared")
        self.cells = node(Op.DEFINE_REG, PtrDType(float32, AddrSpace.REG, 4), arg=(4, 0))
        self.own = (self.group * self.items + self.item) * OWN
        self.pool: list[tuple[int, UOp]] = []  # values, with the depth of their block
        self.accumulators: list[tuple[int, UOp]] = []
        self.changed: dict[UOp, UOp] = {}  # the last store to each memory
        self.uniform = [True]  # of each open block: whether all items of a group are in it
        self.ranges, self.fresh = 0, 0

    def program(self) -> Drawn:
        for each in (
            self.out,
            *self.given.values(),
            self.item,
            self.group,
            self.own,
            self.shared,
            self.cells,
        ):
            self.keep(self.listing.put(each)) if each.dtype is index else self.listing.put(each)
        for place in range(OWN):
            self.store(self.out, self.own + place, self.number(float32))
        for place in range(4):
            self.store(self.cells, whole(place), self.number(float32))
        for _ in range(self.random.randint(4, 14)):
            self.statement()
        for _ in range(3):
            self.attempt(self.stored)
        data = np.random.default_rng(self.random.randrange(1 << 30))
        buffers = (
            np.zeros(self.groups * self.items * OWN, np.float32),
            data.integers(-8, 9, READ).astype(np.float32),
            data.integers(-50, 50, READ).astype(np.int32),
        )
        return Drawn(self.listing.linear(self.name), buffers)

    # statements

    def statement(self) -> None:
        choices: list[Callable[[], object]] = [
            self.computed, self.computed, self.read, self.read, self.stored, self.stored, self.looped, self.conditional, self.celled,
            self.assigned, self.wide, self.joined, *(self.looped, self.assigned, self.assigned) * bool(self.listing.depth),
        ]  # fmt: skip
        if all(self.uniform):
            choices += [self.exchanged, self.exchanged]
        self.attempt(self.random.choice(choices))

    def attempt(self, step: Callable[[], object]) -> None:
        """A step, unless what it has drawn cannot stand here."""
        depth = self.listing.depth
        try:
            step()
        except GoneError:
            assert self.listing.depth == depth, "blocks are closed whatever is in them"

    def computed(self) -> None:
        self.keep(self.listing.put(self.value(self.random.choice((float32, int32, index, bool_)), 2)))

    def read(self) -> None:
        dtype = self.random.choice((float32, int32))
        self.keep(self.listing.put(self.bounded(self.loaded(dtype))))

    def loaded(self, dtype: DType) -> UOp:
        """A LOAD of an input in one of the forms that there are."""
        base, place = self.given[dtype], self.value(index, 1)
        safe, other = place.alu(Op.FLOORMOD, whole(READ)), self.value(dtype, 0)
        gate, inside = self.value(bool_, 1), (place < READ) & (whole(-1) < place)
        address = node(Op.INDEX, dtype, base, safe)
        gated = node(Op.INDEX, dtype, base, place, inside)
        forms = [
            (address,), (base, address), (gated, other), (base, gated, other), (address, other, gate), (gated, other, gate),
            (node(Op.POINTER_INDEX, dtype, node(Op.INDEX, dtype, base, safe), whole(0)), other, gate),
        ]  # fmt: skip
        chosen = self.random.choice(forms)
        if all(self.uniform) and self.random.random() < 0.3:
            barrier = self.listing.put(node(Op.BARRIER, void))
            chosen = (*chosen, barrier)
        return node(Op.LOAD, dtype, *chosen)

    def wide(self) -> None:
        """A vector read, computed with, and written."""
        lanes = self.random.choice(LANES)
        dtype = float32.vec(lanes)
        place = self.value(index, 1).alu(Op.FLOORMOD, whole(READ - lanes + 1))
        address = node(Op.INDEX, float32, self.given[float32], place)
        vector = node(Op.LOAD, dtype, address)
        if self.random.random() < 0.5:
            otherwise = node(Op.VECTORIZE, dtype, *(self.value(float32, 0) for _ in range(lanes)))
            vector = node(Op.LOAD, dtype, address, otherwise, self.value(bool_, 1))
        made = vector.alu(
            self.random.choice((Op.ADD, Op.MAX, Op.SUB)),
            node(Op.VECTORIZE, dtype, *(self.value(float32, 0),) * lanes),
        )
        picked = [node(Op.GEP, float32, made, arg=(self.random.randrange(lanes),)) for _ in range(lanes)]
        shuffled = node(Op.VECTORIZE, dtype, *map(self.small, picked))
        self.keep(self.listing.put(self.small(picked[0])))
        self.store(self.out, self.own + self.random.randint(0, OWN - lanes), shuffled)

    def joined(self) -> None:
        """Addresses one after another, read or written at once."""
        lanes = self.random.choice((2, 4))
        dtype = float32.vec(lanes)
        start = self.random.randint(0, READ - lanes)
        places = [start + lane for lane in range(lanes)]
        if self.random.random() < 0.6:
            places = self.random.sample(range(READ), lanes)
        source = node(
            Op.PTRCAT,
            dtype,
            *(node(Op.INDEX, float32, self.given[float32], whole(place)) for place in places),
        )
        extra = (
            (node(Op.VECTORIZE, dtype, *(self.value(float32, 0),) * lanes), self.value(bool_, 1))
            if self.random.random() < 0.4
            else ()
        )
        vector = node(Op.LOAD, dtype, source, *extra)
        targets = self.random.sample(range(OWN), lanes)
        target = node(
            Op.PTRCAT, dtype, *(node(Op.INDEX, float32, self.out, self.own + place) for place in targets)
        )
        gates = (self.value(bool_, 1),) if self.random.random() < 0.4 else ()
        self.effect(self.out, node(Op.STORE, void, target, vector, *gates))

    def stored(self) -> None:
        """A store to an element of one's own; maybe gated, in one form or both."""
        place = self.own + self.random.randrange(OWN)
        gates = [self.value(bool_, 1) for _ in range(2)]
        inside, beside = (
            ((), ())
            if self.random.random() < 0.4
            else self.random.choice((((gates[0],), ()), ((), (gates[0],)), ((gates[0],), (gates[1],))))
        )
        address = node(Op.INDEX, float32, self.out, place, *inside)
        self.effect(self.out, node(Op.STORE, void, address, self.value(float32, 2), *beside))

    def celled(self) -> None:
        """A store to a register, and a load."""
        self.store(self.cells, self.value(index, 1).alu(Op.FLOORMOD, whole(4)), self.value(float32, 1))
        self.keep(self.listing.put(self.again(self.cells, self.value(index, 1).alu(Op.FLOORMOD, whole(4)))))

    def exchanged(self) -> None:
        """All items write to local memory, wait, read what others have written, and wait."""
        written = [self.listing.put(node(Op.STORE, void, node(Op.INDEX, float32, self.shared, self.item * 2 + half), self.value(float32, 1)))
                   for half in range(2)]  # fmt: skip
        bare = self.random.random() < 0.5
        barrier = self.listing.put(node(Op.BARRIER, void, *(() if bare else written)))
        place = self.value(index, 1).alu(Op.FLOORMOD, whole(2 * self.items))
        after = node(Op.AFTER, self.shared.dtype, self.shared, barrier, written[-1])
        self.keep(self.listing.put(node(Op.LOAD, float32, node(Op.INDEX, float32, after, place))))
        self.listing.put(node(Op.BARRIER, void))

    def assigned(self) -> None:
        """A value for an accumulator, of which there is a new one now and then."""
        if not self.accumulators or self.random.random() < 0.4:
            self.fresh += 1
            accumulator = node(Op.DEFINE_ACC, float32, self.value(float32, 1), arg=(self.fresh,))
            self.accumulators.append((self.listing.depth, self.listing.put(accumulator)))
            return
        accumulator = self.random.choice(self.accumulators)[1]
        assign = node(
            Op.ASSIGN, float32, accumulator, self.small(accumulator.alu(Op.ADD, self.value(float32, 1)))
        )
        self.keep(self.listing.put(assign))

    def looped(self) -> None:
        if self.listing.depth == DEEPEST:
            return
        self.ranges += 1
        extent, even = whole(self.random.randint(0, 4)), True
        if self.random.random() < 0.3:
            extent, even = self.value(index, 0).alu(Op.FLOORMOD, whole(4)), False
        if self.random.random() < 0.5:
            loop = node(
                Op.RANGE,
                index,
                extent,
                arg=(self.ranges, self.random.choice((AxisType.LOOP, AxisType.REDUCE))),
            )
        else:
            start = whole(self.random.randint(-2, 2))
            loop = node(Op.RANGE, index, start, start + extent, arg=self.ranges)
        self.listing.open(loop)
        self.inside(even, [loop])
        last = self.listing.last
        closing = (
            node(Op.END, void, last, loop) if self.random.random() < 0.5 else node(Op.ENDRANGE, void, loop)
        )
        self.closed(closing)

    def conditional(self) -> None:
        if self.listing.depth == DEEPEST:
            return
        barriers = (
            (self.listing.put(node(Op.BARRIER, void)),)
            if all(self.uniform) and self.random.random() < 0.3
            else ()
        )
        opened = node(Op.IF, void, self.value(bool_, 1), *barriers)
        self.listing.open(opened)
        self.inside(False, [])
        self.closed(node(Op.ENDIF, void, opened))

    def inside(self, even: bool, values: list[UOp]) -> None:
        self.uniform.append(even)
        for value in values:
            self.keep(value)
        for _ in range(self.random.randint(1, 4)):
            self.statement()

    def closed(self, closing: UOp) -> None:
        self.listing.close(closing)
        self.uniform.pop()
        depth = self.listing.depth
        self.pool = [each for each in self.pool if each[0] <= depth]
        self.accumulators = [each for each in self.accumulators if each[0] <= depth]

    # memory

    def store(self, memory: UOp, place: UOp, value: UOp) -> None:
        self.effect(memory, node(Op.STORE, void, node(Op.INDEX, float32, memory, place), value))

    def effect(self, memory: UOp, store: UOp) -> None:
        self.changed[memory] = self.listing.put(store)

    def again(self, memory: UOp, place: UOp) -> UOp:
        """What a memory holds after the last store to it."""
        after = node(Op.AFTER, memory.dtype, memory, self.changed[memory])
        return node(Op.LOAD, float32, node(Op.INDEX, float32, after, place))

    # values

    def keep(self, value: UOp) -> None:
        self.pool.append((self.listing.depth, value))

    def number(self, dtype: DType) -> UOp:
        match dtype.kind:
            case "f":
                return UOp.const(float32, float(self.random.randint(-9, 9)))
            case "b":
                return UOp.const(bool_, self.random.random() < 0.5)
            case _:
                return UOp.const(dtype, self.random.randint(-9, 9))

    def value(self, dtype: DType, depth: int) -> UOp:
        """An expression over the values there are."""
        if depth:
            return self.operation(dtype, depth - 1)
        known = [each for _, each in self.pool if each.dtype == dtype]
        if dtype is float32:
            known += [each for _, each in self.accumulators]
        return self.random.choice(known) if known and self.random.random() < 0.8 else self.number(dtype)

    def operation(self, dtype: DType, depth: int) -> UOp:
        first, second = self.value(dtype, depth), self.value(dtype, depth)
        if self.random.random() < 0.15:
            return self.value(bool_, depth).alu(Op.WHERE, first, second)
        match dtype.kind:
            case "f":
                if self.random.random() < 0.2:
                    return self.small(self.value(int32, depth).cast(float32))
                return self.small(
                    first.alu(self.random.choice((Op.ADD, Op.SUB, Op.MUL, Op.MAX, Op.MIN)), second)
                )
            case "b":
                other = self.random.choice((float32, int32, index))
                compared = self.value(other, depth).alu(
                    self.random.choice((Op.CMPLT, Op.CMPNE)), self.value(other, depth)
                )
                return self.random.choice(
                    (compared, first.alu(self.random.choice((Op.AND, Op.OR, Op.XOR)), second))
                )
            case "i":
                return first.alu(
                    self.random.choice(
                        (Op.ADD, Op.MUL, Op.XOR, Op.MIN, Op.FLOORDIV, Op.FLOORMOD, Op.IDIV, Op.SHR)
                    ),
                    second,
                )
            case _:
                return self.bounded(
                    first.alu(self.random.choice((Op.ADD, Op.SUB, Op.MAX, Op.MIN, Op.FLOORMOD)), second)
                )

    def bounded(self, value: UOp) -> UOp:
        """An index of moderate size; others as they are, floats small."""
        if value.dtype is index:
            return value.alu(Op.MAX, whole(-READ)).alu(Op.MIN, whole(2 * READ))
        return self.small(value) if value.dtype is float32 else value

    def small(self, value: UOp) -> UOp:
        return value.alu(Op.MAX, UOp.const(float32, -LARGEST)).alu(Op.MIN, UOp.const(float32, LARGEST))
