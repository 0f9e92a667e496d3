"""Plausible rules that are wrong: what a verification of rules is worth shows in how many of these it refutes."""

from math import inf

from eqsat.dtype import bool_, float32, int32
from eqsat.ops import Op
from eqsat.rules.axes import padded_twice, permuted
from eqsat.rules.lanes import is_of_first, vector_of
from eqsat.rules.pattern import (
    Arg,
    Const,
    Type,
    Value,
    apply,
    cast,
    cat,
    dtype_of,
    expand,
    flip,
    gep,
    hi,
    index,
    lo,
    load,
    maximum,
    minimum,
    pad,
    permute,
    pure,
    reduce_axis,
    reshape,
    shape_of,
    shrink,
    vectorize,
    where,
)  # fmt: skip
from eqsat.rules.product_axes import product_permutation
from eqsat.rules.reduction_axes import both, count, expanded_elsewhere, permuted_axes, without
from eqsat.rules.rule import (
    ANY,
    BOOL,
    FLOATS,
    INDEX,
    INTEGERS,
    INTS,
    NUMBERS,
    SIGNED,
    VECTORS,
    Rewrite,
    Soundness,
    Topic,
    rewrite,
)


@pure
def rounded_reciprocal(value):
    return 1 / value if value not in (0, inf, -inf) and value == value else None


@pure
def is_integer(dtype):
    return dtype.is_int


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


wrong = Topic("wrong")
FINITE, REAL = Soundness.FINITE, Soundness.REAL

# Floats.


@wrong.rule(FLOATS)
def adding_zero_keeps_bits(x: Value) -> Rewrite:
    """-0.0 + 0.0 is 0.0."""
    return rewrite(x + 0.0, x)


@wrong.rule(FLOATS)
def zero_times_anything(x: Value) -> Rewrite:
    """NaN and infinities stay."""
    return rewrite(x * 0.0, 0.0)


@wrong.rule(FLOATS)
def quotient_of_itself(x: Value) -> Rewrite:
    """0/0 is NaN."""
    return rewrite(x / x, 1.0)


@wrong.rule(FLOATS)
def division_as_multiplication(x: Value, c: Const) -> Rewrite:
    """The reciprocal is rounded."""
    return rewrite(x / c, x * rounded_reciprocal(c))


@wrong.rule(FLOATS)
def not_below_is_at_least(x: Value, y: Value) -> Rewrite:
    """A NaN is neither."""
    return rewrite(~(x < y), (y < x) | x.eq(y))


@wrong.rule(FLOATS)
def greater_by_comparison(x: Value, y: Value) -> Rewrite:
    """MAX gives a NaN if either operand is one."""
    return rewrite(maximum(x, y), where(x < y, y, x))


@wrong.rule(FLOATS)
def greatest_with_infinity(x: Value) -> Rewrite:
    """NaN stays NaN."""
    return rewrite(maximum(x, inf), inf)


@wrong.rule(FLOATS)
def sums_associate(x: Value, y: Value, z: Value) -> Rewrite:
    """Rounding does not."""
    return rewrite((x + y) + z, x + (y + z))


@wrong.rule(FLOATS, soundness=REAL)
def powers_multiply_exponents(x: Value, y: Value) -> Rewrite:
    """They add them."""
    return rewrite(apply(Op.EXP2, x) * apply(Op.EXP2, y), apply(Op.EXP2, x * y))


@wrong.rule(FLOATS, soundness=FINITE)
def difference_the_other_way(x: Value, y: Value) -> Rewrite:
    """It changes sign."""
    return rewrite(x - y, y - x)


# Integers.


@wrong.rule(INTS)
def divide_undoes_multiply_under_wrap(x: Value, c: Const) -> Rewrite:
    """The product may have wrapped."""
    return rewrite((x * c) // c, x, where=c != 0)


@wrong.rule(INDEX)
def divide_by_what_may_be_zero(x: Value, c: Const) -> Rewrite:
    """Dividing by zero has no value."""
    return rewrite(x * c, (x * c * x) // x)


@wrong.rule(SIGNED)
def compare_differences(x: Value, y: Value) -> Rewrite:
    """The difference may wrap."""
    return rewrite(x < y, x + y * -1 < 0)


@wrong.rule(SIGNED | INDEX)
def truncate_like_floor(x: Value, c: Const) -> Rewrite:
    """Not for negative dividends."""
    return rewrite(apply(Op.IDIV, x, c), x // c, where=c > 0)


@wrong.rule(SIGNED | INDEX)
def remainder_of_negated(x: Value, c: Const) -> Rewrite:
    """The sign of the divisor decides."""
    return rewrite((x * -1) % c, (x % c) * -1, where=c > 0)


@wrong.rule(INDEX)
def small_quotient_is_zero(x: Value, c: Const) -> Rewrite:
    """Off by one: x may be c."""
    return rewrite(x // c, 0, where=(lo(x) >= 0) & (hi(x) <= c) & (c > 0))


@wrong.rule(INTS)
def power_of_two_is_a_shift(x: Value) -> Rewrite:
    """A shift by the width of the narrowest, or more, has no value."""
    return rewrite(x * 256, x << 8)


@wrong.rule(INTEGERS)
def minimum_above(x: Value, c: Const, d: Const) -> Rewrite:
    """The bounds are the other way round."""
    return rewrite(minimum(maximum(x, c), d), maximum(minimum(x, d), c))


# Casts.


@wrong.rule(SIGNED)
def float_holds_integer(x: Value, t: Type) -> Rewrite:
    """float32 holds 24 bits."""
    return rewrite(cast(cast(x, float32), t), cast(x, t))


@wrong.rule(INTS)
def any_integer_cast_is_lossless(x: Value, t: Type) -> Rewrite:
    """A narrower one loses bits."""
    return rewrite(cast(cast(x, t), int32), cast(x, int32), where=is_integer(t))


@wrong.rule(BOOL)
def bool_of_product(b: Value, x: Value, t: Type) -> Rewrite:
    """Zero times infinity is NaN."""
    return rewrite(cast(b, t) * x, where(b, x, 0))


@wrong.rule(INTS)
def bool_keeps_low_bit(x: Value) -> Rewrite:
    """A bool is whether any bit is set."""
    return rewrite(cast(x, bool_), (x & 1).ne(0))


# Movement.


@wrong.rule(ANY)
def permutations_compose_backwards(x: Value, p: Arg, q: Arg) -> Rewrite:
    """The later one is read first."""
    return rewrite(permute(permute(x, p), q), permute(x, permuted(q, p)))


@wrong.rule(ANY)
def windows_do_not_shift(x: Value, v: Arg, w: Arg) -> Rewrite:
    """The second window starts inside the first."""
    return rewrite(shrink(shrink(x, v), w), shrink(x, w))


@wrong.rule(ANY)
def window_off_by_one(x: Value, w: Arg) -> Rewrite:
    """The last element is missing."""
    return rewrite(shrink(x, w), x, where=nearly_whole(shape_of(x), w))


@wrong.rule(NUMBERS)
def pad_merges_with_flip(x: Value, a: Arg, f: Arg) -> Rewrite:
    """Before and after change places."""
    return rewrite(flip(pad(x, a), f), pad(flip(x, f), a))


@wrong.rule(NUMBERS)
def pad_undoes_shrink(x: Value, w: Arg, a: Arg) -> Rewrite:
    """What was cut off is zero now."""
    return rewrite(pad(shrink(x, w), a), x, where=same_extent(shape_of(x), w, a))


@wrong.rule(FLOATS)
def add_after_padding(x: Value, c: Const, a: Arg) -> Rewrite:
    """The constant is also added to the padding."""
    return rewrite(pad(x, a) + c, pad(x + c, a))


@wrong.rule(ANY)
def reshape_ignores_permute(x: Value, p: Arg, t: Arg) -> Rewrite:
    """Elements change order."""
    return rewrite(reshape(permute(x, p), t), reshape(x, t))


# Reductions.


@wrong.rule(INTEGERS)
def sum_of_copies_forgets_them(x: Value, s: Arg, axes: Arg) -> Rewrite:
    """A sum counts each copy."""
    fewer = expand(x, expanded_elsewhere(shape_of(x), s, axes))
    return rewrite(reduce_axis(Op.ADD, expand(x, s), axes), reduce_axis(Op.ADD, fewer, axes))


@wrong.rule(INTEGERS)
def sum_of_shifted_once(x: Value, c: Const, axes: Arg) -> Rewrite:
    """The constant is added once an element."""
    return rewrite(reduce_axis(Op.ADD, x + c, axes), reduce_axis(Op.ADD, x, axes) + c)


@wrong.rule(INTS)
def greatest_of_wrapped(x: Value, c: Const, axes: Arg) -> Rewrite:
    """x + c may wrap."""
    return rewrite(reduce_axis(Op.MAX, x + c, axes), reduce_axis(Op.MAX, x, axes) + c)


@wrong.rule(FLOATS)
def float_sums_in_any_order(x: Value, a: Arg, b: Arg) -> Rewrite:
    """Rounding depends on the order."""
    return rewrite(reduce_axis(Op.ADD, reduce_axis(Op.ADD, x, a), b), reduce_axis(Op.ADD, x, both(a, b)))


@wrong.rule(NUMBERS)
def different_reductions_merge(x: Value, a: Arg, b: Arg) -> Rewrite:
    """A greatest sum is no greatest element."""
    return rewrite(reduce_axis(Op.MAX, reduce_axis(Op.MIN, x, a), b), reduce_axis(Op.MAX, x, both(a, b)))


@wrong.rule(ANY)
def greatest_ignores_zeros_around(x: Value, a: Arg, axes: Arg) -> Rewrite:
    """Zero may be the greatest."""
    return rewrite(reduce_axis(Op.MAX, pad(x, a), axes), pad(reduce_axis(Op.MAX, x, axes), without(a, axes)))


@wrong.rule(INTEGERS)
def reduce_before_permute_in_place(x: Value, p: Arg, axes: Arg) -> Rewrite:
    """The axes left are permuted too."""
    return rewrite(reduce_axis(Op.ADD, permute(x, p), axes), reduce_axis(Op.ADD, x, permuted_axes(p, axes)))


@wrong.rule(FLOATS)
def greatest_of_any_shift(x: Value, c: Const, axes: Arg) -> Rewrite:
    """Infinity less infinity is NaN for one element only."""
    return rewrite(reduce_axis(Op.MAX, x + c, axes), reduce_axis(Op.MAX, x, axes) + c)


@wrong.rule(INDEX)
def mean_of_sum(x: Value, axes: Arg) -> Rewrite:
    """A sum of no elements has no mean: zero divided by zero."""
    return rewrite(
        reduce_axis(Op.ADD, x, axes) * 0, reduce_axis(Op.ADD, x, axes) // count(shape_of(x), axes) * 0
    )


@wrong.rule(ANY)
def flips_add_up(x: Value, f: Arg, g: Arg) -> Rewrite:
    """Twice is not at all."""
    return rewrite(flip(flip(x, f), g), flip(x, either(f, g)))


@wrong.rule(ANY)
def paddings_change_sides(x: Value, a: Arg, b: Arg) -> Rewrite:
    """Before stays before."""
    return rewrite(pad(pad(x, a), b), pad(x, padded_twice(a, turned(b))))


# Tensor algebra.


@wrong.rule(FLOATS, soundness=REAL)
def product_transposed_without_its_factors(x: Value, y: Value, a: Arg, p: Arg) -> Rewrite:
    """The axes of the factors are permuted too."""
    transposed = reduce_axis(
        Op.ADD, permute(reshape(x * y, shape_of(x)), product_permutation(shape_of(x), a, p)), a
    )
    return rewrite(permute(reduce_axis(Op.ADD, x * y, a), p), transposed)


@wrong.rule(FLOATS, soundness=REAL)
def products_in_the_wrong_order(x: Value, y: Value, z: Value, s: Arg, a: Arg, b: Arg) -> Rewrite:
    """x may vary along the axes of the outer sum."""
    products = reduce_axis(Op.ADD, expand(x, s) * y, a)
    right = reduce_axis(Op.ADD, y, a) * reduce_axis(Op.ADD, expand(x, s), a)
    return rewrite(reduce_axis(Op.ADD, products * z, b), reduce_axis(Op.ADD, right * z, b))


@wrong.rule(FLOATS, soundness=REAL)
def rows_divided_by_what_varies(x: Value, d: Value, y: Value, v: Arg, a: Arg) -> Rewrite:
    """A divisor that varies along the summed axes stays in the sum."""
    whole = reduce_axis(Op.ADD, x * y, a) / reduce_axis(Op.ADD, expand(d, v), a)
    return rewrite(reduce_axis(Op.ADD, (x / expand(d, v)) * y, a), whole)


# Loads.


@wrong.rule(ANY)
def choice_of_load_behind_the_negated_gate(c: Value, p: Value, i: Value, y: Value) -> Rewrite:
    """The gate is the condition itself."""
    return rewrite(where(c, load(index(p, i)), y), load(index(p, i, ~c), y))


@wrong.rule(ANY)
def gate_goes(p: Value, i: Value, g: Value, y: Value) -> Rewrite:
    """Where the gate fails, there may be no element."""
    return rewrite(load(index(p, i, g), y), where(g, load(index(p, i)), load(index(p, i))))


@wrong.rule(ANY)
def gates_join_by_either(c: Value, p: Value, i: Value, g: Value, y: Value) -> Rewrite:
    """Both have to hold."""
    return rewrite(where(c, load(index(p, i, g), y), y), load(index(p, i, c | g), y))


@wrong.rule(ANY)
def index_within_a_longer_period(p: Value, i: Value, n: Const, c: Const, y: Value) -> Rewrite:
    """The gate lets negative indices pass, whose remainders are elements."""
    inside = i < c
    return rewrite(load(index(p, i % n, inside), y), load(index(p, i, inside), y), where=(c <= n) & (n > 0))


# Vectors.


@wrong.rule(VECTORS)
def lane_of_second_vector_counted_in_both(v: Value, w: Value, p: Arg) -> Rewrite:
    """Lanes of the second vector are counted from its start."""
    return rewrite(gep(cat(v, w), p), gep(w, p), where=is_of_first(p, dtype_of(v)))


@wrong.rule(ANY)
def lanes_the_other_way_round(x: Value, y: Value) -> Rewrite:
    """Lane 0 is the first."""
    return rewrite(gep(vectorize(x, y), (0,)), y)


@wrong.rule(VECTORS)
def lanes_of_lanes_backwards(v: Value, p: Arg, q: Arg) -> Rewrite:
    """The later one chooses among those of the earlier one."""
    return rewrite(gep(gep(v, p), q), gep(v, p))


@wrong.rule(ANY)
def every_second_element_is_a_neighbour(p: Value, i: Value) -> Rewrite:
    """A vector has the next element in its second lane."""
    return rewrite(
        vectorize(load(index(p, i)), load(index(p, i + 2))),
        load(index(p, i), dtype=vector_of(dtype_of(p), 2)),
    )
