"""What is illegal at each stage, and that the message says what would be legal."""

import time

import numpy as np
import pytest

from eqsat.dtype import AddrSpace, PtrDType, bool_, float32, index, int32, void
from eqsat.errors import SpecError
from eqsat.ops import AxisType, KernelInfo, Op, Stage, View
from eqsat.spec import verify
from eqsat.uop import UOp, toposort

X, Y = UOp.param(0, 8, float32), UOp.param(1, 8, float32)
R, K = UOp.range(8, 0, AxisType.GLOBAL), UOp.range(8, 1, AxisType.REDUCE)
ONE = UOp.const(float32, 1)


def c(value):
    return UOp.const(index, value)


def node(op, dtype, *src, arg=None):
    return UOp(op, dtype, src, arg)


def at(base, *where):
    return UOp(Op.INDEX, base.dtype.base if isinstance(base.dtype, PtrDType) else base.dtype, (base, *where))


def load(address, *rest):
    return node(Op.LOAD, address.dtype, address, *rest)


def store(address, value, *rest):
    return node(Op.STORE, void, address, value, *rest)


def kernel(*statements):
    return UOp.sink(*statements, arg=KernelInfo("test"))


def reduce(value, *ranges):
    return node(Op.REDUCE, value.dtype, value, *ranges, arg=Op.ADD)


def pointer(op, space, size=8, arg=0):
    return UOp(op, PtrDType(float32, space, size), (), arg)


OUT = pointer(Op.DEFINE_GLOBAL, AddrSpace.GLOBAL)
LEGAL_KERNEL = kernel(store(at(Y, R), reduce(load(at(X, K)), K), R))
VECTOR = node(Op.VCONST, float32.vec(2), arg=(1.0, 2.0))
UPCAST, OTHER_UPCAST = UOp.range(4, 2, AxisType.UPCAST), UOp.range(4, 3, AxisType.UPCAST)


def test_legal_graphs_pass():
    verify(LEGAL_KERNEL, Stage.KERNEL)
    verify(UOp.sink(X + Y, UOp.iota(3)), Stage.ARRAY)
    verify([X, Y], Stage.ARRAY)
    verify(node(Op.LINEAR, void, *toposort(store(at(OUT, c(0)), ONE) for _ in range(1))), Stage.LINEAR)


ILLEGAL = {
    Stage.ARRAY: [
        (node(Op.ADD, float32, X, Y.cast(int32)), "sources have float32, int32; all must agree, so cast"),
        (node(Op.ADD, int32, X, Y), "its dtype is int32"),
        (node(Op.SQRT, int32, X.cast(int32)), "needs floats, not int32"),
        (node(Op.FLOORDIV, float32, X, Y), "needs integers or index, not float32"),
        (node(Op.XOR, float32, X, Y), "needs integers, index or bools"),
        (node(Op.CMPLT, float32, X, Y), "its dtype is bool, not float32"),
        (node(Op.WHERE, float32, X, X, Y), "chooses by a bool"),
        (node(Op.WHERE, float32, X < Y, X, Y.cast(int32)), "chooses between float32 and int32"),
        (node(Op.ADD, float32, X, Y, X), "it has 3 sources; give it exactly 2"),
        (node(Op.CONST, int32, arg=1.0), "1.0 is no int32; use UOp.const"),
        (node(Op.CONST, int32, arg=2**31), "does not fit int32"),
        (node(Op.CONST, bool_, arg=1), "1 is no bool"),
        (node(Op.BITCAST, index, X), "sizes agree and neither is index"),
        (node(Op.CAST, float32.vec(2), X), "keeps the lanes"),
        (node(Op.CAST, void, X), "void has no elements"),
        (node(Op.REDUCE_AXIS, float32, X, arg=(Op.SUB, (0,))), "SUB does not reduce; use one of ADD, MAX, MIN, MUL"),
        (node(Op.DEFINE_VAR, index, arg=("n", 5, 1)), "least <= greatest"),
        (node(Op.DEFINE_VAR, float32, arg=("n", 0, 1)), "a variable is an integer"),
        (node(Op.BIND, index, UOp.variable("n", 0, 3), c(4)), "4 is not in 0..3"),
        (node(Op.BIND, index, c(1), c(4)), "binds a DEFINE_VAR to a CONST"),
        (node(Op.PARAM, float32, arg=(-1, 8)), "both in 0"),
        (node(Op.BUFFER, float32, X, X, arg=8), "a DEVICE and a UNIQUE, not PARAM and PARAM"),
        (node(Op.COPY, float32, X, X), "a DEVICE and a value"),
        (node(Op.DEVICE, void, arg=3), "the device's name"),
        (node(Op.UNIQUE, void), "tells it from others"),
        (node(Op.INDEX, float32, X, Y.cast(int32)), "indices have dtype index, not int32"),
        (node(Op.INDEX, float32, X.reshape((2, 4)), UOp.iota(3)), "1 indices for 2 dimensions"),
        (node(Op.INDEX, int32, X, UOp.iota(3)), "dtype is that of the elements"),
        (node(Op.BUFFERIZE, float32, X, UOp.range(3, 0)), "it collects scalars"),
        (node(Op.VIEW, float32, X, arg=View((2,), (1, 1))), "one stride per axis"),
        (node(Op.VIEW, int32, X, arg=View((2,), (1,))), "its dtype is that of its base"),
        (node(Op.VALID, bool_, X), "about a VIEW, not a PARAM"),
        (node(Op.MULTI, float32, X, Y, arg=(0, (True,))), "one bool for each"),
        (node(Op.MULTI, float32, X, arg=(0, (False,))), "at least one shard"),
        (node(Op.MSELECT, float32, node(Op.MSTACK, float32, X, Y), arg=2), "in 0..1"),
        (node(Op.ALLREDUCE, float32, node(Op.MSTACK, float32, X, Y), arg=Op.SUB), "does not reduce"),
        (node(Op.ALLREDUCE, float32, node(Op.MULTI, float32, X, Y, arg=(0, (True, True))), arg=Op.ADD), "whole arrays"),
        (node(Op.LOAD, float32, X), "reads an INDEX"),
        (UOp.sink(node(Op.DEVICE, void, arg="CPU")), "DEVICE has no value"),
        (UOp.sink(UOp.range(3, 0)), "range 0 is still open.*BUFFERIZE"),
        (reduce(UOp.range(3, 0), UOp.range(3, 0)), "REDUCE belongs to kernel, expanded; lower it first"),
        (node(Op.DEFINE_REG, PtrDType(float32, AddrSpace.REG, 1), arg=(1, 0)), "DEFINE_REG belongs to expanded, linear"),
    ],
    Stage.KERNEL: [
        (UOp.sink(store(at(Y, R), ONE, R)), "give it KernelInfo"),
        (kernel(ONE), "collects stores, not CONST; STORE the value"),
        (kernel(store(at(Y, R), ONE)), "range 0 is still open; name it among the ranges of a STORE, REDUCE or END"),
        (kernel(store(Y, ONE)), "writes to an address, not a PARAM"),
        (kernel(store(at(Y, R), UOp.const(int32, 1), R)), "writes int32 to float32; cast"),
        (kernel(store(at(Y, R), ONE, c(3))), "sources from 2 on are RANGEs, not CONST"),
        (kernel(store(at(Y, K), ONE, K)), "ends a REDUCE range"),
        (kernel(store(at(Y, R), reduce(load(at(X, R)), R), R)), "ends a GLOBAL range; only GROUP_REDUCE, REDUCE, UNROLL, UPCAST"),
        (load(at(X, R, R < 4)), "needs the value for where it is false"),
        (load(at(X, R), ONE), "no gate: give the INDEX a bool"),
        (load(at(X, R, R < 4), UOp.const(int32, 1)), "is int32; make it float32"),
        (node(Op.LOAD, int32, at(X, R)), "reads float32 as int32"),
        (load(at(X, R, R < 4), ONE, R < 3), "belong to linear; gate the INDEX"),
        (node(Op.LOAD, float32, X), "reads an address, not a PARAM"),
        (at(ONE, R), "base is a buffer, not a CONST"),
        (node(Op.INDEX, float32, X, R, R), "2 indices for 1 dimensions"),
        (node(Op.REDUCE, float32, ONE, K, arg=Op.SUB), "does not reduce"),
        (node(Op.REDUCE, float32, ONE, c(3), arg=Op.ADD), "are RANGEs, not CONST"),
        (UOp.range(5, 0, AxisType.UPCAST), "has 2, 3, 4, 8, 16 lanes; split the range"),
        (UOp.range(-1, 0), "its end is -1"),
        (node(Op.RANGE, index, ONE, arg=(0, AxisType.LOOP)), "its end is an index"),
        (node(Op.RANGE, index, c(3), arg="i"), "id, AxisType"),
        (node(Op.RANGE, index, c(3), c(4), arg=(0, AxisType.LOOP)), "only RANGEs that it lies in may follow"),
        (R + UOp.range(9, 0), "number 0 is taken by another RANGE"),
        (load(at(X, R)) + load(at(UOp.param(0, 9, float32), R)), "number 0 is taken by another PARAM"),
        (UPCAST + OTHER_UPCAST, "varies along ranges 2, 3; a value may be a vector along one"),
        (reduce(load(at(X, K)) * reduce(load(at(X, K)), K), K), "already runs over range 1"),
        (X.flip((True,)), "FLIP belongs to array; lower it first: index arithmetic"),
        (ONE.reshape((1, 1)), "gives axes to a PARAM, not to a CONST"),
        (node(Op.VECTORIZE, float32.vec(2), ONE, c(1)), "scalars of one dtype"),
        (node(Op.VECTORIZE, float32.vec(3), ONE, ONE), "its dtype is float32x2"),
        (node(Op.VCONST, float32.vec(2), arg=(1.0,)), "one number per lane"),
        (node(Op.VCONST, float32.vec(2), arg=(1.0, 2)), "2 is no float32x2"),
        (node(Op.GEP, float32, VECTOR, arg=(2,)), "lanes in 0..1"),
        (node(Op.CAT, float32.vec(2), VECTOR, VECTOR), "its dtype is float32x4"),
        (node(Op.CAT, float32.vec(3), VECTOR, c(0)), "vectors of float32"),
        (node(Op.UNROLL, float32, VECTOR, arg=((0, 4),)), "source has 2 lanes; the sizes of its axes make 4"),
        (node(Op.CONTRACT, float32.vec(2), ONE, arg=((0, 4),)), "result has 2 lanes"),
        (node(Op.UNROLL, float32, VECTOR, arg=2), r"\(\(axis, size\), …\)"),
        (node(Op.IF, void, R < 3), "IF belongs to linear; gate the INDEX of what it guards"),
        (node(Op.ENDIF, void, ONE), "ENDIF belongs to linear; gate the INDEX"),
        (node(Op.END, void, store(at(Y, R), ONE, R), c(0)), "are RANGEs"),
        (node(Op.END, void, ONE, R), "of a statement, not of a CONST"),
        (node(Op.SPECIAL, index, c(3)), "a name such as gid0"),
        (node(Op.SPECIAL, index, ONE, arg="gid0"), "its end is an index, not float32"),
        (node(Op.DEFINE_LOCAL, float32, arg="a"), "pointer to local memory, not float32"),
        (pointer(Op.DEFINE_LOCAL, AddrSpace.LOCAL, arg=None), "a name or number"),
        (node(Op.WMMA, float32.vec(2), VECTOR, VECTOR, VECTOR), "its argument is"),
        (node(Op.CUSTOM, void), "a string"),
    ],
    Stage.EXPANDED: [
        (kernel(store(at(Y, UPCAST), ONE, UPCAST)), "UPCAST ranges are gone after expand"),
        (node(Op.POINTER_INDEX, float32, X, ONE), "counts bytes in an index"),
        (node(Op.POINTER_INDEX, float32, ONE, c(1)), "moves the pointer to a buffer or element, not a CONST"),
        (node(Op.PTRCAT, float32.vec(2), ONE, ONE), "sources are addresses"),
        (node(Op.REDUCE, float32.vec(2), node(Op.VCONST, float32.vec(3), arg=(1.0,) * 3), K, arg=Op.ADD), "lanes must divide"),
        (pointer(Op.DEFINE_REG, AddrSpace.REG, 4, (3, 0)), "the size that of its pointer"),
        (pointer(Op.DEFINE_GLOBAL, AddrSpace.LOCAL), "pointer to global memory"),
    ],
    Stage.PROGRAM: [
        (node(Op.PROGRAM, void, LEGAL_KERNEL, LEGAL_KERNEL), "in this order; SINK stands for DEVICE"),
        (node(Op.GET_TUPLE, int32, node(Op.TUPLE, void, X), arg=0), "that of element 0, float32, not int32"),
        (node(Op.SOURCE, void), "a string"),
        (node(Op.PROGRAM_BINARY, void, arg="text"), "its argument is bytes, not str"),
        (node(Op.KERNEL, void, LEGAL_KERNEL, X, Y), "its argument is the kernel"),
        (node(Op.KERNEL, void, X, arg=KernelInfo("k")), "its first source is the kernel's SINK"),
        (node(Op.FUNCTION, void, node(Op.TUPLE, void, X), X + X), "PARAMs and DEFINE_VARs, not ADD"),
        (node(Op.CALL, void, node(Op.FUNCTION, void, node(Op.TUPLE, void, X), X), X, X), "2 arguments for 1 parameters"),
        (node(Op.TUPLE, void, node(Op.ADD, float32, X, Y.cast(int32))), "ADD.* not legal at the array stage"),
        (node(Op.CALL, void, kernel(store(at(Y, R), ONE)), X, Y), "SINK.* not legal at the kernel stage: range 0 is still open"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("stage", "graph", "words"),
    [(stage, graph, words) for stage, cases in ILLEGAL.items() for graph, words in cases],
    ids=lambda value: value.op.name if isinstance(value, UOp) else None,
)
def test_illegal_graph_is_named_with_the_rule_and_a_way_out(stage, graph, words):
    with pytest.raises(SpecError, match=words) as raised:
        verify(graph, stage)
    assert "is not legal at the" in str(raised.value)


# linear programs

GATE = c(1) < 2
ADDRESS = at(OUT, c(0))
LOOP = UOp.range(3, 0)
OUTER = UOp.range(2, 1)
INSIDE = LOOP + c(1)


@pytest.mark.parametrize(
    ("instructions", "words"),
    [
        ([ADDRESS], "DEFINE_GLOBAL.* is not before it in the list"),
        ([c(0), c(0)], "stands in the list twice"),
        ([c(3), LOOP], "never closed"),
        (
            [c(3), c(2), LOOP, OUTER, node(Op.END, void, LOOP, LOOP)],
            "innermost open block; close blocks in the reverse order",
        ),
        (
            [c(3), LOOP, node(Op.ENDRANGE, void, LOOP), node(Op.END, void, c(3), LOOP)],
            "a block that is closed",
        ),
        (
            [c(1), c(3), LOOP, INSIDE, node(Op.ENDRANGE, void, LOOP), INSIDE * INSIDE],
            "a block that is closed",
        ),
        ([OUT, c(0), ADDRESS, ONE, c(3), LOOP, store(ADDRESS, ONE, LOOP)], "closed by END: drop the RANGEs"),
        ([c(4), UPCAST], "UPCAST ranges are gone"),
        ([X], "PARAM belongs to array, kernel, expanded, program; lower it first: DEFINE_GLOBAL"),
        (
            [ONE, OUT, c(0), ADDRESS, load(ADDRESS), node(Op.ASSIGN, float32, load(ADDRESS), ONE)],
            "updates a DEFINE_ACC",
        ),
        ([ONE, node(Op.DEFINE_ACC, float32, ONE, ONE, arg=(0,))], "are RANGEs, not CONST"),
    ],
)
def test_illegal_program_is_explained(instructions, words):
    with pytest.raises(SpecError, match=words):
        verify(instructions, Stage.LINEAR)


def test_linear_stage_wants_a_linear():
    with pytest.raises(SpecError, match="linearize the kernel first"):
        verify(LEGAL_KERNEL, Stage.LINEAR)


def test_older_gated_forms_belong_to_linear_programs():
    two = c(2)
    loaded = load(ADDRESS, ONE, GATE)
    gated = store(ADDRESS, loaded, GATE)
    verify([OUT, c(0), c(1), two, ADDRESS, GATE, ONE, loaded, gated], Stage.LINEAR)


def test_a_store_inside_a_loop_may_be_waited_for_after_it():
    update = store(ADDRESS, ONE)
    end = node(Op.END, void, update, LOOP)
    later = node(Op.AFTER, OUT.dtype, OUT, update)
    verify([OUT, c(0), ADDRESS, ONE, c(3), LOOP, update, end, later], Stage.LINEAR)


def test_program_is_verified_with_its_kernel_and_its_instructions():
    device = node(Op.DEVICE, void, arg="CPU")
    linear = node(
        Op.LINEAR, void, *toposort([store(at(pointer(Op.DEFINE_GLOBAL, AddrSpace.GLOBAL, arg=1), c(0)), ONE)])
    )
    verify(node(Op.PROGRAM, void, LEGAL_KERNEL, device, linear), Stage.PROGRAM)
    broken = node(Op.LINEAR, void, ADDRESS)
    with pytest.raises(SpecError, match="not before it in the list"):
        verify(node(Op.PROGRAM, void, LEGAL_KERNEL, device, broken), Stage.PROGRAM)
    other = node(Op.LINEAR, void, *toposort([store(ADDRESS, ONE)]))
    with pytest.raises(
        SpecError, match=r"its LINEAR writes arguments \[0\] and its SINK \[1\]; linearize that SINK"
    ):
        verify(node(Op.PROGRAM, void, LEGAL_KERNEL, device, other), Stage.PROGRAM)


def test_large_and_deep_graphs_verify_in_linear_time_without_recursion():
    deep = UOp.variable("i", 0, 9)
    for _ in range(50_000):
        deep = deep + 1
    verify(deep, Stage.ARRAY)
    verify(deep, Stage.KERNEL)
    nodes = [UOp.param(slot, 4, float32) for slot in range(10)]
    for back in np.random.default_rng(0).integers(1, 11, (100_000, 2)).tolist():
        nodes.append(nodes[-back[0]].alu(Op.ADD, nodes[-back[1]]))
    begin = time.process_time()
    verify(nodes, Stage.ARRAY)
    assert time.process_time() - begin < 30  # seconds; it takes 0.3, and a quadratic rule would take hours
