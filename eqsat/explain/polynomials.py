"""Sums of integers as polynomials over the terms that are no sums: what checks of theory steps compute with."""

from __future__ import annotations

from itertools import product
from math import prod

from eqsat.dtype import DType
from eqsat.egraph.schema import kind_of
from eqsat.explain.bounds import Bounds, Interval
from eqsat.explain.constants import constant_of
from eqsat.ops import Op
from eqsat.rules.instantiate import wrap
from eqsat.uop import UOp

MOST_TERMS = 256  # of a product of sums that is multiplied out
HIGHEST_DEGREE = 64  # of it: repeated squaring doubles the factors each time
MOST_BITS = 4096  # of a coefficient of it, for the same reason
_RING = frozenset({Op.ADD, Op.SUB, Op.NEG, Op.MUL, Op.MULACC})

Monomial = tuple[UOp, ...]  # sorted by identity
Polynomial = dict[Monomial, int]


def polynomial(root: UOp) -> Polynomial:
    """An integer term as a sum of products of terms that are none, coefficients as its dtype has them."""
    found: dict[UOp, Polynomial] = {}
    stack = [root]
    while stack:
        node = stack[-1]
        operands = node.src if node.op in _RING and kind_of(node.dtype) in "ix" else ()
        missing = [source for source in operands if source not in found]
        if node in found or not missing:
            stack.pop()
            if node not in found:
                found[node] = _combined(node, [found[source] for source in operands])
        else:
            stack += missing
    return found[root]


def _combined(node: UOp, parts: list[Polynomial]) -> Polynomial:
    value = constant_of(node)
    if value is not None:
        return _normal({(): int(value)}, node)
    match node.op:
        case Op.ADD if parts:
            result = plus(parts[0], parts[1])
        case Op.SUB if parts:
            result = plus(parts[0], parts[1], -1)
        case Op.NEG if parts:
            result = plus({}, parts[0], -1)
        case Op.MUL | Op.MULACC if parts:
            one, other = parts[:2]
            if not _is_moderate(one, other):
                one, other = ({(source,): 1} for source in node.src[:2])
            result = times(one, other)
            result = plus(result, parts[2]) if node.op is Op.MULACC else result
        case _:
            return {(node,): 1}
    return _normal(result, node)


def _is_moderate(one: Polynomial, other: Polynomial) -> bool:
    """Whether a product of polynomials is multiplied out."""
    degree = sum(max(map(len, form), default=0) for form in (one, other))
    bits = sum(max(map(int.bit_length, form.values()), default=0) for form in (one, other))
    return len(one) * len(other) <= MOST_TERMS and degree <= HIGHEST_DEGREE and bits <= MOST_BITS


def plus(one: Polynomial, other: Polynomial, factor: int = 1) -> Polynomial:
    """one + factor * other, zeros included."""
    result = dict(one)
    for monomial, value in other.items():
        result[monomial] = result.get(monomial, 0) + factor * value
    return result


def times(one: Polynomial, other: Polynomial) -> Polynomial:
    """The product."""
    result: Polynomial = {}
    for (left, a), (right, b) in product(one.items(), other.items()):
        monomial = tuple(sorted((*left, *right), key=id))
        result[monomial] = result.get(monomial, 0) + a * b
    return result


def _normal(form: Polynomial, node: UOp) -> Polynomial:
    assert isinstance(node.dtype, DType)
    wrapped = {monomial: int(wrap(node.dtype, value)) for monomial, value in form.items()}
    return {monomial: value for monomial, value in wrapped.items() if value}


def polynomial_interval(form: Polynomial, bounds: Bounds) -> Interval:
    """The interval of a polynomial over indices."""
    atoms = list(dict.fromkeys(atom for monomial in form for atom in monomial))
    known = dict(zip(atoms, bounds.of(atoms), strict=True)) if atoms else {}
    low: int | None = 0
    high: int | None = 0
    for monomial, factor in form.items():
        ends = [known[atom] for atom in monomial]
        least, greatest = _product_interval(ends)
        if factor < 0:
            least, greatest = greatest, least
        low = None if low is None or least is None else low + factor * least
        high = None if high is None or greatest is None else high + factor * greatest
    return low, high


def _product_interval(ends: list[Interval]) -> Interval:
    if len(ends) == 1:
        return ends[0]
    lows = [low for low, _ in ends]
    if any(low is None or low < 0 for low in lows):
        return None, None
    highs = [high for _, high in ends]
    known = [high for high in highs if high is not None]
    return prod(low for low in lows if low is not None), prod(known) if len(known) == len(highs) else None


def difference(one: Polynomial, other: Polynomial) -> Polynomial:
    """one - other."""
    return {monomial: value for monomial, value in plus(one, other, -1).items() if value}


def is_nonzero(divisor: Polynomial, bounds: Bounds) -> bool:
    """Whether bounds keep a divisor from being zero."""
    if len(divisor) == 1 and all(divisor):
        atoms = next(iter(divisor))
        ends = bounds.of(atoms)
    else:
        ends = [polynomial_interval(divisor, bounds)]
    return all((low is not None and low > 0) or (high is not None and high < 0) for low, high in ends)


def divides(divisor: Polynomial, form: Polynomial) -> bool:
    """Whether a form is a multiple of a divisor: whether long division leaves nothing."""
    first = _leading(divisor)
    while form:
        leading = _leading(form)
        quotient = _without(leading, first)
        if quotient is None or form[leading] % divisor[first]:
            return False
        form = difference(form, times(divisor, {quotient: form[leading] // divisor[first]}))
    return True


def _leading(form: Polynomial) -> Monomial:
    """The greatest monomial in an order that products keep (graded, reverse lexicographic)."""
    return max(form, key=lambda monomial: (len(monomial), *map(id, monomial)))


def _without(monomial: Monomial, factors: Monomial) -> Monomial | None:
    """A monomial without some of its factors; None if it has not all of them."""
    left = list(monomial)
    for factor in factors:
        if factor not in left:
            return None
        left.remove(factor)
    return tuple(left)
