"""Makes the graph of one member's values the graph of a whole batch: every value that depends on the member gets an axis in front.

What does not depend on the member stays as it is and is shared, so that a product of one member's vector with a matrix that all share becomes
one product of matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from eqsat.dtype import PtrDType
from eqsat.errors import BuildError, ShapeError
from eqsat.ops import ALU, AxisType, Op
from eqsat.shape import Shape
from eqsat.uop import UOp, toposort


def batched(roots: Sequence[UOp], members: Mapping[UOp, UOp], batch: int) -> list[UOp]:
    """The values of the roots for `batch` members, each with the members on axis 0.

    Args:
        roots: values of one member, of the array stage.
        members: PARAMs (or other nodes) of the graph, and what replaces them: the same values of all members, on axis 0.
        batch: how many members there are.

    >>> from eqsat.dtype import float32
    >>> x = UOp.param(0, 3, float32)
    >>> batched([x.reduce_axis(Op.ADD, (0,))], {x: members_of(x, 2)}, 2)[0].shape
    (2,)

    Raises:
        ShapeError: a replacement has another shape than (batch, *shape of what it replaces).
        BuildError: an operation that depends on the member writes buffers, or views them by strides.
    """
    for node, value in members.items():
        if value.shape != (batch, *_shape(node)):
            raise ShapeError(
                f"{node!r} is replaced by values of shape {value.shape}; give one of shape {(batch, *_shape(node))}"
            )
    batching = _Batching(members, batch, toposort(roots))
    return [batching.spread(root) for root in roots]


def members_of(param: UOp, batch: int) -> UOp:
    """The PARAM of the same slot that holds the values of `batch` members, on axis 0."""
    slot, size = param.arg
    assert not isinstance(param.dtype, PtrDType), "a PARAM of arrays holds elements"
    return UOp.param(slot, batch * size, param.dtype).reshape((batch, size))


class _Batching:
    """What the nodes have become: those in `of_members` have an axis of members in front, or are scalars that vary with `member`."""

    def __init__(self, members: Mapping[UOp, UOp], batch: int, order: Sequence[UOp]) -> None:
        self.batch = batch
        self.of_members: dict[UOp, UOp] = dict(members)
        numbers: list[int] = [node.arg[0] for node in order if node.op is Op.RANGE]
        self.member = UOp.range(batch, min([0, *numbers]) - 1, AxisType.PLACEHOLDER)
        for node in order:
            if node not in self.of_members and any(source in self.of_members for source in node.src):
                self.of_members[node] = _RULES.get(node.op, _refused)(self, node)

    def spread(self, node: UOp) -> UOp:
        """A value with the axis of members; a shared one is repeated."""
        return (
            self.of_members[node] if node in self.of_members else node.broadcast((self.batch, *_shape(node)))
        )

    def sources(self, node: UOp) -> tuple[UOp, ...]:
        """The sources of an operation on values of one shape."""
        each = self.element if node.ranges else self.spread
        return tuple(each(source) if source.shape is not None else source for source in node.src)

    def element(self, node: UOp) -> UOp:
        """A scalar within a comprehension, which varies with `member` if the value depends on that."""
        found = self.of_members.get(node, node)
        return UOp(Op.INDEX, node.dtype, (found, self.member)) if found.shape else found

    def places(self, shape: Shape) -> UOp:
        """The number of the member, for every element of an array of members."""
        return UOp.iota(self.batch).reshape((self.batch, *(1,) * len(shape))).expand((self.batch, *shape))


_Rule = Callable[[_Batching, UOp], UOp]


def _elementwise(batching: _Batching, node: UOp) -> UOp:
    return node.with_src(batching.sources(node))


def _shaped(batching: _Batching, node: UOp) -> UOp:
    """RESHAPE and EXPAND: the argument is the shape of the result."""
    value = batching.spread(node.src[0])
    extents: Shape = (batching.batch, *node.arg)
    return value.reshape(extents) if node.op is Op.RESHAPE else value.expand(extents)


def _permute(batching: _Batching, node: UOp) -> UOp:
    return batching.spread(node.src[0]).permute((0, *(axis + 1 for axis in node.arg)))


def _pad(batching: _Batching, node: UOp) -> UOp:
    return batching.spread(node.src[0]).pad(((0, 0), *node.arg))


def _shrink(batching: _Batching, node: UOp) -> UOp:
    return batching.spread(node.src[0]).shrink(((0, batching.batch), *node.arg))


def _flip(batching: _Batching, node: UOp) -> UOp:
    return batching.spread(node.src[0]).flip((False, *node.arg))


def _along_axes(batching: _Batching, node: UOp) -> UOp:
    op, axes = node.arg
    sources = tuple(map(batching.spread, node.src))
    return UOp(node.op, node.dtype, sources, (op, tuple(axis + 1 for axis in axes)))


def _gather(batching: _Batching, node: UOp) -> UOp:
    """INDEX of a member's own values reads the row of the member; of shared ones, it has indices of each member only."""
    base, *indices = node.src
    if node.ranges:
        places, own = [batching.element(index) for index in indices], batching.member
    else:
        places, own = [batching.spread(index) for index in indices], batching.places(_shape(node))
    if base not in batching.of_members:
        return node.with_src((base, *places))
    return node.with_src((batching.of_members[base], own, *places))


def _load(batching: _Batching, node: UOp) -> UOp:
    """In an older form the buffer stands in front of its INDEX."""
    first = 0 if node.src[0].op is Op.INDEX else 1
    if len(node.src) <= first or node.src[first].op is not Op.INDEX:
        return _refused(batching, node)
    each = batching.element if node.ranges else batching.spread
    return node.with_src(tuple(each(source) for source in node.src[first:]))


def _comprehension(batching: _Batching, node: UOp) -> UOp:
    inner, ranges = node.src[0], node.src[1:]
    return node.with_src((batching.element(inner), batching.member, *ranges))


def _sharded(batching: _Batching, node: UOp) -> UOp:
    axis, real = node.arg
    return UOp(node.op, node.dtype, batching.sources(node), (None if axis is None else axis + 1, real))


def _refused(batching: _Batching, node: UOp) -> UOp:
    raise BuildError(
        f"cannot compute {node.op.name} for a batch of {batching.batch} members: it stands for a buffer, not for a value of each; "
        "write it in newer operations (movement, INDEX, WHERE) first"
    )


_ELEMENTWISE = ALU | {
    Op.ALLREDUCE,
    Op.BIND,
    Op.CONTIGUOUS,
    Op.CONTIGUOUS_BACKWARD,
    Op.COPY,
    Op.DETACH,
    Op.MSELECT,
    Op.MSTACK,
    Op.NOOP,
    Op.PRECAST,
}

_RULES: Mapping[Op, _Rule] = {
    **dict.fromkeys(_ELEMENTWISE, _elementwise),
    **dict.fromkeys((Op.RESHAPE, Op.EXPAND), _shaped),
    **dict.fromkeys((Op.REDUCE_AXIS, Op.SCAN_AXIS, Op.ARGREDUCE_AXIS, Op.SCATTER_AXIS), _along_axes),
    Op.PERMUTE: _permute,
    Op.PAD: _pad,
    Op.SHRINK: _shrink,
    Op.FLIP: _flip,
    Op.INDEX: _gather,
    Op.LOAD: _load,
    Op.BUFFERIZE: _comprehension,
    Op.MULTI: _sharded,
}


def _shape(node: UOp) -> Shape:
    assert node.shape is not None, "what depends on a member has a value"
    return node.shape
