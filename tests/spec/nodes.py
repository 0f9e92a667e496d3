"""Nodes that the examples of rules of `spec` are made of."""

from eqsat.dtype import AddrSpace, PtrDType, bool_, float16, float32, index, void
from eqsat.ops import AxisType, BufferizeOpts, Op, Stage
from eqsat.uop import UOp
from tests.spec.test_spec import (
    ONE,
    R,
    Y,
    at,
    c,
    node,
    pointer,
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
