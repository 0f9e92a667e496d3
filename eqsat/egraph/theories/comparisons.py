"""Decides comparisons of indices by the bounds of their difference, even if the extents of loops are variables.

For r0 < n and r1 < m, r1*n + r0 is below m*n, whatever n and m are. No bound is a number there, so each loop variable is written as extent - 1 - s,
with s >= 0. Then m*n - 1 - (r1*n + r0) is s1*n + s0, which is never negative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from eqsat.dtype import index
from eqsat.egraph.snapshot.frozen import Row
from eqsat.egraph.tables.schema import kind_of
from eqsat.egraph.theories.claims import Check, Claim, Constant, Equal, Operation, Split, Sum, Term, Theory
from eqsat.egraph.theories.context import Context
from eqsat.egraph.theories.division import comparison_parts, forms
from eqsat.egraph.theories.polynomial import Polynomial
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.egraph.theories.terms.constants import constant_of
from eqsat.egraph.theories.terms.sums import Monomial, polynomial
from eqsat.integers.intervals import Interval
from eqsat.integers.polynomials import Order, difference, interval, plus, substituted
from eqsat.ops import COMPARISON, Op
from eqsat.uop import UOp

MOST_LOOPS = 8  # most loop variables that are written as extent - 1 - s
MOST_TERMS = 64

A = TypeVar("A")
Form = Mapping[tuple[A, ...], int]


class Atoms(NamedTuple, Generic[A]):
    """Facts about the atoms of polynomials, which are classes or terms.

    Attributes:
        intervals: returns the intervals of some atoms.
        extent: returns the extent of a loop variable, None for other atoms.
        slack: returns the slack of a loop variable, an atom that stands for extent - 1 - variable.
        order: the order of atoms in monomials.
    """

    intervals: Callable[[Sequence[A]], list[Interval]]
    extent: Callable[[A], Form[A] | None]
    slack: Callable[[A], A]
    order: Order = None


def is_natural(form: Form[A], atoms: Atoms[A]) -> bool:
    """Whether bounds prove that a polynomial is never negative, once loop variables are written as extent - 1 - s."""
    slacks: set[A] = set()

    def intervals(some: Sequence[A]) -> list[Interval]:
        others = [atom for atom in some if atom not in slacks]
        known = dict(zip(others, atoms.intervals(others), strict=True))
        return [known.get(atom, (0, None)) for atom in some]

    for _ in range(MOST_LOOPS):
        least, _ = interval(form, intervals)
        if least is not None and least >= 0:
            return True
        negative = (atom for monomial, value in form.items() if value < 0 for atom in monomial)
        loop, extent = next(((atom, end) for atom in negative if (end := atoms.extent(atom))), (None, None))
        if loop is None or extent is None or len(form) > MOST_TERMS:
            return False
        slack = atoms.slack(loop)
        slacks.add(slack)
        last: dict[tuple[A, ...], int] = plus(extent, {(): -1, (slack,): -1})
        form = substituted(form, loop, last, atoms.order)
    return False


def verdict(is_less: bool, apart: Form[A], atoms: Atoms[A]) -> bool | None:
    """Whether a comparison of two numbers holds, judged by their difference `apart`; None if that does not decide it."""
    below = is_natural(_turned(apart), atoms)
    if is_less:
        return True if below else False if is_natural(apart, atoms) else None
    if below or is_natural({**apart, (): apart.get((), 0) - 1}, atoms):
        return True
    return False if interval(apart, atoms.intervals) == (0, 0) else None


def _turned(form: Form[A]) -> Form[A]:
    """The polynomial -form - 1, which is not negative exactly where `form` is negative."""
    turned = {monomial: -value for monomial, value in form.items()}
    return {**turned, (): turned.get((), 0) - 1}


def find_comparisons(context: Context) -> Iterator[Claim]:
    """Claims comparisons of indices that bounds decide, quotients and remainders of dividends below their divisor, and splits for comparisons."""
    atoms = _atoms_of(context)
    for row in context.rows:
        if row.columns[0] != "index" or row.owner in context.constants:
            continue
        if row.table in ("CMPLT", "CMPNE"):
            left, right = (context.polynomials.of(side) for side in row.children)
            found = verdict(row.table == "CMPLT", difference(left, right), atoms)
            if found is not None:
                yield Equal("comparison_of_bounds", row.owner, Constant(("bool", row.shape), int(found)))
            else:
                yield from _of_counts(context, row)
                yield from _splits(context, row)
        elif row.table in ("FLOORDIV", "FLOORMOD") and row.children[1] not in context.constants:
            yield from _below_divisor(context, row, atoms)


def _atoms_of(context: Context) -> Atoms[int]:
    """Atoms that are classes. The extent of a loop variable is a class that is known to be above it."""
    constants, polynomials = context.constants, context.polynomials
    extents = {
        row.children[0]: row.children[1]
        for row in context.rows
        if row.table == "CMPLT" and row.columns[0] == "index" and constants.get(row.owner) == 1
        and not any(child in constants for child in row.children)
    }  # fmt: skip

    def extent(atom: int) -> Polynomial | None:
        return polynomials.of(extents[atom]) if atom in extents else None

    return Atoms[int](polynomials.intervals, extent, int.__invert__)


def _below_divisor(context: Context, row: Row, atoms: Atoms[int]) -> Iterator[Claim]:
    """Claims that a dividend below its divisor has the quotient zero, and is the remainder itself."""
    dividend, divisor = row.children
    apart = difference(context.polynomials.of(dividend), context.polynomials.of(divisor))
    if context.frozen.lo.get(dividend, -1) >= 0 and is_natural(_turned(apart), atoms):
        remaining: Term = dividend if row.table == "FLOORMOD" else Constant((row.dtype, row.shape), 0)
        yield Equal("dividend_below_divisor", row.owner, remaining)


def _of_counts(context: Context, row: Row) -> Iterator[Claim]:
    """Drops the factors from a sum that is compared with zero: 3*x + 2*y < 1 is x + y < 1 where neither x nor y is negative."""
    left, right = row.children
    value, end = (left, 1) if right in context.constants else (right, 0)
    other = right if value == left else left
    if row.table != "CMPLT" or other not in context.constants or value in context.constants:
        return
    form = context.polynomials.of(value)
    terms = {monomial: factor for monomial, factor in form.items() if monomial}
    is_count = context.constants[other] - form.get((), 0) == end and min(terms.values()) >= 1
    if not is_count or max(terms.values()) == 1:
        return
    least = [interval({monomial: 1}, context.polynomials.intervals)[0] for monomial in terms]
    if all(low is not None and low >= 0 for low in least):
        place = (row.dtype, row.shape)
        plain: Polynomial = dict.fromkeys(terms, 1)
        sides: tuple[Term, ...] = (Sum(place, plain), Constant(place, end))
        yield Equal(
            "comparison_of_counts", row.owner, Operation("CMPLT", place, sides if end else sides[::-1])
        )


def _splits(context: Context, row: Row) -> Iterator[Split]:
    """Claims splits of values that are compared with a constant; rules match the splits."""
    left, right = row.children
    if right in context.constants:
        for form in forms(context.polynomials, left):
            for parts in comparison_parts(context.polynomials, form):
                yield Split("splits", left, (row.dtype, row.shape), *parts)


# The checks


def decided_by_difference(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Checks that the difference of both sides decides a comparison."""
    claimed = constant_of(after)
    if claimed is None or before.op not in COMPARISON or kind_of(before.src[0].dtype) != "x":
        return False
    apart = difference(*map(polynomial, before.src))
    return verdict(before.op is Op.CMPLT, apart, _atoms_of_terms(bounds)) == claimed


def below_divisor(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Checks that a dividend below its divisor has the quotient zero, and is the remainder itself."""
    if before.op not in (Op.FLOORDIV, Op.FLOORMOD) or kind_of(before.dtype) != "x":
        return False
    dividend, divisor = before.src
    remains = after is dividend if before.op is Op.FLOORMOD else constant_of(after) == 0
    ((low, _),) = bounds.of([dividend])
    apart = difference(polynomial(dividend), polynomial(divisor))
    return remains and low is not None and low >= 0 and is_natural(_turned(apart), _atoms_of_terms(bounds))


def _atoms_of_terms(bounds: Bounds) -> Atoms[UOp]:
    """Atoms that are terms. A loop variable has its extent as its source."""

    def extent(atom: UOp) -> Form[UOp] | None:
        is_loop = atom.op in (Op.RANGE, Op.SPECIAL) and atom.src[0].dtype is index
        return polynomial(atom.src[0]) if is_loop else None

    def slack(atom: UOp) -> UOp:
        return atom.alu(Op.NEG)  # stands for the slack of a loop variable; no polynomial has a NEG as an atom

    return Atoms[UOp](bounds.of, extent, slack, id)


def same_count(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Checks two comparisons with zero of sums of positive multiples: both sums have the same terms, and none of these is negative."""
    one, other = _counted(before), _counted(after)
    if one is None or one != other:
        return False
    return all((low := interval({term: 1}, bounds.of)[0]) is not None and low >= 0 for term in one[1])


def _counted(node: UOp) -> tuple[bool, frozenset[Monomial]] | None:
    """Reads a comparison that asks whether a sum is zero (True), or whether it is not (False). Returns that bool, and the terms of the sum."""
    if node.op is not Op.CMPLT or kind_of(node.src[0].dtype) != "x":
        return None
    terms = difference(polynomial(node.src[1]), polynomial(node.src[0]))  # positive where it holds
    constant = terms.pop((), 0)
    if not terms:
        return None
    if constant == 1 and max(terms.values()) < 0:
        return True, frozenset(terms)
    return (False, frozenset(terms)) if constant == 0 and min(terms.values()) > 0 else None


COMPARISONS = Theory(
    find_comparisons,
    {
        "comparison of bounds": Check(
            "The bounds of a difference decide a comparison; loop variables are below their extents.",
            decided_by_difference,
        ),
        "comparison of counts": Check(
            "A sum of positive multiples of natural numbers is zero exactly where all of these numbers are zero.",
            same_count,
        ),
        "dividend below divisor": Check(
            "A dividend from 0 up to the divisor is its own remainder, and its quotient is 0.", below_divisor
        ),
    },
)
