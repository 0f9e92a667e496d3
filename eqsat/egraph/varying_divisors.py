"""Divisions of indices by what is no constant: multiples of the divisor leave the dividend, and what is below the divisor remains."""

from __future__ import annotations

from typing import Any

from eqsat.egraph.frozen import Row
from eqsat.egraph.polynomial import Polynomial
from eqsat.egraph.splits import divided_by_monomial, forms
from eqsat.egraph.statements import Statements
from eqsat.egraph.terms import Expression


def divide(step: Statements, row: Row) -> None:
    """States what follows about a quotient or remainder by a divisor that is no constant."""
    dividend, divisor = row.children
    if step.frozen.lo.get(dividend, -1) >= 0 and step.extents.is_below(dividend, divisor):
        _state_below(step, row)
    written = step.polynomials.of(divisor)
    factors = step.polynomials.as_factor(divisor) if len(written) > 1 else written
    if len(factors) != 1 or () in factors:
        return
    ((monomial, coefficient),) = factors.items()
    if not all(_is_nonzero(step, atom) for atom in monomial):
        return
    for form in forms(step.polynomials, dividend):
        quotient, rest = divided_by_monomial(form, monomial, coefficient)
        if quotient:
            _state_divided(step, row, quotient, rest)


def _is_nonzero(step: Statements, owner: int) -> bool:
    """Whether bounds keep an atom from being zero."""
    least, greatest = step.frozen.lo.get(owner), step.frozen.hi.get(owner)
    return (least is not None and least > 0) or (greatest is not None and greatest < 0)


def _state_below(step: Statements, row: Row) -> None:
    """States that all of the dividend remains."""
    with step.once(lambda: ("below", row.table, step.stable(row.owner))) as is_new:
        if is_new:
            remains = row.table == "FLOORMOD"
            nothing = step.feeder.term("CONST", row.dtype, row.shape, 0)
            step.feeder.union(row.owner, step.feeder.name(row.children[0]) if remains else nothing)
            step.theory.count("dividend_below_divisor")


def _state_divided(step: Statements, row: Row, quotient: Polynomial, rest: Polynomial) -> None:
    """States that a part of the dividend is a multiple of the divisor."""

    def key() -> tuple[Any, ...]:
        return ("divide", row.table, step.stable(row.owner), step.stable_form(quotient))

    with step.once(key) as is_new:
        if is_new:
            place = (row.dtype, row.shape)
            terms: list[Expression] = []
            if row.table == "FLOORDIV":
                terms.append(step.feeder.polynomial(place, quotient))
            if rest or not terms:
                left = step.feeder.polynomial(place, rest)
                divisor = step.feeder.name(row.children[1])
                terms.append(step.feeder.term(row.table, *place, left, divisor) if rest else left)
            step.feeder.union(
                row.owner, terms[0] if len(terms) == 1 else step.feeder.term("ADD_N", *place, tuple(terms))
            )
            step.theory.count("division_by_monomial")
