"""Forms of what ends ranges and of what waits: statements of statements, loops that are over before others begin, lanes that are folded."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from eqsat.dtype import AddrSpace, float32, int32, void
from eqsat.ops import AxisType, BufferizeOpts, Op, Stage
from eqsat.uop import UOp
from tests.forms.form import Form, Runs, after, at, i, kernel, load, node, store
from tests.forms.kernel_parts import COUNT, INPUTS, STAGES, R, X, both, refused, runs

ROW = UOp.range(2, 0, AxisType.GLOBAL)
OUT, KEPT = UOp.param(1, COUNT, float32), UOp.param(2, COUNT, float32)
ENDED = (AxisType.PLACEHOLDER, AxisType.LOOP, AxisType.UPCAST, AxisType.UNROLL)
TURN, LATER = UOp.range(4, 1, AxisType.REDUCE), UOp.range(4, 2)


def doubled(memory: UOp, bound: UOp, *ended: UOp) -> UOp:
    return store(at(memory, ROW * 4 + bound), load(at(X, ROW * 4 + bound)) * 2.0, *ended)


def end(statement: UOp, *bounds: UOp) -> UOp:
    return node(Op.END, void, statement, *bounds)


def statements() -> Iterator[Form]:
    """What holds statements has copies of them, whether its own END, theirs or they themselves close the ranges."""
    for axis in ENDED:
        bound = UOp.range(4, 1, axis)
        for op in (Op.BARRIER, Op.AFTER, Op.GROUP):
            held = {
                f"{op.name}(STORE, STORE)": node(op, void, doubled(OUT, bound, bound, ROW), doubled(KEPT, bound, bound, ROW)),
                f"END({op.name}(STORE, STORE))": end(node(op, void, doubled(OUT, bound), doubled(KEPT, bound)), bound, ROW),
            }  # fmt: skip
            for title, statement in held.items():
                yield runs(f"{title} along {axis.name}", Stage.KERNEL, statement)
            waited = after(KEPT, node(op, void, doubled(KEPT, bound, bound)))
            mirrored = store(at(OUT, ROW * 4 + LATER), load(at(waited, ROW * 4 + 3 - LATER)), LATER, ROW)
            yield runs(f"AFTER(PARAM, {op.name}(STORE)) along {axis.name}", Stage.KERNEL, mirrored)
    for stage in STAGES:
        yield refused(f"STORE at no multiple of a range, {stage.value}", stage, Op.STORE, "several work-items store to element 0",
                      lambda: kernel(store(at(OUT, ROW * 0), UOp.const(float32, 1), ROW)))  # fmt: skip
    for axis in (AxisType.REDUCE, AxisType.GROUP_REDUCE):
        bound = UOp.range(4, 1, axis)
        for stage in STAGES:
            yield refused(
                f"END of {axis.name}",
                stage,
                Op.END,
                f"it ends a {axis.name} range",
                partial(end, doubled(OUT, bound), bound),
            )


def waiting() -> Iterator[Form]:
    """Values and addresses after statements vary with the ranges that they varied with before."""
    last = UOp.range(4, 3)
    kept = store(at(KEPT, ROW * 4 + last), load(at(X, last)), last)
    for axis in ENDED:
        bound = UOp.range(4, 1, axis)
        read, written = at(X, ROW * 4 + bound), at(OUT, ROW * 4 + bound)
        for title, wait in {"STORE": (kept,), "nothing": ()}.items():
            values = {
                "LOAD": store(written, after(load(read), *wait), bound, ROW),
                "RANGE": store(at(OUT, ROW * 4 + after(bound, *wait)), load(read), bound, ROW),
                "INDEX to LOAD": store(written, load(after(read, *wait)), bound, ROW),
                "INDEX to STORE": store(after(written, *wait), load(read), bound, ROW),
            }
            for of, stored in values.items():
                yield runs(f"AFTER({of}, {title}) along {axis.name}", Stage.KERNEL, stored)
    total = node(Op.REDUCE, float32, after(load(at(X, ROW * 4 + TURN)), kept), TURN, arg=Op.ADD)
    yield from both("REDUCE(AFTER)", store(at(OUT, ROW), total, ROW))


def texts() -> Iterator[Form]:
    """Text is of scalars: there is one for each lane."""
    expected = {1: np.resize(INPUTS[0], COUNT) * 2}
    for axis in ENDED:
        bound = UOp.range(4, 1, axis)
        text = node(Op.CUSTOMI, float32, load(at(X, ROW * 4 + bound)), arg="({0} + {0})")
        stored = store(at(OUT, ROW * 4 + bound), text, bound, ROW)
        yield Runs(f"CUSTOMI along {axis.name}", Stage.KERNEL, kernel(stored), INPUTS, expected)


def loops() -> Iterator[Form]:
    """A loop is over before what waits for its stores begins."""
    kept = BufferizeOpts(space=AddrSpace.REG)
    for axis in (AxisType.PLACEHOLDER, AxisType.LOOP, AxisType.SCAN):
        bound = UOp.range(4, 1, axis)
        for title, first in {
            "STORE": doubled(KEPT, bound, bound),
            "END": end(doubled(KEPT, bound), bound),
        }.items():
            again = load(at(after(KEPT, first), ROW * 4 + 3 - bound))
            for ends, second in {
                "STORE": store(at(OUT, ROW * 4 + bound), again, bound, ROW),
                "END": end(store(at(OUT, ROW * 4 + bound), again), bound, ROW),
            }.items():
                for stage in STAGES:
                    yield refused(f"{ends} of the {axis.name} that a {title} before it ends", stage, Op.STORE,
                                  "give it a loop of its own", partial(kernel, second))  # fmt: skip
    bound = UOp.range(4, 1)
    memory = node(Op.BUFFERIZE, float32, load(at(X, ROW * 4 + bound)), bound, arg=kept)
    backwards = store(at(OUT, ROW * 4 + bound), load(at(memory, i(3) - bound)), bound, ROW)
    yield refused("STORE of the range of a BUFFERIZE that it reads", Stage.KERNEL, Op.STORE,
                  "give it a loop of its own", lambda: kernel(backwards))  # fmt: skip


def nothing() -> Iterator[Form]:
    """Memory in which nothing is kept is there, to be read under a gate."""
    for space in (AddrSpace.REG, AddrSpace.LOCAL):
        bound, other = UOp.range(0, 1), UOp.range(0, 2)
        kept = node(Op.BUFFERIZE, float32, load(at(X, bound)), bound, arg=BufferizeOpts(space=space))
        gated = load(at(kept, i(0), ROW < 0), UOp.const(float32, 3))
        yield runs(f"BUFFERIZE of nothing in {space.value} memory", Stage.KERNEL,
                   store(at(OUT, ROW), gated, ROW), store(at(KEPT, other), load(at(kept, other)), other))  # fmt: skip


def products() -> Iterator[Form]:
    """A WMMA that sums over ranges has one accumulator, and its fragments no reduction over the same ranges."""
    four = float32.vec(4)
    a, b, c = (load(at(X, place), dtype=four) for place in (TURN * 4, i(4), i(0)))
    metadata = ("mma", (2, 2, 2), float32, float32)
    for stage in STAGES:
        varying = node(Op.WMMA, four, b, b, a, TURN, arg=metadata)
        yield refused(
            "WMMA whose accumulator varies",
            stage,
            Op.WMMA,
            "over which it sums",
            lambda varying=varying: varying,
        )
        total = node(Op.REDUCE, four, a, TURN, arg=Op.ADD)
        nested = store(at(OUT, i(0)), node(Op.WMMA, four, a, total, c, TURN, arg=metadata))
        yield refused(
            "WMMA of a REDUCE over its range",
            stage,
            Op.WMMA,
            "give one of them ranges",
            partial(kernel, nested),
        )


def folded() -> Iterator[Form]:
    """A reduction folds the lanes of any vector."""
    for op in (Op.ADD, Op.MUL, Op.MAX, Op.MIN):
        total = node(
            Op.REDUCE, float32, load(at(X, R), dtype=float32.vec(4)), UOp.range(2, 1, AxisType.REDUCE), arg=op
        )
        yield runs(f"REDUCE({op.name}) of lanes", Stage.EXPANDED, store(at(OUT, R), total, R))
    halves = node(
        Op.REDUCE, float32.vec(2), load(at(X, ROW * 4 + TURN), dtype=float32.vec(4)), TURN, arg=Op.ADD
    )
    yield runs("REDUCE of four lanes to two", Stage.EXPANDED, store(at(OUT, ROW * 2), halves, ROW))
    constant = node(Op.VCONST, float32.vec(2), arg=(1.0, 2.0))
    yield runs(
        "REDUCE of the lanes of a VCONST",
        Stage.EXPANDED,
        store(at(OUT, ROW), node(Op.REDUCE, float32, constant, TURN, arg=Op.ADD), ROW),
    )
    for member in (0, 1):
        places = node(Op.VECTORIZE, int32.vec(2), (TURN * 2).cast(int32), (TURN * 2 + 1).cast(int32))
        values = load(at(X, ROW * 4 + TURN * 2), dtype=float32.vec(2))
        extreme = node(Op.ARGREDUCE, (float32, int32)[member], values, places, TURN, arg=(Op.MAX, member))
        yield runs(
            f"ARGREDUCE of lanes, member {member}",
            Stage.EXPANDED,
            store(at(OUT, ROW), extreme.cast(float32), ROW),
        )


def forms() -> Iterator[Form]:
    for group in (statements, waiting, texts, loops, nothing, products, folded):
        yield from group()
