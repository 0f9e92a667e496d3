"""How kernels are launched: which coordinate a range is, how many work-items there are, and which of them stores."""

from __future__ import annotations

import pytest

from eqsat.codegen.linearization.launch import for_work_items, launch_expressions, launch_sizes
from eqsat.dtype import AddrSpace, PtrDType, float32, index
from eqsat.ops import AxisType, KernelInfo, Op
from eqsat.uop import UOp, toposort
from tests.forms.form import after, argument, at, f, i, kernel, load, local, node, program, store

OUT, GIVEN = UOp.param(0, 4096, float32), UOp.param(1, 64, float32)
SIZE = UOp.variable("n", 1, 9)


def special(name: str, end: UOp | int) -> UOp:
    return node(Op.SPECIAL, index, i(end) if isinstance(end, int) else end, arg=name)


def ranges(axis: AxisType, *extents: int) -> list[UOp]:
    """Numbered from the outermost."""
    return [UOp.range(extent, 10 + number, axis) for number, extent in enumerate(extents)]


def stored(*bounds: UOp) -> UOp:
    place = i(0)
    for bound in bounds:
        place = place * bound.src[0] + bound
    return kernel(store(at(OUT, place), f(1.0), *bounds))


def coordinates(sink: UOp) -> dict[UOp, UOp]:
    return {node: made for node, made in for_work_items(toposort([sink]))[1].items() if node.op is Op.RANGE}


@pytest.mark.parametrize(
    ("axis", "prefix"),
    [(AxisType.GLOBAL, "gid"), (AxisType.THREAD, "gid"), (AxisType.LOCAL, "lid"), (AxisType.WARP, "lid")],
)
def test_the_innermost_range_is_the_first_coordinate(axis, prefix):
    a, b, c = ranges(axis, 2, 3, 5)
    assert coordinates(stored(a)) == {a: special(f"{prefix}0", 2)}
    assert coordinates(stored(a, b)) == {a: special(f"{prefix}1", 2), b: special(f"{prefix}0", 3)}
    assert coordinates(stored(b, c, a)) == {
        a: special(f"{prefix}2", 2), b: special(f"{prefix}1", 3), c: special(f"{prefix}0", 5)
    }  # fmt: skip


def test_the_outermost_of_many_ranges_share_a_coordinate():
    a, b, c, d, e = ranges(AxisType.GLOBAL, 2, 3, 5, 7, 11)
    shared = special("gid2", 30)
    assert coordinates(stored(a, b, c, d, e)) == {
        a: shared // 5 // 3, b: shared // 5 % 3, c: shared % 5, d: special("gid1", 7), e: special("gid0", 11)
    }  # fmt: skip


def test_groups_of_items_are_counted_beside_them():
    group, item, warp = (
        UOp.range(3, 0, AxisType.GLOBAL),
        UOp.range(4, 2, AxisType.LOCAL),
        UOp.range(8, 1, AxisType.WARP),
    )
    assert coordinates(stored(group, item)) == {group: special("gidx0", 3), item: special("lid0", 4)}
    assert coordinates(stored(group, item, warp)) == {
        group: special("gidx0", 3), warp: special("lid0", 8), item: special("lid1", 4)
    }  # fmt: skip


def test_loops_are_no_coordinates():
    loop = UOp.range(3, 0, AxisType.LOOP)
    assert coordinates(stored(loop)) == {}
    assert for_work_items(toposort([stored(loop)]))[1] == {
        OUT: node(Op.DEFINE_GLOBAL, PtrDType(float32, AddrSpace.GLOBAL, 4096), arg=0)
    }


def stores_of(*statements: UOp) -> list[UOp]:
    return list(for_work_items(toposort([kernel(*statements)]))[0].src)


GROUP, ITEM = UOp.range(3, 0, AxisType.GLOBAL), UOp.range(4, 1, AxisType.LOCAL)


def test_of_items_that_would_store_the_same_one_does():
    everywhere = store(at(OUT, GROUP * 4 + ITEM), f(1.0), GROUP, ITEM)
    assert stores_of(everywhere) == [everywhere]
    of_group = store(at(OUT, GROUP), f(1.0), GROUP)
    assert stores_of(everywhere, of_group)[1] == store(at(OUT, GROUP, ITEM < 1), f(1.0), GROUP)
    once = store(at(OUT, i(0)), f(1.0))
    assert stores_of(everywhere, once)[1] == store(at(OUT, i(0), (GROUP < 1) & (ITEM < 1)), f(1.0))
    gated = store(at(OUT, GROUP, GROUP < 2), f(1.0), GROUP)
    assert stores_of(everywhere, gated)[1] == store(at(OUT, GROUP, (GROUP < 2) & (ITEM < 1)), f(1.0), GROUP)
    at_one_place = store(at(OUT, i(0)), f(1.0), GROUP, ITEM)
    assert stores_of(at_one_place) == [at_one_place]


def test_a_value_that_varies_with_groups_is_stored_by_each_and_that_of_items_by_one():
    varies = load(at(GIVEN, GROUP * 4 + ITEM))
    assert stores_of(store(at(OUT, i(0)), varies)) == [store(at(OUT, i(0), ITEM < 1), varies)]


def test_shared_memory_is_filled_by_one_item_for_each_element():
    filled = store(at(local(8), i(0)), load(at(GIVEN, GROUP)))
    sink = kernel(store(at(OUT, GROUP * 4 + ITEM), load(at(after(local(8), filled), i(0))), GROUP, ITEM))
    (made,) = (
        each
        for each in for_work_items(toposort([sink]))[0].toposort()
        if each.op is Op.STORE and each.src[0].src[0].op is Op.DEFINE_LOCAL
    )
    assert made.src[0] == at(local(8), i(0), ITEM < 1)


def test_ends_of_loops_are_told_in_coordinates():
    row = UOp.range(8, 0, AxisType.GLOBAL)
    outer = UOp(Op.RANGE, index, (row + 1,), (1, AxisType.LOOP))
    inner = UOp(Op.RANGE, index, (outer + 1,), (2, AxisType.LOOP))
    sink = kernel(store(at(OUT, row * 64 + outer * 8 + inner), f(1.0), row, outer, inner))
    made = for_work_items(toposort([sink]))[0].toposort()
    item = special("gid0", 8)
    renewed = UOp(Op.RANGE, index, (item + 1,), (1, AxisType.LOOP))
    assert {each for each in made if each.op is Op.RANGE} >= {
        renewed, UOp(Op.RANGE, index, (renewed + 1,), (2, AxisType.LOOP))
    }  # fmt: skip


# sizes


def linear(*items: UOp, group: int = 1, shared: bool = False) -> UOp:
    place = i(0)
    for item in items:
        place = place + item
    others = (store(at(local(4), i(0)), f(1.0)),) if shared else ()
    made = program(*others, store(at(argument(0, 64), place), f(1.0)))
    return made.replace(arg=KernelInfo("sizes", group=group))


@pytest.mark.parametrize(
    ("instructions", "sizes", "items"),
    [
        (linear(), (1,), (1,)),
        (linear(special("gid0", 12)), (12,), (1,)),
        (linear(special("gid0", 12), group=8), (12,), (6,)),
        (linear(special("gid0", 12), group=4), (12,), (4,)),
        (linear(special("gid0", 12), group=8, shared=True), (12,), (1,)),
        (linear(special("gid0", 6), special("gid1", 4), group=8), (6, 4), (6, 1)),
        (linear(special("gid0", 3), special("gid1", 4), group=8), (3, 4), (3, 2)),
        (linear(special("gid1", 4), group=8), (1, 4), (1, 4)),
        (linear(special("gid2", 4)), (1, 1, 4), (1, 1, 1)),
        (linear(special("gid0", SIZE), group=8), (9,), (1,)),
        (linear(special("gid0", SIZE * 4), special("gid1", 4), group=8), (36, 4), (1, 4)),
        (linear(special("gidx0", 3), special("lid0", 8)), (24,), (8,)),
        (linear(special("gidx0", 3), special("lid1", 8), group=4), (3, 8), (1, 8)),
        (linear(special("lid0", 8), group=4), (8,), (8,)),
        (linear(special("gidx1", SIZE), special("lid1", 8)), (1, 72), (1, 8)),
    ],
)  # fmt: skip
def test_sizes_of_a_launch(instructions, sizes, items):
    assert launch_sizes(instructions) == (sizes, items)


def test_a_program_without_a_name_is_launched_item_by_item():
    assert launch_sizes(linear(special("gid0", 12)).replace(arg=None)) == ((12,), (1,))


@pytest.mark.parametrize(
    ("instructions", "expressions"),
    [
        (linear(special("gid0", 12)), ()),
        (linear(special("gid0", SIZE)), (SIZE,)),
        (linear(special("gid0", SIZE), special("gid1", 4)), (SIZE, i(4))),
        (linear(special("gidx0", SIZE), special("lid0", 8)), (SIZE * 8,)),
        (linear(special("gidx1", SIZE), special("lid0", 8)), (i(1) * 8, SIZE)),
        (linear(special("gidx0", 3), special("lid0", 8)), ()),
    ],
)
def test_sizes_that_depend_on_variables(instructions, expressions):
    assert launch_expressions(instructions) == expressions
