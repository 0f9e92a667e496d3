"""Checks the sources and arguments of buffers, addresses, loads and stores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eqsat.dtype import AddrSpace, DType, PtrDType
from eqsat.errors import brief
from eqsat.ops import ABREAST, REDUCE_OPS, AxisType, BufferizeOpts, Op, Stage
from eqsat.spec.dtypes import same
from eqsat.spec.rule import Rule, all_ranges, axis_type, ends_only, is_count, is_tuple
from eqsat.spec.sources import ADDRESSES, BUFFERS, behind, is_value
from eqsat.uop import UOp
from eqsat.uop.limits import is_size

STORED = frozenset(AxisType) - {AxisType.REDUCE, AxisType.GROUP_REDUCE}
KEPT_PRIVATELY = frozenset({AxisType.LOOP, AxisType.PLACEHOLDER, AxisType.UNROLL})
KEPT_LOCALLY = KEPT_PRIVATELY | {AxisType.LOCAL, AxisType.UPCAST}
ARRAYS_IN_MEMORY = frozenset({Op.PARAM, Op.BUFFER})
_PARTS = (Op.AFTER, Op.BUFFER_VIEW)


def _param(node: UOp, stage: Stage) -> str | None:
    match node.arg:
        case (slot, size) if is_size(slot) and is_size(size):
            if node.src and node.src[0].op is not Op.DEVICE:
                return "its only source may be a DEVICE"
            return _elements(node)
        case _:
            return f"its argument is (slot, size), both in 0..2⁶³-1, not {brief(node.arg)}"


def _elements(node: UOp) -> str | None:
    dtype = node.dtype
    fits = isinstance(dtype, DType) and dtype.kind != "v" and dtype.lanes == 1
    return None if fits else f"its elements are scalars, not {dtype}; a LOAD may read several"


def _buffer(node: UOp, stage: Stage) -> str | None:
    device, unique = node.src
    if device.op is not Op.DEVICE or unique.op not in (Op.UNIQUE, Op.LUNIQUE):
        return f"its sources are a DEVICE and a UNIQUE, not {device.op.name} and {unique.op.name}"
    if not is_count(node.arg):
        return f"its argument is the number of its elements, not {brief(node.arg)}"
    return _elements(node)


def _buffer_view(node: UOp, stage: Stage) -> str | None:
    if behind(node.src[0], _PARTS).op not in ARRAYS_IN_MEMORY:
        return f"it is part of a buffer, not of a {node.src[0].op.name}; SHRINK that"
    size, offset = node.arg
    return (
        None if is_count(size) and is_count(offset) else f"its argument is (size, offset), not {node.arg!r}"
    )


def _pointer(space: AddrSpace) -> Rule:
    def rule(node: UOp, stage: Stage) -> str | None:
        dtype = node.dtype
        if not isinstance(dtype, PtrDType) or dtype.space is not space:
            return f"its dtype is a pointer to {space.value} memory, not {dtype}"
        if dtype.lanes > 1 and space is not AddrSpace.REG:
            return f"its elements are scalars, not {dtype.base}; a LOAD may read several"
        if dtype.size < 0 or (dtype.size == 0 and space is not AddrSpace.GLOBAL):
            return f"it holds {dtype.size} elements; give it at least one"
        return _definition(node, dtype)

    return rule


def _definition(node: UOp, dtype: PtrDType) -> str | None:
    match node.op, node.arg:
        case Op.DEFINE_GLOBAL, number if is_count(number):
            return None
        case Op.DEFINE_LOCAL, name if is_count(name) or (isinstance(name, str) and name):
            return None
        case Op.DEFINE_REG, (int(size), int(number)) if is_count(number) and size == dtype.size:
            return None
        case _:
            wanted = {Op.DEFINE_GLOBAL: "the number of the argument", Op.DEFINE_LOCAL: "a name or number"}
            return f"its argument is {wanted.get(node.op, '(size, id), the size that of its pointer')}, not {node.arg!r}"


def _accumulator(node: UOp, stage: Stage) -> str | None:
    number = node.arg[0] if is_tuple(node.arg) and len(node.arg) == 1 else node.arg
    if not is_count(number):
        return f"its argument is (number,), which tells it from others, not {node.arg!r}"
    return all_ranges(node, 1)


def _bufferize(node: UOp, stage: Stage) -> str | None:
    if node.src[0].shape != ():
        return (
            f"it collects scalars over ranges, not arrays of shape {node.src[0].shape}; INDEX the array first"
        )
    twice = len(set(node.src[1:])) < len(node.src) - 1
    text = all_ranges(node, 1) or ("it names a RANGE twice; give each axis its own" if twice else None)
    options: Any = BufferizeOpts() if node.arg is None else node.arg
    if text is not None or not isinstance(options, BufferizeOpts):
        return (
            text
            or f"its argument is BufferizeOpts(device, space, removable) or nothing, not {brief(options)}"
        )
    return _options(options) or (
        _kept_by_kernel(node, options) if stage is Stage.KERNEL else _kept_between_kernels(options)
    )


def _options(options: Any) -> str | None:
    """Checks the types of the options of a BUFFERIZE."""
    if not isinstance(options.space, AddrSpace):
        return f"the space of its BufferizeOpts is an AddrSpace, not {brief(options.space)}"
    if not isinstance(options.removable, bool):
        return f"removable of its BufferizeOpts is True or False, not {brief(options.removable)}"
    named = options.device is None or (isinstance(options.device, str) and options.device)
    return (
        None if named else f"the device of its BufferizeOpts is a name or None, not {brief(options.device)}"
    )


def _kept_between_kernels(options: BufferizeOpts) -> str | None:
    if options.space is AddrSpace.GLOBAL:
        return None
    return f"{options.space.value} memory is part of a kernel; BUFFERIZE so in a kernel, or leave space out"


def _kept_by_kernel(node: UOp, options: BufferizeOpts) -> str | None:
    """Checks a BUFFERIZE in a kernel, which can make local memory and registers only.

    Its value must not vary with a range that runs at once and stays open: each iteration of it would need memory of its own.
    """
    if options.space is AddrSpace.GLOBAL:
        return "a kernel makes no global memory; give it BufferizeOpts(space=AddrSpace.LOCAL) or REG, or STORE to a PARAM"
    if options.device is not None or not options.removable:
        return "memory of a kernel is on its device and stays there; leave device and removable out"
    if len(node.src) == 1:
        return "it collects over no RANGE; use its source"
    shared = options.space is AddrSpace.LOCAL
    text = ends_only(node, 1, KEPT_LOCALLY if shared else KEPT_PRIVATELY)
    if text is not None:
        return text
    copied = ABREAST if not shared else ABREAST | {AxisType.LOCAL, AxisType.WARP}
    inside = next((bound for bound in node.ranges if axis_type(bound) in copied), None)
    if inside is None:
        return None
    return f"its value varies with {axis_type(inside).name} range {inside.arg[0]}, which each would need memory of its own; collect over that, too"


def _index(node: UOp, stage: Stage) -> str | None:
    base, indices = node.src[0], node.src[1:]
    if indices and indices[-1].dtype.scalar.is_bool:
        indices = indices[:-1]
    wrong = next((source for source in indices if not source.dtype.scalar.is_index), None)
    if wrong is not None:
        return f"its indices have dtype index, not {wrong.dtype}, and one bool gate may come last; cast them"
    if stage is not Stage.ARRAY:
        if behind(base).op not in BUFFERS and base.op is not Op.RESHAPE:
            return f"its base is a buffer, not a {base.op.name}; of an address, make a POINTER_INDEX"
        if any(source.dtype.lanes > 1 for source in node.src[1:]):
            return "it is at one place under one gate, not a vector of them; join several with PTRCAT"
    pointer = isinstance(base.dtype, PtrDType)
    dimensions = 1 if pointer or base.shape is None else len(base.shape)
    if len(indices) != dimensions:
        way = "" if pointer or stage is Stage.ARRAY else ", or RESHAPE the PARAM to as many axes"
        return f"it has {len(indices)} indices for {dimensions} dimensions; give one index for each{way}"
    element = base.dtype.base if isinstance(base.dtype, PtrDType) else base.dtype
    return (
        None
        if same(node.dtype, element)
        else f"its dtype is that of the elements, {element}, not {node.dtype}; LOAD the vector"
    )


def _pointer_index(node: UOp, stage: Stage) -> str | None:
    offset, source = node.src[1], node.src[0]
    if not offset.dtype.scalar.is_index or offset.dtype.lanes > 1:
        return f"its offset counts bytes in an index, not {offset.dtype}; cast it"
    inner = behind(source, (Op.AFTER, Op.CAST, Op.POINTER_INDEX))
    if inner.op is not Op.INDEX and inner.op not in BUFFERS:
        return f"it moves the pointer to a buffer or element, not a {source.op.name}; INDEX a buffer"
    if definition(inner).op is Op.DEFINE_REG:
        return "it moves through memory, and registers have no addresses; INDEX the DEFINE_REG"
    element = source.dtype.base if isinstance(source.dtype, PtrDType) else source.dtype
    if not same(node.dtype, element):
        return f"its dtype is that of the elements, {element}, not {node.dtype}; BITCAST what is loaded"
    size = element.itemsize
    if offset.op is Op.CONST and offset.arg % size:
        return f"its offset counts bytes, and {offset.arg} is inside an element of {size}; use a multiple"
    return None


def definition(address: UOp) -> UOp:
    """The buffer that an address points into."""
    while address.src and address.op not in BUFFERS:
        address = address.src[0]
    return address


def _pointer_cat(node: UOp, stage: Stage) -> str | None:
    wrong = next((source for source in node.src if behind(source).op not in ADDRESSES), None)
    if wrong is not None:
        return f"its sources are addresses, not {wrong.op.name}; INDEX a buffer"
    buffers = {definition(source) for source in node.src}
    if len(buffers) > 1 or any(is_gated(source) for source in node.src):
        return "its addresses lie in one buffer, without gates; LOAD them one by one and VECTORIZE"
    if next(iter(buffers)).op is Op.DEFINE_REG:
        return "registers have no addresses; LOAD them one by one and VECTORIZE"
    if len(node.src) < 2:
        return "one address needs no PTRCAT; use it itself"
    if any(behind(source).op is Op.PTRCAT for source in node.src):
        return "its sources are single addresses; join all of them in one PTRCAT"
    joined = node.src[0].dtype.scalar.vec(len(node.src))
    return None if same(node.dtype, joined) else f"its dtype is {joined}, one lane each, not {node.dtype}"


def is_gated(address: UOp) -> bool:
    """Whether an address has a gate."""
    inner = behind(address, (Op.AFTER, Op.CAST, Op.POINTER_INDEX))
    sources = inner.src if inner.op is Op.PTRCAT else (inner,)
    return any(
        source.op is Op.INDEX and source.src[-1].dtype.scalar.is_bool and len(source.src) > 2
        for source in sources
    )


def _load(node: UOp, stage: Stage) -> str | None:
    if stage is Stage.ARRAY:
        return _load_of_array(node)
    place, extra = _place_of_load(node)
    address = behind(place)
    if address.op not in ADDRESSES:
        return f"it reads an address, not a {place.op.name}; give it an INDEX"
    if place is not node.src[0] and behind(address.src[0], (Op.RESHAPE,)) is not node.src[0]:
        return "its INDEX is into another buffer than source 0; INDEX that one"
    if not same(node.dtype.scalar, address.dtype.scalar):
        return f"it reads {address.dtype} as {node.dtype}; load that, and cast the value"
    return _access_lanes(node.dtype, address, "reads") or _alternative(node, place, extra, stage)


def _place_of_load(node: UOp) -> tuple[UOp, tuple[UOp, ...]]:
    """The address of a LOAD, and the sources after it. In the form (buffer, INDEX, …), the address is source 1."""
    first, *rest = node.src
    beside = behind(first, (Op.AFTER,)).op in BUFFERS and rest and rest[0].op is Op.INDEX
    return (rest[0], tuple(rest[1:])) if beside else (first, tuple(rest))


def _access_lanes(dtype: DType | PtrDType, address: UOp, verb: str) -> str | None:
    """Checks the lanes of an access.

    At a scalar address, one element or several consecutive ones are accessed; at a PTRCAT, one for each of its lanes.
    """
    if isinstance(dtype, PtrDType):
        return f"it {verb} elements, not pointers"
    if address.dtype.lanes > 1 and dtype.lanes != address.dtype.lanes:
        return f"it {verb} {address.dtype} as {dtype}; their lanes agree"
    if definition(address).op is Op.DEFINE_REG and dtype.lanes != address.dtype.lanes:
        return f"registers of {address.dtype} are read and written one by one, not as {dtype}; VECTORIZE them"
    return None


def _load_of_array(node: UOp) -> str | None:
    """Checks a LOAD of the array stage: (INDEX, alternative), or in the older form (buffer, INDEX, alternative) or (buffer, VIEW)."""
    base, *rest = node.src
    beside = rest[0] if rest and base.op is not Op.INDEX else None
    if beside is not None and beside.op is Op.VIEW:
        return _load_of_view(node)
    if beside is not None and beside.op is Op.INDEX:
        if beside.src[0] is not base:
            return "its INDEX is into another buffer than source 0; INDEX that one"
        base, rest = beside, rest[1:]
    if base.op is not Op.INDEX:
        return f"it reads an INDEX, or a buffer through an INDEX or VIEW as source 1, not a {base.op.name}"
    if not same(node.dtype, base.dtype):
        return f"it reads {base.dtype} as {node.dtype}; load that, and cast the value"
    if is_gated(base) != bool(rest):
        return _unbalanced(is_gated(base))
    if rest and (not same(rest[0].dtype, node.dtype) or rest[0].shape != node.shape):
        return f"the value for a false gate is {rest[0].dtype} of shape {rest[0].shape}; make it {node.dtype} of {node.shape}"
    return "gate the INDEX, and give one value for where it is false" if len(rest) > 1 else None


def _load_of_view(node: UOp) -> str | None:
    base, view, *rest = node.src
    if behind(base, _PARTS).op not in ARRAYS_IN_MEMORY:
        return f"it reads a buffer through its VIEW, not a {base.op.name}; give that to the VIEW as source"
    if view.src:
        return "its VIEW has a base of its own; use that VIEW as the value, or drop its source"
    if rest:
        return "what it waits for is said by AFTER around the buffer; drop the third source"
    return None if same(node.dtype, base.dtype) else f"it reads {base.dtype} as {node.dtype}; cast the value"


def _alternative(node: UOp, place: UOp, extra: tuple[UOp, ...], stage: Stage) -> str | None:
    """Checks the sources after the address: (alternative, gate, BARRIER), each of them optional. The last two are for linear programs only."""
    barriers = sum(each.op is Op.BARRIER for each in extra[-1:])
    gates = extra[1 : len(extra) - barriers]
    if (gates or barriers) and stage is not Stage.LINEAR:
        return "gate and barrier as sources of a LOAD belong to linear; gate the INDEX instead"
    wrong = next((each for place, each in enumerate(gates) if place or not _is_gate(each)), None)
    if wrong is not None:
        return f"after the value for a false gate come one bool and one BARRIER, not {wrong.op.name}; drop it"
    alternative = extra[: len(extra) - barriers][:1]
    if (is_gated(place) or bool(gates)) != bool(alternative):
        return _unbalanced(not alternative)
    if alternative and not is_value(alternative[0]):
        return f"the value for a false gate is no value but {alternative[0].op.name}; LOAD it first"
    if alternative and not same(alternative[0].dtype, node.dtype):
        return f"the value for a false gate is {alternative[0].dtype}; make it {node.dtype}"
    return None


def _is_gate(node: UOp) -> bool:
    return node.dtype.scalar.is_bool and node.dtype.lanes == 1 and isinstance(node.dtype, DType)


def _unbalanced(gated: bool) -> str:
    return (
        "an INDEX with a gate needs the value for where it is false"
        if gated
        else "the value for a false gate is there, but no gate: give the INDEX a bool as its last source, or drop the value"
    )


def _store(node: UOp, stage: Stage) -> str | None:
    address, value = behind(node.src[0]), node.src[1]
    if address.op not in ADDRESSES:
        return f"it writes to an address, not a {node.src[0].op.name}; give it an INDEX"
    if not same(value.dtype.scalar, address.dtype.scalar):
        return f"it writes {value.dtype} to {address.dtype}; cast the value"
    text = _access_lanes(value.dtype, address, "writes") or _combining(node, stage)
    if text:
        return text
    if stage is Stage.LINEAR:
        return _gate_of_store(node)
    return all_ranges(node, 2) or ends_only(node, 2, STORED)


def _combining(node: UOp, stage: Stage) -> str | None:
    """Checks the argument of a STORE: an operation that combines the value with the element in memory, or nothing.

    A linear program has no such STOREs: it LOADs the element, combines, and STOREs the result.
    """
    if node.arg is None:
        return None
    if stage is Stage.LINEAR:
        return "it combines with what is there; LOAD that, and STORE the result"
    if node.arg in REDUCE_OPS:
        return None
    names = ", ".join(sorted(op.name for op in REDUCE_OPS))
    return f"its argument is nothing or an operation to combine by, one of {names}, not {brief(node.arg)}"


def _gate_of_store(node: UOp) -> str | None:
    if any(not _is_gate(source) for source in node.src[2:]):
        return "its loops are closed by END: drop the RANGEs, and let one bool be its gate"
    return "it has one gate; AND them" if len(node.src) > 3 else None


STRUCTURE: Mapping[Op, Rule] = {
    Op.PARAM: _param,
    Op.BUFFER: _buffer,
    Op.BUFFER_VIEW: _buffer_view,
    Op.BUFFERIZE: _bufferize,
    Op.DEFINE_GLOBAL: _pointer(AddrSpace.GLOBAL),
    Op.DEFINE_LOCAL: _pointer(AddrSpace.LOCAL),
    Op.DEFINE_REG: _pointer(AddrSpace.REG),
    Op.DEFINE_ACC: _accumulator,
    Op.INDEX: _index,
    Op.POINTER_INDEX: _pointer_index,
    Op.PTRCAT: _pointer_cat,
    Op.LOAD: _load,
    Op.STORE: _store,
}
