"""The arithmetic of movement arguments: the shapes, permutations and windows after two movements have been reordered.

All functions are pure and work on tuples with one entry per axis. A function that returns
`None` says that the movements cannot be reordered.
"""

from __future__ import annotations

from math import prod

from eqsat.rules.language.scalar import pure
from eqsat.shape import Shape

Pairs = tuple[tuple[int, int], ...]
Flags = tuple[bool, ...]


@pure
def permuted(row: tuple[object, ...], axes: Shape) -> tuple[object, ...]:
    """Permutes a row that has one entry per axis of a value. Also composes two permutations, of which `axes` is the later one.

    >>> permuted(("a", "b", "c"), (2, 0, 1))
    ('c', 'a', 'b')
    """
    return tuple(row[axis] for axis in axes)


@pure
def is_identity(axes: Shape) -> bool:
    """Whether a permutation moves nothing."""
    return axes == tuple(range(len(axes)))


@pure
def keeps_order(shape: Shape, axes: Shape) -> bool:
    """Whether a permutation moves only axes of extent 1, and at least one, so that the elements stay where they are."""
    kept = [axis for axis in axes if shape[axis] != 1]
    return kept == sorted(kept) and axes != tuple(range(len(axes)))


@pure
def is_whole(shape: Shape, window: Pairs) -> bool:
    """Whether a window leaves nothing out."""
    return window == tuple((0, extent) for extent in shape)


@pure
def within(outer: Pairs, inner: Pairs) -> Pairs:
    """The window `inner` of the window `outer` of a value, as one window of the value."""
    return tuple((begin + low, begin + high) for (begin, _), (low, high) in zip(outer, inner, strict=True))


@pure
def is_empty_padding(amounts: Pairs) -> bool:
    """Whether a padding adds nothing."""
    return not any(map(any, amounts))


@pure
def padded_twice(first: Pairs, second: Pairs) -> Pairs:
    """The padding that equals two paddings, one after the other."""
    return tuple((a + c, b + d) for (a, b), (c, d) in zip(first, second, strict=True))


@pure
def flipped_twice(first: Flags, second: Flags) -> Flags:
    """The axes that two flips reverse, one after the other."""
    return tuple(a != b for a, b in zip(first, second, strict=True))


@pure
def any_flag(flags: Flags) -> bool:
    """Whether a flip reverses some axis."""
    return any(flags)


@pure
def flips_single(shape: Shape, flags: Flags) -> bool:
    """Whether a flip reverses an axis of at most one element, where it changes nothing."""
    return any(flag and extent <= 1 for extent, flag in zip(shape, flags, strict=True))


@pure
def flips_of_several(shape: Shape, flags: Flags) -> Flags:
    """The flip without the axes of at most one element."""
    return tuple(flag and extent > 1 for extent, flag in zip(shape, flags, strict=True))


@pure
def shrunk_inside_padding(shape: Shape, amounts: Pairs, window: Pairs) -> Pairs:
    """The window of the value that a window of the padded value shows."""
    rows = zip(shape, amounts, window, strict=True)
    return tuple(
        (min(max(begin - before, 0), extent), min(max(end - before, 0), extent))
        for extent, (before, _), (begin, end) in rows
    )


@pure
def padding_inside_window(shape: Shape, amounts: Pairs, window: Pairs) -> Pairs:
    """The padding that a window of the padded value shows.

    >>> shrunk_inside_padding((4,), ((2, 3),), ((1, 5),)), padding_inside_window((4,), ((2, 3),), ((1, 5),))
    (((0, 3),), ((1, 0),))
    """
    inside = shrunk_inside_padding(shape, amounts, window)
    rows = zip(amounts, window, inside, strict=True)
    befores = [min(max(before - begin, 0), end - begin) for (before, _), (begin, end), _ in rows]
    return tuple(
        (before, end - begin - before - (high - low))
        for before, (begin, end), (low, high) in zip(befores, window, inside, strict=True)
    )


@pure
def extents(window: Pairs) -> Shape:
    """The shape of a window."""
    return tuple(end - begin for begin, end in window)


@pure
def shrunk_before_expand(shape: Shape, expanded: Shape, window: Pairs) -> Pairs:
    """The window of a value of `shape` whose expansion is `window` of the expanded value."""
    rows = zip(shape, expanded, window, strict=True)
    return tuple((0, 1) if old != new else part for old, new, part in rows)


@pure
def mirrored(shape: Shape, flags: Flags, window: Pairs) -> Pairs:
    """The window of a value that, once flipped, is `window` of the flipped value."""
    rows = zip(shape, flags, window, strict=True)
    return tuple(
        (extent - end, extent - begin) if flag else (begin, end) for extent, flag, (begin, end) in rows
    )


@pure
def swapped(amounts: Pairs, flags: Flags) -> Pairs:
    """The padding with before and after swapped on flipped axes."""
    rows = zip(amounts, flags, strict=True)
    return tuple((after, before) if flag else (before, after) for (before, after), flag in rows)


@pure
def flips_before_expand(shape: Shape, expanded: Shape, flags: Flags) -> Flags:
    """The flip without the axes that are expanded, whose elements are all the same."""
    return tuple(flag and old == new for old, new, flag in zip(shape, expanded, flags, strict=True))


@pure
def padding_before_expand(shape: Shape, expanded: Shape, amounts: Pairs) -> Pairs | None:
    """The padding, if it pads no expanded axis; else None."""
    rows = zip(shape, expanded, amounts, strict=True)
    return None if any(old != new and any(pair) for old, new, pair in rows) else amounts


@pure
def common_copies(expanded: Shape, *shapes: Shape) -> Shape | None:
    """The shape to which values are expanded before an operation on them, whose result is then expanded to `expanded`.

    An axis along which all of them are repeated has extent 1. None if there is no such axis, or if all of them have the same shape.

    >>> common_copies((4, 5, 6), (4, 1, 1), (1, 1, 6))
    (4, 1, 6)
    """
    columns = zip(expanded, *shapes, strict=True)
    result = tuple(1 if set(own) == {1} else extent for extent, *own in columns)
    return None if result == expanded or len(set(shapes)) == 1 else result


@pure
def padded_shape(shape: Shape, amounts: Pairs) -> Shape:
    """The shape of a padded value."""
    return tuple(before + extent + after for extent, (before, after) in zip(shape, amounts, strict=True))


@pure
def reshaped_before_expand(shape: Shape, expanded: Shape, target: Shape) -> Shape | None:
    """The shape to which `shape` is reshaped, so that expanding to `target` equals expanding to `expanded`, then reshaping to `target`.

    Both shapes are divided into groups of adjacent axes with equal products. None if only some of the axes of a group are expanded.

    >>> reshaped_before_expand((4, 1, 6), (4, 5, 6), (2, 2, 5, 3, 2))
    (2, 2, 1, 3, 2)
    >>> reshaped_before_expand((4, 1), (4, 5), (20,)) is None
    True
    """
    groups = aligned(expanded, target)
    if groups is None or prod(expanded) == 0:
        return None
    result: list[int] = []
    for sources, targets in groups:
        wide = [axis for axis in sources if expanded[axis] != 1]
        grown = [axis for axis in wide if shape[axis] != expanded[axis]]
        if grown and grown != wide:
            return None
        result.extend(1 if grown else target[axis] for axis in targets)
    return tuple(result)


def aligned(shape: Shape, target: Shape) -> list[tuple[list[int], list[int]]] | None:
    """The finest division of two shapes into groups of adjacent axes with equal products; None for shapes without elements."""
    if 0 in shape or 0 in target:
        return None
    groups: list[tuple[list[int], list[int]]] = []
    left = right = 0
    while left < len(shape) or right < len(target):
        sources, targets = _next_axes(shape, left), _next_axes(target, right)
        while prod(shape[axis] for axis in sources) != prod(target[axis] for axis in targets):
            if prod(shape[axis] for axis in sources) < prod(target[axis] for axis in targets):
                sources.append(left + len(sources))
            else:
                targets.append(right + len(targets))
        groups.append((sources, targets))
        left, right = left + len(sources), right + len(targets)
    return groups


def _next_axes(shape: Shape, start: int) -> list[int]:
    """The axes from `start` up to and including the first one that is longer than 1."""
    axes: list[int] = []
    for axis in range(start, len(shape)):
        axes.append(axis)
        if shape[axis] != 1:
            break
    return axes


def places(shape: Shape, target: Shape) -> list[int | None] | None:
    """For each axis of `target`, the axis of `shape` that it is, or None for an axis of extent 1.

    The result is None if a reshape does more than add and drop axes of extent 1.

    >>> places((4, 1, 6), (1, 4, 6, 1))
    [None, 0, 2, None]
    """
    wide = [axis for axis, extent in enumerate(shape) if extent != 1]
    if 0 in shape or [shape[axis] for axis in wide] != [extent for extent in target if extent != 1]:
        return None
    remaining = iter(wide)
    return [None if extent == 1 else next(remaining) for extent in target]


@pure
def unit_reshape(shape: Shape, moved: Shape, target: Shape) -> Shape | None:
    """The shape to which `shape` is reshaped before a movement that turns it into `moved`, so that the movement gives `target`.

    None if reshaping `moved` to `target` does more than add and drop axes of extent 1 that the movement leaves alone.
    """
    found = places(moved, target)
    if found is None or any(old != 1 for old, new in zip(shape, moved, strict=True) if new == 1):
        return None
    return tuple(1 if axis is None else shape[axis] for axis in found)


@pure
def unit_pairs(moved: Shape, target: Shape, row: Pairs) -> Pairs | None:
    """The padding on the axes of `target`."""
    found = places(moved, target)
    return None if found is None else tuple((0, 0) if axis is None else row[axis] for axis in found)


@pure
def unit_window(moved: Shape, target: Shape, row: Pairs) -> Pairs | None:
    """The window on the axes of `target`."""
    found = places(moved, target)
    return None if found is None else tuple((0, 1) if axis is None else row[axis] for axis in found)


@pure
def unit_flags(moved: Shape, target: Shape, row: Flags) -> Flags | None:
    """The flip on the axes of `target`."""
    found = places(moved, target)
    return None if found is None else tuple(False if axis is None else row[axis] for axis in found)


@pure
def unit_permute_shape(shape: Shape, axes: Shape, target: Shape) -> Shape | None:
    """The shape to which `shape` is reshaped before a permutation by `unit_permute_axes`.

    It has the axes of `shape` longer than 1, then the axes of extent 1 that `target` has. None if the reshape to `target` does more.
    """
    if places(permuted(shape, axes), target) is None:
        return None
    wide = [extent for extent in shape if extent != 1]
    return (*wide, *[1] * (len(target) - len(wide)))


@pure
def unit_permute_axes(shape: Shape, axes: Shape, target: Shape) -> Shape | None:
    """The permutation that follows a reshape to `unit_permute_shape`. Both replace a permutation by `axes` and a reshape to `target`.

    >>> unit_permute_shape((4, 6), (1, 0), (6, 1, 4)), unit_permute_axes((4, 6), (1, 0), (6, 1, 4))
    ((4, 6, 1), (1, 2, 0))
    """
    found = places(permuted(shape, axes), target)
    if found is None:
        return None
    wide = [axis for axis, extent in enumerate(shape) if extent != 1]
    units = iter(range(len(wide), len(target)))
    return tuple(next(units) if axis is None else wide.index(axes[axis]) for axis in found)
