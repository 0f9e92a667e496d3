"""Times programs on a device, in turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from eqsat.dtype import DType, float32, to_numpy
from eqsat.pipeline import render
from eqsat.runtime import Device, Executable
from eqsat.schedule.kernel import BufferSpec, Kernel, Role, Schedule
from eqsat.schedule.plan import schedule
from eqsat.uop import UOp

REPEATS = 21
LAUNCHES = 33  # launches of a kernel with hardly any work, to measure the cost of one launch


def seconds_of(
    graphs: Sequence[UOp], device: Device, integers_below: int = 8, repeats: int = REPEATS
) -> list[float]:
    """The seconds that the kernels of each graph take on the device: for each kernel the least of `repeats` runs, in which all graphs take turns.

    Other work on the machine disturbs the least time less. The graphs are scheduled as they are, without optimization. Graphs share inputs of
    the same slot, size and type. Inputs are random: floats from a half to one, and integers from one to below `integers_below`, so that they
    divide, shift or index without an error.
    """
    schedules = [schedule(graph, device.described) for graph in graphs]
    joined = together(schedules)
    executable = Executable(device, joined, render(joined, device), save=False)
    inputs = [
        _random(spec.dtype, spec.size, integers_below) for spec in joined.buffers if spec.role is Role.INPUT
    ]
    least = executable.times(*inputs, repeats=repeats).min(axis=0)
    ends = np.cumsum([len(each.kernels) for each in schedules])
    return [float(part.sum()) for part in np.split(least, ends[:-1])]


def launch_seconds(device: Device) -> float:
    """The seconds that one more kernel adds to a program, apart from the kernel's own work."""
    one = schedule(UOp.sink(UOp.param(0, 16, float32) * 2.0), device.described)
    programs = [together([one] * count) for count in (1, LAUNCHES)]
    executables = [Executable(device, program, render(program, device), save=False) for program in programs]
    x = _random(float32, 16)
    taken = np.array([[_wall_seconds(executable, x) for executable in executables] for _ in range(REPEATS)])
    few, many = taken.min(axis=0)
    return max(0.0, float(many - few) / (LAUNCHES - 1))


def together(schedules: Sequence[Schedule]) -> Schedule:
    """One schedule that runs several one after the other; they share inputs, and each has its own outputs and temporaries."""
    buffers: list[BufferSpec] = []
    shared: dict[tuple[int, int, DType], int] = {}
    kernels: list[Kernel] = []
    outputs: list[int] = []
    for place, each in enumerate(schedules):
        numbers: list[int] = []
        for spec in each.buffers:
            key = spec.slot, spec.size, spec.dtype
            if spec.role is not Role.INPUT or key not in shared:
                slot = {Role.INPUT: len(shared), Role.OUTPUT: len(outputs), Role.TEMPORARY: -1}[spec.role]
                numbers.append(len(buffers))
                buffers.append(replace(spec, slot=slot, arena=-1))
                if spec.role is Role.INPUT:
                    shared[key] = numbers[-1]
                if spec.role is Role.OUTPUT:
                    outputs.append(numbers[-1])
            else:
                numbers.append(shared[key])
        for kernel in each.kernels:
            ast = kernel.ast.replace(arg=replace(kernel.ast.arg, name=f"{kernel.name}_{place}"))
            kernels.append(
                replace(kernel, ast=ast, buffers=tuple(numbers[number] for number in kernel.buffers))
            )
    return Schedule(tuple(kernels), tuple(buffers), tuple(shared.values()), tuple(outputs))


def _random(dtype: DType, size: int, below: int = 8) -> NDArray[np.generic]:
    random = np.random.default_rng(0)
    if dtype.is_float:
        return random.uniform(0.5, 1.0, size).astype(to_numpy(dtype))
    return random.integers(1, below, size).astype(to_numpy(dtype))


def _wall_seconds(executable: Executable, x: NDArray[np.generic]) -> float:
    start = perf_counter()
    executable(x)
    return perf_counter() - start
