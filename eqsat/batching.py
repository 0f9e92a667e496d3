"""Turns the graph of one member's values into the graph of a whole batch.

Every value that depends on the member gets a new first axis, along which the members lie. All other values are shared and stay as they are,
so the product of a member's vector with a shared matrix becomes one product of matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from eqsat.custom import Operand, custom_named
from eqsat.dtype import DType, PtrDType, void
from eqsat.errors import BuildError, ShapeError
from eqsat.ops import ALU, AxisType, Op
from eqsat.shape import Shape
from eqsat.uop import UOp, toposort


def batched(roots: Sequence[UOp], members: Mapping[UOp, UOp], batch: int) -> list[UOp]:
    """The values of the roots for `batch` members; the members lie along axis 0.

    Args:
        roots: values of one member, at the array stage.
        members: maps PARAMs (or other nodes) of the graph to their replacements, which hold the values of all members along axis 0.
        batch: the number of members.

    >>> from eqsat.dtype import float32
    >>> x = UOp.param(0, 3, float32)
    >>> batched([x.reduce_axis(Op.ADD, (0,))], {x: members_of(x, 2)}, 2)[0].shape
    (2,)

    Raises:
        ShapeError: a replacement does not have the shape (batch, *shape of the node that it replaces).
        BuildError: an operation that depends on the member writes buffers, or views them by strides, or is a custom function on the host.
    """
    for node, value in members.items():
        if value.shape != (batch, *_shape(node)):
            raise ShapeError(
                f"{node!r} is replaced by values of shape {value.shape}; give one of shape {(batch, *_shape(node))}"
            )
    batching = _Batching(members, batch, toposort(roots))
    return [batching.spread(root) for root in roots]


def members_of(param: UOp, batch: int) -> UOp:
    """The PARAM of the same slot that holds the values of `batch` members along axis 0."""
    slot, size = param.arg
    assert not isinstance(param.dtype, PtrDType), "a PARAM of arrays holds elements"
    return UOp.param(slot, batch * size, param.dtype).reshape((batch, size))


class _Batching:
    """The batched form of each node that depends on the member, in `of_members`.

    Arrays get a first axis of members. A scalar inside a comprehension varies with the range `member` instead.
    """

    def __init__(self, members: Mapping[UOp, UOp], batch: int, order: Sequence[UOp]) -> None:
        self.batch = batch
        self.of_members: dict[UOp, UOp] = dict(members)
        numbers: list[int] = [node.arg[0] for node in order if node.op is Op.RANGE]
        self.member = UOp.range(batch, min([0, *numbers]) - 1, AxisType.PLACEHOLDER)
        for node in order:
            if node not in self.of_members and any(source in self.of_members for source in node.src):
                self.of_members[node] = _RULES.get(node.op, _refused)(self, node)

    def spread(self, node: UOp) -> UOp:
        """The value of a node with the axis of members; a shared value is repeated along it."""
        return (
            self.of_members[node] if node in self.of_members else node.broadcast((self.batch, *_shape(node)))
        )

    def sources(self, node: UOp) -> tuple[UOp, ...]:
        """The batched sources of an operation whose operands have one shape."""
        each = self.element if node.ranges else self.spread
        return tuple(each(source) if source.shape is not None else source for source in node.src)

    def element(self, node: UOp) -> UOp:
        """The value of a node inside a comprehension, where a batched array is indexed by `member`."""
        found = self.of_members.get(node, node)
        return UOp(Op.INDEX, node.dtype, (found, self.member)) if found.shape else found

    def places(self, shape: Shape) -> UOp:
        """For each element of a batched array, the number of its member."""
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
    """INDEX: of a batched array it gets the number of the member as first index; of a shared array only the indices are batched."""
    base, *indices = node.src
    if node.ranges:
        places, own = [batching.element(index) for index in indices], batching.member
    else:
        places, own = [batching.spread(index) for index in indices], batching.places(_shape(node))
    if base not in batching.of_members:
        return node.with_src((base, *places))
    return node.with_src((batching.of_members[base], own, *places))


def _load(batching: _Batching, node: UOp) -> UOp:
    """LOAD: in its older form source 0 is the buffer and source 1 the INDEX."""
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


def _call(batching: _Batching, node: UOp) -> UOp:
    """CALL of a custom function that works element by element, or takes further axes in front."""
    called, *arguments = node.src
    if called.op is not Op.CUSTOM_FUNCTION:
        return _refused(batching, node)
    function = custom_named(called.arg)
    if function.opencl is None and not function.takes_batches:
        raise BuildError(
            f"the custom function {function.name!r} takes whole arrays on the host, and may not take {batching.batch} members of a batch at once; "
            "call it on the arrays of all members, outside of vmap and batched functions, or register it with an OpenCL C expression of one element"
        )
    given = tuple(map(batching.spread, arguments))
    operands = [Operand(_shape(each), each.dtype) for each in given if isinstance(each.dtype, DType)]
    results = (UOp(Op.EMPTY, each.dtype, (), each.shape) for each in function.results(operands))
    return node.with_src((called.with_src((UOp(Op.TUPLE, void, tuple(results)),)), *given))


def _element(batching: _Batching, node: UOp) -> UOp:
    return node.with_src((batching.of_members[node.src[0]],))


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
    **dict.fromkeys(
        (Op.REDUCE_AXIS, Op.SCAN_AXIS, Op.ARGREDUCE_AXIS, Op.SCATTER_AXIS, Op.RECUR_AXIS), _along_axes
    ),
    Op.PERMUTE: _permute,
    Op.PAD: _pad,
    Op.SHRINK: _shrink,
    Op.FLIP: _flip,
    Op.INDEX: _gather,
    Op.LOAD: _load,
    Op.BUFFERIZE: _comprehension,
    Op.MULTI: _sharded,
    Op.CALL: _call,
    Op.GET_TUPLE: _element,
}


def _shape(node: UOp) -> Shape:
    assert node.shape is not None, "what depends on a member has a value"
    return node.shape
