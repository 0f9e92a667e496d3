"""Dynamic extents, known only when a program is called: `dim("n", 1, 4096)`, sums and products of these and numbers, and quotients by numbers.

In a shape, an extent stands for every number of elements that its variables allow. The *capacity* of its axis is room for the greatest number,
rounded up so that tiles of loops divide it. Elements from the extent up to the capacity exist, have no promised value, and are never read:
operations that combine elements along such an axis leave them out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from math import isfinite, prod
from numbers import Integral, Rational
from typing import Any, NoReturn

from eqsat.errors import BuildError, ShapeError, brief
from eqsat.extents.factors import (
    Dim,
    Factor,
    Monomial,
    Quotient,
    Terms,
    are_terms,
    ends_of,
    factors_in,
    in_order,
    never_falls,
    place_of,
    simplified,
    text_of_terms,
    value_of_terms,
)
from eqsat.extents.unknown import Unknown

GREATEST = 1 << 40  # largest upper bound of a dim, in elements

Bounds = tuple[int, int]  # the least and the greatest value of a variable


class Extent(Unknown):
    """The number of elements of an axis, as a sum of products of variables.

    It takes the place of an integer in a shape. Code that needs its value while a function is traced, such as `range`, `int` and `[0] * extent`,
    gets an error.

    Attributes:
        terms: the non-zero terms of the sum.
        capacity: the capacity of the axis.
    """

    terms: Terms
    capacity: int

    def __new__(cls, terms: Terms = ()) -> Extent:
        """The sum of these terms, at least one of which has a variable.

        Raises:
            ShapeError: `terms` is no such sum.
        """
        if not are_terms(terms):
            raise ShapeError(
                f"{brief(terms)} is no sum of products of dims; make an extent by eqsat.dim('n', 1, 4096)"
            )
        self = super().__new__(cls)
        self.terms = terms
        self.capacity = value_of_terms(terms, lambda factor: factor.capacity)
        return self

    @staticmethod
    def of(dim: Dim) -> Extent:
        """The value of one variable."""
        return Extent((((dim,), 1),))

    @property
    def dims(self) -> tuple[Dim, ...]:
        """The variables that occur in it, in order."""
        return tuple(sorted({dim for factor in factors_in(self.terms) for dim in factor.dims}))

    @property
    def least(self) -> int:
        """Its least possible value."""
        return value_of_terms(self.terms, lambda factor: factor.least)

    @property
    def greatest(self) -> int:
        """Its greatest possible value."""
        return value_of_terms(self.terms, lambda factor: factor.greatest)

    def at(self, values: Mapping[str, int]) -> int:
        """The number of elements for values of the variables.

        Raises:
            BuildError: a value is missing, or is not an integer.
        """
        if not all(_is_number(_found(values, dim.name)) for dim in self.dims):
            names = ", ".join(dim.name for dim in self.dims)
            raise BuildError(
                f"{self!r} has no value for {brief(values)}; give an integer for each of: {names}"
            )
        return value_of_terms(self.terms, lambda factor: factor.at(values))

    def within(self, bounds: Mapping[str, Bounds]) -> int:
        """The extent for narrower bounds of its variables; a plain number if none of them can vary any more.

        Raises:
            BuildError: the bounds are not pairs of positive integers, the lesser one first.
        """
        if not isinstance(bounds, Mapping) or not all(map(_are_bounds, bounds.values())):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise BuildError(
                f"{brief(bounds)} are no bounds of variables; map names to pairs, as in {{{self.dims[0].name!r}: (1, 64)}}"
            )
        return extent_of_terms(
            (product, factor * scale)
            for monomial, factor in self.terms
            for product, scale in _terms_of(prod(_within(each, bounds) for each in monomial))
        )

    def __repr__(self) -> str:
        return text_of_terms(self.terms)

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(repr(self), spec.rstrip("d"))

    def __reduce__(self) -> tuple[type[Extent], tuple[Terms]]:
        return Extent, (self.terms,)

    # comparisons: extents are equal if their terms are; they are ordered where the bounds decide the order

    def __hash__(self) -> int:
        return hash((Extent, self.terms))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Extent) and self.terms == other.terms

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __lt__(self, other: Any) -> Any:
        return self._ordered(other, f"{self!r} < {brief(other)}", strict=True)

    def __ge__(self, other: Any) -> Any:
        return not self < other if _is_comparable(other) else self._with_arrays(other)

    def __le__(self, other: Any) -> Any:
        return self._ordered(other, f"{self!r} <= {brief(other)}", strict=False)

    def __gt__(self, other: Any) -> Any:
        return not self <= other if _is_comparable(other) else self._with_arrays(other)

    def __bool__(self) -> bool:
        return self > 0

    # arithmetic that extents of axes need

    def __add__(self, other: Any) -> Any:
        return _sum(self, other, 1) if isinstance(other, int | Extent) else self._with_arrays(other)

    __radd__ = __add__

    def __pos__(self) -> Extent:
        return self

    def __sub__(self, other: Any) -> Any:
        return _sum(self, other, -1) if isinstance(other, int | Extent) else self._with_arrays(other)

    def __rsub__(self, other: Any) -> Any:
        return _sum(other, self, -1) if isinstance(other, int | Extent) else self._with_arrays(other)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, list | tuple | str | bytes):
            return NotImplemented  # Python then tries to repeat the sequence, and __index__ raises the error
        return _product(self, other) if isinstance(other, int | Extent) else self._with_arrays(other)

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Any:
        if not isinstance(other, int | Extent):
            return self._with_arrays(other)
        if self.is_multiple(other):
            return self._quotient(other)
        return self._refuse(f"{self!r} // {other!r}") if isinstance(other, Extent) else quotient(self, other)

    def __mod__(self, other: Any) -> Any:
        if not isinstance(other, int | Extent):
            return self._with_arrays(other)
        return 0 if self.is_multiple(other) else self._refuse(f"{self!r} % {brief(other)}")

    def is_multiple(self, other: int) -> bool:
        """Whether a number, or an extent that is a single product, divides this extent for all values of the variables.

        Raises:
            BuildError: `other` is neither a number nor an extent.
        """
        if not isinstance(other, int | Extent):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise BuildError(
                f"{brief(other)} is no number of elements that may divide {self!r}; give an integer or an extent"
            )
        try:
            self._quotient(other)
        except ArithmeticError:
            return False
        return True

    def _quotient(self, other: int) -> int:
        ((divisor, scale),) = _terms_of(other) if len(_terms_of(other)) == 1 else (((), 0),)
        found: dict[Monomial, int] = {}
        for monomial, factor in self.terms:
            left = Counter(monomial)
            left.subtract(divisor)
            if not scale or factor % scale or any(count < 0 for count in left.values()):
                raise ArithmeticError
            found[tuple(sorted(left.elements(), key=place_of))] = factor // scale
        return _extent(found)

    def _ordered(self, other: Any, claim: str, *, strict: bool) -> Any:
        if not _is_comparable(other):
            return self._with_arrays(other)
        left = dict(_terms_of(other))
        for monomial, factor in self.terms:
            left[monomial] = left.get(monomial, 0) - factor
        (low, high), (first, last) = ends_of(left), _bounds(other)
        least, greatest = max(low, first - self.greatest), min(high, last - self.least)
        if least > 0 or (least == 0 and not strict):
            return True
        if greatest < 0 or (greatest == 0 and strict):
            return False
        return self._refuse(claim)

    def _refuse(self, asked: str) -> NoReturn:
        raise ShapeError(
            f"cannot tell {asked} while a function is traced: {self!r} is {self.least}..{self.greatest} and known when the program is called; "
            f"compute with the array eqsat.asarray(x.shape[axis]), or choose other bounds"
        )


Rational.register(Extent)  # so that `Fraction(extent)` asks for its numerator, which raises the error


def dim(name: str, least: int | None = None, greatest: int | None = None) -> Extent:
    """An extent from `least` to `greatest` that is known only when a program is called: for the shapes of `spec`, and for `jit(dynamic=...)`.

    A program is compiled once for all its values. Dims of one name are one variable, and must have the same bounds.

    Raises:
        ShapeError: the name is not an identifier, or the bounds are not a range of positive integers up to 2⁴⁰.

    >>> from eqsat.extents import dim
    >>> (dim("n", 1, 4096), 512)
    (n, 512)
    """
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ShapeError(
            f"{brief(name)} is no name of a dim; use letters, digits and underscores, such as 'n'"
        )
    if least is None or greatest is None:
        raise ShapeError(
            f"dim {brief(name)} has no bounds; give the least and the greatest extent, as in eqsat.dim({brief(name)}, 1, 4096)"
        )
    if not all(type(bound) is int for bound in (least, greatest)):
        raise ShapeError(
            f"the bounds of dim {brief(name)} are integers, not {brief(least)} and {brief(greatest)}"
        )
    if not 1 <= least <= greatest <= GREATEST:
        raise ShapeError(
            f"dim {brief(name)} cannot be {brief(least)}..{brief(greatest)}; give it bounds with 1 <= least <= greatest <= 2**40"
        )
    return Extent.of(Dim(name, least, greatest))


def capacity(extent: int) -> int:
    """The capacity of an axis; the extent itself if it is a plain number."""
    return extent.capacity if isinstance(extent, Extent) else extent


def at(extent: int, values: Mapping[str, int]) -> int:
    """The extent for values of its variables; the extent itself if it is a plain number."""
    return extent.at(values) if isinstance(extent, Extent) else extent


def may_have_elements(extent: int) -> bool:
    """Whether an axis of this extent has elements, for some values of its variables."""
    return extent.greatest > 0 if isinstance(extent, Extent) else extent > 0


def capacities(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape with the capacity of each axis in place of its extent."""
    return tuple(map(capacity, shape))


def is_dynamic(shape: tuple[int, ...] | None) -> bool:
    """Whether some axis has a dynamic extent; False for None."""
    return any(isinstance(extent, Extent) for extent in shape or ())


def quotient(extent: int, divisor: int) -> int:
    """An extent divided by a whole number, rounded down.

    Raises:
        ShapeError: the divisor is not positive.

    >>> quotient(dim("n", 1, 9) * 4 + 6, 4), quotient(quotient(dim("n", 1, 9), 2) + 1, 3)
    (n + 1, ((n + 2) // 6))
    """
    if divisor < 1:
        raise ShapeError(f"cannot divide the extent {extent!r} by {divisor}; divide by a positive number")
    if not isinstance(extent, Extent):
        return extent // divisor
    whole = {monomial: factor // divisor for monomial, factor in extent.terms}
    rest = {monomial: factor % divisor for monomial, factor in extent.terms}
    terms = in_order(rest)
    if not any(monomial for monomial, _ in terms):
        return _extent(whole)
    others = [monomial for monomial, factor in terms if monomial and (len(monomial), factor) != (1, 1)]
    (first, *more) = [monomial[0] for monomial, _ in terms if monomial]
    if not others and not more and isinstance(first, Quotient):  # ⌊(⌊m / k⌋ + c) / d⌋ = ⌊(m + c·k) / (k·d)⌋
        inner = _sum(Extent(first.terms), rest.get((), 0) * first.divisor, 1)
        return _sum(quotient(inner, first.divisor * divisor), _extent(whole), 1)
    found = whole | {(Quotient(terms, divisor),): whole.get((Quotient(terms, divisor),), 0) + 1}
    return _extent(found)


def extent_of_terms(terms: Iterable[tuple[Iterable[Factor], int]]) -> int:
    """The sum of products of variables, each with its whole number as factor; a plain number if no variable is left.

    Raises:
        ShapeError: the sum may fall when a variable grows.
    """
    found: dict[Monomial, int] = {}
    for monomial, factor in terms:
        key = tuple(sorted(monomial, key=place_of))
        found[key] = found.get(key, 0) + factor
    return _extent(found)


def _found(values: Any, name: str) -> Any:
    return values.get(name) if isinstance(values, Mapping) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


def _is_number(value: object) -> bool:
    return type(value) is not bool and isinstance(value, Integral)


def _are_bounds(bounds: Any) -> bool:
    try:
        least, greatest = bounds
    except (TypeError, ValueError):
        return False
    return _is_number(least) and _is_number(greatest) and 1 <= least <= greatest


def _is_comparable(other: object) -> bool:
    return isinstance(other, int | Extent) or (isinstance(other, float) and isfinite(other))


def _within(factor: Factor, bounds: Mapping[str, Bounds]) -> int:
    if isinstance(factor, Quotient):
        return quotient(Extent(factor.terms).within(bounds), factor.divisor)
    least, greatest = bounds.get(factor.name, (factor.least, factor.greatest))
    return least if least == greatest else Extent.of(Dim(factor.name, least, greatest))


def _bounds(value: int) -> Bounds:
    return (value.least, value.greatest) if isinstance(value, Extent) else (value, value)


def _terms_of(value: int) -> Terms:
    return value.terms if isinstance(value, Extent) else (((), value),) if value else ()


def _sum(left: int, right: int, sign: int) -> int:
    return extent_of_terms(
        [*_terms_of(left), *((monomial, sign * factor) for monomial, factor in _terms_of(right))]
    )


def _product(left: int, right: int) -> int:
    return extent_of_terms(
        ((*one, *other), factor * scale)
        for one, factor in _terms_of(left)
        for other, scale in _terms_of(right)
    )


def _extent(found: Mapping[Monomial, int]) -> int:
    """The sum of products; a plain number if no variable is left.

    Raises:
        ShapeError: the sum may fall when a variable grows, so its capacity would not be room for its greatest value.
    """
    terms = in_order(simplified(found))
    if not any(monomial for monomial, _ in terms):
        return terms[0][1] if terms else 0
    if not never_falls(terms):
        raise ShapeError(
            "cannot subtract an extent that is known only when the program is called; write the axis another way round"
        )
    return Extent(terms)
