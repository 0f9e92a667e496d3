"""Divisors and bits of integers decide masks, shifts and comparisons, and each step of that is explained and replayed."""

import pytest

import eqsat as eq
from eqsat.dtype import index, int32, uint8
from eqsat.uop import UOp

x, y = (eq.variable(name, int32.min, int32.max, int32) for name in "xy")
byte = eq.variable("byte", 0, 255, uint8)
i, j = eq.variable("i", 0, 15, int32), eq.variable("j", 0, 7, int32)
k, m = eq.variable("k", -100, 100), eq.variable("m", -100, 100)


@pytest.mark.parametrize(
    ("start", "goal", "reason"),
    [
        ((x * 4) % 2, 0, "facts"),
        ((x * 8 + 3) & 7, 3, "facts"),
        (((x << 3) | 5) & 7, 5, "facts"),
        (((byte >> 4) << 4) & 15, 0, "facts"),
        ((x < 5).where(UOp.const(int32, 4), 8) & 3, 0, "facts"),
        ((x * 4).maximum(y * 8) % 4, 0, "facts"),
        ((k < 5).where(UOp.const(index, 4), k * 8) % 4, 0, "facts"),
        ((x << 2).ne(5), True, "comparison of facts"),
        ((x | 1).ne(0), True, "comparison of facts"),
        ((x * 2 + 1).ne(y * 2), True, "comparison of facts"),
        ((k * 6).ne(m * 4 + 1), True, "comparison of facts"),
        ((x & 3) | (y | 7), y | 7, "operands without effect"),
        ((i * 16) & -16, i * 16, "operands without effect"),
        ((x * 8 + j) & 7, j, "masked multiples"),
        ((x * 8 + y) & 7, y & 7, "masked multiples"),
        (((i << 3) | j) >> 3, i, "disjoint bits"),
        ((i * 8) ^ j, i * 8 + j, "disjoint bits"),
        ((i * 8 + j) >> 3, i, "division without wrap"),
        ((i * 8 + j) // 8, i, "division without wrap"),
        ((i * 8 + j) % 8, j, "division without wrap"),
    ],
    ids=str,
)
def test_facts_decide(start: UOp, goal: UOp | int, reason: str) -> None:
    wanted = goal if isinstance(goal, UOp) else UOp.const(start.dtype.scalar, goal)
    assert eq.simplify(start) is eq.simplify(wanted)
    explanation = eq.explain_simplify(start)
    assert explanation.replay() is eq.simplify(start)
    steps = [*explanation.steps, *(step for lemma in explanation.lemmas for step in lemma.steps)]
    assert reason in {step.name for step in steps}


@pytest.mark.parametrize(
    "value",
    [
        (x * 8 + y) // 8,
        (x * 3) % 2,
        (x & 8) >> 2,
        (x * 8 + j) & 15,
        (i * 4) | j,
        (x * 2).ne(y * 6),
    ],
    ids=str,
)
def test_what_facts_leave_open_stays(value: UOp) -> None:
    assert eq.simplify(value).op is not eq.Op.CONST
    assert eq.simplify(value) not in (x, y, i, j)
