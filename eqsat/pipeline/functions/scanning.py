"""Scans with functions of the caller's: each element meets what the elements before it along an axis have left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, islice
from typing import Any, SupportsIndex, cast

from eqsat.array import Array, asarray, placeholder, stack
from eqsat.array.nodes.axes import normalize_axis
from eqsat.array.nodes.views import cut, insert_axis, move_axis, remove_axis
from eqsat.array.nodes.views import reverse as reversed_along
from eqsat.errors import BuildError, DTypeError, ShapeError, brief
from eqsat.extents import Extent, capacity
from eqsat.pipeline.functions.blocks import Combine, Elements, in_blocks
from eqsat.pipeline.functions.formulas import NoFormulasError
from eqsat.pipeline.functions.nested import Place, leaves_of, mapped, mapped_arrays
from eqsat.pipeline.functions.recurrences import Steps, combined, stepped
from eqsat.pipeline.functions.tracing import Slots
from eqsat.uop import UOp
from eqsat.uop.taking import taken

MOST_STEPS = 1024  # of a scan whose steps have no formulas: each is a part of the graph


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
    _require_function(function, "associative_scan", reverse)
    tree = mapped_arrays(elements, lambda place, array: array)
    named = _named(tree, elements)
    axes = _axes(named, axis)
    count = next(iter(named.values())).shape[axes[0]]
    along = _fronted(named.values(), axes, reverse)
    if along[0].shape[0] > 1:
        along = _scanned(_combining(function, tree, axes), along)
    return _as_tree(tree, _returned(along, axes, count, reverse))


def scan(
    function: Callable[[Any, Any], tuple[Any, Any]],
    initial: Any,
    elements: Any,
    /,
    *,
    axis: SupportsIndex = 0,
    reverse: bool = False,
) -> tuple[Any, Any]:
    """Goes along an axis, one element after the other: keeps values from each step to the next, and collects what the steps give.

    The scan is one loop in a kernel if what a step computes has formulas: arithmetic between elements at the same place along other axes, or
    between few elements, as those of small matrices. Otherwise (products of large matrices, sums along other axes) each step is a part of the graph.

    Args:
        function: one step. It is given the kept values and an element, two trees of arrays, and returns the kept values after the step and what
            the step gives. The former have the structure, shapes and dtypes of `initial`.
        initial: what is kept before the first step: an array, or arrays in tuples, lists and dicts.
        elements: an array, or arrays in tuples, lists and dicts, all of one extent along `axis`. An element lacks this axis.
        axis: the axis of each array along which to go. What the steps give is stacked along the same axis.
        reverse: whether to begin with the last element. What a step gives is at the place of its element.

    Returns:
        The kept values after the last step, and what the steps give, in the structure that the function returns.

    Raises:
        BuildError: `elements` has no arrays, `function` returns other structures, or a scan without formulas has more than 1,024 steps.
        ShapeError: an array has no such axis, extents along it differ, there are no elements, only calls know how many there are, or a kept
            value changes its shape.
        DTypeError: a kept value changes its dtype.

    Exponential smoothing:

    >>> import numpy as np
    >>> import eqsat as eq
    >>> def step(level, x):
    ...     level = level + 0.5 * (x - level)
    ...     return level, level
    >>> last, smooth = eq.scan(step, np.float64(0), np.array([1.0, 1.0, 3.0]))
    >>> smooth.numpy(), last.numpy()
    (array([0.5  , 0.75 , 1.875]), array(1.875))
    """
    _require_function(function, "scan", reverse)
    tree = mapped_arrays(elements, lambda place, array: array)
    named = _named(tree, elements)
    axes = _axes(named, axis)
    count = next(iter(named.values())).shape[axes[0]]
    if isinstance(count, Extent) or not count:
        raise ShapeError(
            f"a scan has a number of steps that is known when it is traced, and at least one, not {count}; "
            "fill the elements up to the greatest number, with a flag by which the function tells what was filled"
        )
    kept = mapped_arrays(initial, lambda place, array: array)
    stepping = _Stepping(function, kept, tree)
    values, along = tuple(each for _, each in leaves_of(kept)), _fronted(named.values(), axes, reverse)
    try:
        finals, results = stepping.in_one_loop(values, along)
    except NoFormulasError:
        finals, results = stepping.one_by_one(values, along)
    places = [normalize_axis(axis, each.ndim, "stack results along") for each in results]
    return _as_tree(kept, finals), _as_tree(stepping.given, _returned(results, places, count, reverse))


def _require_function(function: Any, name: str, reverse: Any) -> None:
    if not callable(function):
        raise BuildError(
            f"{name} combines elements by a function, and {brief(function)} is none; give one of two elements"
        )
    if not isinstance(reverse, bool):
        raise BuildError(f"reverse is True or False, not {brief(reverse)}")


def _named(tree: Any, elements: Any) -> dict[Place, Array]:
    """The arrays of a tree, by place."""
    named: dict[Place, Array] = dict(leaves_of(tree))
    if not named:
        raise BuildError(f"{brief(elements)} has no arrays to scan; give one at least")
    return named


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


def _fronted(arrays: Iterable[Array], axes: Sequence[int], reverse: bool) -> Elements:
    """The arrays with their axes first, in the order of the scan. An axis whose extent only calls know is as long as it may be."""
    found: list[Array] = []
    for each, axis in zip(arrays, axes, strict=True):
        value = move_axis(reversed_along(each.uop, axis) if reverse else each.uop, axis, 0)
        extent = each.shape[axis]
        found.append(
            Array(taken(value, 0, UOp.iota(capacity(extent))) if isinstance(extent, Extent) else value)
        )
    return tuple(found)


def _returned(arrays: Iterable[Array], axes: Sequence[int], count: int, reverse: bool) -> Elements:
    """The first `count` elements along axis 0, along the given axes instead, and in the order of what was scanned."""
    moved = (move_axis(cut(each.uop, 0, 0, count), 0, axis) for each, axis in zip(arrays, axes, strict=True))
    return tuple(
        Array(reversed_along(each, axis) if reverse else each) for each, axis in zip(moved, axes, strict=True)
    )


def _as_tree(tree: Any, arrays: Iterable[Array]) -> Any:
    """The arrays in the structure of a tree."""
    rest = iter(arrays)
    return mapped(tree, lambda place, leaf: next(rest))


def _stand_ins(slots: Slots, arrays: Iterable[Array], axes: int) -> list[Array]:
    """Arrays of the same shapes, without the first `axes` axes, and dtypes."""
    return [placeholder(slots.next(), each.shape[axes:], each.dtype) for each in arrays]


def _uops(arrays: Iterable[Array]) -> list[UOp]:
    return [each.uop for each in arrays]


def _combining(function: Callable[[Any, Any], Any], tree: Any, axes: Sequence[int]) -> Combine:
    """The function for elements along axis 0; it is itself given arrays with elements along their own axes."""

    def combine(left: Elements, right: Elements) -> Elements:
        before, after = (
            _as_tree(
                tree, (Array(move_axis(each.uop, 0, axis)) for each, axis in zip(side, axes, strict=True))
            )
            for side in (left, right)
        )
        hint = "combine the elements at each place along the axis, of which there are many at once"
        found = _checked(function(before, after), before, "associative_scan", hint)
        return tuple(Array(move_axis(each.uop, axis, 0)) for each, axis in zip(found, axes, strict=True))

    return combine


def _scanned(combine: Combine, along: Elements) -> Elements:
    """The elements along axis 0, each combined with all before it."""
    slots = Slots()
    left, right = (_stand_ins(slots, along, 1) for _ in range(2))
    given = (tuple(Array(insert_axis(each.uop, 0)) for each in side) for side in (left, right))
    made = [remove_axis(each.uop, 0) for each in combine(*given)]
    try:
        steps = Steps(_uops(left), _uops(right), made, ())
    except NoFormulasError:
        return in_blocks(combine, along)
    parts = [steps.parts(each.uop) for each in along]
    found = iter(combined(steps.following, [*chain(*parts)], steps.captured(along[0].shape[0])))
    return tuple(
        Array(steps.joined([*islice(found, len(own))], each.shape[1:]))
        for each, own in zip(along, parts, strict=True)
    )


class _Stepping:
    """The function of a scan whose steps follow one another.

    Attributes:
        function: one step.
        kept, element: the structures of kept values and of an element.
        given: the structure of what a step gives, once one was made.
    """

    def __init__(self, function: Callable[[Any, Any], Any], kept: Any, element: Any) -> None:
        self.function, self.kept, self.element = function, kept, element
        self.given: Any = None

    def step(self, kept: Sequence[Array], element: Sequence[Array]) -> tuple[Elements, Elements]:
        """The kept values after one step, and what the step gives.

        Raises:
            BuildError, ShapeError, DTypeError: the function returns something else.
        """
        before = _as_tree(self.kept, kept)
        made = self.function(before, _as_tree(self.element, element))
        if not isinstance(made, tuple) or len(made) != 2:  # pyright: ignore[reportUnknownArgumentType]
            raise BuildError(
                f"the function of scan returns {brief(made)}; return two trees, of what is kept and of what the step gives"
            )
        after, given = cast("tuple[Any, Any]", made)
        hint = "keep arrays of the shapes and dtypes that `initial` has"
        following = _checked(after, before, "scan", hint)
        self.given = mapped_arrays(given, lambda place, array: array)
        return following, tuple(each for _, each in leaves_of(self.given))

    def in_one_loop(self, kept: Elements, along: Elements) -> tuple[Elements, Elements]:
        """The kept values after the last step, and what all steps give.

        Raises:
            NoFormulasError: what a step computes has no formulas of a moderate length.
        """
        slots, count = Slots(), along[0].shape[0]
        before, element = _stand_ins(slots, kept, 0), _stand_ins(slots, along, 1)
        following, given = self.step(before, element)
        steps = Steps(_uops(before), _uops(element), _uops(following), _uops(given))
        starts = [steps.parts(insert_axis(each.uop, 0)) for each in kept]
        elements = [*chain(*(steps.parts(each.uop) for each in along)), *steps.captured(count)]
        finals, results = stepped(steps, [*chain(*starts)], elements)
        rest = iter(finals)
        last = [
            steps.joined([*islice(rest, len(own))], each.shape)
            for each, own in zip(kept, starts, strict=True)
        ]
        return (
            tuple(Array(remove_axis(each, 0)) for each in last),
            tuple(Array(steps.joined(own, each.shape)) for own, each in zip(results, given, strict=True)),
        )

    def one_by_one(self, kept: Elements, along: Elements) -> tuple[Elements, Elements]:
        """The kept values after the last step, and what all steps give, each step for itself.

        Raises:
            BuildError: there are too many steps.
        """
        count, given = along[0].shape[0], list[Elements]()
        if count > MOST_STEPS:
            raise BuildError(
                f"a step of this scan computes large arrays of what is kept, so each of {count:,} steps is a part of the graph, of which "
                f"{MOST_STEPS:,} are the most; scan fewer elements at a time, or keep few values for each place of a batch"
            )
        for place in range(count):
            element = [Array(remove_axis(cut(each.uop, 0, place, place + 1), 0)) for each in along]
            kept, results = self.step(kept, element)
            given.append(results)
        return kept, tuple(stack(each) for each in zip(*given, strict=True))


def _checked(found: Any, given: Any, name: str, hint: str) -> Elements:
    """The arrays of what a function returned, which has the structure, shapes and dtypes of what it was given.

    Raises:
        BuildError, ShapeError, DTypeError: it has not.
    """
    results = {place: asarray(each) for place, each in leaves_of(found)}
    expected: dict[Place, Array] = dict(leaves_of(given))
    if results.keys() != expected.keys():
        raise BuildError(
            f"the function of {name} is given {_listed(expected)} and returns {_listed(results)}; return arrays in the structure of its arguments"
        )
    for place, each in expected.items():
        result = results[place]
        if result.shape != each.shape:
            raise ShapeError(
                f"the function of {name} is given arrays of {each.shape} and returns {result.shape}{_where(place)}; {hint}"
            )
        if result.dtype != each.dtype:
            raise DTypeError(
                f"the function of {name} is given {each.dtype.name} and returns {result.dtype.name}{_where(place)}; "
                f"convert what is given to it, or the result by astype(…, {each.dtype.name})"
            )
    return tuple(results[place] for place in expected)


def _where(place: Place) -> str:
    return f" at {_text(place)}" if place else ""


def _listed(places: Iterable[Place]) -> str:
    """What a tree of arrays has, for an error."""
    listed = [_text(place) for place in places]
    return "no arrays" if not listed else "an array" if listed == [""] else f"arrays at {', '.join(listed)}"


def _text(place: Place) -> str:
    return "".join(f"[{key!r}]" for key in place)
