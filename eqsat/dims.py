"""Graphs of arrays whose extents only calls know: with room for the greatest, for known values, and what the arrays of a call say about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, cast

from eqsat.dtype import index
from eqsat.errors import BuildError, ExtentError
from eqsat.extents import Dim, Extent, capacity, is_dynamic
from eqsat.ops import Op
from eqsat.shape import Shape
from eqsat.uop import UOp, toposort


def has_extents(nodes: Sequence[UOp]) -> bool:
    """Whether the extent of an axis of some node is known only when a program is called."""
    return any(is_dynamic(node.shape) for node in nodes)


def extents_of(nodes: Sequence[UOp]) -> frozenset[Extent]:
    """All extents that only calls know.

    Raises:
        BuildError: dims of one name have different bounds, or a variable of the graph has the name of a dim and other bounds.
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
    """The shapes of arguments some of whose extents only calls know, by slot."""
    found: dict[int, Shape] = {}
    for node in nodes:
        if node.op is Op.RESHAPE and node.src[0].op is Op.PARAM and is_dynamic(node.shape):
            found.setdefault(node.src[0].arg[0], node.shape or ())
    for node in nodes:
        if node.op is Op.PARAM and is_dynamic(node.shape):
            found.setdefault(node.arg[0], node.shape or ())
    return found


def at_capacity(sink: UOp) -> UOp:
    """The graph with room for the greatest extents in place of the extents."""
    return _with_extents([sink], None)[0]


def at_values(roots: Sequence[UOp], values: Mapping[str, int]) -> list[UOp]:
    """The graphs with the extents, and the variables of these names, that these values say.

    Raises:
        BuildError: a value is missing.
    """
    return _with_extents(roots, values)


def _with_extents(roots: Sequence[UOp], values: Mapping[str, int] | None) -> list[UOp]:
    """With the extents for values, or the capacities."""
    order = toposort(roots)
    if not has_extents(order):
        return list(roots)
    done: dict[UOp, UOp] = {}
    for node in order:
        done[node] = _sized(node, tuple(done[source] for source in node.src), values)
    return [done[root] for root in roots]


def _sized(node: UOp, src: tuple[UOp, ...], values: Mapping[str, int] | None) -> UOp:
    """One node on sources that are sized already."""

    def number(extent: int) -> int:
        if values is None or not isinstance(extent, Extent):
            return capacity(extent)
        missing = [dim.name for dim in extent.dims if dim.name not in values]
        if missing:
            raise BuildError(
                f"dim {missing[0]!r} has no value; give it by name, or pass the arrays that have it"
            )
        return extent.at(values)

    match node.op:
        case Op.RESHAPE | Op.EXPAND:
            shape = tuple(map(number, node.arg))
            if (
                node.src[0].op is Op.BUFFERIZE and node.op is Op.RESHAPE and len(shape) == 1
            ):  # a count, up to the extent
                return src[0].shrink([(0, shape[0])])
            return src[0].reshape(shape) if node.op is Op.RESHAPE else src[0].expand(shape)
        case Op.PAD:
            return src[0].pad([(number(before), number(after)) for before, after in node.arg])
        case Op.SHRINK:
            return src[0].shrink([(number(begin), number(end)) for begin, end in node.arg])
        case Op.PARAM:
            return node.replace(src=src, arg=(node.arg[0], number(node.arg[1])))
        case Op.SINK if type(node.arg) is tuple:  # the shapes of arguments, as `trace` leaves them
            given = cast("tuple[Shape, ...]", node.arg)  # pyright: ignore[reportUnknownMemberType]
            return node.replace(src=src, arg=tuple(tuple(map(number, shape)) for shape in given))
        case Op.DEFINE_VAR if values is not None and node.arg[0] in values and node.dtype is index:
            return UOp.const(index, values[node.arg[0]])
        case _:
            return node.with_src(src)


class _Source(NamedTuple):
    """Where a call finds the value of a dim: `factor · value + offset` is the extent of an axis of an argument."""

    dim: Dim
    argument: int
    axis: int
    factor: int
    offset: int


class Binding:
    """What the shapes of a call's arrays say about dims.

    Attributes:
        names: of the dims that the shapes give values; a call gives the others by name.
    """

    def __init__(
        self, shapes: Sequence[Shape | None], results: Sequence[Shape], labels: Sequence[str] = ()
    ) -> None:
        """`labels` are what messages call the arguments."""
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
            return  # of dims that the call names; the device checks the number of elements
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
    """What an extent of one variable says about it."""
    if len(extent.dims) != 1 or any(len(monomial) > 1 for monomial, _ in extent.terms):
        return None
    terms = dict(extent.terms)
    (dim,) = extent.dims
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
