"""Cuts a program for several devices into parts, each a graph for one device and one step.

COPYs between devices separate the steps of a program. The part of a device in step s computes the values that depend on copies from step s - 1,
but on none from a later step. A value that no device owns is computed in each part that needs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from eqsat.distribution.placement import Place, Placement
from eqsat.distribution.values import shape_of
from eqsat.dtype import DType
from eqsat.extents import is_dynamic
from eqsat.ops import AXES_REDUCED, MOVEMENT, Op
from eqsat.positions import within
from eqsat.shape import Shape
from eqsat.specialization.dynamic_extents import argument_shapes
from eqsat.uop import UOp, toposort
from eqsat.uop.satisfying import Satisfying

_VIEWS = frozenset({Op.RESHAPE, Op.SHRINK, Op.PERMUTE})  # views that the host makes without computing


@dataclass(frozen=True, slots=True)
class Given:
    """A view of the caller's array number `slot`; `views` has the operations that make it, with their arguments, in order."""

    slot: int
    views: tuple[tuple[Op, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Made:
    """A value that was made by a part: its result `number`."""

    part: int
    number: int


Source = Given | Made


@dataclass(frozen=True, slots=True)
class Part:
    """The computation of one device in one step.

    Attributes:
        place: the device; None if any device may compute the part.
        sink: the graph; its PARAM k stands for source k.
        sources: the arguments of the graph.
        shapes: for each source, its shape if that depends on a dim, else None.
    """

    place: Place
    sink: UOp
    sources: tuple[Source, ...]
    shapes: tuple[Shape | None, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """A result of the program: one piece, or several pieces that are joined along an axis."""

    pieces: tuple[Made, ...]
    axis: int = 0


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a program, each after the parts whose results it reads, and the results of the program."""

    parts: tuple[Part, ...]
    results: tuple[Result, ...]


_Key = tuple[int, Place]  # a step and a device


def cut(sink: UOp) -> Parts:
    """The parts of a graph that `distribute` made, in which PARAMs have replaced BUFFERs."""
    results = [source.src if source.op is Op.MULTI else (source,) for source in sink.src]
    pieces = [[_origin(piece) for piece in each] for each in results]
    cutting = _Cut([piece for each in pieces for piece in each])
    wanted = [[cutting.export(piece) for piece in each] for each in pieces]
    last_first = sorted(cutting.keys, key=lambda key: -key[0])  # building a part adds to earlier exports
    made = {key: _Builder(cutting, key).part() for key in last_first}
    order = sorted((key for key in cutting.keys if key in cutting.exports), key=lambda key: key[0])
    index = {key: number for number, key in enumerate(order)}

    def numbered(source: Given | tuple[_Key, int]) -> Source:
        return source if isinstance(source, Given) else Made(index[source[0]], source[1])

    given = argument_shapes(toposort([sink]))
    parts: list[Part] = []
    for key in order:
        graph, sources = made[key]
        shapes = (
            given.get(each.slot) if isinstance(each, Given) and not each.views else shape
            for each, shape in sources.items()
        )
        known = tuple(shape if is_dynamic(shape) else None for shape in shapes)
        parts.append(Part(key[1], graph, tuple(map(numbered, sources)), known))
    axes = [source.arg[0] if source.op is Op.MULTI else 0 for source in sink.src]
    return Parts(tuple(parts), tuple(
        Result(tuple(Made(index[key], number) for key, number in each), axis)
        for each, axis in zip(wanted, axes, strict=True)
    ))  # fmt: skip


def _origin(node: UOp) -> UOp:
    """The value that a chain of COPYs copies."""
    while node.op is Op.COPY:
        node = node.src[1]
    return node


class _Cut:
    """The step and device of each node, and the nodes that each part exports."""

    def __init__(self, roots: Sequence[UOp]) -> None:
        self.at = Placement()
        self.step: dict[UOp, int] = {}
        for node in toposort(roots):
            first = max((self.step[source] for source in node.src), default=0)
            self.step[node] = first + (node.op is Op.COPY and self._crosses(node))
        computed = [node for node in self.step if self.at(node) is not None]
        self.keys = dict.fromkeys((self.step[node], self.at(node)) for node in [*computed, *roots])
        self.exports: dict[_Key, dict[UOp, int]] = {}

    def _crosses(self, node: UOp) -> bool:
        source = self.at(node.src[1])
        return source is not None and source != self.at(node)

    def export(self, node: UOp) -> tuple[_Key, int]:
        """Makes a node a result of the part that computes it; returns this part, and the number of the result."""
        key = self.step[node], self.at(node)
        numbers = self.exports.setdefault(key, {})
        return key, numbers.setdefault(node, len(numbers))


class _Builder:
    """Builds the graph of one part."""

    def __init__(self, cutting: _Cut, key: _Key) -> None:
        self._cut = cutting
        self._key = key
        self._sources: dict[Given | tuple[_Key, int], tuple[int, Shape]] = {}
        self._leaves = Satisfying(self._is_leaf)

    def part(self) -> tuple[UOp, dict[Given | tuple[_Key, int], Shape]]:
        """The graph of the exported nodes, and the sources of its arguments with their shapes."""
        roots = [*self._cut.exports.get(self._key, {})]
        done: dict[UOp, UOp] = {}
        imported: set[UOp] = set()  # nodes that depend on other parts
        for node in toposort([UOp.sink(*roots)], self._leaves)[:-1]:
            if node.op is Op.COPY and not self._is_import(node):
                done[node] = done[node.src[1]]
            elif self._is_leaf(node):
                done[node] = self._input(node)
            else:
                sources = tuple(done[source] for source in node.src)
                if node.op in AXES_REDUCED and not imported.isdisjoint(node.src):
                    sources = (within(node.arg[0], sources[0], node.arg[1]),)
                done[node] = node.with_src(sources)
            if not imported.isdisjoint(node.src) or (self._is_leaf(node) and _given(node) is None):
                imported.add(node)
        shapes = {source: shape for source, (_, shape) in self._sources.items()}
        return UOp.sink(*(done[root] for root in roots)), shapes

    def _is_leaf(self, node: UOp) -> bool:
        return node.op is not Op.SINK and (_given(node) is not None or self._is_import(node))

    def _is_import(self, node: UOp) -> bool:
        """Whether a node, or the value that it copies, is computed by another part. Movements of such a value are done in this part."""
        origin = _origin(node)
        place, step = self._cut.at(origin), self._cut.step[origin]
        if place is None or origin.op is Op.PARAM or (step, place) == self._key:
            return False
        return node.op is Op.COPY or not (node.op in MOVEMENT and self._cut.at(node.src[0]) is not None)

    def _input(self, node: UOp) -> UOp:
        """The argument for a value from the caller or another part."""
        found = _given(node)
        source = self._cut.export(_origin(node)) if found is None else found
        slot, shape = self._sources.setdefault(source, (len(self._sources), shape_of(node)))
        assert isinstance(node.dtype, DType)
        return UOp.param(slot, prod(shape), node.dtype).reshape(shape)


def _given(node: UOp) -> Given | None:
    """The source for a PARAM, or for a window of a PARAM that the host can pass; None for other nodes."""
    if node.op not in (Op.PARAM, Op.SHRINK):
        return None
    views: list[tuple[Op, Any]] = []
    while node.op in _VIEWS:
        views.append((node.op, node.arg))
        node = node.src[0]
    return Given(node.arg[0], tuple(reversed(views))) if node.op is Op.PARAM else None
