"""The room that blocks of rows take in a cache, beside a count of the lines that meet in each of its sets."""

from __future__ import annotations

import random

import numpy as np
import pytest

import eqsat as eq
from eqsat.array import Array
from eqsat.dtype import float32
from eqsat.schedule.cost.cache_sets import room_of_stretch
from eqsat.uop import UOp
from tests.schedule.test_traffic import tables_of

LINE, WAY, ITEM = 64, 4096, 4  # bytes
Images = tuple[
    int, int, int, int, int
]  # images, their height and width, and the rows and columns of each that are read


def drawn(seed: str) -> Images:
    """Images of any size, or of powers of two, and a part of each."""
    draw = random.Random(seed)
    width = draw.choice((16, 32, 64, 128, 256, 512, 1024, 48, 96, 100, 80, 1040))
    height = draw.choice((8, 16, 32, 64, 17, 20, 63))
    return (
        draw.choice((2, 4, 8, 32, 40)),
        height,
        width,
        draw.randint(2, height - 1),
        draw.randint(4, width - 1),
    )


def predicted(images: int, height: int, width: int, rows: int, columns: int) -> float:
    """The room that the model gives to the first `rows` and `columns` of each image."""
    pixels = Array(UOp.param(0, images * height * width, float32).reshape((images, height, width)))
    tables = tables_of(eq.sum(pixels[:, :rows, :columns], axis=(0, 1)).uop)
    accesses = tables.accesses
    (load,) = np.flatnonzero(~accesses.store)
    spans = np.array(tables.kernel.extents, float)[accesses.moving]
    runs = np.full((len(accesses.store), 1, 1), columns * ITEM + LINE - ITEM)
    each = room_of_stretch(accesses, spans[:, None, None], runs, WAY)[load].item()
    return each * spans[accesses.moving_jumps[load]].prod()


def counted(images: int, height: int, width: int, rows: int, columns: int) -> int:
    """The bytes of a cache in which these lines all stay: the lines of the fullest set, times the bytes of a way."""
    image, row, column = np.ogrid[:images, :rows, :columns]
    lines = np.unique(((image * height + row) * width + column) * ITEM // LINE)
    return int(np.bincount(lines % (WAY // LINE)).max()) * WAY


@pytest.mark.parametrize("seed", range(60))
def test_room_is_that_of_the_fullest_set(seed: int) -> None:
    """Up to a factor of two, as lines of several ranges may fall into one gap, and two ways, as a stretch may start anywhere in a line."""
    images = drawn(f"sets {seed}")
    assert counted(*images) / 2 - 2 * WAY <= predicted(*images) <= 2 * counted(*images) + WAY


def test_images_of_a_power_of_two_meet_in_the_sets_of_their_rows() -> None:
    """Three rows of each of 32 images are 24 KiB, but take 32 lines of the same twelve sets."""
    assert predicted(32, 64, 64, 3, 64) == 32 * WAY
    assert predicted(32, 66, 64, 3, 64) < 8 * WAY
