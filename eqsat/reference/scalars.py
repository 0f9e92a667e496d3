"""The meaning of constants, variables, arithmetic and vectors, and of nodes that return their source unchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from eqsat.dtype import PtrDType
from eqsat.errors import EvaluationError
from eqsat.ops import ABREAST, ALU, Op
from eqsat.reference.alu import compute
from eqsat.reference.frame import Frame, Meaning, Result, element_type, lanes_of, lanes_picked
from eqsat.reference.number import Array, constant, convert, hold, reinterpret
from eqsat.reference.value import Axis, Value, extents_of, move_last, spread, union
from eqsat.uop import UOp


def _constant(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    return Value((), constant(node.arg, element_type(node)))


def _vector_constant(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    scalar = element_type(node).scalar
    return Value((), np.stack([constant(value, scalar) for value in node.arg]))


def _variable(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    name = node.arg[0]
    if name not in frame.names:
        raise EvaluationError(
            f"variable {name!r} has no value; bind the name to integers in {node.arg[1]}..{node.arg[2]}"
        )
    value = frame.names[name]
    return Value(value.axes, hold(value.data, element_type(node)))


def _first(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    return sources[0]


def _copied(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    """The value on one device; if there are copies on several devices, one of them."""
    return frame.value(sources[1], node.src[1])


def _nothing(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    return None


def _arithmetic(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    operands = [frame.value(result, source) for result, source in zip(sources, node.src, strict=True)]
    dtype = element_type(node.src[-1])
    if node.op is Op.WHERE and lanes_of(node.src[0]) < lanes_of(node):
        operands[0] = Value(operands[0].axes, operands[0].data[..., None])
    return frame.together(partial(compute, node.op, dtype), *operands)


def _cast(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    if isinstance(node.dtype, PtrDType):
        return sources[0]
    value = frame.value(sources[0], node.src[0])
    return Value(value.axes, convert(value.data, element_type(node.src[0]), element_type(node)))


def _bitcast(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    value = frame.value(sources[0], node.src[0])
    return Value(value.axes, reinterpret(value.data, element_type(node.src[0]), element_type(node)))


def _concatenate(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    """Carries out VECTORIZE and CAT: joins the lanes of all sources in order."""
    values = [frame.value(result, source) for result, source in zip(sources, node.src, strict=True)]
    wide = [
        value if lanes_of(source) > 1 else Value(value.axes, value.data[..., None])
        for value, source in zip(values, node.src, strict=True)
    ]
    axes = union(wide, frame.position)
    extents = extents_of(wide, axes)
    lanes = np.concatenate([spread(value, axes, extents) for value in wide], -1)
    return Value(axes, lanes[..., 0] if lanes_of(node) == 1 else lanes)


def _extract(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    value = frame.value(sources[0], node.src[0])
    lanes = lanes_picked(node)
    data = value.data if lanes_of(node.src[0]) > 1 else value.data[..., None]
    return Value(value.axes, data[..., lanes[0]] if len(lanes) == 1 else data[..., list(lanes)])


def _unroll(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    """Turns lanes into iterations: one named axis ("unrolled", id) for each entry of the argument."""
    value = frame.value(sources[0], node.src[0])
    sizes = [size for _, size in node.arg]
    lanes = prod(sizes)
    data = value.data if lanes_of(node.src[0]) > 1 else value.data[..., None]
    split = data.reshape(*data.shape[:-1], *sizes, data.shape[-1] // lanes)
    names = tuple(_unrolled(axis, frame) for axis, _ in node.arg)
    split = split if lanes_of(node) > 1 else split[..., 0]
    return _sorted_axes(frame, (*value.axes, *names), split)


def _contract(frame: Frame, node: UOp, sources: Sequence[Any]) -> Result:
    """Turns iterations into lanes: the iterations of the UNROLL node, or of the UPCAST or UNROLL range, with the same number."""
    value = frame.value(sources[0], node.src[0])
    names = tuple(_iterated(axis, value.axes) for axis, _ in node.arg)
    moved = move_last(value, names, [size for _, size in node.arg])
    return Value(moved.axes, moved.data.reshape(*moved.data.shape[: len(moved.axes)], -1))


def _unrolled(number: int, frame: Frame) -> Axis:
    name = ("unrolled", number)
    frame.position.setdefault(name, len(frame.position))
    return name


def _iterated(number: int, axes: tuple[Axis, ...]) -> Axis:
    for axis in axes:
        if isinstance(axis, UOp) and axis.arg[0] == number and axis.arg[1] in ABREAST:
            return axis
    return ("unrolled", number)


def _sorted_axes(frame: Frame, axes: tuple[Axis, ...], data: Array) -> Value:
    order = sorted(range(len(axes)), key=lambda place: frame.position[axes[place]])
    rest = range(len(axes), data.ndim)
    return Value(tuple(axes[place] for place in order), data.transpose(*order, *rest))


MEANING: dict[Op, Meaning] = {
    **dict.fromkeys(ALU - {Op.CAST, Op.BITCAST}, _arithmetic),
    Op.CAST: _cast,
    Op.BITCAST: _bitcast,
    Op.CONST: _constant,
    Op.VCONST: _vector_constant,
    Op.DEFINE_VAR: _variable,
    Op.BIND: _first,
    Op.COPY: _copied,
    **dict.fromkeys((Op.NOOP, Op.CONTIGUOUS, Op.CONTIGUOUS_BACKWARD, Op.DETACH, Op.PRECAST, Op.END), _first),
    **dict.fromkeys((Op.SINK, Op.GROUP, Op.BARRIER, Op.DEVICE, Op.UNIQUE, Op.LUNIQUE, Op.NAME), _nothing),
    Op.VECTORIZE: _concatenate,
    Op.CAT: _concatenate,
    Op.GEP: _extract,
    Op.UNROLL: _unroll,
    Op.CONTRACT: _contract,
}


def formulas(roots: Sequence[UOp], leaves: Mapping[str, Value], frame: Frame) -> list[Value]:
    """The values of scalar formulas, given those of their variables, inside an evaluation."""
    inner = Frame(tuple(roots), names=leaves)
    inner.position = frame.position
    for node in inner.pending:
        sources = [inner.values[source] for source in inner.needs(node)]
        inner.finish(node, MEANING[node.op](inner, node, sources))
    return [inner.value(inner.values[root], root) for root in roots]
