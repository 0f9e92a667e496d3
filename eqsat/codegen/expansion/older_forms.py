"""The older forms of a kernel, said in the newer ones, before and after expansion.

LOAD(buffer, INDEX, …) and NOOP are gone, and so is RESHAPE: an INDEX has one index, into a flat buffer.
A WMMA that sums over ranges is a REDUCE of WMMAs.
"""

from __future__ import annotations

from math import prod

from eqsat.dtype import DType, index
from eqsat.ops import Op
from eqsat.uop import UOp, rewrite, toposort


def modern(sink: UOp) -> UOp:
    """A kernel in the newer forms; itself if it has no others."""
    if not any(map(_is_older, toposort([sink]))):
        return sink
    return rewrite([sink], {}, _renewed)[0]


def _is_older(node: UOp) -> bool:
    match node.op:
        case Op.NOOP:
            return True
        case Op.LOAD:
            return any(each.op is Op.INDEX for each in node.src[1:2])
        case Op.INDEX:
            return node.src[0].op is Op.RESHAPE
        case Op.WMMA:
            return len(node.src) > 3
        case _:
            return False


def _renewed(node: UOp) -> UOp:
    if not _is_older(node):
        return node
    if node.op is Op.INDEX:
        return _flat(node)
    if node.op is Op.WMMA:
        return _summed(node)
    return node.src[0] if node.op is Op.NOOP else node.with_src(node.src[1:])


def _flat(address: UOp) -> UOp:
    """An INDEX with an index for each axis, as one with an index into the elements in row-major order."""
    shaped, *rest = address.src
    shape: tuple[int, ...] = shaped.arg
    place = UOp.const(index, 0)
    for axis, each in enumerate(rest[: len(shape)]):
        stride = prod(shape[axis + 1 :])
        term = each * stride if stride != 1 else each
        place = term if place.op is Op.CONST and place.arg == 0 else place + term
    return address.with_src((shaped.src[0], place, *rest[len(shape) :]))


def _summed(node: UOp) -> UOp:
    """The sum of products over ranges, and what is added to it."""
    a, b, c, *ranges = node.src
    assert isinstance(node.dtype, DType)
    dtype = node.dtype
    zero = UOp.const(dtype.scalar, 0)
    nothing = zero if dtype.lanes == 1 else UOp(Op.VCONST, dtype, (), (zero.arg,) * dtype.lanes)
    product = node.with_src((a, b, nothing))
    return UOp(Op.REDUCE, dtype, (product, *ranges), Op.ADD).alu(Op.ADD, c)
