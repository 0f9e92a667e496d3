"""Products of vectors, matrices and stacks of matrices.

Each function builds one sum of products over labelled axes (`contraction`), so that the optimizer sees the same
multiply and reduce in all of them. Results have the operands' common dtype, as in NumPy; half precision is
accumulated in float32.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_letters
from typing import SupportsIndex

from eqsat.array.checking import array_function
from eqsat.array.core import Array, ArrayLike, node
from eqsat.array.nodes.axes import infer_extent, normalize_axes, normalize_axis
from eqsat.array.nodes.contraction import Labels, contract, matrix_product
from eqsat.array.nodes.views import move_axis, shape
from eqsat.errors import BuildError, ShapeError, brief

__all__ = [
    "einsum",
    "matmul",
    "outer",
    "tensordot",
    "vecdot",
]

AxisPairs = int | tuple[SupportsIndex | Sequence[SupportsIndex], SupportsIndex | Sequence[SupportsIndex]]


@array_function
def matmul(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The matrix product `x1 @ x2`, in the common dtype of the operands.

    Matrices are the last two axes; the axes before them broadcast. A vector is a row as the first operand and a column as the second,
    and the result then lacks that axis.

    Raises:
        ShapeError: an operand is a scalar, or the inner extents differ.
    """
    return Array(matrix_product(node(x1), node(x2)))


@array_function
def vecdot(x1: ArrayLike, x2: ArrayLike, /, *, axis: SupportsIndex = -1) -> Array:
    """The dot product of vectors along one axis of each array; the other axes broadcast.

    Raises:
        ShapeError: the extents along that axis differ, the other axes do not broadcast, or an operand is a scalar.
    """
    one, other = node(x1), node(x2)
    if not shape(one) or not shape(other):
        raise ShapeError(
            f"cannot take the dot product of {shape(one)} and {shape(other)}; multiply by a number with *"
        )
    one, other = (
        move_axis(
            value, normalize_axis(axis, len(shape(value)), "take the dot product over"), len(shape(value)) - 1
        )
        for value in (one, other)
    )
    if shape(one)[-1] != shape(other)[-1]:
        raise ShapeError(
            f"cannot take the dot product of {shape(one)} and {shape(other)}: their last extents differ; reshape one"
        )
    rank = max(len(shape(one)), len(shape(other)))
    labels = tuple(range(rank))
    operands = [(value, labels[rank - len(shape(value)) :]) for value in (one, other)]
    return Array(contract(operands, labels[:-1], "take the dot product of"))


@array_function
def outer(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The outer product of two vectors: element [i, j] is `x1[i] * x2[j]`. Other arrays are flattened first."""
    one, other = (value.reshape(infer_extent(shape(value), -1)) for value in (node(x1), node(x2)))
    return Array(contract([(one, (0,)), (other, (1,))], (0, 1), "multiply"))


@array_function
def tensordot(x1: ArrayLike, x2: ArrayLike, /, axes: AxisPairs = 2) -> Array:
    """The sum of products over pairs of axes; the result has the remaining axes of `x1`, then the remaining axes of `x2`.

    Args:
        x1: the first array.
        x2: the second array.
        axes: a number n, which pairs the last n axes of `x1` with the first n of `x2`, or a pair of an axis or a sequence of axes for each array.

    Raises:
        ShapeError: paired axes differ in extent, or the two sequences in length.
    """
    one, other = node(x1), node(x2)
    ranks = len(shape(one)), len(shape(other))
    if isinstance(axes, int):
        if not 0 <= axes <= min(ranks):
            raise ShapeError(
                f"cannot pair {axes} axes of {shape(one)} and {shape(other)}; pair at most {min(ranks)}"
            )
        pairs = (tuple(range(ranks[0] - axes, ranks[0])), tuple(range(axes)))
    else:
        pairs = (
            normalize_axes(axes[0], ranks[0], "sum over"),
            normalize_axes(axes[1], ranks[1], "sum over"),
        )
    if len(pairs[0]) != len(pairs[1]) or any(
        shape(one)[left] != shape(other)[right] for left, right in zip(*pairs, strict=True)
    ):
        raise ShapeError(
            f"cannot sum products of {shape(one)} and {shape(other)} over axes {pairs[0]} and {pairs[1]}: extents differ"
        )
    left: Labels = tuple(range(ranks[0]))
    matched = dict(zip(pairs[1], pairs[0], strict=True))
    right: Labels = tuple(matched.get(axis, ranks[0] + axis) for axis in range(ranks[1]))
    output = tuple(label for label in (*left, *right) if label not in pairs[0])
    return Array(contract([(one, left), (other, right)], output, "sum products of"))


@array_function
def einsum(subscripts: str, /, *operands: ArrayLike) -> Array:
    """A sum of products in Einstein notation, such as "ij,jk->ik"; "..." stands for any further axes, which broadcast.

    Without "->", the result has the axes of "...", then the axes whose letters occur once, in alphabetical order.

    Raises:
        BuildError: the notation is malformed, or does not match the number of operands or of their axes.
        ShapeError: axes with the same letter differ in extent.
    """
    if not isinstance(subscripts, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BuildError(
            f"cannot read {brief(subscripts)} as a notation, which has a letter for each axis; give it first, as a string such as "
            'einsum("ij,jk->ik", x, y)'
        )
    values = [node(operand) for operand in operands]
    terms, output = _split_notation(subscripts, len(values))
    spread = max(
        (
            len(shape(value)) - len(term) + 3
            for term, value in zip(terms, values, strict=True)
            if "..." in term
        ),
        default=0,
    )
    letters = "".join(terms).replace(".", "")
    numbers = {
        letter: spread + place for place, letter in enumerate(sorted(set(letters), key=ascii_letters.index))
    }
    labelled = [
        (value, _labels(term, len(shape(value)), spread, numbers))
        for term, value in zip(terms, values, strict=True)
    ]
    if output is None:
        output = "..." * ("..." in "".join(terms)) + "".join(
            sorted(letter for letter in set(letters) if letters.count(letter) == 1)
        )
    named = output.replace("...", "", 1)
    if len(set(named)) != len(named) or not set(named) <= numbers.keys():
        raise BuildError(
            f"cannot read {brief(subscripts)}: each output letter must occur once, and in an operand"
        )
    wanted = _labels(output, len(named) + (spread if "..." in output else 0), spread, numbers)
    return Array(contract(labelled, wanted, "sum products of"))


def _split_notation(subscripts: str, count: int) -> tuple[list[str], str | None]:
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    terms = inputs.split(",")
    if len(terms) != count:
        raise BuildError(
            f"cannot read {brief(subscripts)}: it has {len(terms)} terms for {count} operands; separate terms by commas"
        )
    for term in (*terms, output):
        letters = term.replace("...", "", 1)
        if not all(letter in ascii_letters for letter in letters):
            raise BuildError(
                f"cannot read {brief(subscripts)}: {term!r} is not made of letters and one '...'"
            )
    return terms, output if arrow else None


def _labels(term: str, rank: int, spread: int, numbers: Mapping[str, int]) -> Labels:
    """The labels of a term's axes: the number of each letter, and the numbers from 0 to `spread` - 1, right-aligned, for axes under "..."."""
    before, ellipsis, after = term.partition("...")
    named = len(before) + len(after)
    if rank < named or (rank > named and not ellipsis):
        raise BuildError(
            f"cannot label {rank} axes by {term!r}; write one letter for each axis, or '...' for the rest"
        )
    broadcast = tuple(range(spread - (rank - named), spread)) if ellipsis else ()
    return (*(numbers[letter] for letter in before), *broadcast, *(numbers[letter] for letter in after))
