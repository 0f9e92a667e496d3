"""Einstein sums: builds every product of arrays as sums of products over labelled axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.array.nodes.folds import fold, sum_of_products, total
from eqsat.array.nodes.operands import common_dtype, convert, dtype_of
from eqsat.array.nodes.subscripts import gather
from eqsat.array.nodes.views import shape
from eqsat.errors import ShapeError
from eqsat.extents import capacity
from eqsat.ops import Op
from eqsat.shape import Shape
from eqsat.uop import UOp

Labels = tuple[int, ...]
Labelled = tuple[UOp, Labels]


def contract(operands: Sequence[Labelled], output: Labels, operation: str) -> UOp:
    """The product of operands with labelled axes, summed over all labels that are not in `output`.

    Operands are combined two at a time, in the order with the fewest multiplications that NumPy's greedy search
    finds. An axis of extent 1 broadcasts to the extent of its label in other operands.

    Raises:
        ShapeError: two axes with the same label differ in extent.
    """
    dtype = common_dtype([value for value, _ in operands])
    extents = _extents(operands, operation)
    pending = [_diagonal(convert(value, dtype), labels, extents) for value, labels in operands]
    for pair in _order(pending, output, extents):
        chosen = [pending.pop(place) for place in sorted(pair, reverse=True)][::-1]
        needed = set(output).union(*(labels for _, labels in pending))
        pending.append(_combine(chosen, needed, extents))
    value, labels = pending[0]
    return _align(value, labels, output, extents)


def matrix_product(left: UOp, right: UOp) -> UOp:
    """The product of matrices, vectors, or stacks of matrices, by the rules of Python's `@`.

    Raises:
        ShapeError: an operand is a scalar, or the inner extents differ.
    """
    ranks = len(shape(left)), len(shape(right))
    if 0 in ranks or shape(left)[-1] != shape(right)[-2 if ranks[1] > 1 else -1]:
        raise ShapeError(
            f"cannot matrix-multiply {shape(left)} and {shape(right)}: the last axis of the first must match the "
            f"{'only' if ranks[1] == 1 else 'second last'} axis of the second; transpose or reshape one"
        )
    stack = tuple(range(3, 1 + max(*ranks, 2)))
    rows = (0,) if ranks[0] > 1 else ()
    columns = (1,) if ranks[1] > 1 else ()
    left_labels = (*_last(stack, ranks[0] - 2), *rows, 2)
    right_labels = (*_last(stack, ranks[1] - 2), 2, *columns)
    return contract(
        [(left, left_labels), (right, right_labels)], (*stack, *rows, *columns), "matrix-multiply"
    )


def _last(labels: Labels, count: int) -> Labels:
    return labels[len(labels) - count :] if count > 0 else ()


def _extents(operands: Sequence[Labelled], operation: str) -> dict[int, int]:
    extents: dict[int, int] = {}
    for value, labels in operands:
        for label, extent in zip(labels, shape(value), strict=True):
            known = extents.get(label, 1)
            if known != extent and 1 not in (known, extent):
                shapes = " and ".join(str(shape(other)) for other, _ in operands)
                raise ShapeError(
                    f"cannot {operation} {shapes}: matching axes have extents {known} and {extent}; reshape one"
                )
            extents[label] = extent if known == 1 else known
    return extents


def _diagonal(value: UOp, labels: Labels, extents: dict[int, int]) -> Labelled:
    """Replaces axes that share a label by one axis, their diagonal."""
    for label in dict.fromkeys(labels):
        axes = [axis for axis, other in enumerate(labels) if other == label]
        if len(axes) == 1:
            continue
        value = value.expand(
            [extents[label] if axis in axes else extent for axis, extent in enumerate(shape(value))]
        )
        kept = [other for axis, other in enumerate(labels) if axis not in axes]
        value = gather(value, {axis: UOp.iota(extents[label]) for axis in axes})
        labels = (*kept[: axes[0]], label, *kept[axes[0] :])
    return value, labels


def _order(
    operands: Sequence[Labelled], output: Labels, extents: dict[int, int]
) -> Sequence[tuple[int, ...]]:
    """For each step, the positions of the operands to combine among those left; results are appended. Dims count with their capacity."""
    if len(operands) < 3:
        return [tuple(range(len(operands)))]
    most = 2 ** (62 // max(1, *(len(labels) for _, labels in operands)))  # so that NumPy can count elements
    arguments: list[Any] = []
    for _, labels in operands:
        shape_only = np.broadcast_to(np.int8(0), [min(capacity(extents[label]), most) for label in labels])
        arguments += [shape_only, list(labels)]
    return np.einsum_path(*arguments, list(output), optimize="greedy")[0][1:]


def _combine(operands: Sequence[Labelled], needed: set[int], extents: dict[int, int]) -> Labelled:
    """The product of the operands from left to right, summed over each label as soon as no other operand and no output needs it."""
    result = operands[0]
    if len(operands) == 1:
        return _sum_alone(result, needed)
    for place, operand in enumerate(operands[1:], start=2):
        still_needed = needed.union(*(labels for _, labels in operands[place:]))
        result = _multiply(result, operand, still_needed, extents)
    return result


def _sum_alone(operand: Labelled, needed: set[int]) -> Labelled:
    value, labels = operand
    axes = [axis for axis, label in enumerate(labels) if label not in needed]
    summed = (
        fold(Op.MAX, value, axes) if dtype_of(value).is_bool else total(value, axes, dtype=dtype_of(value))
    )
    return summed, tuple(label for label in labels if label in needed)


def _multiply(left: Labelled, right: Labelled, needed: set[int], extents: dict[int, int]) -> Labelled:
    """The product of two operands, summed over the labels not in `needed`; these axes come last, where reductions read best."""
    together = dict.fromkeys((*left[1], *right[1]))
    kept = tuple(label for label in together if label in needed)
    summed = tuple(label for label in together if label not in needed)
    one, other = (_align(value, labels, (*kept, *summed), extents) for value, labels in (left, right))
    return sum_of_products(one, other, range(len(kept), len(kept) + len(summed))), kept


def _align(value: UOp, labels: Labels, wanted: Labels, extents: dict[int, int]) -> UOp:
    """The value with its axes in the order of `wanted`; it is repeated along missing axes."""
    present = [label for label in wanted if label in labels]
    moved = value.permute([labels.index(label) for label in present])
    place = dict(zip(present, shape(moved), strict=True))
    spread: Shape = tuple(place.get(label, 1) for label in wanted)
    return moved.reshape(spread).expand([extents[label] for label in wanted])
