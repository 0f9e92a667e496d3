"""The loop nests of many tilings, as `traffic` walks them from the innermost loop outwards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eqsat.schedule.tiling import Bools, Floats, Tilings


@dataclass(frozen=True)
class Nest:
    """Nested loops, the innermost first, by depth and tiling.

    Attributes:
        position: number of the range that the loop is over.
        iterations: trip count of the loop; 1 where a tiling does not have it.
        serial: by depth, whether it is a loop over the tiles that one work-item walks through.
        outermost: by depth, whether it is a loop over work-items, each of which runs all bodies.
        parallel: whether the tiling spreads the range over work-items.
    """

    position: NDArray[np.int64]
    iterations: Floats
    serial: Bools
    outermost: Bools
    parallel: Bools

    @staticmethod
    def of(tilings: Tilings) -> Nest:
        """The whole loop nests of these tilings."""
        inner = np.where(tilings.parallel.T, 1.0, tilings.inner_across)[::-1]
        positions = np.arange(len(inner))[::-1, None]
        order = tilings.order.T[::-1]
        parallel = np.maximum(order, 0)
        rows = np.arange(len(tilings))
        serial, outer = (
            np.where(order < 0, 1.0, each[rows, parallel]) for each in (tilings.serial, tilings.outer)
        )
        depth = np.arange(len(inner) + 2 * len(order))
        outermost = depth >= len(inner) + len(order)
        position = np.concatenate([np.repeat(positions, len(tilings), axis=1), parallel, parallel])
        return Nest(
            position,
            np.concatenate([inner, serial, outer]),
            (depth >= len(inner)) & ~outermost,
            outermost,
            tilings.parallel[rows, position],
        )

    def around(self, loops: Bools, outside: Bools | None = None) -> Nest:
        """The loops around a body: loops over work-items, over the ranges `loops`, and over serial tiles of ranges that are `outside` the body.

        `outside` is by range and tiling. Depths at which no tiling has a loop are dropped.
        """
        around = self.outermost[:, None] | loops[self.position]
        if outside is not None:
            around |= self.serial[:, None] & outside[self.position, np.arange(outside.shape[1])]
        iterations = np.where(around, self.iterations, 1.0)
        kept = iterations.max(axis=1, initial=1) > 1
        return Nest(
            self.position[kept],
            iterations[kept],
            self.serial[kept],
            self.outermost[kept],
            self.parallel[kept],
        )

    def spans(self, ranges: NDArray[np.int64], innermost: Floats, extents: Floats) -> Floats:
        """The elements of each of `ranges` that the loops up to each depth cover, if no loop covers `innermost` of them."""
        reached = np.empty((len(ranges), 1 + len(self.position), innermost.shape[1]))
        reached[:, 0] = innermost
        reached[:, 1:] = np.where(self.position == ranges[:, None, None], self.iterations, 1.0)
        np.multiply.accumulate(reached, axis=1, out=reached)
        return np.minimum(reached, extents[:, None, None], out=reached)
