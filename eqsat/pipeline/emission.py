"""Writes a graph as a file of C, which computes it without eqsat."""

from __future__ import annotations

from dataclasses import replace

from eqsat.codegen import C
from eqsat.codegen.c_program import CProgram, c_program
from eqsat.extract import LoopAware
from eqsat.machine import PROCESSOR
from eqsat.pipeline.compilation import as_sink, rendered, scheduled
from eqsat.pipeline.functions.closed import Closed
from eqsat.pipeline.optimization import Optimized, optimize
from eqsat.pipeline.planning.plan import Plan, as_plan
from eqsat.pipeline.planning.requirements import require_no_calls_by_name
from eqsat.runtime import get_device, machine_of
from eqsat.schedule.kernel import Kernel, Schedule
from eqsat.schedule.plan import names_apart
from eqsat.uop import UOp

ONE_CORE = replace(PROCESSOR, cores=1)  # all other properties are the defaults


def emit_c(graph: UOp | Optimized, plan: Plan | None = None) -> CProgram:
    """Writes a graph that `trace` made as one file of C11. A graph that is not optimized yet is optimized first.

    The file has a function `run`, which computes in the calling thread. Its parameters are pointers: to each argument that is read, to data of the
    graph, to each result, and to memory between kernels. After them come the values of its variables and dims; the loops are the same for all
    values. If the plan names a device, kernels are planned for it; the device is not needed to run the file. Otherwise they are planned for a
    processor with fixed properties, so that the file is the same everywhere.

    Raises:
        SpecError: the graph is not legal at the array stage, or the host computes a part of it, as it sorts long axes.
        ScheduleError: the graph cannot be turned into kernels.
        CodegenError: a kernel needs work-items that run in parallel, as kernels for graphics processors may.
        DeviceError: the plan names a device that does not exist.

    >>> from eqsat.dtype import float32
    >>> program = emit_c(UOp.sink(UOp.param(0, 4, float32) * 2.0))
    >>> print(*program.parameters, sep="; ")
    in0: float32[4]; out0: float32[4]
    >>> program.source.splitlines()[-3:]
    ['void run(const float *in0, float *out0) {', '    add_4(out0, in0);', '}']
    """
    plan = as_plan(plan)
    machine = ONE_CORE if plan.device is None else machine_of(get_device(plan.device))
    plan = replace(plan, cost=plan.cost or LoopAware.of(machine))
    sink = as_sink(graph.uop if isinstance(graph, Optimized) else graph)
    require_no_calls_by_name(sink)
    closed = Closed.of(sink)
    if not isinstance(graph, Optimized):
        best = as_sink(optimize(closed.sink if closed.graph is None else closed.graph, plan).uop)
        closed = Closed.sized(best, closed.shapes, closed.captured)
    made, arguments = scheduled(closed.sink, machine, plan, closed.dynamic)
    made = _with_names_apart(made)
    return c_program(made, rendered(made, C, contract=plan.contracts), arguments)


def _with_names_apart(made: Schedule) -> Schedule:
    """Renames kernels so that different kernels have different names: the second `sum_64` becomes `sum_64_2`."""
    names = names_apart({kernel.ast: kernel.name for kernel in made.kernels})
    return replace(made, kernels=tuple(_named(kernel, names[kernel.ast]) for kernel in made.kernels))


def _named(kernel: Kernel, name: str) -> Kernel:
    return replace(kernel, ast=kernel.ast.replace(arg=replace(kernel.ast.arg, name=name)))
