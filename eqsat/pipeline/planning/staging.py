"""The steps of a kernel from a graph to a binary, as PROGRAM UOps with the sources SINK, DEVICE, then LINEAR, SOURCE and PROGRAM_BINARY.

`staged` takes one kernel to a step; `Program.stage` shows a compiled program at each step. Each step starts from the result of the one before it.
So a PROGRAM whose LINEAR or SOURCE was written by hand continues from there, also when a program CALLs it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from eqsat.codegen import Dialect, RenderedKernel
from eqsat.codegen import render as render_kernel
from eqsat.distribution import HOST
from eqsat.dtype import index, void
from eqsat.errors import BuildError, CodegenError, DeviceError, brief
from eqsat.extents import capacity
from eqsat.ops import Op, Stage
from eqsat.pipeline.planning.plan import Plan, as_plan
from eqsat.runtime import Device, get_device
from eqsat.runtime.layout import Layout
from eqsat.schedule.kernel import BufferSpec, Role, Schedule
from eqsat.shape import Shape
from eqsat.spec import require_uop, verify
from eqsat.uop import UOp, toposort

STEPS = ("sink", "linear", "source", "binary")  # the steps of a PROGRAM; each adds a source


def staged(kernel: UOp, step: str = "binary", plan: Plan | None = None) -> UOp:
    """Takes a kernel's SINK, or a PROGRAM, to a step: "sink", "linear", "source" or "binary". Sources that a PROGRAM has already stay as they are.

    >>> from eqsat import AxisType, float32
    >>> from eqsat.ops import KernelInfo
    >>> i = UOp.range(8, 0, AxisType.GLOBAL)
    >>> x, y = (UOp(Op.INDEX, float32, (UOp.param(slot, 8, float32), i)) for slot in (0, 1))
    >>> double = UOp.sink(UOp(Op.STORE, void, (y, UOp(Op.LOAD, float32, (x,)) * 2.0, i)), arg=KernelInfo("double"))
    >>> program = staged(double, "source")
    >>> [source.op.name for source in program.src]
    ['SINK', 'DEVICE', 'LINEAR', 'SOURCE']

    Raises:
        SpecError: it is no legal kernel or PROGRAM.
        BuildError: there is no such step.
        CodegenError: the kernel cannot be written in the language of the device.
        CompileError: the device's compiler rejected the source.
        DeviceError: there is no such device, or its driver rejected the binary.
    """
    require_uop(kernel)
    plan = as_plan(plan)
    count = _count(step)
    if kernel.op is not Op.PROGRAM:
        device = get_device(plan.device)
        kernel = UOp(Op.PROGRAM, void, (kernel, UOp(Op.DEVICE, void, (), device.name)))
    verify(kernel, Stage.PROGRAM)
    device = _device_of(kernel, plan)
    if count <= len(kernel.src):
        return kernel.with_src(kernel.src[:count])
    rendered = rendered_program(kernel, replace(device.dialect, contract=plan.contracts))
    if step == "binary":
        rendered = replace(rendered, binary=_built(rendered, device))
    return _program(kernel.src[0], kernel.src[1].arg, rendered, count)


def _count(step: str) -> int:
    """The number of sources that a PROGRAM has at a step."""
    if not isinstance(step, str) or step not in STEPS:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BuildError(f"a PROGRAM is at one of the steps {', '.join(map(repr, STEPS))}, not {brief(step)}")
    return 2 + STEPS.index(step)


def _device_of(program: UOp, plan: Plan) -> Device:
    name = program.src[1].arg
    return get_device(plan.device if name == HOST else name)


def rendered_program(program: UOp, dialect: Dialect) -> RenderedKernel:
    """The rendered kernel of a PROGRAM, with the LINEAR, the SOURCE and the binary that the PROGRAM has.

    Raises:
        CodegenError: the kernel cannot be written in the dialect, or the SOURCE does not define it.
    """
    given: dict[Op, UOp] = {source.op: source for source in program.src}
    rendered = render_kernel(given.get(Op.LINEAR, program.src[0]), dialect)
    if Op.SOURCE in given:
        source: str = given[Op.SOURCE].arg
        if not re.search(rf"\b{re.escape(rendered.name)}\s*\(", source):
            raise CodegenError(
                f"SOURCE {brief(source)} does not define {rendered.name!r}, the kernel of its PROGRAM; keep the name and its parameters"
            )
        rendered = replace(rendered, source=source)
    if Op.PROGRAM_BINARY in given:
        rendered = replace(rendered, binary=given[Op.PROGRAM_BINARY].arg)
    return rendered


def require_device(program: UOp, device: Device) -> None:
    """Checks that a called PROGRAM is for the device that its caller runs on.

    Raises:
        DeviceError: it is for another device.
    """
    name = program.src[1].arg
    if name in (HOST, device.name):
        return
    try:
        other = get_device(name)
    except DeviceError as error:
        raise DeviceError(f"DEVICE {brief(name)} of a PROGRAM: {error}") from error
    if other is not device:
        raise DeviceError(
            f"{program!r} is for {brief(name)}, and what calls it runs on {device.name!r}; stage its SINK for that device"
        )


def _built(rendered: RenderedKernel, device: Device) -> bytes:
    slots = [argument.slot for argument in rendered.arguments]
    if not slots:
        raise BuildError(
            "a PROGRAM whose kernel has no buffers computes nothing, so it has no binary; STORE a result"
        )
    specs = [BufferSpec(each.dtype, each.size, Role.TEMPORARY) for each in rendered.arguments]
    whole = [specs[slots.index(slot)] if slot in slots else specs[0] for slot in range(max(slots) + 1)]
    return device.compile((rendered,), Layout.of(whole, [slots]), save=False).binaries()[0]


def _program(sink: UOp, device: str, rendered: RenderedKernel, count: int) -> UOp:
    sources = [sink, UOp(Op.DEVICE, void, (), device), rendered.linear, UOp(Op.SOURCE, void, (), rendered.source)]  # fmt: skip
    if rendered.binary is not None:
        sources.append(UOp(Op.PROGRAM_BINARY, void, (), rendered.binary))
    return UOp(Op.PROGRAM, void, tuple(sources[:count]))


def called_programs(
    schedule: Schedule, kernels: Sequence[RenderedKernel], arguments: Sequence[int], shapes: Sequence[Shape],
    device: str, step: str,
) -> UOp:  # fmt: skip
    """A schedule as a SINK of its results: the contents that CALLs of PROGRAMs leave in buffers. PARAMs are the inputs.

    Buffers with extents that only calls know have their capacities.

    Raises:
        BuildError: there is no such step.
    """
    count = _count(step)
    contents: list[UOp] = []
    for number, spec in enumerate(schedule.buffers):
        if spec.role is Role.INPUT:
            contents.append(
                UOp.param(arguments[schedule.inputs.index(number)], capacity(spec.size), spec.dtype)
            )
        else:
            place = (UOp(Op.DEVICE, void, (), HOST), UOp(Op.LUNIQUE, void, (), number))
            contents.append(UOp(Op.BUFFER, spec.dtype, place, capacity(spec.size)))
    for kernel, rendered in zip(schedule.kernels, kernels, strict=True):
        program = _program(kernel.ast, device, rendered, count)
        variables = {each.arg[0]: each for each in toposort([kernel.ast]) if each.op is Op.DEFINE_VAR}
        known = (
            UOp(Op.BIND, index, (variables[name], UOp.const(index, value))) for name, value in kernel.values
        )
        call = UOp(Op.CALL, void, (program, *(contents[number] for number in kernel.buffers), *known))
        for argument in rendered.arguments:
            if argument.written:
                number = kernel.buffers[argument.slot]
                contents[number] = UOp(Op.AFTER, contents[number].dtype, (contents[number], call))
    results = (
        contents[number].reshape(shape) for number, shape in zip(schedule.outputs, shapes, strict=True)
    )
    return UOp.sink(*results)
