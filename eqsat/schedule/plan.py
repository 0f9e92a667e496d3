"""From an array graph, or an e-graph of many, to a `Schedule`: which kernels, on which buffers, with which loops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from eqsat.dtype import DType
from eqsat.egraph.snapshot.snapshot import Snapshot
from eqsat.errors import ScheduleError
from eqsat.machine import Machine
from eqsat.ops import Op
from eqsat.schedule.draft import Drafts
from eqsat.schedule.forms import with_forms
from eqsat.schedule.kernel import BufferSpec, Role, Schedule
from eqsat.schedule.lowering.legacy import modernize
from eqsat.schedule.placement import Effort, KernelPrices, Placed, PlacedKernel, extract_kernels
from eqsat.uop import UOp


def schedule(graph: UOp | Snapshot, device: Machine) -> Schedule:
    """The kernels that are predicted to compute a SINK of array programs over PARAMs soonest, each with its best loops.

    Of an e-graph, whose only root is such a SINK, they may compute any of the programs in it; it holds modern operations only.

    Raises:
        ScheduleError: the graph holds something that is no array computation.
    """
    return draft(graph, device).schedule()


def draft(
    graph: UOp | Snapshot,
    device: Machine,
    effort: Effort | None = None,
    function_error: float | None = None,
    apart: frozenset[int] = frozenset(),
    unkept: frozenset[int] = frozenset(),
) -> Drafts:
    """The same kernels with all the loops that each may have.

    `function_error` is how many units in the last place elementary functions may be off; with None, they have every bit of their full forms.
    Axes of extents in `apart` are loops of their own: they end elsewhere than they seem to. Local memory does not hold those in `unkept`.

    Raises:
        ScheduleError: the graph holds something that is no array computation.
    """
    if isinstance(graph, UOp):
        if graph.op is not Op.SINK:
            raise ScheduleError(
                f"only a SINK of arrays can be scheduled, got {graph!r}; wrap the results in UOp.sink"
            )
        from eqsat.egraph.snapshot.unsaturated import (
            snapshot_as_written,  # as the e-graph, only where it is used
        )

        graph = snapshot_as_written([modernize(graph)])
    placed = extract_kernels(graph, KernelPrices(device, apart, unkept), effort)
    specs, numbers = _buffers(placed)
    kernels = _with_names_apart(placed.kernels)
    drafts = tuple(
        kernel.draft.on([numbers[buffer] for buffer in (*kernel.reads, *kernel.stores)]) for kernel in kernels
    )
    inputs = tuple(number for number, spec in enumerate(specs) if spec.role is Role.INPUT)
    outputs = tuple(numbers[placed.graph.buffer[c]] for c in placed.graph.outputs)
    return with_forms(Drafts(drafts, specs, inputs, outputs, placed.lower_bound), function_error)


def _buffers(placed: Placed) -> tuple[tuple[BufferSpec, ...], dict[int, int]]:
    """Every buffer, inputs first, and its number by the e-class that lies in it."""
    graph = placed.graph
    outputs = [graph.buffer[c] for c in graph.outputs]
    used = {*outputs, *(buffer for kernel in placed.kernels for buffer in kernel.reads)}
    slots = {
        graph.buffer[c]: graph.term(graph.nodes[c][0]).arg[0] for c in graph.inputs if graph.buffer[c] in used
    }
    inputs = sorted(slots, key=slots.__getitem__)
    arenas = _arenas(placed.kernels, {*outputs, *inputs})
    specs: list[BufferSpec] = []
    numbers: dict[int, int] = {}
    for buffer in (*inputs, *outputs, *(each for kernel in placed.kernels for each in kernel.stores)):
        if buffer in numbers:
            continue
        numbers[buffer] = len(specs)
        dtype, size = graph.snapshot.class_dtype[buffer], graph.sizes[buffer]
        assert isinstance(dtype, DType)
        shape = graph.snapshot.class_shape[buffer] or ()
        if buffer in slots:
            specs.append(BufferSpec(dtype, size, Role.INPUT, slots[buffer]))
        elif buffer in outputs:
            specs.append(BufferSpec(dtype, size, Role.OUTPUT, outputs.index(buffer), shape=shape))
        else:
            specs.append(BufferSpec(dtype, size, Role.TEMPORARY, arena=arenas[buffer], shape=shape))
    return tuple(specs), numbers


def _arenas(kernels: Sequence[PlacedKernel], callers: set[int]) -> Mapping[int, int]:
    """A number per temporary; those with one number are never alive together."""
    last_read = {buffer: time for time, kernel in enumerate(kernels) for buffer in kernel.reads}
    free_at: list[int] = []  # by arena: when its present owner has been read for the last time
    arenas: dict[int, int] = {}
    for time, kernel in enumerate(kernels):
        for buffer in kernel.stores:
            if buffer in callers:
                continue
            arena = next((number for number, until in enumerate(free_at) if until < time), len(free_at))
            free_at[arena:arena + 1] = [last_read.get(buffer, time)]  # fmt: skip
            arenas[buffer] = arena
    return arenas


def _with_names_apart(kernels: Sequence[PlacedKernel]) -> list[PlacedKernel]:
    """The kernels with different names for different ones."""
    sinks = {kernel.draft.sink: kernel.draft.name for kernel in kernels}
    names = dict(zip(sinks, unique(list(sinks.values())), strict=True))
    return [replace(kernel, draft=replace(kernel.draft, name=names[kernel.draft.sink])) for kernel in kernels]


def unique(names: Sequence[str]) -> list[str]:
    """The names, numbered where one occurs again."""
    seen: Counter[str] = Counter()
    result: list[str] = []
    for name in names:
        seen[name] += 1
        result.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return result
