"""Graphs that are scheduled and rendered, but not yet compiled for a device."""

from __future__ import annotations

from dataclasses import dataclass

from eqsat.codegen import RenderedKernel
from eqsat.schedule.kernel import Schedule
from eqsat.shape import Shape


@dataclass(frozen=True)
class Compilation:
    """A scheduled and rendered graph that the device's compiler has not seen yet. The cache of plans stores it.

    Attributes:
        schedule: the kernels and their buffers.
        kernels: the rendered kernels, in the order of the schedule.
        shapes: the shapes of the outputs.
        arguments: for each input of the schedule, the slot of the graph's PARAM. Optimization may drop PARAMs.
    """

    schedule: Schedule
    kernels: tuple[RenderedKernel, ...]
    shapes: tuple[Shape, ...]
    arguments: tuple[int, ...]
