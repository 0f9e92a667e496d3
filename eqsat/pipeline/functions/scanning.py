"""Scans with an operator of the caller's.

An axis of n elements is n = a·b·c… for few small factors. Blocks of a elements are combined to one element each, in straight code that is
vectorized across blocks and other axes. The elements of the blocks are scanned in the same way, as an axis of b·c·…. Then each block is scanned,
beginning with what precedes it. So each element is read twice and each result is written once, and the code grows with log n.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, combinations_with_replacement, islice
from itertools import count as count_from
from math import prod
from typing import Any, SupportsIndex

from eqsat.array import Array, asarray, placeholder, stack, where
from eqsat.array.nodes.axes import normalize_axis
from eqsat.array.nodes.views import cut, extend, insert_axis, merge_axes, move_axis, positions, remove_axis, reverse, split_axis
from eqsat.errors import BuildError, DTypeError, ShapeError, brief
from eqsat.extents import Extent
from eqsat.ops import Op
from eqsat.pipeline.functions.nested import Place, leaves_of, mapped, mapped_arrays
from eqsat.pipeline.functions.formulas import NoFormulasError
from eqsat.pipeline.functions.recurrences import Steps, combined
from eqsat.pipeline.functions.tracing import Slots
from eqsat.uop import UOp
from eqsat.uop.taking import taken

SHORTEST, LONGEST = 4, 16  # elements of a block
Elements = tuple[Array, ...]  # an array for each leaf


def associative_scan(
    function: Callable[[Any, Any], Any], elements: Any, /, *, axis: SupportsIndex = 0, reverse: bool = False
) -> Any:
    """Combines each element with all elements before it along an axis, by an associative function: x₀, f(x₀, x₁), f(f(x₀, x₁), x₂), ….

    The function may be any that is associative, f(f(a, b), c) = f(a, f(b, c)), also one that is not commutative. Since parts of the axis are combined
    at the same time, in an order that is not stated, rounding may differ from that of a loop.

    Args:
        function: combines two elements, the earlier one first. It is called with two trees of arrays in the structure of `elements`, which hold many
            elements along `axis`, the same number in both. It combines each with the one at the same place, and returns such a tree, with the
            same shapes and dtypes. It may be called with elements that the results do not depend on.
        elements: an array, or arrays in tuples, lists and dicts, all of one extent along `axis`. Other axes may differ.
        axis: the axis of each array along which to combine.
        reverse: whether to begin at the end: the last result is the last element, and the first combines all elements, the last one first.

    Returns:
        Arrays in the structure, shapes and dtypes of `elements`.

    Raises:
        BuildError: `elements` has no arrays, or `function` returns another structure.
        ShapeError: an array has no such axis, extents along it differ, or `function` returns another shape.
        DTypeError: `function` returns another dtype.

    The recurrence h = a·h + b, beginning with h = 0, composes the functions h → a·h + b:

    >>> import numpy as np
    >>> import eqsat as eq
    >>> def then(first, second):
    ...     (a, b), (c, d) = first, second
    ...     return c * a, c * b + d
    >>> a, b = np.full(5, 0.5), np.ones(5)
    >>> eq.associative_scan(then, (a, b))[1].numpy()
    array([1.    , 1.5   , 1.75  , 1.875 , 1.9375])
    """
    if not callable(function):
        raise BuildError(
            f"associative_scan combines elements by a function, and {brief(function)} is none; give one of two elements"
        )
    if not isinstance(reverse, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BuildError(f"reverse is True or False, not {brief(reverse)}")
    tree = mapped_arrays(elements, lambda place, array: array)
    named: dict[Place, Array] = dict(leaves_of(tree))
    if not named:
        raise BuildError(f"{brief(elements)} has no arrays to scan; give one at least")
    arrays = tuple(named.values())
    scan = _Scan(function, tree, _axes(named, axis))
    if not reverse:
        return scan.as_tree(scan.along_axis(arrays))
    return scan.as_tree(scan.each(_reversed, scan.along_axis(scan.each(_reversed, arrays))))


def _axes(arrays: Mapping[Place, Array], axis: SupportsIndex) -> tuple[int, ...]:
    """The axis of each array, counted from the front, along all of which there are equally many elements."""
    axes = tuple(normalize_axis(axis, each.ndim, "scan along") for each in arrays.values())
    first, *others = (each.shape[own] for each, own in zip(arrays.values(), axes, strict=True))
    for place, extent in zip(list(arrays)[1:], others, strict=True):
        if extent != first:
            raise ShapeError(
                f"cannot scan {first} and {extent} elements (the latter{_where(place)}) together; give arrays of one extent along axis {axis}"
            )
    return axes


@dataclass(frozen=True, eq=False)
class _Scan:
    """A scan of arrays along one axis of each.

    Attributes:
        function: combines two trees of arrays.
        tree: a tree of that structure.
        axes: the axis of each array.
    """

    function: Callable[[Any, Any], Any]
    tree: Any
    axes: tuple[int, ...]

    def along_axis(self, elements: Elements) -> Elements:
        """The results for all elements. An axis whose extent only calls know is as long as it may be."""
        count = elements[0].shape[self.axes[0]]
        most = count.capacity if isinstance(count, Extent) else count
        if most < 2:
            return elements
        filled = self.each(lambda array, axis: _filled(array, axis, most), elements)
        try:
            found = self.in_one_loop(filled)
        except NoFormulasError:
            factors = block_lengths(most)
            filled = self.each(lambda array, axis: _filled(array, axis, prod(factors)), elements)
            found = self.in_blocks(filled, factors)
        return self.each(lambda array, axis: _part(array, axis, 0, count), found)

    def in_one_loop(self, elements: Elements) -> Elements:
        """The results by recurrences.

        Raises:
            NoFormulasError: the function has no formulas of a moderate length.
        """
        slots = Slots()
        fronted = [move_axis(each.uop, axis, 0) for each, axis in zip(elements, self.axes, strict=True)]
        shapes = [(each.shape or ())[1:] for each in fronted]
        left, right = (
            [placeholder(slots.next(), shape, each.dtype) for each, shape in zip(elements, shapes, strict=True)]
            for _ in range(2)
        )
        given = [self.each(_with_axis, tuple(each)) for each in (left, right)]
        made = self.each(_without_axis, self.combine(*given))
        steps = Steps(_uops(left), _uops(right), _uops(made), ())
        own = [*chain.from_iterable(map(steps.parts, fronted))]
        count = (fronted[0].shape or ())[0]
        scalars = iter(combined(steps.following, own, steps.captured(count)))
        return tuple(
            Array(move_axis(steps.joined([*islice(scalars, len(steps.parts(each)))], shape), 0, axis))
            for each, shape, axis in zip(fronted, shapes, self.axes, strict=True)
        )

    def in_blocks(self, elements: Elements, factors: Sequence[int]) -> Elements:
        """The results for as many elements as the product of the factors, in blocks of as many elements as the first factor."""
        length, *others = factors
        split = self.each(lambda array, axis: _split(array, axis, length), elements)
        blocks = [
            self.each(lambda array, axis, place=place: _at(array, axis + 1, place), split)
            for place in range(length)
        ]
        if others:
            totals = _stored(self.combined(blocks)[-1])
            blocks[0] = self.begun(_stored(self.in_blocks(totals, others)), blocks[0])
        stacked = (
            stack(results, axis=axis + 1)
            for results, axis in zip(zip(*self.combined(blocks), strict=True), self.axes, strict=True)
        )
        return self.each(_merged, tuple(stacked))

    def combined(self, places: Sequence[Elements]) -> list[Elements]:
        """The elements at each place of the blocks, combined with those at all places before it."""
        return list(accumulate(places, self.combine))

    def begun(self, totals: Elements, first: Elements) -> Elements:
        """The first element of each block, combined with all blocks before it; `totals` has the results of all blocks."""
        shifted = self.each(_shifted, totals)
        joined = self.combine(shifted, first)
        return tuple(
            where(_is_first(each, axis), each, other)
            for each, other, axis in zip(first, joined, self.axes, strict=True)
        )

    def combine(self, left: Elements, right: Elements) -> Elements:
        """The function of two elements, or of many.

        Raises:
            BuildError, ShapeError, DTypeError: its result has another structure, shape or dtype than its arguments.
        """
        found = self.function(self.as_tree(left), self.as_tree(right))
        results = {place: asarray(each) for place, each in leaves_of(found)}
        expected = {place: each for (place, _), each in zip(leaves_of(self.tree), left, strict=True)}
        if results.keys() != expected.keys():
            raise BuildError(
                f"the function of associative_scan is given {_listed(expected)} and returns {_listed(results)}; "
                "return arrays in the structure of its arguments"
            )
        for place, each in expected.items():
            result = results[place]
            if result.shape != each.shape:
                raise ShapeError(
                    f"the function of associative_scan is given arrays of {each.shape} and returns {result.shape}{_where(place)}; "
                    "combine the elements at each place along the axis, of which there are many at once"
                )
            if result.dtype != each.dtype:
                raise DTypeError(
                    f"the function of associative_scan is given {each.dtype.name} and returns {result.dtype.name}{_where(place)}; "
                    f"convert the elements before the scan, or the result by astype(…, {each.dtype.name})"
                )
        return tuple(results[place] for place in expected)

    def each(self, change: Callable[[Array, int], Array], arrays: Elements) -> Elements:
        """Each array changed along its axis."""
        return tuple(map(change, arrays, self.axes))

    def as_tree(self, arrays: Elements) -> Any:
        """The arrays in the structure of the elements."""
        rest = iter(arrays)
        return mapped(self.tree, lambda place, leaf: next(rest))


def block_lengths(count: int) -> tuple[int, ...]:
    """The lengths of blocks, blocks of blocks and so on for an axis of `count` elements: few numbers whose product is `count`, or not much greater.

    >>> block_lengths(12), block_lengths(1000), block_lengths(1009)
    ((12,), (10, 10, 10), (13, 13, 6))
    """
    fewest = next(number for number in count_from(1) if LONGEST**number >= count)
    if fewest == 1:
        return (count,)
    lengths = range(SHORTEST, LONGEST + 1)
    choices = (
        each for number in (fewest, fewest + 1) for each in combinations_with_replacement(lengths, number)
    )
    return min((each for each in choices if prod(each) >= count), key=lambda each: (prod(each), len(each)))[
        ::-1
    ]


def _where(place: Place) -> str:
    return f" at {_text(place)}" if place else ""


def _listed(places: Iterable[Place]) -> str:
    """What a tree of arrays has, for an error."""
    listed = [_text(place) for place in places]
    return "no arrays" if not listed else "an array" if listed == [""] else f"arrays at {', '.join(listed)}"


def _text(place: Place) -> str:
    return "".join(f"[{key!r}]" for key in place)


def _reversed(array: Array, axis: int) -> Array:
    return Array(reverse(array.uop, axis))


def _filled(array: Array, axis: int, count: int) -> Array:
    """The array with zeros after its last element along an axis, so that it has `count`."""
    extent = array.shape[axis]
    if isinstance(extent, Extent):
        return Array(taken(array.uop, axis, UOp.iota(count)))
    return Array(extend(array.uop, axis, 0, count - extent))


def _with_axis(array: Array, axis: int) -> Array:
    return Array(insert_axis(array.uop, axis))


def _without_axis(array: Array, axis: int) -> Array:
    return Array(remove_axis(array.uop, axis))


def _uops(arrays: Iterable[Array]) -> list[UOp]:
    return [each.uop for each in arrays]


def _split(array: Array, axis: int, length: int) -> Array:
    return Array(split_axis(array.uop, axis, array.shape[axis] // length, length))


def _merged(array: Array, axis: int) -> Array:
    return Array(merge_axes(array.uop, axis))


def _part(array: Array, axis: int, begin: int, end: int) -> Array:
    return Array(cut(array.uop, axis, begin, end))


def _at(array: Array, axis: int, place: int) -> Array:
    return Array(remove_axis(cut(array.uop, axis, place, place + 1), axis))


def _shifted(array: Array, axis: int) -> Array:
    """Each element one place later along an axis, without the last; a zero comes first."""
    return _part(Array(extend(array.uop, axis, 1, 0)), axis, 0, array.shape[axis])


def _is_first(array: Array, axis: int) -> Array:
    return Array(positions(array.uop, axis)) < 1


def _stored(arrays: Elements) -> Elements:
    """The arrays, in memory. They are small, and kernels that computed them again would do so for each block."""
    return tuple(Array(UOp(Op.CONTIGUOUS, each.dtype, (each.uop,))) for each in arrays)
