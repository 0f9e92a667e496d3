"""Graphs whose data became arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from numpy.typing import NDArray

from eqsat.array.data import collect_params, parametrize
from eqsat.codegen import Variable
from eqsat.dims import Binding, at_capacity, narrowed
from eqsat.distribution import on_one_device
from eqsat.extents import Bounds, Extent, is_dynamic
from eqsat.ops import Op
from eqsat.pipeline.dynamic import dynamic_of
from eqsat.schedule.dynamic.arrays import Dynamic
from eqsat.shape import Shape
from eqsat.uop import UOp


@dataclass(frozen=True)
class Closed:
    """A graph whose data became further arguments. `captured` is that data; it follows the caller's arrays. `shapes` are known shapes of these.

    `dynamic` has the shapes of arguments and results where calls know some of their extents; `sink` has room for the greatest then, as one device
    computes it, and `graph` has the extents.
    """

    sink: UOp
    shapes: tuple[Shape | None, ...]
    captured: tuple[NDArray[Any], ...]
    dynamic: Dynamic | None = None
    graph: UOp | None = None

    @staticmethod
    def of(graph: UOp) -> Closed:
        """Replaces the BUFFERs of `graph` by PARAMs, and extents that calls know by capacities."""
        arguments = 1 + max((node.arg[0] for node in collect_params(graph)), default=-1)
        known: Any = graph.arg  # as `trace` leaves it
        traced = cast("tuple[Shape, ...]", known) if isinstance(known, tuple) else ()
        shapes: tuple[Shape | None, ...] = traced + (None,) * (arguments - len(traced))
        sink, captured = parametrize(graph, len(shapes))
        return Closed.sized(sink, shapes, captured)

    @staticmethod
    def sized(graph: UOp, shapes: tuple[Shape | None, ...], captured: tuple[NDArray[Any], ...]) -> Closed:
        """A graph without BUFFERs; extents that calls know become capacities."""
        dynamic = dynamic_of(graph, shapes)
        if dynamic is None:
            return Closed(graph, shapes, captured)
        known = [dynamic.inputs.get(slot) for slot in range(len(shapes))]
        shapes = tuple(
            found if is_dynamic(found) else shape for found, shape in zip(known, shapes, strict=True)
        )
        return Closed(at_capacity(on_one_device(graph)), shapes, captured, dynamic, graph)

    def within(self, bounds: Mapping[str, Bounds]) -> Closed:
        """The same for values of dims within narrower bounds."""
        if self.graph is None:
            return self
        shapes = tuple(
            shape and tuple(each.within(bounds) if isinstance(each, Extent) else each for each in shape)
            for shape in self.shapes
        )
        return Closed.sized(narrowed(self.graph, bounds), shapes, self.captured)

    @property
    def binding(self) -> Binding | None:
        """What calls find out from the shapes of arrays; None where all shapes are known."""
        return None if self.dynamic is None else Binding(self.shapes, self.dynamic.outputs)

    @property
    def variables(self) -> dict[str, Variable]:
        """The variables that each call gives a value, by name; those of extents that arrays have are found there."""
        variables = {node.arg[0]: Variable.of(node) for node in _free_variables(self.sink)}
        if self.dynamic is not None:
            nodes = [node for extent in self.dynamic.extents for node in _free_variables(extent)]
            variables |= {node.arg[0]: Variable.of(node) for node in nodes}
            bound = Binding(self.shapes, ()).names
            variables = {name: variable for name, variable in variables.items() if name not in bound}
        return variables


def _free_variables(sink: UOp) -> Iterator[UOp]:
    """The variables that no BIND gives a value."""
    pending, seen = [sink], {sink}
    while pending:
        node = pending.pop()
        if node.op is Op.DEFINE_VAR:
            yield node
        new = set(node.src[1:] if node.op is Op.BIND else node.src) - seen
        seen |= new
        pending += new
