"""Checks of what divisors and bits tell: each reads two terms, and computes what it needs to know of their parts from the parts alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from eqsat.dtype import DType
from eqsat.egraph.schema import kind_of
from eqsat.explain.bounds import Bounds
from eqsat.explain.constants import constant_of
from eqsat.explain.elements import chain_elements, chain_op_of, occurrences
from eqsat.explain.polynomials import Polynomial, difference, plus, polynomial, polynomial_interval
from eqsat.explain.remainders import differences
from eqsat.integer_arithmetic import facts_of_result, product_of_facts, sum_of_facts
from eqsat.integer_facts import ANYTHING, Facts
from eqsat.ops import COMPARISON, MOVEMENT, Op
from eqsat.rules.instantiate import wrap
from eqsat.uop import UOp, toposort


def facts_of(terms: Sequence[UOp], bounds: Bounds) -> list[Facts]:
    """What holds of integer terms, given bounds; nothing of other terms."""
    order = toposort(terms)
    found: dict[UOp, Facts] = {}
    for node, ends in zip(order, bounds.of(order), strict=True):
        dtype = node.dtype
        if not isinstance(dtype, DType) or dtype.lanes > 1 or kind_of(dtype) not in "ix":
            found[node] = ANYTHING
            continue
        operands = node.src[1:] if node.op is Op.WHERE else node.src[:1] if node.op in MOVEMENT else node.src
        said = facts_of_result(node.op, dtype, [found[operand] for operand in operands])
        found[node] = Facts.of(*ends).meet(said)
    return [found[term] for term in terms]


def value_of_facts(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Facts leave one value."""
    value = constant_of(after)
    if value is None or kind_of(after.dtype) not in "ix":
        return False
    (facts,) = facts_of([before], bounds)
    return not facts.is_contradiction and facts.value == int(value)


def compared_by_facts(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Facts of both sides decide a comparison."""
    verdict = constant_of(after)
    if verdict is None or before.op not in COMPARISON or kind_of(before.src[0].dtype) not in "ix":
        return False
    left, right = facts_of(before.src, bounds)
    if left.is_contradiction or right.is_contradiction:
        return False
    if before.op is Op.CMPLT:
        return left.is_below(right) == bool(verdict)
    return bool(verdict) and left.excludes(right)


def without_effect(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """What AND or OR combines, without operands that change no bit."""
    op = chain_op_of(before)
    if op not in (Op.AND, Op.OR) or kind_of(before.dtype) not in "ix":
        return False
    given, kept = occurrences(before, op), occurrences(after, op)
    if not set(kept) <= set(given):
        return False
    known = dict(zip(given, facts_of(list(given), bounds), strict=True))
    if op is Op.AND:
        open_bits = ~reduce(int.__or__, (known[operand].zeros for operand in kept), 0)
        return not any(open_bits & ~known[operand].ones for operand in given if operand not in kept)
    open_bits = ~reduce(int.__or__, (known[operand].ones for operand in kept), 0)
    return not any(open_bits & known[operand].possible for operand in given if operand not in kept)


def sum_of_disjoint_bits(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """OR and XOR of numbers that have no bit in common add them."""
    op = chain_op_of(before)
    if op not in (Op.OR, Op.XOR) or kind_of(before.dtype) not in "ix":
        return False
    elements, constant = chain_elements(before, op)
    total: Polynomial = {} if constant is None else {(): constant}
    taken = constant or 0
    for element, facts in zip(elements, facts_of(list(elements), bounds), strict=True):
        if taken & facts.possible:
            return False
        taken |= facts.possible
        total = plus(total, polynomial(element))
    return _is_zero(difference(total, polynomial(after)), before.dtype.scalar)


def masked_alike(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Two sums below one mask of low bits are equal where their difference is a multiple of the next power of two."""
    one, other = _masked(before), _masked(after)
    if one is None or other is None or one[1] != other[1]:
        return False
    modulus = one[1] + 1
    return any(_is_multiple(apart, modulus, bounds) for apart in differences(one[0], other[0], modulus))


def _is_multiple(form: Polynomial, modulus: int, bounds: Bounds) -> bool:
    """Whether facts of its atoms say that a polynomial is a multiple of a number."""
    atoms = list(dict.fromkeys(atom for monomial in form for atom in monomial))
    known = dict(zip(atoms, facts_of(atoms, bounds), strict=True))
    total = Facts.exactly(0)
    for monomial, coefficient in form.items():
        factors = (known[atom] for atom in monomial)
        total = sum_of_facts(total, reduce(product_of_facts, factors, Facts.exactly(coefficient)))
    return total.divisor % modulus == 0 and total.remainder % modulus == 0


def _masked(node: UOp) -> tuple[UOp, int] | None:
    """What is below a mask of low bits, and the mask."""
    if node.op is not Op.AND or kind_of(node.dtype) not in "ix":
        return None
    for value, other in (node.src, node.src[::-1]):
        mask = int(constant_of(other) or 0)
        if mask > 0 and not mask & (mask + 1):
            return value, mask
    return None


def divided_without_wrap(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """A sum that keeps within its dtype is divided by a constant as a number of any size is."""
    dtype = before.dtype
    if (
        before.op not in (Op.FLOORDIV, Op.FLOORMOD, Op.SHR)
        or kind_of(dtype) != "i"
        or not isinstance(dtype, DType)
    ):
        return False
    divisor = int(constant_of(before.src[1]) or 0)
    if before.op is Op.SHR:
        divisor = 1 << divisor if 0 <= divisor < dtype.bits else 0
    if divisor <= 1:
        return False
    dividend, result = polynomial(before.src[0]), polynomial(after)
    if before.op is Op.FLOORMOD:
        rest = result
        multiple = difference(dividend, rest)
        if any(value % divisor for value in multiple.values()):
            return False
    else:
        rest = difference(dividend, {monomial: divisor * value for monomial, value in result.items()})
    return (
        _lies_within(dividend, int(dtype.min), int(dtype.max), bounds)
        and _lies_within(result, int(dtype.min), int(dtype.max), bounds)
        and _lies_within(rest, 0, divisor - 1, bounds)
    )


def _lies_within(form: Polynomial, least: int, greatest: int, bounds: Bounds) -> bool:
    low, high = polynomial_interval(form, bounds)
    return low is not None and high is not None and least <= low and high <= greatest


def _is_zero(form: Polynomial, dtype: DType) -> bool:
    """Whether a polynomial is zero in the arithmetic of a dtype."""
    return not any(wrap(dtype, value) for value in form.values())
