"""Array graphs drawn at random as backward passes and einsum networks make them: movements, reductions and shared values by turns.

The same number draws the same graph on every machine. Values are integers that wrap, so that every schedule has to give the very same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from random import Random

from eqsat.dtype import DType, int32
from eqsat.machine import Machine
from eqsat.ops import Op
from eqsat.shape import Shape
from eqsat.uop import UOp

LARGEST = 2048  # elements of a value
SUMMED = 32_768  # elements that one reduction reads
LAUNCHES = 10e-6, 1e-7, 1e-9  # seconds; where a launch costs less, more is stored and there are more kernels
STEPS = 6, 22
OUTPUTS = 3
EXTENTS = (1, 2, 3, 4, 5, 6, 8, 12, 16), (1, 2, 4, 8, 16), (1, 2, 4, 16, 32)  # of one network


class Network:
    """Values of one dtype, each made of those before."""

    dtype: DType = int32
    every_extents = EXTENTS

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.extents = self.chance.choice(self.every_extents)
        self.values: list[UOp] = []
        self.inputs = 0
        for _ in range(self.chance.randint(1, 3)):
            self.values.append(self.input(self.shape(LARGEST)))

    def graph(self) -> UOp:
        """The last value and some of the others."""
        steps = self.steps()
        for _ in range(self.chance.randint(*STEPS)):
            self.values.append(self.chance.choice(steps)())
        others = self.chance.sample(self.values, self.chance.randint(0, OUTPUTS - 1))
        return UOp.sink(self.values[-1], *others)

    def steps(self) -> tuple[Callable[[], UOp], ...]:
        """What values are made by, the usual ones several times."""
        return (
            self.contract, self.contract, self.reduce, self.reduce, self.combine, self.combine, self.permute, self.permute,
            self.reshape, self.heads, self.heads, self.pad, self.shrink, self.flip, self.expand, self.function, self.stencil,
        )  # fmt: skip

    def input(self, shape: Shape) -> UOp:
        """An array that the caller gives."""
        self.inputs += 1
        return UOp.param(self.inputs - 1, prod(shape), self.dtype).reshape(shape)

    def any(self) -> UOp:
        """One of the values, the later the likelier."""
        return self.values[-1 - self.chance.randrange(len(self.values)) // self.chance.randint(1, 4)]

    def shape(self, most: int) -> Shape:
        """One to four axes, `most` elements at most."""
        extents: list[int] = []
        for _ in range(self.chance.randint(1, 4)):
            extents.append(
                self.chance.choice([extent for extent in self.extents if extent * prod(extents) <= most])
            )
        return tuple(extents)

    def factored(self, size: int) -> Shape:
        """Axes with this many elements."""
        extents: list[int] = []
        while size > 1 and len(extents) < 4:
            divisor = self.chance.choice([number for number in range(2, size + 1) if size % number == 0])
            extents.append(divisor)
            size //= divisor
        extents.append(size)
        self.chance.shuffle(extents)
        return tuple(extents)

    def fitted(self, value: UOp, shape: Shape) -> UOp:
        """A value brought to a shape: a view of it, a part of it, or it and zeros or copies around it."""
        size, wanted = size_of(value), prod(shape)
        flat = value.reshape((size,))
        if size > wanted:
            begin = self.chance.randint(0, size - wanted)
            flat = flat.shrink(((begin, begin + wanted),))
        elif size < wanted and self.chance.random() < 0.5:
            before = self.chance.randint(0, wanted - size)
            flat = flat.pad(((before, wanted - size - before),))
        elif size < wanted:
            copies = -(-wanted // size)
            repeated = flat.reshape((1, size)).expand((copies, size)).reshape((copies * size,))
            flat = repeated.shrink(((0, wanted),))
        return flat.reshape(shape)

    def contract(self) -> UOp:
        """A batch of matrix products; the second factor new or computed, plain or packed in panels, the result in some order of axes."""
        value = self.any()
        batch, rows, inner = self._matrices(size_of(value))
        fitting = [
            extent
            for extent in self.extents
            if batch * rows * inner * extent <= SUMMED and batch * rows * extent <= LARGEST
        ]
        columns = self.chance.choice(fitting or [1])
        left = self.fitted(value, (batch, rows, inner))
        weights = self._weights(batch, inner, columns)
        shape = (batch, rows, inner, columns)
        products = left.reshape((batch, rows, inner, 1)).expand(shape) * weights.reshape(
            (batch, 1, inner, columns)
        ).expand(shape)
        return self._turned(products.reduce_axis(Op.ADD, (2,)))

    def _matrices(self, size: int) -> tuple[int, int, int]:
        """A batch of matrices that has about this many elements."""
        batch = self.chance.choice([number for number in (1, 1, 2, 4) if number <= size])
        rows = self.chance.choice([number for number in self.extents if number * batch <= size])
        return batch, rows, min(64, max(1, size // (batch * rows)))

    def _weights(self, batch: int, inner: int, columns: int) -> UOp:
        panel = self.chance.choice([size for size in range(1, columns + 1) if columns % size == 0])
        kind = self.chance.random()
        if kind < 0.4:
            return self.fitted(self.any(), (batch, inner, columns))
        if kind < 0.6:
            return self.input((batch, inner, columns))
        packed = self.input((batch, columns // panel, inner, panel))
        return packed.permute((0, 2, 1, 3)).reshape((batch, inner, columns))

    def _turned(self, value: UOp) -> UOp:
        """With its axes in some order, or as it is."""
        axes = list(range(len(value.shape or ())))
        if self.chance.random() < 0.5:
            self.chance.shuffle(axes)
        return value.permute(tuple(axes))

    def reduce(self) -> UOp:
        """Over some axes."""
        value = self.any()
        axes = range(len(value.shape or ()))
        chosen = tuple(sorted(self.chance.sample(axes, self.chance.randint(min(1, len(axes)), len(axes)))))
        op = self.chance.choice((Op.ADD, Op.ADD, Op.MAX))
        return value.reduce_axis(op, chosen) if chosen else value

    def combine(self) -> UOp:
        """Two values of one shape."""
        left, right = self.any(), self.any()
        return left.alu(self.chance.choice((Op.ADD, Op.MUL, Op.MAX)), self.fitted(right, left.shape or ()))

    def function(self) -> UOp:
        """Something that takes a few cycles."""
        value = self.any()
        return (value * value + value) * 3 + 1

    def permute(self) -> UOp:
        """Axes in another order."""
        value = self.any()
        axes = list(range(len(value.shape or ())))
        self.chance.shuffle(axes)
        return value.permute(tuple(axes))

    def reshape(self) -> UOp:
        """Other axes."""
        value = self.any()
        return value.reshape(self.factored(size_of(value)))

    def heads(self) -> UOp:
        """An axis split in two, the axes in another order, two of them joined."""
        value = self.any()
        shape = value.shape or ()
        splits = [
            (axis, size)
            for axis, extent in enumerate(shape)
            for size in self.extents[1:]
            if extent % size == 0
        ]
        if not splits:
            return value
        axis, size = self.chance.choice(splits)
        turned = self._turned(value.reshape((*shape[:axis], shape[axis] // size, size, *shape[axis + 1 :])))
        shape = turned.shape or ()
        place = self.chance.randrange(len(shape) - 1)
        return turned.reshape((*shape[:place], shape[place] * shape[place + 1], *shape[place + 2 :]))

    def pad(self) -> UOp:
        """Zeros around it."""
        value = self.any()
        widths = tuple((self.chance.randint(0, 2), self.chance.randint(0, 2)) for _ in value.shape or ())
        padded = value.pad(widths)
        return padded if size_of(padded) <= LARGEST else value

    def shrink(self) -> UOp:
        """A part of it."""
        value = self.any()
        window: list[tuple[int, int]] = []
        for extent in value.shape or ():
            begin = self.chance.randint(0, extent - 1)
            window.append((begin, self.chance.randint(begin + 1, extent)))
        return value.shrink(tuple(window))

    def flip(self) -> UOp:
        """Some axes backwards."""
        value = self.any()
        return value.flip(tuple(self.chance.random() < 0.5 for _ in value.shape or ()))

    def expand(self) -> UOp:
        """Repeated along a new axis."""
        value, copies = self.any(), self.chance.choice((2, 3, 4, 8))
        shape = value.shape or ()
        if copies * prod(shape) > LARGEST:
            return value
        place = self.chance.randint(0, len(shape))
        single = value.reshape((*shape[:place], 1, *shape[place:]))
        return single.expand((*shape[:place], copies, *shape[place:]))

    def stencil(self) -> UOp:
        """Sums of neighbours along one axis, as large as before."""
        value = self.any()
        shape = value.shape or ()
        wide = [axis for axis, extent in enumerate(shape) if extent > 2]
        if not wide:
            return value
        axis = self.chance.choice(wide)
        whole = [(0, extent) for extent in shape]
        taps: list[UOp] = []
        for begin in range(3):
            window = [*whole[:axis], (begin, begin + shape[axis] - 2), *whole[axis + 1 :]]
            taps.append(value.shrink(tuple(window)))
        margins = [(1, 1) if each == axis else (0, 0) for each in range(len(shape))]
        return (taps[0] + taps[1] * 2 + taps[2]).pad(tuple(margins))


def size_of(value: UOp) -> int:
    """Elements of a value."""
    return prod(value.shape or ())


def device(seed: int) -> Machine:
    """The device that a network is scheduled for."""
    return Machine(launch_seconds=LAUNCHES[seed % len(LAUNCHES)])


def network(seed: int) -> UOp:
    """The graph with this number."""
    return Network(seed).graph()
