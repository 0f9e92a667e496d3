"""What operations make of facts holds of what they make of the numbers."""

from functools import reduce

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eqsat.dtype import bool_, index, int8, int16, uint8
from eqsat.integers.arithmetic import facts_of_result
from eqsat.integers.facts import Facts
from eqsat.ops import Op
from eqsat.reference import evaluate
from eqsat.uop import UOp

TWO = [
    Op.ADD,
    Op.SUB,
    Op.MUL,
    Op.AND,
    Op.OR,
    Op.XOR,
    Op.SHL,
    Op.SHR,
    Op.IDIV,
    Op.FLOORDIV,
    Op.MOD,
    Op.FLOORMOD,
    Op.MAX,
    Op.MIN,
]


def about(numbers: set[int]) -> Facts:
    """The facts that hold of all these numbers."""
    return reduce(Facts.join, map(Facts.exactly, sorted(numbers)))


def has_value(op: Op, right: int, bits: int) -> bool:
    """Whether an operation has a value for this right operand."""
    if op in (Op.SHL, Op.SHR):
        return 0 <= right < bits
    return right != 0 or op not in (Op.IDIV, Op.FLOORDIV, Op.MOD, Op.FLOORMOD)


@pytest.mark.parametrize("dtype", [int8, uint8, index], ids=str)
@pytest.mark.parametrize("op", TWO, ids=lambda op: op.name)
def test_results_are_as_facts_say(op, dtype):
    if dtype.is_index and op in (Op.SHL, Op.SHR, Op.AND, Op.OR, Op.XOR):
        return
    numbers = st.integers(-200, 200) if dtype.is_index else st.integers(int(dtype.min), int(dtype.max))
    few = st.sets(numbers, min_size=1, max_size=3)
    near = st.sets(st.integers(0, 12), min_size=1, max_size=2)

    @settings(max_examples=60, database=None)
    @given(few, few | near)
    def check(left, right):
        said = facts_of_result(op, dtype, [about(left), about(right)])
        for x in left:
            for y in right:
                if has_value(op, y, dtype.bits):
                    result = int(evaluate(UOp(op, dtype, (UOp.const(dtype, x), UOp.const(dtype, y)))))
                    assert said.allows(result), (x, y, result, said)

    check()


@pytest.mark.parametrize("target", [int8, uint8, index], ids=str)
@given(numbers=st.sets(st.integers(int16.min, int16.max), min_size=1, max_size=3))
def test_converted_numbers_are_as_facts_say(target, numbers):
    said = facts_of_result(Op.CAST, target, [about(numbers)])
    for number in numbers:
        assert said.allows(int(evaluate(UOp.const(int16, number).cast(target))))


def test_of_other_operations_nothing_is_said():
    assert facts_of_result(Op.CMPLT, bool_, [Facts.exactly(1), Facts.exactly(2)]) == Facts()
