"""UOps: immutable, interned nodes of one graph language for all stages.

Two UOps with the same op, dtype, sources and argument are one object. So identity is equality, and a shared subterm is stored once.
Constants are compared by their bits: `0.0` is not `-0.0`, `1` is not `True`, and a NaN equals itself. Every walk is iterative.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from eqsat.dtype import DType, PtrDType, bool_, index, void
from eqsat.errors import BuildError, DTypeError, brief
from eqsat.extents import Extent, capacity
from eqsat.extents.factors import Dim, Factor
from eqsat.ops import TABLE, AxisType, DTypeRule, Op
from eqsat.shape import Shape
from eqsat.uop.fields import (
    DEEPEST,
    TOLD_APART,
    bits_of,
    building,
    by_axis,
    constant_value,
    require_fields,
    shape_of,
)
from eqsat.uop.interning import INTERNED, INTERNING, Interned, forget
from eqsat.uop.operators import Number, Operators
from eqsat.uop.order import toposort
from eqsat.uop.rewriting import rewrite
from eqsat.uop.tree_text import argument_text, indented_tree

# A node of a pickled graph: its op, dtype, sources and argument. The sources are positions of earlier rows.
Row = tuple[Op, DType | PtrDType, tuple[int, ...], Any]
NUMBERS = int | float | complex | Extent | np.ndarray | np.generic


class UOp(Operators):
    """One operation on other UOps.

    Attributes:
        op: the operation.
        dtype: the element type of the result; `void` where there is no result.
        src: the sources.
        arg: further data that the operation needs, such as the value of a constant; hashable.
        shape: the extents of the result; `()` for a scalar, None where there is no value.

    Raises:
        BuildError: there are too few sources, or the operation cannot have this argument.
        ShapeError: the sources' shapes do not fit the operation.
    """

    __slots__ = ("__weakref__", "_ranges", "arg", "dtype", "op", "shape", "src")
    op: Op
    dtype: DType | PtrDType
    src: tuple[UOp, ...]
    arg: Any
    shape: Shape | None
    _ranges: frozenset[UOp] | None

    def __new__(cls, op: Op, dtype: DType | PtrDType, src: tuple[UOp, ...] = (), arg: Any = None) -> UOp:
        """The node with these fields: the existing one, or else a new one."""
        # The key has the dtype's name and the operation's number, which hash faster than the objects. Any other object becomes None
        # in the key, since it might equal a name: the string "float32", for example.
        name = dtype.name if dtype.__class__ is DType else dtype if dtype.__class__ is PtrDType else None
        number = op.number if op.__class__ is Op else None
        try:
            if arg is None:
                key = number, name, src
            else:
                kind = arg.__class__
                key = number, name, src, kind, arg if kind in TOLD_APART else bits_of(arg)
            reference = INTERNED.get(key)
        except TypeError as error:
            require_fields(cls, op, dtype, src)
            words = f"the argument of {op.name} is hashable and nested at most {DEEPEST} deep, not {brief(arg)}; use tuples for lists"
            raise BuildError(words) from error
        if reference is not None and (found := reference()) is not None:
            return found
        require_fields(cls, op, dtype, src, arg)
        self = object.__new__(cls)  # the same as super().__new__(cls), but faster
        self.op, self.dtype, self.src, self.arg, self._ranges = op, dtype, src, arg, None
        self.shape = shape_of(op, src, arg)
        own = Interned(self, forget)
        own.key = key
        with INTERNING:
            found = INTERNED.setdefault(key, own)()
            if found is None:
                INTERNED[key], found = own, self
        return found

    def __reduce__(self) -> tuple[Callable[[list[Row]], UOp], tuple[list[Row]]]:
        order = self.toposort()
        number = {node: position for position, node in enumerate(order)}
        return _from_rows, (
            [(node.op, node.dtype, tuple(number[source] for source in node.src), node.arg) for node in order],
        )

    def __copy__(self) -> UOp:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> UOp:
        return self

    def __repr__(self) -> str:
        argument = "" if self.arg is None else f", {argument_text(self.arg)}"
        sources = ", ".join(source.op.name for source in self.src)
        return f"{self.op.name}({self.dtype}, ({sources}){argument})"

    # graph

    @building
    def replace(self, *, op: Op | None = None, dtype: DType | PtrDType | None = None, src: tuple[UOp, ...] | None = None,
                arg: Any = None) -> UOp:  # fmt: skip
        """This node with some fields changed; omitted fields stay the same."""
        return UOp(
            op or self.op,
            dtype or self.dtype,
            self.src if src is None else src,
            self.arg if arg is None else arg,
        )

    def with_src(self, src: tuple[UOp, ...]) -> UOp:
        """This node with other sources."""
        return self if src.__class__ is tuple and src == self.src else UOp(self.op, self.dtype, src, self.arg)

    def toposort(self) -> list[UOp]:
        """Every node reachable from here, each after its sources, in a fixed order."""
        return toposort([self])

    @building
    def substitute(self, mapping: Mapping[UOp, UOp]) -> UOp:
        """This graph with the keys replaced by their values. Keys inside the values are not replaced."""
        return rewrite([self], mapping)[0]

    @property
    def ranges(self) -> frozenset[UOp]:
        """The open loops of this value: the RANGEs that it depends on, without those that a node below it ends."""
        if self._ranges is None:
            _compute_ranges(self)
        assert self._ranges is not None
        return self._ranges

    @property
    def elements(self) -> int:
        """The number of elements; 1 for a node without a shape."""
        return prod(self.shape or ())

    def pretty(self) -> str:
        """The graph as an indented tree. A shared node is printed once and then referred to by its number."""
        return indented_tree(self)

    # constructors

    @staticmethod
    def const(dtype: DType, value: Number) -> UOp:
        """A scalar constant of `dtype`; integers must fit. An extent that is known only at a call gives its expression instead."""
        if isinstance(value, Extent):
            return UOp.extent(value).cast(dtype)
        return UOp(Op.CONST, dtype, (), constant_value(dtype, value))

    @staticmethod
    @building
    def full(shape: Shape, dtype: DType, value: Number) -> UOp:
        """A constant repeated to `shape`."""
        return UOp.const(dtype, value).broadcast(shape)

    @staticmethod
    @building
    def variable(name: str, least: int, greatest: int, dtype: DType = index) -> UOp:
        """An integer that is given at run time and lies in least..greatest."""
        least, greatest = operator.index(least), operator.index(greatest)
        if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise DTypeError(f"{brief(name)} is no name of a variable; give a string, such as 'i'")
        if least > greatest:
            raise DTypeError(f"variable {name!r} has no values: {least} > {greatest}; swap the bounds")
        return UOp(Op.DEFINE_VAR, dtype, (), (name, least, greatest))

    @staticmethod
    def extent(value: int) -> UOp:
        """The extent of an axis as an `index`: a constant, or an expression of variables whose values each call gives."""
        if not isinstance(value, Extent):
            return UOp.const(index, value)
        parts: list[UOp] = []
        for monomial, factor in value.terms:
            factors = [_factor(each) for each in monomial]
            scale = [UOp.const(index, factor)] if factor != 1 or not factors else []
            parts.append(functools.reduce(operator.mul, scale + factors))
        return functools.reduce(operator.add, parts)

    @staticmethod
    @building
    def range(extent: int | UOp, number: int, axis: AxisType = AxisType.LOOP) -> UOp:
        """A loop variable in 0..extent-1. Loop variables with different numbers are different."""
        end = UOp.const(index, extent) if isinstance(extent, int | Extent) else extent
        return UOp(Op.RANGE, index, (end,), (number, axis))

    @staticmethod
    def param(slot: int, size: int, dtype: DType) -> UOp:
        """Buffer argument `slot`, of `size` elements: a value of shape (size,)."""
        return UOp(Op.PARAM, dtype, (), (slot, size))

    @staticmethod
    @building
    def iota(extent: int) -> UOp:
        """0, 1, …, extent-1 as an array of `index`."""
        variable = UOp.range(capacity(extent), -1, AxisType.PLACEHOLDER)
        return UOp(Op.BUFFERIZE, index, (variable, variable)).reshape((extent,))

    @staticmethod
    def sink(*src: UOp, arg: Any = None) -> UOp:
        """A SINK, which collects results."""
        return UOp(Op.SINK, void, src, arg)

    # values

    def alu(self, op: Op, *others: UOp) -> UOp:  # pyright: ignore[reportIncompatibleMethodOverride]  no subclasses
        """Applies `op` to this value and others. The dtype follows from the operation's row in the table."""
        operands = (self, *others)
        try:
            rule = TABLE[op].dtype
        except (KeyError, TypeError):
            rule = DTypeRule.ANY  # `op` is no operation; the constructor below raises the error
        match rule:
            case DTypeRule.COMPARE:
                dtype = bool_.vec(self.dtype.lanes)
            case DTypeRule.SELECT if others and isinstance(others[0], UOp):  # pyright: ignore[reportUnnecessaryIsInstance]
                dtype = others[0].dtype
            case _:
                dtype = self.dtype
        return UOp(op, dtype, operands)

    @building
    def cast(self, dtype: DType) -> UOp:
        """The value converted to `dtype`; the value itself if it has that dtype."""
        return self if dtype == self.dtype else UOp(Op.CAST, dtype, (self,))

    @building
    def bitcast(self, dtype: DType) -> UOp:
        """The bits of the value reinterpreted as `dtype`, which must have the same size."""
        return self if dtype == self.dtype else UOp(Op.BITCAST, dtype, (self,))

    @building
    def where(self, then: UOp | Number, otherwise: UOp | Number) -> UOp:
        """`then` where this bool holds, else `otherwise`."""
        if isinstance(then, UOp):
            return self.alu(Op.WHERE, then, then.like(otherwise))
        assert isinstance(otherwise, UOp), "one branch must be a UOp, to give the dtype"
        return self.alu(Op.WHERE, otherwise.like(then), otherwise)

    def like(self, value: UOp | Number) -> UOp:  # pyright: ignore[reportIncompatibleMethodOverride]  no subclasses
        """Turns a number into a constant of this dtype and shape. A UOp is returned as it is."""
        if isinstance(value, UOp):
            return value
        return UOp.full(
            self.shape or (), self.dtype.base if isinstance(self.dtype, PtrDType) else self.dtype, value
        )

    def __bool__(self) -> bool:
        """Whether a constant is not zero; a node without a value is true, as any object is.

        Raises:
            BuildError: the value is only known when the expression is computed.
        """
        if self.op is Op.CONST:
            return bool(self.arg)
        if self.shape is not None:
            raise BuildError(
                f"{self!r} has no truth value before it is computed, so `if`, `and`, `max` and the like cannot use it; "
                f"build a choice with .where(), .maximum() or .minimum(), or ask eqsat.facts() what is known"
            )
        return True

    def __eq__(self, other: object) -> bool:
        """Whether the other is this very node. As equal nodes are one object, this is structural equality.

        Raises:
            BuildError: the other is a number or an array, so the caller probably means a comparison of values.
        """
        if isinstance(other, UOp):
            return self is other
        if self.shape is not None and isinstance(other, NUMBERS):
            raise BuildError(
                f"`==` and `!=` tell whether two nodes are the same one, and {brief(other)} is none; "
                f"build comparisons with .eq() and .ne()"
            )
        return NotImplemented

    __hash__ = object.__hash__

    # movement: each method returns the value itself when it would change nothing

    @building
    def reshape(self, shape: Sequence[int]) -> UOp:
        """The same elements, in row-major order, in another shape."""
        return self._moved(Op.RESHAPE, shape, self.shape)

    @building
    def permute(self, axes: Sequence[int]) -> UOp:
        """The axes reordered: axis k of the result is axis `axes[k]` of the value."""
        return self._moved(Op.PERMUTE, axes, tuple(range(len(self.shape or ()))))

    @building
    def expand(self, shape: Sequence[int]) -> UOp:
        """The value with axes of extent 1 repeated to fill `shape`."""
        return self._moved(Op.EXPAND, shape, self.shape)

    @building
    def pad(self, amounts: Sequence[tuple[int, int]]) -> UOp:
        """The value with zeros added around it; `amounts` has (before, after) for each axis."""
        return self._moved(Op.PAD, amounts, ((0, 0),) * len(self.shape or ()))

    @building
    def shrink(self, window: Sequence[tuple[int, int]]) -> UOp:
        """A window of the value; `window` has (begin, end) for each axis, where `end` is excluded."""
        return self._moved(Op.SHRINK, window, tuple((0, extent) for extent in self.shape or ()))

    @building
    def flip(self, axes: Sequence[bool]) -> UOp:
        """The value with its axes reversed where `axes` is True."""
        return self._moved(Op.FLIP, axes, (False,) * len(self.shape or ()))

    @building
    def reduce_axis(self, op: Op, axes: Sequence[int]) -> UOp:
        """The elements combined by `op` along `axes`, which disappear from the shape."""
        return UOp(Op.REDUCE_AXIS, self.dtype, (self,), (op, tuple(axes))) if axes else self

    @building
    def scan_axis(self, op: Op, axis: int) -> UOp:
        """Each element combined by `op` with all elements before it along an axis."""
        return UOp(Op.SCAN_AXIS, self.dtype, (self,), (op, (axis,)))

    @building
    def broadcast(self, shape: Shape) -> UOp:
        """This value expanded to `shape` by NumPy's broadcasting rule: missing axes are added in front."""
        own = self.shape or ()
        return self.reshape((1,) * (len(shape) - len(own)) + own).expand(shape)

    def _moved(self, op: Op, values: Sequence[Any], whole: Sequence[Any] | None) -> UOp:
        """A movement operation with one value for each axis, or the value itself if `values` equals `whole`, which moves nothing."""
        arg = by_axis(values)
        return self if arg == whole else UOp(op, self.dtype, (self,), arg)


variable = UOp.variable


def _factor(factor: Factor) -> UOp:
    """A factor of an extent: a variable whose value each call gives, or a quotient of an extent by a number."""
    if isinstance(factor, Dim):
        return UOp.variable(factor.name, factor.least, factor.greatest)
    return UOp.extent(Extent(factor.terms)) // factor.divisor


def _from_rows(rows: Sequence[Row]) -> UOp:
    """The UOp of the last row. Unpickling calls this.

    The rows are flat because pickle recurses into nested tuples, as deep as the graph.
    """
    built: list[UOp] = []
    for op, dtype, sources, arg in rows:
        built.append(UOp(op, dtype, tuple(built[source] for source in sources), arg))
    return built[-1]


def _compute_ranges(root: UOp) -> None:
    stack = [root]
    while stack:
        node = stack[-1]
        if node._ranges is not None:  # pyright: ignore[reportPrivateUsage]
            stack.pop()
            continue
        missing = [source for source in node.src if source._ranges is None]  # pyright: ignore[reportPrivateUsage]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        node._ranges = _ranges_of(node)  # pyright: ignore[reportPrivateUsage]


def _ranges_of(node: UOp) -> frozenset[UOp]:
    if node.op is Op.RANGE:
        return frozenset({node}).union(*(source.ranges for source in node.src))
    if not node.src or node.op is Op.LINEAR:  # END instructions close all loops of a LINEAR
        return frozenset()
    start, inside = node.op.info.range_start, frozenset[UOp]()
    for source in node.src[:start]:
        if not source.ranges <= inside:  # most sources depend on the same ranges and can share one set
            inside = source.ranges | inside if inside else source.ranges
    if start is None:
        return inside
    ended = {source for source in node.src[start:] if source.op is Op.RANGE}
    return inside - ended
