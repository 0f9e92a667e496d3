"""The axes of sums of products: the pure functions with which the rules in `tensor_algebra` compute the operands of the sums that they build.

A product of `x` and `y` is summed over `summed` axes of the space `shape`, in which `x` has extent 1 along the axes that it does not vary
along. The sum may then be moved: reshaped to `units` (which adds and drops axes of extent 1 only), permuted by `axes`, and expanded to
`moved`. The *joint space* of such a sum and of its other factor has the axes of `moved`, then the summed axes. Functions that
return `None` say that the rule does not apply.
"""

from __future__ import annotations

from math import prod

from eqsat.rules.language.scalar import pure
from eqsat.rules.movements.axes import Pairs, padded_shape, places
from eqsat.shape import Shape


@pure
def grows(shape: Shape, expanded: Shape) -> bool:
    """Whether an expansion repeats anything."""
    return shape != expanded


@pure
def joint_axes(shape: Shape, summed: Shape, units: Shape, axes: Shape) -> Shape | None:
    """The permutation that brings the axes of a product into the order of the joint space; dropped axes of extent 1 come last.

    >>> joint_axes((4, 6, 5), (2,), (4, 1, 6), (2, 1, 0))
    (1, 0, 2)
    """
    origins = _origins(shape, summed, units, axes)
    if origins is None:
        return None
    kept = [*(axis for axis in origins if axis is not None), *summed]
    return (*kept, *(axis for axis in range(len(shape)) if axis not in kept))


@pure
def joint_shape(own: Shape, shape: Shape, summed: Shape, units: Shape, axes: Shape) -> Shape | None:
    """The shape in the joint space of a factor whose shape in the product's space is `own`.

    >>> joint_shape((4, 1, 5), (4, 6, 5), (2,), (4, 1, 6), (2, 1, 0))
    (1, 1, 4, 5)
    """
    origins = _origins(shape, summed, units, axes)
    if origins is None:
        return None
    return (*(1 if axis is None else own[axis] for axis in origins), *(own[axis] for axis in summed))


@pure
def invariant_joint_shape(
    own: Shape, shape: Shape, summed: Shape, units: Shape, axes: Shape, outer: Shape
) -> Shape | None:
    """Like `joint_shape`, without the axes `outer` of the joint space.

    None if the factor varies along one of them, or none of them is an axis of the product.
    """
    whole, origins = joint_shape(own, shape, summed, units, axes), _origins(shape, summed, units, axes)
    if whole is None or origins is None or any(whole[axis] != 1 for axis in outer):
        return None
    if all(origins[axis] is None for axis in outer):
        return None
    return tuple(extent for axis, extent in enumerate(whole) if axis not in outer)


@pure
def joint_space(shape: Shape, summed: Shape, moved: Shape) -> Shape:
    """The extents of the joint space."""
    return (*moved, *(shape[axis] for axis in summed))


@pure
def with_units(moved: Shape, summed: Shape) -> Shape:
    """The shape in the joint space of the factor that the sum is multiplied by."""
    return (*moved, *(1 for _ in summed))


@pure
def last_axes(shape: Shape, outer: Shape, summed: Shape) -> Shape:
    """The numbers of the summed axes if they come after the axes of `shape` without the `outer` ones."""
    first = len(shape) - len(outer)
    return tuple(range(first, first + len(summed)))


@pure
def product_permutation(rank_from: Shape, summed: Shape, axes: Shape) -> Shape:
    """The permutation of a product's axes that replaces the permutation `axes` of its sum; the summed axes come last.

    >>> product_permutation((4, 6, 5), (0,), (1, 0))
    (2, 1, 0)
    """
    kept = [axis for axis in range(len(rank_from)) if axis not in summed]
    return (*(kept[axis] for axis in axes), *summed)


@pure
def missing_axes(own: Shape, shape: Shape, summed: Shape) -> Shape | None:
    """The summed axes along which a factor does not vary; None if these are none or all of the summed axes."""
    missing = tuple(axis for axis in summed if own[axis] == 1 and shape[axis] != 1)
    return missing if missing and set(missing) != set(summed) else None


@pure
def other_axes(own: Shape, shape: Shape, summed: Shape) -> Shape:
    """The summed axes other than `missing_axes`, numbered once those are gone."""
    missing = [axis for axis in summed if own[axis] == 1 and shape[axis] != 1]
    return tuple(axis - sum(gone < axis for gone in missing) for axis in summed if axis not in missing)


@pure
def lifted_padding(amounts: Pairs, own: Shape, shape: Shape, summed: Shape) -> Pairs | None:
    """The padding of a sum, on the axes of its product. None if it pads no axis, or an axis along which the factor of shape `own` varies.

    >>> lifted_padding(((0, 0), (0, 3)), (4, 1, 5), (4, 6, 5), (2,))
    ((0, 0), (0, 3), (0, 0))
    """
    rows = iter(amounts)
    lifted = tuple((0, 0) if axis in summed else next(rows) for axis in range(len(shape)))
    touched = [axis for axis, pair in enumerate(lifted) if any(pair)]
    return lifted if prod(shape) and touched and all(own[axis] == 1 for axis in touched) else None


@pure
def fill_one_space(shape: Shape, padding: Pairs, other: Shape, other_padding: Pairs) -> bool:
    """Whether two values are padded to the same shape."""
    spaces = [padded_shape(own, amounts) for own, amounts in ((shape, padding), (other, other_padding))]
    return spaces[0] == spaces[1]


@pure
def with_summed_units(shape: Shape, summed: Shape) -> Shape:
    """The shape of a sum with its summed axes back, of extent 1."""
    rows = iter(shape)
    return tuple(1 if axis in summed else next(rows) for axis in range(len(shape) + len(summed)))


def _origins(shape: Shape, summed: Shape, units: Shape, axes: Shape) -> list[int | None] | None:
    """For each axis of the moved sum, the axis of the product that it is; None for an axis that the reshape added."""
    kept = [axis for axis in range(len(shape)) if axis not in summed]
    found = places(tuple(shape[axis] for axis in kept), units)
    if found is None or 0 in shape:
        return None
    return [None if (place := found[axis]) is None else kept[place] for axis in axes]
