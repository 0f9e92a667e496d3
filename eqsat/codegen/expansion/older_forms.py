"""Translates the older forms of a kernel to the newer ones, before and after expansion.

LOAD(buffer, INDEX, …) and NOOP are removed. So are RESHAPE and BUFFERIZE: an INDEX has one index, into a flat buffer, and a BUFFERIZE becomes a STORE
to local memory or registers over its ranges. A WMMA that sums over ranges becomes a REDUCE of WMMAs. If a reduction folds lanes, its vector is joined
from parts. The ranges of an END move to the STOREs in it. A node that waits for a group of statements waits for the statements themselves, and
memory waits, not an address in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from math import prod

from eqsat.dtype import AddrSpace, DType, PtrDType, index, void
from eqsat.ops import REDUCES, TABLE, Op
from eqsat.shape import Shape
from eqsat.uop import UOp, toposort

_SHAPED = frozenset({Op.RESHAPE, Op.BUFFERIZE})


def modernize(sink: UOp) -> UOp:
    """A kernel in the newer forms; itself if it has no older ones."""
    order = toposort([sink])
    if not any(map(_is_older, order)):  # shortcut
        return sink
    done: dict[UOp, UOp] = {}
    number = count()
    for node in order:
        renewed = node.with_src(tuple(done[source] for source in node.src))
        if node.op is Op.BUFFERIZE:
            done[node] = _materialized(renewed, next(number))
        elif node.op is Op.INDEX and node.src[0].op in _SHAPED:
            done[node] = _flat(renewed, node.src[0].shape)
        else:
            done[node] = _renewed(renewed)
    return done[sink]


def _is_older(node: UOp) -> bool:
    match node.op:
        case Op.NOOP | Op.END:
            return True
        case Op.AFTER | Op.BARRIER | Op.GROUP if node.src:
            return node.src[0].op is Op.INDEX or any(map(_holds, node.src))
        case Op.LOAD:
            return any(each.op is Op.INDEX for each in node.src[1:])
        case Op.INDEX:
            return node.src[0].op in _SHAPED
        case _:
            return (node.op is Op.WMMA and len(node.src) > 3) or (node.op in REDUCES and _folds_whole(node))


def _holds(node: UOp) -> bool:
    """Whether a statement only holds other statements."""
    return node.op is Op.GROUP or (node.op is Op.AFTER and node.dtype is void)


def _folds_whole(reduction: UOp) -> bool:
    """Whether a reduction folds the lanes of a single vector, rather than of vectors as wide as the result that are joined by a CAT."""
    lanes = reduction.dtype.lanes
    return any(
        each is not _in_parts(each, lanes) for each in reduction.src[: TABLE[reduction.op].range_start]
    )


def _renewed(node: UOp) -> UOp:
    if node.op is Op.RESHAPE:
        return node.src[0]
    if not _is_older(node):
        return node
    if node.op is Op.WMMA:
        return _summed(node)
    if node.op in REDUCES:
        start, lanes = TABLE[node.op].range_start or 0, node.dtype.lanes
        return node.with_src((*(_in_parts(each, lanes) for each in node.src[:start]), *node.src[start:]))
    if node.op in (Op.AFTER, Op.BARRIER, Op.GROUP):
        return _waiting(node)
    if node.op is Op.END:
        return _ended(node.src[0], node.src[1:])
    return node.src[0] if node.op is Op.NOOP else node.with_src(node.src[1:])


def _waiting(node: UOp) -> UOp:
    """The same node, waiting for statements that hold no others. If it is an address, its memory waits for them instead."""
    sources = tuple(each for source in node.src for each in (source.src if _holds(source) else (source,)))
    address = sources[0] if sources else node
    if address.op is not Op.INDEX:
        return node.with_src(sources)
    memory = address.src[0]
    return address.with_src((UOp(Op.AFTER, memory.dtype, (memory, *sources[1:])), *address.src[1:]))


def _in_parts(value: UOp, lanes: int) -> UOp:
    """A vector joined from parts of `lanes` lanes."""
    if value.dtype.lanes == lanes or (
        value.op in (Op.VECTORIZE, Op.CAT) and all(each.dtype.lanes == lanes for each in value.src)
    ):
        return value
    dtype = value.dtype.scalar.vec(lanes)
    begins = range(0, value.dtype.lanes, lanes)
    parts = tuple(UOp(Op.GEP, dtype, (value,), tuple(range(begin, begin + lanes))) for begin in begins)
    return UOp(Op.VECTORIZE if lanes == 1 else Op.CAT, value.dtype, parts)


def _ended(statement: UOp, bounds: tuple[UOp, ...]) -> UOp:
    """A statement in which each STORE ends these ranges, too."""
    if statement.op is Op.GROUP:
        return statement.with_src(tuple(_ended(each, bounds) for each in statement.src))
    if statement.op is Op.STORE:
        return statement.with_src((*statement.src, *(each for each in bounds if each not in statement.src)))
    return UOp(Op.END, void, (statement, *bounds))


def _flat(address: UOp, shape: Shape | None) -> UOp:
    """An INDEX with one index for each axis, as an INDEX with a single index in row-major order."""
    assert shape is not None
    buffer, *rest = address.src
    return address.with_src((buffer, _place(rest[: len(shape)], shape), *rest[len(shape) :]))


def _place(indices: Sequence[UOp], shape: Shape) -> UOp:
    place = nothing = UOp.const(index, 0)
    for axis, each in enumerate(indices):
        stride = prod(shape[axis + 1 :])
        term = each * stride if stride != 1 else each
        place = term if place is nothing else place + term
    return place


def _materialized(node: UOp, number: int) -> UOp:
    """The local memory or registers of a BUFFERIZE, after its elements are stored there."""
    value, *bounds = node.src
    dtype, options, shape = node.dtype, node.arg, node.shape
    assert isinstance(dtype, DType)
    assert shape is not None
    size = max(1, prod(shape))  # memory is never empty, even if nothing is stored there
    pointer = PtrDType(dtype, options.space, size)
    if options.space is AddrSpace.LOCAL:
        memory = UOp(Op.DEFINE_LOCAL, pointer, (), f"kept{number}")
    else:
        memory = UOp(Op.DEFINE_REG, pointer, (), (size, number))
    address = UOp(Op.INDEX, dtype, (memory, _place(bounds, shape)))
    return UOp(Op.AFTER, pointer, (memory, UOp(Op.STORE, void, (address, value, *bounds))))


def _summed(node: UOp) -> UOp:
    """A WMMA over ranges as a sum of WMMAs over these ranges, plus its addend."""
    a, b, c, *ranges = node.src
    assert isinstance(node.dtype, DType)
    dtype = node.dtype
    zero = UOp.const(dtype.scalar, 0)
    nothing = zero if dtype.lanes == 1 else UOp(Op.VCONST, dtype, (), (zero.arg,) * dtype.lanes)
    product = node.with_src((a, b, nothing))
    return UOp(Op.REDUCE, dtype, (product, *ranges), Op.ADD).alu(Op.ADD, c)
