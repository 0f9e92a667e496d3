"""Scalar expressions of mixed dtypes drawn at random: the same number draws the same expression, on every machine."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np

from benchmarks.equivalence import Defined, evaluate
from eqsat.dtype import INTS, DType, bool_, float32, float64, index, to_numpy
from eqsat.ops import Op
from eqsat.reference.number import hold
from eqsat.uop import UOp, toposort

LEAST, MOST = 5, 60  # nodes
POINTS = 128
LARGEST_INDEX = 1 << 40  # magnitude of index values, so that no product leaves 64 bits
FLOATS = (float32, float64)
RANGES = ((0, 1), (0, 7), (0, 63), (1, 100), (-8, 8), (-100, 100), None)
NUMBERS = (-7, -2, -1, 0, 1, 2, 3, 4, 5, 8, 10, 15, 16, 17, 60, 64, 100)
DIVISIONS = (Op.FLOORDIV, Op.FLOORMOD, Op.IDIV, Op.MOD)


class Drawing:
    """Values of several dtypes, each made of those before."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.magnitude: dict[UOp, int] = {}  # of index values
        main = chance.choice((index, index, *INTS))
        others = chance.sample((index, bool_, *INTS, *FLOATS), 2)
        self.values: dict[DType, list[UOp]] = {}
        for number, dtype in enumerate((main, main, main, *others)):
            self.add(self.variable(f"v{number}", dtype))

    def variable(self, name: str, dtype: DType) -> UOp:
        """A variable; a float or a bool is an input."""
        if dtype.is_float or dtype.is_bool:
            return UOp.param(int(name[1:]), 1, dtype).reshape(())
        bounds = self.chance.choice(RANGES)
        if bounds is None or bounds[0] < dtype.min or bounds[1] > dtype.max:
            bounds = (-1000, 1000) if dtype.is_index else (int(dtype.min), int(dtype.max))
        return UOp.variable(name, *bounds, dtype)

    def add(self, value: UOp) -> UOp:
        """Keeps a value for those after it."""
        assert isinstance(value.dtype, DType)
        self.values.setdefault(value.dtype, []).append(value)
        return value

    def any(self, dtype: DType) -> UOp:
        """One of the values of a dtype, the later the likelier; a constant where there is none yet."""
        found = self.values.get(dtype)
        if not found or self.chance.random() < 0.1:
            return self.constant(dtype)
        return found[-1 - self.chance.randrange(len(found)) // self.chance.randint(1, 3)]

    def constant(self, dtype: DType, numbers: tuple[int, ...] = NUMBERS) -> UOp:
        """A small number that the dtype holds."""
        allowed = [number for number in numbers if dtype.is_float or dtype.min <= number <= dtype.max]
        number = self.chance.choice(allowed)
        return UOp.const(dtype, bool(number) if dtype.is_bool else number / 2 if dtype.is_float else number)

    def step(self) -> UOp | None:
        """One more value; None where it would grow too large."""
        dtype = self.chance.choice([dtype for dtype, found in self.values.items() for _ in found[:6]])
        if dtype.is_bool:
            return self.add(self.truth())
        kind = self.chance.random()
        if kind < 0.12:
            return self.add(self.truth().where(self.any(dtype), self.any(dtype)))
        if kind < 0.18:
            return self.conversion(dtype)
        return self.float_step(dtype) if dtype.is_float else self.integer_step(dtype)

    def truth(self) -> UOp:
        """A comparison, or bools combined."""
        if bool_ in self.values and self.chance.random() < 0.4:
            left, right = self.any(bool_), self.any(bool_)
            return self.chance.choice((left & right, left | right, left.ne(right), left.logical_not()))
        dtype = self.chance.choice([dtype for dtype in self.values if not dtype.is_bool])
        left, right = self.any(dtype), self.any(dtype)
        return self.chance.choice((left < right, left.ne(right), left >= right, left < self.constant(dtype)))

    def conversion(self, dtype: DType) -> UOp | None:
        """A value of this dtype converted to another one; of a float, only to another float or a bool."""
        targets = [*FLOATS, bool_] if dtype.is_float else [*INTS, *FLOATS, bool_]
        return self.add(self.any(dtype).cast(self.chance.choice(targets)))

    def float_step(self, dtype: DType) -> UOp:
        """Float arithmetic."""
        left, right = self.any(dtype), self.any(dtype)
        op = self.chance.choice((Op.ADD, Op.ADD, Op.MUL, Op.MAX, Op.MIN, Op.SUB, Op.NEG, Op.FDIV))
        return self.add(left.alu(op) if op is Op.NEG else left.alu(op, right))

    def integer_step(self, dtype: DType) -> UOp | None:
        """Integer or index arithmetic."""
        left, right = self.any(dtype), self.any(dtype)
        ops = [
            Op.ADD,
            Op.ADD,
            Op.ADD,
            Op.MUL,
            Op.MUL,
            Op.SUB,
            Op.NEG,
            Op.MAX,
            Op.MIN,
            *DIVISIONS[:2],
            *DIVISIONS,
        ]
        if not dtype.is_index:
            ops += [Op.AND, Op.OR, Op.XOR, Op.SHL, Op.SHR]
        op = self.chance.choice(ops)
        if op is Op.NEG:
            value = left.alu(op)
        elif op in (Op.SHL, Op.SHR):
            value = left.alu(op, self.constant(dtype, tuple(range(dtype.bits))))
        elif op in DIVISIONS and self.chance.random() < 0.8:
            value = left.alu(op, self.constant(dtype, tuple(number for number in NUMBERS if number)))
        elif self.chance.random() < 0.4:
            value = left.alu(op, self.constant(dtype))
        else:
            value = left.alu(op, right)
        return self.add(value) if not dtype.is_index or self.is_moderate(value) else None

    def is_moderate(self, value: UOp) -> bool:
        """Whether an index stays far below 64 bits; an exact bound is not needed."""
        for node in toposort([value]):
            if node not in self.magnitude:
                sizes = [self.magnitude.get(source, 1 << 64) for source in node.src]
                self.magnitude[node] = _magnitude(node, sizes)
        return self.magnitude[value] <= LARGEST_INDEX


def _magnitude(node: UOp, sizes: list[int]) -> int:
    match node.op:
        case Op.CONST:
            return abs(int(node.arg)) if not node.dtype.scalar.is_float else 0
        case Op.DEFINE_VAR:
            return max(map(abs, node.arg[1:3]))
        case Op.MUL:
            return sizes[0] * sizes[1]
        case Op.MOD | Op.FLOORMOD:
            return max(sizes)
        case _:
            return sum(sizes)


def drawn(seed: int, most: int = MOST) -> UOp:
    """An expression of `LEAST` to `most` nodes."""
    chance = Random(seed)
    while True:
        drawing, wanted = Drawing(chance), chance.randint(LEAST, most)
        for _ in range(4 * wanted):
            value = drawing.step()
            size = len(toposort([value])) if value is not None else 0
            if value is not None and wanted <= size <= most:
                return value


def points_of(root: UOp, seed: int) -> dict[UOp, Any]:
    """Values for the variables of an expression: corners that meet, then random numbers."""
    random = np.random.default_rng(seed)
    found: dict[UOp, Any] = {}
    for node in toposort([root]):
        dtype = node.dtype
        if node.op is Op.DEFINE_VAR and isinstance(dtype, DType):
            _, least, greatest = node.arg
            corners = sorted({least, greatest, *(max(least, min(greatest, near)) for near in (-1, 0, 1))})
            inner = [
                least + int(random.integers(0, min(greatest - least, 2**63 - 2), endpoint=True))
                for _ in range(POINTS // 2)
            ]
            column = [
                *(corners[place] for place in random.integers(0, len(corners), POINTS - len(inner))),
                *inner,
            ]
            found[node] = hold(np.array(column, object if dtype.is_index else to_numpy(dtype)), dtype)
        elif node.op is Op.PARAM and isinstance(dtype, DType):
            special = (
                [0, 1] if dtype.is_bool else [0.0, -0.0, 1.0, -1.5, 0.5, np.inf, -np.inf, np.nan, 3e38, 1e-45]
            )
            column = random.choice(special, POINTS)
            if dtype.is_float:
                column[POINTS // 2 :] = random.normal(scale=100, size=POINTS - POINTS // 2)
            found[node] = hold(column.astype(to_numpy(dtype)), dtype)
    return found


def computed(root: UOp, points: Mapping[UOp, Any]) -> Defined:
    """The value of an expression on all points, and where it has one."""
    with np.errstate(all="ignore"):
        return evaluate([root], dict(points) or {UOp.variable("none", 0, 0): np.zeros(POINTS)})[root]


def first_difference(root: UOp, found: UOp, seed: int) -> str | None:
    """Where two expressions differ although the first one has a value."""
    points = points_of(root, seed)
    before, after = computed(root, points), computed(found, points)
    equal = before.values == after.values
    if root.dtype.scalar.is_float:
        equal |= np.isnan(before.values) & np.isnan(after.values)
    wrong = before.known & ~(np.asarray(equal, np.bool_) & after.known)
    if not wrong.any():
        return None
    place = int(np.flatnonzero(wrong)[0])
    return ", ".join(f"{node.arg or 'element'} = {values[place]}" for node, values in points.items())
