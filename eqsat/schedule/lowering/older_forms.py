"""Translates older operations into newer ones.

Views of buffers become gathers with affine index arithmetic, so they cost nothing. An ASSIGN creates new contents of a buffer, which AFTER
reads. Markers that only steer other compilers are removed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from eqsat.distribution import on_one_device
from eqsat.dtype import DType, bool_, index, void
from eqsat.ops import ALU, BufferizeOpts, Op, Stage, View
from eqsat.shape import Shape
from eqsat.spec import verify
from eqsat.uop import UOp, rewrite, toposort


def modernize(sink: UOp) -> UOp:
    """The same array graph in movement operations, ALU operations, reductions, comprehensions and gathers, on one device.

    Raises:
        SpecError: `sink` is no legal array graph.
    """
    verify(sink, Stage.ARRAY)
    return modernize_on_devices(on_one_device(without_options(sink)))


def without_options(sink: UOp) -> UOp:
    """The same array graph with COPY and CONTIGUOUS in place of BufferizeOpts."""
    if not any(node.op is Op.BUFFERIZE and node.arg is not None for node in toposort([sink])):
        return sink
    return rewrite([sink], {}, _plain)[0]


def _plain(node: UOp) -> UOp:
    if node.op is not Op.BUFFERIZE or node.arg is None:
        return node
    options: BufferizeOpts = node.arg
    array = UOp(Op.BUFFERIZE, node.dtype, node.src)
    if not options.removable:
        array = UOp(Op.CONTIGUOUS, node.dtype, (array,))
    if options.device is None:
        return array
    return UOp(Op.COPY, node.dtype, (UOp(Op.DEVICE, void, (), options.device), array))


def modernize_on_devices(sink: UOp) -> UOp:
    """A graph in the newer operations, in which every node is on one device; COPYs between devices stay."""
    modern = _Modern()
    for node in toposort([sink]):
        modern.visit(node)
    return modern.done[sink]


@dataclass(frozen=True, slots=True)
class _Content:
    """The contents of a buffer after some ASSIGNs, and the part of it that a node stands for.

    Attributes:
        buffer: the PARAM or BUFFER.
        version: the number of ASSIGNs before.
        whole: the contents of the whole buffer, as an array.
        begin, end: the elements of the part.
    """

    buffer: UOp
    version: int
    whole: UOp
    begin: int
    end: int

    @property
    def part(self) -> UOp:
        """The part, as an array."""
        return self.whole.shrink(((self.begin, self.end),))

    def overwritten(self, value: UOp) -> _Content:
        """The contents after the part is assigned `value`."""
        size = self.whole.elements
        if (self.begin, self.end) != (0, size):
            position = UOp.iota(size)
            inside = (position >= self.begin) & (position < self.end)
            value = inside.where(value.pad(((self.begin, size - self.end),)), self.whole)
        return _Content(self.buffer, self.version + 1, value, self.begin, self.end)


@dataclass
class _Modern:
    """The translation of a graph, sources first.

    Attributes:
        done: the translation of each node.
        contents: the contents that buffers, parts of buffers, ASSIGNs and AFTERs stand for.
    """

    done: dict[UOp, UOp] = field(default_factory=dict[UOp, UOp])
    contents: dict[UOp, _Content] = field(default_factory=dict[UOp, _Content])

    def visit(self, node: UOp) -> None:
        """Translates one node whose sources are translated."""
        found = self._content_of(node)
        self.done[node] = (
            _renewed(node, tuple(self.done[source] for source in node.src)) if found is None else found
        )

    def _content_of(self, node: UOp) -> UOp | None:
        """The translation of a buffer, a part of one, an ASSIGN or an AFTER of a buffer; None for other nodes."""
        if node.op in (Op.PARAM, Op.BUFFER):
            self.contents[node] = _Content(node, 0, node, 0, node.elements)
            return node
        base = self.contents.get(node.src[0]) if node.op in _OF_BUFFERS else None
        if base is None:
            return None
        match node.op:
            case Op.BUFFER_VIEW:
                size, offset = node.arg
                begin = base.begin + offset
                content = _Content(base.buffer, base.version, base.whole, begin, begin + size)
            case Op.ASSIGN:
                content = base.overwritten(self.done[node.src[1]])
            case _:
                after = [self.contents[each] for each in node.src[1:]]
                same = [each for each in after if each.buffer is base.buffer]
                latest = max([base, *same], key=lambda each: each.version)
                content = _Content(base.buffer, latest.version, latest.whole, base.begin, base.end)
        self.contents[node] = content
        return self.done[node.src[1]] if node.op is Op.ASSIGN else content.part


_OF_BUFFERS = frozenset({Op.BUFFER_VIEW, Op.ASSIGN, Op.AFTER})


def _renewed(node: UOp, sources: tuple[UOp, ...]) -> UOp:
    lowering = _LOWERINGS.get(node.op)
    return node.with_src(sources) if lowering is None else lowering(node, sources)


def _first(node: UOp, sources: Sequence[UOp]) -> UOp:
    return sources[0]


def _second(node: UOp, sources: Sequence[UOp]) -> UOp:
    return sources[1]


def _constant(node: UOp, sources: Sequence[UOp]) -> UOp:
    return node.with_src(())


def _zeros(node: UOp, sources: Sequence[UOp]) -> UOp:
    return UOp.full(node.shape or (), _element(node), 0)


def _view(node: UOp, sources: Sequence[UOp]) -> UOp:
    if not sources:  # the LOAD that uses this VIEW also has the buffer as a source
        return node
    return _window(sources[0], node.arg, _element(node))


def _window(buffer: UOp, view: View, dtype: DType) -> UOp:
    flat = buffer.reshape((buffer.elements,))
    offsets = UOp.full(view.shape, index, view.offset)
    for axis, stride in enumerate(view.strides):
        offsets = offsets + _along(axis, view.shape) * stride
    value = UOp(Op.INDEX, dtype, (flat, offsets))
    return value if view.mask is None else _valid_of(view).where(value, 0)


def _valid(node: UOp, sources: Sequence[UOp]) -> UOp:
    return _valid_of(node.src[0].arg)


def _valid_of(view: View) -> UOp:
    valid = UOp.full(view.shape, bool_, True)
    for axis, (begin, end) in enumerate(view.mask or ()):
        position = _along(axis, view.shape)
        valid = valid & (position >= begin) & (position < end)
    return valid


def _gather(node: UOp, sources: tuple[UOp, ...]) -> UOp:
    """The gather, with zero in elements where its gate is false."""
    gate = _gate(node)
    if gate is None:
        return node.with_src(sources)
    return sources[gate].where(node.with_src(sources[:gate]), 0)


def _gate(address: UOp) -> int | None:
    """The position of the gate among the sources of an INDEX; None if it has none."""
    last = len(address.src) - 1
    return last if last and address.src[last].dtype.scalar.is_bool else None


def _load(node: UOp, sources: Sequence[UOp]) -> UOp:
    """The value that a LOAD reads: an INDEX is an array value already. In older forms, a buffer comes before the INDEX, or before a VIEW."""
    place = 0 if node.src[0].op is Op.INDEX else 1
    address = node.src[place]
    if address.op is Op.VIEW:
        return _window(sources[0], address.arg, _element(node))
    value, *alternative = sources[place:]
    if not alternative:
        return value
    gated = value  # a gated gather has become a WHERE, whose condition is the gate
    return gated.src[0].where(gated.src[1], alternative[0])


def _comprehension(node: UOp, sources: tuple[UOp, ...]) -> UOp:
    """A comprehension that reads arrays at its ranges becomes gathers at positions along the axes; pure arithmetic on ranges stays as it is."""
    bounds = frozenset(node.src[1:])
    inside = [each for each in toposort([sources[0]]) if each.ranges & bounds]
    if all(each.op in ALU or each.op is Op.RANGE for each in inside) and sources[0].op is not Op.INDEX:
        if inside or sources[0].op in ALU or sources[0].op in (Op.CONST, Op.DEFINE_VAR):
            return node.with_src(sources)
    shape = node.shape or ()
    wide: dict[UOp, UOp] = {bound: _along(axis, shape) for axis, bound in enumerate(node.src[1:])}
    for each in inside:
        if each not in wide:
            kept = 1 if each.op is Op.INDEX else 0
            spread = (
                wide[source] if source in wide else source.broadcast(shape) for source in each.src[kept:]
            )
            wide[each] = each.with_src((*each.src[:kept], *spread))
    return wide[sources[0]] if sources[0] in wide else sources[0].broadcast(shape)


def _along(axis: int, shape: Shape) -> UOp:
    """The position along one axis, for every element of an array of this shape."""
    line = UOp.iota(shape[axis]).reshape(
        tuple(extent if each == axis else 1 for each, extent in enumerate(shape))
    )
    return line.expand(shape)


def _element(node: UOp) -> DType:
    assert isinstance(node.dtype, DType)
    return node.dtype


_LOWERINGS: dict[Op, Callable[[UOp, tuple[UOp, ...]], UOp]] = {
    **dict.fromkeys((Op.NOOP, Op.DETACH, Op.CONTIGUOUS_BACKWARD, Op.PRECAST), _first),
    Op.BIND: _second,
    Op.CONST: _constant,
    Op.EMPTY: _zeros,
    Op.VIEW: _view,
    Op.VALID: _valid,
    Op.INDEX: _gather,
    Op.LOAD: _load,
    Op.BUFFERIZE: _comprehension,
}
