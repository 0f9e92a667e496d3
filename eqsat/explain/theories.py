"""What is equal without a rule: the theory steps, each with a check that reads the two terms and nothing else.

A check may say no to something that is true. It never says yes to something that is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from eqsat.comprehensions import written_out
from eqsat.dtype import DType, bool_
from eqsat.egraph.schema import kind_of
from eqsat.errors import EvaluationError
from eqsat.explain.assumptions import known_truths
from eqsat.explain.bitcasts import same_bits
from eqsat.explain.bounds import Bounds
from eqsat.explain.comparisons import same_limits
from eqsat.explain.constants import constant_of
from eqsat.explain.deductions import (
    compared_by_facts,
    divided_without_wrap,
    masked_alike,
    sum_of_disjoint_bits,
    value_of_facts,
    without_effect,
)
from eqsat.explain.differences import same_difference
from eqsat.explain.elements import same_chain
from eqsat.explain.extents import decided_by_extents
from eqsat.explain.extremes import same_extremes
from eqsat.explain.polynomials import (
    Monomial,
    Polynomial,
    difference,
    divides,
    is_nonzero,
    plus,
    polynomial,
    polynomial_interval,
    times,
)
from eqsat.explain.remainders import same_remainder
from eqsat.ops import ALU, COMMUTATIVE, COMPARISON, Op
from eqsat.reference import evaluate
from eqsat.uop import UOp, toposort

MOST_POINTS = 1 << 16  # that are tried
MOST_BITS = 4096  # of an index at one of them


class Theory(NamedTuple):
    """A theory step: what it claims in words, and its check of two terms, given bounds."""

    claim: str
    check: Callable[[UOp, UOp, Bounds], bool]


def _same_sum(before: UOp, after: UOp, bounds: Bounds) -> bool:
    return kind_of(before.dtype) in "ix" and polynomial(before) == polynomial(after)


def _commuted(before: UOp, after: UOp, bounds: Bounds) -> bool:
    return before.op in COMMUTATIVE and before.with_src(before.src[::-1]) is after


def _same_constant(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """An operation on constants is computed by the reference, on scalars."""
    value = constant_of(after)
    if value is None or before.shape != after.shape or before.dtype != after.dtype:
        return False
    dtype = before.dtype
    assert isinstance(dtype, DType)
    if constant_of(before) is not None:
        return UOp.const(dtype, constant_of(before) or 0) is UOp.const(dtype, value)
    operands = [constant_of(source) for source in before.src]
    if before.op not in ALU or None in operands:
        return False
    scalars = tuple(
        UOp.const(source.dtype, operand)
        for source, operand in zip(before.src, operands, strict=True)
        if isinstance(source.dtype, DType) and operand is not None
    )
    single = UOp(before.op, dtype, scalars, before.arg)
    if not _has_value(single):
        return False
    try:
        return UOp.const(dtype, evaluate(single, {}).item()) is UOp.const(dtype, value)
    except EvaluationError:
        return False


def _has_value(node: UOp) -> bool:
    """Whether an operation on constants has a value."""
    values = [source.arg for source in node.src]
    dtype = node.dtype.scalar
    if node.op in (Op.IDIV, Op.MOD, Op.FLOORDIV, Op.FLOORMOD):
        return values[1] != 0
    if node.op in (Op.SHL, Op.SHR):
        return 0 <= values[1] < dtype.bits
    if node.op is Op.CAST and node.src[0].dtype.scalar.is_float and not dtype.is_float:
        return dtype.is_bool or (abs(values[0]) < 2.0**1023 and dtype.min <= values[0] <= dtype.max)
    return node.op is not Op.POW or dtype.is_float or values[1] >= 0


def _decided(before: UOp, after: UOp, bounds: Bounds) -> bool:
    value = constant_of(after)
    if value is None or kind_of(after.dtype) not in "ixb":
        return False
    return bounds.of([before]) == [(int(value), int(value))]


def _comparison_decided(before: UOp, after: UOp, bounds: Bounds) -> bool:
    verdict = constant_of(after)
    if verdict is None or before.op not in COMPARISON or kind_of(before.src[0].dtype) != "x":
        return False
    difference = plus(polynomial(before.src[0]), polynomial(before.src[1]), -1)
    low, high = polynomial_interval({key: value for key, value in difference.items() if value}, bounds)
    if before.op is Op.CMPLT:
        return (high is not None and high < 0) if verdict else (low is not None and low >= 0)
    if verdict:
        return (high is not None and high < 0) or (low is not None and low > 0)
    return low == high == 0


def _same_count(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """A sum of positive multiples of what is not negative is zero exactly where all of that is."""
    one, other = _counted(before), _counted(after)
    if one is None or one != other:
        return False
    return all((low := polynomial_interval({term: 1}, bounds)[0]) is not None and low >= 0 for term in one[1])


def _counted(node: UOp) -> tuple[bool, frozenset[Monomial]] | None:
    """Whether a comparison asks if a sum is zero (or if it is not), and the sum's terms."""
    if node.op is not Op.CMPLT or kind_of(node.src[0].dtype) != "x":
        return None
    difference = plus(
        polynomial(node.src[1]), polynomial(node.src[0]), -1
    )  # zero or less where the comparison fails
    constant = difference.pop((), 0)
    terms = {term: value for term, value in difference.items() if value}
    if not terms:
        return None
    if constant == 1 and max(terms.values()) < 0:
        return True, frozenset(terms)
    return (False, frozenset(terms)) if constant == 0 and min(terms.values()) > 0 else None


def _factor_divided(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """(q * d + r) // d is q + r // d, and (q * d + r) % d is r % d, for indices and a d that is not zero."""
    if before.op not in (Op.FLOORDIV, Op.FLOORMOD) or kind_of(before.dtype) != "x":
        return False
    dividend, divisor = before.src
    if not is_nonzero(polynomial(divisor), bounds):
        return False
    result = polynomial(after)
    rest: Polynomial = {}
    for monomial, factor in list(result.items()):
        if (
            len(monomial) == 1
            and monomial[0].op is before.op
            and monomial[0].src[1] is divisor
            and factor == 1
        ):
            rest = polynomial(monomial[0].src[0])
            del result[monomial]
            break
    if before.op is Op.FLOORDIV:
        whole = plus(times(result, polynomial(divisor)), rest)
        return difference(polynomial(dividend), whole) == {}
    return not result and divides(polynomial(divisor), difference(polynomial(dividend), rest))


def _on_a_line(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """A division by a constant of a sum of one value that is one of two, and a sum of it: the same for both."""
    if before.op not in (Op.FLOORDIV, Op.FLOORMOD) or kind_of(before.dtype) != "x":
        return False
    divisor, dividend, result = constant_of(before.src[1]), polynomial(before.src[0]), polynomial(after)
    values = {value for monomial in (*dividend, *result) for value in monomial}
    if len(values) != 1 or not isinstance(divisor, int) or divisor <= 0:
        return False
    low, high = polynomial_interval({(values.pop(),): 1}, bounds)
    if low is None or high is None or high - low != 1:
        return False
    divide = int.__floordiv__ if before.op is Op.FLOORDIV else int.__mod__
    return all(divide(_value_at(dividend, end), divisor) == _value_at(result, end) for end in (low, high))


def _value_at(form: Polynomial, value: int) -> int:
    """The value of a polynomial whose factors all have one value."""
    return sum(factor * value ** len(monomial) for monomial, factor in form.items())


def _written_out(before: UOp, after: UOp, bounds: Bounds) -> bool:
    return written_out(before) is after or written_out(after) is before


def _assumed(before: UOp, after: UOp, bounds: Bounds) -> bool:
    value = constant_of(after)
    return (
        before.dtype is bool_ and value is not None and known_truths(bounds.assumptions).get(before) == value
    )


def _impossible(before: UOp, after: UOp, bounds: Bounds) -> bool:
    return bounds.is_contradiction()


def _same_everywhere(before: UOp, after: UOp, bounds: Bounds) -> bool:
    order = toposort([before, after])
    variables = [node for node in order if node.op is Op.DEFINE_VAR]
    if any(node.shape or not (node.op in ALU or node.op in (Op.CONST, Op.DEFINE_VAR)) for node in order):
        return False
    if any(node.dtype.scalar.is_float for node in order) or points_of(variables) > MOST_POINTS:
        return False
    if not is_moderate(order):
        return False
    rows = list(product(*(range(node.arg[1], node.arg[2] + 1) for node in variables)))
    columns = dict(zip(variables, zip(*rows, strict=True), strict=True)) if variables else {}
    inputs = {node: np.array(column) for node, column in columns.items()}
    values = dict(zip(order, evaluate(order, {**inputs}), strict=True))
    if any(not _has_values(node, values) for node in order):
        return False
    return bool(np.all(values[before] == values[after]))


def is_moderate(order: Iterable[UOp], most: int = MOST_BITS) -> bool:
    """Whether no index can have more bits than these: repeated squaring doubles them each time. Elements of arrays are taken to have 64."""
    bits: dict[UOp, int] = {}
    for node in order:
        sources = [bits[source] for source in node.src]
        if not node.dtype.scalar.is_index:
            bits[node] = node.dtype.scalar.bits
        elif node.op in (Op.DEFINE_VAR, Op.CONST):
            numbers = node.arg[1:] if node.op is Op.DEFINE_VAR else (node.arg,)
            bits[node] = max(int(number).bit_length() for number in numbers)
        elif node.op is Op.SHL:
            bits[node] = sources[0] + (1 << min(sources[1], most.bit_length()))
        elif node.op in (Op.MUL, Op.MULACC):
            bits[node] = 1 + sum(sources)
        else:
            bits[node] = 1 + max(sources, default=64)
        if bits[node] > most:
            return False
    return True


def points_of(variables: Iterable[UOp]) -> int:
    """How many points there are in the domain of variables."""
    return prod(node.arg[2] - node.arg[1] + 1 for node in variables)


def _has_values(node: UOp, values: Mapping[UOp, Any]) -> bool:
    """Whether an operation has a value at all points."""
    if node.op in (Op.IDIV, Op.MOD, Op.FLOORDIV, Op.FLOORMOD):
        return bool(np.all(values[node.src[1]] != 0))
    if node.op in (Op.SHL, Op.SHR):
        amount = values[node.src[1]]
        return bool(np.all((amount >= 0) & (amount < node.dtype.scalar.bits)))
    return node.op is not Op.POW


THEORIES: Mapping[str, Theory] = {
    "sums": Theory("Both are one polynomial, in the arithmetic of the dtype.", _same_sum),
    "chains": Theory("Both combine the same elements; order, grouping and repetition do not matter.", same_chain),
    "limits": Theory("What differs between two chains follows from their other elements, or these exclude each other.", same_limits),
    "differences": Theory("Both are the exclusive or of the same terms.", same_difference),
    "bitcasts": Theory("Both are one sum or chain, if all bits are read before they are combined.", same_bits),
    "comprehensions": Theory("An element of the array of a formula is the formula there.", _written_out),
    "commuted": Theory("The operands of a commutative operation change places.", _commuted),
    "constants": Theory("An operation on constants is the constant that the reference computes.", _same_constant),
    "bounds": Theory("Bounds leave one value.", _decided),
    "comparison of bounds": Theory("The bounds of a difference decide a comparison.", _comparison_decided),
    "comparison of counts": Theory("A sum of positive multiples of numbers from zero up is zero where all of them are.", _same_count),
    "division by a factor": Theory("Multiples of the divisor leave a dividend.", _factor_divided),
    "division of two values": Theory("A quotient or remainder is the same sum for both values that there are.", _on_a_line),
    "inner remainders": Theory("Where only a remainder counts, remainders by multiples of its divisor are their dividends.", same_remainder),
    "extremes": Theory("Complements, and negatives of indices, reverse the order; what bounds exclude is neither greatest nor least.", same_extremes),
    "extents": Theory("Loop variables are below their extents.", decided_by_extents),
    "facts": Theory("Divisors and bits leave one value.", value_of_facts),
    "comparison of facts": Theory("Divisors, bits and bounds decide a comparison.", compared_by_facts),
    "operands without effect": Theory("Operands of AND and OR that change no bit go.", without_effect),
    "disjoint bits": Theory("Numbers without a common bit are added by OR and XOR.", sum_of_disjoint_bits),
    "masked multiples": Theory("Below a mask of low bits, terms count modulo the next power of two.", masked_alike),
    "division without wrap": Theory("Where a sum does not wrap, multiples of the divisor leave it.", divided_without_wrap),
    "all points": Theory("Both have the same value for all values of their variables, which are tried.", _same_everywhere),
    "assumed": Theory("A bool is what the conditions say.", _assumed),
    "impossible": Theory("The conditions exclude each other, so that the value does not matter.", _impossible),
}  # fmt: skip

DEDUCTIONS = (
    "facts", "comparison of facts", "operands without effect", "masked multiples", "disjoint bits", "division without wrap",
)  # fmt: skip
