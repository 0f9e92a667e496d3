"""Finds the values of dims in the shapes of a call's arrays."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from eqsat.errors import ExtentError
from eqsat.extents import Extent
from eqsat.extents.extent import GREATEST
from eqsat.extents.factors import Dim, text_of_terms
from eqsat.shape import Shape


class _Source(NamedTuple):
    """Where a call finds the value of a dim: the extent of `axis` of `argument` is `factor · value + offset`."""

    dim: Dim
    argument: int
    axis: int
    factor: int
    offset: int


class Binding:
    """Finds the values of dims in the shapes of a call's arrays.

    Attributes:
        names: the dims that the shapes determine; a call gives the values of all others by name.
        values: maps the shapes of all arguments to the value of each dim.
        shapes: maps the values of dims, as pairs of name and value, to the shapes of the results.
    """

    def __init__(
        self, shapes: Sequence[Shape | None], results: Sequence[Shape], labels: Sequence[str] = ()
    ) -> None:
        """The declared shapes of arguments (None: any shape) and of results; `labels` name the arguments in messages."""
        self._shapes = shapes
        self._labels = labels or [f"argument {number} of the program" for number in range(len(shapes))]
        self._results = results
        sources: dict[str, _Source] = {}
        for argument, shape in enumerate(shapes):
            for axis, extent in enumerate(shape or ()):
                if isinstance(extent, Extent) and (found := _source(extent, argument, axis)) is not None:
                    sources.setdefault(found.dim.name, found)
        self._sources = tuple(sources.values())
        self.names = frozenset(sources)
        self.values = lru_cache(1 << 10)(self._values)
        self.shapes = lru_cache(1 << 10)(self._shapes_of_results)

    def _values(self, given: tuple[tuple[int, ...], ...]) -> dict[str, int]:
        """The value of each dim, from the shapes of all arguments.

        Raises:
            ExtentError: an extent is out of bounds, or two arrays disagree about one.
        """
        for argument, (wanted, shape) in enumerate(zip(self._shapes, given, strict=True)):
            if wanted is not None and len(shape) != len(wanted):
                raise ExtentError(
                    f"{self._labels[argument]} has shape {shape} and must be {wanted}; reshape it, or compile again"
                )
        values: dict[str, int] = {}
        for source in self._sources:
            values[source.dim.name] = _value(source, given, self._labels[source.argument])
        for argument, (wanted, shape) in enumerate(zip(self._shapes, given, strict=True)):
            for axis, (extent, actual) in enumerate(zip(wanted or shape, shape, strict=True)):
                self._require(extent, actual, argument, axis, values)
        return values

    def _require(self, extent: int, actual: int, argument: int, axis: int, values: dict[str, int]) -> None:
        if not isinstance(extent, Extent):
            if extent != actual:
                raise ExtentError(
                    f"{self._labels[argument]} has extent {actual} on axis {axis} and must have {extent}; reshape it, or compile again"
                )
            return
        if any(dim.name not in values for dim in extent.dims):
            return  # the call gives a dim by name; the device checks the number of elements
        if extent.at(values) != actual:
            first = next(source for source in self._sources if source.dim in extent.dims)
            raise ExtentError(
                f"{self._labels[argument]} has extent {actual} on axis {axis}, which is {extent}, and {self._labels[first.argument]} "
                f"says on axis {first.axis} that {first.dim.name} is {values[first.dim.name]}; arrays that share a dim have one extent: "
                f"pass arrays that agree, or give the axes different dims"
            )

    def _shapes_of_results(self, values: tuple[tuple[str, int], ...]) -> tuple[Shape, ...]:
        known = dict(values)
        return tuple(
            tuple(extent.at(known) if isinstance(extent, Extent) else extent for extent in shape)
            for shape in self._results
        )


def _source(extent: Extent, argument: int, axis: int) -> _Source | None:
    """How to compute a dim from this extent of an argument; None unless the extent is linear in a single dim."""
    (dim, *others), terms = extent.dims, dict(extent.terms)
    if others or not terms.keys() <= {(), (dim,)}:
        return None
    return _Source(dim, argument, axis, terms[(dim,)], terms.get((), 0))


def _value(source: _Source, given: Sequence[tuple[int, ...]], label: str) -> int:
    dim, argument, axis, factor, offset = source
    extent = given[argument][axis]
    value, rest = divmod(extent - offset, factor)
    if rest or not dim.least <= value <= dim.greatest:
        wanted = text_of_terms(tuple(term for term in (((dim,), factor), ((), offset)) if term[1]))
        near = [factor * each + offset for each in (value, value + 1) if dim.least <= each <= dim.greatest]
        advice = (
            f"pad or cut it to {' or '.join(map(str, near))}"
            if rest and near
            else "pass an array within the bounds"
            if rest or not 1 <= value <= GREATEST
            else f"pass an array within the bounds, or compile for others by eqsat.dim({dim.name!r}, "
            f"{min(dim.least, value)}, {max(dim.greatest, value)})"
        )
        raise ExtentError(
            f"{label} has extent {extent} on axis {axis}, which is {wanted} with {dim.name} in {dim.least}..{dim.greatest}; {advice}"
        )
    return value
