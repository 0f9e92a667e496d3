"""Sums of products of small integers, as sums of floats.

Floats are multiplied and added in one step, several times as quickly as integers of 32 bits where a processor multiplies these in two. A
float32 holds every integer up to 2²⁴, so that it holds each partial sum, in any order, of few enough products: of 1,024 of bytes with signs,
of 258 without. Longer sums are summed in parts that are that short, and the parts as integers. Bounds are those of the values, whatever their
dtypes: bytes are mostly converted to integers of 32 bits before they are multiplied.
"""

from __future__ import annotations

from eqsat.dtype import DType, float32, int32, int64, uint32, uint64
from eqsat.ops import Op
from eqsat.rules.conversions.lossless import greatest_whole
from eqsat.rules.language.facts import hi, lo, shape_of
from eqsat.rules.language.pattern import Node, Value, cast, expand, permute, reduce_axis, reshape
from eqsat.rules.language.rule import Phase, Rewrite, Topic, rewrite
from eqsat.rules.language.scalar import Arg, Scalar, pure
from eqsat.rules.reductions.reduction_axes import count
from eqsat.shape import Shape

exact_sums = Topic("exact sums")

SUMS = (int32, int64, uint32, uint64)  # dtypes of such sums; shorter integers are multiplied quickly
SHORTEST = 64  # terms of a part; shorter ones cost more additions of integers than they save


@pure
def exact_terms(dtype: DType, low: int, high: int, other_low: int, other_high: int) -> int | None:
    """How many products of integers within bounds have a sum that float32 and `dtype` hold for certain; None if even one has not.

    >>> from eqsat.dtype import int16, int32
    >>> exact_terms(int32, -128, 127, -128, 127), exact_terms(int32, 0, 255, 0, 255), exact_terms(int16, -128, 127, 0, 255)
    (1024, 258, 1)
    """
    greatest = max(-low, high) * max(-other_low, other_high)
    terms = min(greatest_whole(float32), dtype.max) // max(1, greatest)
    return terms or None


@pure
def parts_of_terms(shape: Shape, axes: Shape, terms: int) -> Shape | None:
    """The shape with its one reduced axis in equal parts of at most so many terms.

    >>> parts_of_terms((8, 4096), (1,), 1024), parts_of_terms((8, 4099), (1,), 1024), parts_of_terms((8, 1024), (1,), 1024)
    ((8, 4, 1024), None, None)
    """
    if len(axes) != 1 or shape[axes[0]] <= terms:
        return None
    (axis,) = axes
    extent = shape[axis]
    counts = range(-(-extent // terms), extent // SHORTEST + 1)
    parts = next((parts for parts in counts if extent % parts == 0), None)
    return None if parts is None else (*shape[:axis], parts, extent // parts, *shape[axis + 1 :])


@pure
def own_parts(own: Shape, shape: Shape, axis: Shape) -> Shape:
    """The shape of a factor, before it is repeated, with the axis in such parts; an axis of copies is two of extent 1.

    >>> own_parts((8, 1, 4096), (8, 5, 4, 1024), (2,)), own_parts((8, 5, 1), (8, 5, 4, 1024), (2,))
    ((8, 1, 4, 1024), (8, 5, 1, 1))
    """
    (at,) = axis
    pair = (1, 1) if own[at] == 1 else shape[at : at + 2]
    return (*own[:at], *pair, *own[at + 1 :])


@pure
def parts_in_front(shape: Shape, axis: Shape) -> Shape:
    """The shape with the axis of the parts first.

    >>> parts_in_front((8, 5, 4, 1024), (2,))
    (4, 8, 5, 1024)
    """
    return (shape[axis[0]], *shape[: axis[0]], *shape[axis[0] + 1 :])


@pure
def axis_to_front(shape: Shape, axis: Shape) -> Shape:
    """The permutation that puts the axis of the parts first."""
    return (axis[0], *(other for other in range(len(shape)) if other != axis[0]))


@pure
def axis_after(axis: Shape) -> Shape:
    """The axis of the elements of a part, with the parts in front."""
    return (axis[0] + 1,)


def _float_sum(x: Node, y: Node, axes: Scalar, dtype: DType) -> Node:
    return cast(reduce_axis(Op.ADD, x * y, axes), dtype)


def _terms(dtype: DType, x: Value, y: Value) -> Scalar:
    return exact_terms(dtype, lo(x), hi(x), lo(y), hi(y))


@exact_sums.rule((), over=SUMS, phase=Phase.EXPLORE)
def product_of_small_integers_as_floats(dtype: DType, x: Value, y: Value, s: Arg, a: Arg) -> Rewrite:
    """A product of matrices of small integers, as {op}, is one of floats if float32 holds its sums."""
    right = _float_sum(expand(cast(x, float32), s), expand(cast(y, float32), s), a, dtype)
    left = reduce_axis(Op.ADD, expand(x, s) * expand(y, s), a)
    return rewrite(left, right, where=count(s, a) <= _terms(dtype, x, y))


@exact_sums.rule((), over=SUMS, phase=Phase.EXPLORE)
def product_of_small_integers_as_floats_in_parts(dtype: DType, x: Value, y: Value, s: Arg, a: Arg) -> Rewrite:
    """A product of matrices of small integers, as {op}, is a sum of products of parts, as floats, if float32 holds the sums of these."""
    shape = parts_of_terms(s, a, _terms(dtype, x, y))
    space = parts_in_front(shape, a)

    def in_parts(factor: Value) -> Node:
        own = own_parts(shape_of(factor), shape, a)
        return expand(permute(reshape(cast(factor, float32), own), axis_to_front(own, a)), space)

    parts = _float_sum(in_parts(x), in_parts(y), axis_after(a), dtype)
    return rewrite(reduce_axis(Op.ADD, expand(x, s) * expand(y, s), a), reduce_axis(Op.ADD, parts, (0,)))
