"""Vectors: lanes of vectors that are made of other values, vectors of lanes, arithmetic lane by lane, and neighbours in memory loaded at once.

A vector of four or more lanes is the concatenation of its halves. So rules about two lanes, and about two vectors, cover all vectors.
"""

from __future__ import annotations

from eqsat.ops import ELEMENTARY_BINARY, ELEMENTARY_UNARY, Op
from eqsat.rules.kernels.lanes import (
    are_as_many,
    concatenated,
    doubled,
    first_half,
    is_every_lane,
    is_of_first,
    is_of_last,
    is_pair,
    is_single,
    lane_count,
    of_last,
    picked,
    second_half,
    spans_halves,
    vector_of,
)
from eqsat.rules.language.facts import dtype_of
from eqsat.rules.language.pattern import Node, Value, apply, cat, gep, index, load, vectorize
from eqsat.rules.language.rule import ANY, FLOAT_VECTORS, FLOATS, VECTORS, Rewrite, Topic, rewrite
from eqsat.rules.language.scalar import Arg, Const, Scalar, Type
from eqsat.rules.language.structure import LANES

vectors = Topic("vectors")

FLOAT_UNARY = (*ELEMENTARY_UNARY, Op.SQRT, Op.RECIP, Op.NEG)
FLOAT_COMMUTATIVE = (Op.ADD, Op.MUL, Op.MAX, Op.MIN)
FLOAT_ORDERED = (Op.SUB, Op.FDIV, *ELEMENTARY_BINARY)
FLOAT_BINARY = (*FLOAT_COMMUTATIVE, *FLOAT_ORDERED)

# Lanes of lanes, of vectors made lane by lane, and of concatenated vectors.


@vectors.rule(VECTORS)
def every_lane_in_order(v: Value, p: Arg) -> Rewrite:
    """All lanes in order are the vector."""
    return rewrite(gep(v, p), v, where=is_every_lane(p, dtype_of(v)))


@vectors.rule(VECTORS)
def lanes_of_lanes(v: Value, p: Arg, q: Arg) -> Rewrite:
    """Picking lanes of picked lanes is picking lanes once."""
    return rewrite(gep(gep(v, p), q), gep(v, picked(p, q)))


@vectors.rule(ANY)
def first_lane_of_two(x: Value, y: Value) -> Rewrite:
    """Lane 0 is the first element."""
    return rewrite(gep(vectorize(x, y), (0,)), x)


@vectors.rule(ANY)
def second_lane_of_two(x: Value, y: Value) -> Rewrite:
    """Lane 1 is the second element."""
    return rewrite(gep(vectorize(x, y), (1,)), y)


@vectors.rule(VECTORS)
def lanes_of_first_vector(v: Value, w: Value, p: Arg) -> Rewrite:
    """If all picked lanes lie in the first of two concatenated vectors, they can be picked from it."""
    return rewrite(gep(cat(v, w), p), gep(v, p), where=is_of_first(p, dtype_of(v)))


@vectors.rule(VECTORS)
def lanes_of_second_vector(v: Value, w: Value, p: Arg) -> Rewrite:
    """If all picked lanes lie in the second of two concatenated vectors, they can be picked from it."""
    return rewrite(gep(cat(v, w), p), gep(w, of_last(p, dtype_of(v))), where=is_of_last(p, dtype_of(v)))


@vectors.rule(VECTORS)
def lanes_of_both_vectors(v: Value, w: Value, p: Arg) -> Rewrite:
    """If the first half of the picked lanes lies in one of two concatenated vectors and the rest in the other, each half can be picked alone."""
    halves = cat(gep(v, first_half(p)), gep(w, of_last(second_half(p), dtype_of(v))))
    return rewrite(gep(cat(v, w), p), halves, where=spans_halves(p, dtype_of(v)))


# Vectors of lanes.


@vectors.rule(VECTORS)
def vectors_of_one_vector(v: Value, p: Arg, q: Arg) -> Rewrite:
    """The concatenation of two groups of lanes of one vector picks all of them at once."""
    return rewrite(cat(gep(v, p), gep(v, q)), gep(v, concatenated(p, q)), where=are_as_many(p, q))


@vectors.rule(VECTORS)
def lanes_of_one_vector(v: Value, p: Arg, q: Arg) -> Rewrite:
    """A vector of two lanes of one vector picks both at once."""
    guard = is_single(p) & is_single(q)
    return rewrite(vectorize(gep(v, p), gep(v, q)), gep(v, concatenated(p, q)), where=guard)


@vectors.rule(ANY, over=LANES[1:])
def vector_is_its_halves(lanes: int, *xs: Value) -> Rewrite:
    """A vector of {op} lanes is the concatenation of a vector of the first half of them and a vector of the last half."""
    half = lanes // 2
    return rewrite(vectorize(*xs), cat(vectorize(*xs[:half]), vectorize(*xs[half:])), both_ways=True)


@vectors.rule(VECTORS)
def four_vectors_are_two_pairs(s: Value, t: Value, u: Value, v: Value) -> Rewrite:
    """A concatenation of four vectors concatenates the first two, the last two, and then both results."""
    return rewrite(cat(s, t, u, v), cat(cat(s, t), cat(u, v)))


# Arithmetic.


@vectors.rule(FLOAT_VECTORS, over=FLOAT_UNARY)
def lanes_of_function(op: Op, v: Value, p: Arg) -> Rewrite:
    """Lanes of the {op} of a vector are the {op} of its lanes."""
    return rewrite(gep(apply(op, v), p), apply(op, gep(v, p)))


@vectors.rule(FLOAT_VECTORS, over=FLOAT_BINARY)
def lanes_of_operation(op: Op, v: Value, w: Value, p: Arg) -> Rewrite:
    """Lanes of the {op} of two vectors are the {op} of their lanes."""
    return rewrite(gep(apply(op, v, w), p), apply(op, gep(v, p), gep(w, p)))


@vectors.rule(FLOAT_VECTORS)
def lanes_of_multiply_add(u: Value, v: Value, w: Value, p: Arg) -> Rewrite:
    """Lanes of a fused multiply-add are the fused multiply-add of the operands' lanes."""
    fused = apply(Op.MULACC, gep(u, p), gep(v, p), gep(w, p))
    return rewrite(gep(apply(Op.MULACC, u, v, w), p), fused)


@vectors.rule(FLOATS, over=FLOAT_UNARY)
def vector_of_functions(op: Op, x: Value, y: Value) -> Rewrite:
    """A vector of the {op} of two elements is the {op} of their vector."""
    return rewrite(vectorize(apply(op, x), apply(op, y)), apply(op, vectorize(x, y)))


@vectors.rule(FLOATS, over=FLOAT_BINARY)
def vector_of_operations(op: Op, a: Value, b: Value, c: Value, d: Value) -> Rewrite:
    """A vector of two results of {op} is the {op} of two vectors."""
    return rewrite(vectorize(apply(op, a, c), apply(op, b, d)), apply(op, vectorize(a, b), vectorize(c, d)))


@vectors.rule(FLOATS)
def vector_of_multiply_adds(a: Value, b: Value, c: Value, d: Value, e: Value, f: Value) -> Rewrite:
    """A vector of two fused multiply-adds is one fused multiply-add of vectors."""
    fused = apply(Op.MULACC, vectorize(a, b), vectorize(c, d), vectorize(e, f))
    return rewrite(vectorize(apply(Op.MULACC, a, c, e), apply(Op.MULACC, b, d, f)), fused)


@vectors.rule(FLOAT_VECTORS, over=FLOAT_UNARY)
def vectors_of_functions(op: Op, v: Value, w: Value) -> Rewrite:
    """The concatenation of the {op} of two vectors is the {op} of their concatenation."""
    return rewrite(cat(apply(op, v), apply(op, w)), apply(op, cat(v, w)))


@vectors.rule(FLOAT_VECTORS, over=FLOAT_ORDERED)
def vectors_of_operations(op: Op, s: Value, t: Value, u: Value, v: Value) -> Rewrite:
    """The concatenation of two results of {op} is the {op} of longer vectors."""
    return rewrite(cat(apply(op, s, u), apply(op, t, v)), apply(op, cat(s, t), cat(u, v)))


# Operands that commute can be paired either way in each lane: for four lanes there are 8 ways, for 16 there would be 32,768.


@vectors.rule(FLOAT_VECTORS, over=FLOAT_COMMUTATIVE)
def pairs_of_operations(op: Op, s: Value, t: Value, u: Value, v: Value) -> Rewrite:
    """The concatenation of two pairs computed by {op} is the {op} of vectors of four lanes."""
    whole = apply(op, cat(s, t), cat(u, v))
    return rewrite(cat(apply(op, s, u), apply(op, t, v)), whole, where=is_pair(dtype_of(s)))


@vectors.rule(FLOAT_VECTORS)
def pairs_of_multiply_adds(a: Value, b: Value, c: Value, d: Value, e: Value, f: Value) -> Rewrite:
    """The concatenation of two fused multiply-adds of pairs is one fused multiply-add of vectors of four lanes."""
    fused = apply(Op.MULACC, cat(a, b), cat(c, d), cat(e, f))
    left = cat(apply(Op.MULACC, a, c, e), apply(Op.MULACC, b, d, f))
    return rewrite(left, fused, where=is_pair(dtype_of(a)))


# Loads of neighbours in memory.


def _loaded_at_once(p: Value, first: Node | Value, second: Node | Value) -> Rewrite:
    whole = load(index(p, first), dtype=vector_of(dtype_of(p), 2))
    return rewrite(vectorize(load(index(p, first)), load(index(p, second))), whole)


@vectors.rule(ANY)
def neighbours(p: Value, i: Value) -> Rewrite:
    """Two neighbouring elements of a buffer can be loaded at once."""
    return _loaded_at_once(p, i, i + 1)


@vectors.rule(ANY)
def neighbours_from_a_sum(p: Value, i: Value, j: Value) -> Rewrite:
    """Two neighbouring elements of a buffer can be loaded at once, from an index that is a sum."""
    return _loaded_at_once(p, i + j, i + (j + 1))


@vectors.rule(ANY)
def neighbours_from_a_constant(p: Value, i: Value, c: Const, d: Const) -> Rewrite:
    """Two neighbouring elements of a buffer can be loaded at once, from an index to which a constant is added."""
    stated = _loaded_at_once(p, i + c, i + d)
    return rewrite(stated.left, stated.right, where=d == c + 1)


def _vectors_loaded_at_once(
    p: Value, t: Type, first: Node | Value, second: Node | Value, guard: Scalar
) -> Rewrite:
    pair = cat(load(index(p, first), dtype=t), load(index(p, second), dtype=t))
    return rewrite(pair, load(index(p, first), dtype=doubled(t)), where=guard)


@vectors.rule(ANY)
def neighbouring_vectors(p: Value, i: Value, c: Const, t: Type) -> Rewrite:
    """Two neighbouring vectors of a buffer can be loaded as one."""
    return _vectors_loaded_at_once(p, t, i, i + c, c == lane_count(t))


@vectors.rule(ANY)
def neighbouring_vectors_from_a_sum(p: Value, i: Value, j: Value, c: Const, t: Type) -> Rewrite:
    """Two neighbouring vectors of a buffer can be loaded as one, from an index that is a sum."""
    return _vectors_loaded_at_once(p, t, i + j, i + (j + c), c == lane_count(t))


@vectors.rule(ANY)
def neighbouring_vectors_from_a_constant(p: Value, i: Value, c: Const, d: Const, t: Type) -> Rewrite:
    """Two neighbouring vectors of a buffer can be loaded as one, from an index to which a constant is added."""
    return _vectors_loaded_at_once(p, t, i + c, i + d, d == c + lane_count(t))
