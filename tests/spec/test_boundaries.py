"""Where the legal ends: of each rule of one node, examples just inside and just outside, which differ in the one thing that the rule is about.

`test_spec` shows that a broken rule is named; what is here shows how far each rule goes.
"""

import pytest

from eqsat.dtype import AddrSpace, PtrDType, bool_, float16, float32, float64, index, int8, int32, void
from eqsat.errors import SpecError
from eqsat.ops import AxisType, BufferizeOpts, KernelInfo, Op, Stage, View
from eqsat.spec import verify
from eqsat.uop import UOp
from tests.spec.test_spec import (
    LEGAL_KERNEL,
    ONE,
    OUT,
    VECTOR,
    K,
    R,
    X,
    Y,
    at,
    c,
    load,
    node,
    pointer,
    reduce,
    store,
)

A, N, E, L, P = Stage.ARRAY, Stage.KERNEL, Stage.EXPANDED, Stage.LINEAR, Stage.PROGRAM
TRUTH = UOp.const(bool_, True)
DEVICE, HANDLE = node(Op.DEVICE, void, arg="CPU"), node(Op.UNIQUE, void, arg=1)
BUFFER = node(Op.BUFFER, float32, DEVICE, HANDLE, arg=8)
STATEMENT = store(at(Y, c(0)), ONE)
BARRIER = node(Op.BARRIER, void)
TWO = float32.vec(2)
PAIR, OTHER = UOp.param(0, 2, float32), UOp.param(1, 2, float32)
REGISTER = pointer(Op.DEFINE_REG, AddrSpace.REG, 4, (4, 0))
LOCAL = pointer(Op.DEFINE_LOCAL, AddrSpace.LOCAL, 4, "shared")
GATE = c(1) < 2
GATED = at(Y, R, R < 4)


def axis(kind, number=5, end=4):
    return UOp.range(end, number, kind)


def bound(*src, arg):
    return node(Op.RANGE, index, *src, arg=arg)


def special(end, arg="gid0"):
    return node(Op.SPECIAL, index, end, arg=arg)


def vector(lanes, dtype=float32, value=1.0):
    return node(Op.VCONST, dtype.vec(lanes), arg=(value,) * lanes)


def register(size, arg, pointed=float32, held=None):
    return UOp(Op.DEFINE_REG, PtrDType(pointed, AddrSpace.REG, size if held is None else held), (), arg)


def kept(value, *bounds, arg=None):
    return node(Op.BUFFERIZE, value.dtype, value, *bounds, arg=arg)


def product(arg, lanes=(1, 1, 1), *more, kinds=(float16, float16, float32), dtype=None):
    parts = [
        vector(count, kind) if count > 1 else UOp.const(kind, 1.0)
        for count, kind in zip(lanes, kinds, strict=True)
    ]
    return node(Op.WMMA, parts[2].dtype if dtype is None else dtype, *parts, *more, arg=arg)


LOCALLY, PRIVATELY = BufferizeOpts(space=AddrSpace.LOCAL), BufferizeOpts(space=AddrSpace.REG)
AXES = {each: axis(each) for each in AxisType}

SMALL = ("m", (2, 2, 2), float16, float32)  # a WMMA of two rows, columns and products

LEGAL = [
    # ranges and coordinates
    (N, bound(c(0), arg=(0, AxisType.LOOP))),
    (N, bound(c(3), R, arg=(1, AxisType.LOOP))),
    (N, bound(c(5), arg=(1, AxisType.UNROLL))),
    (N, bound(UOp.variable("n", 1, 4), arg=(1, AxisType.LOOP))),
    (N, bound(c(16), arg=(1, AxisType.UPCAST))),
    (E, bound(c(4), arg=(1, AxisType.REDUCE))),
    (L, [c(-5), c(3), bound(c(-5), c(3), arg=4), node(Op.ENDRANGE, void, bound(c(-5), c(3), arg=4))]),
    (N, special(c(1), "gidx1")),
    (N, special(c(1), "lid2")),
    # statements
    (N, node(Op.END, void, STATEMENT, R)),
    (N, node(Op.END, void, BARRIER, R)),
    (N, node(Op.BARRIER, void, STATEMENT)),
    (N, node(Op.GROUP, void, STATEMENT)),
    (A, node(Op.ASSIGN, float32, BUFFER, X)),
    (A, node(Op.AFTER, float32, BUFFER, node(Op.ASSIGN, float32, BUFFER, X))),
    (N, node(Op.CUSTOM, void, ONE, arg="f({0}); {{}}")),
    (N, node(Op.CUSTOMI, float32, ONE, ONE, arg="{0} + {1}")),
    # constants, variables and conversions
    (A, node(Op.CONST, float32, DEVICE, arg=1.0)),
    (N, node(Op.CONST, int8, arg=127)),
    (N, node(Op.CONST, int8, arg=-128)),
    (N, node(Op.VCONST, int8.vec(2), arg=(1, -128))),
    (A, node(Op.DEFINE_VAR, int8, arg=("n", -128, 127))),
    (A, node(Op.DEFINE_VAR, index, arg=("n", 3, 3))),
    (A, node(Op.BIND, index, UOp.variable("n", 0, 3), c(3))),
    (A, node(Op.BIND, index, UOp.variable("n", 0, 3), c(0))),
    (N, node(Op.CAST, float64.vec(2), VECTOR)),
    (E, node(Op.CAST, OUT.dtype, OUT)),
    (N, node(Op.BITCAST, int32.vec(2), VECTOR)),
    (A, node(Op.BITCAST, bool_, TRUTH)),
    # axes, views, vectors
    (A, node(Op.ARGREDUCE_AXIS, int8, UOp.param(0, 128, float32), arg=(Op.MAX, (0,)))),
    (A, node(Op.EMPTY, float32, arg=(0, 2))),
    (A, node(Op.EMPTY, float32)),
    (A, node(Op.VIEW, float32, X, arg=View((2, 0), (-1, 0), 3, ((0, 2), (0, 0))))),
    (A, node(Op.VALID, bool_, node(Op.VIEW, float32, X, arg=View((2,), (1,))))),
    (N, node(Op.RESHAPE, float32, X, arg=(2, 4))),
    (N, node(Op.RESHAPE, float32, node(Op.AFTER, float32, X, STATEMENT), arg=(2, 4))),
    (N, node(Op.GEP, float32, VECTOR, arg=(1,))),
    (N, node(Op.GEP, float32.vec(3), VECTOR, arg=(0, 1, 0))),
    (N, node(Op.CAT, float32.vec(3), VECTOR, ONE)),
    (N, node(Op.UNROLL, float32, VECTOR, arg=((0, 2),))),
    (N, node(Op.UNROLL, float32, vector(4), arg=((0, 2), (1, 2)))),
    (N, node(Op.CONTRACT, float32.vec(4), VECTOR, arg=((0, 2),))),
    # memory
    (A, node(Op.PARAM, float32, arg=(0, 0))),
    (A, node(Op.PARAM, float32, DEVICE, arg=(0, 3))),
    (A, node(Op.BUFFER, float32, DEVICE, node(Op.LUNIQUE, void, arg=1), arg=0)),
    (A, node(Op.BUFFER_VIEW, float32, BUFFER, arg=(4, 2))),
    (A, node(Op.BUFFER_VIEW, float32, node(Op.BUFFER_VIEW, float32, BUFFER, arg=(4, 2)), arg=(2, 1))),
    (E, pointer(Op.DEFINE_GLOBAL, AddrSpace.GLOBAL, 0)),
    (E, register(1, (1, 0))),
    (E, register(1, (1, 0), float32.vec(4))),
    (N, UOp(Op.DEFINE_LOCAL, PtrDType(float32, AddrSpace.LOCAL, 1), (), 0)),
    (A, kept(ONE, axis(AxisType.LOOP))),
    (A, kept(ONE, axis(AxisType.LOOP), arg=BufferizeOpts("CPU", AddrSpace.GLOBAL, False))),
    (N, kept(ONE, AXES[AxisType.LOCAL], arg=LOCALLY)),
    (N, kept(ONE, AXES[AxisType.UPCAST], arg=LOCALLY)),
    (N, kept(ONE, AXES[AxisType.LOOP], arg=PRIVATELY)),
    (N, kept(ONE, AXES[AxisType.PLACEHOLDER], arg=PRIVATELY)),
    (N, kept(ONE, AXES[AxisType.UNROLL], arg=PRIVATELY)),
    (N, kept(load(at(X, AXES[AxisType.LOCAL])), axis(AxisType.LOOP, 6), arg=PRIVATELY)),
    (N, kept(load(at(X, AXES[AxisType.GLOBAL])), axis(AxisType.LOOP, 6), arg=LOCALLY)),
    (N, at(X, R, R < 4)),
    (N, at(X.reshape((2, 4)), c(1), c(2))),
    (E, node(Op.POINTER_INDEX, float32, OUT, c(8))),
    (E, node(Op.POINTER_INDEX, float32, at(OUT, c(1)), c(-4))),
    (E, node(Op.POINTER_INDEX, float32, LOCAL, c(4))),
    (E, node(Op.PTRCAT, TWO, at(OUT, c(0)), at(OUT, c(1)))),
    (E, load(node(Op.PTRCAT, TWO, at(OUT, c(0)), at(OUT, c(1))))),
    (E, node(Op.LOAD, TWO, at(OUT, c(0)))),
    (N, load(GATED, ONE)),
    (N, node(Op.LOAD, float32, Y, at(Y, R))),
    (A, load(at(X, UOp.iota(3)))),
    (A, node(Op.LOAD, float32, X, at(X, UOp.iota(3)))),
    (A, node(Op.LOAD, float32, X, node(Op.VIEW, float32, arg=View((2,), (1,))))),
    (N, store(at(Y, R), ONE, R)),
    (N, store(at(Y, AXES[AxisType.SCAN]), ONE, AXES[AxisType.SCAN])),
    # reductions
    *((N, reduce(ONE, AXES[each])) for each in (AxisType.REDUCE, AxisType.GROUP_REDUCE, AxisType.UPCAST, AxisType.UNROLL)),
    (E, node(Op.REDUCE, float32, VECTOR, K, arg=Op.MAX)),
    *(
        (N, node(Op.SCAN, float32, ONE, AXES[each], arg=(Op.ADD, False)))
        for each in (AxisType.SCAN, AxisType.UPCAST, AxisType.UNROLL)
    ),
    (N, node(Op.ARGREDUCE, float32, ONE, UOp.const(int32, 0), K, arg=(Op.MAX, 0))),
    (N, node(Op.ARGREDUCE, int32, ONE, UOp.const(int32, 0), K, arg=(Op.MIN, 1))),
    (E, node(Op.ARGREDUCE, float32, VECTOR, vector(2, int32, 0), K, arg=(Op.MAX, 0))),
    # copies and shards
    (A, node(Op.MULTI, float32, PAIR, OTHER, arg=(0, (True, False)))),
    (A, node(Op.MULTI, float32, PAIR, UOp.param(2, 8, float32), arg=(0, (True, True)))),
    (A, node(Op.MULTI, float32, PAIR, OTHER, arg=(None, (True, True)))),
    (A, node(Op.MSELECT, float32, node(Op.MSTACK, float32, PAIR, OTHER), arg=1)),
    (A, node(Op.MSELECT, float32, node(Op.MULTI, float32, PAIR, OTHER, arg=(None, (False, True))), arg=1)),
    (A, node(Op.ALLREDUCE, float32, node(Op.MSTACK, float32, PAIR, OTHER), arg=Op.ADD)),
    (A, node(Op.ALLREDUCE, float32, node(Op.MSTACK, float32, PAIR, OTHER), DEVICE, arg=Op.ADD)),
    (A, node(Op.ALLREDUCE, float32, node(Op.MULTI, float32, PAIR, OTHER, arg=(None, (True, True))), arg=Op.ADD)),
    (A, node(Op.COPY, float32, DEVICE, X, arg=True)),
    (A, node(Op.COPY, float32, DEVICE, X)),
    (A, node(Op.UNIQUE, void, arg=object())),
    (A, node(Op.UNIQUE, void, arg=0)),
    # any node
    (N, vector(16)),
    (N, node(Op.CAT, float32.vec(8), vector(5), vector(3))),
    (N, node(Op.UNROLL, float32, vector(5), arg=((0, 5),))),
    (A, node(Op.WHERE, float32, X < Y, X, Y)),
    (N, node(Op.WHERE, TWO, TRUTH, VECTOR, VECTOR)),
    # matrices
    (N, product(SMALL, (4, 4, 4))),
    (N, product((*SMALL, "HOST", 1, (), (), (1, 1)), (4, 4, 4))),
    (N, product((*SMALL, "HOST", 1, (((0, 4),), ((1, 4),), ((2, 2), (3, 2))), ((0, 2),)), (4, 4, 4))),
    (N, product(SMALL, (4, 4, 4), K)),
    (N, product(("m", (1, 1, 1), int8, int32), kinds=(int8, int8, int32))),
    # programs
    (P, node(Op.KERNEL, void, LEGAL_KERNEL, X, Y, arg=KernelInfo("k"))),
    (P, node(Op.KERNEL, void, LEGAL_KERNEL, X, Y, node(Op.NAME, void, arg="n"), arg=KernelInfo("k"))),
    (P, node(Op.CALL, void, node(Op.FUNCTION, void, node(Op.TUPLE, void, X), X), Y)),
    (P, node(Op.GET_TUPLE, float32, node(Op.TUPLE, void, X), arg=0)),
    (P, UOp.sink(X, node(Op.CALL, void, LEGAL_KERNEL, X, Y))),
]  # fmt: skip

ILLEGAL = [
    # ranges and coordinates
    (N, bound(c(3), arg=(True, AxisType.LOOP)), "its argument is"),
    (N, bound(c(3), arg=4), "an id alone"),
    (N, bound(c(3), c(4), arg=4), "an id alone"),
    (L, [c(3), bound(c(3), c(3), arg=True)], "its argument is"),
    (L, [c(3), bound(c(3), arg=4)], "its end is an index"),
    (L, [UOp.const(int32, 1), c(3), bound(UOp.const(int32, 1), c(3), arg=4)], "its end is an index"),
    (N, bound(UOp.const(int32, 3), arg=(0, AxisType.LOOP)), "its end is an index"),
    (N, bound(vector(2, index, 1), arg=(0, AxisType.LOOP)), "its end is an index"),
    (L, [c(0), c(3), bound(c(0), c(3), c(3), arg=4)], "after its start and end"),
    (N, bound(c(3), c(4), arg=(0, AxisType.LOOP)), "after its end"),
    (L, [c(3), c(-1), bound(c(3), c(-1), arg=4)], "its end is -1"),
    (E, bound(c(4), arg=(0, AxisType.UNROLL)), "UNROLL ranges are gone"),
    (L, [c(4), bound(c(4), arg=(0, AxisType.UNROLL))], "UNROLL ranges are gone"),
    (N, bound(UOp.variable("n", 2, 4), arg=(0, AxisType.UPCAST)), "a vector has"),
    (N, special(c(1), "gid3"), "a name such as gid0"),
    (N, special(c(1), "gid01"), "a name such as gid0"),
    (N, special(c(1), 0), "a name such as gid0"),
    (N, special(vector(2, index, 1)), "its end is an index"),
    (N, special(c(0)), "a constant of at least 1"),
    (N, special(UOp.variable("n", 1, 4)), "a constant of at least 1"),
    # statements
    (N, node(Op.END, void, STATEMENT), "it closes no loop"),
    (N, node(Op.END, void, ONE, R), "ends the loops of a statement"),
    (L, [c(3), node(Op.ENDRANGE, void, c(3))], "are RANGEs"),
    (L, [ONE, node(Op.IF, void, ONE)], "its condition is one bool"),
    (L, [vector(2, bool_, True), node(Op.IF, void, vector(2, bool_, True))], "its condition is one bool"),
    (L, [TRUTH, ONE, node(Op.IF, void, TRUTH, ONE)], "CONST among its sources"),
    (L, [BARRIER, node(Op.ENDIF, void, BARRIER)], "it closes an IF, not a BARRIER"),
    (N, node(Op.BARRIER, void, ONE), "its sources are stores"),
    (N, node(Op.GROUP, void, ONE), "its sources are stores"),
    (A, node(Op.AFTER, float32, BUFFER, X), "nothing happens in a PARAM"),
    (A, node(Op.AFTER, float32, X + Y, node(Op.ASSIGN, float32, BUFFER, X)), "only buffers change"),
    (P, node(Op.AFTER, float32, X, X), "nothing happens in a PARAM"),
    (A, node(Op.ASSIGN, float32, X + Y, X), "it writes a buffer, not a ADD"),
    (A, node(Op.ASSIGN, float32, X, PAIR), r"it writes shape \(2,\) over shape \(8,\)"),
    (A, node(Op.ASSIGN, float32, X, X.cast(int32)), "it writes int32 over float32"),
    (N, node(Op.CUSTOM, void, X, arg="{0}"), "its text names values, not a PARAM"),
    (N, node(Op.CUSTOM, OUT.dtype, ONE, arg="{0}"), "it computes elements or nothing"),
    (N, node(Op.CUSTOMI, void, ONE, arg="{0}"), "it is an expression"),
    (N, node(Op.CUSTOM, void, ONE, arg="{1}"), "its text has {1}"),
    (N, node(Op.CUSTOM, void, ONE, arg="{}"), "its text has {}"),
    (N, node(Op.CUSTOM, void, ONE, arg="{"), "its text is a format string"),
    # constants, variables and conversions
    (N, node(Op.CONST, OUT.dtype, arg=1.0), "dtype is no pointer"),
    (N, node(Op.CONST, TWO, arg=1.0), "a VCONST has one number per lane"),
    (N, node(Op.CONST, float32, ONE, arg=1.0), "its only source may be a DEVICE"),
    (A, node(Op.CONST, float32, X, arg=1.0), "its only source may be a DEVICE"),
    (N, node(Op.CONST, void, arg=1), "1 is no void"),
    (N, node(Op.CONST, int8, arg=128), "does not fit int8"),
    (N, node(Op.CONST, int8, arg=-129), "does not fit int8"),
    (N, node(Op.CONST, int8, arg=True), "True is no int8"),
    (N, node(Op.VCONST, float32, arg=(1.0,)), "it is a vector"),
    (N, node(Op.VCONST, TWO, arg=1.0), "one number per lane"),
    (A, node(Op.DEFINE_VAR, index, arg=("", 0, 3)), "least <= greatest"),
    (A, node(Op.DEFINE_VAR, index, arg=("n", False, 3)), "least <= greatest"),
    (A, node(Op.DEFINE_VAR, index, arg=("n", 0, True)), "least <= greatest"),
    (N, node(Op.DEFINE_VAR, index.vec(2), arg=("n", 0, 3)), "a variable is an integer"),
    (A, node(Op.DEFINE_VAR, int8, arg=("n", 0, 128)), "does not fit int8"),
    (A, node(Op.DEFINE_VAR, int8, arg=("n", -129, 0)), "does not fit int8"),
    (A, node(Op.BIND, index, UOp.variable("n", 0, 3), c(-1)), "-1 is not in 0..3"),
    (A, node(Op.BIND, index, UOp.variable("n", 0, 3), UOp.variable("m", 0, 3)), "binds a DEFINE_VAR to a CONST"),
    (A, node(Op.BIND, index, UOp.variable("n", 0, 3), UOp.const(int32, 1)), "binds a variable of index to int32"),
    (E, node(Op.CAST, OUT.dtype, ONE), "float32 is no pointer"),
    (E, node(Op.CAST, PtrDType(int32, AddrSpace.GLOBAL, 8), OUT), "keeps its element type and memory"),
    (E, node(Op.CAST, PtrDType(float32, AddrSpace.LOCAL, 8), OUT), "keeps its element type and memory"),
    (N, node(Op.CAST, float32, BARRIER), "void has no elements"),
    (A, node(Op.BITCAST, void, X), "it gives elements, not void"),
    (E, node(Op.BITCAST, OUT.dtype, OUT), "it gives elements"),
    (A, node(Op.BITCAST, int8, TRUTH), "the bits of a bool"),
    (A, node(Op.BITCAST, bool_, UOp.const(int8, 1)), "the bits of a bool"),
    (A, node(Op.BITCAST, float64, X), "sizes agree"),
    (N, node(Op.BITCAST, int32, VECTOR), "it keeps the lanes"),
    # axes, views, vectors
    (A, node(Op.ARGREDUCE_AXIS, int8, UOp.param(0, 129, float32), arg=(Op.MAX, (0,))), "counts the 129 elements"),
    (A, node(Op.ARGREDUCE_AXIS, float32, X, arg=(Op.MAX, (0,))), "counts the 8 elements"),
    (A, node(Op.ARGREDUCE_AXIS, int32, UOp.param(0, 0, float32), arg=(Op.MAX, (0,))), "has no elements"),
    (A, node(Op.ARGREDUCE_AXIS, int32, X.reshape((2, 4)), arg=(Op.MAX, (0, 1))), "the tuple of one axis"),
    (A, node(Op.ARGREDUCE_AXIS, int32, X, arg=(Op.ADD, (0,))), "its argument is"),
    (A, node(Op.EMPTY, void, arg=(2,)), "its dtype is no void"),
    (A, node(Op.VIEW, float32, X, arg=View((2,), (1,), 0, ((0, 2), (0, 2)))), "one .begin, end. per axis"),
    (A, node(Op.VIEW, float32, X, arg=View((2,), (1,), 0, ((-1, 2),))), "one .begin, end. per axis"),
    (A, node(Op.VIEW, void, arg=View((2,), (1,))), "its dtype is no void"),
    (A, node(Op.VALID, int32, node(Op.VIEW, float32, X, arg=View((2,), (1,)))), "its dtype is bool"),
    (N, node(Op.VECTORIZE, float32.vec(4), VECTOR, VECTOR), "scalars of one dtype"),
    (N, node(Op.GEP, float32, ONE, arg=(0,)), "its source is a vector"),
    (N, node(Op.GEP, float32, VECTOR, arg=()), "lanes in 0..1"),
    (N, node(Op.GEP, float32, VECTOR, arg=(-1,)), "lanes in 0..1"),
    (N, node(Op.GEP, TWO, VECTOR, arg=(1,)), "its dtype is float32, not"),
    (N, node(Op.CAT, float32.vec(3), VECTOR, UOp.const(int32, 1)), "cast them"),
    (N, node(Op.CONTRACT, TWO, VECTOR, arg=((0, 2),)), "result has 2 lanes; .* make 4"),
    (N, node(Op.UNROLL, TWO, VECTOR, arg=((0, 2),)), "source has 2 lanes; .* make 4"),
    (N, node(Op.UNROLL, float32, vector(4), arg=((0, 2), (0, 2))), "distinct axes"),
    (N, node(Op.UNROLL, float32, VECTOR, arg=((0, 2, 1),)), "distinct axes"),
    (N, node(Op.UNROLL, float32, VECTOR, arg=()), "distinct axes"),
    (N, node(Op.UNROLL, int32, VECTOR, arg=((0, 2),)), "it keeps the element type"),
    # memory
    (A, node(Op.PARAM, float32, X, arg=(0, 3)), "its only source may be a DEVICE"),
    (N, node(Op.PARAM, TWO, arg=(0, 3)), "its elements are scalars"),
    (A, node(Op.PARAM, void, arg=(0, 3)), "its elements are scalars"),
    (A, node(Op.BUFFER, float32, DEVICE, DEVICE, arg=8), "a DEVICE and a UNIQUE"),
    (A, node(Op.BUFFER_VIEW, float32, X + Y, arg=(1, 0)), "part of a buffer, not of a ADD"),
    (E, pointer(Op.DEFINE_GLOBAL, AddrSpace.GLOBAL, -1), "it holds -1 elements"),
    (E, register(0, (0, 0)), "it holds 0 elements"),
    (N, pointer(Op.DEFINE_LOCAL, AddrSpace.LOCAL, 0, "a"), "it holds 0 elements"),
    (N, UOp(Op.DEFINE_LOCAL, PtrDType(TWO, AddrSpace.LOCAL, 4), (), "a"), "its elements are scalars"),
    (N, pointer(Op.DEFINE_LOCAL, AddrSpace.LOCAL, 4, ""), "a name or number"),
    (E, pointer(Op.DEFINE_GLOBAL, AddrSpace.GLOBAL, 4, -1), "the number of the argument"),
    (E, register(4, (4, -1)), "the size that of its pointer"),
    (E, register(4, (3, 0)), "the size that of its pointer"),
    (L, [ONE, node(Op.DEFINE_ACC, float32, ONE, arg=(0, 1))], "which tells it from others"),
    (L, [ONE, node(Op.DEFINE_ACC, float32, ONE, arg=-1)], "which tells it from others"),
    (A, kept(ONE, R, R), "names a RANGE twice"),
    (A, kept(ONE, R, arg="banana"), "its argument is BufferizeOpts"),
    (A, kept(ONE, R, arg=BufferizeOpts(device="")), "the device of its BufferizeOpts"),
    (A, kept(ONE, R, arg=LOCALLY), "local memory is part of a kernel"),
    (N, kept(ONE, R), "a kernel makes no global memory"),
    (N, kept(ONE, AXES[AxisType.LOOP], arg=BufferizeOpts("CPU", AddrSpace.LOCAL)), "memory of a kernel is on its device"),
    (N, kept(ONE, AXES[AxisType.LOOP], arg=BufferizeOpts(None, AddrSpace.LOCAL, False)), "memory of a kernel is on its device"),
    (N, kept(ONE, arg=LOCALLY), "it collects over no RANGE"),
    (N, kept(ONE, AXES[AxisType.LOCAL], arg=PRIVATELY), "it ends a LOCAL range; only LOOP, PLACEHOLDER, UNROLL end here"),
    (N, kept(ONE, AXES[AxisType.GLOBAL], arg=LOCALLY), "only LOCAL, LOOP, PLACEHOLDER, UNROLL, UPCAST end here"),
    *(
        (N, kept(load(at(X, AXES[each])), axis(AxisType.LOOP, 6), arg=where), f"varies with {each.name} range 5")
        for each, where in [
            (AxisType.LOCAL, LOCALLY), (AxisType.WARP, LOCALLY), (AxisType.UPCAST, LOCALLY), (AxisType.UNROLL, PRIVATELY),
            (AxisType.UPCAST, PRIVATELY),
        ]
    ),
    (N, at(X, vector(2, index, 1)), "at one place under one gate"),
    (N, at(X.reshape((2, 4)), c(1)), "1 indices for 2 dimensions.*or RESHAPE the PARAM"),
    (A, at(X.reshape((2, 4)), c(1)), "give one index for each$"),
    (N, at(X), "0 indices for 1"),
    (E, at(at(OUT, c(0)), c(0)), "make a POINTER_INDEX"),
    (E, node(Op.POINTER_INDEX, float32, OUT, vector(2, index, 4)), "counts bytes in an index"),
    (E, node(Op.POINTER_INDEX, float32, OUT, c(6)), "6 is inside an element of 4"),
    (E, node(Op.POINTER_INDEX, float32, REGISTER, c(4)), "registers have no addresses"),
    (E, node(Op.POINTER_INDEX, int32, OUT, c(4)), "BITCAST what is loaded"),
    (E, node(Op.PTRCAT, float32, at(OUT, c(0))), "one address needs no PTRCAT"),
    (E, node(Op.PTRCAT, TWO, at(OUT, c(0)), at(LOCAL, c(1))), "lie in one buffer"),
    (E, node(Op.PTRCAT, TWO, at(OUT, c(0)), at(OUT, c(1), GATE)), "without gates"),
    (E, node(Op.PTRCAT, TWO, at(REGISTER, c(0)), at(REGISTER, c(1))), "registers have no addresses"),
    (E, node(Op.PTRCAT, float32.vec(3), at(OUT, c(0)), at(OUT, c(1))), "its dtype is float32x2"),
    (N, node(Op.LOAD, float32, X, at(Y, R)), "another buffer than source 0"),
    (E, node(Op.LOAD, float32.vec(4), node(Op.PTRCAT, TWO, at(OUT, c(0)), at(OUT, c(1)))), "their lanes agree"),
    (E, node(Op.LOAD, TWO, at(REGISTER, c(0))), "read and written one by one"),
    (E, node(Op.LOAD, OUT.dtype, at(OUT, c(0))), "it reads elements, not pointers"),
    (A, load(at(X, UOp.iota(3)), ONE), "no gate"),
    (A, node(Op.LOAD, float32, X, at(Y, UOp.iota(3))), "another buffer than source 0"),
    (A, node(Op.LOAD, int32, at(X, UOp.iota(3))), "it reads float32 as int32"),
    (A, node(Op.LOAD, float32, X + Y, node(Op.VIEW, float32, arg=View((2,), (1,)))), "not a ADD; give that"),
    (A, node(Op.LOAD, float32, X, node(Op.VIEW, float32, X, arg=View((2,), (1,)))), "its VIEW has a base of its own"),
    (A, node(Op.LOAD, int32, X, node(Op.VIEW, float32, arg=View((2,), (1,)))), "it reads float32 as int32"),
    (N, load(GATED, X), "is no value but PARAM"),
    (N, store(at(Y, R), ONE, AXES[AxisType.GROUP_REDUCE]), "it ends a GROUP_REDUCE range"),
    (L, [OUT, c(0), at(OUT, c(0)), ONE, TRUTH, GATE.src[1], c(1), GATE, store(at(OUT, c(0)), ONE, TRUTH, GATE)], "it has one gate; AND them"),
    # reductions
    (N, reduce(ONE), "reduces over no RANGE"),
    (N, reduce(ONE, AXES[AxisType.SCAN]), "it ends a SCAN range"),
    (N, node(Op.SCAN, float32, ONE, AXES[AxisType.SCAN], arg=(Op.SUB, False)), "its argument is .operation"),
    (N, node(Op.SCAN, float32, ONE, AXES[AxisType.SCAN], arg=(Op.ADD, 0)), "its argument is .operation"),
    (N, node(Op.SCAN, float32, ONE, c(4), arg=(Op.ADD, False)), "are RANGEs, not CONST"),
    (N, node(Op.SCAN, float32, ONE, AXES[AxisType.LOOP], arg=(Op.ADD, False)), "it runs along a LOOP range"),
    *(
        (N, node(Op.SCAN, float32, load(at(X, axis(each, 6))), AXES[AxisType.SCAN], arg=(Op.ADD, False)), f"with {each.name} range 6")
        for each in (AxisType.REDUCE, AxisType.GROUP_REDUCE, AxisType.SCAN)
    ),
    (N, node(Op.ARGREDUCE, float32, ONE, UOp.const(int32, 0), K, arg=(Op.ADD, 0)), "its argument is .MAX or MIN"),
    (N, node(Op.ARGREDUCE, float32, ONE, UOp.const(int32, 0), K, arg=(Op.MAX, 2)), "its argument is .MAX or MIN"),
    (N, node(Op.ARGREDUCE, float32, ONE, ONE, K, arg=(Op.MAX, 0)), "source 1 has an integer"),
    (N, node(Op.ARGREDUCE, int32, ONE, UOp.const(int32, 0), K, arg=(Op.MAX, 0)), "its dtype is that of source 0"),
    (N, node(Op.ARGREDUCE, float32, VECTOR, vector(2, int32, 0), K, arg=(Op.MAX, 0)), "does not fold"),
    (E, node(Op.ARGREDUCE, TWO, vector(3), vector(3, int32, 0), K, arg=(Op.MAX, 0)), "does not fold"),
    (N, node(Op.ARGREDUCE, float32, ONE, UOp.const(int32, 0), c(3), arg=(Op.MAX, 0)), "sources from 2 on are RANGEs"),
    # copies and shards
    (A, node(Op.MULTI, float32, PAIR, arg=(0, (1,))), "one bool for each"),
    (A, node(Op.MULTI, float32, PAIR, OTHER.cast(int32), arg=(0, (True, True))), "and one is int32"),
    (A, node(Op.MULTI, float32, PAIR, X, arg=(None, (True, True))), "they are of one array"),
    (A, node(Op.MULTI, float32, PAIR, OTHER, arg=(-1, (True, True))), "have no axis -1"),
    (A, node(Op.MULTI, float32, X.reshape((2, 4)), X.reshape((4, 2)), arg=(0, (True, True))), "all but axis 0 agree"),
    (A, node(Op.MSTACK, float32, PAIR, OTHER.cast(int32)), "and one is int32"),
    (A, node(Op.MSELECT, float32, X, arg=0), "it selects a copy of an MSTACK"),
    (A, node(Op.MSELECT, float32, node(Op.MULTI, float32, PAIR, OTHER, arg=(0, (True, True))), arg=0), "it selects a copy of an MSTACK"),
    (A, node(Op.MSELECT, float32, node(Op.MULTI, float32, PAIR, OTHER, arg=(None, (False, True))), arg=0), "holds no data"),
    (A, node(Op.MSELECT, float32, node(Op.MSTACK, float32, PAIR, OTHER), arg=-1), "in 0..1"),
    (A, node(Op.ALLREDUCE, float32, node(Op.MSTACK, float32, PAIR, OTHER), X, arg=Op.ADD), "its second source is a DEVICE"),
    (A, node(Op.COPY, float32, DEVICE, X, arg=1), "whether to make a clone"),
    (A, node(Op.COPY, int32, DEVICE, X), "its dtype is that of the value"),
    (A, node(Op.DEVICE, void, arg=""), "the device's name"),
    (A, node(Op.UNIQUE, void, arg=-1), "tells it from others"),
    (A, node(Op.UNIQUE, void, arg=True), "tells it from others"),
    (A, node(Op.LUNIQUE, void, arg=object()), "tells it from others"),
    # any node
    (A, node(Op.ADD, float32, X, Y, arg=1), "it takes no argument"),
    (N, node(Op.ADD, float32, ONE, ONE, arg=1), "it takes no argument"),
    (A, UOp.sink(node(Op.VCONST, TWO, arg=(1.0, 2.0))), "VCONST belongs to"),
    (N, node(Op.SQRT, float32, X), "is no value; LOAD an element of it"),
    (N, node(Op.SQRT, float32, at(X, R)), "is no value; LOAD it first"),
    (N, node(Op.SQRT, float32.vec(5), vector(5)), "no vector of 5 lanes"),
    (E, node(Op.LOAD, float32.vec(5), at(OUT, c(0))), "no vector of 5 lanes"),
    (A, node(Op.SQRT, float32, node(Op.VIEW, float32, arg=View((2,), (1,)))), "or the VIEW a base"),
    (N, node(Op.WHERE, TWO, vector(3, bool_, True), VECTOR, VECTOR), "of as many lanes, or one"),
    (A, node(Op.WHERE, int32, X < Y, X, Y), "as int32"),
    # matrices
    (N, product(SMALL[:3], (4, 4, 4)), "its argument is"),
    (N, product((*SMALL, "HOST", 1, (), (), (1, 1), 0), (4, 4, 4)), "its argument is"),
    (N, product(("", *SMALL[1:]), (4, 4, 4)), "the name is a text"),
    (N, product(("m", (2, 2), *SMALL[2:]), (4, 4, 4)), "N, M and K are from 1 to 4096"),
    (N, product(("m", (2, 0, 2), *SMALL[2:]), (4, 4, 4)), "N, M and K are from 1 to 4096"),
    (N, product(("m", (2, 4097, 2), *SMALL[2:]), (4, 4, 4)), "N, M and K are from 1 to 4096"),
    (N, product(("m", (2, 2, 2), float16.vec(2), float32), (4, 4, 4)), "those of numbers"),
    (N, product(("m", (2, 2, 2), bool_, float32), (4, 4, 4)), "those of numbers"),
    (N, product(("m", (2, 2, 2), float32, float16), (4, 4, 4)), "no narrower"),
    (N, product(("m", (2, 2, 2), int8, float32), (4, 4, 4)), "no narrower"),
    (N, product((*SMALL, ""), (4, 4, 4)), "the device is a name"),
    (N, product((*SMALL, "HOST", 0), (4, 4, 4)), "threads are from 1"),
    (N, product((*SMALL, "HOST", 1, ((), ())), (4, 4, 4)), "upcast axes are three tuples"),
    (N, product((*SMALL, "HOST", 1, (((0, 4), (0, 1)), (), ())), (4, 4, 4)), "named twice"),
    (N, product((*SMALL, "HOST", 1, (), ((0, 0),)), (4, 4, 4)), "axes are"),
    (N, product((*SMALL, "HOST", 1, (), ((-1, 2),)), (4, 4, 4)), "axes are"),
    (N, product((*SMALL, "HOST", 1, (), ((0, 2, 1),)), (4, 4, 4)), "axes are"),
    (N, product((*SMALL, "HOST", 1, (), ((0, 2), (0, 1))), (4, 4, 4)), "named twice"),
    (N, product((*SMALL, "HOST", 1, (), (), (1,)), (4, 4, 4)), "the tile grid"),
    (N, product((*SMALL, "HOST", 1, (), (), (1, 0)), (4, 4, 4)), "the tile grid"),
    (N, product((*SMALL, "HOST", 1, (), ((0, 4),)), (4, 4, 4)), "make another K than 2"),
    (N, product((*SMALL, "HOST", 1, (((0, 4),), ((1, 4),), ((2, 4),)), ((2, 2),)), (4, 4, 4)), "axis 2 is summed over and in the result"),
    (N, product((*SMALL, "HOST", 1, (((0, 2),), ((1, 4),), ((2, 4),))), (4, 4, 4)), "the upcast axes of a make 2 lanes"),
    (N, product(SMALL, (2, 4, 4)), "a is float16x2 on 1 threads.*use float16x4"),
    (N, product(SMALL, (4, 4, 8)), "c is float32x8 on 1 threads"),
    (N, product(SMALL, (4, 4, 4), kinds=(float32, float16, float32)), "a is float32x4, and its 1 tiles"),
    (N, product(SMALL, (4, 4, 4), dtype=float32.vec(2)), "that of the accumulator"),
    (N, product(SMALL, (4, 4, 4), c(3)), "sources from 3 on are RANGEs"),
    (N, product((*SMALL, "HOST", 2), (2, 2, 2)), "let them vary with one WARP range of 2 items"),
    # programs
    (P, node(Op.KERNEL, void, LEGAL_KERNEL, X, Y, *(node(Op.NAME, void, arg=each) for each in "nm"), arg=KernelInfo("k")), "it has one NAME"),
    (P, node(Op.KERNEL, void, LEGAL_KERNEL, X, Y, arg=KernelInfo("")), "its KernelInfo has a name"),
    (P, node(Op.KERNEL, void, LEGAL_KERNEL, X, Y, arg=KernelInfo("k", 0)), "counts from 1 on"),
    (P, node(Op.KERNEL, void, LEGAL_KERNEL, X, Y, arg=KernelInfo("k", 1, -1)), "counts from 1 on"),
    (P, node(Op.NAME, void, arg=""), "not an empty string"),
    (P, node(Op.CALL, void, LEGAL_KERNEL, X), "nothing is passed for"),
    (P, node(Op.CALL, void, LEGAL_KERNEL, X, PAIR), r"of shape \(2,\) for"),
    (P, node(Op.CALL, void, LEGAL_KERNEL, X, Y.cast(int32)), "it passes int32"),
    (P, node(Op.CALL, void, DEVICE), "its body is a FUNCTION"),
    (P, node(Op.CALL, void, node(Op.TUPLE, void, X), DEVICE), "its source DEVICE has no elements"),
    (P, node(Op.FUNCTION, void, node(Op.FUNCTION, void, X, X), X), "take an element of that"),
    (P, UOp.sink(DEVICE), "it collects calls, launches and values, not a DEVICE"),
    (P, node(Op.PROGRAM, void, UOp.sink(X), DEVICE), "its SINK is a kernel's"),
    (P, node(Op.CUSTOM_FUNCTION, void, node(Op.TUPLE, void, X), arg="f"), "a TUPLE of EMPTYs"),
]  # fmt: skip


def shown(value):
    graph = value[-1] if isinstance(value, list) else value
    return f"{graph.op.name}" if isinstance(graph, UOp) else None


@pytest.mark.parametrize(("stage", "graph"), LEGAL, ids=shown)
def test_just_inside_is_legal(stage, graph):
    verify(graph, stage)


@pytest.mark.parametrize(("stage", "graph", "words"), ILLEGAL, ids=shown)
def test_just_outside_is_refused(stage, graph, words):
    with pytest.raises(SpecError, match=words) as raised:
        verify(graph, stage)
    assert "is not legal at the" in str(raised.value)
