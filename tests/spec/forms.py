"""Every operation on every short list of sources that a palette offers: the graphs that `test_agreement` judges.

Nothing here knows what is legal. A palette is a handful of nodes of one stage, of every kind that an operation may meet there; an
operation is put on all lists of them of each length it takes (and of one more), in each dtype that could be meant, with each
argument from its list and with some that make no sense. `spec` refuses most; what it lets through has to mean one thing everywhere.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any

from eqsat.dtype import AddrSpace, DType, PtrDType, bool_, float16, float32, index, int32, uint8, void
from eqsat.errors import EqsatError
from eqsat.ops import ALU, MOVEMENT, TABLE, AxisType, KernelInfo, Op, Stage, View
from eqsat.uop import UOp, toposort
from tests.examples import HALVING

SIZE = 6
LONGEST = 4  # sources of a node that is enumerated


@dataclass(frozen=True)
class Form:
    """An operation, its dtype, its sources and its argument: a node that need not exist."""

    stage: Stage
    op: Op
    dtype: DType | PtrDType
    src: tuple[UOp, ...]
    arg: Any

    def build(self) -> UOp:
        """The node; raises what its constructor raises."""
        return UOp(self.op, self.dtype, self.src, self.arg)

    def __str__(self) -> str:
        sources = ", ".join(map(repr, self.src))
        return f"{self.stage.value}: {self.op.name}({self.dtype}, ({sources}), {self.arg!r})"


def node(op: Op, dtype: DType | PtrDType, *src: UOp, arg: Any = None) -> UOp:
    return UOp(op, dtype, src, arg)


def f(value: float) -> UOp:
    return UOp.const(float32, value)


def i(value: int) -> UOp:
    return UOp.const(index, value)


def truth(value: bool) -> UOp:
    return UOp.const(bool_, value)


# palettes

X, Y, PLACES = UOp.param(0, SIZE, float32), UOp.param(1, SIZE, float32), UOp.param(2, SIZE, int32)
HOST = node(Op.DEVICE, void, arg="HOST")
NOWHERE = node(Op.DEVICE, void, arg="CUDA:7")
LINE = UOp.iota(SIZE)
MASKED = View((2, 2), (3, 1), 1, ((0, 2), (0, 1)))
VARIABLE = UOp.variable("size", 0, 9)
STACK = node(Op.MSTACK, float32, X, Y)


def array_palette() -> tuple[UOp, ...]:
    """Inputs, constants, positions, conditions, views, shards and what else stands at the array stage."""
    address = node(Op.INDEX, float32, X, LINE)
    return (
        X, Y, PLACES, f(2.0), i(1), truth(True), LINE, X < 4.0, X.reshape((2, 3)), X.cast(float16),
        node(Op.VIEW, float32, X, arg=MASKED), node(Op.VIEW, float32, arg=MASKED), HOST, NOWHERE,
        node(Op.UNIQUE, void, arg=0), VARIABLE, STACK, node(Op.MULTI, float32, X, Y, arg=(0, (True, False))),
        node(Op.MULTI, float32, X, Y, arg=(None, (False, True))), STACK * 2.0, node(Op.INDEX, float32, X, LINE, X < 4.0), address,
        node(Op.ASSIGN, float32, X, Y), node(Op.EMPTY, float32, arg=(SIZE,)), UOp.range(SIZE, 3),
        node(Op.BUFFER_VIEW, float32, X, arg=(2, 1)), node(Op.BIND, index, VARIABLE, i(4)), node(Op.INDEX, float32, Y, UOp.range(SIZE, 3)),
    )  # fmt: skip


R, K, U = (
    UOp.range(SIZE, 0, AxisType.GLOBAL),
    UOp.range(SIZE, 1, AxisType.REDUCE),
    UOp.range(2, 2, AxisType.UPCAST),
)
LOOP = UOp.range(SIZE, 4)
ALONG = UOp.range(SIZE, 5, AxisType.SCAN)
VECTOR = node(Op.VCONST, float32.vec(2), arg=(1.0, 2.0))
UNROLLED = node(Op.UNROLL, float32, VECTOR, arg=((9, 2),))


def at(base: UOp, *where: UOp) -> UOp:
    return node(Op.INDEX, base.dtype.base if isinstance(base.dtype, PtrDType) else base.dtype, base, *where)


def load(address: UOp, *rest: UOp) -> UOp:
    return node(Op.LOAD, address.dtype, address, *rest)


def store(address: UOp, value: UOp, *rest: UOp) -> UOp:
    return node(Op.STORE, void, address, value, *rest)


def kernel_palette() -> tuple[UOp, ...]:
    """Buffers, addresses with and without gates, loops of each kind, values, vectors, statements."""
    return (
        X, PLACES, at(X, R), at(X, R, R < 3), at(X, K), load(at(X, R)), load(at(X, R, R < 3), f(7.0)), f(2.0), i(1), truth(False),
        R < 4, R, K, U, LOOP, VECTOR, VARIABLE, store(at(Y, R), f(5.0), R), node(Op.IF, void, R < 3), node(Op.BARRIER, void),
        node(Op.SPECIAL, index, i(SIZE), arg="gid0"), local(4), UNROLLED, node(Op.CONTRACT, float32.vec(2), UNROLLED, arg=((9, 2),)),
        node(Op.REDUCE, float32, load(at(X, K)), K, arg=Op.ADD), node(Op.BUFFERIZE, float32, load(at(X, LOOP)), LOOP),
        ALONG, load(at(X, ALONG)),
    )  # fmt: skip


def pointer(size: int, space: AddrSpace = AddrSpace.GLOBAL, dtype: DType = float32) -> PtrDType:
    return PtrDType(dtype, space, size)


def local(size: int) -> UOp:
    return node(Op.DEFINE_LOCAL, pointer(size, AddrSpace.LOCAL), arg="shared")


OUT, IN, INTEGERS = (
    node(Op.DEFINE_GLOBAL, pointer(16), arg=0),
    node(Op.DEFINE_GLOBAL, pointer(16), arg=1),
    node(Op.DEFINE_GLOBAL, pointer(16, dtype=int32), arg=2),
)
REGISTER = node(Op.DEFINE_REG, pointer(4, AddrSpace.REG), arg=(4, 0))
ACCUMULATOR = node(Op.DEFINE_ACC, float32, f(3.0), arg=(0,))
ITEM = node(Op.SPECIAL, index, i(2), arg="gid0")
BOUND = UOp.range(3, 0)


def expanded_palette() -> tuple[UOp, ...]:
    """As of a kernel, with pointers and explicit vectors, without lanes to come."""
    return (
        X, at(X, R), at(X, R, R < 3), load(at(X, R)), f(2.0), i(1), i(4), truth(False), R < 4, R, K, VECTOR,
        node(Op.VCONST, index.vec(2), arg=(0, 3)), store(at(Y, R), f(5.0), R), node(Op.IF, void, R < 3),
        node(Op.POINTER_INDEX, float32, at(X, i(1)), i(4)), IN, REGISTER, local(4),
        node(Op.REDUCE, float32, load(at(X, K)), K, arg=Op.ADD), node(Op.AFTER, float32, X, store(at(X, R), f(5.0), R)),
        ALONG, load(at(X, ALONG)),
    )  # fmt: skip


def linear_palette() -> tuple[UOp, ...]:
    """Arguments, registers, addresses of every kind, values, blocks, statements."""
    inner = at(IN, i(3))
    return (
        IN, OUT, REGISTER, ACCUMULATOR, inner, at(IN, ITEM, ITEM < 1), at(OUT, ITEM), node(Op.POINTER_INDEX, float32, inner, i(8)),
        load(inner), f(2.0), i(4), i(6), truth(False), ITEM < 1, ITEM, BOUND, VECTOR, node(Op.VCONST, index.vec(2), arg=(1, 3)),
        node(Op.IF, void, ITEM < 1), node(Op.BARRIER, void), store(at(OUT, i(9)), f(5.0)), node(Op.ASSIGN, float32, ACCUMULATOR, f(4.0)),
        load(at(INTEGERS, ITEM)), node(Op.PTRCAT, float32.vec(2), inner, at(IN, i(1))), at(REGISTER, i(1)), local(4),
    )  # fmt: skip


def program_palette() -> tuple[UOp, ...]:
    """Kernels, arrays, tuples, functions, text and devices."""
    body = node(Op.TUPLE, void, X + X, X * X)
    kernel = UOp.sink(store(at(Y, R), load(at(X, R)), R), arg=KernelInfo("copy"))
    linear = node(Op.LINEAR, void, *toposort([store(at(OUT, i(0)), f(2.0))]))
    return (
        X, Y, X + X, f(2.0), i(1), kernel, linear, body, node(Op.FUNCTION, void, body, X), HOST, VARIABLE,
        node(Op.CALL, void, node(Op.FUNCTION, void, body, X), UOp.param(5, SIZE, float32)),
        node(Op.SOURCE, void, arg="text"), node(Op.PROGRAM_BINARY, void, arg=b"binary"), node(Op.NAME, void, arg="name"),
    )  # fmt: skip


PALETTES = {
    Stage.ARRAY: array_palette,
    Stage.KERNEL: kernel_palette,
    Stage.EXPANDED: expanded_palette,
    Stage.LINEAR: linear_palette,
    Stage.PROGRAM: program_palette,
}

FRAGMENT = ("small", (1, 1, 2), float32, float32, "HOST", 1)

ARGUMENTS: dict[Op, tuple[Any, ...]] = {
    Op.SINK: (None, KernelInfo("enumerated"), ((SIZE,),), ((2, 3), (SIZE,)), ((SIZE + 1,),)),
    Op.KERNEL: ("ast",),
    Op.NAME: ("name",),
    Op.DEVICE: ("HOST", "CUDA:7"),
    Op.MULTI: (
        (0, (True,)), (0, (True, False)), (0, (False, True)), (None, (True, True)), (None, (False, True)), (1, (True, True)), (-1, (True, True)),
    ),
    Op.COPY: (None, True, False),
    Op.DEFINE_VAR: (("size", 0, 9),),
    Op.UNIQUE: (0,),
    Op.LUNIQUE: (0,),
    Op.EMPTY: ((2, 2), ()),
    Op.CUSTOM: ("{0};",),
    Op.CUSTOMI: ("({0} + 1)", "{0} {7}"),
    Op.CUSTOM_FUNCTION: ("EncDec", "Graph", "tests_doubled"),
    Op.MSELECT: (0, 1, 2),
    Op.ALLREDUCE: (Op.ADD, Op.MAX, Op.SUB),
    Op.CONST: (1.0, 1, True),
    Op.VCONST: ((1.0, 2.0), (1, 2), (True, False)),
    Op.RESHAPE: ((SIZE,), (3, 2), ()),
    Op.PERMUTE: ((1, 0), (0,), (-1,)),
    Op.EXPAND: ((SIZE,), (2, 3)),
    Op.PAD: (((1, 2),), ((0, 1), (2, 0))),
    Op.SHRINK: (((1, 3),), ((0, 1), (2, 3))),
    Op.FLIP: ((True,), (False, True), (0,), (1,)),
    Op.VIEW: (MASKED, View((3,), (2,)), View((3,), (-2,), 5), View((9,), (1,)), View((2,), (1,), 0, ((0, 5),)), View((2, 2), (1,))),
    Op.PARAM: ((3, SIZE),),
    Op.BUFFER: (SIZE,),
    Op.BUFFER_VIEW: ((2, 1), (SIZE, 0), (9, 0)),
    Op.BUFFERIZE: (None, AddrSpace.LOCAL),
    Op.DEFINE_GLOBAL: (1,),
    Op.DEFINE_LOCAL: ("other", 3),
    Op.DEFINE_ACC: ((1,), 1),
    Op.DEFINE_REG: ((4, 1),),
    Op.REDUCE_AXIS: ((Op.ADD, (0,)), (Op.MAX, (0,)), (Op.SUB, (0,)), (Op.ADD, ())),
    Op.REDUCE: (Op.ADD, Op.MAX, Op.SUB),
    Op.SCAN_AXIS: ((Op.ADD, (0,)), (Op.MAX, (0,)), (Op.SUB, (0,)), (Op.ADD, ()), (Op.ADD, (0, 1))),
    Op.RECUR_AXIS: ((HALVING.packed(), (0,)), (HALVING.packed(), (1,)), (HALVING.packed(), (0, 1)), (Op.ADD, (0,)), HALVING.packed()),
    Op.CARRY: ((0, 0, 1), (1, 2, 0), (0, 0, 9), (0, 0), (0, -1, 1)),
    Op.RECUR: (1, 2, 0, -1, Op.ADD),
    Op.SCAN: ((Op.ADD, False), (Op.MAX, True), (Op.SUB, False), (Op.ADD, 1), Op.ADD),
    Op.ARGREDUCE_AXIS: ((Op.MAX, (0,)), (Op.MIN, (0,)), (Op.ADD, (0,)), (Op.MAX, ()), (Op.MAX, (0, 1))),
    Op.SCATTER_AXIS: ((Op.ADD, (0, 1)), (Op.MAX, (1, 0)), (Op.SUB, (0, 1)), (Op.ADD, ()), (Op.ADD, (0, 0))),
    Op.STORE: (None, Op.ADD, Op.MAX, Op.SUB),
    Op.ARGREDUCE: ((Op.MAX, 0), (Op.MIN, 1), (Op.ADD, 1), (Op.MAX, 2), Op.MAX),
    Op.WMMA: (FRAGMENT, ("small", (2, 2, 2), float32, float32, "HOST", 1), (*FRAGMENT[:5], -1), (*FRAGMENT[:5], 32), FRAGMENT[:4]),
    Op.RANGE: ((7, AxisType.LOOP), (7, AxisType.GLOBAL), (7, AxisType.REDUCE), (7, AxisType.WARP), (7, AxisType.THREAD), 7),
    Op.SPECIAL: ("gid0", "lid0", "gidx1", "threadIdx.x", "gid7", "nonsense"),
    Op.GEP: ((0,), (1, 0), (1, 0, 1), (5,)),
    Op.UNROLL: (((9, 2),), ((9, -2),), ()),
    Op.CONTRACT: (((2, 2),), ((9, 2),), ()),
    Op.CALL: (None, "name"),
    Op.GET_TUPLE: (0, 1, 2),
    Op.SOURCE: ("text",),
    Op.PROGRAM_BINARY: (b"binary",),
}  # fmt: skip
"""What may be the argument of an operation; the others take none."""

NONSENSE: tuple[Any, ...] = ("banana", -5, 3.5, True, (), (1,), ("a", "b"), (1, 2), Op.ADD, ((1,),))
# That take a third in earnest
DEEP = frozenset({Op.INDEX, Op.LOAD, Op.STORE, Op.WHERE, Op.AFTER, Op.ALLREDUCE, Op.WMMA, Op.PROGRAM})
SAMPLES_OF_ARITHMETIC = frozenset({Op.ADD, Op.CMPLT, Op.SQRT, Op.CAST, Op.BITCAST, Op.WHERE, Op.AND})
# Many alike, which tests of drawn programs cover
SKIPPED = (ALU - SAMPLES_OF_ARITHMETIC) | (MOVEMENT - {Op.RESHAPE, Op.PAD})


def forms(stage: Stage, most: int | None = None, seed: int = 0) -> Iterator[Form]:
    """All of a stage, in a fixed order; or of each operation and number of sources, `most` drawn lists of sources."""
    palette = PALETTES[stage]()
    random = Random(seed)
    for op in Op:
        info = TABLE[op]
        if op in SKIPPED:
            continue
        longest = min(info.arity[1] if info.arity[1] is not None else LONGEST, 3 if op in DEEP else 2)
        for count in range(info.arity[0], min(3, max(longest, info.arity[0])) + 1):
            for src in _lists(palette, count, most, random):
                for dtype in _dtypes(op, src):
                    for arg in ARGUMENTS.get(op, (None,)):
                        yield Form(stage, op, dtype, src, arg)


def _lists(
    palette: tuple[UOp, ...], count: int, most: int | None, random: Random
) -> Iterator[tuple[UOp, ...]]:
    if most is None or len(palette) ** count <= most:
        yield from product(palette, repeat=count)
        return
    for _ in range(most):
        yield tuple(random.choice(palette) for _ in range(count))


def nonsense(stage: Stage, accepted: list[Form]) -> Iterator[Form]:
    """One accepted form of each operation with arguments that say nothing, and one source more than it takes."""
    seen: set[tuple[Op, int]] = set()
    extra = PALETTES[stage]()[0]
    for form in accepted:
        if (form.op, len(form.src)) in seen:
            continue
        seen.add((form.op, len(form.src)))
        for arg in (None, *NONSENSE):
            if arg != form.arg or arg.__class__ is not form.arg.__class__:
                yield Form(stage, form.op, form.dtype, form.src, arg)
        yield Form(stage, form.op, form.dtype, (*form.src, extra), form.arg)
        for dtype in (uint8, float32.vec(3), pointer(4)):
            yield Form(stage, form.op, dtype, form.src, form.arg)


def _dtypes(op: Op, src: tuple[UOp, ...]) -> dict[DType | PtrDType, None]:
    """The dtypes that a result may have: those of the sources, their vectors and elements, and a few others."""
    found: list[DType | PtrDType] = [source.dtype for source in src[:2]]
    found += [source.dtype.base for source in src[:1] if isinstance(source.dtype, PtrDType)]
    match op:
        case Op.DEFINE_GLOBAL | Op.DEFINE_LOCAL | Op.DEFINE_REG:
            spaces = {
                Op.DEFINE_GLOBAL: AddrSpace.GLOBAL,
                Op.DEFINE_LOCAL: AddrSpace.LOCAL,
                Op.DEFINE_REG: AddrSpace.REG,
            }
            found = [pointer(4, spaces[op]), pointer(4, spaces[op], float32.vec(2)), float32]
        case Op.VECTORIZE | Op.CAT | Op.PTRCAT | Op.CONTRACT | Op.GEP | Op.VCONST:
            found += [float32.vec(lanes) for lanes in (2, 3, 4)] + [index.vec(2)]
        case Op.LOAD:
            found += [float32.vec(2), float32.vec(3)]
        case Op.CMPLT | Op.VALID:
            found.append(bool_)
        case Op.CAST | Op.BITCAST:
            found += [int32, pointer(16, dtype=int32)]
        case Op.RANGE | Op.SPECIAL | Op.DEFINE_VAR | Op.BIND:
            found.append(index)
    return dict.fromkeys([*found, void, *([float32] if not src else [])])


def build(form: Form) -> UOp | EqsatError:
    """The node, or the error that its constructor raises on purpose."""
    try:
        return form.build()
    except EqsatError as error:
        return error
