"""Laws of polynomials: what is computed with them has the value that the numbers have."""

from math import prod

from hypothesis import given
from hypothesis import strategies as st

from eqsat.dtype import index, int8, uint16, wrap
from eqsat.integers import polynomials
from eqsat.integers.polynomials import (
    difference,
    divided,
    divided_by_monomial,
    interval,
    plus,
    substituted,
    term_replaced,
    times,
    wrapped,
)

ATOMS = "xyz"
MONOMIALS = st.lists(st.sampled_from(ATOMS), max_size=3).map(lambda atoms: tuple(sorted(atoms)))
POLYNOMIALS = st.dictionaries(MONOMIALS, st.integers(-20, 20), max_size=5)
VALUES = st.fixed_dictionaries({atom: st.integers(-9, 9) for atom in ATOMS})


def value(polynomial, values):
    return sum(factor * prod(values[atom] for atom in monomial) for monomial, factor in polynomial.items())


@given(POLYNOMIALS, POLYNOMIALS, VALUES, st.integers(-3, 3))
def test_arithmetic(one, other, values, factor):
    ours, theirs = value(one, values), value(other, values)
    assert value(plus(one, other, factor), values) == ours + factor * theirs
    assert value(difference(one, other), values) == ours - theirs
    assert value(times(one, other), values) == ours * theirs
    assert value(times(one, other, order=lambda atom: -ord(atom)), values) == ours * theirs


@given(POLYNOMIALS, POLYNOMIALS, VALUES, st.sampled_from(ATOMS))
def test_substitution(polynomial, other, values, atom):
    assert value(substituted(polynomial, atom, other), values) == value(
        polynomial, {**values, atom: value(other, values)}
    )


@given(POLYNOMIALS.filter(bool), POLYNOMIALS, VALUES, st.data())
def test_one_term_is_replaced(polynomial, other, values, data):
    monomial = data.draw(st.sampled_from(sorted(polynomial)))
    term = polynomial[monomial] * prod(values[atom] for atom in monomial)
    replaced = value(polynomial, values) - term + polynomial[monomial] * value(other, values)
    assert value(term_replaced(polynomial, monomial, other), values) == replaced


@given(POLYNOMIALS, VALUES, st.integers(1, 9), st.integers(1, 4), MONOMIALS)
def test_division(polynomial, values, divisor, coefficient, factors):
    quotient, rest = divided(polynomial, divisor)
    assert divisor * value(quotient, values) + value(rest, values) == value(polynomial, values)
    assert all(factor % divisor for monomial, factor in rest.items() if monomial)
    quotient, rest = divided_by_monomial(polynomial, factors, coefficient)
    whole = coefficient * prod(values[atom] for atom in factors) * value(quotient, values)
    assert whole + value(rest, values) == value(polynomial, values)


@given(POLYNOMIALS, VALUES)
def test_wrapping(polynomial, values):
    for dtype in (int8, uint16):
        exact = wrap(dtype, value(polynomial, values))
        assert wrap(dtype, value(wrapped(polynomial, dtype), values)) == exact
    assert 0 not in wrapped(polynomial, index).values()


@given(POLYNOMIALS, st.fixed_dictionaries({atom: st.integers(0, 9) for atom in ATOMS}), st.data())
def test_interval(polynomial, values, data):
    spans = {atom: (number - data.draw(st.integers(0, number)), number + data.draw(st.integers(0, 3)))
             for atom, number in values.items()}  # fmt: skip
    low, high = interval(polynomial, lambda atoms: [spans[atom] for atom in atoms])
    assert low <= value(polynomial, values) <= high


def test_content_and_operations():
    assert polynomials.content({("x",): 6, (): 9}) == 3
    assert polynomials.operations({("x", "x"): 2, ("y",): 1, (): 4}) == 4
