"""Parts of an axis that local memory keeps: every index is where its part begins and its place in the part."""

from __future__ import annotations

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
    beginning,
    beginnings,
    is_inside,
    own_part,
    part_of,
    positions,
)
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
    begin, own = (bounds(each.substitute(at))[0] for each in (beginning(place, part), own_part(place, part)))
    assert begin == values[outer] * part
    assert begin + own == values[outer] * part + values[inner] * tile
    assert 0 <= own < part
    kept = ((0, part),)
    around = beginnings((place, across), kept, (extent, 4))
    assert around == (beginning(place, part), across)
    assert positions((place, across), kept, (extent, 4)) == [own_part(place, part)]
    assert is_inside(around, kept, (extent, 4))
    assert not is_inside(around, kept, (extent - 1, 4))


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
    for function, shapes in ((product, ((512, 512), (512, 512))), (shares, ((300, 64), (64, 900)))):
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
