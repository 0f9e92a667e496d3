"""Schedules whose kernels are written by hand, so that the runtime is tested on its own."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from eqsat import dtype as dtypes
from eqsat.codegen import Argument, RenderedKernel
from eqsat.dtype import DType
from eqsat.ops import KernelInfo, Op
from eqsat.runtime import get_device
from eqsat.runtime.opencl import OpenCLDevice
from eqsat.schedule.kernel import BufferSpec, Kernel, Role, Schedule
from eqsat.uop import UOp

EMPTY = UOp(Op.LINEAR, dtypes.void)


def rendered(
    name: str,
    body: str,
    arguments: Sequence[Argument],
    size: int,
    parameters: str = "o a b c d",
    local: tuple[int, ...] = (1,),
) -> RenderedKernel:
    """A kernel of `size` work-items; `body` uses `i`, the work-item, and `parameters` in the order of the arguments."""
    names = parameters.split()
    declared = ", ".join(
        f"__global {'' if argument.written else 'const '}{C_NAMES[argument.dtype]}* {letter}"
        for argument, letter in zip(arguments, names, strict=False)
    )
    source = f"__kernel void {name}({declared}) {{\n  size_t i = get_global_id(0);\n  {body}\n}}\n"
    return RenderedKernel(name, source, (size,), local, tuple(arguments), (), EMPTY)


C_NAMES = {
    dtypes.bfloat16: "ushort",
    dtypes.float32: "float",
    dtypes.int32: "int",
    dtypes.bool_: "uchar",
    dtypes.float64: "double",
    dtypes.int64: "long",
}


def argument(slot: int, size: int, *, written: bool = False, dtype: DType = dtypes.float32) -> Argument:
    """One parameter of a kernel."""
    return Argument(slot, dtype, size, written)


def buffer(
    size: int, role: Role, slot: int = -1, arena: int = -1, dtype: DType = dtypes.float32
) -> BufferSpec:
    """One buffer of a schedule."""
    return BufferSpec(dtype, size, role, slot, arena)


def schedule(kernels: Sequence[tuple[str, tuple[int, ...]]], buffers: Sequence[BufferSpec]) -> Schedule:
    """Kernels given by name and buffer numbers; inputs and outputs in the order of their slots."""
    numbered = list(enumerate(buffers))

    def of(role: Role) -> tuple[int, ...]:
        return tuple(
            number for number, spec in sorted(numbered, key=lambda item: item[1].slot) if spec.role is role
        )

    made = tuple(Kernel(UOp.sink(arg=KernelInfo(name)), numbers, 1e-6, 1, "") for name, numbers in kernels)
    return Schedule(made, tuple(buffers), of(Role.INPUT), of(Role.OUTPUT))


def addition(size: int, name: str = "add") -> tuple[Schedule, list[RenderedKernel]]:
    """o = a + b."""
    kernel = rendered(
        name,
        "o[i] = a[i] + b[i];",
        [argument(0, size, written=True), argument(1, size), argument(2, size)],
        size,
    )
    specs = [buffer(size, Role.OUTPUT, 0), buffer(size, Role.INPUT, 0), buffer(size, Role.INPUT, 1)]
    return schedule([(name, (0, 1, 2))], specs), [kernel]


def chain(size: int, length: int) -> tuple[Schedule, list[RenderedKernel]]:
    """o = a + 1 + 1 …, one kernel per addition, by way of temporaries in two arenas."""
    specs = [buffer(size, Role.INPUT, 0), buffer(size, Role.OUTPUT, 0)]
    specs += [buffer(size, Role.TEMPORARY, arena=number % 2) for number in range(length - 1)]
    stops = [0, *range(2, length + 1), 1]
    kernels = [(f"step{number}", (stops[number + 1], stops[number])) for number in range(length)]
    arguments = [argument(0, size, written=True), argument(1, size)]
    return schedule(kernels, specs), [
        rendered(name, "o[i] = a[i] + 1;", arguments, size) for name, _ in kernels
    ]


def in_caller() -> OpenCLDevice:
    """PoCL's processor running kernels in the calling thread; the test is skipped where there is none."""
    companion = get_device("pocl").companion
    if companion is None:
        pytest.skip("PoCL has one driver only")
    return companion
