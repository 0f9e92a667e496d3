"""Accumulators that wait for themselves: each sum of an accumulator begins when the one before is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqsat.machine import Machine
from eqsat.schedule.cost.matrix_registers import MatrixRegisters
from eqsat.schedule.cost.tables import Tables
from eqsat.schedule.loops.tiling import Floats, Tilings
from eqsat.schedule.lowering.launch import INDEPENDENT_CHAINS


@dataclass(frozen=True)
class Chains:
    """The accumulators of each reduction, for each tiling.

    Attributes:
        accumulators: of a work-item.
        updates: of each in one iteration, one after the other.
    """

    accumulators: Floats
    updates: Floats

    @staticmethod
    def of(kernel: Tables, tilings: Tilings) -> Chains:
        """Copies along the reduction itself go in turn to as many accumulators as the kernel has for each element."""
        reductions = kernel.reductions
        added = tilings.copies_in(reductions.own)
        apart = tilings.copies_in(reductions.value) / added
        chains = np.minimum(added, np.maximum(1.0, INDEPENDENT_CHAINS // apart))
        return Chains(apart * chains, added / chains)

    def cycles(self, kernel: Tables, device: Machine, matrices: MatrixRegisters) -> Floats:
        """For which the slowest accumulator waits for itself, by tiling and set of loops."""
        reductions = kernel.reductions
        each = np.where(reductions.sums, device.sum_cycles, device.accumulate_cycles)
        each = np.where(reductions.words, device.dot_cycles, each)
        return most_in(self.updates * matrices.chain(each, device), kernel.values_in)


def most_in(values: Floats, places: NDArray[Any]) -> Floats:
    """The greatest value in each place, by tiling; 0 where there is none."""
    found = np.zeros((places.shape[1], len(values)))
    for number, place in np.argwhere(places).tolist():
        np.maximum(found[place], values[:, number], out=found[place])
    return found.T
