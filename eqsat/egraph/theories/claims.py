"""Claims of theories: an e-class equals a term (`Equal`), or a sum is divisor * quotient + rest (`Split`).

Terms of claims refer to e-classes by number. The receiver of a claim writes it in its own form: as egglog actions, or as UOps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from eqsat.egraph.snapshot.frozen import Row
from eqsat.egraph.theories.context import Context
from eqsat.egraph.theories.polynomial import Polynomial
from eqsat.egraph.theories.terms.bounds import Bounds
from eqsat.uop import UOp

# The dtype (of the operands, for a comparison) and the shape of a term, as in its table
Place = tuple[str, str]


class Constant(NamedTuple):
    """A constant: integers by value, bools as 0 and 1, floats by the bits of a double."""

    place: Place
    bits: int


class Sum(NamedTuple):
    """A polynomial over classes."""

    place: Place
    polynomial: Polynomial


class Scaled(NamedTuple):
    """A multiple of a class."""

    place: Place
    factor: int
    value: Term


class Operation(NamedTuple):
    """An operation by its table; the operands of an n-ary one are in any order."""

    table: str
    place: Place
    operands: tuple[Term, ...]


class Reinterpreted(NamedTuple):
    """A bitcast of a value whose dtype is `source`."""

    place: Place
    source: str
    value: Term


Term = int | Constant | Sum | Scaled | Operation | Reinterpreted


class Equal(NamedTuple):
    """A class equals a term.

    Attributes:
        reason: the name under which claims of this kind are counted.
        identity: identifies the claim among the claims about its class; if empty, the term does.
        replaced: a row of the class that rules need not match any more, if there is one.
    """

    reason: str
    owner: int
    term: Term
    identity: tuple[Term | str, ...] = ()
    replaced: Row | None = None


class Split(NamedTuple):
    """A class is divisor * quotient + rest, which rules about divisions match."""

    reason: str
    owner: int
    place: Place
    divisor: int
    quotient: Polynomial
    rest: Polynomial


Claim = Equal | Split


class Check(NamedTuple):
    """The reason why two terms are equal, in words, and a check of two terms, given bounds.

    A check may reject equal terms. It never accepts terms that are not equal.
    """

    claim: str
    check: Callable[[UOp, UOp, Bounds], bool]


@dataclass(frozen=True, slots=True)
class Theory:
    """A procedure that finds equalities in an e-graph, with a check for each kind of equality that it claims.

    A check reads two terms and bounds, and nothing of the e-graph. Tests evaluate terms on numbers to test the checks, and through them the finder.
    """

    find: Callable[[Context], Iterable[Claim]]
    checks: Mapping[str, Check]


def key_of(claim: Claim, name: Callable[[int], int]) -> tuple[Any, ...]:
    """The identity of a claim, in which `name` gives each class a number that stays the same from step to step."""
    if isinstance(claim, Split):
        parts: list[Any] = [
            ("split", claim.divisor),
            *(_of_sum(form, name) for form in (claim.quotient, claim.rest)),
        ]
    else:
        parts = [_key(term, name) for term in claim.identity or (claim.term,)]
    return (name(claim.owner), *parts)


def _key(term: Term | str, name: Callable[[int], int]) -> Any:
    match term:
        case int():
            return name(term)
        case Sum(place, polynomial):
            return (*place, _of_sum(polynomial, name))
        case Scaled(place, factor, value):
            return ("SCALE", *place, factor, _key(value, name))
        case Operation(table, place, operands):
            keys = [_key(operand, name) for operand in operands]
            return (table, *place, *(sorted(keys, key=repr) if table.endswith("_N") else keys))
        case Reinterpreted(place, source, value):
            return ("BITCAST", *place, source, _key(value, name))
        case _:
            return term


def _of_sum(polynomial: Polynomial, name: Callable[[int], int]) -> tuple[Any, ...]:
    def named(monomial: tuple[int, ...]) -> tuple[int, ...]:
        return (name(monomial[0]),) if len(monomial) == 1 else tuple(sorted(map(name, monomial)))

    return tuple(sorted([(named(monomial), value) for monomial, value in polynomial.items()]))


def written_out(term: Sum) -> Term:
    """Writes a polynomial as sums, products and multiples."""
    place = term.place
    parts: list[Term] = []
    for monomial, factor in sorted(term.polynomial.items()):
        if not monomial:
            parts.append(Constant(place, factor))
            continue
        value = monomial[0] if len(monomial) == 1 else Operation("MUL_N", place, monomial)
        parts.append(value if factor == 1 else Scaled(place, factor, value))
    if not parts:
        return Constant(place, 0)
    return parts[0] if len(parts) == 1 else Operation("ADD_N", place, tuple(parts))
