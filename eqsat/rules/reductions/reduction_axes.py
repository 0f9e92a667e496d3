"""The arithmetic of reductions' axes, counts and identity elements: the pure functions of the rules in `reduce`.

Functions that return `None` say that the rule does not apply.
"""

from __future__ import annotations

from math import isfinite, prod

from eqsat.dtype import DType
from eqsat.ops import Op, identity_element
from eqsat.rules.language.scalar import pure
from eqsat.rules.movements.axes import aligned, places
from eqsat.shape import Shape


@pure
def is_extreme(op: Op) -> bool:
    """Whether a reduction picks one of its elements, so that order and repetition do not matter."""
    return op in (Op.MAX, Op.MIN)


@pure
def is_order_free(op: Op, dtype: DType) -> bool:
    """Whether a reduction gives the same bits in any order."""
    return op in (Op.MAX, Op.MIN) or not dtype.is_float


@pure
def is_folding(op: Op) -> bool:
    """Whether a reduction of floats rounds at every step."""
    return op in (Op.ADD, Op.MUL)


@pure
def is_idempotent(op: Op, dtype: DType) -> bool:
    """Whether combining an element with itself gives the element."""
    return op in (Op.MAX, Op.MIN) or dtype.is_bool


@pure
def is_none(axes: Shape) -> bool:
    """Whether no axis is reduced."""
    return not axes


@pure
def entries_kept(row: tuple[object, ...], axes: Shape) -> tuple[object, ...]:
    """The entries of the axes that are not reduced."""
    return tuple(entry for axis, entry in enumerate(row) if axis not in axes)


@pure
def both(first: Shape, second: Shape) -> Shape:
    """The axes of one reduction that equals two, one after the other; `second` is numbered once the axes of `first` are gone.

    >>> both((1,), (0, 1))
    (0, 1, 2)
    """
    rank = len(first) + max((*second, -1)) + 1 + len(first)
    kept = [axis for axis in range(rank) if axis not in first]
    return tuple(sorted((*first, *(kept[axis] for axis in second))))


@pure
def all_single(shape: Shape, axes: Shape) -> bool:
    """Whether some axes are reduced, and each of them has one element."""
    return bool(axes) and all(shape[axis] == 1 for axis in axes)


@pure
def is_vacuous(shape: Shape, axes: Shape) -> bool:
    """Whether no element goes into a result."""
    return any(shape[axis] == 0 for axis in axes)


@pure
def is_occupied(shape: Shape, axes: Shape) -> bool:
    """Whether at least one element goes into each result."""
    return all(shape[axis] > 0 for axis in axes)


@pure
def count(shape: Shape, axes: Shape) -> int:
    """The number of elements that go into each result."""
    return prod(shape[axis] for axis in axes)


@pure
def identity(op: Op, dtype: DType) -> bool | int | float:
    """The identity element of an operation, which is the result of reducing no elements."""
    return identity_element(op, dtype)


@pure
def copies(shape: Shape, expanded: Shape, axes: Shape, dtype: DType) -> int | None:
    """The number of copies of each element that go into a result; None if it is at most 1, or if `dtype` does not hold it exactly."""
    found = prod(expanded[axis] for axis in axes if shape[axis] != expanded[axis])
    return found if 1 < found <= 1 << (dtype.significand if dtype.is_float else 63) else None


@pure
def reduces_copies(shape: Shape, expanded: Shape, axes: Shape) -> bool:
    """Whether some reduced axis holds several copies of an element."""
    return any(shape[axis] != expanded[axis] and expanded[axis] > 1 for axis in axes) and 0 not in expanded


@pure
def expanded_elsewhere(shape: Shape, expanded: Shape, axes: Shape) -> Shape:
    """The expanded shape, in which the reduced axes are not expanded."""
    rows = enumerate(zip(shape, expanded, strict=True))
    return tuple(old if axis in axes else new for axis, (old, new) in rows)


@pure
def expanded_at(shape: Shape, expanded: Shape, axes: Shape) -> Shape:
    """The expanded shape, in which only the reduced axes are expanded."""
    rows = enumerate(zip(shape, expanded, strict=True))
    return tuple(new if axis in axes else old for axis, (old, new) in rows)


@pure
def keeps_copies(shape: Shape, expanded: Shape, axes: Shape) -> bool:
    """Whether an axis that is not reduced holds copies."""
    return any(
        old != new and axis not in axes for axis, (old, new) in enumerate(zip(shape, expanded, strict=True))
    )


@pure
def permuted_axes(permutation: Shape, axes: Shape) -> Shape:
    """The reduced axes, numbered as before the permutation."""
    return tuple(sorted(permutation[axis] for axis in axes))


@pure
def permutation_left(permutation: Shape, axes: Shape) -> Shape:
    """The permutation of the axes that are not reduced.

    >>> permutation_left((2, 0, 1), (1,))
    (1, 0)
    """
    kept = [axis for place, axis in enumerate(permutation) if place not in axes]
    return tuple(sorted(kept).index(axis) for axis in kept)


@pure
def reduced_before_reshape(shape: Shape, target: Shape, axes: Shape) -> Shape | None:
    """The axes of `shape` that are the reduced axes of `target`; None if the reshape does more than add or drop other axes of extent 1."""
    found = places(shape, target)
    if found is None or any(found[axis] is None for axis in axes):
        return None
    return tuple(sorted(place for axis in axes if (place := found[axis]) is not None))


@pure
def unsplit(shape: Shape, target: Shape, axes: Shape) -> Shape | None:
    """The axes of `shape` that a reshape to `target` splits into reduced axes; None unless an axis is split and the others stay as they are.

    >>> unsplit((6, 1024), (2, 3, 1024), (0, 1)), unsplit((6, 1024), (2, 3, 1024), (1,))
    ((0,), None)
    """
    groups = aligned(shape, target)
    if groups is None or len(target) <= len(shape) or any(len(old) != 1 for old, _ in groups):
        return None
    reduced = [old[0] for old, new in groups if {*new} <= {*axes}]
    kept = [new for old, new in groups if old[0] not in reduced]
    return None if any(len(new) != 1 or new[0] in axes for new in kept) else tuple(reduced)


@pure
def is_total(shape: Shape, axes: Shape) -> bool:
    """Whether all axes are reduced."""
    return len(axes) == len(shape)


@pure
def all_axes(shape: Shape) -> Shape:
    """Every axis, in order; as a permutation, it moves none."""
    return tuple(range(len(shape)))


@pure
def is_invariant_along(shape: Shape, axes: Shape) -> bool:
    """Whether a value of this shape does not vary along the reduced axes."""
    return all(shape[axis] == 1 for axis in axes)


@pure
def is_finite(value: float) -> bool:
    """Whether a constant is neither infinite nor NaN."""
    return isfinite(value)


@pure
def is_positive(value: float) -> bool:
    """Whether a constant is above zero and finite."""
    return value > 0 and isfinite(value)
