"""What a stage asks of a whole graph or list of instructions: examples just inside and just outside of each rule."""

from contextlib import nullcontext

import pytest

from eqsat.dtype import AddrSpace, PtrDType, bool_, float32, index, int32, void
from eqsat.errors import SpecError
from eqsat.ops import AxisType, KernelInfo, Op, Stage
from eqsat.spec import fault_of, verify
from eqsat.spec.rule import complain, short
from eqsat.uop import UOp, toposort
from tests.spec.test_spec import LEGAL_KERNEL, ONE, OUT, K, R, X, Y, at, c, kernel, load, node, reduce, store

A, N, E, L, P = Stage.ARRAY, Stage.KERNEL, Stage.EXPANDED, Stage.LINEAR, Stage.PROGRAM
DEVICE = node(Op.DEVICE, void, arg="CPU")
BARRIER = node(Op.BARRIER, void)
TRUTH = UOp.const(bool_, True)


def buffer(number):
    return node(Op.BUFFER, float32, DEVICE, node(Op.UNIQUE, void, arg=number), arg=8)


def assign(target, value):
    return node(Op.ASSIGN, float32, target, value)


def after(first, *others):
    return node(Op.AFTER, first.dtype, first, *others)


def special(name, end=4):
    return node(Op.SPECIAL, index, c(end), arg=name)


def loop(number, kind=AxisType.LOOP, end=4):
    return UOp.range(end, number, kind)


def stored(where, *closed):
    return store(at(Y, where), ONE, *closed)


def stack(*copies):
    return node(Op.MSTACK, float32, *copies)


def defined(op, space, size):
    return UOp(op, PtrDType(float32, space, size), (), 3)


ONE_BUFFER, OTHER_BUFFER = buffer(1), buffer(2)
FIRST, PART = assign(ONE_BUFFER, X), node(Op.BUFFER_VIEW, float32, ONE_BUFFER, arg=(4, 0))
HALF = UOp.param(5, 4, float32)
NEXT = after(ONE_BUFFER, FIRST)
SECOND_OTHER = assign(after(OTHER_BUFFER, assign(OTHER_BUFFER, X)), Y)
U, V, W = loop(2, AxisType.UPCAST), loop(3, AxisType.UPCAST), loop(4, AxisType.UNROLL)
GLOBAL, LOCAL = loop(0, AxisType.GLOBAL), loop(1, AxisType.LOCAL)
PAIR = stack(X, Y)
TRIPLE = stack(X, Y, X)
WHOLE = node(Op.MULTI, float32, X, Y, arg=(None, (True, True)))
SHARDS = node(Op.MULTI, float32, X, Y, arg=(0, (True, True)))
VARIABLE = UOp.variable("n", 0, 3)
VECTOR = node(Op.VCONST, float32.vec(4), arg=(1.0,) * 4)

LEGAL = [
    (A, UOp.sink(X, arg=((2, 4),))),
    (A, UOp.sink(Y, arg=((3, 3),))),  # of input 0 only
    (A, UOp.sink(assign(NEXT, Y))),
    (A, UOp.sink(FIRST, assign(OTHER_BUFFER, X))),
    (A, UOp.sink(assign(after(NEXT, assign(NEXT, Y)), X))),
    (A, node(Op.BUFFERIZE, float32, load(at(X, R)) + ONE, R)),
    (A, PAIR + PAIR),
    (A, PAIR + X),
    (A, WHOLE + PAIR),
    (A, SHARDS + UOp.param(4, 16, float32)),
    (A, stack(node(Op.MSELECT, float32, PAIR, arg=0), node(Op.ALLREDUCE, float32, TRIPLE, arg=Op.ADD))),
    (A, node(Op.COPY, float32, DEVICE, PAIR) + TRIPLE),
    (N, kernel(stored(R, R), stored(R, R))),
    (N, kernel(node(Op.END, void, stored(R), R))),
    (N, load(at(X, GLOBAL)) + load(at(X, LOCAL)) + load(at(X, loop(2)))),
    (N, special("gidx0") + special("lid0")),
    (N, special("gid0") + special("gid1") + loop(2)),
    (N, load(at(X, U)) + load(at(X, W))),
    (N, node(Op.GROUP, void, stored(U), stored(V + 4))),
    (N, reduce(load(at(X, K)) * reduce(load(at(X, loop(7, AxisType.REDUCE))), loop(7, AxisType.REDUCE)), K)),
    (N, reduce(load(at(X, K)), K) + reduce(load(at(Y, K)), K)),
    (E, kernel(stored(R, R))),
    (P, UOp.sink(node(Op.CALL, void, LEGAL_KERNEL, X, Y))),
    (P, UOp.sink(after(Y, node(Op.CALL, void, LEGAL_KERNEL, X, Y)) + X)),
    (P, UOp.sink(UOp(Op.GET_TUPLE, float32, (node(Op.CALL, void, node(Op.TUPLE, void, X), X),), 0) + X)),
    (L, [c(1), BARRIER, c(2), BARRIER]),
    (L, [TRUTH, node(Op.IF, void, TRUTH), node(Op.ENDIF, void, node(Op.IF, void, TRUTH))]),
]  # fmt: skip

ILLEGAL = [
    (A, UOp.sink(X, arg=((3, 3),)), r"it gives input 0 shape \(3, 3\)"),
    (A, UOp.sink(X, Y, arg=((8,), (7,))), r"it gives input 1 shape \(7,\)"),
    (A, UOp.sink(X, arg=((-8,),)), "its argument is the shapes of the inputs"),
    (A, UOp.sink(FIRST, assign(ONE_BUFFER, Y)), "another ASSIGN writes over the same content"),
    (A, UOp.sink(assign(NEXT, X), assign(NEXT, Y)), "another ASSIGN writes over the same content"),
    (A, UOp.sink(assign(ONE_BUFFER, X), assign(PART, HALF)), "another ASSIGN writes over the same content"),
    (A, UOp.sink(assign(NEXT, X), assign(after(ONE_BUFFER, FIRST, SECOND_OTHER), Y)), "another ASSIGN writes"),
    (A, UOp.sink(assign(after(ONE_BUFFER, FIRST, SECOND_OTHER), X), assign(NEXT, Y)), "another ASSIGN writes"),
    (A, [load(at(X, R)), UOp.param(0, 9, float32)], "number 0 is taken by another PARAM"),
    (A, [VARIABLE, UOp.variable("n", 0, 4)], "name n is taken by another DEFINE_VAR.*name them differently"),
    (A, node(Op.BUFFERIZE, float32, at(load(at(X, R))), R), "base varies with a RANGE"),
    (A, [load(at(X, R)).reshape((1,))], "which only arithmetic, INDEX and LOAD may"),
    (A, PAIR + TRIPLE, "arrays of 2 and 3 copies"),
    (A, (PAIR + X) + (TRIPLE + X), "arrays of 2 and 3 copies"),
    (A, WHOLE + TRIPLE, "arrays of 2 and 3 copies"),
    (A, stack(PAIR), "lies in copies itself"),
    (A, node(Op.MULTI, float32, PAIR, PAIR, arg=(None, (True, True))), "lies in copies itself"),
    (A, assign(ONE_BUFFER, PAIR), "it writes one array, and its value lies in copies"),
    (N, kernel(node(Op.AFTER, void, UOp.sink(), BARRIER)), "it is inside of a kernel"),
    (E, kernel(node(Op.AFTER, void, UOp.sink(), BARRIER)), "it is inside of a kernel"),
    (N, kernel(), "it stores nothing"),
    (N, UOp.sink(stored(R, R)), "give it KernelInfo"),
    (E, UOp.sink(stored(R, R)), "give it KernelInfo"),
    (E, kernel(ONE), "it collects stores, not CONST"),
    (E, kernel(stored(R)), "range 0 is still open"),
    (N, [VARIABLE, UOp.variable("n", 0, 4)], "name n is taken by another DEFINE_VAR"),
    (N, special("lid0") + special("lid0", 8), "name lid0 is taken by another SPECIAL"),
    (E, special("lid0") + special("lid0", 8), "name lid0 is taken by another SPECIAL"),
    (E, R + UOp.range(9, 0), "number 0 is taken by another RANGE"),
    (N, special("gid0") + special("lid0"), "in another way"),
    (N, special("gidx0") + special("gid0"), "in another way"),
    *((N, special("gid0") + loop(5, kind), "counts the same work-items in another way")
      for kind in (AxisType.GLOBAL, AxisType.THREAD, AxisType.LOCAL, AxisType.WARP)),
    (E, special("lid0") + GLOBAL, "counts the same work-items in another way"),
    (L, [c(4), special("gid0"), special("lid0")], "counts the same work-items in another way"),
    (L, [c(4), c(8), special("lid0"), special("lid0", 8)], "name lid0 is taken"),
    (N, node(Op.LOAD, float32.vec(4), at(X, U)), "it is a vector and varies along range 2, which makes one"),
    (N, load(at(X, U)) + load(at(X, V)), "varies along ranges 2, 3; a value may be a vector along one"),
    (E, reduce(load(at(X, K)) * reduce(load(at(X, K)), K), K), "a reduction inside its value already runs over range 1"),
    (N, reduce(ONE + reduce(load(at(X, K)), K), K), "already runs over range 1"),
    (P, UOp.sink(node(Op.SQRT, int32, UOp.param(0, 4, int32))), "not legal at the array stage"),
    (L, [c(1), node(Op.LINEAR, void, c(1))], "it is among the instructions of a LINEAR"),
    *((L, [defined(op, space, size) for size in (4, 8)], f"{what} 3 is taken by another {op.name}") for op, space, what in [
        (Op.DEFINE_GLOBAL, AddrSpace.GLOBAL, "number"), (Op.DEFINE_LOCAL, AddrSpace.LOCAL, "name"),
    ]),
    (N, node(Op.GROUP, void, *(store(at(defined(Op.DEFINE_LOCAL, AddrSpace.LOCAL, size), c(0)), ONE) for size in (4, 8))), "name 3 is taken"),
    (L, [VARIABLE, UOp.variable("n", 0, 4)], "name n is taken by another DEFINE_VAR"),
    (L, [BARRIER, c(4), loop(0), BARRIER], "never closed"),
    (L, [TRUTH, node(Op.IF, void, TRUTH)], "never closed"),
    (L, [c(4), loop(0), ONE, node(Op.DEFINE_ACC, float32, ONE, loop(0), arg=(0,))], "it would begin anew in each iteration"),
    (L, [c(4), loop(0), node(Op.ENDRANGE, void, loop(0)), node(Op.ENDRANGE, void, loop(0))], "in a block that is closed"),
    (L, [c(4), node(Op.END, void, c(4), loop(0))], "its source .* is not before it|no block is open"),
]  # fmt: skip


def shown(value):
    return f"{value.op.name}" if isinstance(value, UOp) else None


@pytest.mark.parametrize(("stage", "graph"), LEGAL, ids=shown)
def test_just_inside_is_legal(stage, graph):
    verify(graph, stage)


@pytest.mark.parametrize(("stage", "graph", "words"), ILLEGAL, ids=shown)
def test_just_outside_is_refused(stage, graph, words):
    with pytest.raises(SpecError, match=words):
        verify(graph, stage)


@pytest.mark.parametrize(("length", "ends"), [(400, "x"), (401, "…")])
def test_complaints_are_cut_after_400_characters(length, ends):
    with pytest.raises(SpecError) as raised:
        complain((ONE, "x" * length), Stage.ARRAY)
    assert str(raised.value).endswith(f"array stage: {'x' * 399}x{'' if ends == 'x' else ends}")


def test_nodes_are_shown_on_one_line_of_160_characters():
    name = node(Op.NAME, void, arg="n" * 200)
    assert short(name) == f"{name!r:.160}…"
    assert short(ONE) == repr(ONE)


def test_no_complaint_is_no_error():
    complain(None, Stage.ARRAY)


def test_fault_is_that_of_all_stages():
    """A node that is legal at one of its stages has none."""
    assert fault_of(node(Op.CAST, PtrDType(float32, AddrSpace.GLOBAL, 8), OUT)) is None
    assert fault_of(X + Y) is None
    assert "its dtype is int32" in (fault_of(node(Op.ADD, int32, X, Y)) or "")


@pytest.mark.parametrize(
    ("op", "sources", "words"),
    [
        (Op.SQRT, 2, "it has 2 sources; give it exactly 1"),
        (Op.ALLREDUCE, 3, "give it 1 to 2"),
    ],
)
def test_number_of_sources_is_said(op, sources, words):
    with pytest.raises(SpecError, match=words):
        verify(UOp(op, float32, (X,) * sources, Op.ADD if op is Op.ALLREDUCE else None), Stage.ARRAY)


def test_name_of_a_kernel_is_that_of_its_instructions():
    linear = node(Op.LINEAR, void, arg=KernelInfo("other"))
    with pytest.raises(
        SpecError, match="its LINEAR is of other and its SINK of test|its LINEAR is of 'other'"
    ):
        verify(node(Op.PROGRAM, void, LEGAL_KERNEL, DEVICE, linear), Stage.PROGRAM)
    argument = UOp(Op.DEFINE_GLOBAL, PtrDType(float32, AddrSpace.GLOBAL, 9), (), 0)
    with pytest.raises(SpecError, match="for which its SINK has no PARAM of as many elements"):
        verify(node(Op.PROGRAM, void, LEGAL_KERNEL, DEVICE, node(Op.LINEAR, void, argument)), Stage.PROGRAM)
    mine = UOp(Op.DEFINE_GLOBAL, PtrDType(float32, AddrSpace.GLOBAL, 8), (), 1)
    shared = UOp(Op.DEFINE_LOCAL, PtrDType(float32, AddrSpace.LOCAL, 4), (), "shared")  # is no argument
    one = UOp.const(float32, 1.0)
    place = UOp(Op.INDEX, float32, (mine, UOp.const(index, 0)))
    stored = toposort([UOp(Op.STORE, void, (place, one))])
    linear = node(Op.LINEAR, void, *stored, shared, arg=KernelInfo("test"))
    verify(
        node(Op.PROGRAM, void, LEGAL_KERNEL, DEVICE, linear),
        Stage.PROGRAM,
    )


def test_shards_of_an_array_are_one_array_beside_copies():
    half, other = UOp.param(0, 2, float32), UOp.param(1, 2, float32)
    copies = node(Op.MSTACK, float32, *(UOp.param(slot, 4, float32) for slot in (2, 3, 4)))
    shards = node(Op.MULTI, float32, half, other, arg=(0, (True, True)))
    verify(shards + copies, Stage.ARRAY)
    repeated = node(
        Op.MULTI, float32, *(UOp.param(slot, 4, float32) for slot in (5, 6)), arg=(None, (True, True))
    )
    with pytest.raises(SpecError, match="it combines arrays of 2 and 3 copies"):
        verify(repeated + copies, Stage.ARRAY)


def test_arithmetic_is_on_elements():
    """Neither on what has no value nor on addresses, even if all dtypes agree."""
    statement = node(Op.STORE, void, node(Op.INDEX, float32, X, UOp.const(index, 0)), UOp.const(float32, 1.0))
    assert "arithmetic needs elements, not void" in (fault_of(node(Op.ADD, void, statement, statement)) or "")
    pointer = UOp(Op.DEFINE_GLOBAL, PtrDType(float32, AddrSpace.GLOBAL, 8), (), 0)
    assert "arithmetic needs elements" in (fault_of(node(Op.ADD, pointer.dtype, pointer, pointer)) or "")


@pytest.mark.parametrize("value", [1, 2, 5, 6])
def test_numbers_passed_for_variables_are_in_their_bounds(value):
    variable = UOp.variable("n", 2, 5)
    function = node(Op.FUNCTION, void, node(Op.TUPLE, void, variable.cast(float32) * ONE), variable)
    call = UOp.sink(node(Op.GET_TUPLE, float32, node(Op.CALL, void, function, c(value)), arg=0))
    with (
        nullcontext()
        if 2 <= value <= 5
        else pytest.raises(SpecError, match=rf"passes {value} .* a value in 2\.\.5")
    ):
        verify(call, Stage.PROGRAM)


@pytest.mark.parametrize("own", [True, False])
def test_reductions_of_expanded_kernels_have_warp_ranges_of_their_own(own):
    item = UOp.range(8, 0, AxisType.WARP)
    summed = UOp.range(8, 1, AxisType.WARP) if own else item
    sink = kernel(store(at(Y, item), reduce(load(at(X, summed)), summed), item))
    verify(sink, Stage.KERNEL)
    with nullcontext() if own else pytest.raises(SpecError, match="expand the kernel, or give it its own"):
        verify(sink, Stage.EXPANDED)
