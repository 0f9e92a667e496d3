"""Forms of what is launched: work-items in more than three dimensions, ends of ranges of each axis type, variables, single lanes of a WMMA."""

from collections.abc import Iterator

from eqsat.dtype import float32, index, int32, void
from eqsat.ops import AxisType, Op, Stage
from eqsat.uop import UOp
from tests.forms.form import Form, Runs, after, argument, at, f, i, load, local, node, program, store
from tests.forms.kernel_parts import COUNT, INPUTS, STAGES, R, X, Y, both, refused, stored

LATER = UOp.variable("size", 1, 4)
AT_ONCE = (AxisType.UNROLL, AxisType.WARP, AxisType.LOCAL, AxisType.GROUP_REDUCE)
LAUNCHED = (AxisType.GLOBAL, AxisType.THREAD)


def items() -> Iterator[Form]:
    """More ranges over work-items than a launch has dimensions: the outer ones share the last."""
    for axis in (AxisType.LOCAL, AxisType.GLOBAL):
        bits = [UOp.range(2, number, axis) for number in range(4)]
        place = ((bits[0] * 2 + bits[1]) * 2 + bits[2]) * 2 + bits[3]
        here = at(UOp.param(1, 16, float32), place)
        yield from both(f"four RANGE({axis.name})", store(here, load(at(X, place)) * 2.0, *bits))
        if axis is AxisType.LOCAL:
            filled = store(at(local(16), place), load(at(X, place)), *bits)
            mirrored = load(at(after(local(16), filled), i(15) - place))
            yield from both("four RANGE(LOCAL), DEFINE_LOCAL", store(here, mirrored, *bits))


def ends() -> Iterator[Form]:
    """How many copies, lanes, work-items and groups there are is known before a kernel is launched."""
    for end in (LATER, i(0), i(1 << 40)):
        for axis in AT_ONCE:
            yield refused(
                f"RANGE({axis.name}) up to {end!r}", Stage.KERNEL, Op.RANGE, "is a constant in 1",
                lambda axis=axis, end=end: UOp.range(end, 1, axis),
            )  # fmt: skip
    for stage in STAGES:
        for axis in LAUNCHED:
            for end, words in ((i(0), "at least 1"), (R + 1, "or an expression of variables")):
                yield refused(
                    f"RANGE({axis.name}) up to {end!r}", stage, Op.RANGE, words,
                    lambda axis=axis, end=end: UOp.range(end, 1, axis),
                )  # fmt: skip
    for end in (LATER, i(0), i(1 << 40)):
        item = node(Op.SPECIAL, index, end, arg="lid0")
        yield refused(
            f"SPECIAL(lid) up to {end!r}",
            Stage.EXPANDED,
            Op.SPECIAL,
            "is a constant in 1",
            lambda item=item: item,
        )


def loops() -> Iterator[Form]:
    """Loops may end anywhere."""
    varying = R + 1
    loop = UOp.range(LATER, 1, AxisType.LOOP)
    yield from both("RANGE(LOOP) up to DEFINE_VAR", stored_along(loop))
    total = node(
        Op.REDUCE,
        float32,
        load(at(X, R + UOp.range(LATER, 1, AxisType.REDUCE))),
        UOp.range(LATER, 1, AxisType.REDUCE),
        arg=Op.ADD,
    )
    yield from both("REDUCE up to DEFINE_VAR", stored(total))
    for axis in (AxisType.LOOP, AxisType.PLACEHOLDER):
        yield from both(
            f"RANGE({axis.name}) whose end varies", stored_along(UOp.range(varying % 4 + 1, 1, axis))
        )
    triangle = UOp.range(varying, 1, AxisType.REDUCE)
    yield from both(
        "REDUCE whose end varies",
        stored(node(Op.REDUCE, float32, load(at(X, triangle)), triangle, arg=Op.ADD)),
    )
    fewer = UOp.range(R, 1, AxisType.REDUCE)
    for member in (0, 1):
        extreme = node(
            Op.ARGREDUCE,
            (float32, int32)[member],
            load(at(X, fewer)),
            fewer.cast(int32),
            fewer,
            arg=(Op.MAX, member),
        )
        yield from both(f"ARGREDUCE of none and more, member {member}", stored(extreme.cast(float32)))
    item = node(Op.SPECIAL, index, i(COUNT), arg="gid0")
    upto = UOp.range(item + 1, 1, AxisType.REDUCE)
    summed = node(Op.REDUCE, float32, load(at(X, upto)), upto, arg=Op.ADD)
    yield from both("REDUCE up to a SPECIAL", store(at(Y, item), summed))
    along = UOp.range(item % 4 + 1, 1)
    yield from both(
        "RANGE up to a SPECIAL",
        store(at(UOp.param(1, 4 * COUNT, float32), item * 4 + along), load(at(X, along)), along),
    )
    scanned = UOp.range(varying % 4 + 1, 1, AxisType.SCAN)
    running = node(Op.SCAN, float32, load(at(X, R + scanned)), scanned, arg=(Op.MAX, False))
    yield from both(
        "SCAN whose end varies",
        store(at(UOp.param(1, 4 * COUNT, float32), R * 4 + scanned), running, R, scanned),
    )
    yield from both("RANGE(LOOP) without iterations", stored_along(UOp.range(0, 1, AxisType.LOOP)))


def stored_along(loop: UOp) -> UOp:
    out = UOp.param(1, 4 * COUNT, float32)
    return store(at(out, R * 4 + loop), load(at(X, R + loop)), R, loop)


def variables() -> Iterator[Form]:
    """A kernel takes its buffers, then its variables, in whatever order its instructions name them."""
    loop = node(Op.RANGE, index, LATER, arg=(0, AxisType.LOOP))
    update = store(at(argument(1, COUNT), loop), load(at(argument(0, COUNT), loop + LATER)))
    listed = program(
        LATER, loop, argument(0, COUNT), argument(1, COUNT), update, node(Op.END, void, update, loop)
    )
    yield Runs("DEFINE_VAR before DEFINE_GLOBAL", Stage.LINEAR, listed, INPUTS)


def single_lanes() -> Iterator[Form]:
    """Fragments of one lane on one thread."""
    for inner in (1, 4):
        dtype = float32.vec(inner) if inner > 1 else float32
        a, b = (load(at(X, i(place)), dtype=dtype) for place in (1, 2))
        product = node(
            Op.WMMA, float32, a, b, load(at(X, i(3))), arg=("dot", (1, 1, inner), float32, float32)
        )
        yield from both(f"WMMA of 1 x {inner} and {inner} x 1", store(at(Y, i(0)), product))


def texts() -> Iterator[Form]:
    for field in ("{0!r}", "{0:>9}", "{0.real}", "{\u0661}"):
        text = node(Op.CUSTOMI, float32, f(1.0), f(2.0), arg=field)
        yield refused(
            f"CUSTOMI with {field}", Stage.KERNEL, Op.CUSTOMI, "write numbers alone", lambda text=text: text
        )


def forms() -> Iterator[Form]:
    for group in (items, ends, loops, variables, single_lanes, texts):
        yield from group()
