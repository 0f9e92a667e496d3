"""What becomes of the body of a function that is called from several places is decided by what it costs."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat as eq
from eqsat.dtype import float32, void
from eqsat.ops import Op
from eqsat.uop import UOp
from tests.forms.form import node

SIZE = 128
FORMAL = UOp.param(0, SIZE * SIZE, float32)
SQUARE = FORMAL.reshape((SIZE, SIZE))
ROWS = SQUARE.reshape((SIZE, 1, SIZE)).expand((SIZE, SIZE, SIZE))
COLUMNS = SQUARE.permute((1, 0)).reshape((1, SIZE, SIZE)).expand((SIZE, SIZE, SIZE))
BODIES = {"heavy": (ROWS * COLUMNS).reduce_axis(Op.ADD, (2,)), "light": SQUARE * 2.0}


@pytest.mark.parametrize(("body", "own_kernel"), [("heavy", True), ("light", False)])
def test_heavy_body_is_computed_once_and_a_light_one_where_it_is_read(body: str, own_kernel: bool) -> None:
    function = node(Op.FUNCTION, void, node(Op.TUPLE, void, BODIES[body]), FORMAL)

    def called() -> UOp:
        return UOp(Op.GET_TUPLE, float32, (node(Op.CALL, void, function, FORMAL + 1.0),), 0)

    results = called().reduce_axis(Op.MAX, (0,)), called().reduce_axis(Op.ADD, (1,)), called().alu(Op.EXP2)
    graph = UOp.sink(*results)
    program = eq.compile(graph)
    stored = [program.schedule.buffers[number].size for kernel in program.schedule.kernels for number in kernel.buffers[:1]]  # fmt: skip
    assert (stored.count(SIZE * SIZE) > 1) == own_kernel, "the exponentials are the other array of this size"
    given = np.sin(np.arange(SIZE * SIZE, dtype=np.float32)) / SIZE
    for found, wanted in zip(program(given), eq.evaluate(graph, {0: given}), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=1e-4)
