"""The check that values lie below others because loop variables lie below their extents."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from eqsat.dtype import index
from eqsat.egraph.schema import kind_of
from eqsat.explain.bounds import Bounds
from eqsat.explain.constants import constant_of
from eqsat.explain.polynomials import Polynomial, difference, plus, polynomial, times
from eqsat.ops import COMPARISON, Op
from eqsat.uop import UOp

MOST_LOOPS = 8  # that are written by their extents
MOST_TERMS = 64


def decided_by_extents(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """What is below a divisor remains, and comparisons are as extents say."""
    if kind_of(before.src[0].dtype if before.src else before.dtype) != "x":
        return False
    if before.op in (Op.FLOORDIV, Op.FLOORMOD):
        dividend, divisor = before.src
        (low, _), *_ = bounds.of([dividend])
        remains = after is dividend if before.op is Op.FLOORMOD else constant_of(after) == 0
        return remains and low is not None and low >= 0 and is_below(dividend, divisor, bounds)
    verdict = constant_of(after)
    if before.op not in COMPARISON or verdict is None:
        return False
    left, right = before.src
    above = is_below(right, left, bounds)
    if before.op is Op.CMPNE:
        return verdict == 1 and (above or is_below(left, right, bounds))
    return above if verdict == 0 else is_below(left, right, bounds)


def is_below(left: UOp, right: UOp, bounds: Bounds) -> bool:
    """Whether right - left - 1 has nothing negative once loop variables are written as extent - 1 - s, with an s from zero up."""
    gap = difference(polynomial(right), plus(polynomial(left), {(): 1}))
    spare: dict[UOp, UOp] = {}
    for _ in range(MOST_LOOPS):
        if _is_natural(gap, spare, bounds):
            return True
        loop = _subtracted(gap)
        if loop is None or len(gap) > MOST_TERMS:
            return False
        gap = _by_extent(gap, loop, spare.setdefault(loop, UOp.variable(f"spare {len(spare)}", 0, 0)))
    return False


def _is_natural(form: Polynomial, spare: Mapping[UOp, UOp], bounds: Bounds) -> bool:
    """Whether a form of numbers from zero up, which the spare ones are, cannot be less than zero."""
    numbers = set(spare.values())
    atoms = list(dict.fromkeys(atom for monomial in form for atom in monomial if atom not in numbers))
    lows = {atom: low for atom, (low, _) in zip(atoms, bounds.of(atoms), strict=True)} if atoms else {}
    if any(low is None or low < 0 for low in lows.values()):
        return False
    if any(value < 0 for monomial, value in form.items() if monomial):
        return False
    return (
        sum(value * prod(lows.get(atom) or 0 for atom in monomial) for monomial, value in form.items()) >= 0
    )


def _subtracted(form: Polynomial) -> UOp | None:
    """A loop variable in a term with a negative coefficient."""
    for monomial, value in form.items():
        for atom in monomial:
            if value < 0 and atom.op in (Op.RANGE, Op.SPECIAL) and atom.src[0].dtype is index:
                return atom
    return None


def _by_extent(form: Polynomial, loop: UOp, spare: UOp) -> Polynomial:
    """The form with extent - 1 - spare for a loop variable."""
    value = plus(polynomial(loop.src[0]), {(): -1, (spare,): -1})
    result: Polynomial = {}
    for monomial, coefficient in form.items():
        product: Polynomial = {tuple(atom for atom in monomial if atom is not loop): coefficient}
        for _ in range(monomial.count(loop)):
            product = times(product, value)
        result = plus(result, product)
    return difference(result, {})
