"""Random matches of a rule's left side: shapes, arguments, constants and bounds."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from eqsat.dtype import DType, wrap
from eqsat.errors import BuildError
from eqsat.ops import ALONG_AXES, MOVEMENT, REDUCE_OPS, Op
from eqsat.proof.float_values import COMMON, edges, tame
from eqsat.proof.matches.guards import Demand, demands_on, determined
from eqsat.proof.matches.match import Match, match
from eqsat.proof.matches.movements import random_movement
from eqsat.proof.matches.parameters import parameter, positions, range_of
from eqsat.proof.obligation import Obligation
from eqsat.reference.number import hold
from eqsat.rules.language.instantiate import evaluate
from eqsat.rules.language.pattern import Constant, Node, Pattern, Value
from eqsat.rules.language.scalar import Arg, Const, Number, Scalar, Type
from eqsat.rules.language.structure import RETYPED, Role, retyped, roles_of
from eqsat.rules.language.walking import nodes_of
from eqsat.shape import Shape
from eqsat.uop import UOp

Drawn = TypeVar("Drawn")

EXTENTS = (0, 1, 1, 2, 2, 3, 3, 4, 6)
LARGE_SHAPES = (
    (
        (1 << 16,), (65_537,), (257, 263), (1 << 19,), (512, 256), (256, 3, 128), (4, 1 << 15), (1 << 16, 2),
        (2048, 128), (2, 1 << 17), (5, 1024, 64),
    ),
    ((1 << 20,), (1024, 1024), (1 << 14, 64)),
    ((1 << 12, 64, 64), (64, 1 << 12, 64), (64, 64, 1 << 12)),
)  # fmt: skip
SQUARE = 0.25  # share of small shapes with the same extent along all axes
OBEYED = 0.95  # share of draws that take the value which the guard determines
REDUCTIONS = sorted(REDUCE_OPS, key=str)
REDRAWN = 8  # times that a variable is drawn while the guard fails, before the whole match is given up


@dataclass(slots=True)
class Draw:
    """Draws one random match of a rule.

    Attributes:
        obligation: the rule and its dtypes.
        chance: the source of randomness.
        large: 0 for small shapes; 1, 2 or 3 for shapes that are too large for one core, for several cores, or for the caches.
        tame: whether floats are zero or of moderate size, for claims over the reals.
        points: the extent of a single axis that holds all combinations of special values; None for random shapes.
        directed: whether to draw more of the shapes that guards require (squares, arrays continued at one end), and to draw a variable again,
            or give the match up, as soon as the guard is sure to fail.
    """

    obligation: Obligation
    chance: random.Random
    large: int = 0
    tame: bool = False
    points: int | None = None
    directed: bool = False
    bindings: dict[str, Any] = field(default_factory=dict[str, Any])
    bounds: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    slots: dict[str, UOp] = field(default_factory=dict[str, UOp])
    usual: Shape | None = None
    extent: int | None = None  # elements of the buffer whose index is being drawn

    def match(self) -> Match | None:
        """The drawn match; None if shapes do not fit or the guard fails."""
        rule = self.obligation.rule
        for name, variable in rule.variables.items():
            if isinstance(variable, Type):
                self.bindings[name] = self.obligation.values[name]
        try:
            left = self._build(rule.left, None)
        except BuildError:
            return None
        return match(self.obligation, self.bindings, self.bounds, self.slots, left)

    def _build(self, pattern: Pattern, shape: Shape | None) -> UOp:
        """Builds a graph for a pattern of the left side and binds its variables. `shape` is the shape of the neighbouring operands.

        Raises:
            BuildError: shapes do not fit, or the guard is sure to fail.
        """
        match pattern:
            case Value(name):
                return self._value(name, shape)
            case Constant(value):
                dtype = self._dtype(pattern)
                return UOp.full(self._shape(shape), dtype, self._constant(value, dtype))
            case Node(op) if op in MOVEMENT | ALONG_AXES:
                self._bind_operation(pattern)
                source = self._build(pattern.src[0], self._shape_before(pattern, shape))
                return self._settled(self._unbound(pattern), lambda: self._moved(pattern, source, shape))
            case Node(op, src) if (roles := roles_of(op, len(src))) is not None:
                return self._structural(pattern, roles, shape)
            case Node():
                return self._elementwise(pattern, shape)
            case _:
                raise AssertionError(f"{pattern!r} is no pattern")

    def _settled(self, names: tuple[str, ...], draw: Callable[[], Drawn]) -> Drawn:
        """Calls `draw`, which binds these variables; a few times, while its result cannot be built or the guard is sure to fail.

        Raises:
            BuildError: every call failed.
        """
        if not names:
            return draw()
        rule = self.obligation.rule
        demanded = demands_on(rule.where, rule.right, names) if self.directed else []
        failed: set[Any] = set()
        for _ in range(REDRAWN):
            with suppress(BuildError):
                drawn = draw()
                if not demanded:
                    return drawn
                key = drawn, tuple(self.bounds.get(name) for name in names)
                if key not in failed and self._may_hold(demanded):
                    return drawn
                failed.add(key)
            for name in names:
                self.bindings.pop(name, None)
        raise BuildError("nothing fits, or the guard fails")

    def _may_hold(self, demanded: Sequence[Demand]) -> bool:
        """Whether the guard may still hold: checks those of these demands whose variables are all bound."""
        bound = self.bindings.keys()
        return all(
            demand.holds(self.bindings, self.bounds) for demand in demanded if demand.variables <= bound
        )

    def _structural(self, node: Node, roles: Sequence[Role], shape: Shape | None) -> UOp:
        """Builds an address, a load, a vector or a marker. Sources that take the shape of other sources are built last."""
        built: dict[int, UOp] = {}
        outside = self.extent
        for position in sorted(range(len(roles)), key=lambda place: not _fixes_shape(node.src[place])):
            source = node.src[position]
            if roles[position] is Role.BUFFER:
                built[position] = self._buffer(source)
                self.extent = built[position].elements
                continue
            built[position] = self._build(source, shape)
            shape = built[position].shape
        self.extent = outside
        src = tuple(built[position] for position in range(len(roles)))
        first = src[0].dtype
        assert isinstance(first, DType)
        arg = self._lanes(node.fields[0], first.lanes) if node.op is Op.GEP else None
        dtype = retyped(node.op, first, len(src), arg or ()) if node.op in RETYPED else first
        return UOp(node.op, dtype if node.dtype is None else evaluate(node.dtype, self.bindings), src, arg)

    def _buffer(self, pattern: Pattern) -> UOp:
        """A buffer for a variable."""
        assert isinstance(pattern, Value), "what is indexed is a variable of the rule"
        size = self.chance.choice((1, 4, 9, 40, 40))
        return self._value(pattern.name, (size,))

    def _lanes(self, lanes: Scalar, count: int) -> tuple[int, ...]:
        """Draws lanes of a vector: one, all in order, or some in any order."""
        if isinstance(lanes, Arg) and lanes.name not in self.bindings:
            return self._settled((lanes.name,), lambda: self._some_lanes(lanes.name, count))
        return evaluate(lanes, self.bindings)

    def _some_lanes(self, name: str, count: int) -> tuple[int, ...]:
        chance = self.chance
        some = tuple(chance.randrange(count) for _ in range(chance.choice((1, 1, 2, 4))))
        half = tuple(range(count // 2))
        drawn = tuple(chance.choice((some, some, sorted(some), range(count), half))) or (0,)
        self.bindings[name] = drawn
        return drawn

    def _shape_before(self, node: Node, wanted: Shape | None) -> Shape | None:
        """A random shape that an EXPAND turns into its argument, or into `wanted` if the argument is not bound yet."""
        if node.op is not Op.EXPAND:
            return None
        target = node.fields[0]
        if isinstance(target, Arg) and target.name in self.bindings:
            wanted = self.bindings[target.name]
        elif not self.obligation.counted_values:
            return None
        return tuple(self.chance.choice((1, extent)) for extent in self._shape(wanted))

    def _dtype(self, pattern: Pattern) -> DType:
        return self.obligation.dtype_of(self.obligation.typing.left_types[id(pattern)])

    def _elementwise(self, node: Node, shape: Shape | None) -> UOp:
        built: dict[int, UOp] = {}
        for position in sorted(range(len(node.src)), key=lambda place: _turn(node.src[place])):
            built[position] = self._build(node.src[position], shape)
            shape = built[position].shape
        src = tuple(built[position] for position in range(len(node.src)))
        return UOp(node.op, self._dtype(node), src)

    def _value(self, name: str, shape: Shape | None) -> UOp:
        if name not in self.bindings:
            dtype, whole = self.obligation.values[name], self._shape(shape)
            return self._settled((name,), lambda: self._drawn(name, dtype, whole))
        return self.bindings[name]

    def _drawn(self, name: str, dtype: DType, shape: Shape) -> UOp:
        """A vector whose elements are drawn one by one, the positions along some axis, or an array."""
        if dtype.lanes > 1:
            lanes = tuple(self._array(f"{name}_{lane}", dtype.scalar, ()) for lane in range(dtype.lanes))
            self.bindings[name] = UOp(Op.VECTORIZE, dtype, lanes)
        elif shape and name in self.obligation.counted_values:
            self.bindings[name] = positions(shape, self.chance.randrange(len(shape)), dtype)
        else:
            self._array(name, dtype, shape)
        return self.bindings[name]

    def _array(self, name: str, dtype: DType, shape: Shape) -> UOp:
        """Binds a value to a PARAM of its own, and draws the bounds of its data."""
        number = list(self.slots).index(name) if name in self.slots else len(self.slots)
        self.slots[name], self.bindings[name] = parameter(number, dtype, shape)
        if not dtype.is_float:
            self.bounds[name] = self._interval(dtype)
        return self.bindings[name]

    def _shape(self, shape: Shape | None) -> Shape:
        if shape is not None:
            return shape
        if self.obligation.has_vectors:
            return ()
        if self.points is not None:
            return (self.points,)
        if self.usual is None or self.chance.random() < 0.2:
            chance = self.chance
            rank = chance.randint(0, 4)
            some = tuple(chance.choice(EXTENTS) for _ in range(rank))
            is_square = self.directed and chance.random() < SQUARE
            small = (chance.choice(EXTENTS),) * rank if is_square else some
            self.usual = chance.choice(LARGE_SHAPES[self.large - 1]) if self.large else small
        return self.usual

    def _unbound(self, node: Node) -> tuple[str, ...]:
        """The arguments of a node that are not bound yet."""
        return tuple(
            each.name for each in node.fields if isinstance(each, Arg) and each.name not in self.bindings
        )

    def _moved(self, node: Node, source: UOp, wanted: Shape | None) -> UOp:
        """A movement, reduction or scan of a value."""
        values: list[Any] = []
        for scalar in node.fields:
            if isinstance(scalar, Arg) and scalar.name not in self.bindings:
                self.bindings[scalar.name] = self._argument(scalar.name, node.op, source.shape or (), wanted)
            values.append(evaluate(scalar, self.bindings))
        return UOp(node.op, source.dtype, (source,), values[0] if node.op in MOVEMENT else tuple(values))

    def _argument(self, name: str, op: Op, shape: Shape, wanted: Shape | None) -> tuple[Any, ...]:
        """The argument that the guard requires, or a random one."""
        wanted_by_guard = determined(self.obligation.rule.where, name, self.bindings)
        if wanted_by_guard is not None and self.chance.random() < OBEYED:
            return wanted_by_guard
        return random_movement(self.chance, op, shape, wanted, may_continue=self.directed)

    def _bind_operation(self, node: Node) -> None:
        """Draws the operation of a reduction before its source, because constants in the source may depend on it."""
        if node.op in ALONG_AXES and isinstance(operation := node.fields[0], Arg):
            if operation.name not in self.bindings:
                self._settled((operation.name,), lambda: self._operation(operation.name))

    def _operation(self, name: str) -> Op:
        self.bindings[name] = drawn = self.chance.choice(REDUCTIONS)
        return drawn

    def _constant(self, value: Scalar, dtype: DType) -> bool | int | float:
        if isinstance(value, Number):
            return wrap(dtype, value.value)
        assert isinstance(value, Const), "a left side holds constants to match or numbers"
        if value.name not in self.bindings:
            return self._settled((value.name,), lambda: self._wanted_number(value.name, dtype))
        return self.bindings[value.name]

    def _wanted_number(self, name: str, dtype: DType) -> bool | int | float:
        """The number that the guard requires for a constant, or a random one."""
        wanted = determined(self.obligation.rule.where, name, self.bindings)
        fits = isinstance(wanted, float if dtype.is_float else int) and wrap(dtype, wanted) == wanted
        drawn = wanted if fits and self.chance.random() < OBEYED else self._number(dtype)
        self.bindings[name] = drawn
        return drawn

    def _number(self, dtype: DType) -> bool | int | float:
        chance = self.chance
        if dtype.is_bool:
            return chance.random() < 0.5
        if dtype.is_float:
            usual = chance.choice((*COMMON, 8.0, 0.125, chance.gauss(0, 9), chance.randint(1, 9)))
            wild = chance.choice((usual, usual, usual, chance.choice(edges(dtype.scalar))))
            moderate = chance.choice((tame(chance), chance.randint(-9, 9)))
            return float(hold(np.array(moderate if self.tame else wild, np.float64), dtype))
        least, greatest = range_of(dtype)
        small = chance.choice((chance.randint(-4, 12), chance.randint(1, 9)))
        power = 1 << chance.randint(0, 9)
        drawn = chance.choice((small, small, power, chance.randint(least, greatest), least, greatest))
        return min(max(drawn, least), greatest)

    def _interval(self, dtype: DType) -> tuple[int, int]:
        """Draws an interval; all data of a value lie in it."""
        least, greatest = range_of(dtype)
        chance = self.chance
        if self.extent is not None and dtype.is_index:
            last = self.extent - 1
            return chance.choice(
                ((0, last), (0, last // 2), (0, last // 4), (-3, last + 3), (last // 3, last // 3))
            )
        small = chance.randint(0, 40)
        low, high = chance.choice(
            ((least, greatest), (0, greatest), (0, small), (-small, small), (small, small + chance.randint(0, 9)), (small, small),
             (-small, 0), (least, least + small))
        )  # fmt: skip
        low, high = max(low, least), min(high, greatest)
        return (low, high) if low <= high else (least, greatest)


def _turn(pattern: Pattern) -> tuple[bool, bool]:
    """The sort key of operands: those that fix the shape are built first, then values, then constants, which may depend on dtypes of values."""
    return not _fixes_shape(pattern), isinstance(pattern, Constant)


@lru_cache(maxsize=256)
def _fixes_shape(pattern: Pattern) -> bool:
    return any(node.op in MOVEMENT | ALONG_AXES for node in nodes_of(pattern))
