"""From an array graph, or an e-graph of many array graphs, to a `Schedule`: the kernels, their buffers, and their loops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from math import inf
from time import perf_counter

from eqsat.dtype import DType
from eqsat.egraph.snapshot.snapshot import Snapshot
from eqsat.errors import ScheduleError
from eqsat.floats.forms import USUAL_ACCURACY, Accuracy
from eqsat.machine import Machine
from eqsat.ops import Op
from eqsat.schedule.buffers import buffers_of, joined
from eqsat.schedule.draft import Draft, Drafts
from eqsat.schedule.dynamic.restrictions import NO_DYNAMIC_EXTENTS, DynamicExtents
from eqsat.schedule.forms import with_forms
from eqsat.schedule.kernel import BufferSpec, Role, Schedule
from eqsat.schedule.layers import Layer, is_deep, layers_of
from eqsat.schedule.lowering.older_forms import modernize
from eqsat.schedule.own_products import with_own_products_rounded
from eqsat.schedule.placement import OF_FEW_STEPS, OF_LAYERS, OF_STEPS, Effort, KernelPrices, extract_kernels
from eqsat.schedule.placement.without_parts import without_parts
from eqsat.uop import UOp, toposort


def schedule(graph: UOp | Snapshot, device: Machine) -> Schedule:
    """The kernels that are predicted to compute a SINK of array programs over PARAMs soonest, each with its best loops.

    For an e-graph whose only root is such a SINK, they may compute any of the programs in it. The e-graph must hold modern operations only.

    Raises:
        ScheduleError: the graph holds something that is no array computation.
    """
    return draft(graph, device).schedule()


def draft(
    graph: UOp | Snapshot,
    device: Machine,
    effort: Effort | None = None,
    accuracy: Accuracy = USUAL_ACCURACY,
) -> Drafts:
    """The same kernels, with all the loops that each may have.

    `accuracy` is that of elementary functions.

    Raises:
        ScheduleError: the graph holds something that is no array computation.
    """
    return _finished(_extracted(graph, KernelPrices(device), effort), accuracy)


def draft_of_layers(
    sink: UOp,
    device: Machine,
    equal: Callable[[UOp], UOp | Snapshot],
    accuracy: Accuracy = USUAL_ACCURACY,
    gap: float = Effort.gap,
    seconds: float = inf,
    dynamic: DynamicExtents = NO_DYNAMIC_EXTENTS,
) -> Drafts:
    """The kernels of a SINK of array programs with all the loops that each may have, chosen layer by layer.

    `equal` returns the e-graph of a layer's SINK, or a SINK that equals it. `dynamic` has extents of axes of which
    only calls know where they end. `accuracy` is that of `draft`, `gap`
    that of `Effort`. After `seconds`, the remaining layers are scheduled as they are written, each with the first kernels found that can be built.

    Raises:
        ScheduleError: the graph holds something that is no array computation.
    """
    prices = KernelPrices(holding(sink, device), dynamic)
    layers = layers_of(sink, moving=not dynamic.unmerged, shallow=not device.has_groups)
    effort = replace(_effort(sink, layers), gap=gap, until=perf_counter() + seconds)
    known: dict[UOp, Drafts] = {}
    for layer in layers:
        if layer.sink not in known:
            graph = layer.sink if effort.is_over else equal(layer.sink)
            known[layer.sink] = _extracted(graph, prices, effort)
    return _finished(joined(sink, [(layer, known[layer.sink]) for layer in layers]), accuracy)


def _effort(sink: UOp, layers: Sequence[Layer]) -> Effort:
    """The effort for each layer of a program."""
    if len(layers) == 1:
        return Effort()
    if not is_deep(toposort([sink])):
        return OF_FEW_STEPS
    return OF_STEPS if any(layer.offsets for layer in layers) else OF_LAYERS


def holding(sink: UOp, device: Machine) -> Machine:
    """The machine as a program that runs repeatedly finds it: its caches hold as much of the inputs and results as fits."""
    inputs = {node.arg[0]: node for node in toposort([sink]) if node.op is Op.PARAM}
    arrays = [*inputs.values(), *dict.fromkeys(sink.src)]
    return device.within(
        sum(node.elements * node.dtype.itemsize for node in arrays if isinstance(node.dtype, DType))
    )


def _extracted(graph: UOp | Snapshot, prices: KernelPrices, effort: Effort | None = None) -> Drafts:
    """The kernels of a graph, before they get different names and the forms of their functions."""
    if isinstance(graph, UOp):
        if graph.op is not Op.SINK:
            raise ScheduleError(
                f"only a SINK of arrays can be scheduled, got {graph!r}; wrap the results in UOp.sink"
            )
        from eqsat.egraph.snapshot.unsaturated import (
            snapshot_as_written,  # imported only where it is used, as is the e-graph
        )

        graph = snapshot_as_written([modernize(graph)])
    placed = extract_kernels(graph if prices.machine.waits else without_parts(graph), prices, effort)
    array_graph, classes = placed.graph, placed.graph.buffer
    slots = {classes[c]: array_graph.term(array_graph.nodes[c][0]).arg[0] for c in array_graph.inputs}

    def spec(buffer: int) -> BufferSpec:
        dtype = array_graph.snapshot.class_dtype[buffer]
        assert isinstance(dtype, DType)
        shape = array_graph.snapshot.class_shape[buffer] or ()
        return BufferSpec(dtype, array_graph.sizes[buffer], Role.TEMPORARY, shape=shape)

    outputs = [classes[c] for c in array_graph.outputs]
    specs, numbers = buffers_of(placed.kernels, slots, outputs, spec)
    drafts = [
        kernel.draft.on([numbers[buffer] for buffer in (*kernel.reads, *kernel.stores)])
        for kernel in placed.kernels
    ]
    inputs = tuple(number for number, each in enumerate(specs) if each.role is Role.INPUT)
    return Drafts(tuple(drafts), specs, inputs, tuple(numbers[each] for each in outputs), placed.lower_bound)


def _finished(drafts: Drafts, accuracy: Accuracy) -> Drafts:
    rounded = with_own_products_rounded(drafts)
    return with_forms(replace(rounded, kernels=_with_names_apart(rounded.kernels)), accuracy)


def _with_names_apart(kernels: Sequence[Draft]) -> tuple[Draft, ...]:
    names = names_apart({kernel.sink: kernel.name for kernel in kernels})
    return tuple(replace(kernel, name=names[kernel.sink]) for kernel in kernels)


def names_apart(kernels: Mapping[UOp, str]) -> dict[UOp, str]:
    """A different name for each kernel: its own, followed by a number if an earlier kernel has that name.

    >>> list(names_apart({UOp.variable("k", 0, number): name for number, name in enumerate(["sum", "sum_2", "sum"])}).values())
    ['sum', 'sum_2', 'sum_3']
    """
    taken, found = set(kernels.values()), dict[UOp, str]()
    seen: set[str] = set()
    for kernel, name in kernels.items():
        numbered = (f"{name}_{number}" for number in count(2))
        found[kernel] = next(each for each in numbered if each not in taken) if name in seen else name
        seen.add(name)
        taken.add(found[kernel])
    return found
