"""Unrolled copies that load the same elements are counted once: as many loads are predicted as the expanded kernel has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from math import prod
from random import Random

import pytest

import eqsat as eq
from eqsat.codegen import expand
from eqsat.machine import Machine
from eqsat.ops import Op
from eqsat.schedule.cost.tables import Tables
from eqsat.schedule.cost.vectors import Vectors
from eqsat.schedule.draft import Draft
from eqsat.schedule.tiling import Axis, Tiling, Tilings
from eqsat.uop import toposort
from tests.schedule.graphs import without_local_memory

DEVICE = Machine()
ROWS, COLUMNS = 48, 96
Stencil = Callable[[eq.Array], eq.Array]


def taps(places: tuple[tuple[int, int], ...]) -> Stencil:
    """The weighted sum of an image's elements at these rows and columns from each place."""

    def summed(image: eq.Array) -> eq.Array:
        parts = [
            image[row : row + ROWS, column : column + COLUMNS] * float(number + 2)
            for number, (row, column) in enumerate(places)
        ]
        return sum(parts[1:], parts[0])

    return summed


def drawn(seed: int) -> Stencil:
    draw = Random(seed)
    return taps(tuple({(draw.randrange(4), draw.randrange(3)) for _ in range(draw.randrange(2, 8))}))


def window(image: eq.Array) -> eq.Array:
    """Maxima of 3×2: the ranges of the window step as far as those of the image."""
    return eq.max_pool2d(image[None, None], (3, 2), stride=1)[0, 0]


STENCILS = {
    "square": taps(tuple(product(range(3), range(3)))),
    "row": taps(((0, 0), (0, 1), (0, 2))),
    "far": taps(((0, 0), (2, 0))),
    **{f"drawn {seed}": drawn(seed) for seed in range(6)},
    "window": window,
}


@pytest.mark.parametrize("stencil", STENCILS.values(), ids=STENCILS)
def test_as_many_loads_are_predicted_as_there_are(stencil: Stencil) -> None:
    image = eq.spec((ROWS + 3, COLUMNS + 2), eq.float32)
    kernel = without_local_memory(eq.trace(stencil, image).src[0], DEVICE)
    accesses = Tables.of(kernel.profile).accesses
    loads = ~accesses.store
    for tiling in tilings(kernel):
        cases = Vectors.of(accesses, Tilings.of(kernel.profile.extents, [tiling]), DEVICE)
        copies = cases.copies[cases.place[0]]
        assert (copies * accesses.count)[loads].sum() == len(loads_of(kernel, tiling)), tiling


def tilings(kernel: Draft) -> Iterator[Tiling]:
    """Copies along all ranges, with and without lanes along the last output."""
    last = max(place for place in range(len(kernel.profile.extents)) if kernel.profile.outputs >> place & 1)
    numbers = [[each for each in (1, 2, 3) if not extent % each] for extent in kernel.profile.extents]
    for lanes, copies in product((1, 16), product(*numbers)):
        if prod(copies) <= 24 and not kernel.profile.extents[last] % (lanes * copies[last]):
            axes = [Axis(copies=each) for each in copies]
            axes[last] = Axis(lanes=lanes, copies=copies[last])
            yield Tiling(tuple(axes))


def loads_of(kernel: Draft, tiling: Tiling) -> list[eq.UOp]:
    """The different loads of the kernel with these loops."""
    return [node for node in toposort([expand(kernel.kernel(tiling).ast)]) if node.op is Op.LOAD]
