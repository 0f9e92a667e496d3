"""Drawn index expressions keep their values: simplified, divided, and in the loop variables of tilings."""

from __future__ import annotations

import random

import numpy as np
import pytest
from numpy.typing import NDArray

import eqsat as eq
from eqsat.dtype import float32, index
from eqsat.machine import Machine
from eqsat.ops import AxisType, Op
from eqsat.schedule.loops.bases import Bases, Indices, tile_of
from eqsat.schedule.lowering.index_arithmetic import flatten_index, floor_divide, floor_modulo
from eqsat.uop import UOp

EXTENTS = (2, 3, 5, 8, 56)
DIVISORS = (2, 3, 7, 8, 56, 58)


def drawn(draw: random.Random, loops: list[UOp]) -> UOp:
    """A sum of multiples of loops, quotients and remainders."""
    total = UOp.const(index, draw.randint(-70, 70))
    for loop in loops:
        divisor = draw.choice(DIVISORS)
        total = total + loop * draw.choice((1, -1, 2, divisor, divisor + 1, divisor - 1, -divisor))
    if draw.random() < 0.5:
        total = total % draw.choice(DIVISORS) + draw.choice(loops) // draw.choice(DIVISORS) * 9
    return total


def loops_of(draw: random.Random) -> list[UOp]:
    return [UOp.range(draw.choice(EXTENTS), number, AxisType.LOOP) for number in range(3)]


def everywhere(loops: list[UOp]) -> dict[UOp, NDArray[np.int64]]:
    """Every combination of values of loops."""
    grid = np.indices([loop.src[0].arg for loop in loops]).reshape(len(loops), -1)
    return dict(zip(loops, grid, strict=True))


@pytest.mark.parametrize("seed", range(200))
def test_quotient_and_remainder_are_those_of_the_expression(seed: int) -> None:
    draw = random.Random(seed)
    loops = loops_of(draw)
    expression, divisor = drawn(draw, loops), draw.choice((1, *DIVISORS))
    places = everywhere(loops)
    values = np.broadcast_to(eq.evaluate(expression, places), places[loops[0]].shape)
    np.testing.assert_array_equal(
        np.broadcast_to(eq.evaluate(floor_divide(expression, divisor), places), values.shape),
        values // divisor,
    )
    np.testing.assert_array_equal(
        np.broadcast_to(eq.evaluate(floor_modulo(expression, divisor), places), values.shape),
        values % divisor,
    )


@pytest.mark.parametrize("seed", range(30))
def test_position_of_quotient_and_remainder_is_what_they_are_of(seed: int) -> None:
    draw = random.Random(seed)
    loops = loops_of(draw)
    divided, divisor, extent = drawn(draw, loops), draw.choice(DIVISORS), 10**6
    positions = (divided // divisor, divided % divisor, loops[0])
    flat = flatten_index(positions, (extent, divisor, extent))
    places = everywhere(loops)
    want = eq.evaluate(divided * extent + loops[0], places)
    np.testing.assert_array_equal(*np.broadcast_arrays(eq.evaluate(flat, places), want))
    assert not {divided // divisor, divided % divisor} & set(flat.toposort())


def test_a_window_of_a_padded_row_needs_no_remainder() -> None:
    """Convolutions walk windows as rows that are one element longer: place 59·tap + column of rows of 58."""
    column, tap = UOp.range(56, 0, AxisType.LOOP), UOp.range(3, 1, AxisType.REDUCE)
    flat = column + tap * 59
    assert floor_divide(flat, 58) is tap
    assert Op.FLOORMOD not in {node.op for node in floor_modulo(flat, 58).toposort()}


@pytest.mark.parametrize("seed", range(30))
def test_every_tiling_has_the_values_of_the_expression(seed: int) -> None:
    draw = random.Random(seed)
    loops = loops_of(draw)
    roots = [drawn(draw, loops) for _ in range(3)]
    loads = [
        UOp(Op.LOAD, float32, (UOp(Op.INDEX, float32, (UOp.param(slot, 9, float32), root)),))
        for slot, root in enumerate(roots)
    ]
    indices = Indices(Machine())
    plain = indices.simplest(UOp.sink(*loads))
    sizes = {loop: [size for size in (2, 4, 8) if size <= loop.src[0].arg] for loop in loops}
    bases, places = Bases(plain, sizes, indices), everywhere(loops)
    for _ in range(3):
        tiles = {loop: draw.choice([1, *sizes[loop]]) for loop in loops}
        variables = dict(places)
        for loop, size in tiles.items():
            tile = tile_of(loop, size)
            if tile.inner is not loop:
                last = loop.src[0].arg - size
                outer = np.minimum(places[loop] // size, tile.outer.src[0].arg - 1)
                inside = places[loop] - np.minimum(outer * size, last)
                variables.update({tile.outer: outer, tile.inner: inside})
        expressed = bases.express(tiles)
        for root in roots:
            form = expressed[root]
            assert all(tiles.get(bound, 1) in (1, bound.src[0].arg) for bound in form.ranges), form
            want = np.broadcast_to(eq.evaluate(root, places), places[loops[0]].shape)
            np.testing.assert_array_equal(np.broadcast_to(eq.evaluate(form, variables), want.shape), want)
