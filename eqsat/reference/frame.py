"""One evaluation in progress: the bound nodes, the computed values, and the order of named axes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from eqsat.dtype import DType, PtrDType, to_numpy
from eqsat.errors import EvaluationError
from eqsat.ops import Op
from eqsat.reference.memory import Address, Pointer, Storage, read
from eqsat.reference.number import hold
from eqsat.reference.value import SAMPLES, Axis, Value, align, extents_of, spread, union
from eqsat.spec.contents import ended_by
from eqsat.spec.programs import arguments_of
from eqsat.spec.rule import is_tuple, range_number
from eqsat.spec.sources import behind
from eqsat.uop import UOp, loops_begin

# Operations whose sources are not evaluated: the sources only say where data is or what to do with it.
_UNREAD = frozenset({Op.BUFFER, Op.PARAM, Op.FUNCTION, Op.VALID, Op.PROGRAM, Op.LINEAR})


@dataclass(frozen=True, slots=True)
class Shards:
    """An array in parts: pieces along `axis`, or copies if `axis` is None. A part that is not `real` counts as zeros."""

    parts: tuple[Value, ...]
    axis: int | None
    real: tuple[bool, ...]


Result = Value | Pointer | Address | Shards | tuple[Value, ...] | None
Meaning = Callable[["Frame", UOp, Sequence[Any]], Result]


@dataclass(slots=True)
class Frame:
    """The state of one evaluation, or of the body of one call.

    Attributes:
        roots: the nodes whose values are wanted.
        bound: the values that the caller has bound to nodes.
        slots: the buffers behind PARAM and DEFINE_GLOBAL, by number.
        names: the values of variables and hardware coordinates, by name.
        windows: for each range that is computed in part, its part as (begin, end).
        strict: whether an access out of bounds raises an error; otherwise it reads 0.
        result_of: the call in the calling frame that this frame computes.
        assigned: the content of the target after each ASSIGN.
        kept: what each CARRY has in the iteration of a recurrence that the frame computes; 0 in the first one.
        loops: the LOOP ranges that each STORE ends, outer ones first, if there are several STOREs; found when the first one stores.
        repeated: the ranges over which each STORE with an operation combines, that is, all ranges that it ends.
    """

    roots: tuple[UOp, ...]
    bound: Mapping[UOp, Result] = field(default_factory=dict[UOp, Result])
    slots: Mapping[int, Storage] = field(default_factory=dict[int, Storage])
    names: Mapping[str, Value] = field(default_factory=dict[str, Value])
    windows: Mapping[UOp, tuple[int, int]] = field(default_factory=dict[UOp, tuple[int, int]])
    strict: bool = False
    result_of: UOp | None = None
    values: dict[UOp, Result] = field(default_factory=dict[UOp, Result])
    position: dict[Axis, int] = field(default_factory=dict[Axis, int])
    storages: dict[UOp, Storage] = field(default_factory=dict[UOp, Storage])
    assigned: dict[UOp, Storage] = field(default_factory=dict[UOp, Storage])
    kept: dict[UOp, Value] = field(default_factory=dict[UOp, Value])
    loops: dict[UOp, tuple[UOp, ...]] | None = None
    repeated: dict[UOp, tuple[UOp, ...]] = field(default_factory=dict[UOp, tuple[UOp, ...]])
    pending: Iterator[UOp] = field(init=False)
    uses: dict[UOp, int] = field(init=False)

    def __post_init__(self) -> None:
        order, self.uses = self._plan()
        combining = [node for node in order if node.op is Op.STORE and node.arg is not None]
        if combining:
            for store, ended in ended_by(combining, order).items():
                self.repeated[store] = tuple(each for each in ended if each.op is Op.RANGE)
            order, self.uses = self._plan()
        self.pending = iter(order)
        self.position[SAMPLES] = len(self.position)
        ranges = [node for node in order if node.op in (Op.RANGE, Op.SPECIAL)]
        for node in sorted(ranges, key=_range_number):
            self.position[node] = len(self.position)

    def _plan(self) -> tuple[list[UOp], dict[UOp, int]]:
        """The nodes to compute, sources first, and how many nodes need each."""
        uses: dict[UOp, int] = dict.fromkeys(self.roots, 1)
        order: dict[UOp, None] = {}
        stack = [(root, False) for root in reversed(self.roots)]
        while stack:
            node, ready = stack.pop()
            if node in order:
                continue
            sources = self.needs(node)
            if ready or not sources:
                order[node] = None
                for source in sources:
                    uses[source] = uses.get(source, 0) + 1
                continue
            stack.append((node, True))
            stack.extend((source, False) for source in reversed(sources) if source not in order)
        return list(order), uses

    def needs(self, node: UOp) -> tuple[UOp, ...]:
        """The sources that `node` is computed from."""
        if node in self.bound or node.op in _UNREAD:
            return ()
        if node.op in (Op.CALL, Op.KERNEL):
            return arguments_of(node)
        # Its parameters are those of this frame
        if node.op is Op.GET_TUPLE and node.src[0].op is Op.FUNCTION:
            return node.src[0].src[:1]
        if node.op is Op.INDEX and is_shaped_buffer(node.src[0]):
            return (node.src[0].src[0], *node.src[1:])
        if node.op is Op.RECUR:  # its sources are computed in frames of its iterations
            return tuple(
                dict.fromkeys((*sorted(node.ranges, key=_range_number), *node.src[loops_begin(node) :]))
            )
        if node in self.repeated:
            return tuple(dict.fromkeys((*node.src, *self.repeated[node])))
        return node.src[1:] if node.op is Op.BIND else node.src

    def finish(self, node: UOp, result: Result) -> None:
        """Stores a result, and drops results that no other node needs."""
        self.values[node] = result
        for source in self.needs(node):
            self.uses[source] -= 1
            if not self.uses[source]:
                self.values.pop(source, None)

    def value(self, result: Result, node: UOp) -> Value:
        """The elements of the result of `node`. For a pointer or an address it loads them; shards are joined."""
        if isinstance(result, Value):
            return result
        if isinstance(result, Pointer):
            return Value((), result.elements())
        if isinstance(result, Address):
            return self.load(result, node)
        if isinstance(result, Shards):
            return self.whole(result)
        raise EvaluationError(
            f"{node!r} has no value of its own; use one of its elements, or what it depends on"
        )

    def load(self, address: Address, node: UOp) -> Value:
        """The elements at an address. Where it points outside the buffer they are 0, unless the evaluation is strict."""
        found, outside = read(address, self.position)
        if self.strict and np.any(outside.data):
            raise EvaluationError(
                f"{node!r} reads outside its buffer at {int(np.count_nonzero(outside.data))} points; "
                "gate its INDEX, or correct it"
            )
        return found

    def whole(self, shards: Shards) -> Value:
        """Joins shards to one array."""
        if shards.axis is None:
            return shards.parts[shards.real.index(True)]
        axes = union(shards.parts, self.position)
        extents = extents_of(shards.parts, axes)
        parts = [
            spread(part, axes, extents) if real else np.zeros_like(spread(part, axes, extents))
            for part, real in zip(shards.parts, shards.real, strict=True)
        ]
        return Value(axes, np.concatenate(parts, len(axes) + shards.axis))

    def together(self, function: Callable[..., Any], *operands: Value) -> Value:
        """Applies `function` to the operands' arrays after aligning their named axes."""
        axes = union(operands, self.position)
        return Value(axes, np.asarray(function(*(align(operand, axes) for operand in operands))))

    def storage(self, node: UOp) -> Storage:
        """The buffer behind a PARAM, BUFFER or DEFINE_GLOBAL. A BUFFER that is not bound holds the data that its identity is a handle of.

        Raises:
            EvaluationError: the caller did not bind it, or bound it to an array of another size.
        """
        slot, is_buffer = range_number(node), node.op is Op.BUFFER
        found = self.storages.get(node) or (None if is_buffer else self.slots.get(slot))
        own = _own_data(node) if is_buffer and found is None else None
        if own is not None:
            found = self.storages[node] = Storage(own)
        if found is None:
            how = "the node" if is_buffer else f"the node or slot {slot}"
            raise EvaluationError(f"{node!r} has no data; bind {how} to an array")
        size = node.shape[0] if node.shape else node.dtype.size if isinstance(node.dtype, PtrDType) else 1
        if len(found.initial) != size:
            raise EvaluationError(f"{node!r} is bound to {len(found.initial)} elements; bind {size}")
        if found.stored is None:
            found.initial = hold(found.initial, node.dtype.scalar)
        return found


def _own_data(buffer: UOp) -> NDArray[Any] | None:
    """The elements of a BUFFER that is not bound: the host data that its identity is a handle of, or unset memory if it is local to a function.

    None for a BUFFER of any other identity. Host data is read-only here, because results may be views of it.
    """
    identity = buffer.src[1]
    if identity.op is Op.LUNIQUE:
        return _unset(buffer)
    # Only a handle of host data has them; its class is in a higher layer
    values: Any = getattr(identity.arg, "values", None)
    if not isinstance(values, np.ndarray):
        return None
    data = cast("NDArray[Any]", values).reshape(-1)
    data.flags.writeable = False
    return data


def _unset(buffer: UOp) -> NDArray[Any]:
    """The content of a program's own memory before it is written: NaN, or bytes of 0x55. Nothing may read it."""
    dtype, size = to_numpy(element_type(buffer)), int(buffer.arg)
    return np.full(size, np.nan if dtype.kind == "f" else 0x55, dtype)


def is_shaped_buffer(node: UOp) -> bool:
    """Whether a node gives axes to a buffer, which an INDEX with several indices needs."""
    return node.op is Op.RESHAPE and behind(node.src[0], (Op.AFTER,)).op is Op.PARAM


def lanes_of(node: UOp) -> int:
    """The number of lanes of a node's value."""
    return node.dtype.lanes


def lanes_picked(node: UOp) -> tuple[int, ...]:
    """The lanes that a GEP takes."""
    return node.arg if is_tuple(node.arg) else (node.arg,)


def element_type(node: UOp) -> DType:
    """The dtype of a node that has elements.

    Raises:
        EvaluationError: the node is a pointer.
    """
    if not isinstance(node.dtype, DType):
        raise EvaluationError(f"{node!r} is a pointer; LOAD from it to get elements")
    return node.dtype


def _range_number(node: UOp) -> tuple[int, int]:
    """A sort key for named axes: RANGEs by number, then hardware coordinates. `sorted` keeps the order of the latter."""
    if node.op is Op.SPECIAL:
        return (1, 0)
    return (0, range_number(node))
