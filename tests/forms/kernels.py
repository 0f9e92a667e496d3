"""Forms of the kernel and the expanded stage: ranges of every axis type, addresses, accesses, reductions, vectors, pasted text."""

from collections.abc import Iterator

import numpy as np

from eqsat.dtype import AddrSpace, float16, float32, index, int32, void
from eqsat.ops import AxisType, BufferizeOpts, Op, Stage
from eqsat.uop import UOp
from tests.forms.form import (
    Build,
    Form,
    Refused,
    Runs,
    after,
    argument,
    at,
    f,
    i,
    kernel,
    load,
    local,
    node,
    program,
    register,
    store,
)
from tests.fragments import NVIDIA, PLAIN, drawn
from tests.fragments import kernel as fragments_kernel

COUNT = 8
X, Y = UOp.param(0, 2 * COUNT, float32), UOp.param(1, COUNT, float32)
INPUTS = {0: np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3], np.float32)}
R = UOp.range(COUNT, 0, AxisType.GLOBAL)
K = UOp.range(2, 1, AxisType.REDUCE)
READ = load(at(X, R))
AXES = {
    AxisType.PLACEHOLDER, AxisType.LOOP, AxisType.GLOBAL, AxisType.THREAD, AxisType.WARP, AxisType.LOCAL, AxisType.UPCAST, AxisType.UNROLL,
}  # fmt: skip
VECTOR = node(Op.VCONST, float32.vec(4), arg=(1.0, 2.0, 3.0, 4.0))
FOUR = UOp.range(2, 0, AxisType.GLOBAL)  # groups of four elements
STAGES = (Stage.KERNEL, Stage.EXPANDED)


def runs(title: str, stage: Stage, *statements: UOp) -> Runs:
    return Runs(title, stage, kernel(*statements), INPUTS)


def both(title: str, *statements: UOp) -> Iterator[Form]:
    for stage in STAGES:
        yield runs(title, stage, *statements)


def refused(title: str, stage: Stage, op: Op, words: str, build: Build) -> Refused:
    return Refused(title, stage, op, build, words)


def stored(value: UOp, *bounds: UOp) -> UOp:
    """A store of what varies with R."""
    return store(at(Y, R), value, R, *bounds)


def vector_stored(value: UOp) -> UOp:
    """A store of a vector of four for each of two."""
    return store(at(Y, FOUR * 4), value, FOUR)


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
    for axis in (AxisType.REDUCE, AxisType.GROUP_REDUCE, AxisType.UPCAST, AxisType.UNROLL):
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


def local_memory() -> Iterator[Form]:
    item = UOp.range(4, 1, AxisType.LOCAL)
    group = UOp.range(2, 0, AxisType.GLOBAL)
    place = group * 4 + item
    memory = local(4)
    filled = store(at(memory, item), load(at(X, place)), item)
    other = load(at(after(memory, filled), i(3) + item * -1))
    yield from both("DEFINE_LOCAL, AFTER", store(at(Y, place), other, group, item))
    waited = load(at(after(memory, node(Op.BARRIER, void, filled)), i(3) + item * -1))
    yield from both("BARRIER(STORE)", store(at(Y, place), waited, group, item))
    inner = UOp.range(4, 2)
    scratch = register(4)
    kept = store(at(scratch, inner), load(at(X, R * 2)) + inner.cast(float32), inner)
    picked = load(at(after(scratch, kept), i(2)))
    yield runs("DEFINE_REG, AFTER", Stage.EXPANDED, stored(picked))
    yield refused(
        "DEFINE_REG",
        Stage.KERNEL,
        Op.DEFINE_REG,
        "DEFINE_REG belongs to expanded, linear",
        lambda: register(4),
    )


LOCAL, PRIVATE = (BufferizeOpts(space=space) for space in (AddrSpace.LOCAL, AddrSpace.REG))


def bufferize(value: UOp, *bounds: UOp, arg: object = LOCAL) -> UOp:
    return node(Op.BUFFERIZE, float32, value, *bounds, arg=arg)


def kept() -> Iterator[Form]:
    group, item = UOp.range(2, 0, AxisType.GLOBAL), UOp.range(4, 1, AxisType.LOCAL)
    place, mirrored = group * 4 + item, i(3) + item * -1
    here = at(Y, place)
    read = load(at(X, place)) * 2.0
    line = bufferize(read, item)

    def run(title: str, value: UOp, *bounds: UOp) -> Form:
        return runs(title, Stage.KERNEL, store(here, value, *(bounds or (group, item))))

    yield run("BUFFERIZE in local memory", load(at(line, mirrored)))
    yield run("BUFFERIZE in local memory, read under a gate", load(at(line, mirrored, item < 2), f(7.0)))
    yield run(
        "BUFFERIZE of a BUFFERIZE", load(at(bufferize(load(at(line, mirrored)) + 1.0, item), mirrored)) + read
    )
    loop = UOp.range(2, 2, AxisType.LOOP)
    several = bufferize(load(at(X, place + loop)), item, loop)
    yield run(
        "BUFFERIZE of two ranges in local memory",
        load(at(several, mirrored, i(1))) + load(at(several, item, i(0))),
    )
    lanes = UOp.range(4, 2, AxisType.UPCAST)
    vector = bufferize(load(at(X, group * 4 + lanes)) + item.cast(float32), item, lanes)
    yield run("BUFFERIZE along UPCAST in local memory", load(at(vector, mirrored, item)))
    turn = UOp.range(3, 3, AxisType.REDUCE)
    again = bufferize(load(at(X, turn * 4 + item)), item)
    total = node(Op.REDUCE, float32, load(at(again, mirrored)), turn, arg=Op.ADD)
    yield run("BUFFERIZE in local memory, filled again in a REDUCE", total)
    for axis in (AxisType.LOOP, AxisType.UNROLL):
        made, used = (UOp.range(4, number, axis) for number in (4, 5))
        own = bufferize(load(at(X, group * 4 + made)) * 2.0, made, arg=PRIVATE)
        yield runs(
            f"BUFFERIZE in registers along {axis.name}",
            Stage.KERNEL,
            store(at(Y, group * 4 + used), load(at(own, i(3) + used * -1)) + 1.0, group, used),
        )
    single, inner = UOp.range(1, 6, AxisType.LOOP), UOp.range(4, 7, AxisType.REDUCE)
    one = load(at(bufferize(load(at(X, R)), single, arg=PRIVATE), i(0)))
    beside = node(Op.REDUCE, float32, load(at(X, R + inner)), inner, arg=Op.ADD)
    yield runs("BUFFERIZE in one register beside an accumulator", Stage.KERNEL, stored(one + beside))
    refusals: dict[str, tuple[object, tuple[UOp, ...], str]] = {
        "without options": (None, (item,), "a kernel makes no global memory"),
        "in global memory": (BufferizeOpts(), (item,), "a kernel makes no global memory"),
        "on a device": (BufferizeOpts("HOST", AddrSpace.LOCAL), (item,), "leave device and removable out"),
        "not removable": (BufferizeOpts(space=AddrSpace.LOCAL, removable=False), (item,), "leave device and removable out"),
        "in registers of several work-items": (PRIVATE, (item,), "it ends a LOCAL range"),
        "of several groups": (LOCAL, (group, item), "it ends a GLOBAL range"),
        "of a value for each work-item": (LOCAL, (loop,), "varies with LOCAL range 1"),
        "of nothing": (LOCAL, (), "collects over no RANGE"),
        "with other options": ("local", (item,), "BufferizeOpts"),
    }  # fmt: skip
    for title, (arg, bounds, words) in refusals.items():
        yield refused(
            f"BUFFERIZE {title}",
            Stage.KERNEL,
            Op.BUFFERIZE,
            words,
            lambda arg=arg, bounds=bounds: bufferize(read, *bounds, arg=arg),
        )


def reductions() -> Iterator[Form]:
    for op in (Op.ADD, Op.MUL, Op.MAX, Op.MIN):
        value = load(at(X, R * 2 + K))
        yield from both(f"REDUCE({op.name})", stored(node(Op.REDUCE, float32, value, K, arg=op)))
        along = UOp.range(COUNT, 1, AxisType.SCAN)
        for exclusive in (False, True):
            scan = node(Op.SCAN, float32, load(at(X, along)), along, arg=(op, exclusive))
            yield from both(f"SCAN({op.name}, {exclusive})", store(at(Y, along), scan, along))
    for op in (Op.MAX, Op.MIN):
        member = node(Op.ARGREDUCE, int32, load(at(X, R * 2 + K)), K.cast(int32), K, arg=(op, 1))
        yield from both(f"ARGREDUCE({op.name})", store(at(UOp.param(1, COUNT, int32), R), member, R))
    for stage in STAGES:
        yield refused(
            "REDUCE_AXIS", stage, Op.REDUCE_AXIS, "REDUCE over ranges", lambda: X.reduce_axis(Op.ADD, (0,))
        )
    yield refused("DEFINE_ACC(initial, RANGE)", Stage.KERNEL, Op.DEFINE_ACC, "DEFINE_ACC belongs to",
                  lambda: node(Op.DEFINE_ACC, float32, f(0.0), K, arg=(0,)))  # fmt: skip


def vectors() -> Iterator[Form]:
    read = load(at(X, FOUR * 4), dtype=float32.vec(4))
    yield from both("LOAD and STORE of a vector", vector_stored(read))
    yield from both("VCONST", vector_stored(VECTOR))
    lanes = [node(Op.GEP, float32, read, arg=(lane,)) for lane in range(4)]
    yield from both(
        "GEP of one lane, VECTORIZE", vector_stored(node(Op.VECTORIZE, float32.vec(4), *reversed(lanes)))
    )
    pair = node(Op.GEP, float32.vec(2), read, arg=(0, 2))
    yield from both("GEP of two lanes, CAT", vector_stored(node(Op.CAT, float32.vec(4), pair, pair)))
    addresses = [at(X, FOUR * 4 + step) for step in (3, 1, 2, 0)]
    joined = node(Op.PTRCAT, float32.vec(4), *addresses)
    yield runs("LOAD(PTRCAT)", Stage.EXPANDED, vector_stored(load(joined)))
    targets = node(Op.PTRCAT, float32.vec(4), *(at(Y, FOUR * 4 + step) for step in (3, 1, 2, 0)))
    yield runs("STORE(PTRCAT)", Stage.EXPANDED, store(targets, read, FOUR))
    row = node(Op.PTRCAT, float32.vec(4), *(at(X, FOUR * 4 + step) for step in range(4)))
    yield runs("LOAD(PTRCAT), one after another", Stage.EXPANDED, vector_stored(load(row)))
    yield refused("PTRCAT", Stage.KERNEL, Op.PTRCAT, "PTRCAT belongs to expanded, linear", lambda: joined)
    moved = node(Op.POINTER_INDEX, float32, at(X, R), i(4))
    yield runs("POINTER_INDEX", Stage.EXPANDED, stored(load(moved)))
    yield refused(
        "POINTER_INDEX",
        Stage.KERNEL,
        Op.POINTER_INDEX,
        "POINTER_INDEX belongs to expanded, linear",
        lambda: moved,
    )
    unrolled = node(Op.UNROLL, float32, VECTOR, arg=((7, 4),))
    contracted = node(Op.CONTRACT, float32.vec(4), unrolled * 2.0, arg=((7, 4),))
    yield runs("CONTRACT(UNROLL)", Stage.KERNEL, vector_stored(contracted))
    alone = node(Op.CONTRACT, float32.vec(4), f(2.0), arg=((7, 4),))
    for each in (unrolled, alone):
        yield refused(each.op.name, Stage.EXPANDED, each.op, "expand the kernel", lambda each=each: each)
    for lanes in (2, 3, 4, 8, 16):
        x, y = UOp.param(0, lanes, float32), UOp.param(1, lanes, float32)
        value = load(at(x, i(0)), dtype=float32.vec(lanes))
        yield from both(f"{lanes} lanes", store(at(y, i(0)), value.alu(Op.ADD, value)))
    for lanes in (5, 6, 7, 9, 12, 32):
        yield refused(
            f"{lanes} lanes",
            Stage.EXPANDED,
            Op.LOAD,
            "use 2, 3, 4, 8, 16",
            lambda lanes=lanes: load(at(X, R), dtype=float32.vec(lanes)),
        )


def matrices() -> Iterator[Form]:
    """Of one thread."""
    for columns, rows, inner in ((2, 2, 2), (4, 2, 4), (2, 4, 1)):
        a, b, c = (
            load(at(X, i(first)), dtype=float32.vec(count))
            for first, count in ((1, rows * inner), (0, inner * columns), (2, rows * columns))
        )
        fragment = ("small", (columns, rows, inner), float32, float32, "HOST", 1)
        product = node(Op.WMMA, c.dtype, a, b, c, arg=fragment)
        title = f"WMMA of {rows} x {inner} and {inner} x {columns}"
        yield from both(title, store(at(Y, i(0)), product))
        out, given = argument(1, COUNT), argument(0, 2 * COUNT)
        fragments = [load(at(given, each.src[0].src[1]), dtype=each.dtype) for each in (a, b, c)]
        yield Runs(
            title,
            Stage.LINEAR,
            program(store(at(out, i(0)), node(Op.WMMA, c.dtype, *fragments, arg=fragment))),
            INPUTS,
        )
    yield from spread_matrices()
    yield from refused_matrices()


def spread_matrices() -> Iterator[Form]:
    """Of several threads, and over a range; `tests/codegen/test_matrices.py` compares them with products."""
    for name, case in {**PLAIN, "halves of a warp": NVIDIA["m16n8k8 f16"]}.items():
        for steps in (1, 2):
            inputs, _ = drawn(case, steps=steps)
            title = f"WMMA on {name}{' over a RANGE' if steps > 1 else ''}"
            yield Runs(title, Stage.KERNEL, fragments_kernel(case, steps=steps), inputs)
            yield Runs(title, Stage.EXPANDED, fragments_kernel(case, steps=steps), inputs)


def refused_matrices() -> Iterator[Form]:
    """What the argument of a WMMA may not say, and the legal form."""
    quad = load(at(X, i(0)), dtype=float32.vec(4))
    plain = ("w", (2, 2, 2), float32, float32)
    halves = load(at(UOp.param(2, 64, float16), i(0)), dtype=float16.vec(4))
    warp = UOp.range(2, 5, AxisType.WARP)
    pair = load(at(X, warp * 2), dtype=float32.vec(2))
    one_axis = ((1, 4),)
    rows: tuple[tuple[object, str, tuple[UOp, UOp, UOp]], ...] = (
        (None, "its argument is", (quad, quad, quad)),
        ("banana", "its argument is", (quad, quad, quad)),
        (("", *plain[1:]), "the name is a text", (quad, quad, quad)),
        (("w", (2, 2, 0), float32, float32), "N, M and K are from 1", (quad, quad, quad)),
        (("w", (2, 2), float32, float32), "N, M and K are from 1", (quad, quad, quad)),
        (("w", (2, 2, 10**9), float32, float32), "N, M and K are from 1", (quad, quad, quad)),
        (("w", (2, 2, 2), float32.vec(4), float32), "dtypes are those of numbers", (quad, quad, quad)),
        (("w", (2, 2, 2), "float32", float32), "dtypes are those of numbers", (quad, quad, quad)),
        (("w", (2, 2, 2), float32, float16), "no narrower", (quad, quad, quad)),
        (("w", (2, 2, 2), int32, float32), "of their kind", (quad, quad, quad)),
        ((*plain, ""), "the device is a name", (quad, quad, quad)),
        ((*plain, "HOST", -5), "threads are from 1", (quad, quad, quad)),
        ((*plain, "HOST", True), "threads are from 1", (quad, quad, quad)),
        ((*plain, "HOST", 1, (one_axis, one_axis)), "three tuples", (quad, quad, quad)),
        ((*plain, "HOST", 1, (one_axis, one_axis, ((1, 4, 1),))), "axes are", (quad, quad, quad)),
        ((*plain, "HOST", 1, (one_axis, one_axis, ((1, 2), (1, 2)))), "named twice", (quad, quad, quad)),
        ((*plain, "HOST", 1, (one_axis, one_axis, ((1, 2),))), "sizes multiply to its lanes", (quad, quad, quad)),
        ((*plain, "HOST", 1, (), ((7, 3),)), "sizes multiply to K", (quad, quad, quad)),
        ((*plain, "HOST", 1, (one_axis,) * 3, ((1, 2),)), "summed over and in the result", (quad, quad, quad)),
        ((*plain, "HOST", 1, (), (), (1, 0)), "tile grid", (quad, quad, quad)),
        ((*plain, "HOST", 1, (), (), (3, 1)), "its 3 tiles", (quad, quad, quad)),
        (plain, "float32 each", (halves, quad, quad)),
        ((*plain, "HOST", 2), "use float32x2", (load(at(X, i(0)), dtype=float32.vec(3)),) * 3),
        ((*plain, "HOST", 2), "one WARP range of 2 items", (load(at(X, i(0)), dtype=float32.vec(2)),) * 3),
        ((*plain, "HOST", 4), "one WARP range of 4 items", (pair, pair, pair)),
        (NVIDIA["m16n8k8 f16"].arg, "4 on each thread of CUDA", (node(Op.GEP, float16.vec(2), halves, arg=(0, 1)), halves, quad)),
    )  # fmt: skip
    for arg, words, sources in rows:
        yield refused(
            f"WMMA with argument {arg!r} of {sources[0].dtype}",
            Stage.EXPANDED,
            Op.WMMA,
            words,
            lambda arg=arg, sources=sources: node(Op.WMMA, sources[2].dtype, *sources, arg=arg),
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
    for group in (ranges, accesses, local_memory, kept, reductions, vectors, matrices, pasted, control):
        yield from group()
