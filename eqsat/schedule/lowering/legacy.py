"""The older and the distributed operations, said in the newer ones.

Views of buffers become gathers whose index arithmetic is affine, so they cost nothing; shards lie on one host here, so they are put
together, and what is done to copies is done to each; an ASSIGN makes a new content that AFTER reads; markers that only steer other
compilers disappear.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from eqsat.dtype import DType, bool_, index
from eqsat.ops import ALU, Op, Stage, View
from eqsat.shape import Shape
from eqsat.spec import verify
from eqsat.uop import UOp, toposort


def modernize(sink: UOp) -> UOp:
    """The same array graph in movement operations, ALU, reductions, comprehensions and gathers.

    Raises:
        SpecError: it is no legal array graph.
    """
    verify(sink, Stage.ARRAY)
    modern = _Modern()
    for node in toposort([sink]):
        modern.visit(node)
    return modern.done[sink]


@dataclass(frozen=True, slots=True)
class _Copies:
    """The same array on several devices, maybe with a different content on each; those that are not real hold no data."""

    values: tuple[UOp, ...]
    real: tuple[bool, ...]

    @property
    def first(self) -> UOp:
        """What the array is where one is wanted."""
        return self.values[self.real.index(True)]


@dataclass(frozen=True, slots=True)
class _Content:
    """What a buffer holds after so many ASSIGNs, and the part of it that a node stands for."""

    buffer: UOp
    version: int
    whole: UOp
    begin: int
    end: int

    @property
    def part(self) -> UOp:
        """The elements of the part."""
        return self.whole.shrink(((self.begin, self.end),))

    def overwritten(self, value: UOp) -> _Content:
        """With the part replaced."""
        size = _size(self.whole.shape or ())
        if (self.begin, self.end) != (0, size):
            position = UOp.iota(size)
            inside = (position >= self.begin) & (position < self.end)
            value = inside.where(value.pad(((self.begin, size - self.end),)), self.whole)
        return _Content(self.buffer, self.version + 1, value, self.begin, self.end)


@dataclass
class _Modern:
    """Nodes said in newer operations, sources first.

    Attributes:
        done: what each node has become; of copies, the first that is real.
        copies: those that lie in copies.
        contents: of buffers, their parts, ASSIGNs and AFTERs.
    """

    done: dict[UOp, UOp] = field(default_factory=dict[UOp, UOp])
    copies: dict[UOp, _Copies] = field(default_factory=dict[UOp, _Copies])
    contents: dict[UOp, _Content] = field(default_factory=dict[UOp, _Content])

    def visit(self, node: UOp) -> None:
        """Translates one node, its sources being translated."""
        copies = self._copies_of(node)
        if copies is not None:
            self.copies[node], self.done[node] = copies, copies.first
            return
        found = self._content_of(node)
        if found is None:
            found = self._whole(node)
        self.done[node] = _renewed(node, self._sources(node)) if found is None else found

    def _sources(self, node: UOp, number: int | None = None) -> tuple[UOp, ...]:
        """What the sources have become, or their copies of this number."""
        return tuple(
            self.done[source]
            if number is None or source not in self.copies
            else self.copies[source].values[number]
            for source in node.src
        )

    def _copies_of(self, node: UOp) -> _Copies | None:
        """The copies that a node makes, or those that it computes from copies."""
        if node.op is Op.MSTACK:
            return _Copies(self._sources(node), (True,) * len(node.src))
        if node.op is Op.MULTI and node.arg[0] is None:
            return _Copies(self._sources(node), node.arg[1])
        given = [self.copies[source] for source in node.src if source in self.copies]
        if not given or node.shape is None or node.op in _TOGETHER:
            return None
        count = len(given[0].values)
        real = tuple(all(each.real[number] for each in given) for number in range(count))
        return _Copies(
            tuple(_renewed(node, self._sources(node, number)) for number in range(count)),
            real if any(real) else (True,) * count,
        )

    def _whole(self, node: UOp) -> UOp | None:
        """One array of several copies."""
        copies = self.copies.get(node.src[0]) if node.src else None
        if copies is None or node.op not in (Op.MSELECT, Op.ALLREDUCE):
            return None
        if node.op is Op.MSELECT:
            number: int = node.arg
            return copies.values[number]
        result, *others = (value for value, real in zip(copies.values, copies.real, strict=True) if real)
        for other in others:
            result = result.alu(node.arg, other)
        return result

    def _content_of(self, node: UOp) -> UOp | None:
        """A buffer, a part of one, what is assigned to it, or what it holds after that."""
        if node.op in (Op.PARAM, Op.BUFFER):
            self.contents[node] = _Content(node, 0, node, 0, _size(node.shape or ()))
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
_TOGETHER = frozenset({Op.MSELECT, Op.ALLREDUCE, Op.COPY})  # one array, whatever their source


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
    if not sources:  # the window of the LOAD that names a buffer beside it
        return node
    return _window(sources[0], node.arg, _element(node))


def _window(buffer: UOp, view: View, dtype: DType) -> UOp:
    flat = buffer.reshape((_size(buffer.shape or ()),))
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
    """An element where the gate holds, zero elsewhere."""
    gate = _gate(node)
    if gate is None:
        return node.with_src(sources)
    return sources[gate].where(node.with_src(sources[:gate]), 0)


def _gate(address: UOp) -> int | None:
    """Which source of an INDEX is its gate."""
    last = len(address.src) - 1
    return last if last and address.src[last].dtype.scalar.is_bool else None


def _load(node: UOp, sources: Sequence[UOp]) -> UOp:
    """An INDEX is a value of arrays already; in the older forms a buffer stands in front of it, or of a VIEW."""
    place = 0 if node.src[0].op is Op.INDEX else 1
    address = node.src[place]
    if address.op is Op.VIEW:
        return _window(sources[0], address.arg, _element(node))
    value, *alternative = sources[place:]
    if not alternative:
        return value
    gated = value  # the gate of a gather is the condition of what it has become
    return gated.src[0].where(gated.src[1], alternative[0])


def _shards(node: UOp, sources: Sequence[UOp]) -> UOp:
    """Shards side by side along their axis; one that is not real is zeros."""
    axis: int = node.arg[0]
    flags: tuple[bool, ...] = node.arg[1]
    shape = node.shape or ()
    position, result, begin = _along(axis, shape), sources[0], 0
    for shard, real in zip(sources, flags, strict=True):
        own = shard.shape or ()
        value = shard if real else UOp.full(own, _element(node), 0)
        amounts = tuple(
            (begin, shape[axis] - begin - own[axis]) if each == axis else (0, 0) for each in range(len(shape))
        )
        padded = value.pad(amounts)
        result = padded if begin == 0 else (position < begin).where(result, padded)
        begin += own[axis]
    return result


def _comprehension(node: UOp, sources: tuple[UOp, ...]) -> UOp:
    """What reads arrays at its ranges becomes a gather at positions along the axes; pure index arithmetic stays as it is."""
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


_LOWERINGS: dict[Op, Callable[[UOp, tuple[UOp, ...]], UOp]] = {
    **dict.fromkeys((Op.NOOP, Op.DETACH, Op.CONTIGUOUS_BACKWARD, Op.PRECAST, Op.ALLREDUCE), _first),
    Op.BIND: _second,
    Op.COPY: _second,
    Op.CONST: _constant,
    Op.EMPTY: _zeros,
    Op.VIEW: _view,
    Op.VALID: _valid,
    Op.INDEX: _gather,
    Op.LOAD: _load,
    Op.MULTI: _shards,
    Op.BUFFERIZE: _comprehension,
}
