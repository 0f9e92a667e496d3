"""Forms of kernels that keep values in local memory and registers."""

from collections.abc import Iterator

from eqsat.dtype import AddrSpace, float32, void
from eqsat.ops import AxisType, BufferizeOpts, Op, Stage
from eqsat.uop import UOp
from tests.forms.form import (
    Form,
    after,
    at,
    f,
    i,
    load,
    local,
    node,
    register,
    store,
)
from tests.forms.kernel_parts import (
    R,
    X,
    Y,
    both,
    refused,
    runs,
    stored,
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
    for around, axis in ((9, AxisType.LOOP), (0, AxisType.PLACEHOLDER)):
        outer, made, used = UOp.range(2, around), UOp.range(4, 4, axis), UOp.range(4, 5)
        own = bufferize(load(at(X, outer * 4 + made)) * 2.0, made, arg=PRIVATE)
        yield runs(
            f"BUFFERIZE in registers along {axis.name} in LOOP {around}",
            Stage.KERNEL,
            store(at(Y, outer * 4 + used), load(at(own, i(3) - used)), outer, used),
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


def forms() -> Iterator[Form]:
    for group in (local_memory, kept):
        yield from group()
