"""Forms of kernels that compute values: reductions, vectors, products of matrices."""

from collections.abc import Iterator

from eqsat.dtype import float16, float32, int32
from eqsat.ops import AxisType, Op, Stage
from eqsat.uop import UOp
from tests.forms.form import (
    Form,
    Runs,
    argument,
    at,
    f,
    i,
    load,
    node,
    program,
    store,
)
from tests.forms.kernel_parts import (
    COUNT,
    FOUR,
    INPUTS,
    STAGES,
    VECTOR,
    K,
    R,
    X,
    Y,
    both,
    refused,
    runs,
    stored,
    vector_stored,
)
from tests.fragments import NVIDIA, PLAIN, drawn
from tests.fragments import kernel as fragments_kernel


def reductions() -> Iterator[Form]:
    for op in (Op.ADD, Op.MUL, Op.MAX, Op.MIN):
        value = load(at(X, R * 2 + K))
        yield from both(f"REDUCE({op.name})", stored(node(Op.REDUCE, float32, value, K, arg=op)))
        along = UOp.range(COUNT, 1, AxisType.SCAN)
        for exclusive in (False, True):
            scan = node(Op.SCAN, float32, load(at(X, along)), along, arg=(op, exclusive))
            yield from both(f"SCAN({op.name}, {exclusive})", store(at(Y, along), scan, along))
    yield from recurrences()
    for op in (Op.MAX, Op.MIN):
        member = node(Op.ARGREDUCE, int32, load(at(X, R * 2 + K)), K.cast(int32), K, arg=(op, 1))
        yield from both(f"ARGREDUCE({op.name})", store(at(UOp.param(1, COUNT, int32), R), member, R))
    for stage in STAGES:
        yield refused(
            "REDUCE_AXIS", stage, Op.REDUCE_AXIS, "REDUCE over ranges", lambda: X.reduce_axis(Op.ADD, (0,))
        )
    yield refused("DEFINE_ACC(initial, RANGE)", Stage.KERNEL, Op.DEFINE_ACC, "DEFINE_ACC belongs to",
                  lambda: node(Op.DEFINE_ACC, float32, f(0.0), K, arg=(0,)))  # fmt: skip


def recurrences() -> Iterator[Form]:
    along = UOp.range(COUNT, 1, AxisType.SCAN)
    value = load(at(X, along))
    kept = [node(Op.CARRY, float32, value, along, arg=(0, number, 1)) for number in range(2)]
    given = kept[0] * 0.5 + value
    yield from both(
        "RECUR, CARRY",
        store(at(Y, along), node(Op.RECUR, float32, given, given, kept[0], along, arg=1), along),
    )
    swapped = node(Op.RECUR, float32, given, kept[1], kept[0], kept[0] + value, kept[1], along, arg=2)
    yield from both("RECUR of two CARRYs", store(at(Y, along), swapped, along))
    plain = UOp.range(COUNT, 1, AxisType.LOOP)
    for name, words, made in (
        (
            "along a LOOP",
            "along SCAN and UNROLL ranges",
            node(Op.CARRY, float32, load(at(X, plain)), plain, arg=(0, 0, 1)),
        ),
        (
            "without a pair",
            "number of its pairs",
            node(Op.RECUR, float32, given, given, kept[0], along, arg=2),
        ),
        (
            "of a value that is not kept",
            "that is a CARRY",
            node(Op.RECUR, float32, given, given, value, along, arg=1),
        ),
        (
            "of another dtype",
            "cast the value",
            node(Op.RECUR, float32, given, given < 0.0, kept[0], along, arg=1),
        ),
    ):
        for stage in STAGES:
            yield refused(f"{made.op.name} {name}", stage, made.op, words, lambda made=made: made)


def vectors() -> Iterator[Form]:
    read = load(at(X, FOUR * 4), dtype=float32.vec(4))
    yield from both("LOAD and STORE of a vector", vector_stored(read))
    yield from both("VCONST", vector_stored(VECTOR))
    lanes = [node(Op.GEP, float32, read, arg=(lane,)) for lane in range(4)]
    yield from both(
        "GEP of one lane, VECTORIZE", vector_stored(node(Op.VECTORIZE, float32.vec(4), *reversed(lanes)))
    )
    pair = node(Op.GEP, float32.vec(2), read, arg=(0, 2))
    constants = node(Op.VCONST, float32.vec(5), arg=(1.0, 2.0, 3.0, 4.0, 5.0))
    for five in (
        constants,
        node(Op.VECTORIZE, float32.vec(5), *(load(at(X, i(place))) for place in (5, 1, 4, 0, 2))),
    ):
        eight = node(Op.CAT, float32.vec(8), five, node(Op.VCONST, float32.vec(3), arg=(0.5, 1.5, 2.5)))
        yield from both(f"CAT of a {five.op.name} of five lanes", store(at(Y, i(0)), eight))
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
    yield from summed_matrices()
    yield from spread_matrices()
    yield from refused_matrices()


def summed_matrices() -> Iterator[Form]:
    """The products of several fragments are summed in turn; items of a group would each have a sum of their own."""
    for axis in AxisType:
        steps = UOp.range(2, 1, axis)
        fragments = [load(at(X, steps * 4 + first), dtype=float32.vec(4)) for first in (0, 8)]
        argument = ("small", (2, 2, 2), float32, float32, "HOST", 1)
        summed = store(at(Y, i(0)), node(Op.WMMA, float32.vec(4), *fragments, VECTOR, steps, arg=argument))
        if axis in (AxisType.REDUCE, AxisType.UNROLL):
            yield runs(f"WMMA over a RANGE({axis.name})", Stage.KERNEL, summed)
        else:
            yield refused(
                f"WMMA over a RANGE({axis.name})",
                Stage.KERNEL,
                Op.WMMA,
                f"ends a {axis.name} range; only REDUCE, UNROLL end here",
                lambda summed=summed: summed,
            )


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


def forms() -> Iterator[Form]:
    for group in (reductions, vectors, matrices):
        yield from group()
