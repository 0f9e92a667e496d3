"""Checks the sources and arguments of operations on values: constants, variables, casts, vectors, reductions along axes."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

from eqsat.dtype import DType, PtrDType, bool_
from eqsat.errors import BuildError
from eqsat.ops import ACROSS, ALONG_AXES, ALU, EXTREMES, MOVEMENT, REDUCE_OPS, Op, Stage, View
from eqsat.spec.dtypes import DTYPE_RULES, same
from eqsat.spec.rule import Rule, is_count, is_tuple, shape_of
from eqsat.spec.sources import behind, is_value
from eqsat.uop import UOp, toposort
from eqsat.uop.recurrence import leaf, unpacked


def _constant(node: UOp, stage: Stage) -> str | None:
    if not isinstance(node.dtype, DType):
        return f"a constant has elements, so its dtype is no pointer: not {node.dtype}"
    if node.dtype.lanes > 1:
        return f"it is a scalar, not {node.dtype}; a VCONST has one number per lane"
    if node.src and (stage is not Stage.ARRAY or node.src[0].op is not Op.DEVICE):
        return f"its only source may be a DEVICE, in an array graph, not a {node.src[0].op.name}; EXPAND it for a shape"
    return _misfit(node.dtype, node.arg)


def _vector_constant(node: UOp, stage: Stage) -> str | None:
    if not isinstance(node.dtype, DType) or not is_tuple(node.arg) or len(node.arg) != node.dtype.lanes:
        return f"its argument is a tuple with one number per lane of {node.dtype}, not {node.arg!r}"
    if node.dtype.lanes == 1:
        return f"it is a vector, not {node.dtype}; use CONST"
    return next((text for text in (_misfit(node.dtype, value) for value in node.arg) if text), None)


def _misfit(dtype: DType, value: Any) -> str | None:
    """What is wrong with `value` as a constant of this dtype; None if nothing is."""
    scalar = dtype.scalar
    wanted = float if scalar.is_float else bool if scalar.is_bool else int
    if value.__class__ is not wanted or scalar.kind == "v":
        return f"{value!r} is no {dtype}; use UOp.const, which converts it to a Python {wanted.__name__}"
    if scalar.is_int and not scalar.min <= value <= scalar.max:
        return f"{value} does not fit {dtype} ({scalar.min}..{scalar.max}); use a wider dtype"
    return None


def _variable(node: UOp, stage: Stage) -> str | None:
    match node.arg:
        case (str(name), int(least), int(greatest)) if name and least <= greatest and _whole(least, greatest):
            integral = node.dtype.scalar.is_index or node.dtype.scalar.is_int
            if not integral or node.dtype.lanes > 1:
                return f"a variable is an integer, not {node.dtype}"
            scalar = node.dtype.scalar
            fits = scalar.min <= least and greatest <= scalar.max
            return None if fits else f"{least}..{greatest} does not fit {node.dtype}; use a wider dtype"
        case _:
            return f"its argument is (name, least, greatest) with least <= greatest, not {node.arg!r}"


def _whole(*values: int) -> bool:
    return not any(isinstance(value, bool) for value in values)


def _bind(node: UOp, stage: Stage) -> str | None:
    variable, value = node.src
    if variable.op is not Op.DEFINE_VAR or value.op is not Op.CONST:
        return f"it binds a DEFINE_VAR to a CONST, not {variable.op.name} to {value.op.name}"
    if not same(variable.dtype, value.dtype):
        return f"it binds a variable of {variable.dtype} to {value.dtype}; cast the constant"
    _, least, greatest = variable.arg
    return (
        None
        if least <= value.arg <= greatest
        else f"{value.arg} is not in {least}..{greatest} of the variable; widen it"
    )


def _cast(node: UOp, stage: Stage) -> str | None:
    if not isinstance(node.dtype, DType):
        source = node.src[0].dtype
        if not isinstance(source, PtrDType):
            return f"{source} is no pointer; INDEX a buffer"
        kept = same(source.base, node.dtype.base) and source.space is node.dtype.space
        return (
            None
            if kept
            else f"a pointer keeps its element type and memory: not {source} to {node.dtype}; BITCAST what is loaded"
        )
    if node.dtype.kind == "v" or node.src[0].dtype.scalar.kind == "v":
        return f"void has no elements: {node.src[0].dtype} cannot become {node.dtype}"
    return _lanes_kept(node)


def _bitcast(node: UOp, stage: Stage) -> str | None:
    source, target = node.src[0].dtype, node.dtype
    if not isinstance(target, DType) or target.kind == "v":
        return f"it gives elements, not {target}; use CAST"
    if source.scalar.is_bool != target.scalar.is_bool:
        return f"the bits of a bool are nobody's to read: not {source} to {target}; use CAST"
    if source.scalar.is_index or target.scalar.is_index or source.scalar.itemsize != target.scalar.itemsize:
        return (
            f"it keeps the bits, so the sizes agree and neither is index: not {source} to {target}; use CAST"
        )
    return _lanes_kept(node)


def _lanes_kept(node: UOp) -> str | None:
    if node.dtype.lanes == node.src[0].dtype.lanes:
        return None
    return f"it keeps the lanes: {node.src[0].dtype} cannot become {node.dtype}; use VECTORIZE or GEP"


def _combined_axes(node: UOp, stage: Stage) -> str | None:
    if node.arg[0] not in REDUCE_OPS:
        return f"{node.arg[0]!r} does not reduce; use one of {_names(REDUCE_OPS)}"
    return _plain(node, stage)


def _scattered_axis(node: UOp, stage: Stage) -> str | None:
    labels = node.src[1].dtype.scalar
    if not (labels.is_int or labels.is_index):
        return f"its labels are integers, not {labels}; cast them"
    return _combined_axes(node, stage)


def _recurrence(node: UOp, stage: Stage) -> str | None:
    """Checks that the formulas have the leaves and dtypes that their place among the kept values and sources gives them."""
    try:
        found = unpacked(node.arg[0])
    except BuildError as error:
        return str(error)
    if not same(found.result.dtype, node.dtype):
        return f"its formula gives {found.result.dtype}, so that is its dtype, not {node.dtype}"
    dtypes = [each.dtype for each in (*found.following, *node.src)]
    leaves = {leaf(number, dtype) for number, dtype in enumerate(dtypes)}
    for each in toposort([found.result, *found.following]):
        if each.op is Op.DEFINE_VAR and each not in leaves:
            return f"its formulas read {each!r}, which is none of {len(found.following)} kept values and {len(node.src)} sources"
        if (fault := _fault_in_formula(each)) is not None:
            return f"its formula {each!r} is wrong: {fault}"
    return None if _has_plain_integers(node) else f"its argument has integers, not {node.arg!r}"


def _fault_in_formula(node: UOp) -> str | None:
    """What is wrong with an operation of a formula, which is one of scalars."""
    most = node.op.info.arity[1]
    if most is not None and len(node.src) > most:
        return f"it takes {most} operands, not {len(node.src)}"
    if node.op is Op.CONST:
        return _constant(node, Stage.KERNEL)
    own = STRUCTURE.get(node.op) if node.op in ALU else None
    return DTYPE_RULES[node.op.info.dtype](node, Stage.KERNEL) or (own(node, Stage.KERNEL) if own else None)


def _extreme_axis(node: UOp, stage: Stage) -> str | None:
    op: Op = node.arg[0]
    axes: tuple[int, ...] = node.arg[1]
    if op not in EXTREMES or len(axes) != 1 or not _has_plain_integers(node):
        return f"its argument is ({_names(EXTREMES)}, and the tuple of one axis), not {node.arg!r}"
    extent = shape_of(node.src[0])[axes[0]]
    if not extent:
        return f"axis {axes[0]} has no elements, so no extreme"
    fits = node.dtype.scalar.is_int and extent - 1 <= node.dtype.scalar.max
    told = f"its dtype is an integer that counts the {extent} elements of axis {axes[0]}, not {node.dtype}"
    return None if fits else told


def _plain(node: UOp, stage: Stage) -> str | None:
    """Checks that the argument has integers where the shape rule, which has checked the rest, would also take bools. Those print differently."""
    return None if _has_plain_integers(node) else f"its argument has integers, not {node.arg!r}"


def _reshape(node: UOp, stage: Stage) -> str | None:
    if stage is not Stage.ARRAY and behind(node.src[0], (Op.AFTER,)).op is not Op.PARAM:
        return (
            f"in a kernel it gives axes to a PARAM, not to a {node.src[0].op.name}; compute the index of that"
        )
    return _plain(node, stage)


def _has_plain_integers(node: UOp) -> bool:
    stack: list[Any] = [node.arg[1] if node.op in ACROSS else node.arg]
    wanted = bool if node.op is Op.FLIP else int
    while stack:
        item = stack.pop()
        if is_tuple(item):
            stack.extend(item)
        elif item.__class__ is not wanted:
            return False
    return is_tuple(node.arg)


def _empty(node: UOp, stage: Stage) -> str | None:
    if not isinstance(node.dtype, DType) or node.dtype.kind == "v":
        return f"it has elements, so its dtype is no {node.dtype}"
    shape = () if node.arg is None else node.arg
    fits = is_tuple(shape) and all(is_count(extent) for extent in shape)
    return None if fits else f"its argument is a shape, not {node.arg!r}"


def _names(ops: frozenset[Op]) -> str:
    return ", ".join(sorted(op.name for op in ops))


def _vectorize(node: UOp, stage: Stage) -> str | None:
    scalar = node.src[0].dtype
    if any(not same(source.dtype, scalar) for source in node.src) or scalar.lanes != 1:
        return "its sources are scalars of one dtype; join vectors with CAT, and cast"
    if not is_value(node.src[0]):
        return f"its sources are values, not {node.src[0].op.name}; LOAD first"
    return _made_of(node, len(node.src))


def _cat(node: UOp, stage: Stage) -> str | None:
    wrong = next((source for source in node.src if not is_value(source)), None)
    if wrong is not None:
        return f"its sources are values, not {wrong.op.name}; LOAD first"
    if any(not same(source.dtype.scalar, node.dtype.scalar) for source in node.src):
        return f"its sources are vectors of {node.dtype.scalar}; cast them"
    return _made_of(node, sum(source.dtype.lanes for source in node.src))


def _made_of(node: UOp, lanes: int) -> str | None:
    expected = node.src[0].dtype.scalar.vec(lanes)
    return None if same(node.dtype, expected) else f"its dtype is {expected}, not {node.dtype}"


def _gep(node: UOp, stage: Stage) -> str | None:
    lanes, width = node.arg, node.src[0].dtype.lanes
    if width == 1:
        return f"its source is a vector, not {node.src[0].dtype}; use that itself"
    if not is_tuple(lanes) or not lanes or any(not is_count(lane) or lane >= width for lane in lanes):
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
    if (
        not is_tuple(axes)
        or not axes
        or any(not is_tuple(axis) or len(axis) != 2 or not all(map(is_count, axis)) for axis in axes)
        or len({axis for axis, _ in axes}) < len(axes)
    ):
        return f"its argument is ((axis, size), …), with distinct axes, not {axes!r}"
    return None if same(node.dtype.scalar, node.src[0].dtype.scalar) else "it keeps the element type"


def _lanes(actual: int, expected: int, what: str) -> str | None:
    return (
        None
        if actual == expected
        else f"its {what} has {actual} lanes; the sizes of its axes make {expected}"
    )


def _view(node: UOp, stage: Stage) -> str | None:
    view = node.arg
    if not isinstance(view, View) or not _is_window(view):
        return f"its argument is a View with one stride per axis, not {view!r}"
    if view.mask is not None and (
        not is_tuple(view.mask)
        or len(view.mask) != len(view.shape)
        or any(not is_tuple(each) or len(each) != 2 or not all(map(is_count, each)) for each in view.mask)
    ):
        return f"its mask has one (begin, end) per axis, not {view.mask!r}"
    if not isinstance(node.dtype, DType) or node.dtype.kind == "v":
        return f"it has elements, so its dtype is no {node.dtype}"
    return (
        None
        if not node.src or same(node.dtype, node.src[0].dtype)
        else f"its dtype is that of its base, {node.src[0].dtype}"
    )


def _is_window(view: View) -> bool:
    return (
        is_tuple(view.shape)
        and is_tuple(view.strides)
        and len(view.strides) == len(view.shape)
        and all(map(is_count, view.shape))
        and all(stride.__class__ is int for stride in (*view.strides, view.offset))
    )


def _valid(node: UOp, stage: Stage) -> str | None:
    if node.src[0].op is not Op.VIEW:
        return f"it is about a VIEW, not a {node.src[0].op.name}"
    return None if same(node.dtype, bool_) else f"its dtype is bool, not {node.dtype}"


STRUCTURE: Mapping[Op, Rule] = {
    Op.CONST: _constant,
    Op.VCONST: _vector_constant,
    Op.DEFINE_VAR: _variable,
    Op.BIND: _bind,
    Op.CAST: _cast,
    Op.BITCAST: _bitcast,
    **dict.fromkeys(ALONG_AXES, _combined_axes),
    Op.ARGREDUCE_AXIS: _extreme_axis,
    Op.RECUR_AXIS: _recurrence,
    Op.SCATTER_AXIS: _scattered_axis,
    **dict.fromkeys(MOVEMENT, _plain),
    Op.RESHAPE: _reshape,
    Op.EMPTY: _empty,
    Op.VECTORIZE: _vectorize,
    Op.CAT: _cat,
    Op.GEP: _gep,
    Op.UNROLL: _unroll,
    Op.CONTRACT: _contract,
    Op.VIEW: _view,
    Op.VALID: _valid,
}
