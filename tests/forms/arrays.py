"""Forms of the array stage: framework, constants, movement, views, buffers, gathers, reductions along axes."""

from collections.abc import Iterator

import numpy as np

from eqsat.array.data import HostData
from eqsat.dtype import AddrSpace, bool_, float32, index, int32, uint32, void
from eqsat.ops import BufferizeOpts, Op, Stage, View
from eqsat.positions import positions_along
from eqsat.uop import UOp
from eqsat.uop.recurrence import Recurrence, leaf
from tests.examples import HALVING
from tests.forms.form import SIZE, Build, Form, Refused, Runs, after, at, f, i, load, node, pointer, store

X, Y = UOp.param(0, SIZE, float32), UOp.param(1, SIZE, float32)
INPUTS = {0: np.array([3, 1, 4, 1, 5, 9], np.float32), 1: np.array([-2, 7, -1, 8, 2, -8], np.float32)}
GRID = X.reshape((2, 3))
LABELS = positions_along((2, 3), 0).cast(int32)
HOST = node(Op.DEVICE, void, arg="HOST")
PART = node(Op.BUFFER_VIEW, float32, X, arg=(2, 1))
WINDOW = View((2, 2), (3, 1), 1, ((0, 2), (0, 1)))
LINE = UOp.iota(SIZE)
GATE = LINE < 3
VARIABLE = UOp.variable("size", 0, 9)
ROW, COLUMN = UOp.range(2, 7), UOp.range(3, 8)
VIEWED = node(Op.VIEW, float32, X, arg=WINDOW)


def runs(title: str, *roots: UOp) -> Runs:
    return Runs(title, Stage.ARRAY, UOp.sink(*roots), INPUTS)


def refused(title: str, op: Op, words: str, build: Build) -> Refused:
    return Refused(title, Stage.ARRAY, op, build, words)


def framework() -> Iterator[Form]:
    yield runs("SINK of values", X + Y, X * Y)
    yield runs("SINK of an ASSIGN", node(Op.ASSIGN, float32, X, Y + 1.0))
    yield runs("ASSIGN to a BUFFER_VIEW", node(Op.ASSIGN, float32, PART, f(5.0).broadcast((2,))))
    yield runs("AFTER an ASSIGN", after(X, node(Op.ASSIGN, float32, PART, f(5.0).broadcast((2,)))) + Y)
    yield runs("BIND(DEFINE_VAR, CONST)", node(Op.BIND, index, VARIABLE, i(4)) * 2)
    yield runs(
        "BIND inside a value", X * node(Op.BIND, index, VARIABLE, i(4)).cast(float32).broadcast((SIZE,))
    )
    yield runs("NOOP", node(Op.NOOP, float32, X) + Y)
    yield runs("NOOP before a BITCAST", node(Op.NOOP, float32, X + Y).bitcast(uint32))
    for op in (Op.CONTIGUOUS, Op.CONTIGUOUS_BACKWARD, Op.DETACH, Op.PRECAST):
        yield runs(f"{op.name}", node(op, float32, X + Y) * 2.0)
    yield runs("PRECAST before a CAST", node(Op.PRECAST, float32, X + Y).cast(int32))
    yield runs("EMPTY of a shape", node(Op.EMPTY, float32, arg=(SIZE,)) + X)
    yield runs("EMPTY of a scalar", node(Op.EMPTY, float32))
    yield refused(
        "NAME among values", Op.NAME, "NAME belongs to program", lambda: node(Op.NAME, void, arg="softmax")
    )
    yield refused(
        "CUSTOM among values",
        Op.CUSTOM,
        "CUSTOM belongs to kernel",
        lambda: node(Op.CUSTOM, float32, X, arg="f({0})"),
    )
    yield refused(
        "GROUP of values", Op.GROUP, "collect the values in the SINK", lambda: node(Op.GROUP, void, X)
    )


def constants() -> Iterator[Form]:
    yield runs("CONST", f(2.5) + 1.0)
    yield runs("CONST(DEVICE)", node(Op.CONST, float32, HOST, arg=2.5).broadcast((3,)))
    yield refused(
        "CONST(VIEW(DEVICE))", Op.CONST, "EXPAND it for a shape",
        lambda: node(Op.CONST, float32, node(Op.VIEW, float32, X, arg=View((), ())), arg=2.5),
    )  # fmt: skip
    yield runs(
        "VIEW of a CONST",
        node(Op.VIEW, float32, f(2.0).reshape((1,)), arg=View((2, 2), (0, 0), 0, ((0, 2), (1, 2)))),
    )
    yield refused(
        "VCONST among values",
        Op.VCONST,
        "VCONST belongs to kernel",
        lambda: node(Op.VCONST, float32.vec(2), arg=(1.0, 2.0)),
    )
    yield runs("DEFINE_VAR, bound", node(Op.BIND, index, VARIABLE, i(0)).broadcast((SIZE,)) + LINE)


def movement() -> Iterator[Form]:
    yield runs("RESHAPE", X.reshape((3, 2)) + 1.0)
    yield runs("RESHAPE to a scalar", X.shrink(((1, 2),)).reshape(()) + 1.0)
    yield runs("PERMUTE", GRID.permute((1, 0)) + 1.0)
    yield runs("EXPAND", X.reshape((1, SIZE)).expand((3, SIZE)) + 1.0)
    yield runs("PAD", GRID.pad(((1, 0), (2, 1))) + 1.0)
    yield runs("SHRINK", GRID.shrink(((1, 2), (0, 2))) + 1.0)
    yield runs("FLIP", GRID.flip((False, True)) + 1.0)
    for op, arg in ((Op.RESHAPE, (3, 2)), (Op.EXPAND, (SIZE,)), (Op.PAD, ((0, 0),)), (Op.SHRINK, ((0, 6),))):
        yield refused(
            f"{op.name} with its shape as a source", op, "exactly 1", lambda op=op, arg=arg: node(op, float32, X, i(6), arg=arg)
        )  # fmt: skip


def views() -> Iterator[Form]:
    yield runs("VIEW of a PARAM, masked", VIEWED * 2.0)
    yield runs("VIEW with a negative stride", node(Op.VIEW, float32, X, arg=View((3,), (-2,), 5)))
    yield runs("VIEW of a VIEW", node(Op.VIEW, float32, VIEWED, arg=View((2, 2), (1, 2))))
    yield runs("VIEW of a computed value", node(Op.VIEW, float32, X * Y, arg=View((2, 2), (3, 1))))
    yield runs("VALID(VIEW)", node(Op.VALID, bool_, VIEWED))
    yield runs("LOAD(BUFFER, VIEW)", load(X, node(Op.VIEW, float32, arg=WINDOW)))
    yield refused(
        "LOAD(BUFFER, VIEW, STORE)", Op.LOAD, "AFTER around the buffer",
        lambda: load(X, node(Op.VIEW, float32, arg=WINDOW), Y),
    )  # fmt: skip
    yield refused(
        "STORE(BUFFER, VIEW, value)", Op.STORE, "ASSIGN the value to the buffer",
        lambda: store(X, node(Op.VIEW, float32, arg=WINDOW), Y),
    )  # fmt: skip


def memory() -> Iterator[Form]:
    yield runs("PARAM", X + 1.0)
    yield runs("PARAM(DEVICE)", UOp(Op.PARAM, float32, (HOST,), (0, SIZE)) + 1.0)
    yield runs("BUFFER_VIEW", PART * 2.0)
    unique = node(Op.UNIQUE, void, arg=3)
    yield refused(
        "BUFFER(UNIQUE, DEVICE)",
        Op.BUFFER,
        "a DEVICE and a UNIQUE",
        lambda: node(Op.BUFFER, float32, unique, HOST, arg=SIZE),
    )
    kept = node(Op.BUFFER, float32, HOST, node(Op.UNIQUE, void, arg=HostData(INPUTS[1])), arg=SIZE)
    yield runs("BUFFER(DEVICE, UNIQUE)", kept * 2.0 + X)
    for identity in (unique, node(Op.LUNIQUE, void, arg=3)):
        scratch = node(Op.BUFFER, float32, HOST, identity, arg=SIZE)
        written = node(Op.ASSIGN, float32, scratch, X * 2.0)
        yield runs(f"BUFFER(DEVICE, {identity.op.name}), assigned to", after(scratch, written) + Y)
    yield runs("INDEX", at(X, LINE) + 1.0)
    yield runs("INDEX with a gate", at(X, LINE, GATE) + 1.0)
    yield runs("INDEX of several dimensions", at(GRID, UOp.iota(2), UOp.iota(2)))
    yield runs(
        "INDEX with one index per RANGE", node(Op.BUFFERIZE, float32, at(GRID, ROW, COLUMN), COLUMN, ROW)
    )
    yield runs("LOAD(INDEX)", load(at(X, LINE)))
    yield runs("LOAD(INDEX, alternative)", load(at(X, LINE, GATE), Y))
    yield runs("LOAD(BUFFER, INDEX)", load(X, at(X, LINE)))
    yield runs("LOAD(BUFFER, INDEX, alternative)", load(X, at(X, LINE, GATE), Y))
    yield refused(
        "DEFINE_GLOBAL among values",
        Op.DEFINE_GLOBAL,
        "DEFINE_GLOBAL belongs to",
        lambda: node(Op.DEFINE_GLOBAL, pointer(4), arg=0),
    )
    yield runs("RANGE in a BUFFERIZE", node(Op.BUFFERIZE, index, ROW * 10 + COLUMN, COLUMN, ROW))
    yield runs("RANGE that is a placeholder", UOp.iota(4) * 2)
    doubled = load(at(GRID, ROW, COLUMN)) * 2.0
    for arg in (BufferizeOpts(), BufferizeOpts(removable=False), BufferizeOpts(device="HOST")):
        yield runs(f"BUFFERIZE with {arg}", node(Op.BUFFERIZE, float32, doubled, ROW, COLUMN, arg=arg) + 1.0)
    for arg, words in {
        BufferizeOpts(space=AddrSpace.LOCAL): "is part of a kernel",
        BufferizeOpts(space=AddrSpace.REG): "is part of a kernel",
        BufferizeOpts(device=""): "is a name or None",
        "global": "BufferizeOpts",
    }.items():
        yield refused(
            f"BUFFERIZE with {arg}",
            Op.BUFFERIZE,
            words,
            lambda arg=arg: node(Op.BUFFERIZE, float32, doubled, ROW, COLUMN, arg=arg),
        )
    yield runs(
        "BUFFERIZE of a gather", node(Op.BUFFERIZE, float32, load(at(GRID, ROW, COLUMN)) * 2.0, ROW, COLUMN)
    )


def reductions() -> Iterator[Form]:
    for op in (Op.ADD, Op.MUL, Op.MAX, Op.MIN):
        yield runs(f"REDUCE_AXIS({op.name})", GRID.reduce_axis(op, (1,)))
        yield runs(f"SCAN_AXIS({op.name})", GRID.scan_axis(op, 1))
        yield runs(f"SCATTER_AXIS({op.name})", node(Op.SCATTER_AXIS, float32, GRID, LABELS, arg=(op, (1, 0))))
    yield runs(
        "SCATTER_AXIS of several axes", node(Op.SCATTER_AXIS, float32, GRID, LABELS, arg=(Op.ADD, (0, 1)))
    )
    for axis in (0, 1):
        yield runs(
            f"RECUR_AXIS along axis {axis}",
            node(Op.RECUR_AXIS, float32, GRID, arg=(HALVING.packed(), (axis,))),
        )
    reading = Recurrence(leaf(0, float32) * leaf(2, float32) + leaf(1, float32), HALVING.following)
    yield runs(
        "RECUR_AXIS of two arrays",
        node(Op.RECUR_AXIS, float32, GRID, GRID * 2.0, arg=(reading.packed(), (1,))),
    )
    for name, packed, words in (
        ("a source that it has not", reading.packed(), "none of 1 kept values and 1 sources"),
        ("no formulas", Op.ADD, "are no formulas"),
        (
            "a formula of another dtype",
            Recurrence(leaf(1, float32) < 0.0, HALVING.following).packed(),
            "gives bool",
        ),
    ):
        yield refused(
            f"RECUR_AXIS of {name}",
            Op.RECUR_AXIS,
            words,
            lambda packed=packed: node(Op.RECUR_AXIS, float32, GRID, arg=(packed, (1,))),
        )
    yield runs("REDUCE_AXIS of several axes", GRID.reduce_axis(Op.ADD, (0, 1)))
    for op in (Op.MAX, Op.MIN):
        yield runs(f"ARGREDUCE_AXIS({op.name})", node(Op.ARGREDUCE_AXIS, int32, GRID, arg=(op, (1,))))


def several_devices() -> Iterator[Form]:
    stack = node(Op.MSTACK, float32, X, Y)
    yield runs("COPY(DEVICE, value)", node(Op.COPY, float32, HOST, X) + 1.0)
    yield runs("COPY, clone", node(Op.COPY, float32, HOST, X, arg=True) + 1.0)
    yield runs("MSTACK, MSELECT", node(Op.MSELECT, float32, stack, arg=1))
    yield runs("ALLREDUCE(MSTACK)", node(Op.ALLREDUCE, float32, stack * 2.0, arg=Op.ADD))
    yield runs("ALLREDUCE(MSTACK, DEVICE)", node(Op.ALLREDUCE, float32, stack, HOST, arg=Op.MAX))
    copies = node(Op.MULTI, float32, X, Y, arg=(None, (True, True)))
    yield runs("MSTACK alone", stack)
    yield runs("MSTACK of one", node(Op.MSTACK, float32, X))
    yield runs("MSTACK beside another array", stack * 2.0 + X)
    yield runs(
        "MULTI of copies, the first without data", node(Op.MULTI, float32, X, Y, arg=(None, (False, True)))
    )
    yield runs(
        "MULTI with an axis, the first without data", node(Op.MULTI, float32, X, Y, arg=(0, (False, True)))
    )
    yield runs(
        "MSELECT of a MULTI of copies",
        node(Op.MSELECT, float32, copies, arg=1),
    )
    yield refused(
        "MSELECT of what is made of copies",
        Op.MSELECT,
        "MSELECT what that is made of",
        lambda: node(Op.MSELECT, float32, stack * 2.0, arg=0),
    )
    yield runs("MULTI with an axis", node(Op.MULTI, float32, X, Y, arg=(0, (True, False))))
    yield runs("MULTI of copies", node(Op.MULTI, float32, X, X, arg=(None, (True, True))))


def forms() -> Iterator[Form]:
    for group in (framework, constants, movement, views, memory, reductions, several_devices):
        yield from group()
