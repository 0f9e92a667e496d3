"""Graphs whose captured data has become arguments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from eqsat.array.data import SLOTS_OF_TRACE, collect_params, parametrize
from eqsat.codegen import Variable
from eqsat.distribution import on_one_device
from eqsat.errors import BuildError
from eqsat.extents import Bounds, Extent, is_dynamic
from eqsat.graph_files.reading import MOST_SLOTS
from eqsat.ops import Op
from eqsat.pipeline.functions.dynamic import dynamic_of
from eqsat.schedule.dynamic.arrays import Dynamic
from eqsat.shape import Shape
from eqsat.specialization.binding import Binding
from eqsat.specialization.dynamic_extents import traced_shapes
from eqsat.specialization.specialize import at_capacity, narrowed
from eqsat.uop import UOp


@dataclass(frozen=True)
class Closed:
    """A graph whose data has become further arguments.

    Attributes:
        sink: the graph. If only calls know some extents, it is the graph for one device, with capacities in their place.
        shapes: the shapes of the caller's arrays, where they are known.
        captured: the data; it follows the caller's arrays.
        dynamic: the shapes of arguments and results, if only calls know some extents; else None.
        graph: the graph with these extents; None if there are none.
    """

    sink: UOp
    shapes: tuple[Shape | None, ...]
    captured: tuple[NDArray[Any], ...]
    dynamic: Dynamic | None = None
    graph: UOp | None = None

    @staticmethod
    def of(graph: UOp) -> Closed:
        """Replaces the BUFFERs of `graph` by PARAMs, and extents that only calls know by capacities."""
        arguments = 1 + last_slot(collect_params(graph))
        traced = traced_shapes(graph)
        shapes: tuple[Shape | None, ...] = traced + (None,) * (arguments - len(traced))
        sink, captured = parametrize(graph, len(shapes))
        return Closed.sized(sink, shapes, captured)

    @staticmethod
    def sized(graph: UOp, shapes: tuple[Shape | None, ...], captured: tuple[NDArray[Any], ...]) -> Closed:
        """Does the same for a graph without BUFFERs: replaces extents that only calls know by capacities."""
        dynamic = dynamic_of(graph, shapes)
        if dynamic is None:
            return Closed(graph, shapes, captured)
        known = [dynamic.inputs.get(slot) for slot in range(len(shapes))]
        shapes = tuple(
            found if is_dynamic(found) else shape for found, shape in zip(known, shapes, strict=True)
        )
        return Closed(at_capacity(on_one_device(graph)), shapes, captured, dynamic, graph)

    def within(self, bounds: Mapping[str, Bounds]) -> Closed:
        """The same graph for values of dims within narrower bounds."""
        if self.graph is None:
            return self
        shapes = tuple(
            shape and tuple(each.within(bounds) if isinstance(each, Extent) else each for each in shape)
            for shape in self.shapes
        )
        return Closed.sized(narrowed(self.graph, bounds), shapes, self.captured)

    @property
    def binding(self) -> Binding | None:
        """How calls find the values of dims in the shapes of their arrays; None if all shapes are known."""
        return None if self.dynamic is None else Binding(self.shapes, self.dynamic.outputs)

    @property
    def variables(self) -> dict[str, Variable]:
        """The variables that each call gives values, by name. Dims that calls find in the shapes of arrays are left out."""
        variables = {node.arg[0]: Variable.of(node) for node in _free_variables(self.sink)}
        if self.dynamic is not None:
            nodes = [node for extent in self.dynamic.extents for node in _free_variables(extent)]
            variables |= {node.arg[0]: Variable.of(node) for node in nodes}
            bound = Binding(self.shapes, ()).names
            variables = {name: variable for name, variable in variables.items() if name not in bound}
        return variables


def last_slot(params: Iterable[UOp]) -> int:
    """The greatest slot of PARAMs; -1 if there are none.

    Raises:
        BuildError: a program cannot have as many arguments.
    """
    last: int = max((param.arg[0] for param in params), default=-1)
    if last >= SLOTS_OF_TRACE:
        raise BuildError(
            "the graph reads an argument of a function that is being traced, or was; compile what eqsat.trace or eqsat.jit makes of the function"
        )
    if last >= MOST_SLOTS:
        raise BuildError(f"the graph has an argument number {last}; number them from 0, below {MOST_SLOTS}")
    return last


def _free_variables(sink: UOp) -> Iterator[UOp]:
    """The variables to which no BIND gives a value."""
    pending, seen = [sink], {sink}
    while pending:
        node = pending.pop()
        if node.op is Op.DEFINE_VAR:
            yield node
        new = set(node.src[1:] if node.op is Op.BIND else node.src) - seen
        seen |= new
        pending += new
