"""From a graph to a program: schedule, render, compile."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import replace
from time import perf_counter
from types import MappingProxyType

from eqsat.array.data import collect_buffers, collect_params, host_values, parametrize
from eqsat.codegen import Dialect, RenderedKernel
from eqsat.codegen import render as render_kernel
from eqsat.distribution import Part, cut, distribute, on_one_device
from eqsat.egraph.saturate import saturate
from eqsat.egraph.snapshot.snapshot import Snapshot
from eqsat.errors import ScheduleError
from eqsat.extract import Problem
from eqsat.machine import Machine
from eqsat.ops import Op, Stage
from eqsat.pipeline.functions.closed import Closed
from eqsat.pipeline.planning.calls import Unfolded, is_program, unfolded
from eqsat.pipeline.planning.cheapest import (
    MOST_NODES,
    Chosen,
    cheapest,
    cheapest_in,
    require_legal,
    rules_of_dims,
)
from eqsat.pipeline.planning.devices import Named
from eqsat.pipeline.planning.launching import launched
from eqsat.pipeline.planning.place import placed
from eqsat.pipeline.planning.plan import Plan, as_plan
from eqsat.pipeline.planning.plan_cache import key_of, store, stored
from eqsat.pipeline.planning.planned import Compilation
from eqsat.pipeline.planning.requirements import require_index_constants, require_sizes
from eqsat.pipeline.planning.staging import rendered_program, require_device
from eqsat.pipeline.programs.hosted import HostedProgram
from eqsat.pipeline.programs.program import Program
from eqsat.pipeline.programs.ranged import RangedProgram
from eqsat.pipeline.programs.several import SeveralPrograms
from eqsat.rules import RuleSet
from eqsat.runtime import Device, get_device, machine_of
from eqsat.schedule.draft import Drafts
from eqsat.schedule.dynamic.arrays import Dynamic
from eqsat.schedule.dynamic.bounded import bounded
from eqsat.schedule.dynamic.restrictions import NO_DYNAMIC_EXTENTS, DynamicExtents
from eqsat.schedule.kernel import Schedule
from eqsat.schedule.lowering.older_forms import modernize, modernize_on_devices, without_options
from eqsat.schedule.placement import Effort
from eqsat.schedule.placement.problem import placed_problem
from eqsat.schedule.plan import draft, draft_of_layers, holding
from eqsat.shape import Shape
from eqsat.spec import require_uop, verify
from eqsat.specialization.dynamic_extents import has_extents, traced_shapes
from eqsat.specialization.specialize import at_capacity
from eqsat.support.garbage_collection import collector_paused
from eqsat.uop import UOp

NO_PROGRAMS: Mapping[UOp, UOp] = MappingProxyType({})
Equal = Callable[[UOp], "UOp | Snapshot"]
"""Maps the SINK of a layer to its e-graph, or to a SINK that equals it."""


def compile(graph: UOp | Chosen, plan: Plan | None = None) -> Program:
    """Compiles a graph that `trace` made. A graph that is not optimized yet is optimized first.

    If the graph has dims, this plans the greatest extents. Other ranges of extents are planned when a call first needs them.

    Raises:
        SpecError: the graph is not legal at the array stage.
        ScheduleError: the graph cannot be turned into kernels.
        CompileError: the device's compiler rejected a kernel.
        DeviceError: there is no such device.
    """
    program = compile_for_calls(graph, plan)
    if isinstance(program, RangedProgram):
        program.plan_greatest()
    return program


def compile_for_calls(graph: UOp | Chosen, plan: Plan | None = None) -> Program:
    """Compiles a graph as `compile` does, but plans a range of extents only when a call needs it."""
    plan = as_plan(plan)
    if isinstance(graph, Chosen):
        return compile_as_it_is(graph.uop, plan)
    sink = as_sink(graph)
    if is_program(sink):
        return _unfolded(unfolded(sink), traced_shapes(sink), plan)
    return _compiled(sink, plan, _compilation)


def _unfolded(program: Unfolded, shapes: tuple[Shape | None, ...], plan: Plan) -> Program:
    """Compiles a program without calls. Its first arguments have these shapes."""
    if any(launch.host is not None for launch in program.launches):
        return HostedProgram.of(
            program, shapes, get_device(plan.device), lambda part, known: _unfolded(part, known, plan)
        )
    if program.launches:
        return _launching(program, shapes, plan, get_device(plan.device))
    return _compiled(program.sink.replace(arg=shapes), plan, _compilation)


def _launching(program: Unfolded, known: tuple[Shape | None, ...], plan: Plan, device: Device) -> Program:
    """Compiles a program with kernels that are launched as they are written."""
    slots = [node.arg[0] for node in collect_params(*program.values)]
    results = {content.arg[0] for launch in program.launches for content in launch.results.values()}
    captured_from = 1 + max(slots, default=-1)
    inputs = max(len(known), 1 + max((slot for slot in slots if slot not in results), default=-1))
    whole, captured = parametrize(UOp.sink(*program.values), captured_from)
    program = program.with_values(whole.src)
    made, read = launched(program, machine_of(device), plan)
    arguments = tuple(inputs + slot - captured_from if slot >= captured_from else slot for slot in read)
    shapes = tuple(source.shape or () for source in program.sink.src)
    given: dict[UOp, UOp] = {}
    for launch in program.launches:
        if launch.program is not None:
            require_device(launch.program, device)
            if given.setdefault(launch.kernel, launch.program) is not launch.program:
                raise ScheduleError(
                    f"{launch.program!r} and another PROGRAM are of one kernel; give their SINKs names that differ"
                )
    kernels = rendered(made, device.dialect, contract=plan.contracts, programs=given)
    everything = UOp.sink(*program.values, *(launch.bound for launch in program.launches))
    return Program(
        Closed(everything, (*known, *(None,) * (inputs - len(known))), captured),
        Compilation(made, kernels, shapes, arguments),
        device,
    )


def compile_as_it_is(graph: UOp, plan: Plan) -> Program:
    """Compiles a graph as it is, without optimizing it, for the devices of the plan and of the graph.

    Raises:
        ScheduleError: the graph cannot be turned into kernels.
        CompileError: the device's compiler rejected a kernel.
        DeviceError: there is no such device.
    """

    def compilation(closed: Closed, plan: Plan, device: Device) -> Compilation:
        return _planned(closed.sink, plan, device, closed.dynamic)

    return _compiled(as_sink(graph), plan, compilation)


def _compiled(sink: UOp, plan: Plan, compilation: Callable[[Closed, Plan, Device], Compilation]) -> Program:
    """The program of a graph. If it has several devices, it is cut where values are copied between them, and each part gets a program."""
    device = get_device(plan.device)
    verify(at_capacity(on_one_device(sink) if has_extents(sink.toposort()) else sink), Stage.ARRAY)
    require_sizes(sink)
    closed = Closed.of(without_options(sink))
    named = Named.of(closed.sink if closed.graph is None else closed.graph, device)
    known: dict[tuple[UOp, str, Machine], Compilation] = {}

    def compiled(closed: Closed, device: Device) -> Program:
        def planned(part: Closed) -> Compilation:
            like = part.sink, device.identity, machine_of(device)
            if like not in known or part.dynamic is not None:  # equal parts of equal devices are planned once
                known[like] = compilation(part, replace(plan, device=device), device)
            return known[like]

        if closed.dynamic is None:
            return Program(closed, planned(closed), device)
        return RangedProgram.of(closed, device, planned)

    if named.is_one:
        return compiled(closed, device)

    def compile_part(part: Part) -> Program:
        own = Closed.sized(part.sink, part.shapes, ())
        return compiled(own, named.device if part.place is None else named.devices[part.place])

    parts = cut(modernize_on_devices(distribute(named.graph, named.link)))
    return SeveralPrograms(closed, parts, named.device, compile_part, named.ranks)


def _compilation(closed: Closed, plan: Plan, device: Device) -> Compilation:
    """The compilation of a graph for one device, from the cache if it is there."""
    key = key_of(closed.sink if closed.graph is None else closed.graph, plan, device)
    compilation = stored(key)
    if compilation is None:
        compilation = planned(closed.sink, plan, device, closed.dynamic)
        store(key, compilation)
    return compilation


def planned(sink: UOp, plan: Plan, device: Device, dynamic: Dynamic | None = None) -> Compilation:
    """The best kernels for a graph, with their source.

    They are chosen from all graphs in its e-graph, or for the one graph that the plan's own cost model prefers.

    Raises:
        SpecError: the graph is not legal at the array stage.
        ScheduleError: the graph cannot be turned into kernels.
    """
    with collector_paused():
        given, equal = _equal_programs(sink, plan, None if dynamic is None else rules_of_dims(plan.admitted))
        return _planned(given, plan, device, dynamic, equal)


def drafts_of(graph: UOp, plan: Plan) -> Drafts:
    """The kernels that `compile` chooses for a graph, with all the loops that each may have.

    Raises:
        SpecError: the graph is not legal at the array stage.
        ScheduleError: the graph cannot be turned into kernels.
        DeviceError: the plan names a device that does not exist.
    """
    given, equal = _equal_programs(Closed.of(as_sink(graph)).sink, plan)
    device = plan.usable_device
    if device is None:
        return drafted(given, plan.machine, equal, plan)[0]
    return _placed(given, device, plan, equal)[0]


def choice_of_kernels(graph: UOp, plan: Plan, *, of_part: bool) -> Problem:
    """The choice among all kernels for a graph, taken as one layer, as an extraction problem. Its costs are lower bounds, in microseconds.

    With `of_part` they are those of the part of the device that starts kernels sooner, such as the calling thread (`Schedule.of_part`).

    Raises:
        SpecError: the graph is not legal at the array stage.
        ScheduleError: the graph cannot be turned into kernels.
        DeviceError: the plan names a device that does not exist.
    """
    from eqsat.egraph.snapshot.unsaturated import snapshot_as_written  # imported only where it is used

    given, equal = _equal_programs(Closed.of(as_sink(graph)).sink, plan)
    found = equal(modernize(given))
    snapshot = found if isinstance(found, Snapshot) else snapshot_as_written([modernize(found)])
    device = plan.usable_device
    machine = machine_of(device.suited([])) if device is not None and of_part else plan.machine
    return placed_problem(snapshot, holding(given, machine))


def _placed(sink: UOp, device: Device, plan: Plan, equal: Equal) -> tuple[Drafts, tuple[int, ...]]:
    """The kernels for a device or for a part of it, as `drafted` returns them. Each layer is saturated once for both, which share the time."""
    once, deadline = functools.cache(equal), perf_counter() + plan.budget.seconds

    def drafts_for(machine: Machine) -> tuple[Drafts, tuple[int, ...]]:
        return drafted(sink, machine, once, replace(plan, budget=plan.budget.until(deadline)))

    (drafts, arguments), place = placed(
        sink,
        device,
        drafts_for,
        lambda found: [draft.choice.best_seconds for draft in found[0].kernels],
        lambda found: found[0].lower_bound,
        deadline,
    )
    return replace(drafts, of_part=place is not device), arguments


def _as_written(layer: UOp) -> UOp:
    return layer


def _equal_programs(sink: UOp, plan: Plan, rules: RuleSet | None = None) -> tuple[UOp, Equal]:
    """A graph, and a function from each of its layers to the layer's e-graph, from which kernels are chosen.

    For a layer with too large an e-graph, the function returns the cheapest graph instead. If the plan has a cost model of its own, the graph is
    the cheapest one, and the function returns layers as they are. `rules` are the rules to apply; None for all that the plan admits.
    """
    require_legal(sink)
    if plan.cost is not None:
        return as_sink(cheapest(sink, plan).uop), _as_written

    def equal(layer: UOp) -> UOp | Snapshot:
        snapshot = saturate([layer], rules or plan.admitted, plan.budget).snapshot
        return snapshot if len(snapshot.terms) <= MOST_NODES else cheapest_in(snapshot, plan)[0]

    return sink, equal


def _planned(
    sink: UOp,
    plan: Plan,
    device: Device,
    dynamic: Dynamic | None = None,
    equal: Equal = _as_written,
) -> Compilation:
    """The compilation of a graph as it is written, or of the best graph that `equal` gives."""
    made, arguments = scheduled(sink, machine_of(device), plan, dynamic, equal, device=device)
    shapes = tuple(source.shape or () for source in sink.src)
    return Compilation(made, rendered(made, device.dialect, contract=plan.contracts), shapes, arguments)


def scheduled(
    sink: UOp,
    machine: Machine,
    plan: Plan,
    dynamic: Dynamic | None = None,
    equal: Equal = _as_written,
    device: Device | None = None,
    unstaged: frozenset[int] = frozenset(),
) -> tuple[Schedule, tuple[int, ...]]:
    """The kernels of a graph with the best loops, and for each input the slot of the graph's PARAM.

    If the plan asks for it, the loops are tuned on the device. If only calls know some extents, loops are chosen for the capacities, and end at the
    extents. If loops that fill local memory cannot end there, kernels are chosen again without staging axes with such extents (`unstaged`) in it.

    Raises:
        ScheduleError: the graph cannot be turned into kernels.
    """
    capacities = dynamic.capacities if dynamic is not None else frozenset[int]()
    if device is not None and dynamic is None:
        drafts, arguments = _placed(sink, device, plan, equal)
    else:
        drafts, arguments = drafted(sink, machine, equal, plan, DynamicExtents(capacities, unstaged))
    made = drafts.schedule()
    if plan.tune and device is not None:
        from eqsat.pipeline.planning.tuning import tuned  # it needs other processes

        made = tuned(drafts, device, plan)
    if dynamic is not None:
        made, is_filled_as_needed = bounded(made, dynamic.read(arguments))
        if not is_filled_as_needed and unstaged != capacities:
            return scheduled(sink, machine, plan, dynamic, equal, device, unstaged=capacities)
    return made, arguments


def drafted(
    sink: UOp,
    machine: Machine,
    equal: Equal = _as_written,
    plan: Plan | None = None,
    dynamic: DynamicExtents = NO_DYNAMIC_EXTENTS,
) -> tuple[Drafts, tuple[int, ...]]:
    """The kernels of a graph with all the loops that each may have, and for each input the slot of the graph's PARAM.

    PARAMs that nothing reads are no inputs. The kernels compute each layer as it is written, or the fastest program among those that `equal` gives.
    Axes with extents in `dynamic` may end before their capacity.

    Raises:
        ScheduleError: the graph cannot be turned into kernels.
    """
    sink = modernize(sink)
    for buffer in collect_buffers(sink):  # neither assigned to nor arguments, so they must hold data
        host_values(buffer)
    require_index_constants(sink)
    plan = as_plan(plan)
    made = draft_of_layers(sink, machine, equal, plan.accuracy, plan.gap, plan.budget.seconds, dynamic)
    arguments = tuple(made.buffers[number].slot for number in made.inputs)
    buffers = list(made.buffers)
    for slot, number in enumerate(made.inputs):
        buffers[number] = replace(buffers[number], slot=slot)
    return replace(made, buffers=tuple(buffers)), arguments


def render(given: Schedule | Chosen, target: Device | Plan) -> tuple[RenderedKernel, ...]:
    """The OpenCL C source of every kernel, without compiling it. A device as `target` stands for the default plan on that device."""
    plan = target if isinstance(target, Plan) else Plan()
    device = get_device(target.device) if isinstance(target, Plan) else target
    if isinstance(given, Chosen):
        machine, effort = machine_of(device), Effort(gap=plan.gap)
        given = draft(as_sink(given.uop), machine, effort, plan.accuracy).schedule()
    return rendered(given, device.dialect, contract=plan.contracts)


def rendered(
    made: Schedule, dialect: Dialect, *, contract: bool, programs: Mapping[UOp, UOp] = NO_PROGRAMS
) -> tuple[RenderedKernel, ...]:
    """The source of every kernel of a schedule in one language. A kernel in `programs` has the LINEAR, SOURCE and binary of its PROGRAM.

    Raises:
        CodegenError: a kernel cannot be written in the language.
    """
    dialect = replace(dialect, contract=contract)
    kernels = {
        ast: rendered_program(programs[ast], dialect) if ast in programs else render_kernel(ast, dialect)
        for ast in {kernel.ast: None for kernel in made.kernels}
    }
    return tuple(kernels[kernel.ast] for kernel in made.kernels)


def as_sink(graph: UOp) -> UOp:
    """The graph, with a SINK as its root."""
    require_uop(graph)
    return graph if graph.op is Op.SINK else UOp.sink(graph)
