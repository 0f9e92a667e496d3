"""Writes integer terms as polynomials over terms that are neither sums nor products, for the checks of theories."""

from __future__ import annotations

from eqsat.dtype import DType
from eqsat.egraph.tables.schema import kind_of
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.egraph.theories.terms.constants import constant_of
from eqsat.integers import polynomials
from eqsat.integers.polynomials import difference, interval, plus, without_factors
from eqsat.ops import Op
from eqsat.uop import UOp

MOST_TERMS = 256  # most terms of a product of sums that is multiplied out
HIGHEST_DEGREE = 64  # most factors of a monomial of that product: repeated squaring doubles them each time
MOST_BITS = 4096  # most bits of a coefficient of that product, for the same reason
_RING = frozenset({Op.ADD, Op.SUB, Op.NEG, Op.MUL, Op.MULACC})

Monomial = tuple[UOp, ...]  # sorted by identity
Polynomial = dict[Monomial, int]


def polynomial(root: UOp) -> Polynomial:
    """An integer term as a polynomial over terms that are neither sums nor products. Coefficients are wrapped to the dtype."""
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
        return _wrapped({(): int(value)}, node)
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
    return _wrapped(result, node)


def _is_moderate(one: Polynomial, other: Polynomial) -> bool:
    """Whether a product of polynomials is small enough to be multiplied out."""
    degree = sum(max(map(len, form), default=0) for form in (one, other))
    bits = sum(max(map(int.bit_length, form.values()), default=0) for form in (one, other))
    return len(one) * len(other) <= MOST_TERMS and degree <= HIGHEST_DEGREE and bits <= MOST_BITS


def times(one: Polynomial, other: Polynomial) -> Polynomial:
    """The product of polynomials over terms."""
    return polynomials.times(one, other, order=id)


def _wrapped(form: Polynomial, node: UOp) -> Polynomial:
    assert isinstance(node.dtype, DType)
    return polynomials.wrapped(form, node.dtype)


def is_nonzero(divisor: Polynomial, bounds: Bounds) -> bool:
    """Whether bounds keep a divisor from being zero."""
    if len(divisor) == 1 and all(divisor):
        atoms = next(iter(divisor))
        ends = bounds.of(atoms)
    else:
        ends = [interval(divisor, bounds.of)]
    return all((low is not None and low > 0) or (high is not None and high < 0) for low, high in ends)


def divides(divisor: Polynomial, form: Polynomial) -> bool:
    """Whether a polynomial is a multiple of a divisor, so that long division leaves no remainder."""
    first = _leading(divisor)
    while form:
        leading = _leading(form)
        quotient = without_factors(leading, first)
        if quotient is None or form[leading] % divisor[first]:
            return False
        form = difference(form, times(divisor, {quotient: form[leading] // divisor[first]}))
    return True


def _leading(form: Polynomial) -> Monomial:
    """The greatest monomial in an order that multiplication preserves (graded, reverse lexicographic)."""
    return max(form, key=lambda monomial: (len(monomial), *map(id, monomial)))
