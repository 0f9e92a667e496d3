"""Wrong rules about arrays: movement, reductions and tensor algebra."""

from eqsat.ops import Op
from eqsat.rules.language.facts import shape_of
from eqsat.rules.language.pattern import (
    Value,
    expand,
    flip,
    pad,
    permute,
    reduce_axis,
    reshape,
    shrink,
)
from eqsat.rules.language.rule import (
    ANY,
    FLOATS,
    INDEX,
    INTEGERS,
    INTS,
    NUMBERS,
    Rewrite,
    Soundness,
    Topic,
    rewrite,
)
from eqsat.rules.language.scalar import Arg, Const, pure  # fmt: skip
from eqsat.rules.movements.axes import padded_twice, permuted
from eqsat.rules.reductions.product_axes import product_permutation
from eqsat.rules.reductions.reduction_axes import both, count, entries_kept, expanded_elsewhere, permuted_axes


@pure
def nearly_whole(shape, window):
    return all(begin == 0 and end >= extent - 1 for (begin, end), extent in zip(window, shape, strict=True))


@pure
def same_extent(shape, window, amounts):
    rows = zip(shape, window, amounts, strict=True)
    return all(begin == before and extent - end == after for extent, (begin, end), (before, after) in rows)


@pure
def either(first, second):
    return tuple(one or other for one, other in zip(first, second, strict=True))


@pure
def turned(amounts):
    return tuple((after, before) for before, after in amounts)


wrong_arrays = Topic("wrong arrays")


# Movement.


@wrong_arrays.rule(ANY)
def permutations_compose_backwards(x: Value, p: Arg, q: Arg) -> Rewrite:
    """The later one is read first."""
    return rewrite(permute(permute(x, p), q), permute(x, permuted(q, p)))


@wrong_arrays.rule(ANY)
def windows_do_not_shift(x: Value, v: Arg, w: Arg) -> Rewrite:
    """The second window starts inside the first."""
    return rewrite(shrink(shrink(x, v), w), shrink(x, w))


@wrong_arrays.rule(ANY)
def window_off_by_one(x: Value, w: Arg) -> Rewrite:
    """The last element is missing."""
    return rewrite(shrink(x, w), x, where=nearly_whole(shape_of(x), w))


@wrong_arrays.rule(NUMBERS)
def pad_merges_with_flip(x: Value, a: Arg, f: Arg) -> Rewrite:
    """Before and after change places."""
    return rewrite(flip(pad(x, a), f), pad(flip(x, f), a))


@wrong_arrays.rule(NUMBERS)
def pad_undoes_shrink(x: Value, w: Arg, a: Arg) -> Rewrite:
    """What was cut off is zero now."""
    return rewrite(pad(shrink(x, w), a), x, where=same_extent(shape_of(x), w, a))


@wrong_arrays.rule(FLOATS)
def add_after_padding(x: Value, c: Const, a: Arg) -> Rewrite:
    """The constant is also added to the padding."""
    return rewrite(pad(x, a) + c, pad(x + c, a))


@wrong_arrays.rule(ANY)
def reshape_ignores_permute(x: Value, p: Arg, t: Arg) -> Rewrite:
    """Elements change order."""
    return rewrite(reshape(permute(x, p), t), reshape(x, t))


# Reductions.


@wrong_arrays.rule(INTEGERS)
def sum_of_copies_forgets_them(x: Value, s: Arg, axes: Arg) -> Rewrite:
    """A sum counts each copy."""
    fewer = expand(x, expanded_elsewhere(shape_of(x), s, axes))
    return rewrite(reduce_axis(Op.ADD, expand(x, s), axes), reduce_axis(Op.ADD, fewer, axes))


@wrong_arrays.rule(INTEGERS)
def sum_of_shifted_once(x: Value, c: Const, axes: Arg) -> Rewrite:
    """The constant is added once an element."""
    return rewrite(reduce_axis(Op.ADD, x + c, axes), reduce_axis(Op.ADD, x, axes) + c)


@wrong_arrays.rule(INTS)
def greatest_of_wrapped(x: Value, c: Const, axes: Arg) -> Rewrite:
    """x + c may wrap."""
    return rewrite(reduce_axis(Op.MAX, x + c, axes), reduce_axis(Op.MAX, x, axes) + c)


@wrong_arrays.rule(FLOATS)
def float_sums_in_any_order(x: Value, a: Arg, b: Arg) -> Rewrite:
    """Rounding depends on the order."""
    return rewrite(reduce_axis(Op.ADD, reduce_axis(Op.ADD, x, a), b), reduce_axis(Op.ADD, x, both(a, b)))


@wrong_arrays.rule(NUMBERS)
def different_reductions_merge(x: Value, a: Arg, b: Arg) -> Rewrite:
    """A greatest sum is no greatest element."""
    return rewrite(reduce_axis(Op.MAX, reduce_axis(Op.MIN, x, a), b), reduce_axis(Op.MAX, x, both(a, b)))


@wrong_arrays.rule(ANY)
def greatest_ignores_zeros_around(x: Value, a: Arg, axes: Arg) -> Rewrite:
    """Zero may be the greatest."""
    return rewrite(
        reduce_axis(Op.MAX, pad(x, a), axes), pad(reduce_axis(Op.MAX, x, axes), entries_kept(a, axes))
    )


@wrong_arrays.rule(INTEGERS)
def reduce_before_permute_in_place(x: Value, p: Arg, axes: Arg) -> Rewrite:
    """The axes left are permuted too."""
    return rewrite(reduce_axis(Op.ADD, permute(x, p), axes), reduce_axis(Op.ADD, x, permuted_axes(p, axes)))


@wrong_arrays.rule(FLOATS)
def greatest_of_any_shift(x: Value, c: Const, axes: Arg) -> Rewrite:
    """Infinity less infinity is NaN for one element only."""
    return rewrite(reduce_axis(Op.MAX, x + c, axes), reduce_axis(Op.MAX, x, axes) + c)


@wrong_arrays.rule(INDEX)
def mean_of_sum(x: Value, axes: Arg) -> Rewrite:
    """The mean of no elements is 0: zero divided by zero."""
    total, number = reduce_axis(Op.ADD, x, axes), count(shape_of(x), axes)
    return rewrite(total * 0 + 1, (total * 0 + number) // number)


@wrong_arrays.rule(ANY)
def flips_add_up(x: Value, f: Arg, g: Arg) -> Rewrite:
    """Twice is not at all."""
    return rewrite(flip(flip(x, f), g), flip(x, either(f, g)))


@wrong_arrays.rule(ANY)
def paddings_change_sides(x: Value, a: Arg, b: Arg) -> Rewrite:
    """Before stays before."""
    return rewrite(pad(pad(x, a), b), pad(x, padded_twice(a, turned(b))))


# Tensor algebra.


@wrong_arrays.rule(FLOATS, soundness=Soundness.REAL)
def product_transposed_without_its_factors(x: Value, y: Value, a: Arg, p: Arg) -> Rewrite:
    """The axes of the factors are permuted too."""
    transposed = reduce_axis(
        Op.ADD, permute(reshape(x * y, shape_of(x)), product_permutation(shape_of(x), a, p)), a
    )
    return rewrite(permute(reduce_axis(Op.ADD, x * y, a), p), transposed)


@wrong_arrays.rule(FLOATS, soundness=Soundness.REAL)
def products_in_the_wrong_order(x: Value, y: Value, z: Value, s: Arg, a: Arg, b: Arg) -> Rewrite:
    """x may vary along the axes of the outer sum."""
    products = reduce_axis(Op.ADD, expand(x, s) * y, a)
    right = reduce_axis(Op.ADD, y, a) * reduce_axis(Op.ADD, expand(x, s), a)
    return rewrite(reduce_axis(Op.ADD, products * z, b), reduce_axis(Op.ADD, right * z, b))


@wrong_arrays.rule(FLOATS, soundness=Soundness.REAL)
def rows_divided_by_what_varies(x: Value, d: Value, y: Value, v: Arg, a: Arg) -> Rewrite:
    """A divisor that varies along the summed axes stays in the sum."""
    whole = reduce_axis(Op.ADD, x * y, a) / reduce_axis(Op.ADD, expand(d, v), a)
    return rewrite(reduce_axis(Op.ADD, (x / expand(d, v)) * y, a), whole)
