"""The older and the distributed operations, said in the newer ones.

Views of buffers become gathers whose index arithmetic is affine, so they cost nothing; shards lie on one host here, so they are put
together; markers that only steer other compilers disappear.
"""

from __future__ import annotations

from collections.abc import Callable

from eqsat.dtype import DType, bool_, index
from eqsat.ops import Op, View
from eqsat.shape import Shape
from eqsat.uop import UOp, rewrite


def modernize(sink: UOp) -> UOp:
    """The same array graph in movement operations, ALU, reductions, comprehensions and gathers."""
    return rewrite([sink], {}, _modern)[0]


def _modern(node: UOp) -> UOp:
    if node.op in (Op.ALLREDUCE, Op.MSELECT):
        return _LOWERINGS[node.op](node)
    node = node.with_src(tuple(source.src[0] if _is_copied(source) else source for source in node.src))
    return _LOWERINGS[node.op](node) if node.op in _LOWERINGS else node


def _is_copied(node: UOp) -> bool:
    """Whether this is one array on several devices; any copy will do."""
    return node.op is Op.MSTACK or (node.op is Op.MULTI and node.arg[0] is None)


def _first(node: UOp) -> UOp:
    return node.src[0]


def _second(node: UOp) -> UOp:
    return node.src[1]


def _zeros(node: UOp) -> UOp:
    return UOp.full(node.shape or (), _element(node), 0)


def _buffer_view(node: UOp) -> UOp:
    size, offset = node.arg
    return node.src[0].shrink(((offset, offset + size),))


def _view(node: UOp) -> UOp:
    if not node.src:  # the window of the LOAD that names a buffer beside it
        return node
    return _window(node.src[0], node.arg, _element(node))


def _window(buffer: UOp, view: View, dtype: DType) -> UOp:
    flat = buffer.reshape((_size(buffer.shape or ()),))
    offsets = UOp.full(view.shape, index, view.offset)
    for axis, stride in enumerate(view.strides):
        offsets = offsets + _along(axis, view.shape) * stride
    value = UOp(Op.INDEX, dtype, (flat, offsets))
    return value if view.mask is None else _valid_of(view).where(value, 0)


def _valid(node: UOp) -> UOp:
    view = node.src[0].arg if node.src[0].op is Op.VIEW else None
    return UOp.full(node.shape or (), bool_, True) if view is None else _valid_of(view)


def _valid_of(view: View) -> UOp:
    valid = UOp.full(view.shape, bool_, True)
    for axis, (begin, end) in enumerate(view.mask or ()):
        position = _along(axis, view.shape)
        valid = valid & (position >= begin) & (position < end)
    return valid


def _load(node: UOp) -> UOp:
    """(buffer, VIEW) of the older form, or an INDEX, which is a value of arrays already."""
    source, *rest = node.src
    return _window(source, rest[0].arg, _element(node)) if rest and rest[0].op is Op.VIEW else source


def _shards(node: UOp) -> UOp:
    """Shards side by side along their axis."""
    axis: int | None = node.arg[0]
    shape = node.shape or ()
    if axis is None:
        return node  # its reader takes one copy, or combines them
    position, result, begin = _along(axis, shape), node.src[0], 0
    for shard in node.src:
        extent = (shard.shape or ())[axis]
        amounts = tuple(
            (begin, shape[axis] - begin - extent) if each == axis else (0, 0) for each in range(len(shape))
        )
        padded = shard.pad(amounts)
        result = padded if begin == 0 else (position < begin).where(result, padded)
        begin += extent
    return result


def _selected(node: UOp) -> UOp:
    source = node.src[0]
    number: int = node.arg
    return source.src[number] if source.op is Op.TUPLE or _is_copied(source) else source


def _all_reduced(node: UOp) -> UOp:
    source = node.src[0]
    if not _is_copied(source):
        return source
    result = source.src[0]
    for other in source.src[1:]:
        result = result.alu(node.arg, other)
    return result


def _along(axis: int, shape: Shape) -> UOp:
    """The position along one axis, for every element of an array."""
    line = UOp.iota(shape[axis]).reshape(
        tuple(extent if each == axis else 1 for each, extent in enumerate(shape))
    )
    return line.expand(shape)


def _size(shape: Shape) -> int:
    size = 1
    for extent in shape:
        size *= extent
    return size


def _element(node: UOp) -> DType:
    assert isinstance(node.dtype, DType)
    return node.dtype


_LOWERINGS: dict[Op, Callable[[UOp], UOp]] = {
    Op.NOOP: _first,
    Op.DETACH: _first,
    Op.CONTIGUOUS_BACKWARD: _first,
    Op.PRECAST: _first,
    Op.AFTER: _first,
    Op.BIND: _second,
    Op.COPY: _second,
    Op.ASSIGN: _second,
    Op.EMPTY: _zeros,
    Op.BUFFER_VIEW: _buffer_view,
    Op.VIEW: _view,
    Op.VALID: _valid,
    Op.LOAD: _load,
    Op.MULTI: _shards,
    Op.MSELECT: _selected,
    Op.GET_TUPLE: _selected,
    Op.ALLREDUCE: _all_reduced,
}
