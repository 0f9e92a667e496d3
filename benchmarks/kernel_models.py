"""Cost models of whole kernels: which of many schedules of one kernel is the quickest?

An extraction's cost model prices one node at a time; these models see a kernel and its loops. Each predicts one number for each schedule,
the smaller the better. Some predict seconds, and all are judged by how they rank schedules (`benchmarks.ranking`). The scheduler uses
`Analytic`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np

from eqsat.machine import Machine
from eqsat.schedule.cost.accesses import bits
from eqsat.schedule.cost.estimates import Costs, Estimates, estimate
from eqsat.schedule.cost.profile import Profile
from eqsat.schedule.cost.tables import Tables
from eqsat.schedule.cost.vectors import Vectors
from eqsat.schedule.loops.search import Bodies, Choice, choose_among
from eqsat.schedule.tiling import Floats, Tiling, Tilings


@dataclass(frozen=True, eq=False)
class Variants:
    """Schedules of one kernel on one device."""

    kernel: Profile
    tilings: tuple[Tiling, ...]
    device: Machine

    @cached_property
    def tables(self) -> Tables:
        """The kernel as arrays."""
        return Tables.of(self.kernel)

    @cached_property
    def loops(self) -> Tilings:
        """The schedules as arrays."""
        return Tilings.of(self.kernel.extents, self.tilings)

    @cached_property
    def estimates(self) -> Estimates:
        """The estimates of the analytic model, by cause."""
        return estimate(self.tables, self.tilings, self.device)


def every_tiling(kernel: Profile, device: Machine) -> Choice:
    """All bodies in all arrangements of outer loops: tens of times as many as `schedule.loops.search.choose` looks at."""
    found = Bodies.of(kernel, device)
    return choose_among(found, found.all_plain, len(found.all_plain.tilings), len(found.tilings))


class KernelModel(Protocol):
    """Predicts the costs of schedules of a kernel.

    Attributes:
        name: the name of the model in tables.
        unit: the unit of its predictions.
    """

    name: ClassVar[str]
    unit: ClassVar[str]

    def predict(self, variants: Variants) -> Floats:
        """One number for each schedule, the smaller the better."""
        ...


@dataclass(frozen=True)
class Analytic:
    """The estimate that the scheduler minimizes: the busiest of ports, accumulator chains and memory levels, plus overheads."""

    name: ClassVar[str] = "analytic"
    unit: ClassVar[str] = "seconds"

    def predict(self, variants: Variants) -> Floats:
        """Seconds."""
        return variants.estimates.seconds


@dataclass(frozen=True)
class KernelRoofline:
    """The longer of two times, plus a launch: arithmetic on the vectors and cores in use, and moving each buffer through memory once."""

    name: ClassVar[str] = "roofline"
    unit: ClassVar[str] = "seconds"

    def predict(self, variants: Variants) -> Floats:
        """Seconds."""
        device, loops = variants.device, variants.loops
        busy = np.ceil(loops.groups / device.cores) / loops.groups  # the share of the busiest core
        arithmetic = arithmetic_cycles(variants) * busy / device.frequency
        buffers = {
            access.buffer: access.size * access.itemsize
            for access in variants.kernel.accesses
            if not access.is_local
        }
        return np.maximum(arithmetic, sum(buffers.values()) / device.bandwidth) + device.launch_seconds


@dataclass(frozen=True)
class InstructionsExecuted:
    """Instructions executed in all iterations of all work-items, loop control included; a vector access counts once if its lanes are contiguous."""

    name: ClassVar[str] = "instructions executed"
    unit: ClassVar[str] = "instructions"

    def predict(self, variants: Variants) -> Floats:
        """Instructions."""
        loops = variants.loops.times(variants.tables.bodies).sum(axis=1)
        return arithmetic_cycles(variants) + accesses_executed(variants) + LOOP_INSTRUCTIONS * loops


@dataclass(frozen=True)
class CodeLength:
    """The number of instructions in the kernel's text."""

    name: ClassVar[str] = "code size"
    unit: ClassVar[str] = "instructions"

    def predict(self, variants: Variants) -> Floats:
        """Instructions."""
        costs = Costs.of(variants.tables, variants.loops, variants.device)
        return costs.instructions.sum(axis=1)


@dataclass(frozen=True)
class RegistersNeeded:
    """Vector registers needed for all accumulators, and for one copy of each operand."""

    name: ClassVar[str] = "registers"
    unit: ClassVar[str] = "registers"

    def predict(self, variants: Variants) -> Floats:
        """Registers."""
        loops, kernel, size = variants.loops, variants.kernel, variants.device.vector_bytes
        count = len(kernel.extents)
        total = np.zeros(len(variants.tilings))
        for reduction in kernel.reductions:
            value = bits([reduction.value], count)
            lanes = loops.lanes_in(value)[:, 0]
            total += loops.copies_in(value)[:, 0] * registers(lanes, reduction.itemsize, size)
        accesses = variants.tables.accesses
        lanes = loops.lanes_in(accesses.depends)
        return total + registers(lanes, accesses.itemsize, size) @ accesses.count


KERNEL_MODELS: tuple[KernelModel, ...] = (
    Analytic(), KernelRoofline(), InstructionsExecuted(), CodeLength(), RegistersNeeded(),
)  # fmt: skip
"""The models that need no training."""

LOOP_INSTRUCTIONS = 3.0  # instructions per iteration of a loop: count, compare, branch


def arithmetic_cycles(variants: Variants) -> Floats:
    """Cycles of arithmetic of all work-items; each operation computes one vector register at a time."""
    loops, work = variants.loops, variants.tables.work
    lanes = loops.lanes_in(work.depends)
    copies = loops.copies_in(work.depends) * registers(lanes, work.itemsize, variants.device.vector_bytes)
    return (loops.times(work.sits) * copies) @ work.cycles


def accesses_executed(variants: Variants) -> Floats:
    """Loads and stores executed by all work-items: whole vectors if their lanes are contiguous, single elements otherwise."""
    accesses = variants.tables.accesses
    vectors = Vectors.of(accesses, variants.loops, variants.device)
    together = (vectors.contiguous & ~vectors.gated) | ~vectors.addressed
    each = vectors.copies * np.where(together, 1.0, vectors.lanes)
    return (variants.loops.times(accesses.sits) * each[vectors.place]) @ accesses.count


def registers(lanes: Floats, itemsize: Floats | float, vector_bytes: int) -> Floats:
    """Vector registers that so many lanes fill."""
    return np.maximum(1.0, np.ceil(lanes * itemsize / vector_bytes))
