"""One legal graph per operation, and what it means: the table that `test_ops_table` walks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import eqsat as eq
from eqsat.dtype import AddrSpace, DType, PtrDType, bool_, float16, float32, index, int8, int32, uint32, void
from eqsat.ops import AxisType, KernelInfo, Op, Stage, View
from eqsat.positions import positions_along
from eqsat.uop import UOp, toposort
from eqsat.uop.recurrence import Recurrence, leaf


@dataclass(frozen=True)
class Evaluated:
    """A graph with a value, or several."""

    root: UOp
    expected: Any
    bindings: Mapping[Any, Any] = field(default_factory=dict)
    stage: Stage = Stage.ARRAY


@dataclass(frozen=True)
class Executed:
    """A linear program that fills the float32 buffer 0."""

    instructions: Sequence[UOp]
    expected: Any
    inputs: Sequence[np.ndarray] = ()
    global_size: tuple[int, ...] = (1,)
    local_size: tuple[int, ...] | None = None
    stage: Stage = Stage.LINEAR


@dataclass(frozen=True)
class Documented:
    """A graph without a value of its own: `words` are in the documentation of what stands for it."""

    root: UOp
    words: str
    stage: Stage = Stage.PROGRAM


def node(op: Op, dtype: DType | PtrDType, *src: UOp, arg: Any = None) -> UOp:
    return UOp(op, dtype, src, arg)


def f(value: float) -> UOp:
    return UOp.const(float32, value)


def i(value: int) -> UOp:
    return UOp.const(index, value)


def n(value: int, dtype: DType = int32) -> UOp:
    return UOp.const(dtype, value)


# inputs

DEVICE = node(Op.DEVICE, void, arg="HOST")
X = UOp.param(0, 6, float32)
DATA = np.array([3, 1, 4, 1, 5, 9], np.float32)
GRID = X.reshape((2, 3))
LABELS = positions_along((2, 3), 0).cast(int32)
BOUND = {0: DATA}
BUFFER = node(Op.BUFFER, float32, DEVICE, node(Op.UNIQUE, void, arg=0), arg=6)
LOCAL_BUFFER = node(Op.BUFFER, float32, DEVICE, node(Op.LUNIQUE, void, arg=0), arg=6)
VIEW = node(Op.VIEW, float32, X, arg=View((2, 2), (3, 1), 1, ((0, 2), (0, 1))))

# a kernel: OUT[r] = Σ_k X[3r + k]

OUT = UOp.param(1, 2, float32)
ROW, COLUMN = UOp.range(2, 0, AxisType.GLOBAL), UOp.range(3, 1, AxisType.REDUCE)


def at(base: UOp, *indices: UOp, dtype: DType = float32) -> UOp:
    return node(Op.INDEX, dtype, base, *indices)


def load(address: UOp, *rest: UOp, dtype: DType = float32) -> UOp:
    return node(Op.LOAD, dtype, address, *rest)


def store(address: UOp, value: UOp, *ranges: UOp) -> UOp:
    return node(Op.STORE, void, address, value, *ranges)


def kernel(*statements: UOp) -> UOp:
    return UOp.sink(*statements, arg=KernelInfo("example"))


SUM = node(Op.REDUCE, float32, load(at(X, ROW * 3 + COLUMN)), COLUMN, arg=Op.ADD)
ALONG = UOp.range(3, 1, AxisType.SCAN)
_HALVED = leaf(0, float32) * 0.5 + leaf(1, float32)
HALVING = Recurrence(_HALVED, (_HALVED,))
_READ = load(at(X, ROW * 3 + ALONG))
_KEPT = node(Op.CARRY, float32, _READ, ALONG, arg=(0, 0, 1))
RECURRENT = node(Op.RECUR, float32, *2 * [_KEPT * 0.5 + _READ], _KEPT, ALONG, arg=1)
STORED = store(at(OUT, ROW), SUM, ROW)
_TURN = UOp.range(2, 0, AxisType.LOOP)
STORED_IN_TURN = UOp.sink(STORED).substitute({ROW: _TURN}).src[0]  # by one work-item
KERNEL = kernel(STORED)
KERNEL_BUFFERS = {0: DATA, 1: np.zeros(2, np.float32)}
SUMS = [8.0, 15.0]

VECTOR = node(Op.VECTORIZE, float32.vec(4), f(1), f(2), f(3), f(4))
UNROLLED = node(Op.UNROLL, float32, VECTOR, arg=((7, 4),))

# linear programs: buffer 0 is the output


def pointer(size: int, space: AddrSpace = AddrSpace.GLOBAL) -> PtrDType:
    return PtrDType(float32, space, size)


def argument(number: int, size: int) -> UOp:
    return node(Op.DEFINE_GLOBAL, pointer(size), arg=number)


def straight(value: UOp, lanes: int = 1) -> list[UOp]:
    """The program that stores `value` at the start of buffer 0."""
    return toposort([store(at(argument(0, lanes), i(0)), value)])


def register_sum() -> list[UOp]:
    """1 + 0 + 1 + 2 in a register, with END."""
    register = node(Op.DEFINE_REG, pointer(1, AddrSpace.REG), arg=(1, 0))
    cell = at(register, i(0))
    initial = store(cell, f(1))
    loop = UOp.range(3, 0, AxisType.REDUCE)
    inside = at(node(Op.AFTER, register.dtype, register, loop), i(0))
    update = store(inside, load(inside) + loop.cast(float32))
    end = node(Op.END, void, update, loop)
    total = load(at(node(Op.AFTER, register.dtype, register, end), i(0)))
    return toposort([initial, end, store(at(argument(0, 1), i(0)), total)])


def accumulated(closing: Op) -> list[UOp]:
    """1 + 0 + 1 + 2 in an accumulator of the older kind."""
    loop = UOp.range(3, 0, AxisType.REDUCE)
    accumulator = node(Op.DEFINE_ACC, float32, f(1), arg=(0,))
    assign = node(Op.ASSIGN, float32, accumulator, accumulator + loop.cast(float32))
    end = node(closing, void, *((assign, loop) if closing is Op.END else (loop,)))
    inside = toposort([accumulator, assign])
    return [*inside, end, *(x for x in straight(assign) if x not in inside)]


def conditional() -> list[UOp]:
    """Work-item 1 of two stores."""
    item = node(Op.SPECIAL, index, i(2), arg="gid0")
    opened = node(Op.IF, void, item.ne(0))
    stored = store(at(argument(0, 2), item), f(7))
    before = toposort([opened])
    return [*before, *(x for x in toposort([stored]) if x not in before), node(Op.ENDIF, void, opened)]


def exchanged() -> list[UOp]:
    """Two work-items of a group swap numbers through local memory."""
    item = node(Op.SPECIAL, index, i(2), arg="lid0")
    local = node(Op.DEFINE_LOCAL, pointer(2, AddrSpace.LOCAL), arg="swap")
    written = store(at(local, item), item.cast(float32))
    barrier = node(Op.BARRIER, void, written)
    other = load(at(node(Op.AFTER, local.dtype, local, barrier), i(1) + item * -1))
    return toposort([barrier, store(at(argument(0, 2), item), other)])


def pointer_program(address: UOp, lanes: int) -> list[UOp]:
    dtype = float32.vec(lanes)
    return straight(load(address, dtype=dtype), lanes)


def unary(op: Op, value: float, expected: float) -> Evaluated:
    return Evaluated(f(value).alu(op), np.float32(expected))


def binary(op: Op, left: int, right: int, expected: int, dtype: DType = int32) -> Evaluated:
    return Evaluated(n(left, dtype).alu(op, n(right, dtype)), expected)


BODY = node(Op.TUPLE, void, X + X, X * X)
FUNCTION = node(Op.FUNCTION, void, BODY, X)
CALL = node(Op.CALL, void, FUNCTION, UOp.param(5, 6, float32))
LINEAR = node(Op.LINEAR, void, *straight(f(2)))
PROGRAM = node(Op.PROGRAM, void, KERNEL, DEVICE)
VARIABLE = UOp.variable("size", 0, 9)
A, B = argument(1, 4), np.arange(4, dtype=np.float32)
LEFT = node(Op.VCONST, float16.vec(4), arg=(1.0, 2.0, 3.0, 4.0))
RIGHT = node(Op.VCONST, float16.vec(4), arg=(5.0, 6.0, 7.0, 8.0))
FRAGMENT = ("small", (2, 2, 2), float16, float32, "HOST", 1)

eq.custom_function("tests_doubled", lambda x: x * 2, replace=True)
DOUBLED = node(
    Op.CUSTOM_FUNCTION,
    void,
    node(Op.TUPLE, void, node(Op.EMPTY, float32, arg=DATA.shape)),
    arg="tests_doubled",
)

EXAMPLES: dict[Op, Evaluated | Executed | Documented] = {
    Op.SINK: Evaluated(KERNEL, (SUMS,), KERNEL_BUFFERS, Stage.KERNEL),
    Op.KERNEL: Evaluated(
        node(Op.KERNEL, void, KERNEL, X, OUT, arg=KernelInfo("sums")), (SUMS,), KERNEL_BUFFERS, Stage.PROGRAM
    ),
    Op.NAME: Documented(node(Op.NAME, void, arg="softmax"), "KernelInfo"),
    Op.DEVICE: Evaluated(node(Op.COPY, float32, node(Op.DEVICE, void, arg="CPU:1"), X), DATA, BOUND),
    Op.MULTI: Evaluated(node(Op.MULTI, float32, X, X, arg=(0, (True, False))), [*DATA, *[0] * 6], BOUND),
    Op.COPY: Evaluated(node(Op.COPY, float32, DEVICE, X, arg=True), DATA, BOUND),
    Op.ASSIGN: Executed(accumulated(Op.END), [4]),
    Op.BIND: Evaluated(node(Op.BIND, index, VARIABLE, i(4)) * 2, 8),
    Op.DEFINE_VAR: Evaluated(VARIABLE + 1, [1, 10], {"size": [0, 9]}),
    Op.UNIQUE: Evaluated(BUFFER, DATA, {BUFFER: DATA}),
    Op.LUNIQUE: Evaluated(LOCAL_BUFFER, DATA, {LOCAL_BUFFER: DATA}),
    Op.EMPTY: Evaluated(node(Op.EMPTY, float32, arg=(2, 2)), np.zeros((2, 2))),
    Op.NOOP: Evaluated(node(Op.NOOP, float32, X), DATA, BOUND),
    Op.CUSTOM: Documented(
        node(Op.CUSTOM, void, f(1), arg="prefetch({0});"), "pasted by the renderer", Stage.KERNEL
    ),
    Op.CUSTOMI: Documented(
        node(Op.CUSTOMI, float32, f(1), arg="cbrt({0})"), "pasted by the renderer", Stage.KERNEL
    ),
    Op.CUSTOM_FUNCTION: Evaluated(
        node(Op.GET_TUPLE, float32, node(Op.CALL, void, DOUBLED, X), arg=0), DATA * 2, BOUND, Stage.PROGRAM
    ),
    Op.GROUP: Evaluated(
        kernel(node(Op.GROUP, void, STORED), STORED), (None, SUMS), KERNEL_BUFFERS, Stage.KERNEL
    ),
    Op.CONTIGUOUS: Evaluated(node(Op.CONTIGUOUS, float32, X), DATA, BOUND),
    Op.CONTIGUOUS_BACKWARD: Evaluated(node(Op.CONTIGUOUS_BACKWARD, float32, X), DATA, BOUND),
    Op.DETACH: Evaluated(node(Op.DETACH, float32, X), DATA, BOUND),
    Op.PRECAST: Evaluated(node(Op.PRECAST, float32, X), DATA, BOUND),
    Op.MSTACK: Evaluated(node(Op.MSTACK, float32, X, X + X), DATA, BOUND),
    Op.MSELECT: Evaluated(
        node(Op.MSELECT, float32, node(Op.MSTACK, float32, X, X + X), arg=1), DATA * 2, BOUND
    ),
    Op.ALLREDUCE: Evaluated(
        node(Op.ALLREDUCE, float32, node(Op.MSTACK, float32, X, X + X, X), DEVICE, arg=Op.ADD),
        DATA * 4,
        BOUND,
    ),
    Op.CONST: Evaluated(n(-3, int8), -3),
    Op.VCONST: Evaluated(node(Op.VCONST, int32.vec(2), arg=(1, -1)), [1, -1], stage=Stage.KERNEL),
    Op.RESHAPE: Evaluated(GRID, DATA.reshape(2, 3), BOUND),
    Op.PERMUTE: Evaluated(GRID.permute((1, 0)), DATA.reshape(2, 3).T, BOUND),
    Op.EXPAND: Evaluated(X.reshape((1, 6)).expand((2, 6)), [DATA, DATA], BOUND),
    Op.PAD: Evaluated(X.pad(((1, 2),)), [0, *DATA, 0, 0], BOUND),
    Op.SHRINK: Evaluated(X.shrink(((1, 3),)), [1, 4], BOUND),
    Op.FLIP: Evaluated(GRID.flip((False, True)), DATA.reshape(2, 3)[:, ::-1], BOUND),
    Op.VIEW: Evaluated(VIEW, [[1, 0], [5, 0]], BOUND),
    Op.VALID: Evaluated(node(Op.VALID, bool_, VIEW), [[True, False], [True, False]]),
    Op.PARAM: Evaluated(X, DATA, BOUND),
    Op.BUFFER: Evaluated(BUFFER + BUFFER, DATA * 2, {BUFFER: DATA}),
    Op.BUFFER_VIEW: Evaluated(node(Op.BUFFER_VIEW, float32, BUFFER, arg=(2, 1)), [1, 4], {BUFFER: DATA}),
    Op.BUFFERIZE: Evaluated(
        node(Op.BUFFERIZE, index, ROW * 10 + COLUMN, COLUMN, ROW), [[0, 10], [1, 11], [2, 12]]
    ),
    Op.INDEX: Evaluated(at(GRID, UOp.iota(2), UOp.iota(2)), [3, 5], BOUND),
    Op.POINTER_INDEX: Executed(pointer_program(node(Op.POINTER_INDEX, float32, A, i(8)), 1), [2], [B]),
    Op.DEFINE_GLOBAL: Executed(straight(load(at(A, i(3)))), [3], [B]),
    Op.DEFINE_LOCAL: Executed(exchanged(), [1, 0], global_size=(2,), local_size=(2,)),
    Op.DEFINE_ACC: Executed(accumulated(Op.END), [4]),
    Op.DEFINE_REG: Executed(register_sum(), [4]),
    Op.LOAD: Evaluated(load(at(X, i(9), UOp.const(bool_, False)), f(5)), 5, BOUND, Stage.KERNEL),
    Op.STORE: Evaluated(KERNEL, (SUMS,), KERNEL_BUFFERS, Stage.KERNEL),
    Op.EXP2: unary(Op.EXP2, 3, 8),
    Op.LOG2: unary(Op.LOG2, 8, 3),
    Op.SIN: unary(Op.SIN, 0.5, np.sin(0.5)),
    Op.SQRT: unary(Op.SQRT, 6.25, 2.5),
    Op.RECIP: unary(Op.RECIP, 4, 0.25),
    Op.NEG: unary(Op.NEG, 4, -4),
    Op.CAST: Evaluated(f(-2.75).cast(int32), -2),
    Op.BITCAST: Evaluated(f(1).bitcast(uint32), 0x3F800000),
    Op.ADD: binary(Op.ADD, 127, 1, -128, int8),
    Op.SUB: binary(Op.SUB, -128, 1, 127, int8),
    Op.MUL: binary(Op.MUL, 64, 4, 0, int8),
    Op.FDIV: Evaluated(f(1).alu(Op.FDIV, f(8)), 0.125),
    Op.POW: binary(Op.POW, 3, 4, 81),
    Op.IDIV: binary(Op.IDIV, -7, 2, -3),
    Op.MOD: binary(Op.MOD, -7, 2, -1),
    Op.FLOORDIV: binary(Op.FLOORDIV, -7, 2, -4),
    Op.FLOORMOD: binary(Op.FLOORMOD, -7, 2, 1),
    Op.MAX: Evaluated(f(1).maximum(float("nan")), float("nan")),
    Op.MIN: binary(Op.MIN, 2, 3, 2),
    Op.CMPLT: Evaluated(f(1) < 2, True),
    Op.CMPNE: Evaluated(f(float("nan")).ne(float("nan")), True),
    Op.XOR: binary(Op.XOR, 6, 3, 5),
    Op.OR: binary(Op.OR, 6, 3, 7),
    Op.AND: binary(Op.AND, 6, 3, 2),
    Op.SHL: binary(Op.SHL, 3, 6, -64, int8),
    Op.SHR: binary(Op.SHR, -5, 1, -3),
    Op.WHERE: Evaluated((X < 4).where(X, X * 0), [3, 1, 0, 1, 0, 0], BOUND),
    Op.EXP: unary(Op.EXP, 1, np.e),
    Op.EXPM1: unary(Op.EXPM1, 1e-9, 1e-9),
    Op.LOG: unary(Op.LOG, 3, np.log(3)),
    Op.LOG10: unary(Op.LOG10, 1000, 3),
    Op.LOG1P: unary(Op.LOG1P, 1e-9, 1e-9),
    Op.COS: unary(Op.COS, 0.5, np.cos(0.5)),
    Op.TAN: unary(Op.TAN, 0.5, np.tan(0.5)),
    Op.ASIN: unary(Op.ASIN, 0.5, np.pi / 6),
    Op.ACOS: unary(Op.ACOS, 0.5, np.pi / 3),
    Op.ATAN: unary(Op.ATAN, 1, np.pi / 4),
    Op.SINH: unary(Op.SINH, 0.5, np.sinh(0.5)),
    Op.COSH: unary(Op.COSH, 0.5, np.cosh(0.5)),
    Op.TANH: unary(Op.TANH, 0.5, np.tanh(0.5)),
    Op.ASINH: unary(Op.ASINH, 0.5, np.arcsinh(0.5)),
    Op.ACOSH: unary(Op.ACOSH, 2, np.arccosh(2)),
    Op.ATANH: unary(Op.ATANH, 0.5, np.arctanh(0.5)),
    Op.ERF: unary(Op.ERF, 0.5, 0.5204998778),
    Op.ERFC: unary(Op.ERFC, 9, 4.137031746513810e-37),
    Op.SIGMOID: unary(Op.SIGMOID, -1, 1 / (1 + np.e)),
    Op.SILU: unary(Op.SILU, -1, -1 / (1 + np.e)),
    Op.GELU: unary(Op.GELU, -1, -0.1586552539),
    Op.ATAN2: Evaluated(f(1).alu(Op.ATAN2, f(-1)), 3 * np.pi / 4),
    Op.HYPOT: Evaluated(f(3e30).alu(Op.HYPOT, f(4e30)), 5e30),
    Op.LOGADDEXP: Evaluated(f(100).alu(Op.LOGADDEXP, f(100)), 100 + np.log(2)),
    Op.FMOD: Evaluated(f(-7).alu(Op.FMOD, f(4)), -3),
    Op.DOT: binary(Op.DOT, 0x01FF02FE, 0x7F02FF80, 0x01 * 127 + 0xFF * 2 - 2 - 0xFE * 128, int32),
    Op.MULACC: Evaluated(f(2).alu(Op.MULACC, f(3), f(4)), 10),
    Op.REDUCE_AXIS: Evaluated(GRID.reduce_axis(Op.MAX, (0,)), [3, 5, 9], BOUND),
    Op.REDUCE: Evaluated(SUM, SUMS, BOUND, Stage.KERNEL),
    Op.SCAN_AXIS: Evaluated(GRID.scan_axis(Op.MAX, 1), [[3, 3, 4], [1, 5, 9]], BOUND),
    Op.SCAN: Evaluated(
        node(Op.SCAN, float32, load(at(X, ROW * 3 + ALONG)), ALONG, arg=(Op.ADD, True)),
        [[0, 3, 4], [0, 1, 6]],
        BOUND,
        Stage.KERNEL,
    ),
    Op.RECUR_AXIS: Evaluated(
        node(Op.RECUR_AXIS, float32, GRID, arg=(HALVING.packed(), (1,))),
        [[3, 2.5, 5.25], [1, 5.5, 11.75]],
        BOUND,
    ),
    Op.CARRY: Evaluated(RECURRENT, [[3, 2.5, 5.25], [1, 5.5, 11.75]], BOUND, Stage.KERNEL),
    Op.RECUR: Evaluated(RECURRENT, [[3, 2.5, 5.25], [1, 5.5, 11.75]], BOUND, Stage.KERNEL),
    Op.ARGREDUCE_AXIS: Evaluated(node(Op.ARGREDUCE_AXIS, int32, GRID, arg=(Op.MAX, (1,))), [2, 2], BOUND),
    Op.SCATTER_AXIS: Evaluated(
        node(Op.SCATTER_AXIS, float32, GRID, LABELS, arg=(Op.ADD, (1, 0))), [3, 5, 0], BOUND
    ),
    Op.ARGREDUCE: Evaluated(
        node(Op.ARGREDUCE, int32, load(at(X, ROW * 3 + COLUMN)), COLUMN.cast(int32), COLUMN, arg=(Op.MIN, 1)),
        [1, 0],
        BOUND,
        Stage.KERNEL,
    ),
    Op.WMMA: Evaluated(
        node(Op.WMMA, float32.vec(4), LEFT, RIGHT, VECTOR, arg=FRAGMENT),
        [20, 24, 46, 54],
        stage=Stage.EXPANDED,
    ),
    Op.RANGE: Evaluated(UOp.range(3, 0) * 2, [0, 2, 4], stage=Stage.KERNEL),
    Op.END: Executed(register_sum(), [4]),
    Op.ENDRANGE: Executed(accumulated(Op.ENDRANGE), [4]),
    Op.IF: Executed(conditional(), [0, 7], global_size=(2,)),
    Op.ENDIF: Executed(conditional(), [0, 7], global_size=(2,)),
    Op.BARRIER: Executed(exchanged(), [1, 0], global_size=(2,), local_size=(2,)),
    Op.SPECIAL: Executed(conditional(), [0, 7], global_size=(2,)),
    Op.AFTER: Evaluated(
        load(at(node(Op.AFTER, float32, OUT, STORED_IN_TURN), i(1))), 15, KERNEL_BUFFERS, Stage.KERNEL
    ),
    Op.VECTORIZE: Evaluated(VECTOR, [1, 2, 3, 4], stage=Stage.EXPANDED),
    Op.GEP: Evaluated(node(Op.GEP, float32.vec(2), VECTOR, arg=(2, 0)), [3, 1], stage=Stage.EXPANDED),
    Op.CAT: Evaluated(
        node(Op.CAT, float32.vec(8), VECTOR, VECTOR), [1, 2, 3, 4, 1, 2, 3, 4], stage=Stage.EXPANDED
    ),
    Op.PTRCAT: Executed(
        pointer_program(node(Op.PTRCAT, float32.vec(2), at(A, i(3)), at(A, i(1))), 2), [3, 1], [B]
    ),
    Op.UNROLL: Evaluated(UNROLLED * 2, [2, 4, 6, 8], stage=Stage.KERNEL),
    Op.CONTRACT: Evaluated(
        node(Op.CONTRACT, float32.vec(4), UNROLLED * 2, arg=((7, 4),)), [2, 4, 6, 8], stage=Stage.KERNEL
    ),
    Op.CALL: Evaluated(CALL, (DATA * 2, DATA**2), {5: DATA}, Stage.PROGRAM),
    Op.FUNCTION: Evaluated(CALL, (DATA * 2, DATA**2), {5: DATA}, Stage.PROGRAM),
    Op.TUPLE: Evaluated(BODY, (DATA * 2, DATA**2), BOUND, Stage.PROGRAM),
    Op.GET_TUPLE: Evaluated(node(Op.GET_TUPLE, float32, CALL, arg=1), DATA**2, {5: DATA}, Stage.PROGRAM),
    Op.PROGRAM: Documented(PROGRAM, "evaluate_kernel"),
    Op.LINEAR: Executed(LINEAR.src, [2]),
    Op.SOURCE: Documented(node(Op.SOURCE, void, arg="kernel void f() {}"), "run_linear"),
    Op.PROGRAM_BINARY: Documented(node(Op.PROGRAM_BINARY, void, arg=b"\x7fELF"), "run_linear"),
}
