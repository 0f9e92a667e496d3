"""Small graphs that the pieces of expansion are tried on."""

from __future__ import annotations

from eqsat.dtype import DType, float32
from eqsat.ops import Op
from eqsat.uop import UOp
from tests.forms.form import argument, at, i, load, node

N = UOp.variable("n", 0, 9)
OUT, GIVEN = argument(0, 64), argument(1, 64)


def scalar(place: int = 0, dtype: DType = float32) -> UOp:
    return load(at(argument(1, 64, dtype), i(place)))


def vector(lanes: int = 4, place: int = 0, dtype: DType = float32) -> UOp:
    return load(at(argument(1, 64, dtype), i(place)), dtype=dtype.vec(lanes))


def constants(*values: float, dtype: DType = float32) -> UOp:
    return node(Op.VCONST, dtype.vec(len(values)), arg=values)


def joined(*lanes: UOp) -> UOp:
    return node(Op.VECTORIZE, lanes[0].dtype.scalar.vec(len(lanes)), *lanes)


def part(whole: UOp, *lanes: int) -> UOp:
    return node(Op.GEP, whole.dtype.scalar.vec(len(lanes)), whole, arg=lanes)
