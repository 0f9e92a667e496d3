"""What buffers, addresses, loads, stores, loops and conditionals ask of their sources and argument."""

from __future__ import annotations

from collections.abc import Mapping

from eqsat.dtype import AddrSpace, PtrDType
from eqsat.ops import REDUCE_OPS, AxisType, Op, Stage
from eqsat.spec.dtypes import same
from eqsat.spec.rule import Rule, axis_type
from eqsat.uop import UOp

BUFFERS = frozenset({
    Op.PARAM, Op.BUFFER, Op.BUFFER_VIEW, Op.BUFFERIZE, Op.DEFINE_GLOBAL, Op.DEFINE_LOCAL, Op.DEFINE_REG,
})  # fmt: skip
ADDRESSES = frozenset({Op.INDEX, Op.PTRCAT, Op.POINTER_INDEX})
LANES = (2, 4, 8, 16)  # the vector lengths of OpenCL C, 3 aside
REDUCED = frozenset({AxisType.REDUCE, AxisType.GROUP_REDUCE, AxisType.UPCAST, AxisType.UNROLL})
COPIED = frozenset({AxisType.UPCAST, AxisType.UNROLL})


def behind(node: UOp, through: tuple[Op, ...] = (Op.AFTER, Op.CAST)) -> UOp:
    """The node that a chain of AFTERs and pointer CASTs starts from."""
    while node.op in through and node.src:
        node = node.src[0]
    return node


def _param(node: UOp, stage: Stage) -> str | None:
    match node.arg:
        case (int(slot), int(size)) if slot >= 0 and size >= 0:
            return None if not node.src or node.src[0].op is Op.DEVICE else "its only source may be a DEVICE"
        case _:
            return f"its argument is (slot, size), both at least 0, not {node.arg!r}"


def _buffer(node: UOp, stage: Stage) -> str | None:
    device, unique = node.src
    if device.op is not Op.DEVICE or unique.op not in (Op.UNIQUE, Op.LUNIQUE):
        return f"its sources are a DEVICE and a UNIQUE, not {device.op.name} and {unique.op.name}"
    return (
        None
        if isinstance(node.arg, int) and node.arg >= 0
        else f"its argument is its size in elements, not {node.arg!r}"
    )


def _pointer(space: AddrSpace) -> Rule:
    def rule(node: UOp, stage: Stage) -> str | None:
        fits = isinstance(node.dtype, PtrDType) and node.dtype.space is space
        return (
            None if fits else f"its dtype is a pointer to {space.value} memory, not {node.dtype}"
        ) or _definition(node)

    return rule


def _definition(node: UOp) -> str | None:
    match node.op, node.arg:
        case Op.DEFINE_GLOBAL, int(number) if number >= 0:
            return None
        case Op.DEFINE_LOCAL, str() | int():
            return None
        case Op.DEFINE_REG, (int(size), int()) if (
            isinstance(node.dtype, PtrDType) and size == node.dtype.size
        ):
            return None
        case _:
            wanted = {Op.DEFINE_GLOBAL: "the number of the argument", Op.DEFINE_LOCAL: "a name or number"}
            return f"its argument is {wanted.get(node.op, '(size, id), the size that of its pointer')}, not {node.arg!r}"


def _all_ranges(node: UOp, start: int) -> str | None:
    stray = next((source for source in node.src[start:] if source.op is not Op.RANGE), None)
    return None if stray is None else f"its sources from {start} on are RANGEs, not {stray.op.name}"


def _ranges_from(start: int) -> Rule:
    def rule(node: UOp, stage: Stage) -> str | None:
        return _all_ranges(node, start)

    return rule


def _bufferize(node: UOp, stage: Stage) -> str | None:
    if node.src[0].shape != ():
        return (
            f"it collects scalars over ranges, not arrays of shape {node.src[0].shape}; INDEX the array first"
        )
    return _all_ranges(node, 1)


def _index(node: UOp, stage: Stage) -> str | None:
    base, indices = node.src[0], node.src[1:]
    if indices and indices[-1].dtype.scalar.is_bool:
        indices = indices[:-1]
    wrong = next((source for source in indices if not source.dtype.scalar.is_index), None)
    if wrong is not None:
        return f"its indices have dtype index, not {wrong.dtype}, and one bool gate may come last; cast them"
    if stage is not Stage.ARRAY and behind(base).op not in BUFFERS:
        return f"its base is a buffer, not a {base.op.name}"
    pointer = isinstance(base.dtype, PtrDType)
    dimensions = 1 if pointer or base.shape is None else len(base.shape)
    if len(indices) != dimensions:
        return f"it has {len(indices)} indices for {dimensions} dimensions; give one index for each"
    element = base.dtype.base if isinstance(base.dtype, PtrDType) else base.dtype
    return (
        None
        if same(node.dtype.scalar, element.scalar)
        else f"its dtype is that of the elements, {element}, not {node.dtype}"
    )


def _pointer_index(node: UOp, stage: Stage) -> str | None:
    if not node.src[1].dtype.scalar.is_index:
        return f"its offset counts bytes in an index, not {node.src[1].dtype}; cast it"
    known = BUFFERS | ADDRESSES
    return (
        None
        if behind(node.src[0]).op in known
        else f"it moves a pointer, not a {node.src[0].op.name}; INDEX a buffer"
    )


def _pointer_cat(node: UOp, stage: Stage) -> str | None:
    wrong = next((source for source in node.src if behind(source).op not in ADDRESSES), None)
    return None if wrong is None else f"its sources are addresses, not {wrong.op.name}; INDEX a buffer"


def is_gated(address: UOp) -> bool:
    """Whether an address has a gate."""
    inner = behind(address)
    sources = inner.src if inner.op is Op.PTRCAT else (inner,)
    return any(
        source.op is Op.INDEX and source.src[-1].dtype.scalar.is_bool and len(source.src) > 1
        for source in sources
    )


def _load(node: UOp, stage: Stage) -> str | None:
    if stage is Stage.ARRAY:
        return _old_load(node)
    address = behind(node.src[0])
    if address.op not in ADDRESSES:
        return f"it reads an address, not a {node.src[0].op.name}; give it an INDEX"
    if not same(node.dtype.scalar, address.dtype.scalar):
        return f"it reads {address.dtype} as {node.dtype}; load that, and cast the value"
    return _alternative(node, stage)


def _old_load(node: UOp) -> str | None:
    base = node.src[0]
    if behind(base).op in ADDRESSES or (len(node.src) > 1 and node.src[1].op in (Op.INDEX, Op.VIEW)):
        return None
    return f"it reads an INDEX, or a buffer through an INDEX or VIEW as source 1, not a {base.op.name}"


def _alternative(node: UOp, stage: Stage) -> str | None:
    extra = node.src[1:]
    gated = is_gated(node.src[0]) or (
        stage is Stage.LINEAR and len(extra) > 1 and extra[1].dtype.scalar.is_bool
    )
    if gated != bool(extra):
        return (
            "an INDEX with a gate needs the value for where it is false"
            if gated
            else (
                "the value for a false gate is there, but no gate: give the INDEX a bool as its last source, or drop the value"
            )
        )
    if len(extra) > 1 and stage is not Stage.LINEAR:
        return "gate and barrier as sources of a LOAD belong to linear; gate the INDEX instead"
    if extra and not same(extra[0].dtype, node.dtype):
        return f"the value for a false gate is {extra[0].dtype}; make it {node.dtype}"
    return None


def _store(node: UOp, stage: Stage) -> str | None:
    if stage is Stage.ARRAY and node.src[1].op is Op.VIEW:
        return None if len(node.src) == 3 else "the older form is (buffer, VIEW, value)"
    address, value = behind(node.src[0]), node.src[1]
    if address.op not in ADDRESSES:
        return f"it writes to an address, not a {node.src[0].op.name}; give it an INDEX"
    if not same(value.dtype.scalar, address.dtype.scalar):
        return f"it writes {value.dtype} to {address.dtype}; cast the value"
    if stage is Stage.LINEAR:
        gates = [source for source in node.src[2:] if not source.dtype.scalar.is_bool]
        return "its loops are closed by END: drop the RANGEs" if gates else None
    return _all_ranges(node, 2) or _axis_types(
        node, 2, frozenset(AxisType) - {AxisType.REDUCE, AxisType.GROUP_REDUCE}
    )


def _reduce(node: UOp, stage: Stage) -> str | None:
    if node.arg not in REDUCE_OPS:
        names = ", ".join(sorted(op.name for op in REDUCE_OPS))
        return f"{node.arg!r} does not reduce; use one of {names}"
    if node.src[0].dtype.lanes % node.dtype.lanes:
        return f"{node.src[0].dtype} does not fold into {node.dtype}; the lanes must divide"
    return _all_ranges(node, 1) or _axis_types(node, 1, REDUCED)


def _axis_types(node: UOp, start: int, allowed: frozenset[AxisType]) -> str | None:
    wrong = next((source for source in node.src[start:] if axis_type(source) not in allowed), None)
    if wrong is None:
        return None
    names = ", ".join(sorted(axis.name for axis in allowed))
    return f"it ends a {axis_type(wrong).name} range; only {names} end here"


def _range(node: UOp, stage: Stage) -> str | None:
    match node.arg:
        case (int(), AxisType() as axis):
            bounds = 1
        case int():
            axis, bounds = AxisType.LOOP, 2
        case _:
            return f"its argument is (id, AxisType), or an id with sources (start, end), not {node.arg!r}"
    if len(node.src) < bounds or any(not source.dtype.scalar.is_index for source in node.src[:bounds]):
        return "its end is an index; cast it"
    if stage in (Stage.EXPANDED, Stage.LINEAR) and axis in COPIED:
        return f"{axis.name} ranges are gone after expand; expand the kernel"
    end = node.src[bounds - 1]
    if end.op is Op.CONST and end.arg < 0:
        return f"its end is {end.arg}; an extent is at least 0"
    if stage is Stage.KERNEL and axis is AxisType.UPCAST and (end.op is not Op.CONST or end.arg not in LANES):
        return f"a vector has {', '.join(map(str, LANES))} lanes; split the range to one of these"
    return None


def _special(node: UOp, stage: Stage) -> str | None:
    if not isinstance(node.arg, str):
        return f"its argument is a name such as gid0, not {node.arg!r}"
    return None if node.src[0].dtype.scalar.is_index else f"its end is an index, not {node.src[0].dtype}"


def _if(node: UOp, stage: Stage) -> str | None:
    return (
        None
        if node.src[0].dtype.scalar.is_bool and node.src[0].dtype.lanes == 1
        else "its condition is one bool; compare first"
    )


def _end_if(node: UOp, stage: Stage) -> str | None:
    return None if node.src[0].op is Op.IF else f"it closes an IF, not a {node.src[0].op.name}"


def _assign(node: UOp, stage: Stage) -> str | None:
    target, value = node.src
    if stage is Stage.LINEAR and target.op is not Op.DEFINE_ACC:
        return f"it updates a DEFINE_ACC, not a {target.op.name}; STORE to memory"
    if target.shape != value.shape:
        return f"it writes shape {value.shape} over shape {target.shape}; expand the value"
    return (
        None
        if same(target.dtype, value.dtype)
        else f"it writes {value.dtype} over {target.dtype}; cast the value"
    )


def _text(node: UOp, stage: Stage) -> str | None:
    return None if isinstance(node.arg, str) else f"its argument is a string, not {node.arg!r}"


STRUCTURE: Mapping[Op, Rule] = {
    Op.PARAM: _param,
    Op.BUFFER: _buffer,
    Op.BUFFERIZE: _bufferize,
    Op.DEFINE_GLOBAL: _pointer(AddrSpace.GLOBAL),
    Op.DEFINE_LOCAL: _pointer(AddrSpace.LOCAL),
    Op.DEFINE_REG: _pointer(AddrSpace.REG),
    Op.DEFINE_ACC: _ranges_from(1),
    Op.INDEX: _index,
    Op.POINTER_INDEX: _pointer_index,
    Op.PTRCAT: _pointer_cat,
    Op.LOAD: _load,
    Op.STORE: _store,
    Op.REDUCE: _reduce,
    Op.RANGE: _range,
    Op.SPECIAL: _special,
    Op.END: _ranges_from(1),
    Op.ENDRANGE: _ranges_from(0),
    Op.IF: _if,
    Op.ENDIF: _end_if,
    Op.ASSIGN: _assign,
    Op.CUSTOM: _text,
    Op.CUSTOMI: _text,
}
