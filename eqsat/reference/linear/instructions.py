"""The effect of each instruction of a linear program on a launch. Values are arrays with one row per work-item, or one row for all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from eqsat.dtype import AddrSpace, PtrDType, to_numpy
from eqsat.errors import EvaluationError
from eqsat.fragments import Product
from eqsat.ops import ALU, Op
from eqsat.reference.alu import compute
from eqsat.reference.frame import lanes_picked
from eqsat.reference.kernels import elements_of_bytes
from eqsat.reference.linear.launch import Access, Launch, per_item
from eqsat.reference.linear.tracked_memory import Owner, TrackedMemory
from eqsat.reference.matrices import gathered, multiplied, spread_out
from eqsat.reference.number import Array, constant, convert, hold, reinterpret
from eqsat.spec.order import closed_by
from eqsat.spec.rule import range_number
from eqsat.uop import UOp


def _one_row(values: Array) -> Array:
    return values[None, ...]


def _define(launch: Launch, node: UOp) -> Any:
    """The memory of a definition. An argument or local memory is made once, even if a loop repeats this; a register is a new one each time."""
    assert isinstance(node.dtype, PtrDType)
    dtype, size = to_numpy(node.dtype.base), node.dtype.size * node.dtype.lanes
    cells = launch.memories.get(node)
    if cells is not None:
        return Access(cells, np.zeros(1, np.int64), None, lanes=False)
    match node.dtype.space:
        case AddrSpace.GLOBAL:
            cells = launch.memories[node] = _argument(launch, node)
        case AddrSpace.LOCAL:
            data = np.zeros((len(launch.items.epoch), size), dtype)
            cells = launch.memories[node] = TrackedMemory(
                f"local {node.arg}", data, Owner.GROUP, tracked=True
            )
        case AddrSpace.REG:
            data = np.zeros((launch.count, size), dtype)
            cells = TrackedMemory(f"register {node.arg}", data, Owner.ITEM, tracked=False)
    return Access(cells, np.zeros(1, np.int64), None, lanes=False)


def _argument(launch: Launch, node: UOp) -> TrackedMemory:
    assert isinstance(node.dtype, PtrDType)
    number = range_number(node)
    if number >= len(launch.buffers):
        raise EvaluationError(
            f"{node!r} is argument {number}, and only {len(launch.buffers)} buffers were given; pass it too"
        )
    buffer: Array = launch.buffers[number]
    if (
        buffer.dtype != to_numpy(node.dtype.base)
        or buffer.size != node.dtype.size
        or not buffer.flags.c_contiguous
    ):
        raise EvaluationError(
            f"{node!r} is given {buffer.size} elements of {buffer.dtype}; give {node.dtype.size} contiguous ones"
        )
    return TrackedMemory(
        f"buffer {number}", buffer.reshape(1, -1), Owner.LAUNCH, tracked=node in launch.stored
    )


def _accumulator(launch: Launch, node: UOp) -> Any:
    return launch.get(node.src[0])


def _mask_like(mask: Array, values: Array) -> Array:
    return mask.reshape(-1, *(1,) * (values.ndim - 1))


def _assign(launch: Launch, node: UOp) -> Any:
    target = node.src[0]
    old, new = launch.get(target), launch.get(node.src[1])
    launch.values[target] = np.where(_mask_like(launch.active, new), new, old)


def _index(launch: Launch, node: UOp) -> Any:
    base, index, *gates = launch.sources(node)
    gate = gates[0] if gates else base.gate
    if isinstance(node.src[0].dtype, PtrDType):
        index = index * node.src[0].dtype.lanes
    offset = base.offset if index.ndim == 1 else base.offset[:, None]
    return Access(base.cells, offset + index, gate, lanes=index.ndim > 1)


def _pointer_index(launch: Launch, node: UOp) -> Any:
    base, offset = launch.sources(node)
    steps = elements_of_bytes(offset, node)
    return Access(base.cells, base.offset + steps, base.gate, base.lanes)


def _pointer_concatenation(launch: Launch, node: UOp) -> Any:
    parts = launch.sources(node)
    if any(part.cells is not parts[0].cells or part.gate is not None for part in parts):
        raise EvaluationError(
            f"{node!r} joins addresses of several memories, or gated ones; access them one by one"
        )
    wide = [
        part.offset if part.lanes else part.offset[:, None] + np.arange(source.dtype.lanes)
        for part, source in zip(parts, node.src, strict=True)
    ]
    return Access(parts[0].cells, _concatenated(wide), None, lanes=True)


def _concatenated(parts: Sequence[Array]) -> Array:
    rows = max(part.shape[0] for part in parts)
    return np.concatenate([np.broadcast_to(part, (rows, *part.shape[1:])) for part in parts], -1)


def _load(launch: Launch, node: UOp) -> Any:
    beside = any(source.op is Op.INDEX for source in node.src[1:2])  # the form (buffer, INDEX, …)
    address, *rest = [source for source in node.src[beside:] if source.op is not Op.BARRIER]
    alternative = launch.get(rest[0]) if rest else None
    access = _with_gates(launch, launch.get(address), rest[1:])
    lanes = node.dtype.lanes
    touch, chosen = launch.touch(access, lanes)
    found = access.cells.load(touch, launch.items, node)
    if len(found) == launch.count:
        return found if lanes > 1 else found[:, 0]
    loaded = np.zeros((launch.count, lanes), access.cells.data.dtype)
    if alternative is not None:
        loaded[:] = alternative if alternative.ndim > 1 else alternative[:, None]
    loaded[chosen] = found
    return loaded if lanes > 1 else loaded[:, 0]


def _store(launch: Launch, node: UOp) -> Any:
    access = _with_gates(launch, launch.get(node.src[0]), node.src[2:])
    value = per_item(launch.get(node.src[1]), launch.count)
    touch, chosen = launch.touch(access, node.src[1].dtype.lanes)
    stored = value[chosen] if value.ndim > 1 else value[chosen][:, None]
    access.cells.store(touch, stored, launch.items, node)


def _with_gates(launch: Launch, access: Access, gates: Sequence[UOp]) -> Access:
    """The access, restricted by the gates that the older forms of LOAD and STORE have among their sources."""
    for source in gates:
        gate = launch.get(source)
        both = gate if access.gate is None else access.gate & gate
        access = Access(access.cells, access.offset, both, access.lanes)
    return access


def _range(launch: Launch, node: UOp) -> Any:
    ends = launch.sources(node)
    begin = ends[0] if _end_source(node) else np.zeros(1, np.int64)
    launch.values[node] = begin
    launch.open(node, launch.active & (begin < _end(launch, node)), begin)


def _end(launch: Launch, node: UOp) -> Array:
    return launch.get(node.src[_end_source(node)])


def _end_source(node: UOp) -> int:
    """The position of the end among the sources of a RANGE. In the older form (start, end), whose argument is a plain number, it is 1."""
    return 1 if isinstance(node.arg, int) and node.src[1:] else 0


def _end_ranges(launch: Launch, node: UOp) -> Any:
    """Starts the next iteration of the innermost loop. After the last one it closes the loop and goes on with the next range that ends here."""
    open_now = {block.opener for block in launch.blocks}
    ended = {source for source in closed_by(node) if source in open_now}
    while ended:
        block = launch.blocks[-1]
        if block.opener not in ended:
            raise EvaluationError(
                f"{node!r} ends a loop that is not the innermost open block; nest the loops"
            )
        block.value = block.value + 1
        again = block.active & (block.value < _end(launch, block.opener))
        if np.any(again):
            launch.repeat(again)
            return
        ended.remove(block.opener)
        launch.close(block.opener)


def _if(launch: Launch, node: UOp) -> Any:
    launch.open(node, launch.active & launch.get(node.src[0]), np.zeros(1))


def _end_if(launch: Launch, node: UOp) -> Any:
    launch.close(node.src[0])


def _barrier(launch: Launch, node: UOp) -> Any:
    groups = len(launch.items.epoch)
    arrived = np.bincount(launch.items.group, launch.active, groups)
    if np.any((arrived != 0) & (arrived != prod(launch.local_size))):
        raise EvaluationError(
            f"{node!r} is reached by only some work-items of a group; move it out of the IF or uneven loop"
        )
    launch.items.epoch[arrived > 0] += 1


_COORDINATES = {
    "gid": "global",
    "lid": "local",
    "lidx": "local",
    "threadIdx.": "local",
    "gidx": "group",
    "blockIdx.": "group",
}


def _special(launch: Launch, node: UOp) -> Any:
    prefix, dimension = node.arg[:-1], "xyz".find(node.arg[-1])
    kind = _COORDINATES.get(prefix)
    if dimension < 0 and node.arg[-1].isdigit():
        dimension = int(node.arg[-1])
    if kind is None or not 0 <= dimension < len(launch.global_size):
        raise EvaluationError(
            f"{node!r} names no coordinate of {launch.global_size} work-items; use gid0, lid0 or gidx0, …"
        )
    values, end = launch.coordinates[kind][dimension], launch.get(node.src[0])
    if np.any(values >= end):
        raise EvaluationError(
            f"{node!r} is launched with coordinates up to {int(values.max())}; launch fewer work-items"
        )
    return values


def _variable(launch: Launch, node: UOp) -> Any:
    name = node.arg[0]
    if name not in launch.variables:
        raise EvaluationError(f"variable {name!r} has no value; pass it in `variables`")
    return _one_row(hold(launch.variables[name], node.dtype.scalar))


def _constant(launch: Launch, node: UOp) -> Any:
    assert not isinstance(node.dtype, PtrDType)
    return _one_row(constant(node.arg, node.dtype))


def _vector_constant(launch: Launch, node: UOp) -> Any:
    return _one_row(np.stack([constant(value, node.dtype.scalar) for value in node.arg]))


def _arithmetic(launch: Launch, node: UOp) -> Any:
    operands = launch.sources(node)
    dtype = node.src[-1].dtype.scalar
    if node.op is Op.WHERE and operands[0].ndim < max(operand.ndim for operand in operands):
        operands[0] = operands[0][:, None]
    return compute(node.op, dtype, *operands)


def _cast(launch: Launch, node: UOp) -> Any:
    value = launch.get(node.src[0])
    return value if isinstance(value, Access) else convert(value, node.src[0].dtype.scalar, node.dtype.scalar)


def _bitcast(launch: Launch, node: UOp) -> Any:
    return reinterpret(launch.get(node.src[0]), node.src[0].dtype.scalar, node.dtype.scalar)


def _vectorize(launch: Launch, node: UOp) -> Any:
    parts = [part if part.ndim > 1 else part[:, None] for part in launch.sources(node)]
    lanes = _concatenated(parts)
    return lanes if node.dtype.lanes > 1 else lanes[:, 0]


def _extract(launch: Launch, node: UOp) -> Any:
    value = launch.get(node.src[0])
    lanes = lanes_picked(node)
    value = value if value.ndim > 1 else value[:, None]
    return value[:, lanes[0]] if len(lanes) == 1 else value[:, list(lanes)]


def _matrix_multiply(launch: Launch, node: UOp) -> Any:
    """The product of the fragments that work-items hold: as many consecutive items of a group as there are threads multiply together."""
    product, dtype = Product.of(node.arg), node.dtype.scalar
    order = _by_threads(launch, node, product.threads)
    left, right, addend = (
        gathered(
            product,
            operand,
            per_item(value, launch.count)[order].reshape(-1, product.threads, source.dtype.lanes),
        )
        for operand, (value, source) in enumerate(zip(launch.sources(node), node.src, strict=True))
    )
    given = (source.dtype.scalar for source in node.src[:2])
    a, b = (convert(value, kind, dtype) for value, kind in zip((left, right), given, strict=True))
    result = compute(Op.ADD, dtype, multiplied(product, dtype, a, b), addend)
    parts = spread_out(product, 2, result, node.dtype.lanes).reshape(-1, node.dtype.lanes)
    found = np.empty_like(parts)
    found[order] = parts
    return found if node.dtype.lanes > 1 else found[:, 0]


def _by_threads(launch: Launch, node: UOp, threads: int) -> Array:
    """The work-items in an order in which those of a group follow each other.

    Raises:
        EvaluationError: groups are not a multiple of the threads, or only some of the threads that multiply together are active.
    """
    size = prod(launch.local_size)
    if size % threads:
        raise EvaluationError(
            f"{node!r} has {threads} threads, which do not fill groups of {size} work-items; use a multiple"
        )
    place = launch.items.group
    for sizes, along in reversed(list(zip(launch.local_size, launch.coordinates["local"], strict=True))):
        place = place * sizes + along
    order = np.argsort(place, kind="stable")
    active = launch.active[order].reshape(-1, threads)
    if np.any(active.any(axis=1) != active.all(axis=1)):
        raise EvaluationError(
            f"only some threads of {node!r} get there; move it out of the IF or loop that they part in"
        )
    return order


def _first(launch: Launch, node: UOp) -> Any:
    return launch.get(node.src[0])


INSTRUCTIONS: Mapping[Op, Callable[[Launch, UOp], Any]] = {
    **dict.fromkeys(ALU, _arithmetic),
    Op.CAST: _cast,
    Op.BITCAST: _bitcast,
    **dict.fromkeys((Op.DEFINE_GLOBAL, Op.DEFINE_LOCAL, Op.DEFINE_REG), _define),
    Op.DEFINE_ACC: _accumulator,
    Op.ASSIGN: _assign,
    Op.INDEX: _index,
    Op.POINTER_INDEX: _pointer_index,
    Op.PTRCAT: _pointer_concatenation,
    Op.LOAD: _load,
    Op.STORE: _store,
    Op.RANGE: _range,
    Op.END: _end_ranges,
    Op.ENDRANGE: _end_ranges,
    Op.IF: _if,
    Op.ENDIF: _end_if,
    Op.BARRIER: _barrier,
    Op.SPECIAL: _special,
    Op.DEFINE_VAR: _variable,
    Op.CONST: _constant,
    Op.VCONST: _vector_constant,
    Op.VECTORIZE: _vectorize,
    Op.CAT: _vectorize,
    Op.GEP: _extract,
    Op.WMMA: _matrix_multiply,
    Op.AFTER: _first,
    Op.NOOP: _first,
}
