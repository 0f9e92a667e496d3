"""The room that strided accesses take in a cache: a stride that is a multiple of a power of two leaves most of the cache's sets empty.

A line may stay in one set only, which its address modulo the bytes of a cache way names. So what counts of a step is its greatest common
divisor with these bytes: stretches whose divisor is as large as a way all meet in the same sets.
"""

from __future__ import annotations

import numpy as np

from eqsat.schedule.cost.accesses import Accesses
from eqsat.schedule.tiling import Floats


def room_of_stretch(accesses: Accesses, spans: Floats, runs: Floats, way: int) -> Floats:
    """The bytes of cache room that each contiguous stretch takes, by access and the further axes of `spans`.

    `spans` has the elements that each range of `Accesses.moving` covers, `runs` the bytes of a stretch, and `way` those of a cache way.
    """
    moving = (spans.take(accesses.jumping_among_moving, axis=0) > 1)[:, None]
    apart = np.where(moving, accesses.jumps_within(way)[..., None, None], np.inf)
    nearest = np.minimum.reduce(apart, axis=0, initial=np.inf)
    found = np.where(np.isinf(nearest), runs, np.maximum(runs, nearest))
    for row in accesses.jumps_that_differ(way):
        found[row] = runs[row] * _spread(accesses, row, spans, runs[row], way)
    return found


def _spread(accesses: Accesses, row: int, spans: Floats, run: Floats, way: int) -> Floats:
    """The room that one access takes in the cache, divided by the bytes that it touches.

    The stretches of the range with the smallest divisor fill the gaps between those of the next one. Several ranges with one step reach
    mostly the same stretches.
    """
    steps, divisors = accesses.jump_steps[:, row], accesses.jumps_within(way)[:, row]
    jumping = np.flatnonzero(np.isfinite(steps)).tolist()
    block, spread = run, np.ones(run.shape)
    last, counted = 0.0, np.ones(run.shape)
    for place in sorted(jumping, key=lambda place: (divisors[place], steps[place])):
        count = spans[accesses.jumping_among_moving[place]]
        room = np.where(count > 1, np.maximum(block, divisors[place]), block)
        spread = spread * (room / block)
        further = counted + count - 1 if steps[place] == last else count
        block = room * (further / counted if steps[place] == last else count)
        last, counted = steps[place], further
    return spread
