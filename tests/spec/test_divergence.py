"""A BARRIER is refused where only some work-items of a group may reach it, as OpenCL asks, and nowhere else."""

from __future__ import annotations

import pytest

from eqsat.dtype import bool_, float32, index, int32, void
from eqsat.errors import SpecError
from eqsat.ops import AxisType, Op, Stage
from eqsat.spec import verify
from eqsat.uop import UOp
from tests.forms.form import argument, at, f, i, load, local, node, program, register, store

ITEMS = 4
ITEM = node(Op.SPECIAL, index, i(ITEMS), arg="lid0")
GROUP = node(Op.SPECIAL, index, i(3), arg="gidx0")
TABLE = argument(1, 8, int32)
BARRIER = node(Op.BARRIER, void)


def inside(condition: UOp, *before: UOp) -> UOp:
    """A BARRIER in an IF, after other instructions."""
    block = node(Op.IF, void, condition)
    return program(ITEM, GROUP, *before, condition, block, BARRIER, node(Op.ENDIF, void, block))


def in_loop(end: UOp, *before: UOp) -> UOp:
    loop = node(Op.RANGE, index, end, arg=(7, AxisType.LOOP))
    return program(ITEM, GROUP, *before, loop, BARRIER, node(Op.END, void, BARRIER, loop))


def is_positive(address: UOp) -> UOp:
    """Whether what lies at an address is more than 0."""
    loaded = load(address)
    return node(Op.CMPLT, bool_, UOp.const(loaded.dtype, 0), loaded)


def stored_then_read(memory: UOp, value: UOp, place: UOp) -> UOp:
    """A BARRIER where what was stored at a place of memory, and is read from its beginning, is more than 0."""
    put = store(at(memory, place), value)
    return inside(is_positive(at(memory, i(0))), put, node(Op.BARRIER, void, put))


def assigned_then_read(value: UOp) -> UOp:
    """A BARRIER where what was assigned to an accumulator is more than 0."""
    accumulator = node(Op.DEFINE_ACC, float32, f(0.0), arg=0)
    return inside(below(f(0.0), accumulator), node(Op.ASSIGN, float32, accumulator, value))


def parted_store() -> UOp:
    """One item stores 1 in a register; whether it did decides who waits."""
    put = store(at(register(1), i(0)), f(1.0))
    block = node(Op.IF, void, below(ITEM, i(1)))
    return inside(is_positive(put.src[0]), *put.src, block, put, node(Op.ENDIF, void, block))


def below(left: UOp, right: UOp) -> UOp:
    return node(Op.CMPLT, bool_, left, right)


PARTED = {
    "a condition on the item": inside(below(ITEM, i(2))),
    "an end that is the item": in_loop(ITEM),
    "what an item has loaded": inside(is_positive(at(TABLE, ITEM))),
    "what an item has in a register": stored_then_read(register(1), ITEM.cast(float32), i(0)),
    "what one item has stored": parted_store(),
    "what an item has in an accumulator": assigned_then_read(ITEM.cast(float32)),
}
TOGETHER = {
    "a condition on the group": inside(below(GROUP, i(2))),
    "an end that is the group": in_loop(GROUP),
    "what a group has loaded": inside(is_positive(at(TABLE, GROUP))),
    "what all items have in an accumulator": assigned_then_read(f(1.0)),
    "what all items have in a register": stored_then_read(register(1), f(1.0), i(0)),
    "what items have stored in local memory": stored_then_read(local(ITEMS), f(1.0), ITEM),
    "after the block": program(
        block := node(Op.IF, void, below(ITEM, i(2))), node(Op.ENDIF, void, block), BARRIER
    ),
}


@pytest.mark.parametrize("name", PARTED)
def test_a_barrier_for_some_items_is_refused(name: str) -> None:
    with pytest.raises(SpecError, match="only some work-items of a group may reach it"):
        verify(PARTED[name], Stage.LINEAR)


@pytest.mark.parametrize("name", TOGETHER)
def test_a_barrier_for_all_items_is_legal(name: str) -> None:
    verify(TOGETHER[name], Stage.LINEAR)
