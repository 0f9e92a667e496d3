"""Forms of the kernel and the expanded stage: ranges of every axis type, addresses, accesses, pasted text."""

from collections.abc import Iterator

import numpy as np

from eqsat.dtype import float32, index, void
from eqsat.ops import AxisType, Op, Stage
from eqsat.uop import UOp
from tests.forms.form import (
    Form,
    Runs,
    after,
    argument,
    at,
    f,
    i,
    kernel,
    load,
    node,
    store,
)
from tests.forms.kernel_parts import (
    AXES,
    COUNT,
    INPUTS,
    READ,
    STAGES,
    R,
    X,
    Y,
    both,
    refused,
    runs,
    stored,
)


def ranges() -> Iterator[Form]:
    for axis in sorted(AXES, key=lambda each: each.name):
        bound = UOp.range(COUNT, 0, axis)
        for stage in STAGES:
            if stage is Stage.EXPANDED and axis in (AxisType.UPCAST, AxisType.UNROLL):
                yield refused(
                    f"RANGE({axis.name})", stage, Op.RANGE, "gone after expand", lambda bound=bound: bound
                )
            else:
                yield runs(f"RANGE({axis.name})", stage, store(at(Y, bound), load(at(X, bound)) * 2.0, bound))
    for lanes in (2, 3, 4, 8, 16):
        bound = UOp.range(lanes, 0, AxisType.UPCAST)
        yield runs(
            f"RANGE(UPCAST) of {lanes}",
            Stage.KERNEL,
            store(at(UOp.param(1, lanes, float32), bound), load(at(X, bound)) * 2.0, bound),
        )
        total = node(Op.REDUCE, float32, load(at(X, bound)), bound, arg=Op.ADD)
        yield runs(f"REDUCE over UPCAST of {lanes}", Stage.KERNEL, store(at(Y, i(0)), total))
    for axis in (AxisType.REDUCE, AxisType.GROUP_REDUCE, AxisType.WARP, AxisType.UPCAST, AxisType.UNROLL):
        inner = UOp.range(2, 1, axis)
        value = node(Op.REDUCE, float32, load(at(X, R * 2 + inner)), inner, arg=Op.ADD)
        if axis is AxisType.REDUCE:
            yield runs(f"REDUCE over {axis.name}", Stage.EXPANDED, stored(value))
        yield runs(f"REDUCE over {axis.name}", Stage.KERNEL, stored(value))
    loop = UOp.range(2, 1, AxisType.LOOP)
    place = R * 2 + loop
    out = UOp.param(1, 2 * COUNT, float32)
    yield from both("RANGE(LOOP) inside RANGE(GLOBAL)", store(at(out, place), load(at(X, place)), R, loop))
    yield from both(
        "END of several ranges", node(Op.END, void, store(at(out, place), load(at(X, place))), R, loop)
    )
    within = UOp(Op.RANGE, index, (i(2), R), (1, AxisType.LOOP))
    place = R * 2 + within
    yield from both("RANGE with ranges that it lies in", store(at(out, place), load(at(X, place)), R, within))
    for stage in STAGES:
        yield refused("RANGE(start, end)", stage, Op.RANGE, "give it .id, AxisType. and its extent, and add the start",
                      lambda: node(Op.RANGE, index, i(1), i(4), arg=3))  # fmt: skip


def accesses() -> Iterator[Form]:
    gate = R < 3
    yield from both("INDEX, LOAD, STORE", stored(READ))
    yield from both("LOAD(INDEX with a gate, alternative)", stored(load(at(X, R, gate), f(7.0))))
    yield from both("STORE to an INDEX with a gate", store(at(Y, R, gate), READ, R))
    yield from both("LOAD(BUFFER, INDEX)", stored(load(X, at(X, R))))
    yield from both("LOAD(BUFFER, INDEX, alternative)", stored(load(X, at(X, R, gate), f(7.0))))
    for stage in STAGES:
        yield refused(
            "LOAD(INDEX, alternative, gate)",
            stage,
            Op.LOAD,
            "gate the INDEX",
            lambda: load(at(X, R), f(1.0), gate),
        )
        yield refused(
            "STORE(INDEX, value, gate)", stage, Op.STORE, "RANGEs", lambda: store(at(Y, R), f(1.0), gate)
        )
        yield refused(
            "INDEX of several dimensions", stage, Op.INDEX, "one index for each", lambda: at(X, R, R)
        )
        yield refused(
            "STORE(BUFFER, VIEW, value)",
            stage,
            Op.STORE,
            "give it an INDEX",
            lambda: store(X, f(1.0), f(1.0)),
        )
    yield from several_axes()
    yield from both(
        "STORE of two values", stored(READ), store(at(UOp.param(2, COUNT, float32), R), READ * 2.0, R)
    )
    direct = store(at(argument(1, COUNT), R), load(at(argument(0, 2 * COUNT), R)), R)
    yield runs("DEFINE_GLOBAL", Stage.EXPANDED, direct)
    first = store(at(Y, R), READ, R)
    again = load(at(after(Y, first), R))
    yield from both("AFTER a STORE", store(at(UOp.param(2, COUNT, float32), R), again + 1.0, R))
    yield from both(
        "GROUP of stores",
        node(Op.GROUP, void, stored(READ), store(at(UOp.param(2, COUNT, float32), R), READ, R)),
    )
    yield from both("NOOP of a value", stored(node(Op.NOOP, float32, READ)))
    yield from both("DEFINE_VAR", stored(READ + UOp.variable("size", 0, 9).cast(float32)))
    yield from both("CONST", stored(f(2.5)))
    yield from both(
        "SPECIAL(gid)", store(at(Y, gid := node(Op.SPECIAL, index, i(COUNT), arg="gid0")), load(at(X, gid)))
    )
    group, item = (node(Op.SPECIAL, index, i(size), arg=name) for name, size in (("gidx0", 2), ("lid0", 4)))
    yield from both("SPECIAL(gidx, lid)", store(at(Y, group * 4 + item), load(at(X, group * 4 + item))))
    for name in ("blockIdx.x", "threadIdx.y"):
        yield refused(
            f"SPECIAL({name})",
            Stage.KERNEL,
            Op.SPECIAL,
            "gidx0",
            lambda name=name: node(Op.SPECIAL, index, i(4), arg=name),
        )


def several_axes() -> Iterator[Form]:
    row, column = UOp.range(2, 0, AxisType.GLOBAL), UOp.range(4, 1, AxisType.LOOP)
    shaped, out = X.reshape((4, 2, 2)), Y.reshape((2, 4))
    place, where = at(shaped, column, i(1), row), at(out, row, column)
    few = column < row + 2
    yield from both("INDEX of several dimensions of a RESHAPE", store(where, load(place) * 2.0, row, column))
    yield from both(
        "INDEX of several dimensions with a gate",
        store(at(out, row, column, few), load(at(shaped, column, i(1), row, few), f(7.0)), row, column),
    )
    yield from both(
        "INDEX of several dimensions, out of bounds and gated",
        store(where, load(at(shaped, column + 2, i(1), row, column < 2), f(7.0)), row, column),
    )
    yield from both("LOAD(BUFFER, INDEX of several dimensions)", store(where, load(X, place), row, column))
    yield from both(
        "LOAD of a vector along the last dimension",
        store(at(out, row, i(0)), load(at(X.reshape((4, 4)), row, i(0)), dtype=float32.vec(4)), row),
    )
    first = store(where, load(place), row, column)
    later = UOp.range(4, 2, AxisType.LOOP)
    again = load(at(after(Y, first).reshape((2, 4)), row, later))
    yield from both(
        "AFTER a STORE to several dimensions",
        store(at(UOp.param(2, COUNT, float32), row * 4 + later), again + 1.0, row, later),
    )
    lane = UOp.range(4, 1, AxisType.UPCAST)
    yield runs(
        "INDEX of several dimensions along UPCAST",
        Stage.KERNEL,
        store(at(out, row, lane), load(at(shaped, lane, i(1), row)), row, lane),
    )
    yield refused(
        "RESHAPE of a value", Stage.KERNEL, Op.RESHAPE, "gives axes to a PARAM", lambda: READ.reshape((1, 1))
    )
    yield refused(
        "a value of a RESHAPE",
        Stage.KERNEL,
        Op.RESHAPE,
        "is no value",
        lambda: store(where, shaped, row, column),
    )
    yield refused(
        "INDEX with too few indices",
        Stage.KERNEL,
        Op.INDEX,
        "2 indices for 3 dimensions",
        lambda: at(shaped, row, column),
    )


def pasted() -> Iterator[Form]:
    given = INPUTS[0][:COUNT]
    texts = {
        "CUSTOMI": ("fabs({0} - {1})", np.abs(given - 2)),
        "CUSTOM": ("fmax({0}, {1})", np.maximum(given, 2)),
    }
    for stage in STAGES:
        for name, (text, expected) in texts.items():
            value = node(Op[name], float32, READ, f(2.0), arg=text)
            yield Runs(f"{name} with a value", stage, kernel(stored(value)), INPUTS, {1: expected})
        statement = node(Op.CUSTOM, void, f(1.0), arg="if ({0} > 0.0f) {{ return; }}")
        yield Runs(
            "CUSTOM as a statement", stage, kernel(statement, stored(READ)), INPUTS, {1: np.zeros(COUNT)}
        )
    for op in (Op.CUSTOM, Op.CUSTOMI):
        yield refused(
            f"{op.name} of a missing source",
            Stage.KERNEL,
            op,
            "its text has",
            lambda op=op: node(op, float32, READ, arg="{1}"),
        )


def control() -> Iterator[Form]:
    for stage in STAGES:
        yield refused(
            "IF(condition, BARRIER)",
            stage,
            Op.IF,
            "gate the INDEX",
            lambda: node(Op.IF, void, R < 3, node(Op.BARRIER, void)),
        )
        yield refused(
            "IF(condition, body…)",
            stage,
            Op.IF,
            "gate the INDEX",
            lambda: node(Op.IF, void, R < 3, stored(READ)),
        )
        yield refused("ENDIF", stage, Op.ENDIF, "gate the INDEX", lambda: node(Op.ENDIF, void, R))
        yield refused("ENDRANGE", stage, Op.ENDRANGE, "END", lambda: node(Op.ENDRANGE, void, R))
        yield refused(
            "SINK without KernelInfo", stage, Op.SINK, "give it KernelInfo", lambda: UOp.sink(stored(READ))
        )


def forms() -> Iterator[Form]:
    for group in (ranges, accesses, pasted, control):
        yield from group()
