"""Random matches of a rule's left side: dtypes, shapes, arguments, constants, bounds, and data with special values first."""

import itertools
import math
import random
from dataclasses import dataclass, field

import numpy as np

from eqsat.dtype import ALL, bool_, index
from eqsat.ops import MOVEMENT, REDUCE_OPS, Op
from eqsat.reference.number import hold
from eqsat.rules.inference import BOOL, infer
from eqsat.rules.instantiate import evaluate as scalar_value
from eqsat.rules.instantiate import wrap
from eqsat.rules.pattern import Arg, Const, Constant, Node, Number, Type, Value
from eqsat.rules.rule import nodes_of
from eqsat.uop import UOp

BY_NAME = {dtype.name: dtype for dtype in ALL}
LARGE_SHAPES = (
    (1 << 16,),
    (65_537,),
    (257, 263),
    (1 << 19,),
    (512, 256),
    (256, 3, 128),
    (4, 1 << 15),
    (1 << 16, 2),
    (1024, 1024),
)
FLOAT_SPECIALS = (0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 2.0, 0.5, -3.0)
TAME_FLOATS = (
    0.25,
    4.0,
)  # the range of data for claims over the reals: nothing overflows, logarithms and roots exist
FAR = 1 << 40  # an index this far from zero is far for every purpose


@dataclass
class Draw:
    """One attempt: what the rule's variables stand for."""

    rule: object
    dtype: object
    chance: random.Random
    large: bool = False
    tame: bool = False
    points: int | None = None  # the extent of the only axis, where all special values meet
    bindings: dict = field(default_factory=dict)
    bounds: dict = field(default_factory=dict)
    slots: dict = field(default_factory=dict)
    shape: tuple | None = None

    def __post_init__(self):
        self.typing = infer(self.rule)
        self.types = {}

    def left(self):
        """The left side, built from below; every variable of the rule is bound on the way."""
        for variable in self.rule.variables.values():
            if isinstance(variable, Type):
                self.bindings[variable.name] = self.type_of(f"${variable.name}")
        root = self.rule.left
        return self.build(root, None)

    def type_of(self, key):
        if key == BOOL:
            return bool_
        if key in BY_NAME:
            return BY_NAME[key]
        if key == self.typing.principal:
            return self.dtype
        near = self.dtype if self.chance.random() < 0.5 else self.chance.choice(ALL)
        return self.types.setdefault(key, near)

    def build(self, pattern, hint):
        match pattern:
            case Value(name):
                return self.value(name, hint)
            case Constant(value):
                dtype = self.type_of(self.typing.left_types[id(pattern)])
                return UOp.full(hint or self.new_shape(hint), dtype, self.constant(value, dtype))
            case Node(op) if op in MOVEMENT or op is Op.REDUCE_AXIS:
                source = self.build(pattern.src[0], None)
                return UOp(op, source.dtype, (source,), self.argument(pattern, source.shape))
            case _:
                return self.elementwise(pattern, hint)

    def elementwise(self, node, hint):
        built = {}
        for position in sorted(range(len(node.src)), key=lambda place: not _fixes_shape(node.src[place])):
            built[position] = self.build(node.src[position], hint)
            hint = built[position].shape
        src = tuple(built[position] for position in range(len(node.src)))
        if node.op in (Op.CAST, Op.BITCAST):
            target = scalar_value(node.dtype, self.bindings)
            assert node.op is Op.CAST or (
                target.itemsize == src[0].dtype.itemsize and index not in (target, src[0].dtype)
            )
            assert not (target.is_index and src[0].dtype.is_float), "an index is cast from integers only"
            return UOp(node.op, target, src)
        return src[0].alu(node.op, *src[1:])

    def value(self, name, hint):
        if name not in self.bindings:
            dtype = self.type_of(self.typing.value_types[name])
            shape = hint if hint is not None else self.new_shape(hint)
            self.slots[name] = UOp.param(len(self.slots), math.prod(shape), dtype)
            self.bindings[name] = self.slots[name].reshape(shape)
            if dtype.is_int or dtype.is_index or dtype.is_bool:
                self.bounds[name] = self.interval(dtype)
        return self.bindings[name]

    def new_shape(self, hint):
        if hint is not None:
            return hint
        if self.points is not None:
            return (self.points,)
        if self.shape is None or self.chance.random() < 0.2:
            if self.large:
                self.shape = self.chance.choice(LARGE_SHAPES)
            else:
                extents = (1, 2, 3, 4, 6, 1, 2, 3, 0)
                self.shape = tuple(self.chance.choice(extents) for _ in range(self.chance.randint(0, 4)))
        return self.shape

    def argument(self, node, shape):
        values = []
        for scalar in node.fields:
            if isinstance(scalar, Arg):
                if scalar.name not in self.bindings:
                    is_operation = node.op is Op.REDUCE_AXIS and not values
                    drawn = (
                        self.chance.choice(sorted(REDUCE_OPS, key=str))
                        if is_operation
                        else self.movement(node.op, shape)
                    )
                    self.bindings[scalar.name] = drawn
                values.append(self.bindings[scalar.name])
            else:
                values.append(scalar_value(scalar, self.bindings))
        return values[0] if node.op in MOVEMENT else tuple(values)

    def movement(self, op, shape):
        """A legal argument for `op` on a value of this shape."""
        chance, rank = self.chance, len(shape)
        match op:
            case Op.RESHAPE:
                return _some_shape(chance, shape)
            case Op.PERMUTE:
                return tuple(chance.sample(range(rank), rank))
            case Op.EXPAND:
                return tuple(chance.choice((1, 2, 3, 5, 0, 4)) if extent == 1 else extent for extent in shape)
            case Op.PAD:
                return tuple((chance.choice((0, 0, 1, 2)), chance.choice((0, 0, 1, 3))) for _ in shape)
            case Op.SHRINK:
                return tuple(
                    tuple(sorted((chance.randint(0, e), chance.choice((e, chance.randint(0, e))))))
                    for e in shape
                )
            case Op.FLIP:
                return tuple(chance.random() < 0.5 for _ in shape)
            case _:
                return tuple(chance.sample(range(rank), chance.choice((rank, chance.randint(0, rank)))))

    def constant(self, value, dtype):
        if isinstance(value, Number):
            return wrap(dtype, value.value)
        assert isinstance(value, Const), "a left side holds constants to match or numbers"
        if value.name not in self.bindings:
            self.bindings[value.name] = self.number(dtype)
        return self.bindings[value.name]

    def number(self, dtype):
        chance = self.chance
        if dtype.is_bool:
            return chance.random() < 0.5
        if dtype.is_float:
            wild = chance.choice((*FLOAT_SPECIALS, 8.0, 0.125, chance.gauss(0, 9)))
            drawn = chance.uniform(*TAME_FLOATS) if self.tame else wild
            return float(hold(np.array(drawn), dtype))
        least, greatest = (-FAR, FAR) if dtype.is_index else (dtype.min, dtype.max)
        small, power = (
            chance.choice((chance.randint(-4, 12), chance.randint(1, 9))),
            1 << chance.randint(0, 9),
        )
        drawn = chance.choice((small, small, power, chance.randint(least, greatest), least, greatest))
        return min(max(drawn, least), greatest)

    def interval(self, dtype):
        """Bounds that all data of a value lie in."""
        least, greatest = (-FAR, FAR) if dtype.is_index else (dtype.min, dtype.max)
        chance = self.chance
        small = chance.randint(0, 40)
        low, high = chance.choice(
            ((least, greatest), (0, greatest), (0, small), (-small, small), (small, small + chance.randint(0, 9)), (small, small),
             (-small, 0), (least, least + small))
        )  # fmt: skip
        low, high = max(low, least), min(high, greatest)
        return (low, high) if low <= high else (least, greatest)

    def data(self):
        """An array for every value: all combinations of special values where `points` asks for them, else random ones."""
        if self.points is not None:
            rows = itertools.cycle(itertools.product(*(self.specials(name) for name in self.slots)))
            columns = zip(*itertools.islice(rows, self.points), strict=True)
            return {
                slot: _hold(column, slot.dtype)
                for slot, column in zip(self.slots.values(), columns, strict=True)
            }
        generator = np.random.default_rng(self.chance.randrange(1 << 32))
        pools = {slot: _hold(self.pool(name), slot.dtype) for name, slot in self.slots.items()}
        return {slot: pool[generator.integers(0, len(pool), slot.shape[0])] for slot, pool in pools.items()}

    def specials(self, name):
        if name not in self.bounds:
            return (
                [self.chance.uniform(*TAME_FLOATS) for _ in range(8)]
                if self.tame
                else [*FLOAT_SPECIALS, *(self.chance.gauss(0, 5) for _ in range(6))]
            )
        low, high = self.bounds[name]
        near = {low, low + 1, high - 1, high, 0, 1, -1, 2, -2, 7, self.chance.randint(low, high)}
        return sorted(value for value in near if low <= value <= high)

    def pool(self, name):
        """The values that random data are drawn from."""
        chance = self.chance
        if name in self.bounds:
            return [*self.specials(name), *(chance.randint(*self.bounds[name]) for _ in range(12))]
        if self.tame:
            return [chance.uniform(*TAME_FLOATS) for _ in range(40)]
        ordinary = [chance.gauss(0, 5) for _ in range(30)]
        return ordinary if chance.random() < 0.5 else [*FLOAT_SPECIALS, *ordinary]


def _hold(values, dtype):
    return hold(np.array(values, dtype=object), dtype)


def is_pointwise(rule):
    """Whether nothing in the rule moves or reduces, so that every element is a sample of its own."""
    return not any(
        node.op in MOVEMENT or node.op is Op.REDUCE_AXIS for node in nodes_of(rule.left, rule.right)
    )


def _fixes_shape(pattern):
    return any(node.op in MOVEMENT or node.op is Op.REDUCE_AXIS for node in nodes_of(pattern))


def _some_shape(chance, shape):
    """A shape with as many elements: axes merged, split, and of extent 1 added or dropped."""
    if 0 in shape:
        return chance.choice((shape, (0,), (*shape, 2)))
    factors = []
    for extent in shape:
        divisors = [d for d in range(2, extent) if extent % d == 0] if extent < 100 else [2]
        if divisors and chance.random() < 0.4:
            first = chance.choice(divisors)
            factors += [first, extent // first] if extent % first == 0 else [extent]
        elif extent != 1 or chance.random() < 0.5:
            factors.append(extent)
    result = []
    for factor in factors:
        if result and chance.random() < 0.25:
            result[-1] *= factor
        else:
            result.append(factor)
    for _ in range(chance.choice((0, 0, 1, 2))):
        result.insert(chance.randint(0, len(result)), 1)
    return tuple(result)
