"""Where BARRIERs stand: programs as text, in which `s0` and `l0` store to and load from local memory 0, and `(` and `)` begin and end a loop."""

from __future__ import annotations

from itertools import count

import pytest

from eqsat.codegen.linearization.barriers import with_barriers
from eqsat.dtype import index, void
from eqsat.ops import AxisType, Op
from eqsat.uop import UOp
from tests.forms.form import argument, at, f, i, load, local, node, register, store

ITEM = node(Op.SPECIAL, index, i(8), arg="lid0")
GROUP = node(Op.SPECIAL, index, i(8), arg="gidx0")
MEMORIES = {"0": local(4, "zero"), "1": local(4, "one"), "g": argument(0, 4), "r": register(4, 0)}


def program(text: str) -> list[UOp]:
    made: list[UOp] = []
    loops: list[UOp] = []
    numbers = count()
    for word in text.split():
        number = next(numbers)
        if word == "(":
            loops.append(node(Op.RANGE, index, i(3), arg=(number, AxisType.LOOP)))
            made.append(loops[-1])
        elif word == ")":
            made.append(node(Op.END, void, made[-1], loops.pop()))
        else:
            address = at(MEMORIES[word[1]], i(number))
            made.append(store(address, f(1.0)) if word[0] == "s" else load(address))
    return made


def told(instructions: list[UOp]) -> str:
    names = {memory: name for name, memory in MEMORIES.items()}
    words = {Op.BARRIER: "|", Op.RANGE: "(", Op.END: ")"}
    return " ".join(
        words.get(each.op) or f"{each.op.name[0].lower()}{names[each.src[0].src[0]]}" for each in instructions
    )


@pytest.mark.parametrize(
    "text",
    [
        "s0 | l0",
        "l0 | s0",
        "s0 s0",
        "l0 l0",
        "s0 l1",
        "sg lg",
        "sr lr",
        "s0 s1 | l0 l1",
        "s0 | l0 s1 | l1",
        "s0 | l0 | s0 | l0",
        "s0 | l0 l0 s1",
        "s0 | ( l0 )",
        "( s0 ) | l0",
        "s0 | ( l0 ) l0",
        "( s0 ) ( s0 ) | ( l0 )",
        "( | s0 | l0 )",
        "( s0 )",
        "( l0 )",
        "( l0 s1 )",
        "( s0 | l0 s1 | l1 )",
        "s1 | l1 ( | s0 | l0 )",
        "s0 | ( l0 ( l0 ) )",
        "( | ( | s0 | l0 ) )",
        "( | s0 | ( l0 ) )",
        "( | ( s0 ) | ( l0 ) )",
        "( | s0 ( s1 ) | l0 l1 )",
        "l0 | ( s0 )",
        "l0 | ( s0 ) | l0",
        "s0 ( s1 ) | l0 l1 | s0",
        "( | s0 | l0 ) | s0",
    ],
)
def test_accesses_wait_for_those_that_conflict(text: str) -> None:
    instructions = program(text.replace("|", ""))
    assert told(with_barriers([ITEM, *instructions])[1:]) == text


def test_single_items_do_not_wait() -> None:
    for first in ((), (GROUP,)):
        instructions = [*first, *program("s0 l0 ( s0 l0 )")]
        assert with_barriers(instructions) == instructions
