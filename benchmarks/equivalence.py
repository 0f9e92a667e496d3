"""Checks whether two graphs of scalars compute the same wherever the first one has a value.

If there are few points, all are compared. Otherwise the corners, points near them and random ones are, the same in every run.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.cases import Graph, Leaf
from eqsat.dtype import DType, to_numpy
from eqsat.ops import COMPARISON, Op
from eqsat.reference.alu import compute
from eqsat.reference.number import constant, convert, hold, reinterpret
from eqsat.uop import UOp, toposort

Array = NDArray[Any]

MOST_POINTS = 20_000
_CORNERS = 2_000  # points whose coordinates are ends of variables, or numbers next to these
_DIVISIONS = frozenset({Op.FLOORDIV, Op.FLOORMOD, Op.IDIV, Op.MOD})


class Defined(NamedTuple):
    """The values of a node at all points, and a mask of the points where it has one."""

    values: Array
    known: Array


def differing(graph: Graph, roots: Sequence[UOp]) -> dict[str, Any] | None:
    """A point at which `roots` differ from the results of `graph`; None if no compared point is one."""
    points = points_of(graph)
    before = evaluate(graph.roots, points)
    fair = np.ones(len(next(iter(points.values()))) if points else 1, np.bool_)
    for leaf, meaning in graph.leaves.items():
        if meaning.end is not None:  # a range runs below its end
            end = before[graph.roots[meaning.end]]
            fair &= end.known & (points[leaf] < end.values)
    after = evaluate(roots, points)
    for expected, found in zip(graph.roots, roots, strict=True):
        wrong = fair & before[expected].known & ~_same(before[expected].values, after[found])
        if wrong.any():
            place = int(np.flatnonzero(wrong)[0])
            return {str(leaf.arg[0]): values[place].item() for leaf, values in points.items()}
    return None


def _same(expected: Array, found: Defined) -> Array:
    equal = expected == found.values
    if expected.dtype.kind == "f":
        equal |= np.isnan(expected) & np.isnan(found.values)
    return np.asarray(equal & found.known, np.bool_)


def points_of(graph: Graph) -> dict[UOp, Array]:
    """Values of the variables: every combination if there are few, else samples."""
    leaves = list(graph.leaves.items())
    random = np.random.default_rng(0)
    sizes = [leaf.arg[2] - leaf.arg[1] + 1 for leaf, _ in leaves if not _is_float(leaf)]
    if prod(sizes) <= MOST_POINTS and not any(_is_float(leaf) for leaf, _ in leaves):
        grid = list(product(*(range(leaf.arg[1], leaf.arg[2] + 1) for leaf, _ in leaves)))
        columns = list(zip(*grid, strict=True))
    else:
        columns = [_samples(leaf, meaning, random) for leaf, meaning in leaves]
    return {
        leaf: hold(
            np.array(column, object if _dtype(leaf).is_index else to_numpy(_dtype(leaf))), _dtype(leaf)
        )
        for (leaf, _), column in zip(leaves, columns, strict=True)
    }


def _samples(leaf: UOp, meaning: Leaf, random: np.random.Generator) -> list[Any]:
    if _is_float(leaf):
        special = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            float("inf"),
            float("-inf"),
            float("nan"),
            1e30,
            1e-30,
            meaning.least,
        ]
        inside = [value for value in special if meaning.least <= value <= meaning.greatest or value != value]
        least, greatest = max(meaning.least, -1e3), min(meaning.greatest, 1e3)
        drawn = least + (greatest - least) * random.random(MOST_POINTS - _CORNERS)
        return [*(inside[each] for each in random.integers(0, len(inside), _CORNERS)), *drawn.tolist()]
    least, greatest = leaf.arg[1], leaf.arg[2]
    near = {least, least + 1, greatest, greatest - 1, 0, 1, -1, (least + greatest) // 2}
    inside = sorted(value for value in near if least <= value <= greatest)
    corners = [inside[each] for each in random.integers(0, len(inside), _CORNERS)]
    span = min(greatest - least, (1 << 63) - 2)
    drawn = random.integers(0, span, MOST_POINTS - _CORNERS, endpoint=True)
    return [*corners, *(least + int(each) for each in drawn)]


def evaluate(roots: Sequence[UOp], points: dict[UOp, Array]) -> dict[UOp, Defined]:
    """Every node at all points. A WHERE has a value where its condition and the branch that it takes have one."""
    found: dict[UOp, Defined] = {}
    number = len(next(iter(points.values()))) if points else 1
    everywhere = np.ones(number, np.bool_)
    for node in toposort(roots):
        if node in points:
            found[node] = Defined(points[node], everywhere)
        elif node.op is Op.CONST:
            found[node] = Defined(np.broadcast_to(constant(node.arg, _dtype(node)), (number,)), everywhere)
        elif node.op is Op.RESHAPE:
            found[node] = found[node.src[0]]
        elif node.op is Op.EMPTY:
            found[node] = Defined(np.broadcast_to(constant(0, _dtype(node)), (number,)), ~everywhere)
        else:
            found[node] = _computed(node, [found[source] for source in node.src])
    return found


def _computed(node: UOp, sources: list[Defined]) -> Defined:
    values = [source.values for source in sources]
    known = np.logical_and.reduce([source.known for source in sources])
    match node.op:
        case Op.CAST:
            return Defined(convert(values[0], _dtype(node.src[0]), _dtype(node)), known)
        case Op.BITCAST:
            return Defined(reinterpret(values[0], _dtype(node.src[0]), _dtype(node)), known)
        case Op.WHERE:
            known = sources[0].known & np.where(values[0], sources[1].known, sources[2].known)
        case op if op in _DIVISIONS:
            known = known & np.asarray(values[1] != 0, np.bool_)
        case Op.SHL | Op.SHR:
            known = known & np.asarray((values[1] >= 0) & (values[1] < _dtype(node).bits), np.bool_)
        case Op.MAX | Op.MIN if _dtype(node).is_float:  # it is not specified which of two zeros is the result
            known = known & ~((values[0] == values[1]) & (np.signbit(values[0]) != np.signbit(values[1])))
        case _:
            pass
    operand = _dtype(node.src[0]) if node.op in COMPARISON else _dtype(node)
    return Defined(compute(node.op, operand, *values), known)


def _is_float(leaf: UOp) -> bool:
    return _dtype(leaf).is_float


def _dtype(node: UOp) -> DType:
    assert isinstance(node.dtype, DType)
    return node.dtype
