"""Dependence chains of accumulators: each update of an accumulator waits for the one before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqsat.machine import Machine
from eqsat.schedule.cost.matrix_registers import MatrixRegisters
from eqsat.schedule.cost.tables import Tables
from eqsat.schedule.lowering.launch import INDEPENDENT_CHAINS
from eqsat.schedule.tiling import Floats, Tilings


@dataclass(frozen=True)
class Chains:
    """The accumulators of each reduction, by tiling and reduction.

    Attributes:
        accumulators: accumulators that a work-item has.
        updates: updates of each accumulator in one iteration, which run one after the other.
    """

    accumulators: Floats
    updates: Floats

    @staticmethod
    def of(kernel: Tables, tilings: Tilings) -> Chains:
        """The chains of a kernel's reductions. Copies unrolled along a reduction take turns on the accumulators that each element has.

        Along a recurrence, each waits for the one before.
        """
        reductions = kernel.reductions
        added = tilings.copies_in(reductions.own)
        apart = tilings.copies_in(reductions.value) / added
        chains = np.minimum(added, np.maximum(1.0, INDEPENDENT_CHAINS // apart))
        chains = np.where(reductions.latency > 0, 1.0, chains)
        return Chains(apart * chains, added / chains)

    def cycles(self, kernel: Tables, device: Machine, matrices: MatrixRegisters) -> Floats:
        """Cycles in which the slowest accumulator waits for its own updates, by tiling and set of loops."""
        reductions = kernel.reductions
        each = np.where(reductions.sums, device.sum_cycles, device.accumulate_cycles)
        each = np.where(reductions.adds_byte_products, device.dot_cycles, each)
        each = np.where(reductions.latency > 0, reductions.latency, each)
        return most_in(self.updates * matrices.chain(each, device), kernel.values_in)


def most_in(values: Floats, places: NDArray[Any]) -> Floats:
    """The greatest value in each place, by tiling; 0 where a place has no value. `places` says which places each value is in."""
    found = np.zeros((places.shape[1], len(values)))
    for number, place in np.argwhere(places).tolist():
        np.maximum(found[place], values[:, number], out=found[place])
    return found.T
