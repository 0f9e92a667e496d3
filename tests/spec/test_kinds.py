"""Which axis types and operations may stand in a place: of each place all of them are tried."""

from __future__ import annotations

import pytest

from eqsat.dtype import bool_, float32, index, int32, void
from eqsat.ops import AxisType, BufferizeOpts, KernelInfo, Op, Stage
from eqsat.spec import STRUCTURE
from eqsat.spec.divergence import barriers_for_all
from eqsat.spec.graphs import coordinates, distinct
from eqsat.spec.order import closed_by
from eqsat.uop import UOp
from eqsat.uop.limits import MOST_TOGETHER
from tests.forms.form import after, argument, at, i, load, local, node, register, store
from tests.spec.nodes import BARRIER, LOCALLY, PRIVATELY, STATEMENT
from tests.spec.test_spec import LEGAL_KERNEL, ONE, R, X, Y

A, K, E, L, P = Stage.ARRAY, Stage.KERNEL, Stage.EXPANDED, Stage.LINEAR, Stage.PROGRAM
AXES = {each: UOp.range(4, 5, each) for each in AxisType}
OUT = UOp.param(0, 8, float32)
SIZE = UOp.variable("n", 1, 9)


def is_legal(made: UOp, stage: Stage) -> bool:
    """Whether the rule of its operation, by itself, has nothing to say."""
    return STRUCTURE[made.op](made, stage) is None


def of_axes(*names: str) -> set[AxisType]:
    return {AxisType[name] for name in names}


EVERY = set(AxisType)


@pytest.mark.parametrize(
    ("make", "allowed"),
    [
        (lambda bound: node(Op.REDUCE, float32, ONE, bound, arg=Op.ADD), of_axes("REDUCE", "GROUP_REDUCE", "WARP", "UPCAST", "UNROLL")),
        (
            lambda bound: node(Op.ARGREDUCE, float32, ONE, UOp.const(int32, 0), bound, arg=(Op.MAX, 0)),
            of_axes("REDUCE", "GROUP_REDUCE", "WARP", "UPCAST", "UNROLL"),
        ),
        (lambda bound: node(Op.SCAN, float32, ONE, bound, arg=(Op.ADD, False)), of_axes("SCAN", "UPCAST", "UNROLL")),
        (
            lambda bound: node(Op.SCAN, float32, load(at(OUT, bound)), UOp.range(4, 6, AxisType.SCAN), arg=(Op.ADD, False)),
            EVERY - of_axes("SCAN", "REDUCE", "GROUP_REDUCE"),
        ),
        (lambda bound: store(at(OUT, bound), ONE, bound), EVERY - of_axes("REDUCE", "GROUP_REDUCE")),
        (lambda bound: node(Op.BUFFERIZE, float32, ONE, bound, arg=LOCALLY), of_axes("LOOP", "PLACEHOLDER", "UNROLL", "LOCAL", "UPCAST")),
        (lambda bound: node(Op.BUFFERIZE, float32, ONE, bound, arg=PRIVATELY), of_axes("LOOP", "PLACEHOLDER", "UNROLL")),
        (
            lambda bound: node(Op.BUFFERIZE, float32, load(at(OUT, bound)), UOp.range(4, 6, AxisType.LOOP), arg=LOCALLY),
            EVERY - of_axes("LOCAL", "WARP", "UPCAST", "UNROLL"),
        ),
        (
            lambda bound: node(Op.BUFFERIZE, float32, load(at(OUT, bound)), UOp.range(4, 6, AxisType.LOOP), arg=PRIVATELY),
            EVERY - of_axes("UPCAST", "UNROLL"),
        ),
        (lambda bound: bound.replace(src=(SIZE,)), EVERY - of_axes("UNROLL", "WARP", "LOCAL", "GROUP_REDUCE", "UPCAST")),
        (lambda bound: bound.replace(src=(i(MOST_TOGETHER + 1),)), EVERY - of_axes("UNROLL", "WARP", "LOCAL", "GROUP_REDUCE", "UPCAST")),
        (lambda bound: bound.replace(src=(i(MOST_TOGETHER),)), EVERY - of_axes("UPCAST")),
        (lambda bound: bound.replace(src=(i(1),)), EVERY - of_axes("UPCAST")),
        (lambda bound: bound.replace(src=(i(0),)), of_axes("LOOP", "PLACEHOLDER", "REDUCE", "SCAN")),
        (lambda bound: bound.replace(src=(i(5),)), EVERY - of_axes("UPCAST")),
        (lambda bound: bound.replace(src=(load(at(UOp.param(0, 8, index), i(0))),)), of_axes("LOOP", "PLACEHOLDER", "REDUCE", "SCAN")),
    ],
    ids=[
        "reduced", "searched", "scanned", "in a scan", "stored for", "kept in local memory", "kept in registers", "in local memory",
        "in registers", "of a size", "too many", "most", "one", "none", "five", "loaded",
    ],
)  # fmt: skip
def test_axis_types(make, allowed):
    assert {axis for axis, bound in AXES.items() if is_legal(make(bound), K)} == allowed


def test_axis_types_after_expansion():
    for stage in (E, L):
        assert {axis for axis, bound in AXES.items() if not is_legal(bound, stage)} == of_axes(
            "UPCAST", "UNROLL"
        )


COMPUTED = {
    op: node(op, index, SIZE, i(2))
    for op in (
        Op.ADD,
        Op.SUB,
        Op.MUL,
        Op.IDIV,
        Op.MOD,
        Op.FLOORDIV,
        Op.FLOORMOD,
        Op.MIN,
        Op.MAX,
        Op.AND,
        Op.SHL,
    )
}
KNOWN = {Op.ADD, Op.MUL, Op.FLOORDIV, Op.FLOORMOD, Op.MIN, Op.MAX}


@pytest.mark.parametrize("axis", [AxisType.GLOBAL, AxisType.THREAD])
def test_sizes_of_launches_are_computed_by_few_operations(axis):
    assert {op for op, end in COMPUTED.items() if is_legal(AXES[axis].replace(src=(end,)), K)} == KNOWN
    assert {
        op for op, end in COMPUTED.items() if is_legal(node(Op.SPECIAL, index, end, arg="gid0"), K)
    } == KNOWN
    assert is_legal(AXES[axis].replace(src=(SIZE,)), K)


@pytest.mark.parametrize("name", ["gid0", "gid1", "gid2", "gidx0", "gidx1", "gidx2", "lid0", "lid1", "lid2"])
def test_coordinates(name):
    assert is_legal(node(Op.SPECIAL, index, i(MOST_TOGETHER), arg=name), K)
    assert not is_legal(node(Op.SPECIAL, index, i(0), arg=name), K)
    assert is_legal(node(Op.SPECIAL, index, i(MOST_TOGETHER + 1), arg=name), K) == (
        not name.startswith("lid")
    )
    assert is_legal(node(Op.SPECIAL, index, SIZE, arg=name), K) == (not name.startswith("lid"))
    assert not is_legal(node(Op.SPECIAL, index, i(1), arg=name[:-1]), K)


STATEMENTS = {
    Op.STORE: STATEMENT,
    Op.END: node(Op.END, void, STATEMENT, R),
    Op.GROUP: node(Op.GROUP, void, STATEMENT),
    Op.BARRIER: BARRIER,
    Op.CUSTOM: node(Op.CUSTOM, void, arg="f();"),
    Op.AFTER: after(STATEMENT, STATEMENT),
    Op.NOOP: node(Op.NOOP, void, STATEMENT),
}
OTHERS = {
    Op.LOAD: load(at(OUT, R)),
    Op.INDEX: at(OUT, R),
    Op.CONST: ONE,
    Op.RANGE: R,
    Op.CUSTOMI: node(Op.CUSTOMI, float32, arg="1.0f"),
}


@pytest.mark.parametrize("op", [Op.END, Op.GROUP, Op.BARRIER])
def test_what_is_a_statement(op):
    for name, each in (STATEMENTS | OTHERS).items():
        made = node(op, void, each, *([R] if op is Op.END else []))
        assert is_legal(made, K) == (name in STATEMENTS), name


def test_what_happens_in_a_program():
    call = node(Op.CALL, void, LEGAL_KERNEL, X, Y)
    launch = node(Op.KERNEL, void, LEGAL_KERNEL, X, Y, arg=KernelInfo("k"))
    for each, happens in (
        (call, True),
        (launch, True),
        (after(X, call), True),
        (X, False),
        (node(Op.TUPLE, void, X), False),
    ):
        assert is_legal(after(X, each), P) == happens
    for each, is_collected in (
        (call, True), (launch, True), (after(X, call), True), (node(Op.TUPLE, void, X), True), (X, True), (BARRIER, False), (STATEMENT, False),
    ):  # fmt: skip
        assert is_legal(UOp.sink(each), P) == is_collected


@pytest.mark.parametrize(
    "op", [Op.DEFINE_VAR, Op.PARAM, Op.RANGE, Op.DEFINE_GLOBAL, Op.SPECIAL, Op.DEFINE_LOCAL], ids=str
)
def test_numbers_and_names_are_taken_once(op):
    def made(size: int) -> UOp:
        match op:
            case Op.DEFINE_VAR:
                return UOp.variable("n", 0, size)
            case Op.PARAM:
                return UOp.param(0, size, float32)
            case Op.RANGE:
                return UOp.range(size, 0, AxisType.LOOP)
            case Op.DEFINE_GLOBAL:
                return argument(0, size)
            case Op.SPECIAL:
                return node(Op.SPECIAL, index, i(size), arg="gid0")
            case _:
                return local(size, "a")

    first, second = made(4), made(5)
    complaint = distinct([first, first, second])
    assert complaint is not None
    assert complaint[0] is second
    what = "name" if op in (Op.DEFINE_VAR, Op.SPECIAL, Op.DEFINE_LOCAL) else "number"
    assert complaint[1].startswith(f"{what} ")
    assert distinct([first, first]) is None
    assert distinct([first, second], frozenset()) is None


def test_work_items_are_counted_in_one_way():
    gid, gidx, lid = (node(Op.SPECIAL, index, i(4), arg=f"{name}0") for name in ("gid", "gidx", "lid"))
    assert coordinates([gidx, lid]) is None
    assert coordinates([gid, node(Op.SPECIAL, index, i(4), arg="gid1")]) is None
    for pair in ((gid, gidx), (gid, lid), (lid, gid)):
        assert (coordinates(pair) or (None,))[0] is pair[1]
    for axis, bound in AXES.items():
        is_parallel = axis in of_axes("GLOBAL", "THREAD", "LOCAL", "WARP")
        for each in (gid, gidx, lid):
            assert (coordinates([bound, each]) is not None) == is_parallel
    assert coordinates([node(Op.RANGE, index, i(0), i(4), arg=0), gid]) is None


def test_what_closes_a_block():
    loop, block = AXES[AxisType.LOOP], node(Op.IF, void, UOp.const(bool_, True))
    assert closed_by(node(Op.END, void, STATEMENT, loop, R)) == (loop, R)
    assert closed_by(node(Op.ENDRANGE, void, loop)) == (loop,)
    assert closed_by(node(Op.ENDIF, void, block)) == (block,)
    assert closed_by(loop) == closed_by(STATEMENT) == closed_by(BARRIER) == ()


def test_only_groups_of_several_items_part():
    for size, refused in ((1, False), (2, True)):
        item = node(Op.SPECIAL, index, i(size), arg="lid0")
        block = node(Op.IF, void, item < 1)
        program = [item, item < 1, block, BARRIER, node(Op.ENDIF, void, block)]
        assert (barriers_for_all(program) is not None) == refused
        assert barriers_for_all([each for each in program if each is not BARRIER]) is None


def test_options_of_what_is_kept():
    loop = AXES[AxisType.LOOP]
    for options, stage, legal in (
        (None, A, True), (None, K, False), (LOCALLY, A, False), (LOCALLY, K, True), (BufferizeOpts("CPU"), A, True),
        (BufferizeOpts(removable=False), A, True), (BufferizeOpts(""), A, False), (BufferizeOpts(removable=1), A, False),  # pyright: ignore[reportArgumentType]
        (3, A, False),
    ):  # fmt: skip
        assert is_legal(node(Op.BUFFERIZE, float32, ONE, loop, arg=options), stage) == legal, options


def test_registers_and_memories_hold_their_size():
    assert is_legal(register(4, 0), E)
    assert is_legal(local(1), E)
    assert is_legal(argument(0, 0), E)
    assert not is_legal(local(0), E)
    assert not is_legal(register(0, 0), E)
    assert not is_legal(argument(0, -1), E)


def test_labels_are_integers():
    for dtype, legal in ((int32, True), (index, True), (float32, False), (bool_, False)):
        made = node(Op.SCATTER_AXIS, float32, X, UOp.param(1, 8, dtype), arg=(Op.ADD, (0,)))
        assert is_legal(made, A) == legal
