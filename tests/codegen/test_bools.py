"""Operations on bools, scalar and as masks of vectors."""

from __future__ import annotations

import pytest

from eqsat.dtype import bool_, float32, float64, int8, int64
from eqsat.ops import Op
from tests.codegen.device import check
from tests.codegen.kernels import elementwise
from tests.codegen.test_operations import SIZE, binary, inputs


@pytest.mark.parametrize("lanes", [1, 8])
def test_bool_operations(lanes: int) -> None:
    functions = [
        binary(op)
        for op in (Op.AND, Op.OR, Op.XOR, Op.CMPNE, Op.CMPLT, Op.ADD, Op.SUB, Op.MUL, Op.MAX, Op.MIN, Op.POW)
    ]
    functions += [
        lambda a, b: a.logical_not(),
        lambda a, b: a.alu(Op.NEG),
        lambda a, b: a.alu(Op.MULACC, b, a.logical_not()),
        lambda a, b: a.where(b, a),
        lambda a, b: a.cast(float32),
        lambda a, b: a.cast(int8),
    ]
    functions += [lambda a, b: a.where(b.cast(float64), a.cast(float64))]
    check(elementwise(functions, (bool_, bool_), SIZE, lanes), inputs(functions, bool_), rtol=0)


@pytest.mark.parametrize("lanes", [1, 8])
def test_negations_with_the_constant_on_either_side(lanes: int) -> None:
    functions = [
        lambda a, b: a.like(True).alu(Op.CMPNE, a),
        lambda a, b: a.like(False).alu(Op.CMPNE, a),
        lambda a, b: a.like(True).alu(Op.CMPNE, a.alu(Op.CMPNE, b)).where(a.cast(float64), b.cast(float64)),
        lambda a, b: (
            a.like(True).alu(Op.CMPNE, a.cast(int64) < b.cast(int64)).where(a.cast(int64), b.cast(int64))
        ),
    ]
    check(elementwise(functions, (bool_, bool_), SIZE, lanes), inputs(functions, bool_), rtol=0)
