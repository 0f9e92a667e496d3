"""Comparisons of indices: decided by bounds of the difference or by loop extents, and sums of counts compared with zero."""

from __future__ import annotations

from collections.abc import Iterator

from eqsat.egraph.snapshot.frozen import Row
from eqsat.egraph.tables.schema import kind_of
from eqsat.egraph.theories.claims import Check, Claim, Constant, Equal, Operation, Sum, Term, Theory
from eqsat.egraph.theories.context import Context
from eqsat.egraph.theories.division import comparison_splits
from eqsat.egraph.theories.extents import Extents, decided_by_extents
from eqsat.egraph.theories.polynomial import Polynomial
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.egraph.theories.terms.constants import constant_of
from eqsat.egraph.theories.terms.sums import Monomial, polynomial
from eqsat.integers.polynomials import difference, interval
from eqsat.ops import COMPARISON, Op
from eqsat.uop import UOp


def find_comparisons(context: Context) -> Iterator[Claim]:
    """What is known of the comparisons of indices that are no constants yet."""
    extents = Extents(context)
    for row in context.rows:
        if row.table in ("CMPLT", "CMPNE") and row.dtype == "index" and row.owner not in context.constants:
            left, right = (context.polynomials.of(side) for side in row.children)
            verdict = _verdict(row.table, context.polynomials.bounds(difference(left, right)))
            if verdict is None:
                verdict = _verdict_by_extents(extents, row)
            if verdict is not None:
                yield Equal("comparison_of_bounds", row.owner, Constant(("bool", row.shape), verdict))
            else:
                yield from _of_counts(context, row)
                yield from comparison_splits(context, row)


def _verdict(table: str, bounds: tuple[int, int] | None) -> int | None:
    """What the bounds of left - right say about a comparison."""
    if bounds is None:
        return None
    least, greatest = bounds
    if table == "CMPLT":
        return 1 if greatest < 0 else 0 if least >= 0 else None
    if least == greatest == 0:
        return 0
    return 1 if greatest < 0 or least > 0 else None


def _verdict_by_extents(extents: Extents, row: Row) -> int | None:
    """What loop variables with computed extents decide about a comparison."""
    left, right = row.children
    if extents.is_below(left, right):
        return 1
    if extents.is_below(right, left):
        return 0 if row.table == "CMPLT" else 1
    return None


def _of_counts(context: Context, row: Row) -> Iterator[Claim]:
    """A sum of multiples of numbers from zero up is above zero where one of the numbers is, whatever they are multiplied by."""
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
    least = [context.polynomials.bounds({monomial: 1}) for monomial in terms]
    if all(bounds is not None and bounds[0] >= 0 for bounds in least):
        place = (row.dtype, row.shape)
        plain: Polynomial = dict.fromkeys(terms, 1)
        sides: tuple[Term, ...] = (Sum(place, plain), Constant(place, end))
        yield Equal(
            "comparison_of_counts", row.owner, Operation("CMPLT", place, sides if end else sides[::-1])
        )


# The checks


def decided_by_difference(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """The bounds of a difference decide a comparison."""
    verdict = constant_of(after)
    if verdict is None or before.op not in COMPARISON or kind_of(before.src[0].dtype) != "x":
        return False
    low, high = interval(difference(polynomial(before.src[0]), polynomial(before.src[1])), bounds.of)
    if before.op is Op.CMPLT:
        return (high is not None and high < 0) if verdict else (low is not None and low >= 0)
    if verdict:
        return (high is not None and high < 0) or (low is not None and low > 0)
    return low == high == 0


def same_count(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """A sum of positive multiples of what is not negative is zero exactly where all of that is."""
    one, other = _counted(before), _counted(after)
    if one is None or one != other:
        return False
    return all((low := interval({term: 1}, bounds.of)[0]) is not None and low >= 0 for term in one[1])


def _counted(node: UOp) -> tuple[bool, frozenset[Monomial]] | None:
    """Whether a comparison asks if a sum is zero (or if it is not), and the sum's terms."""
    if node.op is not Op.CMPLT or kind_of(node.src[0].dtype) != "x":
        return None
    terms = difference(
        polynomial(node.src[1]), polynomial(node.src[0])
    )  # zero or less where the comparison fails
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
            "The bounds of a difference decide a comparison.", decided_by_difference
        ),
        "comparison of counts": Check(
            "A sum of positive multiples of numbers from zero up is zero where all of them are.", same_count
        ),
        "extents": Check("Loop variables are below their extents.", decided_by_extents),
    },
)
