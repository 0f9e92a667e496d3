"""Programs timed side by side on a device."""

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
LAUNCHES = 33  # of a kernel without work, to see what one costs


def seconds_of(
    graphs: Sequence[UOp], device: Device, integers_below: int = 8, repeats: int = REPEATS
) -> list[float]:
    """What the kernels of each graph take on the device: the least of runs in which all take turns, which other work on the machine disturbs less.

    The graphs are run as they are: scheduled, and not optimized. Inputs of one slot, size and type are shared. They are random: floats from a half
    to one, integers from one to below `integers_below`, so that they divide, shift or index without an error.
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


def launch_seconds(device: Device, repeats: int = REPEATS) -> float:
    """What one more kernel adds to the time of a program, its work aside."""
    one = schedule(UOp.sink(UOp.param(0, 16, float32) * 2.0), device.described)
    programs = [together([one] * count) for count in (1, LAUNCHES)]
    executables = [Executable(device, program, render(program, device), save=False) for program in programs]
    x = _random(float32, 16)
    taken = np.array([[_wall_seconds(executable, x) for executable in executables] for _ in range(repeats)])
    few, many = taken.min(axis=0)
    return max(0.0, float(many - few) / (LAUNCHES - 1))


def together(schedules: Sequence[Schedule]) -> Schedule:
    """One schedule of several, one after the other, with outputs and temporaries of their own and their inputs shared."""
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
