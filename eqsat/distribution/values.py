"""What a node of a program of several devices has become: one array, different copies of an array, or shards along an axis."""

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
        nodes: the array on each device that has it, or anywhere.
        copies: how many equal copies of it an ALLREDUCE combines.
    """

    nodes: Mapping[Place, UOp]
    copies: int = 1

    @property
    def first(self) -> UOp:
        """The array where it was first."""
        return next(iter(self.nodes.values()))


@dataclass(frozen=True, slots=True)
class Copies:
    """Arrays of one shape and of different contents, of which an operation computes each. Those that are not real hold no data."""

    nodes: tuple[UOp, ...]
    real: tuple[bool, ...]

    @property
    def first(self) -> UOp:
        """The array, where one is wanted."""
        return self.nodes[self.real.index(True)]


@dataclass(frozen=True, slots=True)
class Shards:
    """One array in parts along an axis; `copies` as for a whole one."""

    axis: int
    nodes: tuple[UOp, ...]
    copies: int = 1

    @property
    def bounds(self) -> tuple[tuple[int, int], ...]:
        """Where along the axis each part begins and ends."""
        ends = list(accumulate(shape_of(node)[self.axis] for node in self.nodes))
        return tuple(zip([0, *ends[:-1]], ends, strict=True))

    def replaced(self, axis: int, nodes: Sequence[UOp]) -> Shards:
        """Other parts, of equally many copies."""
        return Shards(axis, tuple(nodes), self.copies)


Value = Whole | Copies | Shards


def shape_of(node: UOp) -> Shape:
    """The shape of a node that has a value."""
    assert node.shape is not None, "what lies in shards has a value"
    return node.shape


def settled(value: Value, at: Placement) -> Value:
    """Shards without those that have no elements; whole on each of their devices, if one device has them all."""
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
    """The array on every device that has a part."""
    return Whole({place: whole_at(value, place, at) for place in _places(value, at)}, value.copies)


def _places(value: Shards, at: Placement) -> list[Place]:
    """The devices of the parts, each once."""
    return list(dict.fromkeys(place for node in value.nodes if (place := at(node)) is not None))


def home(nodes: Iterable[UOp], values: Iterable[Value], at: Placement) -> Place:
    """The device on which an operation is computed: that of the first of its operands, or else of its whole or sharded ones, that has one."""
    owned = [at(node) for node in nodes]
    for value in values:
        owned += value.nodes if isinstance(value, Whole) else map(at, value.nodes)
    return next((place for place in owned if place is not None), None)


def whole_at(value: Value, place: Place, at: Placement) -> UOp:
    """The array on one device."""
    match value:
        case Whole(nodes):
            return nodes[place] if place in nodes else at.fetch(nodes.get(None, value.first), place)
        case Copies():
            return at.fetch(value.first, place)
        case Shards(axis, nodes):
            return join([at.fetch(node, place) for node in nodes], axis)


def sliced(value: Whole | Shards, axis: int, window: tuple[int, int], place: Place, at: Placement) -> UOp:
    """The elements in a window of one axis, on one device."""
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
