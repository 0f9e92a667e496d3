"""From a graph to a program: schedule, render, compile."""

from __future__ import annotations

import functools
import json
from dataclasses import replace
from pathlib import Path

import eqsat
from eqsat.array.data import collect_params
from eqsat.codegen import Dialect, RenderedKernel
from eqsat.codegen import render as render_kernel
from eqsat.dtype import DType, index
from eqsat.errors import ScheduleError
from eqsat.machine import Machine
from eqsat.ops import MOVEMENT, Op
from eqsat.pipeline import stored_plans
from eqsat.pipeline.devices import require_devices
from eqsat.pipeline.optimization import Optimized, optimize
from eqsat.pipeline.plan import Plan
from eqsat.pipeline.program import Closed, Compilation, Program
from eqsat.runtime import PLANS, Device, digest, get_device, machine_of
from eqsat.schedule.kernel import Schedule
from eqsat.schedule.legacy import modernize
from eqsat.schedule.plan import schedule
from eqsat.serialize import brief, to_json
from eqsat.spec import require_uops
from eqsat.uop import UOp


def compile(graph: UOp | Optimized, plan: Plan | None = None) -> Program:
    """A program for a graph as `trace` gives it; what is not optimized yet is optimized first.

    Raises:
        SpecError: the graph is not legal at the array stage.
        ScheduleError: it cannot be turned into kernels.
        CompileError: the device's compiler rejected a kernel.
        DeviceError: there is no such device.
    """
    plan = plan or Plan()
    device = get_device(plan.device)
    if isinstance(graph, Optimized):
        return compile_as_it_is(graph.uop, plan)
    closed = Closed.of(as_sink(graph))
    key = _cache_key(closed.sink, plan, device)
    compilation = _cached(key)
    if compilation is None:
        compilation = _planned(as_sink(optimize(closed.sink, plan).uop), plan, device)
        if key is not None:
            PLANS.put(key, stored_plans.encode(compilation))
    return Program(closed, compilation, device)


def compile_as_it_is(graph: UOp, plan: Plan) -> Program:
    """A program for the plan's device that computes a graph as it is written, without looking for a better one.

    Raises:
        ScheduleError: it cannot be turned into kernels.
        CompileError: the device's compiler rejected a kernel.
        DeviceError: there is no such device.
    """
    device = get_device(plan.device)
    closed = Closed.of(as_sink(graph))
    return Program(closed, _planned(closed.sink, plan, device), device)


def _planned(sink: UOp, plan: Plan, device: Device) -> Compilation:
    require_devices(sink, device)
    made, arguments = scheduled(sink, machine_of(device))
    shapes = tuple(source.shape or () for source in sink.src)
    return Compilation(made, rendered(made, device.dialect, contract=plan.contracts), shapes, arguments)


def scheduled(sink: UOp, machine: Machine) -> tuple[Schedule, tuple[int, ...]]:
    """The kernels of a graph as it is written, and for each input the slot of the graph's PARAM: those that nothing reads are left out.

    Raises:
        ScheduleError: it cannot be turned into kernels.
    """
    sink = modernize(sink)
    variable = next((node for node in sink.toposort() if node.op is Op.DEFINE_VAR), None)
    if variable is not None:
        raise ScheduleError(
            f"variable {variable.arg[0]!r} has no value in a program; substitute a constant for it, or make it an array"
        )
    _require_constants_fit(sink)
    params = collect_params(sink)
    dense = {node: UOp.param(slot, node.arg[1], _element(node)) for slot, node in enumerate(params)}
    # The SINK no longer says the shapes of all inputs.
    made = schedule(UOp.sink(*sink.substitute(dense).src), machine)
    return made, tuple(node.arg[0] for node in params)


def _require_constants_fit(sink: UOp) -> None:
    """Checks that index constants, also those that are left as sums and products, have 64 bits.

    What follows folds them, and a few squares of squares have more digits than there is memory.
    """
    known: dict[UOp, int] = {}
    for node in sink.toposort():
        if node.dtype is not index or not all(source in known for source in node.src[:2]):
            continue
        values = [known[source] for source in node.src[:2]]
        match node.op:
            case Op.CONST:
                value = node.arg
            case Op.ADD | Op.SUB:
                value = values[0] + values[1] if node.op is Op.ADD else values[0] - values[1]
            case Op.MUL:
                value = values[0] * values[1]
            case op if op is Op.NEG or op in MOVEMENT:
                value = -values[0] if op is Op.NEG else values[0]
            case _:
                continue
        if not index.min <= value <= index.max:
            raise ScheduleError(
                f"the index constant {brief(value)} does not fit 64 bits, in which indices are computed; make it smaller"
            )
        known[node] = value


def _cache_key(sink: UOp, plan: Plan, device: Device) -> str | None:
    if plan.key is None:
        return None
    return digest(
        _fingerprint(), plan.key, device.identity, repr(machine_of(device)), json.dumps(to_json([sink]))
    )


@functools.cache
def _fingerprint() -> str:
    """What tells this package's code from another version's, also while it is being edited."""
    files = sorted(Path(eqsat.__file__).parent.rglob("*.py"))
    return digest(eqsat.__version__, *(f"{file} {file.stat().st_mtime_ns}" for file in files))


def _cached(key: str | None) -> Compilation | None:
    """What the cache of plans has under a key; what is no plan is forgotten."""
    found = None if key is None else PLANS.get(key)
    if key is None or found is None:
        return None
    try:
        return stored_plans.decode(found)
    except stored_plans.StoredPlanError:
        PLANS.drop(key)
        return None


def render(given: Schedule | Optimized, target: Device | Plan) -> tuple[RenderedKernel, ...]:
    """The OpenCL C of every kernel, nothing compiled; for a device alone, as the default plan has it."""
    plan = target if isinstance(target, Plan) else Plan()
    device = get_device(target.device) if isinstance(target, Plan) else target
    if isinstance(given, Optimized):
        given = schedule(as_sink(given.uop), machine_of(device))
    return rendered(given, device.dialect, contract=plan.contracts)


def rendered(made: Schedule, dialect: Dialect, *, contract: bool) -> tuple[RenderedKernel, ...]:
    """Every kernel of a schedule in a language.

    Raises:
        CodegenError: one cannot be written in it.
    """
    dialect = replace(dialect, contract=contract)
    kernels = {ast: render_kernel(ast, dialect) for ast in {kernel.ast: None for kernel in made.kernels}}
    return tuple(kernels[kernel.ast] for kernel in made.kernels)


def as_sink(graph: UOp) -> UOp:
    """The graph under a SINK."""
    require_uops(graph)
    return graph if graph.op is Op.SINK else UOp.sink(graph)


def _element(node: UOp) -> DType:
    assert isinstance(node.dtype, DType)
    return node.dtype
