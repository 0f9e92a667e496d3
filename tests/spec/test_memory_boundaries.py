"""Where the legal ends, as in `test_boundaries`: buffers, addresses, loads, stores, reductions, copies and shards."""

import pytest

from eqsat.dtype import AddrSpace, PtrDType, float32, index, int32, void
from eqsat.errors import SpecError
from eqsat.ops import AxisType, BufferizeOpts, Op, View
from eqsat.spec import verify
from eqsat.uop import UOp
from tests.spec.nodes import (
    AXES,
    BUFFER,
    DEVICE,
    GATE,
    GATED,
    LOCAL,
    LOCALLY,
    OTHER,
    PAIR,
    PRIVATELY,
    REGISTER,
    STATEMENT,
    TRUTH,
    TWO,
    A,
    E,
    L,
    N,
    axis,
    kept,
    register,
    vector,
)
from tests.spec.test_spec import ONE, OUT, VECTOR, K, R, X, Y, at, c, load, node, pointer, reduce, store

LEGAL = [
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
]  # fmt: skip

ILLEGAL = [
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
    (N, node(Op.REDUCE, float32, VECTOR, K, arg=Op.ADD), "its dtype is that of source 0"),
    (E, node(Op.SCAN, float32, VECTOR, AXES[AxisType.SCAN], arg=(Op.ADD, False)), "its dtype is that of source 0"),
    (E, node(Op.AFTER, float32, VECTOR, STATEMENT), "its dtype is that of source 0"),
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
    (A, node(Op.COPY, float32, X, DEVICE), "a DEVICE and a value, not a PARAM"),
    (A, node(Op.COPY, int32, DEVICE, X), "its dtype is that of the value"),
    (A, node(Op.DEVICE, void, arg=""), "the device's name"),
    (A, node(Op.UNIQUE, void, arg=-1), "tells it from others"),
    (A, node(Op.UNIQUE, void, arg=True), "tells it from others"),
    (A, node(Op.LUNIQUE, void, arg=object()), "tells it from others"),
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
