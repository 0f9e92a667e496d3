"""The pass that pushes operations into copies and shards.

Before: MULTI and MSTACK say how arrays lie on devices, and an operation on them stands for an operation on each part. After: every node is
computed on one device, from values that are on that device or available anywhere, and only COPYs cross between devices. A MULTI is left only
as a result of the program; its parts are joined for the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from eqsat.distribution.collectives import Link, all_reduce
from eqsat.distribution.placement import HOST, Place, Placement, device, own_device
from eqsat.distribution.shards import MOVES
from eqsat.distribution.values import (
    Copies,
    Shards,
    Value,
    Whole,
    gathered,
    home,
    settled,
    shape_of,
    sliced,
    whole_at,
)
from eqsat.dtype import DType
from eqsat.errors import DeviceError
from eqsat.ops import ALU, Op
from eqsat.positions import within
from eqsat.uop import UOp, rewrite, toposort

_DISTRIBUTED = frozenset({Op.MULTI, Op.MSTACK, Op.MSELECT, Op.ALLREDUCE, Op.COPY})
_ELEMENTWISE = ALU | {Op.CONTIGUOUS, Op.CONTIGUOUS_BACKWARD, Op.DETACH, Op.NOOP, Op.PRECAST}


def on_one_device(sink: UOp) -> UOp:
    """The graph as a single device computes it: without placements and COPYs, with copies combined and shards joined."""

    def here(node: UOp) -> UOp:
        match node.op:
            case Op.COPY | Op.BUFFER:
                return node.with_src((device(HOST), node.src[1]))
            case Op.PARAM | Op.CONST:
                return node.with_src(())
            case Op.ALLREDUCE:
                return node.with_src(node.src[:1])
            case _:
                return node

    if not any(node.op in _DISTRIBUTED for node in toposort([sink])):
        return sink
    (placed,) = rewrite([sink], {}, here)
    return distribute(placed, Link())


def distribute(sink: UOp, link: Link) -> UOp:
    """The graph in which every node is on one device. `link` gives the speed of copies, which decides how all-reduces are computed.

    Raises:
        DeviceError: an operation has operands on different devices.
    """
    made = _Distribution(link)
    for node in toposort([sink]):
        made.values[node] = settled(made.value_of(node), made.at)
    return made.result(sink)


class _Distribution:
    """Distributes the nodes of a graph one by one, sources first.

    Attributes:
        at: the device of each new node.
        values: for each old node, the value that replaces it.
    """

    def __init__(self, link: Link) -> None:
        self.at = Placement()
        self.values: dict[UOp, Value] = {}
        self._link = link

    def value_of(self, node: UOp) -> Value:
        """The value that replaces a node, whose sources must have been replaced before."""
        special = _SPECIAL.get(node.op)
        if special is not None:
            return special(self, node)
        sources = [self.values[source] for source in node.src]
        if node.shape is None:
            return Whole({None: node.with_src(tuple(self._one(each) for each in sources))})
        copies = next((each for each in sources if isinstance(each, Copies)), None)
        if copies is not None:
            return self._of_each_copy(node, sources, len(copies.nodes))
        parts = [cast("Whole | Shards", each) for each in sources]
        found = self._of_each_part(node, parts)
        if found is not None:
            return found
        return self._of_whole(
            node, [gathered(each, self.at) if isinstance(each, Shards) else each for each in parts]
        )

    def result(self, sink: UOp) -> UOp:
        """The SINK with its sources replaced by their values."""
        results: list[UOp] = []
        for source in sink.src:
            value = self.values[source]
            if isinstance(value, Shards):
                dtype = value.nodes[0].dtype
                results.append(UOp(Op.MULTI, dtype, value.nodes, (value.axis, (True,) * len(value.nodes))))
            else:
                results.append(value.first)
        return sink.with_src(tuple(results))

    def _one(self, value: Value) -> UOp:
        return gathered(value, self.at).first if isinstance(value, Shards) else value.first

    def _of_each_copy(self, node: UOp, sources: Sequence[Value], count: int) -> Value:
        """Applies an operation to each copy; operands that have no copies are brought to the device of the copy."""
        nodes: list[UOp] = []
        others = [each for each in sources if not isinstance(each, Copies)]
        for number in range(count):
            own = [each.nodes[number] if isinstance(each, Copies) else None for each in sources]
            place = home([each for each in own if each is not None], others, self.at)
            nodes.append(node.with_src(tuple(
                whole_at(value, place, self.at) if copy is None else self.at.fetch(copy, place)
                for copy, value in zip(own, sources, strict=True)
            )))  # fmt: skip
        real = tuple(map(all, zip(*(each.real for each in sources if isinstance(each, Copies)), strict=True)))
        return Copies(tuple(nodes), real if any(real) else (True,) * count)

    def _of_each_part(self, node: UOp, sources: Sequence[Whole | Shards]) -> Value | None:
        """Applies an operation to each shard; None if no source is sharded, or if the operation needs the whole of a sharded source."""
        copies = max((each.copies for each in sources), default=1)
        if node.op in _ELEMENTWISE:
            return self._elementwise(node, sources, 0, copies)
        if node.op is Op.INDEX:  # the result has an element of source 0 for each element of the indices
            return self._elementwise(node, sources, 1, copies)
        if len(sources) != 1 or not isinstance(sources[0], Shards):
            return None
        value = sources[0]
        if node.op is Op.REDUCE_AXIS and value.axis in node.arg[1]:
            partial = Copies(
                tuple(node.with_src((within(node.arg[0], part, (value.axis,)),)) for part in value.nodes),
                (True,) * len(value.nodes),
            )
            return self._combined(partial, node.arg[0], None, copies)
        return MOVES[node.op](node, value) if node.op in MOVES else None

    def _elementwise(
        self, node: UOp, sources: Sequence[Whole | Shards], kept: int, copies: int
    ) -> Value | None:
        """Applies an elementwise operation in the shards of its first sharded source; None if no source is sharded.

        The first `kept` sources are not elementwise: each shard takes them whole. The other sources are cut like the shards.
        """
        target = next((each for each in sources[kept:] if isinstance(each, Shards)), None)
        if target is None:
            return None
        nodes: list[UOp] = []
        for part, window in zip(target.nodes, target.bounds, strict=True):
            place = home([part], sources, self.at)
            whole = [whole_at(each, place, self.at) for each in sources[:kept]]
            slices = [
                part if each is target else sliced(each, target.axis, window, place, self.at)
                for each in sources[kept:]
            ]
            nodes.append(node.with_src((*whole, *slices)))
        return Shards(target.axis, tuple(nodes), copies)

    def _of_whole(self, node: UOp, sources: Sequence[Whole]) -> Whole:
        """Applies an operation to whole arrays, on each device that has all of them.

        Raises:
            DeviceError: no device has all of them.
        """
        placed = [each.nodes for each in sources if None not in each.nodes]
        places: list[Place] = (
            [place for place in placed[0] if all(place in each for each in placed)] if placed else [None]
        )
        own = own_device(node)
        if own is not None:
            places = [own]
        if not places:
            named = " and ".join(sorted({str(next(iter(each))) for each in placed}))
            raise DeviceError(f"{node!r} has operands on {named}; COPY one to the device of the other")
        nodes = {
            place: node.with_src(
                tuple(each.nodes[place if place in each.nodes else None] for each in sources)
            )
            for place in places
        }
        return Whole(nodes, max((each.copies for each in sources), default=1))

    def _combined(self, stack: Copies, op: Op, place: Place, copies: int = 1) -> Value:
        """The real copies combined by `op`: on device `place`, or without one on each device that has a copy."""
        nodes = [node for node, real in zip(stack.nodes, stack.real, strict=True) if real]
        return Whole(all_reduce(nodes, op, place, self.at, self._link), copies)

    # operations on copies and shards themselves

    def multi(self, node: UOp) -> Value:
        """The value of a MULTI: shards along its axis, with zeros for shards that are not real; without an axis, copies."""
        axis, real = node.arg
        if axis is None:
            return self._stacked(node, real)
        parts = [
            self._one(self.values[source]) if flag else _zeros(source)
            for source, flag in zip(node.src, real, strict=True)
        ]
        return Shards(axis, tuple(parts))

    def stack(self, node: UOp) -> Value:
        """The value of an MSTACK: copies, all of which are real."""
        return self._stacked(node, (True,) * len(node.src))

    def _stacked(self, node: UOp, real: tuple[bool, ...]) -> Value:
        """Returns `Copies`; or `Whole`, if all sources are copies of one value."""
        nodes = [self._one(self.values[source]) for source in node.src]
        origins = {source.src[1] if source.op is Op.COPY else source for source in node.src}
        if len(origins) == 1 and all(real):
            return Whole({self.at(each): each for each in nodes}, len(nodes))
        return Copies(tuple(nodes), real)

    def select(self, node: UOp) -> Value:
        """The value of an MSELECT: one of the copies."""
        value = self.values[node.src[0]]
        number: int = node.arg
        if isinstance(value, Copies):
            chosen = value.nodes[number]
            return Whole({self.at(chosen): chosen})
        assert isinstance(value, Whole), "copies of one value are one array"
        return Whole(value.nodes)

    def reduce(self, node: UOp) -> Value:
        """The value of an ALLREDUCE: the copies combined. One array that stands for several equal copies is combined with itself."""
        value = self.values[node.src[0]]
        if isinstance(value, Copies):
            return self._combined(value, node.arg, own_device(node))
        if isinstance(value, Shards):
            value = gathered(value, self.at)
        place = own_device(node)
        nodes = value.nodes if place is None else {place: whole_at(value, place, self.at)}
        return Whole({each: _repeated(found, node.arg, value.copies) for each, found in nodes.items()})

    def copy(self, node: UOp) -> Value:
        """The value of a COPY: the array on one device."""
        value = self.values[node.src[1]]
        place = own_device(node)
        if place is None:  # a copy to the host, where every device can read it
            whole = self._one(value)
            return Whole({None: whole if self.at(whole) is None else node.with_src((node.src[0], whole))})
        whole = whole_at(value, place, self.at)
        return Whole({place: whole if self.at(whole) == place else node.with_src((node.src[0], whole))})


def _zeros(node: UOp) -> UOp:
    assert isinstance(node.dtype, DType)
    return UOp.full(shape_of(node), node.dtype, 0)


def _repeated(node: UOp, op: Op, copies: int) -> UOp:
    """The combination by `op` of this many equal copies of a value."""
    result = node
    for _ in range(copies - 1):
        result = result.alu(op, node)
    return result


_SPECIAL: Mapping[Op, Callable[[_Distribution, UOp], Value]] = {
    Op.MULTI: _Distribution.multi,
    Op.MSTACK: _Distribution.stack,
    Op.MSELECT: _Distribution.select,
    Op.ALLREDUCE: _Distribution.reduce,
    Op.COPY: _Distribution.copy,
}
