"""The text of nests of loops, word by word."""

from __future__ import annotations

import pytest

from eqsat.codegen.linearization.nest_text import nest_text
from eqsat.dtype import DType, bool_, float32, index, int32
from eqsat.ops import AxisType, Op
from eqsat.uop import UOp
from tests.forms.form import after, at, f, i, kernel, load, local, node, store


def buffer(slot: int, dtype: DType = float32) -> UOp:
    return UOp.param(slot, 256, dtype)


def reduced(op: Op, value: UOp, *bounds: UOp) -> UOp:
    return node(Op.REDUCE, value.dtype, value, *bounds, arg=op)


ROW, ITEM = UOp.range(4, 0, AxisType.GLOBAL), UOp.range(8, 1, AxisType.LOCAL)
STEP, COPY, LANE = (
    UOp.range(2, 2, AxisType.REDUCE),
    UOp.range(2, 3, AxisType.UNROLL),
    UOp.range(4, 4, AxisType.UPCAST),
)
ELEMENT = load(at(buffer(3), (((ROW * 8 + ITEM) * 2 + STEP) * 2 + COPY) * 4 + LANE))
TOTAL, PRODUCT, GREATEST, LEAST = (
    reduced(op, ELEMENT, STEP, COPY, LANE) for op in (Op.ADD, Op.MUL, Op.MAX, Op.MIN)
)
PAIR = (load(at(buffer(4), ROW * 2 + STEP)), STEP.cast(int32), STEP)
SIZE = UOp.variable("n", 1, 9)
CARRY = UOp.range(4, 5, AxisType.SCAN)
PLAIN = load(at(buffer(1), ROW))
LONG = PLAIN * PLAIN + 1.5


READ = load(at(buffer(1), ROW * 4 + CARRY))
FIRST, SECOND = (node(Op.CARRY, float32, READ, CARRY, arg=(0, number, 1)) for number in range(2))
RECURRENT = node(Op.RECUR, float32, FIRST + READ, SECOND * 0.5 + READ, FIRST, FIRST, SECOND, CARRY, arg=2)


def running(op: Op, exclusive: bool = False) -> UOp:
    return node(Op.SCAN, float32, load(at(buffer(1), ROW * 4 + CARRY)), CARRY, arg=(op, exclusive))


def kept() -> UOp:
    """What each item reads of local memory that all have filled."""
    filled = store(at(local(8), ITEM), load(at(buffer(1), ROW * 8 + ITEM)), ITEM)
    return load(at(after(local(8), filled), ITEM * -1 + 7))


TOLD = {
    "reductions in loops, copies and lanes": (
        store(at(buffer(0), ROW * 8 + ITEM), TOTAL + PRODUCT * GREATEST - LEAST, ROW, ITEM),
        """\
parallel i0 in 4:
  items of a group i1 in 8:
    for k0 in 2:
      unrolled c0 in 2:
        vectorized v0 in 4:
          sum0 += in0[i0, i1, k0, c0, v0]
      unrolled c0 in 2:
        vectorized v0 in 4:
          product0 *= in0[i0, i1, k0, c0, v0]
      unrolled c0 in 2:
        vectorized v0 in 4:
          max0 = max(max0, in0[i0, i1, k0, c0, v0])
      unrolled c0 in 2:
        vectorized v0 in 4:
          min0 = min(min0, in0[i0, i1, k0, c0, v0])
    out0[i0, i1] = (sum0 + (product0 * max0)) - min0""",
    ),
    "an extreme": (
        store(at(buffer(0), ROW), node(Op.ARGREDUCE, float32, *PAIR, arg=(Op.MIN, 0)), ROW),
        "parallel i0 in 4:\n  for k0 in 2:\n    min0 = min(min0, in0[i0, k0])\n  out0[i0] = min0",
    ),
    "a recurrence": (
        store(at(buffer(0), ROW * 4 + CARRY), RECURRENT, ROW, CARRY),
        """\
parallel i0 in 4:
  for k0 in 4:
    recurrence0 = kept0 + in0[i0, k0]
    kept0' = (kept1 * 0.5) + in0[i0, k0]
    kept1' = kept0
    out0[i0, k0] = recurrence0""",
    ),
    "where an extreme is": (
        store(at(buffer(0, int32), ROW), node(Op.ARGREDUCE, int32, *PAIR, arg=(Op.MAX, 1)), ROW),
        "parallel i0 in 4:\n  for k0 in 2:\n    argmax0 = argmax(argmax0, in0[i0, k0])\n  out0[i0] = argmax0",
    ),
    "a condition on positions": (
        store(at(buffer(0), ROW), (ROW < SIZE).where(PLAIN, 0.25) + SIZE.cast(float32), ROW),
        "parallel i0 in 4:\n  out0[i0] = where(test[i0], in0[i0], 0.25) + cast(n)",
    ),
    "a condition on elements": (
        store(at(buffer(0), ROW, ROW < 3), (PLAIN < 1.0).where(f(1.0), load(at(buffer(2), ROW))), ROW),
        "parallel i0 in 4:\n  out0[i0] = where(in0[i0] < 1, 1, in1[i0])",
    ),
    "a condition on a size": (
        store(at(buffer(0), ROW), (SIZE < 3).where(PLAIN, 0.0), ROW),
        "parallel i0 in 4:\n  out0[i0] = where(n < 3, in0[i0], 0)",
    ),
    "a place that was looked up": (
        store(at(buffer(0), ROW), load(at(buffer(1), load(at(buffer(2, int32), ROW)).cast(index))), ROW),
        "parallel i0 in 4:\n  out0[i0] = in0[i0]",
    ),
    "a scan": (
        store(at(buffer(0), ROW * 4 + CARRY), running(Op.ADD), ROW, CARRY),
        "parallel i0 in 4:\n  for k0 in 4:\n    sum0 += in0[i0, k0]\n    out0[i0, k0] = sum0",
    ),
    "a scan of extremes": (
        store(at(buffer(0), ROW * 4 + CARRY), running(Op.MAX, True), ROW, CARRY),
        "parallel i0 in 4:\n  for k0 in 4:\n    max0 = max(max0, in0[i0, k0])\n    out0[i0, k0] = max0",
    ),
    "local memory": (
        store(at(buffer(0), ROW * 8 + ITEM), kept(), ROW, ITEM),
        "parallel i0 in 4:\n  items of a group i1 in 8:\n    local0[i1] = in0[i0, i1]\n    out0[i0, i1] = local0[i1]",
    ),
    "a constant bool": (
        store(at(buffer(0, bool_), ROW), UOp.const(bool_, True), ROW),
        "parallel i0 in 4:\n  out0[i0] = True",
    ),
    "a shared value in a formula": (
        store(at(buffer(0), ROW), LONG * LONG, ROW),
        "parallel i0 in 4:\n  out0[i0] = ((in0[i0] * in0[i0]) + 1.5) * ((in0[i0] * in0[i0]) + 1.5)",
    ),
    "a longer one": (
        store(at(buffer(0), ROW), LONG * LONG * LONG * load(at(buffer(2), i(0))), ROW),
        "parallel i0 in 4:\n  out0[i0] = f(in0[i0], in1[])",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TOLD)
def test_a_nest_is_told_word_by_word(name: str) -> None:
    statement, text = TOLD[name]
    assert nest_text(kernel(statement)) == text


def test_outputs_are_numbered_apart_from_inputs() -> None:
    """By their slots, whatever comes first in the kernel."""
    first = store(at(buffer(2), ROW), load(at(buffer(3), ROW)) + PLAIN, ROW)
    second = store(at(buffer(0), ROW), load(at(buffer(3), ROW)), ROW)
    assert nest_text(kernel(first, second)) == (
        "parallel i0 in 4:\n  out1[i0] = in1[i0] + in0[i0]\n  out0[i0] = in1[i0]"
    )
