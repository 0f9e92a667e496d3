"""The values that replace nodes of a program for several devices: one array, different copies, or shards along an axis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from eqsat.distribution.placement import Place, Placement
from eqsat.extents import Extent, may_have_elements
from eqsat.shape import Shape
from eqsat.uop import UOp, join
from eqsat.uop.taking import taken


@dataclass(frozen=True, slots=True)
class Whole:
    """One array.

    Attributes:
        nodes: the node of the array on each device that has it; under None if it may be anywhere.
        copies: the number of equal copies for which it stands; an ALLREDUCE combines them.
    """

    nodes: Mapping[Place, UOp]
    copies: int = 1

    @property
    def first(self) -> UOp:
        """The array on the first of its devices."""
        return next(iter(self.nodes.values()))


@dataclass(frozen=True, slots=True)
class Copies:
    """Arrays of one shape with different contents; operations apply to each of them. Copies that are not `real` hold no data."""

    nodes: tuple[UOp, ...]
    real: tuple[bool, ...]

    @property
    def first(self) -> UOp:
        """The first real copy, for use where one array is wanted."""
        return self.nodes[self.real.index(True)]


@dataclass(frozen=True, slots=True)
class Shards:
    """One array in parts along an axis; `copies` is as for `Whole`."""

    axis: int
    nodes: tuple[UOp, ...]
    copies: int = 1

    @property
    def bounds(self) -> tuple[tuple[int, int], ...]:
        """The begin and the end of each part along the axis."""
        ends = list(accumulate(shape_of(node)[self.axis] for node in self.nodes))
        return tuple(zip([0, *ends[:-1]], ends, strict=True))

    def replaced(self, axis: int, nodes: Sequence[UOp]) -> Shards:
        """Shards of other nodes along another axis, with the same `copies`."""
        return Shards(axis, tuple(nodes), self.copies)


Value = Whole | Copies | Shards


def shape_of(node: UOp) -> Shape:
    """The shape of a node, which must have a value."""
    assert node.shape is not None, "what lies in shards has a value"
    return node.shape


def settled(value: Value, at: Placement) -> Value:
    """The value without empty shards; if all other shards are on one device, they are joined to a whole array."""
    if not isinstance(value, Shards):
        return value
    nodes = (
        tuple(node for node in value.nodes if may_have_elements(shape_of(node)[value.axis]))
        or value.nodes[:1]
    )
    if len({at(node) for node in nodes}) > 1:
        return Shards(value.axis, nodes, value.copies)
    joined = join(nodes, value.axis)
    places = _places(value, at)
    return Whole({place: at.fetch(joined, place) for place in [at(joined), *places]}, value.copies)


def gathered(value: Shards, at: Placement) -> Whole:
    """The whole array on every device that has a part of it."""
    return Whole({place: whole_at(value, place, at) for place in _places(value, at)}, value.copies)


def _places(value: Shards, at: Placement) -> list[Place]:
    """The distinct devices of the parts."""
    return list(dict.fromkeys(place for node in value.nodes if (place := at(node)) is not None))


def home(nodes: Iterable[UOp], values: Iterable[Value], at: Placement) -> Place:
    """The device on which to compute an operation: the first device among the operand `nodes`, and then among `values`; None if there is none."""
    owned = [at(node) for node in nodes]
    for value in values:
        owned += value.nodes if isinstance(value, Whole) else map(at, value.nodes)
    return next((place for place in owned if place is not None), None)


def whole_at(value: Value, place: Place, at: Placement) -> UOp:
    """The whole array on one device."""
    match value:
        case Whole(nodes):
            return nodes[place] if place in nodes else at.fetch(nodes.get(None, value.first), place)
        case Copies():
            return at.fetch(value.first, place)
        case Shards(axis, nodes):
            return join([at.fetch(node, place) for node in nodes], axis)


def sliced(value: Whole | Shards, axis: int, window: tuple[int, int], place: Place, at: Placement) -> UOp:
    """The elements in a window of one axis, on one device; from shards, only the overlapping parts are copied."""
    if isinstance(value, Whole):
        node = next((value.nodes[known] for known in (place, None) if known in value.nodes), value.first)
        return at.fetch(_window(node, axis, window), place)
    known = dict(zip(value.bounds, value.nodes, strict=True))
    if value.axis == axis and window in known:
        return at.fetch(known[window], place)
    if value.axis != axis:
        return join([at.fetch(_window(node, axis, window), place) for node in value.nodes], value.axis)
    pieces: list[UOp] = []
    for node, (begin, end) in zip(value.nodes, value.bounds, strict=True):
        low, high = max(begin, window[0]), min(end, window[1])
        if low < high:
            pieces.append(at.fetch(_window(node, axis, (low - begin, high - begin)), place))
    return join(pieces, axis)


def _window(node: UOp, axis: int, window: tuple[int, int]) -> UOp:
    begin, end = window
    if isinstance(begin, Extent):
        return taken(node, axis, UOp.iota(end - begin) + begin)
    return node.shrink(
        [window if each == axis else (0, extent) for each, extent in enumerate(shape_of(node))]
    )
