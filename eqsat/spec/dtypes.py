"""The dtype rules that `ops.TABLE` names."""

from __future__ import annotations

from collections.abc import Mapping

from eqsat.dtype import DType, PtrDType, bool_, int32, void
from eqsat.ops import DTypeRule, Op, Stage
from eqsat.spec.rule import Rule
from eqsat.uop import UOp


def same(left: DType | PtrDType, right: DType | PtrDType) -> bool:
    """Whether two dtypes are equal. The test for identity comes first because it is faster."""
    return left is right or left == right


def _any(node: UOp, stage: Stage) -> str | None:
    return None


def _void(node: UOp, stage: Stage) -> str | None:
    return None if same(node.dtype, void) else f"it has no value, so its dtype is void, not {node.dtype}"


def _index(node: UOp, stage: Stage) -> str | None:
    return None if node.dtype.scalar.is_index else f"its dtype is index, not {node.dtype}"


def _first(node: UOp, stage: Stage) -> str | None:
    if not node.src or same(node.dtype, node.src[0].dtype):
        return None
    if (
        node.op is Op.REDUCE
        and isinstance(node.dtype, DType)
        and same(node.dtype.scalar, node.src[0].dtype.scalar)
        and stage is Stage.EXPANDED
    ):
        return None
    return f"its dtype is that of source 0, {node.src[0].dtype}, not {node.dtype}; cast the source"


def _agree(node: UOp, stage: Stage) -> str | None:
    dtype = node.dtype
    if all(source.dtype is dtype for source in node.src) and isinstance(dtype, DType) and dtype.kind != "v":
        return None
    if any(not same(source.dtype, dtype) for source in node.src):
        return (
            f"its dtype is {dtype} and its sources have {_listed(node)}; all must agree, so cast them to one"
        )
    return (
        None
        if isinstance(dtype, DType) and dtype.kind != "v"
        else f"arithmetic needs elements, not {dtype}; LOAD first"
    )


def _float(node: UOp, stage: Stage) -> str | None:
    return _agree(node, stage) or (
        None if node.dtype.scalar.is_float else f"it needs floats, not {node.dtype}; cast the sources"
    )


def _integral(node: UOp, stage: Stage) -> str | None:
    scalar = node.dtype.scalar
    fits = scalar.is_int or scalar.is_index
    return _agree(node, stage) or (
        None if fits else f"it needs integers or index, not {node.dtype}; cast the sources"
    )


def _words(node: UOp, stage: Stage) -> str | None:
    fits = node.dtype.scalar == int32
    return _agree(node, stage) or (
        None if fits else f"it needs int32, four bytes each, not {node.dtype}; bitcast the sources"
    )


def _bits(node: UOp, stage: Stage) -> str | None:
    scalar = node.dtype.scalar
    fits = scalar.is_int or scalar.is_index or scalar.is_bool
    return _agree(node, stage) or (
        None if fits else f"it needs integers, index or bools, not {node.dtype}; bitcast the sources"
    )


def _compare(node: UOp, stage: Stage) -> str | None:
    first, second = node.src[0].dtype, node.src[1].dtype
    if not same(first, second):
        return f"it compares {first} with {second}; cast them to one dtype"
    if not isinstance(first, DType) or first.kind == "v":
        return f"it compares {first}, which has no elements; LOAD first"
    return (
        None
        if same(node.dtype, bool_.vec(first.lanes))
        else f"its dtype is {bool_.vec(first.lanes)}, not {node.dtype}"
    )


def _select(node: UOp, stage: Stage) -> str | None:
    condition, then, otherwise = (source.dtype for source in node.src)
    if not condition.scalar.is_bool or condition.lanes not in (1, node.dtype.lanes):
        return f"it chooses by a bool (of as many lanes, or one), not {condition}; compare first"
    if not same(then, otherwise) or not same(then, node.dtype):
        return f"it chooses between {then} and {otherwise} as {node.dtype}; cast them to one dtype"
    return None


def _member(node: UOp, stage: Stage) -> str | None:
    """Checks the dtype of a GET_TUPLE. The element exists, since the shape rule has checked the argument."""
    inner = node.src[0]
    while inner.op in (Op.FUNCTION, Op.CALL, Op.CUSTOM_FUNCTION):
        inner = inner.src[0]
    number: int = node.arg
    element = inner.src[number].dtype
    return (
        None
        if same(node.dtype, element)
        else f"its dtype is that of element {node.arg}, {element}, not {node.dtype}"
    )


def _listed(node: UOp) -> str:
    return ", ".join(str(source.dtype) for source in node.src)


DTYPE_RULES: Mapping[DTypeRule, Rule] = {
    DTypeRule.ANY: _any,
    DTypeRule.VOID: _void,
    DTypeRule.INDEX: _index,
    DTypeRule.FIRST: _first,
    DTypeRule.SAME: _agree,
    DTypeRule.FLOAT: _float,
    DTypeRule.INTEGRAL: _integral,
    DTypeRule.WORDS: _words,
    DTypeRule.BITS: _bits,
    DTypeRule.COMPARE: _compare,
    DTypeRule.SELECT: _select,
    DTypeRule.MEMBER: _member,
}
