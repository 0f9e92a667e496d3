"""Rebuilds a graph with capacities, values or narrower bounds in place of its dynamic extents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from eqsat.dtype import DType, bool_, index
from eqsat.errors import BuildError
from eqsat.extents import Bounds, Extent, capacity, is_dynamic
from eqsat.ops import Op
from eqsat.shape import Shape
from eqsat.specialization.dynamic_extents import greatest_values, has_extents, traced_shapes
from eqsat.uop import UOp, rewrite, toposort

_EXTENT: Mapping[Op, Callable[[int, int], int]] = {
    Op.ADD: lambda one, other: one + other,
    Op.MUL: lambda one, other: one * other,
    Op.FLOORDIV: lambda one, other: one // other,
}
"""Evaluates the operations from which `UOp.extent` builds extents."""


def at_capacity(sink: UOp) -> UOp:
    """The graph with the capacity of each dynamic extent in its place."""
    return Sizing(capacity).sized([sink])[0]


def at_values(roots: Sequence[UOp], values: Mapping[str, int]) -> list[UOp]:
    """The graphs with values in place of dynamic extents, and of the variables that `values` names.

    Raises:
        BuildError: a value is missing.
    """

    def number(extent: int) -> int:
        if not isinstance(extent, Extent):
            return extent
        missing = [dim.name for dim in extent.dims if dim.name not in values]
        if missing:
            raise BuildError(
                f"dim {missing[0]!r} has no value; give it by name, or pass the arrays that have it"
            )
        return extent.at(values)

    return Sizing(number, {name: (value, value) for name, value in values.items()}).sized(roots)


def at_greatest(sink: UOp) -> UOp:
    """The graph with the greatest value of each dim in its place."""
    return at_values([sink], greatest_values(toposort([sink])))[0]


def narrowed(sink: UOp, bounds: Mapping[str, Bounds]) -> UOp:
    """The graph for narrower bounds of dims; a dim whose least and greatest value are equal disappears."""

    def number(extent: int) -> int:
        return extent.within(bounds) if isinstance(extent, Extent) else extent

    return Sizing(number, bounds).sized([sink])[0]


@dataclass(frozen=True)
class Sizing:
    """Replaces dynamic extents.

    Attributes:
        number: maps each extent to the extent that replaces it; plain numbers stay as they are.
        bounds: the new bounds of the variables that occur in extents, by name.
    """

    number: Callable[[int], int]
    bounds: Mapping[str, Bounds] = field(default_factory=dict[str, "Bounds"])

    def sized(self, roots: Sequence[UOp]) -> list[UOp]:
        """The graphs with the new extents."""
        order = toposort(roots)
        if not has_extents(order):
            return list(roots)
        done: dict[UOp, UOp] = {}
        for node in order:
            done[node] = self._node(node, tuple(done[source] for source in node.src))
        return [done[root] for root in roots]

    def _node(self, node: UOp, src: tuple[UOp, ...]) -> UOp:
        """The node with new extents, on the sources `src`, which have theirs already."""
        number = self.number
        match node.op:
            case Op.RESHAPE | Op.EXPAND:
                shape = tuple(map(number, node.arg))
                if node.src[0].op is Op.BUFFERIZE and is_dynamic(node.arg) and node.op is Op.RESHAPE:
                    return _counted(src[0], node.arg, shape)
                return src[0].reshape(shape) if node.op is Op.RESHAPE else src[0].expand(shape)
            case Op.PAD:
                return src[0].pad([(number(before), number(after)) for before, after in node.arg])
            case Op.SHRINK:
                return src[0].shrink([(number(begin), number(end)) for begin, end in node.arg])
            case Op.EMPTY:
                return node.replace(src=src, arg=tuple(map(number, node.arg)))
            case Op.PARAM:
                return node.replace(src=src, arg=(node.arg[0], number(node.arg[1])))
            case Op.SINK if traced_shapes(node):
                given = tuple(shape and tuple(map(number, shape)) for shape in traced_shapes(node))
                return node.replace(src=src, arg=given)
            case Op.DEFINE_VAR if node.arg[0] in self.bounds and node.dtype is index:
                least, greatest = self.bounds[node.arg[0]]
                return UOp.const(index, least) if least == greatest else UOp.variable(node.arg[0], least, greatest)  # fmt: skip
            case _:
                return _without_mask(node.with_src(src))


def _without_mask(node: UOp) -> UOp:
    """Simplifies masks `position < extent` of axes whose extent has become known.

    Expressions of extents become constants, a mask that is true for all elements becomes True, and WHERE and AND with such a mask become one of
    their operands. Other nodes stay as they are.
    """
    if node.op in _EXTENT and node.dtype is index and all(each.op is Op.CONST for each in node.src):
        return UOp.const(index, _EXTENT[node.op](*(each.arg for each in node.src)))
    match node.op:
        case Op.CAST if node.src[0].op is Op.CONST and node.src[0].dtype is index:
            assert isinstance(node.dtype, DType)
            return UOp.const(node.dtype, node.src[0].arg)
        case Op.CMPLT:
            count, end = map(_spread, node.src)
            is_count = (
                count.op is Op.BUFFERIZE and count.src[0] is count.src[1] and count.src[0].op is Op.RANGE
            )
            if is_count and end.op is Op.CONST and count.shape is not None and count.shape[0] <= end.arg:
                return UOp.full(node.shape or (), bool_, True)
        case Op.WHERE if _is_true(node.src[0]):
            return node.src[1]
        case Op.AND if _is_true(node.src[0]) or _is_true(node.src[1]):
            return node.src[1] if _is_true(node.src[0]) else node.src[0]
        case _:
            pass
    return node


def _spread(node: UOp) -> UOp:
    """The value under all RESHAPEs and EXPANDs."""
    while node.op in (Op.RESHAPE, Op.EXPAND):
        node = node.src[0]
    return node


def _is_true(condition: UOp) -> bool:
    return condition.dtype is bool_ and (value := _spread(condition)).op is Op.CONST and value.arg is True


def _counted(count: UOp, given: Shape, shape: Shape) -> UOp:
    """A comprehension, such as the positions 0, 1, …, whose loops over dynamic extents run to the capacities of the new extents."""
    loops = count.src[1:]
    if len(loops) != len(given):
        return count.reshape(shape)
    shorter = {
        loop: loop.with_src((UOp.const(index, capacity(extent)),))
        for loop, before, extent in zip(loops, given, shape, strict=True)
        if isinstance(before, Extent)
    }
    return rewrite([count], shorter)[0].reshape(shape)
