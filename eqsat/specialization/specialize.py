"""Graphs with dynamic extents, which are known only when a program is called.

A graph is rebuilt with capacities, values or narrower bounds in place of its dynamic extents. A `Binding` finds the values of dims in the
shapes of a call's arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple, cast

from eqsat.dtype import DType, bool_, index
from eqsat.errors import BuildError, ExtentError
from eqsat.extents import Bounds, Extent, capacity, is_dynamic
from eqsat.extents.factors import Dim
from eqsat.ops import Op
from eqsat.shape import Shape
from eqsat.uop import UOp, rewrite, toposort

_EXTENT: Mapping[Op, Callable[[int, int], int]] = {
    Op.ADD: lambda one, other: one + other,
    Op.MUL: lambda one, other: one * other,
    Op.FLOORDIV: lambda one, other: one // other,
}
"""Evaluates the operations from which `UOp.extent` builds extents."""


def has_extents(nodes: Sequence[UOp]) -> bool:
    """Whether a node has a dynamic extent, or an argument of the traced function has one, even if no node reads that argument."""
    return any(is_dynamic(node.shape) or any(map(is_dynamic, _traced_shapes(node))) for node in nodes)


def extents_of(nodes: Sequence[UOp]) -> frozenset[Extent]:
    """All dynamic extents of the nodes.

    Raises:
        BuildError: dims of one name have different bounds, or a variable of the graph has the name of a dim but other bounds.
    """
    found = frozenset(each for node in nodes for each in node.shape or () if isinstance(each, Extent))
    known = {node.arg[0]: Dim(*node.arg) for node in nodes if node.op is Op.DEFINE_VAR}
    for extent in sorted(found, key=repr):
        for dim in extent.dims:
            other = known.setdefault(dim.name, dim)
            if other != dim:
                raise BuildError(
                    f"dim {dim.name!r} is {dim.least}..{dim.greatest} in one place and {other.least}..{other.greatest} in another; "
                    f"make it once by eqsat.dim, or give them different names"
                )
    return found


def argument_shapes(nodes: Sequence[UOp]) -> dict[int, Shape]:
    """The shapes of the arguments that have dynamic extents, by slot."""
    found: dict[int, Shape] = {}
    for node in nodes:
        found |= {slot: shape for slot, shape in enumerate(_traced_shapes(node)) if is_dynamic(shape)}
    for node in nodes:
        if node.op is Op.RESHAPE and node.src[0].op is Op.PARAM and is_dynamic(node.shape):
            found.setdefault(node.src[0].arg[0], node.shape or ())
    for node in nodes:
        if node.op is Op.PARAM and is_dynamic(node.shape):
            found.setdefault(node.arg[0], node.shape or ())
    return found


def _traced_shapes(node: UOp) -> tuple[Shape, ...]:
    """The shapes of a function's arguments, which `trace` stores in the SINK; empty for any other node."""
    is_traced = node.op is Op.SINK and type(node.arg) is tuple
    return cast("tuple[Shape, ...]", node.arg) if is_traced else ()  # pyright: ignore[reportUnknownMemberType]


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
            case Op.PARAM:
                return node.replace(src=src, arg=(node.arg[0], number(node.arg[1])))
            case Op.SINK if _traced_shapes(node):
                given = tuple(tuple(map(number, shape)) for shape in _traced_shapes(node))
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


class _Source(NamedTuple):
    """Where a call finds the value of a dim: the extent of `axis` of `argument` is `factor · value + offset`."""

    dim: Dim
    argument: int
    axis: int
    factor: int
    offset: int


class Binding:
    """Finds the values of dims in the shapes of a call's arrays.

    Attributes:
        names: the dims that the shapes determine; a call gives the values of all others by name.
        values: maps the shapes of all arguments to the value of each dim.
        shapes: maps the values of dims, as pairs of name and value, to the shapes of the results.
    """

    def __init__(
        self, shapes: Sequence[Shape | None], results: Sequence[Shape], labels: Sequence[str] = ()
    ) -> None:
        """The declared shapes of arguments (None: any shape) and of results; `labels` name the arguments in messages."""
        self._shapes = shapes
        self._labels = labels or [f"argument {number} of the program" for number in range(len(shapes))]
        self._results = results
        sources: dict[str, _Source] = {}
        for argument, shape in enumerate(shapes):
            for axis, extent in enumerate(shape or ()):
                if isinstance(extent, Extent) and (found := _source(extent, argument, axis)) is not None:
                    sources.setdefault(found.dim.name, found)
        self._sources = tuple(sources.values())
        self.names = frozenset(sources)
        self.values = lru_cache(1 << 10)(self._values)
        self.shapes = lru_cache(1 << 10)(self._shapes_of_results)

    def _values(self, given: tuple[tuple[int, ...], ...]) -> dict[str, int]:
        """The value of each dim, from the shapes of all arguments.

        Raises:
            ExtentError: an extent is out of bounds, or two arrays disagree about one.
        """
        for argument, (wanted, shape) in enumerate(zip(self._shapes, given, strict=True)):
            if wanted is not None and len(shape) != len(wanted):
                raise ExtentError(
                    f"{self._labels[argument]} has shape {shape} and must be {wanted}; reshape it, or compile again"
                )
        values: dict[str, int] = {}
        for source in self._sources:
            values[source.dim.name] = _value(source, given, self._labels[source.argument])
        for argument, (wanted, shape) in enumerate(zip(self._shapes, given, strict=True)):
            for axis, (extent, actual) in enumerate(zip(wanted or shape, shape, strict=True)):
                self._require(extent, actual, argument, axis, values)
        return values

    def _require(self, extent: int, actual: int, argument: int, axis: int, values: dict[str, int]) -> None:
        if not isinstance(extent, Extent):
            if extent != actual:
                raise ExtentError(
                    f"{self._labels[argument]} has extent {actual} on axis {axis} and must have {extent}; reshape it, or compile again"
                )
            return
        if any(dim.name not in values for dim in extent.dims):
            return  # the call gives a dim by name; the device checks the number of elements
        if extent.at(values) != actual:
            first = next(source for source in self._sources if source.dim in extent.dims)
            raise ExtentError(
                f"{self._labels[argument]} has extent {actual} on axis {axis}, which is {extent}, and {self._labels[first.argument]} "
                f"says on axis {first.axis} that {first.dim.name} is {values[first.dim.name]}; arrays that share a dim have one extent: "
                f"pass arrays that agree, or give the axes different dims"
            )

    def _shapes_of_results(self, values: tuple[tuple[str, int], ...]) -> tuple[Shape, ...]:
        known = dict(values)
        return tuple(
            tuple(extent.at(known) if isinstance(extent, Extent) else extent for extent in shape)
            for shape in self._results
        )


def _source(extent: Extent, argument: int, axis: int) -> _Source | None:
    """How to compute a dim from this extent of an argument; None unless the extent is linear in a single dim."""
    (dim, *others), terms = extent.dims, dict(extent.terms)
    if others or not terms.keys() <= {(), (dim,)}:
        return None
    return _Source(dim, argument, axis, terms[(dim,)], terms.get((), 0))


def _value(source: _Source, given: Sequence[tuple[int, ...]], label: str) -> int:
    dim, argument, axis, factor, offset = source
    extent = given[argument][axis]
    value, rest = divmod(extent - offset, factor)
    if rest or not dim.least <= value <= dim.greatest:
        wanted = f"{factor}·{dim.name} + {offset}" if (factor, offset) != (1, 0) else dim.name
        raise ExtentError(
            f"{label} has extent {extent} on axis {axis}, which is {wanted} with {dim.name} in "
            f"{dim.least}..{dim.greatest}; pass an array within the bounds, or compile for others by eqsat.dim({dim.name!r}, "
            f"{max(1, min(dim.least, value))}, {max(dim.greatest, value)})"
        )
    return value
