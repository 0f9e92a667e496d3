"""Products of matrices of bytes, four terms at a time.

Some processors multiply four unsigned bytes by four signed bytes, and add the four products to a 32-bit integer, in one instruction. A product of
32-bit integers takes two instructions for a single term. So four neighbours along the reduced axis become one word (DOT), and words are reduced;
zeros fill the last word. If both factors are signed, one is raised by 128, and the surplus, 128 times the sums of the other, is subtracted again.
If both are unsigned, one is lowered by 128. The guards read the bounds of values, not their dtypes: bytes are mostly converted before they are
multiplied.
"""

from __future__ import annotations

from math import prod

from eqsat.dtype import int32
from eqsat.ops import Op
from eqsat.rules.language.facts import hi, lo, shape_of
from eqsat.rules.language.pattern import Node, Value, apply, expand, pad, reduce_axis, reshape, shrink
from eqsat.rules.language.rule import Phase, Rewrite, Topic, rewrite
from eqsat.rules.language.scalar import Arg, Scalar, pure
from eqsat.rules.movements.axes import Pairs
from eqsat.rules.reductions.reduction_axes import entries_kept
from eqsat.shape import Shape

byte_products = Topic("products of bytes")

WORD = 4  # bytes in a word


@pure
def in_words(shape: Shape, axes: Shape) -> Shape | None:
    """The shape with words in place of bytes along the reduced axis; None if several axes are reduced.

    >>> in_words((8, 5, 512), (2,)), in_words((8, 5, 509), (2,)), in_words((8, 5, 509), (1, 2))
    ((8, 5, 128), (8, 5, 128), None)
    """
    if len(axes) != 1:
        return None
    (axis,) = axes
    return (*shape[:axis], -(-shape[axis] // WORD), *shape[axis + 1 :])


@pure
def up_to_words(shape: Shape, axes: Shape) -> Pairs:
    """The padding with zeros that fills the last word.

    >>> up_to_words((8, 1, 509), (2,))
    ((0, 0), (0, 0), (0, 3))
    """
    return tuple((0, -extent % WORD if axis in axes else 0) for axis, extent in enumerate(shape))


@pure
def byte_by_byte(shape: Shape, axes: Shape) -> Shape | None:
    """The shape with the bytes of a word on an axis of their own; None if several axes are reduced.

    >>> byte_by_byte((8, 1, 509), (2,))
    (8, 1, 128, 4)
    """
    if len(axes) != 1:
        return None
    (axis,) = axes
    return (*shape[:axis], -(-shape[axis] // WORD), WORD, *shape[axis + 1 :])


@pure
def one_byte(shape: Shape, axes: Shape, number: int) -> Pairs | None:
    """The window of one byte of each word; None if several axes are reduced.

    >>> one_byte((8, 1, 512), (2,), 3)
    ((0, 8), (0, 1), (0, 128), (3, 4))
    """
    if len(axes) != 1:
        return None
    (axis,) = axes
    whole = [(0, extent) for extent in shape]
    return (*whole[:axis], (0, -(-shape[axis] // WORD)), (number, number + 1), *whole[axis + 1 :])


def _words(x: Node | Value, own: Scalar, a: Scalar) -> Node:
    """The bytes of four neighbours in one 32-bit integer, the first one in the lowest bits."""
    bytes_ = reshape(pad(x, up_to_words(own, a)), byte_by_byte(own, a))
    first, second, third, last = (
        reshape(shrink(bytes_, one_byte(own, a, number)), in_words(own, a)) for number in range(WORD)
    )
    return (first & 255) | (second & 255) << 8 | (third & 255) << 16 | last << 24


def _product(x: Node | Value, y: Node | Value, own: tuple[Scalar, Scalar], s: Arg, a: Arg) -> Node:
    """The product of an unsigned and a signed factor, by words."""
    words = in_words(s, a)
    left, right = (expand(_words(factor, shape, a), words) for factor, shape in zip((x, y), own, strict=True))
    return reduce_axis(Op.ADD, apply(Op.DOT, left, right), a)


def _sums(x: Value, s: Arg, a: Arg) -> Node:
    """The sums of a factor along the reduced axis, repeated for each result."""
    return expand(reduce_axis(Op.ADD, x, a), entries_kept(s, a))


def _left(x: Value, y: Value, s: Arg, a: Arg) -> Node:
    return reduce_axis(Op.ADD, expand(x, s) * expand(y, s), a)


@pure
def share_axis(own: Shape, other: Shape, shape: Shape, axes: Shape) -> bool:
    """Whether exactly one axis is reduced, with at least as many elements as a word has bytes, and neither factor is repeated along it.

    >>> share_axis((8, 1, 509), (1, 5, 509), (8, 5, 509), (2,)), share_axis((8, 1, 509), (1, 5, 1), (8, 5, 509), (2,))
    (True, False)
    """
    return len(axes) == 1 and own[axes[0]] == other[axes[0]] == shape[axes[0]] >= WORD


@pure
def comes_first(own: Shape, other: Shape) -> bool:
    """Whether a factor is the one to change, of two signed or two unsigned ones: the smaller one. If both are as large, both are tried."""
    return prod(own) <= prod(other)


@byte_products.rule((int32,), phase=Phase.EXPLORE)
def product_of_bytes_by_words(x: Value, y: Value, s: Arg, a: Arg) -> Rewrite:
    """A product of a matrix of unsigned bytes and a matrix of signed bytes is a product of words."""
    guard = (
        (lo(x) >= 0)
        & (hi(x) <= 255)
        & (lo(y) >= -128)
        & (hi(y) <= 127)
        & share_axis(shape_of(x), shape_of(y), s, a)
    )
    return rewrite(_left(x, y, s, a), _product(x, y, (shape_of(x), shape_of(y)), s, a), where=guard)


@byte_products.rule((int32,), phase=Phase.EXPLORE)
def product_of_signed_bytes_by_words(x: Value, y: Value, s: Arg, a: Arg) -> Rewrite:
    """For a product of words, one of two signed factors is raised by 128; 128 times the sums of the other are subtracted again."""
    guard = (lo(x) >= -128) & (lo(x) < 0) & (hi(x) <= 127) & (lo(y) >= -128) & (lo(y) < 0) & (hi(y) <= 127)
    guard &= comes_first(shape_of(x), shape_of(y))
    raised = _product(x + 128, y, (shape_of(x), shape_of(y)), s, a)
    return rewrite(
        _left(x, y, s, a),
        raised - _sums(y, s, a) * 128,
        where=guard & share_axis(shape_of(x), shape_of(y), s, a),
    )


@byte_products.rule((int32,), phase=Phase.EXPLORE)
def product_of_unsigned_bytes_by_words(x: Value, y: Value, s: Arg, a: Arg) -> Rewrite:
    """For a product of words, one of two unsigned factors is lowered by 128; 128 times the sums of the other are added again."""
    guard = (lo(x) >= 0) & (hi(x) <= 255) & (lo(y) >= 0) & (hi(y) <= 255)
    guard &= comes_first(shape_of(y), shape_of(x))
    lowered = _product(x, y - 128, (shape_of(x), shape_of(y)), s, a)
    return rewrite(
        _left(x, y, s, a),
        lowered + _sums(x, s, a) * 128,
        where=guard & share_axis(shape_of(x), shape_of(y), s, a),
    )
