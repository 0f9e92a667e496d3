"""Finds what assumed conditions imply: values of bools, and bounds on sums."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import gcd
from typing import NamedTuple

from eqsat.dtype import bool_, index
from eqsat.integers.linear import Affine, affine_forms
from eqsat.ops import Op
from eqsat.uop import UOp

Assumption = tuple[UOp, bool]  # a bool, and the value that it is assumed to have
Terms = Mapping[UOp, int]


class Inequality(NamedTuple):
    """sum(factor * term) <= most."""

    terms: tuple[tuple[UOp, int], ...]
    most: int


def known_truths(assumptions: Sequence[Assumption]) -> dict[UOp, bool]:
    """The values of all bools that the assumptions decide: operands of a true AND, operands of a false OR, and negated bools."""
    known: dict[UOp, bool] = {}
    pending = list(assumptions)
    while pending:
        node, holds = pending.pop()
        if node in known:
            continue
        known[node] = holds
        match node.op:
            case Op.CMPNE:
                for value, other in (node.src, node.src[::-1]):
                    if other.op is Op.CONST and other.dtype is bool_:
                        pending.append((value, holds != other.arg))
                        break
            case Op.AND | Op.MUL if holds:
                pending += [(source, True) for source in node.src]
            case Op.OR | Op.ADD if not holds:
                pending += [(source, False) for source in node.src]
            case _:
                pass
    return known


def inequalities(assumptions: Sequence[Assumption], order: Sequence[UOp]) -> list[Inequality]:
    """Inequalities that the assumptions imply for index terms in `order`: for single terms, and for sums that are multiples of a compared sum."""
    linear = affine_forms([*order, *(condition for condition, _ in assumptions)])
    found: list[Inequality] = []
    for condition, holds in known_truths(assumptions).items():
        for form in _nonpositive(condition, holds, linear):
            found.append(Inequality(form.terms, -form.constant))
    on_sums = [
        Inequality(((node, 1 if factor > 0 else -1),), abs(factor) * fact.most + (form.constant if factor > 0 else -form.constant))
        for node, form in linear.items()
        if len(form.terms) > 1
        for fact in found
        if (factor := _factor(form.coefficients, dict(fact.terms)))
    ]  # fmt: skip
    return found + on_sums


class PartialSum(NamedTuple):
    """A term that equals factor * total + rest. An assumption compares the total, which is a sum of several terms."""

    term: UOp
    factor: int
    total: UOp
    rest: Affine


def partial_sums(assumptions: Sequence[Assumption], order: Sequence[UOp]) -> list[PartialSum]:
    """The terms of `order` that contain a multiple of a sum that assumptions compare."""
    linear = affine_forms(order)
    totals: dict[UOp, Affine] = {}
    for condition, holds in known_truths(assumptions).items():
        for form in _nonpositive(condition, holds, linear):
            if len(form.terms) > 1:
                sign = 1 if next(iter(form.coefficients.values())) > 0 else -1
                divisor = sign * gcd(*form.coefficients.values())
                total = Affine(0, tuple((term, value // divisor) for term, value in form.terms))
                totals[total.build()] = total
    found: list[PartialSum] = []
    for node, form in linear.items():
        for total, parts in totals.items():
            term, value = parts.terms[0]
            factor, left = divmod(form.coefficients.get(term, 0), value)
            if (
                factor
                and not left
                and all(form.coefficients.get(each) == factor * times for each, times in parts.terms)
            ):
                found.append(PartialSum(node, factor, total, form.plus(parts, -factor)))
                break
    return found


def _nonpositive(condition: UOp, holds: bool, linear: Mapping[UOp, Affine]) -> Iterable[Affine]:
    """The sums that a comparison makes zero or less."""
    if condition.op not in (Op.CMPLT, Op.CMPNE) or condition.src[0].dtype is not index:
        return []
    left, right = (linear[source] for source in condition.src)
    one = Affine(1)
    if condition.op is Op.CMPLT:
        return [left.plus(right, -1).plus(one)] if holds else [right.plus(left, -1)]
    return [] if holds else [left.plus(right, -1), right.plus(left, -1)]


def _factor(terms: Terms, other: Terms) -> int:
    """The integer k for which terms = k * other; 0 if there is none."""
    if set(terms) != set(other):
        return 0
    first = next(iter(other))
    factor, rest = divmod(terms[first], other[first])
    return 0 if rest or any(terms[term] != factor * value for term, value in other.items()) else factor
