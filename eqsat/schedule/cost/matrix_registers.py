"""Which loops over products of bytes run in matrix registers, and their costs there.

Code generation uses matrix registers where a body does nothing but multiply 16 rows with one to four vectors of 16 columns
(`codegen.rendering.tiles`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eqsat.machine import TILE_ROWS, TILE_VECTORS, TILE_WORDS, Machine
from eqsat.schedule.cost.tables import Tables
from eqsat.schedule.tiling import Bools, Floats, Tilings


@dataclass(frozen=True)
class MatrixRegisters:
    """Whether each reduction runs in matrix registers, by tiling; none does where the device has no such registers."""

    used: Bools

    @staticmethod
    def of(kernel: Tables, tilings: Tilings, device: Machine) -> MatrixRegisters:
        """The reductions whose value is a tile of 16 rows and a few vectors, and is not tiled otherwise."""
        reductions = kernel.reductions
        used = np.zeros((len(tilings), len(reductions.own)), bool)
        if not device.tile_cycles or not reductions.rows.any():
            return MatrixRegisters(used)
        row = (tilings.copies == TILE_ROWS) & (tilings.lanes == 1)
        vectors = (tilings.lanes == TILE_WORDS) & (tilings.copies <= TILE_VECTORS)
        for rows, columns in zip(reductions.rows, reductions.columns, strict=True):
            used |= (row @ rows.T) & (vectors @ columns.T)
        cut = (tilings.tile > 1).astype(float) @ reductions.value.T
        return MatrixRegisters(used & (cut == 2) & (tilings.items == 1).all(axis=1)[:, None])

    def arithmetic(self, kernel: Tables, each: Floats, device: Machine) -> Floats:
        """Cycles of each operation, by tiling; `each` has the cycles without matrix registers."""
        if not self.used.any():
            return each
        work, reductions = kernel.work, kernel.reductions
        same = (reductions.value[:, None] == work.depends).all(axis=2)
        same &= (reductions.sits[:, None] == work.sits).all(axis=2)
        return np.where(self.used @ same, device.tile_cycles / (TILE_ROWS * TILE_WORDS), each)

    def chain(self, each: Floats, device: Machine) -> Floats:
        """Cycles from one update of an accumulator to the next, by tiling and reduction; `each` has the cycles without matrix registers.

        While one sum waits, other sums proceed.
        """
        return np.where(self.used, device.tile_cycles / TILE_WORDS, each)

    def port(self, kernel: Tables, tilings: Tilings, cycles: Floats) -> Floats:
        """Cycles of the ports for each access, given the `cycles` without matrix registers; these load all words of a row at once."""
        if not self.used.any():
            return cycles
        accesses = kernel.accesses
        inside = (kernel.reductions.sits[:, None] == accesses.sits).all(axis=2)
        rows = tilings.copies_in(accesses.depends) >= TILE_ROWS
        return np.where(self.used @ inside & rows, cycles / TILE_WORDS, cycles)
