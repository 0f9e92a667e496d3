"""What operations on values ask of their sources and argument: constants, variables, casts, vectors, reductions along axes."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

from eqsat.dtype import DType
from eqsat.ops import REDUCE_OPS, Op, Stage, View
from eqsat.spec.dtypes import same
from eqsat.spec.rule import Rule, is_tuple
from eqsat.uop import UOp


def _constant(node: UOp, stage: Stage) -> str | None:
    if not isinstance(node.dtype, DType):
        return f"a constant has elements, so its dtype is no pointer: not {node.dtype}"
    return _misfit(node.dtype, node.arg)


def _vector_constant(node: UOp, stage: Stage) -> str | None:
    if not isinstance(node.dtype, DType) or not is_tuple(node.arg) or len(node.arg) != node.dtype.lanes:
        return f"its argument is a tuple with one number per lane of {node.dtype}, not {node.arg!r}"
    return next((text for text in (_misfit(node.dtype, value) for value in node.arg) if text), None)


def _misfit(dtype: DType, value: Any) -> str | None:
    """What is wrong with a constant of this dtype."""
    scalar = dtype.scalar
    wanted = float if scalar.is_float else bool if scalar.is_bool else int
    if value.__class__ is not wanted or scalar.kind == "v":
        return f"{value!r} is no {dtype}; use UOp.const, which converts it to a Python {wanted.__name__}"
    if scalar.is_int and not scalar.min <= value <= scalar.max:
        return f"{value} does not fit {dtype} ({scalar.min}..{scalar.max}); use a wider dtype"
    return None


def _variable(node: UOp, stage: Stage) -> str | None:
    match node.arg:
        case (str(), int(least), int(greatest)) if least <= greatest:
            integral = node.dtype.scalar.is_index or node.dtype.scalar.is_int
            return (
                None if integral and node.dtype.lanes == 1 else f"a variable is an integer, not {node.dtype}"
            )
        case _:
            return f"its argument is (name, least, greatest) with least <= greatest, not {node.arg!r}"


def _bind(node: UOp, stage: Stage) -> str | None:
    variable, value = node.src
    if variable.op is not Op.DEFINE_VAR or value.op is not Op.CONST:
        return f"it binds a DEFINE_VAR to a CONST, not {variable.op.name} to {value.op.name}"
    _, least, greatest = variable.arg
    return (
        None
        if least <= value.arg <= greatest
        else f"{value.arg} is not in {least}..{greatest} of the variable; widen it"
    )


def _cast(node: UOp, stage: Stage) -> str | None:
    if not isinstance(node.dtype, DType):
        return (
            None
            if not isinstance(node.src[0].dtype, DType)
            else f"{node.src[0].dtype} is no pointer; INDEX a buffer"
        )
    if node.dtype.kind == "v" or node.src[0].dtype.scalar.kind == "v":
        return f"void has no elements: {node.src[0].dtype} cannot become {node.dtype}"
    return _lanes_kept(node)


def _bitcast(node: UOp, stage: Stage) -> str | None:
    source, target = node.src[0].dtype, node.dtype
    if source.scalar.is_index or target.scalar.is_index or source.scalar.itemsize != target.scalar.itemsize:
        return (
            f"it keeps the bits, so the sizes agree and neither is index: not {source} to {target}; use CAST"
        )
    return _lanes_kept(node)


def _lanes_kept(node: UOp) -> str | None:
    if node.dtype.lanes == node.src[0].dtype.lanes:
        return None
    return f"it keeps the lanes: {node.src[0].dtype} cannot become {node.dtype}; use VECTORIZE or GEP"


def _reduce_axis(node: UOp, stage: Stage) -> str | None:
    return (
        None
        if node.arg[0] in REDUCE_OPS
        else f"{node.arg[0]!r} does not reduce; use one of {_names(REDUCE_OPS)}"
    )


def _names(ops: frozenset[Op]) -> str:
    return ", ".join(sorted(op.name for op in ops))


def _vectorize(node: UOp, stage: Stage) -> str | None:
    scalar = node.src[0].dtype
    if any(not same(source.dtype, scalar) for source in node.src) or scalar.lanes != 1:
        return "its sources are scalars of one dtype; join vectors with CAT, and cast"
    return _made_of(node, len(node.src))


def _cat(node: UOp, stage: Stage) -> str | None:
    if any(not same(source.dtype.scalar, node.dtype.scalar) for source in node.src):
        return f"its sources are vectors of {node.dtype.scalar}; cast them"
    return _made_of(node, sum(source.dtype.lanes for source in node.src))


def _made_of(node: UOp, lanes: int) -> str | None:
    expected = node.src[0].dtype.scalar.vec(lanes)
    return None if same(node.dtype, expected) else f"its dtype is {expected}, not {node.dtype}"


def _gep(node: UOp, stage: Stage) -> str | None:
    lanes, width = node.arg, node.src[0].dtype.lanes
    if (
        not is_tuple(lanes)
        or not lanes
        or any(not isinstance(lane, int) or not 0 <= lane < width for lane in lanes)
    ):
        return f"its argument is a tuple of lanes in 0..{width - 1}, not {lanes!r}"
    return _made_of(node, len(lanes))


def _unroll(node: UOp, stage: Stage) -> str | None:
    return _axes(node) or _lanes(
        node.src[0].dtype.lanes, prod(size for _, size in node.arg) * node.dtype.lanes, "source"
    )


def _contract(node: UOp, stage: Stage) -> str | None:
    return _axes(node) or _lanes(
        node.dtype.lanes, prod(size for _, size in node.arg) * node.src[0].dtype.lanes, "result"
    )


def _axes(node: UOp) -> str | None:
    axes = node.arg
    if not is_tuple(axes) or any(not is_tuple(axis) or len(axis) != 2 for axis in axes):
        return f"its argument is ((axis, size), …), not {axes!r}"
    return None if same(node.dtype.scalar, node.src[0].dtype.scalar) else "it keeps the element type"


def _lanes(actual: int, expected: int, what: str) -> str | None:
    return (
        None
        if actual == expected
        else f"its {what} has {actual} lanes; the sizes of its axes make {expected}"
    )


def _wmma(node: UOp, stage: Stage) -> str | None:
    if not is_tuple(node.arg) or len(node.arg) < 4 or len(node.arg[1]) != 3:
        return "its argument is (name, (N, M, K), dtype in, dtype out, device, threads, upcast axes, reduce axes)"
    if any(source.op is not Op.RANGE for source in node.src[3:]):
        return "sources after a, b and c are the RANGEs it ends"
    return (
        None
        if same(node.dtype, node.src[2].dtype)
        else f"its dtype is that of the accumulator, {node.src[2].dtype}"
    )


def _view(node: UOp, stage: Stage) -> str | None:
    view = node.arg
    if not isinstance(view, View) or len(view.strides) != len(view.shape):
        return f"its argument is a View with one stride per axis, not {view!r}"
    if view.mask is not None and len(view.mask) != len(view.shape):
        return "its mask has one (begin, end) per axis"
    return (
        None
        if not node.src or same(node.dtype, node.src[0].dtype)
        else f"its dtype is that of its base, {node.src[0].dtype}"
    )


def _valid(node: UOp, stage: Stage) -> str | None:
    if node.src[0].op is not Op.VIEW:
        return f"it is about a VIEW, not a {node.src[0].op.name}"
    return None if node.dtype.scalar.is_bool else f"its dtype is bool, not {node.dtype}"


def _multi(node: UOp, stage: Stage) -> str | None:
    if not is_tuple(node.arg) or len(node.arg) != 2 or not is_tuple(node.arg[1]):
        return f"its argument is (axis or None, one bool per shard), not {node.arg!r}"
    axis, real = node.arg
    if not (axis is None or isinstance(axis, int)) or len(real) != len(node.src):
        return f"it has {len(node.src)} shards; its argument is (axis or None, one bool for each), not {node.arg!r}"
    return None if any(real) else "at least one shard holds data"


def _select(node: UOp, stage: Stage) -> str | None:
    shards = node.src[0]
    if (
        not isinstance(node.arg, int)
        or node.arg < 0
        or (shards.op in (Op.MSTACK, Op.MULTI) and node.arg >= len(shards.src))
    ):
        return f"its argument is the number of a device, in 0..{len(shards.src) - 1}, not {node.arg!r}"
    return None


def _all_reduce(node: UOp, stage: Stage) -> str | None:
    if node.arg not in REDUCE_OPS:
        return f"{node.arg!r} does not reduce; use one of {_names(REDUCE_OPS)}"
    if node.src[0].op is Op.MULTI and node.src[0].arg[0] is not None:
        return "it combines whole arrays; shards along an axis are concatenated, not combined"
    return None if len(node.src) == 1 or node.src[1].op is Op.DEVICE else "its second source is a DEVICE"


def _copy(node: UOp, stage: Stage) -> str | None:
    if node.src[0].op is not Op.DEVICE:
        return f"its sources are a DEVICE and a value, not a {node.src[0].op.name}"
    return (
        None
        if same(node.dtype, node.src[1].dtype)
        else f"its dtype is that of the value, {node.src[1].dtype}, not {node.dtype}"
    )


def _device(node: UOp, stage: Stage) -> str | None:
    return None if isinstance(node.arg, str) else f"its argument is the device's name, not {node.arg!r}"


def _unique(node: UOp, stage: Stage) -> str | None:
    return None if node.arg is not None else "its argument is a number or a handle that tells it from others"


STRUCTURE: Mapping[Op, Rule] = {
    Op.CONST: _constant,
    Op.VCONST: _vector_constant,
    Op.DEFINE_VAR: _variable,
    Op.BIND: _bind,
    Op.CAST: _cast,
    Op.BITCAST: _bitcast,
    Op.REDUCE_AXIS: _reduce_axis,
    Op.VECTORIZE: _vectorize,
    Op.CAT: _cat,
    Op.GEP: _gep,
    Op.UNROLL: _unroll,
    Op.CONTRACT: _contract,
    Op.WMMA: _wmma,
    Op.VIEW: _view,
    Op.VALID: _valid,
    Op.MULTI: _multi,
    Op.MSELECT: _select,
    Op.ALLREDUCE: _all_reduce,
    Op.COPY: _copy,
    Op.DEVICE: _device,
    Op.UNIQUE: _unique,
    Op.LUNIQUE: _unique,
}
