"""Where the legal ends: of each rule of one node, examples just inside and just outside, which differ in the one thing that the rule is about.

`test_spec` shows that a broken rule is named; what is here shows how far each rule goes.
"""

import numpy as np
import pytest

from eqsat.dtype import AddrSpace, PtrDType, bool_, float16, float32, float64, index, int8, int32, void
from eqsat.errors import BuildError, SpecError
from eqsat.ops import AxisType, KernelInfo, Op, Stage, View
from eqsat.spec import verify
from eqsat.uop import UOp
from tests.spec import memory_boundaries
from tests.spec.nodes import (
    BARRIER,
    BUFFER,
    DEVICE,
    PAIR,
    SMALL,
    STATEMENT,
    TRUTH,
    TWO,
    A,
    E,
    L,
    N,
    P,
    axis,
    bound,
    product,
    special,
    vector,
)
from tests.spec.test_spec import LEGAL_KERNEL, ONE, OUT, VECTOR, K, R, X, Y, at, c, node, store

PLACE, WHERE = at(X, R), at(UOp.param(0, 8, index), R)
PLACED = at(OUT, c(0))
ACCUMULATOR = node(Op.DEFINE_ACC, float32, ONE, arg=(0,))
FLAGS = UOp(Op.DEFINE_GLOBAL, PtrDType(bool_, AddrSpace.GLOBAL, 8), (), 0)

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
    (N, special(UOp.variable("n", 1, 4))),
    # statements
    (N, node(Op.END, void, store(at(Y, R), ONE), R)),
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
    (N, node(Op.CAT, TWO, VECTOR)),
    (N, node(Op.VECTORIZE, float32, ONE)),
    (N, node(Op.CAT, float32.vec(3), VECTOR, ONE)),
    (N, node(Op.UNROLL, float32, VECTOR, arg=((0, 2),))),
    (N, node(Op.UNROLL, float32, vector(4), arg=((0, 2), (1, 2)))),
    (N, node(Op.CONTRACT, float32.vec(4), VECTOR, arg=((0, 2),))),
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
    (N, special(c(0)), "its end is at least 1, not 0"),
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
    (A, node(Op.EMPTY, TWO, arg=(2,)), "is a vector, which kernels have"),
    (A, node(Op.EMPTY, void, arg=(2,)), "its dtype is no void"),
    (A, node(Op.VIEW, float32, X, arg=View((2,), (1,), 0, ((0, 2), (0, 2)))), "one .begin, end. per axis"),
    (A, node(Op.VIEW, float32, X, arg=View((2,), (1,), 0, ((-1, 2),))), "one .begin, end. per axis"),
    (A, node(Op.VIEW, float32, X, arg=View((2, 2), (2, 1), 0, (0, 2))), "one .begin, end. per axis"),
    (A, node(Op.VIEW, float32, X, arg=View((2,), (1,), 0, (frozenset({0, 2}),))), "one .begin, end. per axis"),
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
    # sources that are places, where values belong
    *((N, graph, f"its source INDEX of {graph.src[place].dtype} is no value; LOAD it first") for graph, place in [
        (node(Op.REDUCE, float32, PLACE, K, arg=Op.ADD), 0),
        (node(Op.SCAN, float32, PLACE, axis(AxisType.SCAN), arg=(Op.ADD, False)), 0),
        (bound(WHERE, arg=(3, AxisType.LOOP)), 0),
        (node(Op.UNROLL, float32, PLACE, arg=((0, 1),)), 0),
        (node(Op.CONTRACT, float32, PLACE, arg=((0, 1),)), 0),
        (node(Op.ARGREDUCE, float32, PLACE, UOp.const(int32, 0), K, arg=(Op.MAX, 0)), 0),
        (node(Op.ARGREDUCE, float32, ONE, at(UOp.param(0, 8, int32), R), K, arg=(Op.MAX, 0)), 1),
        (node(Op.WMMA, float32, PLACE, ONE, ONE, arg=("m", (1, 1, 1), float32, float32)), 0),
        (node(Op.WMMA, float32, ONE, ONE, PLACE, arg=("m", (1, 1, 1), float32, float32)), 2),
        (store(at(Y, R), PLACE, R), 1),
        (at(X, WHERE), 1),
        (at(X, R, at(UOp.param(0, 8, bool_), R)), 2),
    ]),
    (E, node(Op.GEP, float32, node(Op.PTRCAT, TWO, PLACED, PLACED), arg=(0,)), "its source PTRCAT of float32x2 is no value"),
    (E, node(Op.POINTER_INDEX, float32, OUT, WHERE), "its source INDEX of index is no value"),
    (L, [OUT, c(0), PLACED, node(Op.DEFINE_ACC, float32, PLACED, arg=(0,))], "DEFINE_ACC.*its source INDEX of float32"),
    (L, [OUT, c(0), ONE, PLACED, ACCUMULATOR, node(Op.ASSIGN, float32, ACCUMULATOR, PLACED)], "ASSIGN.*its source INDEX of float32"),
    (L, [FLAGS, c(0), at(FLAGS, c(0)), node(Op.IF, void, at(FLAGS, c(0)))], "its source INDEX of bool is no value"),
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


@pytest.mark.parametrize(("stage", "graph"), LEGAL + memory_boundaries.LEGAL, ids=shown)
def test_just_inside_is_legal(stage, graph):
    verify(graph, stage)


@pytest.mark.parametrize(("stage", "graph", "words"), ILLEGAL + memory_boundaries.ILLEGAL, ids=shown)
def test_just_outside_is_refused(stage, graph, words):
    with pytest.raises(SpecError, match=words) as raised:
        verify(graph, stage)
    assert "is not legal at the" in str(raised.value)


MOVED = {
    Op.RESHAPE: (2, 1),
    Op.PERMUTE: (1, 0),
    Op.EXPAND: (1, 2),
    Op.PAD: ((0, 1), (1, 0)),
    Op.SHRINK: ((0, 1), (1, 2)),
    Op.FLIP: (False, True),
    Op.REDUCE_AXIS: (Op.ADD, (0, 1)),
    Op.SCAN_AXIS: (Op.ADD, (0,)),
    Op.SCATTER_AXIS: (Op.ADD, (0, 1)),
}


@pytest.mark.parametrize("op", MOVED, ids=lambda op: op.name)
def test_integers_and_bools_are_not_each_other(op: Op) -> None:
    """`True` is 1 for Python, and prints otherwise: it is an integer in no argument, nor an integer a bool."""
    base = UOp.param(0, 2, float32).reshape((1, 2))
    sources = (base,) if op is not Op.SCATTER_AXIS else (base, base.cast(int32))
    verify(UOp(op, float32, sources, MOVED[op]), Stage.ARRAY)
    with pytest.raises((SpecError, BuildError)):
        verify(UOp(op, float32, sources, _exchanged(MOVED[op])), Stage.ARRAY)


@pytest.mark.parametrize("op", [*MOVED, Op.ARGREDUCE_AXIS], ids=lambda op: op.name)
def test_numbers_of_numpy_are_in_no_argument(op: Op) -> None:
    base = UOp.param(0, 2, float32).reshape((1, 2))
    sources = (base,) if op is not Op.SCATTER_AXIS else (base, base.cast(int32))
    dtype = int32 if op is Op.ARGREDUCE_AXIS else float32
    argument = MOVED.get(op, (Op.MAX, (0,)))
    verify(UOp(op, dtype, sources, argument), Stage.ARRAY)
    with pytest.raises(SpecError, match="its argument"):
        verify(UOp(op, dtype, sources, _of_numpy(argument)), Stage.ARRAY)


def _of_numpy(argument: object) -> object:
    if isinstance(argument, tuple):
        return tuple(map(_of_numpy, argument))
    return argument if isinstance(argument, Op) else np.array(argument)[()]


def _exchanged(argument: object) -> object:
    """An argument whose integers are bools, and whose bools are integers, where they are 0 or 1; beside an operation, those of the axes alone."""
    match argument:
        case (Op() as op, axes):
            return op, _exchanged(axes)
        case tuple():
            return tuple(_exchanged(each) for each in argument)
        case bool():
            return int(argument)
        case 0 | 1:
            return bool(argument)
        case _:
            return argument
