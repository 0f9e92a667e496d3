"""Vectors of UOps: broadcasting, picking lanes, combining, and folding index arithmetic on constants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import TypeVar

from eqsat.dtype import DType, index
from eqsat.integers.bounds import bounds, interval_of, known_ends
from eqsat.integers.intervals import Interval, hull, interval_of_result
from eqsat.integers.values import COMPUTED
from eqsat.ops import Op, identity_element
from eqsat.uop import UOp, toposort

T = TypeVar("T")
Lane = tuple[UOp, int]
"""A vector and the number of one of its lanes."""


def broadcast(value: UOp, lanes: int) -> UOp:
    """A scalar repeated in every lane; a vector that has `lanes` already is returned as it is."""
    assert isinstance(value.dtype, DType)
    if lanes == 1 or value.dtype.lanes == lanes:
        return value
    if value.op is Op.CONST:
        return UOp(Op.VCONST, value.dtype.vec(lanes), (), (value.arg,) * lanes)
    return UOp(Op.VECTORIZE, value.dtype.vec(lanes), (value,) * lanes)


def vector_of(values: Sequence[UOp]) -> UOp:
    """A vector of scalars, or the concatenation of vectors."""
    first = values[0].dtype
    assert isinstance(first, DType)
    if len(values) == 1:
        return values[0]
    if all(value.op is Op.CONST for value in values):
        return UOp(Op.VCONST, first.vec(len(values)), (), tuple(value.arg for value in values))
    return concatenated(values)


def concatenated(values: Sequence[UOp]) -> UOp:
    """As `vector_of`, but scalar constants stay operands and are not folded to a VCONST."""
    first = values[0].dtype
    assert isinstance(first, DType)
    if len(values) == 1:
        return values[0]
    op = Op.VECTORIZE if first.lanes == 1 else Op.CAT
    return UOp(op, first.scalar.vec(sum(value.dtype.lanes for value in values)), tuple(values))


def pick(vector: UOp, lanes: tuple[int, ...]) -> UOp:
    """Lanes of a vector, numbered from 0; one lane is a scalar."""
    dtype = vector.dtype
    assert isinstance(dtype, DType)
    if dtype.lanes == 1 or lanes == tuple(range(dtype.lanes)):
        return vector
    if vector.op is Op.VECTORIZE:
        return vector_of([vector.src[lane] for lane in lanes])
    if vector.op is Op.VCONST:
        return vector_of([UOp(Op.CONST, dtype.scalar, (), vector.arg[lane]) for lane in lanes])
    return UOp(Op.GEP, dtype.scalar.vec(len(lanes)), (vector,), lanes)


def shuffled(lanes: Sequence[Lane]) -> UOp:
    """A vector of lanes of other vectors; each lane is given as a vector and the number of one of its lanes.

    If there are two vectors, of the same type as the result, it is one shuffle: a GEP of a CAT of both. Lanes of a shuffle are taken from the shuffle
    itself, not from its sources.
    """
    vectors = list(dict.fromkeys(vector for vector, _ in lanes))
    width, scalar = len(lanes), vectors[0].dtype.scalar
    is_whole = all(vector.dtype.lanes == width and not _is_uniform(vector) for vector in vectors)
    if len(vectors) != 2 or not is_whole or scalar.is_bool:
        return vector_of([_lane_of(vector, lane) for vector, lane in lanes])
    both = UOp(Op.CAT, scalar.vec(2 * width), tuple(vectors))
    numbers = tuple(lane if vector is vectors[0] else width + lane for vector, lane in lanes)
    return UOp(Op.GEP, scalar.vec(width), (both,), numbers)


def by_pairs(lanes: Sequence[Lane]) -> UOp:
    """As `shuffled`, of any number of vectors: they are joined two at a time, so that each shuffle is of two vectors."""
    found = list(lanes)
    while len(vectors := list(dict.fromkeys(vector for vector, _ in found))) > 2:
        pair = vectors[:2]
        both = shuffled([(vector, lane) if vector in pair else (pair[1], lane) for vector, lane in found])
        found = [(both, place) if lane[0] in pair else lane for place, lane in enumerate(found)]
    return shuffled(found)


def is_shuffle(node: UOp) -> bool:
    """Whether a vector consists of lanes of other vectors."""
    if node.op is Op.VECTORIZE:
        return all(lane.op is Op.GEP and lane.src[0].dtype == node.dtype for lane in node.src)
    return node.op is Op.GEP and node.dtype.lanes > 1


def sources_of(shuffle: UOp) -> list[UOp]:
    """The different vectors from which a shuffle takes lanes."""
    return list(dict.fromkeys(vector for vector, _ in _lanes_of(shuffle)))


def origins_of(shuffle: UOp) -> list[Lane]:
    """Where each lane of a shuffle comes from: a lane of a vector that is no shuffle."""
    found: list[Lane] = []
    for vector, lane in _lanes_of(shuffle):
        while is_shuffle(vector):
            vector, lane = _lanes_of(vector)[lane]
        found.append((vector, lane))
    return found


def _lanes_of(shuffle: UOp) -> list[Lane]:
    """The lanes of which a shuffle consists."""
    if shuffle.op is Op.VECTORIZE:
        return [(lane.src[0], lane.arg[0]) for lane in shuffle.src]
    vectors = shuffle.src[0].src if shuffle.src[0].op is Op.CAT else shuffle.src
    places = [divmod(lane, vectors[0].dtype.lanes) for lane in shuffle.arg]
    return [(vectors[vector], lane) for vector, lane in places]


def _lane_of(vector: UOp, lane: int) -> UOp:
    """One lane: a GEP of the vector itself, even if its scalars are known; the scalar or constant if the vector is uniform."""
    if _is_uniform(vector):
        return pick(vector, (lane,))
    return UOp(Op.GEP, vector.dtype.scalar, (vector,), (lane,))


def _is_uniform(vector: UOp) -> bool:
    """Whether a vector is a constant, or one scalar in every lane."""
    return vector.op is Op.VCONST or repeated(vector) is not None


def repeated(node: UOp) -> UOp | None:
    """The scalar that a vector holds in every lane; None if the lanes differ."""
    if node.op is Op.VECTORIZE and all(source is node.src[0] for source in node.src):
        return node.src[0]
    if node.op is Op.VCONST and len(set(map(repr, node.arg))) == 1:
        return UOp(Op.CONST, node.dtype.scalar, (), node.arg[0])
    return None


def bounds_of(node: UOp) -> tuple[int, int]:
    """The least and the greatest value that an integer has in any lane."""
    return known_ends(intervals_of_lanes(node)[node])


def intervals_of_lanes(root: UOp) -> dict[UOp, Interval]:
    """The interval of every node below `root`, over all lanes."""
    found: dict[UOp, Interval] = {}
    for node in toposort([root]):
        found[node] = _interval_of_lanes(node, [found[source] for source in node.src])
    return found


def _interval_of_lanes(node: UOp, sources: Sequence[Interval]) -> Interval:
    match node.op:
        case Op.VECTORIZE | Op.CAT:
            return reduce(hull, sources)
        case Op.GEP:
            return sources[0]
        case Op.VCONST if isinstance(node.arg[0], int):
            return min(node.arg), max(node.arg)
        case _ if node.dtype.lanes > 1:
            return interval_of_result(node.op, node.dtype.scalar, sources)
        case _:
            return interval_of(node, sources)


def scanned_lanes(vector: UOp, op: Op) -> UOp:
    """Each lane combined with all lanes before it, in a logarithmic number of steps."""
    step = 1
    while step < vector.dtype.lanes:
        vector = vector.alu(op, shifted(vector, step, op))
        step *= 2
    return vector


def shifted(vector: UOp, steps: int, op: Op) -> UOp:
    """The vector shifted by `steps` lanes to higher numbers; the first lanes are the identity element of `op`."""
    kept = [pick(vector, (lane,)) for lane in range(vector.dtype.lanes - steps)]
    return vector_of([identity(kept[0], op)] * steps + kept)


def identity(like: UOp, op: Op) -> UOp:
    """The identity element of `op`, in as many lanes as the value `like` has."""
    assert isinstance(like.dtype, DType)
    scalar = like.dtype.scalar
    return broadcast(UOp.const(scalar, identity_element(op, scalar)), like.dtype.lanes)


def balanced(values: Sequence[T], join: Callable[[T, T], T]) -> T:
    """Joins all values, in a balanced tree."""
    level = list(values)
    while len(level) > 1:
        pairs = [join(left, right) for left, right in zip(level[::2], level[1::2], strict=False)]
        level = pairs + level[len(level) & ~1 :]
    return level[0]


def combine(values: Sequence[UOp], op: Op) -> UOp:
    """Combines values by `op`, in a balanced tree."""
    return balanced(values, lambda left, right: left.alu(op, right))


def added(scalar: UOp, vectors: Sequence[UOp]) -> UOp:
    """The sum of a scalar and vectors that have equally many lanes; the scalar if there are no vectors."""
    if not vectors:
        return scalar
    if scalar.op is Op.CONST and not scalar.arg:
        return combine(vectors, Op.ADD)
    return combine([broadcast(scalar, vectors[0].dtype.lanes), *vectors], Op.ADD)


def elementwise(node: UOp, sources: Sequence[UOp]) -> UOp:
    """The ALU operation `node` on other sources; scalars among vectors are broadcast, and constant indices are folded."""
    lanes = max(source.dtype.lanes for source in sources)
    assert isinstance(node.dtype, DType)
    if lanes == 1:
        return fold(node.with_src(tuple(sources)))
    if node.op is Op.CAST and node.dtype.is_int:
        return _converted(sources[0], node.dtype.scalar)
    return UOp(
        node.op, node.dtype.scalar.vec(lanes), tuple(broadcast(source, lanes) for source in sources), node.arg
    )


def _converted(vector: UOp, dtype: DType) -> UOp:
    """A vector converted to integers. The scalars and constants of a sum of indices are converted one by one.

    Integers wrap, so the result is the same, and the vectors that are added have narrower lanes.
    """
    scalar, lanes = repeated(vector), vector.dtype.lanes
    if vector.dtype.scalar is index and scalar is not None:
        return broadcast(scalar.cast(dtype), lanes)
    if (
        vector.dtype.scalar is index
        and vector.op is Op.VCONST
        and dtype.min <= min(vector.arg) <= max(vector.arg) <= dtype.max
    ):
        return vector.replace(dtype=dtype.vec(lanes))
    if vector.dtype.scalar is index and vector.op is Op.ADD:
        left, right = (_converted(source, dtype) for source in vector.src)
        return left.alu(Op.ADD, right)
    return UOp(Op.CAST, dtype.vec(lanes), (vector,))


def fold(node: UOp) -> UOp:
    """Folds a scalar index operation on constants, or a comparison that bounds decide, to a constant; folds a product with 0 or 1, too."""
    if node.op is Op.CMPLT and node.src[0].dtype is index:
        (least, greatest), (other_least, other_greatest) = bounds(node.src[0]), bounds(node.src[1])
        if greatest < other_least or least >= other_greatest:
            return UOp.const(node.dtype, greatest < other_least)  # pyright: ignore[reportArgumentType]
    if node.dtype.scalar.is_bool:
        return _fold_bool(node)
    if node.dtype is not index or node.op not in COMPUTED:
        return node
    left, right = node.src
    if (
        left.op is Op.CONST
        and right.op is Op.CONST
        and (right.arg or node.op not in (Op.FLOORDIV, Op.FLOORMOD))
    ):
        return UOp.const(index, COMPUTED[node.op](left.arg, right.arg))
    if node.op is Op.MUL:
        for constant, other in ((left, right), (right, left)):
            if constant.op is Op.CONST and constant.arg in (0, 1):
                return other if constant.arg else constant
    return node


def _fold_bool(node: UOp) -> UOp:
    """Folds conjunctions, disjunctions and negations that have a constant operand."""
    if node.op not in (Op.AND, Op.OR, Op.CMPNE) or not all(
        source.dtype.scalar.is_bool for source in node.src
    ):
        return node
    for constant, other in (node.src, node.src[::-1]):
        if constant.op is not Op.CONST:
            continue
        if node.op is Op.AND:
            return other if constant.arg else constant
        if node.op is Op.OR:
            return constant if constant.arg else other
        if other.op is Op.CONST:
            return UOp(Op.CONST, node.dtype, (), constant.arg != other.arg)
        if not constant.arg:
            return other
    return node
