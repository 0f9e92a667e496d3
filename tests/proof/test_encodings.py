"""Both encodings compute what the reference computes."""

import random

import numpy as np
import pytest
import z3

from eqsat.dtype import INTS, bool_, index
from eqsat.ops import COMPARISON, Op
from eqsat.proof.proving.bitvectors import BitVectors
from eqsat.proof.proving.cases import SUPPORT
from eqsat.proof.proving.encoding import UnsupportedError
from eqsat.proof.proving.integers import Integers
from eqsat.reference import compute, convert, hold

DIVISIONS = (Op.IDIV, Op.MOD, Op.FLOORDIV, Op.FLOORMOD)
OPERATIONS = (
    Op.ADD, Op.SUB, Op.MUL, Op.NEG, Op.MULACC, Op.MAX, Op.MIN, Op.CMPLT, Op.CMPNE, Op.AND, Op.OR, Op.XOR, Op.SHL, Op.SHR, *DIVISIONS,
)  # fmt: skip
ARITY = {Op.NEG: 1, Op.MULACC: 3}


def numbers(dtype, chance):
    if dtype.is_bool:
        return [False, True]
    low, high = (-(1 << 70), 1 << 70) if dtype.is_index else (dtype.min, dtype.max)
    near = {
        low,
        low + 1,
        high,
        high - 1,
        -2,
        -1,
        0,
        1,
        2,
        3,
        7,
        8,
        *(chance.randint(low, high) for _ in range(4)),
    }
    return sorted(number for number in near if low <= number <= high)


def value_of(encoding, term, dtype):
    """The number that a term without variables is."""
    solver = z3.Solver()
    solver.add(*encoding.hypotheses, *(z3.Implies(*each) for each in encoding.by_zero))
    if not dtype.is_bool and isinstance(encoding, Integers):
        term = encoding.wrapped(term, dtype)
        solver.add(*encoding.hypotheses)
    assert solver.check() == z3.sat
    found = solver.model().eval(term, model_completion=True)
    return z3.is_true(found) if dtype.is_bool else encoding.model_value(solver.model(), term, dtype)


@pytest.mark.parametrize("encoding", [BitVectors, Integers], ids=lambda each: each.name)
@pytest.mark.parametrize("dtype", [bool_, *INTS, index], ids=str)
def test_operations_mean_what_the_reference_says(encoding, dtype):
    chance = random.Random(str(dtype))
    agreed = 0
    for op in OPERATIONS:
        for _ in range(12):
            operands = [chance.choice(numbers(dtype, chance)) for _ in range(ARITY.get(op, 2))]
            agreed += agrees(encoding(), op, dtype, operands)
    assert agreed > 90 or (encoding is BitVectors and dtype is index)


def agrees(encoding, op, dtype, operands):
    """Whether something was compared: the encoding knows the operation, and it has a value."""
    try:
        terms = [encoding.constant(operand, dtype) for operand in operands]
        term = encoding.apply(op, dtype, terms)
        has_value = z3.is_true(z3.simplify(encoding.has_value(op, dtype, terms)))
    except UnsupportedError:
        return False
    assert has_value == bool(reference_has_value(op, dtype, operands)), (op, operands)
    if not has_value:
        return False
    expected = compute(op, dtype, *(hold(np.array(operand, object), dtype) for operand in operands))
    result = bool_ if op in COMPARISON else dtype
    assert value_of(encoding, term, result) == expected, (op, operands)
    return True


def reference_has_value(op, dtype, operands):
    return op not in (Op.SHL, Op.SHR) or 0 <= operands[1] < dtype.bits


@pytest.mark.parametrize("encoding", [BitVectors, Integers], ids=lambda each: each.name)
def test_casts_mean_what_the_reference_says(encoding):
    chance = random.Random(0)
    for source in (bool_, *INTS, index):
        for target in (bool_, *INTS, index):
            for number in chance.sample(numbers(source, chance), 2):
                made = encoding()
                try:
                    term = made.convert(made.constant(number, source), source, target)
                except UnsupportedError:
                    assert index in (source, target)
                    continue
                expected = convert(hold(np.array(number, object), source), source, target)
                assert value_of(made, term, target) == expected, (source, target, number)


def test_guards_compute_exactly():
    chance = random.Random(1)
    symbols = {"+": int.__add__, "-": int.__sub__, "*": int.__mul__, "//": int.__floordiv__, "%": int.__mod__}
    for _ in range(200):
        symbol = chance.choice(list(symbols))
        left, right = (
            chance.choice((1, -1)) * chance.randint(1, 1 << chance.choice((2, 8, 64))) for _ in "12"
        )
        expected = symbols[symbol](left, right)
        for encoding in (BitVectors(), Integers()):
            found = encoding.operate(symbol, encoding.number(left), encoding.number(right))
            solver = z3.Solver()
            solver.add(*encoding.hypotheses, z3.Not(encoding.operate("==", found, encoding.number(expected))))
            assert solver.check() == z3.unsat, (symbol, left, right, encoding.name)


@pytest.mark.parametrize("function", SUPPORT, ids=lambda each: each.name)
def test_a_function_has_values_where_its_support_says(function):
    for dtype in INTS:
        support = set(SUPPORT[function](dtype))
        near = {dtype.min, dtype.max, *(number + step for number in support for step in (-1, 0, 1))}
        tried = range(dtype.min, dtype.max + 1) if dtype.bits <= 16 else near
        assert {number for number in tried if function(number) is not None} == support
