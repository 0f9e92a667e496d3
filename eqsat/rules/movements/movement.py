"""Movement: reshapes, permutations, expansions, paddings, windows and flips that compose, cancel, or change places.

Two movements of one kind become one, and a movement that moves nothing is dropped. Movements of different kinds are brought into one order, from
the outside in: expand, pad, flip, shrink, permute, reshape. Equal compositions thus get the same form, and operations can be computed before
elements are expanded or padded.
"""

from __future__ import annotations

from eqsat.rules.language.facts import shape_of
from eqsat.rules.language.pattern import Value, expand, flip, pad, permute, reshape, shrink
from eqsat.rules.language.rule import ANY, Rewrite, Topic, rewrite
from eqsat.rules.language.scalar import Arg
from eqsat.rules.movements.axes import (
    any_flag,
    extents,
    flipped_twice,
    flips_before_expand,
    flips_of_several,
    flips_single,
    is_empty_padding,
    is_identity,
    is_whole,
    keeps_order,
    mirrored,
    padded_shape,
    padded_twice,
    padding_before_expand,
    padding_inside_window,
    permuted,
    reshaped_before_expand,
    shrunk_before_expand,
    shrunk_inside_padding,
    swapped,
    unit_flags,
    unit_pairs,
    unit_permute_axes,
    unit_permute_shape,
    unit_reshape,
    unit_window,
    within,
)

movement = Topic("movement")

# Two movements of one kind.


@movement.rule(ANY)
def reshapes_compose(x: Value, s: Arg, t: Arg) -> Rewrite:
    """Only the last of two reshapes counts."""
    return rewrite(reshape(reshape(x, s), t), reshape(x, t))


@movement.rule(ANY)
def permutations_compose(x: Value, p: Arg, q: Arg) -> Rewrite:
    """Two permutations, one after the other, are one permutation."""
    return rewrite(permute(permute(x, p), q), permute(x, permuted(p, q)))


@movement.rule(ANY)
def expansions_compose(x: Value, s: Arg, t: Arg) -> Rewrite:
    """Only the last of two expansions counts."""
    return rewrite(expand(expand(x, s), t), expand(x, t))


@movement.rule(ANY)
def windows_compose(x: Value, v: Arg, w: Arg) -> Rewrite:
    """A window of a window is a window."""
    return rewrite(shrink(shrink(x, v), w), shrink(x, within(v, w)))


@movement.rule(ANY)
def paddings_add(x: Value, a: Arg, b: Arg) -> Rewrite:
    """A padding of a padded value is one padding."""
    return rewrite(pad(pad(x, a), b), pad(x, padded_twice(a, b)))


@movement.rule(ANY)
def flips_compose(x: Value, f: Arg, g: Arg) -> Rewrite:
    """An axis flipped twice is not flipped."""
    return rewrite(flip(flip(x, f), g), flip(x, flipped_twice(f, g)))


# Movements that move nothing.


@movement.rule(ANY)
def reshape_to_own_shape(x: Value, s: Arg) -> Rewrite:
    """A value reshaped to its own shape is itself."""
    return rewrite(reshape(x, s), x, where=shape_of(x) == s)


@movement.rule(ANY)
def permute_nothing(x: Value, p: Arg) -> Rewrite:
    """The identity permutation moves nothing."""
    return rewrite(permute(x, p), x, where=is_identity(p))


@movement.rule(ANY)
def permuted_unit_axes_are_reshaped(x: Value, p: Arg) -> Rewrite:
    """A permutation that only moves axes of extent 1 is a reshape."""
    return rewrite(permute(x, p), reshape(x, permuted(shape_of(x), p)), where=keeps_order(shape_of(x), p))


@movement.rule(ANY)
def expand_to_own_shape(x: Value, s: Arg) -> Rewrite:
    """A value expanded to its own shape is itself."""
    return rewrite(expand(x, s), x, where=shape_of(x) == s)


@movement.rule(ANY)
def whole_window(x: Value, w: Arg) -> Rewrite:
    """A window of the whole value is the value."""
    return rewrite(shrink(x, w), x, where=is_whole(shape_of(x), w))


@movement.rule(ANY)
def pad_with_nothing(x: Value, a: Arg) -> Rewrite:
    """A padding by no zeros changes nothing."""
    return rewrite(pad(x, a), x, where=is_empty_padding(a))


@movement.rule(ANY)
def flip_nothing(x: Value, f: Arg) -> Rewrite:
    """A flip of no axis changes nothing."""
    return rewrite(flip(x, f), x, where=~any_flag(f))


@movement.rule(ANY)
def flip_of_single_elements(x: Value, f: Arg) -> Rewrite:
    """Flipping an axis of one element changes nothing."""
    return rewrite(flip(x, f), flip(x, flips_of_several(shape_of(x), f)), where=flips_single(shape_of(x), f))


# Reordering: permutations move inward.


@movement.rule(ANY)
def permute_before_expand(x: Value, s: Arg, p: Arg) -> Rewrite:
    """Permuting an expanded value is expanding the permuted one."""
    return rewrite(permute(expand(x, s), p), expand(permute(x, p), permuted(s, p)))


@movement.rule(ANY)
def permute_before_pad(x: Value, a: Arg, p: Arg) -> Rewrite:
    """Permuting a padded value is padding the permuted one."""
    return rewrite(permute(pad(x, a), p), pad(permute(x, p), permuted(a, p)))


@movement.rule(ANY)
def permute_before_shrink(x: Value, w: Arg, p: Arg) -> Rewrite:
    """Permuting a window is a window of the permuted value."""
    return rewrite(permute(shrink(x, w), p), shrink(permute(x, p), permuted(w, p)))


@movement.rule(ANY)
def permute_before_flip(x: Value, f: Arg, p: Arg) -> Rewrite:
    """Permuting a flipped value is flipping the permuted one."""
    return rewrite(permute(flip(x, f), p), flip(permute(x, p), permuted(f, p)))


# Windows move inward.


@movement.rule(ANY)
def shrink_before_expand(x: Value, s: Arg, w: Arg) -> Rewrite:
    """A window of an expanded value is the expansion, to the window's shape, of a window of the value."""
    return rewrite(
        shrink(expand(x, s), w), expand(shrink(x, shrunk_before_expand(shape_of(x), s, w)), extents(w))
    )


@movement.rule(ANY)
def shrink_before_pad(x: Value, a: Arg, w: Arg) -> Rewrite:
    """A window of a padded value is a window of the value, with the part of the padding that lies in the window."""
    inside = shrink(x, shrunk_inside_padding(shape_of(x), a, w))
    return rewrite(shrink(pad(x, a), w), pad(inside, padding_inside_window(shape_of(x), a, w)))


@movement.rule(ANY)
def shrink_before_flip(x: Value, f: Arg, w: Arg) -> Rewrite:
    """A window of a flipped value is the mirrored window of the value, flipped."""
    return rewrite(shrink(flip(x, f), w), flip(shrink(x, mirrored(shape_of(x), f, w)), f))


# Flips move inward, then paddings.


@movement.rule(ANY)
def flip_before_expand(x: Value, s: Arg, f: Arg) -> Rewrite:
    """Flipping an expanded value flips only the axes that were not expanded."""
    return rewrite(flip(expand(x, s), f), expand(flip(x, flips_before_expand(shape_of(x), s, f)), s))


@movement.rule(ANY)
def flip_before_pad(x: Value, a: Arg, f: Arg) -> Rewrite:
    """Flipping a padded value is padding the flipped one on the other side."""
    return rewrite(flip(pad(x, a), f), pad(flip(x, f), swapped(a, f)))


@movement.rule(ANY)
def pad_before_expand(x: Value, s: Arg, a: Arg) -> Rewrite:
    """A padding of axes that are not expanded can come before the expansion."""
    return rewrite(
        pad(expand(x, s), a), expand(pad(x, padding_before_expand(shape_of(x), s, a)), padded_shape(s, a))
    )


# Reshapes move inward, where they do not mix axes.


@movement.rule(ANY)
def reshape_before_expand(x: Value, s: Arg, t: Arg) -> Rewrite:
    """A reshape that mixes no expanded axis with another can come before the expansion."""
    return rewrite(reshape(expand(x, s), t), expand(reshape(x, reshaped_before_expand(shape_of(x), s, t)), t))


@movement.rule(ANY)
def reshape_before_permute(x: Value, p: Arg, t: Arg) -> Rewrite:
    """Axes of extent 1 can be added and dropped before a permutation."""
    first = reshape(x, unit_permute_shape(shape_of(x), p, t))
    return rewrite(reshape(permute(x, p), t), permute(first, unit_permute_axes(shape_of(x), p, t)))


@movement.rule(ANY)
def reshape_before_pad(x: Value, a: Arg, t: Arg) -> Rewrite:
    """Axes of extent 1 can be added and dropped before padding other axes."""
    padded = padded_shape(shape_of(x), a)
    return rewrite(
        reshape(pad(x, a), t), pad(reshape(x, unit_reshape(shape_of(x), padded, t)), unit_pairs(padded, t, a))
    )


@movement.rule(ANY)
def reshape_before_shrink(x: Value, w: Arg, t: Arg) -> Rewrite:
    """Axes of extent 1 can be added and dropped before a window of other axes."""
    first = reshape(x, unit_reshape(shape_of(x), extents(w), t))
    return rewrite(reshape(shrink(x, w), t), shrink(first, unit_window(extents(w), t, w)))


@movement.rule(ANY)
def reshape_before_flip(x: Value, f: Arg, t: Arg) -> Rewrite:
    """Axes of extent 1 can be added and dropped before a flip of other axes."""
    first = reshape(x, unit_reshape(shape_of(x), shape_of(x), t))
    return rewrite(reshape(flip(x, f), t), flip(first, unit_flags(shape_of(x), t, f)))


# Other movements of constants need no rule (see `eqsat.egraph.theories.constants`), but padding mixes a constant with zeros.


@movement.rule(ANY)
def pad_zero(a: Arg) -> Rewrite:
    """Zero padded with zeros is zero."""
    return rewrite(pad(0, a), 0)
