"""Forms of linear programs: blocks, accumulators, gates, local memory, pointers, vectors."""

from collections.abc import Iterator

import numpy as np

from eqsat.dtype import bool_, float32, index, int32, void
from eqsat.ops import AxisType, Op, Stage
from eqsat.uop import UOp, toposort
from tests.forms.form import (
    Form,
    Refused,
    Runs,
    after,
    argument,
    at,
    f,
    i,
    load,
    local,
    node,
    program,
    register,
    store,
)

COUNT = 8
OUT, IN = argument(0, COUNT), argument(1, 2 * COUNT)
INPUTS = {1: np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3], np.float32)}
ITEM = node(Op.SPECIAL, index, i(COUNT), arg="gid0")
GROUP, WITHIN = (node(Op.SPECIAL, index, i(size), arg=name) for name, size in (("gidx0", 2), ("lid0", 4)))
PLACE = GROUP * 4 + WITHIN
HERE, READ = at(OUT, ITEM), load(at(IN, ITEM))
LOOP = UOp.range(3, 0)
TRUE = UOp.const(bool_, True)


def runs(title: str, *instructions: UOp) -> Runs:
    return Runs(title, Stage.LINEAR, program(*instructions), INPUTS)


def in_order(title: str, *instructions: UOp) -> Runs:
    """A program in which these come in this order, and what else they need comes right before."""
    listed: dict[UOp, None] = {}
    for root in instructions:
        needed = [root] if root.op is Op.DEFINE_ACC else toposort([root], leaves=set(instructions) - {root})
        listed.update(dict.fromkeys(needed))
    return Runs(title, Stage.LINEAR, node(Op.LINEAR, void, *listed), INPUTS)


def refused(title: str, op: Op, words: str, *instructions: UOp) -> Refused:
    return Refused(title, Stage.LINEAR, op, lambda: list(program(*instructions).src), words)


def end(closing: Op, loop: UOp, value: UOp) -> UOp:
    return node(closing, void, value, loop) if closing is Op.END else node(closing, void, loop)


def loops() -> Iterator[Form]:
    older = UOp(Op.RANGE, index, (i(1), i(4)), 5)
    for title, loop in {"RANGE(end)": LOOP, "RANGE(start, end)": older}.items():
        address = at(OUT, loop)
        update = store(address, load(at(IN, loop)) * 2.0)
        for closing in (Op.END, Op.ENDRANGE):
            yield runs(f"{title}, {closing.name}", loop, update, end(closing, loop, update))
    inner = UOp.range(2, 1)
    update = store(at(OUT, LOOP * 2 + inner), load(at(IN, LOOP + inner)))
    yield runs("RANGE in RANGE, one END", LOOP, inner, update, node(Op.END, void, update, LOOP, inner))
    yield runs(
        "RANGE in RANGE, two ENDRANGE",
        LOOP,
        inner,
        update,
        node(Op.ENDRANGE, void, inner),
        node(Op.ENDRANGE, void, LOOP),
    )
    within = UOp(Op.RANGE, index, (i(2), LOOP), (1, AxisType.LOOP))
    update = store(at(OUT, LOOP * 2 + within), f(1.0))
    yield runs(
        "RANGE with a range that it lies in", LOOP, within, update, node(Op.END, void, update, LOOP, within)
    )
    within = UOp(Op.RANGE, index, (i(2), older), (1, AxisType.LOOP))
    update = store(at(OUT, older * 2 + within), f(1.0))
    yield runs(
        "RANGE with a RANGE(start, end) that it lies in",
        older,
        within,
        update,
        node(Op.END, void, update, older, within),
    )
    varying = UOp(Op.RANGE, index, (LOOP + 1,), (1, AxisType.LOOP))
    update = store(at(OUT, LOOP * 2 + varying), f(1.0))
    yield runs("RANGE whose end varies", LOOP, varying, update, node(Op.END, void, update, LOOP, varying))
    yield runs(
        "RANGE without iterations",
        HERE,
        none := UOp.range(0, 4),
        store(at(OUT, none), f(9.0)),
        node(Op.ENDRANGE, void, none),
        store(HERE, f(1.0)),
    )


def accumulators() -> Iterator[Form]:
    for closing in (Op.END, Op.ENDRANGE):
        for sources in ((), (LOOP,)):
            accumulator = node(Op.DEFINE_ACC, float32, f(1.5), *sources, arg=(0,))
            assign = node(Op.ASSIGN, float32, accumulator, accumulator + load(at(IN, LOOP)))
            ended = end(closing, LOOP, assign)
            told = "DEFINE_ACC(initial, RANGE)" if sources else "DEFINE_ACC(initial)"
            for title, total in ((told, assign), (f"{told} read after", accumulator)):
                yield in_order(
                    f"{title}, {closing.name}",
                    f(1.5),
                    accumulator,
                    i(3),
                    LOOP,
                    assign,
                    ended,
                    store(HERE, total),
                )
    yield refused(
        "DEFINE_ACC in its RANGE",
        Op.DEFINE_ACC,
        "put it before the loops",
        LOOP,
        node(Op.DEFINE_ACC, float32, f(1.5), LOOP, arg=(0,)),
        node(Op.ENDRANGE, void, LOOP),
    )
    both = node(
        Op.DEFINE_ACC, float32.vec(4), node(Op.VCONST, float32.vec(4), arg=(0.0, 1.0, 2.0, 3.0)), arg=(1,)
    )
    addend = load(at(IN, LOOP * 4), dtype=float32.vec(4))
    assign = node(Op.ASSIGN, float32.vec(4), both, both.alu(Op.MAX, addend))
    yield runs(
        "DEFINE_ACC of a vector",
        at(OUT, i(4)),
        *program(both).src,
        LOOP,
        assign,
        end(Op.END, LOOP, assign),
        store(at(OUT, i(4)), assign),
    )
    gated = node(Op.DEFINE_ACC, float32, READ, arg=(2,))
    opened = node(Op.IF, void, ITEM < 3)
    assign = node(Op.ASSIGN, float32, gated, gated * 2.0)
    yield runs(
        "ASSIGN in an IF",
        *program(gated).src,
        opened,
        assign,
        node(Op.ENDIF, void, opened),
        store(HERE, gated),
    )
    one, two = (
        node(Op.DEFINE_ACC, float32, f(start), arg=(number,)) for number, start in ((3, 0.0), (4, 1.0))
    )
    first = node(Op.ASSIGN, float32, one, one + load(at(IN, LOOP)))
    second = node(Op.ASSIGN, float32, two, two * first)
    yield runs(
        "two DEFINE_ACC, one from the other",
        *program(one, two).src,
        LOOP,
        first,
        second,
        end(Op.END, LOOP, second),
        store(HERE, one + two),
    )
    old = one + 1.0
    yield runs(
        "a value of DEFINE_ACC before an ASSIGN",
        *program(one).src,
        LOOP,
        old,
        first,
        end(Op.END, LOOP, first),
        store(HERE, first),
    )
    cell = register(4)
    filled = [store(at(cell, i(place)), f(place + 0.5)) for place in range(4)]
    yield runs("DEFINE_REG of several", *filled, store(HERE, load(at(after(cell, *filled), ITEM % 4))))
    single = register(1, 1)
    begin = store(at(single, i(0)), f(0.0))
    now = load(at(after(single, LOOP), i(0)))
    update = store(at(single, i(0)), now + load(at(IN, LOOP)))
    total = load(at(after(single, ended := node(Op.END, void, update, LOOP)), i(0)))
    yield runs("DEFINE_REG, AFTER(END)", begin, LOOP, update, ended, store(HERE, total))
    yield refused("ASSIGN to memory", Op.ASSIGN, "STORE to memory", node(Op.ASSIGN, float32, READ, f(1.0)))


def conditionals() -> Iterator[Form]:
    opened = node(Op.IF, void, ITEM < 3)
    yield runs("IF(condition), ENDIF", opened, store(HERE, READ), node(Op.ENDIF, void, opened))
    inner = node(Op.IF, void, READ < 4.0)
    yield runs(
        "IF in IF",
        opened,
        inner,
        store(HERE, READ),
        node(Op.ENDIF, void, inner),
        node(Op.ENDIF, void, opened),
    )
    update = store(at(OUT, ITEM), load(at(IN, LOOP + ITEM)))
    yield runs(
        "RANGE in IF", opened, LOOP, update, node(Op.END, void, update, LOOP), node(Op.ENDIF, void, opened)
    )
    when = node(Op.IF, void, LOOP.ne(1))
    update = store(at(OUT, LOOP), load(at(IN, LOOP)))
    only = node(Op.SPECIAL, index, i(1), arg="gid0")
    yield runs(
        "IF in RANGE", only, LOOP, when, update, node(Op.ENDIF, void, when), node(Op.ENDRANGE, void, LOOP)
    )
    total = node(Op.DEFINE_ACC, float32, f(1.5), arg=(0,))
    added = node(Op.ASSIGN, float32, total, total + READ)
    closed = node(Op.ENDIF, void, opened)
    yield in_order(
        "IF, ASSIGN and a read of it, ENDIF, another read", f(1.5), total, HERE, READ, opened, added, store(HERE, added), closed,
        store(at(OUT, i(7) + ITEM * -1, ITEM < 4), total),
    )  # fmt: skip
    memory = local(4)
    written = store(at(memory, WITHIN), load(at(IN, PLACE)))
    waiting = node(Op.BARRIER, void, written)
    first = node(Op.IF, void, WITHIN < 2, waiting)
    exchanged = store(at(OUT, PLACE), load(at(after(memory, waiting), i(3) + WITHIN * -1)))
    yield runs("IF(condition, BARRIER)", written, waiting, first, exchanged, node(Op.ENDIF, void, first))
    yield refused("IF(condition, body…)", Op.IF, "put what it guards between IF and ENDIF",
                  body := node(Op.IF, void, ITEM < 3, store(HERE, READ)), node(Op.ENDIF, void, body))  # fmt: skip


def gates() -> Iterator[Form]:
    few, many = ITEM < 3, ITEM < 6
    yield runs("LOAD(INDEX with a gate, alternative)", store(HERE, load(at(IN, ITEM, few), f(7.0))))
    yield runs("LOAD(INDEX, alternative, gate)", store(HERE, load(at(IN, ITEM), f(7.0), few)))
    yield runs(
        "LOAD(INDEX with a gate, alternative, gate)", store(HERE, load(at(IN, ITEM, many), f(7.0), few))
    )
    moved = node(Op.POINTER_INDEX, float32, at(IN, ITEM), i(4))
    yield runs("LOAD(POINTER_INDEX, alternative, gate)", store(HERE, load(moved, f(7.0), few)))
    yield runs(
        "STORE(POINTER_INDEX, value, gate)", store(node(Op.POINTER_INDEX, float32, OUT, ITEM * 4), READ, few)
    )
    yield runs("LOAD out of bounds, gated", store(HERE, load(at(IN, ITEM + 12, ITEM < 4), f(7.0))))
    yield runs(
        "LOAD of a vector, gated",
        store(
            at(OUT, i(0)),
            load(at(IN, i(2), TRUE), node(Op.VCONST, float32.vec(4), arg=(0.0,) * 4), dtype=float32.vec(4)),
        ),
    )
    barrier = node(Op.BARRIER, void)
    yield runs(
        "LOAD(INDEX, alternative, gate, BARRIER)",
        barrier,
        store(at(OUT, PLACE), load(at(IN, PLACE), f(7.0), PLACE < 3, barrier)),
    )
    yield runs(
        "LOAD(INDEX with a gate, alternative, BARRIER)",
        barrier,
        store(at(OUT, PLACE), load(at(IN, PLACE, PLACE < 3), f(7.0), barrier)),
    )
    yield runs("LOAD(INDEX, BARRIER)", barrier, store(at(OUT, PLACE), load(at(IN, PLACE), barrier)))
    yield runs("STORE(INDEX with a gate, value)", store(at(OUT, ITEM, few), READ))
    yield runs("STORE(INDEX, value, gate)", store(HERE, READ, few))
    yield runs("STORE(INDEX with a gate, value, gate)", store(at(OUT, ITEM, many), READ, ITEM.ne(2)))
    yield refused(
        "STORE(INDEX, value, RANGE)",
        Op.STORE,
        "closed by END",
        LOOP,
        store(at(OUT, LOOP), f(1.0), LOOP),
        node(Op.ENDRANGE, void, LOOP),
    )
    yield refused(
        "LOAD without the alternative",
        Op.LOAD,
        "needs the value for where it is false",
        store(HERE, load(at(IN, ITEM, few))),
    )
    yield refused(
        "INDEX of several dimensions", Op.INDEX, "one index for each", store(at(OUT, ITEM, ITEM), READ)
    )
    yield runs("LOAD(BUFFER, INDEX)", store(HERE, load(IN, at(IN, ITEM), dtype=float32)))
    yield runs(
        "LOAD(BUFFER, INDEX, alternative)", store(HERE, load(IN, at(IN, ITEM, few), f(7.0), dtype=float32))
    )


def local_memory() -> Iterator[Form]:
    for size, title in ((WITHIN, "a work-item each"), (i(0), "of one")):
        memory = local(4, "a")
        write = store(at(memory, WITHIN), load(at(IN, PLACE)))
        for barrier in (node(Op.BARRIER, void, write), node(Op.BARRIER, void)):
            told = "BARRIER(STORE)" if barrier.src else "BARRIER"
            read = load(at(after(memory, barrier), size))
            yield runs(f"DEFINE_LOCAL, {told}, {title}", write, barrier, store(at(OUT, PLACE), read))
    numbered = local(4, 0, int32)
    write = store(at(numbered, WITHIN), WITHIN.cast(int32) * 3)
    barrier = node(Op.BARRIER, void, write)
    read = load(at(after(numbered, barrier), i(3) + WITHIN * -1))
    yield runs("DEFINE_LOCAL(number) of int32", write, barrier, store(at(OUT, PLACE), read.cast(float32)))
    turn = UOp.range(3, 2)
    memory = local(4, "turns")
    write = store(at(memory, WITHIN), load(at(IN, PLACE + turn)))
    one = node(Op.BARRIER, void, write)
    total = register(1, 7)
    begin = store(at(total, i(0)), f(0.0))
    now = load(at(after(total, turn), i(0)))
    update = store(at(total, i(0)), now + load(at(after(memory, one), i(3) + WITHIN * -1)))
    two = node(Op.BARRIER, void, update)
    yield runs("BARRIER twice in a RANGE", at(OUT, PLACE), begin, turn, write, one, update, two, ended := node(Op.END, void, update, turn),
               store(at(OUT, PLACE), load(at(after(total, ended), i(0)))))  # fmt: skip
    gated = store(at(local(4, "gated"), WITHIN), load(at(IN, PLACE)), WITHIN < 4)
    barrier = node(Op.BARRIER, void, gated)
    read = load(at(after(local(4, "gated"), barrier), i(3) + WITHIN * -1))
    yield runs("BARRIER(STORE with a gate)", gated, barrier, store(at(OUT, PLACE), read))
    yield runs("LOAD of a vector from DEFINE_LOCAL", whole := store(at(memory, WITHIN), load(at(IN, PLACE))), wait := node(Op.BARRIER, void, whole),
               store(at(OUT, GROUP * 4, WITHIN < 1), load(at(after(memory, wait), i(0)), dtype=float32.vec(4))))  # fmt: skip


def pointers() -> Iterator[Form]:
    moved = node(Op.POINTER_INDEX, float32, at(IN, ITEM), i(8))
    yield runs("LOAD(POINTER_INDEX)", store(HERE, load(moved)))
    yield runs("STORE(POINTER_INDEX)", store(node(Op.POINTER_INDEX, float32, OUT, ITEM * 4), READ))
    four = node(Op.SPECIAL, index, i(2), arg="gid0") * 4
    addresses = [at(IN, four + step) for step in (3, 1, 2, 0)]
    yield runs("LOAD(PTRCAT)", store(at(OUT, four), load(node(Op.PTRCAT, float32.vec(4), *addresses))))
    targets = [at(OUT, four + step) for step in (3, 1, 2, 0)]
    read = load(at(IN, four), dtype=float32.vec(4))
    yield runs("STORE(PTRCAT)", store(node(Op.PTRCAT, float32.vec(4), *targets), read))
    both = [at(IN, i(0)), node(Op.POINTER_INDEX, float32, at(IN, i(1)), i(4))]
    yield runs(
        "PTRCAT with a POINTER_INDEX", store(at(OUT, i(0)), load(node(Op.PTRCAT, float32.vec(2), *both)))
    )
    gated = node(Op.PTRCAT, float32.vec(2), at(IN, i(0), TRUE), at(IN, i(1), TRUE))
    yield refused(
        "PTRCAT of gated addresses",
        Op.PTRCAT,
        "LOAD them one by one and VECTORIZE",
        store(at(OUT, i(0)), load(gated)),
    )


def vectors() -> Iterator[Form]:
    for dtype in (float32, int32, bool_):
        for lanes in (2, 3, 4, 8, 16):
            out, given = argument(0, 32, dtype), argument(1, 32, dtype)
            value = load(at(given, i(1)), dtype=dtype.vec(lanes))
            made = value.alu(
                Op.XOR if dtype is bool_ else Op.MAX,
                value.alu(Op.AND, value) if dtype is not float32 else value,
            )
            picked = node(
                Op.VECTORIZE,
                dtype.vec(lanes),
                *(node(Op.GEP, dtype, made, arg=(lane,)) for lane in reversed(range(lanes))),
            )
            yield Runs(f"{lanes} lanes of {dtype}", Stage.LINEAR, program(store(at(out, i(3)), picked)),
                       {1: np.arange(32).astype(np.float32) if dtype is float32 else np.arange(32) % 2})  # fmt: skip
    for lanes in (5, 6, 7, 9, 12, 32):
        yield refused(
            f"{lanes} lanes", Op.LOAD, "use 2, 3, 4, 8, 16", load(at(IN, i(0)), dtype=float32.vec(lanes))
        )
    read = load(at(IN, i(0)), dtype=float32.vec(4))
    yield runs("GEP of several lanes", store(at(OUT, i(0)), node(Op.GEP, float32.vec(2), read, arg=(0, 2))))
    yield runs("CAT", store(at(OUT, i(0)), node(Op.CAT, float32.vec(8), read, read)))
    yield runs("VCONST", store(at(OUT, i(0)), node(Op.VCONST, float32.vec(2), arg=(1.0, 2.0))))


def others() -> Iterator[Form]:
    inline = program(store(HERE, node(Op.CUSTOMI, float32, READ, arg="fabs({0} - 3.0f)")))
    given = INPUTS[1][:COUNT]
    yield Runs("CUSTOMI", Stage.LINEAR, inline, INPUTS, {0: np.abs(given - 3)})
    statement = program(node(Op.CUSTOM, void, READ, arg="if ({0} > 4.0f) {{ return; }}"), store(HERE, READ))
    yield Runs("CUSTOM", Stage.LINEAR, statement, INPUTS, {0: np.where(given > 4, 0, given)})
    yield Runs(
        "DEFINE_VAR",
        Stage.LINEAR,
        program(store(HERE, READ + UOp.variable("size", 0, 9).cast(float32))),
        INPUTS,
    )
    yield runs("AFTER of a value", opened := store(HERE, f(1.0)), store(HERE, after(READ, opened)))
    yield runs("CONST", store(HERE, f(2.5)))
    yield runs("SPECIAL(gidx, lid)", store(at(OUT, PLACE), load(at(IN, PLACE))))
    yield refused("NOOP", Op.NOOP, "NOOP belongs to", node(Op.NOOP, float32, READ))
    yield refused(
        "DEFINE_GLOBAL without a number",
        Op.DEFINE_GLOBAL,
        "number of the argument",
        node(Op.DEFINE_GLOBAL, OUT.dtype),
    )
    yield refused("PARAM", Op.PARAM, "DEFINE_GLOBAL", UOp.param(0, 4, float32))
    yield refused("GROUP", Op.GROUP, "GROUP belongs to", node(Op.GROUP, void, store(HERE, READ)))
    for op in (Op.BLOCK, Op.BLOCKSTART, Op.BLOCKFORK, Op.BLOCKEND):
        yield refused(op.name, op, "between RANGE and END", node(op, void, arg=0))


def forms() -> Iterator[Form]:
    for group in (loops, accumulators, conditionals, gates, local_memory, pointers, vectors, others):
        yield from group()
