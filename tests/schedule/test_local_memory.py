"""Parts of an axis that local memory keeps: every index is where its part begins and its place in the part."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eqsat as eq
from eqsat.codegen import render
from eqsat.dtype import PtrDType, index
from eqsat.integers.bounds import bounds
from eqsat.machine import Machine
from eqsat.ops import Op
from eqsat.schedule.lowering.index_arithmetic import add, multiply
from eqsat.schedule.lowering.local_memory import (
    Part,
    beginning,
    beginnings,
    grown,
    is_inside,
    own_part,
    part_of,
    positions,
    window_of,
)
from eqsat.schedule.placement.index_maps import is_outer
from eqsat.schedule.plan import schedule
from eqsat.uop import UOp

sizes = st.integers(2, 9)


@given(parts=sizes, part=sizes, tile=st.integers(1, 4), walked=st.integers(1, 9), data=st.data())
def test_an_index_is_its_part_and_its_place_there(
    parts: int, part: int, tile: int, walked: int, data: st.DataObject
) -> None:
    part, walked = part * tile, min(part, walked)
    outer, across, inner = UOp.range(parts, 0), UOp.range(max(2, tile), 1), UOp.range(max(2, walked), 2)
    place = add(multiply(outer, part), multiply(inner, tile) if tile > 1 else inner)
    extent = parts * part
    assert part_of(place, [inner], extent) == part
    values = {loop: data.draw(st.integers(0, loop.src[0].arg - 1)) for loop in (outer, inner)}
    at = {loop: UOp.const(index, value) for loop, value in values.items()}
    begins = beginning(place, Part(0, part), is_outer)
    begin, own = (bounds(each.substitute(at))[0] for each in (begins, own_part(place, part)))
    assert begin == values[outer] * part
    assert begin + own == values[outer] * part + values[inner] * tile
    assert 0 <= own < part
    kept = (Part(0, part),)
    around = beginnings((place, across), kept, (extent, 4), is_outer)
    assert around == (begins, across)
    assert positions((place, across), kept, (extent, 4), is_outer) == [own_part(place, part)]
    assert is_inside(around, kept, (extent, 4))
    assert not is_inside(around, kept, (extent - 1, 4))


@given(
    steps=sizes, factor=st.integers(1, 3), taps=sizes, apart=st.integers(1, 3), shift=st.integers(-4, 4),
    block=st.integers(2, 4), data=st.data(),
)  # fmt: skip
def test_an_index_is_in_its_window(
    steps: int, factor: int, taps: int, apart: int, shift: int, block: int, data: st.DataObject
) -> None:
    """Also where a window serves a block of steps: the same place, in a window of which the loop over the block is no longer one of those around."""
    blocks, step, tap = UOp.range(steps, 0), UOp.range(block, 1), UOp.range(taps, 2)
    index_of = add(multiply(blocks, block), step)
    place = add(add(multiply(index_of, factor), multiply(tap, apart)), shift)
    shape = (1000, 4)
    window = window_of([place], lambda loop: loop is not tap)
    assert window == (shift, (taps - 1) * apart + 1)
    kept = grown((Part(0, window[1], window[0]),), (place,), {step: block})
    assert kept[0].extent == window[1] + factor * (block - 1)
    (begin,) = beginnings((place,), kept, shape, lambda loop: loop is blocks)
    (own,) = positions((place,), kept, shape, lambda loop: loop is blocks)
    assert begin.ranges == {blocks}
    assert blocks not in own.ranges
    at = {
        loop: UOp.const(index, data.draw(st.integers(0, loop.src[0].arg - 1))) for loop in (blocks, step, tap)
    }
    of = [bounds(each.substitute(at))[0] for each in (place, begin, own)]
    assert of[0] == of[1] + of[2]
    assert 0 <= of[2] < kept[0].extent


def test_there_is_no_window_of_what_stands_still_or_moves_apart() -> None:
    y, x, tap = UOp.range(8, 0), UOp.range(8, 1), UOp.range(3, 2)
    assert window_of([tap], lambda loop: loop is not tap) is None
    assert window_of([add(y, tap), add(x, tap)], lambda loop: loop is not tap) is None
    assert window_of([y, add(y, -2)], lambda loop: True) == (-2, 3)


def test_what_reaches_over_parts_is_not_in_one() -> None:
    outer, inner = UOp.range(8, 0), UOp.range(6, 1)
    overlapping = add(multiply(outer, 4), inner)
    assert part_of(overlapping, [inner], 40) == 40
    assert part_of(add(outer, inner), [inner], 13) == 13
    assert part_of(inner, [inner], 6) == 6


def test_a_part_that_the_array_ends_in_is_not_kept() -> None:
    """Of parts of 4 of which 3 are walked, the last may end before its fourth element."""
    outer, inner = UOp.range(8, 0), UOp.range(3, 1)
    place = add(multiply(outer, 4), inner)
    assert (part_of(place, [inner], 32), part_of(place, [inner], 31)) == (4, 31)


@pytest.mark.parametrize("room", [1 << 12, 1 << 15, 1 << 19])
def test_what_a_work_item_keeps_fits_the_local_memory_of_the_device(room: int) -> None:
    def product(x: eq.Array, y: eq.Array) -> eq.Array:
        return eq.matmul(x, y)

    def shares(x: eq.Array, y: eq.Array) -> eq.Array:
        return eq.softmax(eq.matmul(x, y), axis=1)

    kept: list[int] = []
    for function, shapes in ((product, ((256, 256), (256, 256))), (shares, ((150, 64), (64, 450)))):
        for vector_bytes in (32, 64):
            graph = eq.trace(function, *(eq.spec(shape, eq.float32) for shape in shapes))
            made = schedule(graph, Machine(vector_bytes=vector_bytes, vector_registers=32, local_bytes=room))
            for kernel in made.kernels:
                memory = [node.dtype for node in render(kernel.ast).linear.src if node.op is Op.DEFINE_LOCAL]
                kept.append(
                    sum(each.size * each.base.itemsize for each in memory if isinstance(each, PtrDType))
                )
    assert max(kept) <= room
    assert max(kept) > 0 or room < 1 << 15, "larger memory is used"


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_windows_that_fill_windows_are_as_long_as_blocks_need(dtype):
    """The rows of a padded array are a window, and so are the parts that it is joined of: both serve blocks of output rows."""

    def heat(y):
        padded = eq.pad(y, ((0, 0), (2, 2), (2, 2)), mode="reflect")
        rows = padded[:, 4:, 2:-2] + padded[:, :-4, 2:-2] + padded[:, 2:-2, 2:-2]
        return y + 0.1 * (rows - 4.0 * y)

    x = np.random.default_rng(0).normal(size=(1, 64, 5)).astype(dtype)
    graph = eq.trace(heat, eq.spec(x.shape, x.dtype))
    program = eq.compile(graph)
    assert any("__local" in kernel.source for kernel in program.kernels)
    np.testing.assert_allclose(program(x), eq.evaluate(graph, {0: x})[0], rtol=1e-3, atol=1e-3)
