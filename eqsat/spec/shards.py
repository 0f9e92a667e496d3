"""Checks the sources and arguments of devices, copies, shards and identities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eqsat.ops import REDUCE_OPS, Op, Stage
from eqsat.spec.dtypes import same
from eqsat.spec.rule import Complaint, Rule, is_count, is_tuple
from eqsat.spec.sources import is_array
from eqsat.uop import UOp

_PLAIN = (type(None), bool, int, float, str, tuple, Op)  # other arguments are objects with an identity
COPIES = frozenset({Op.MSTACK, Op.MULTI})
_WHOLE = frozenset({Op.MSELECT, Op.ALLREDUCE, Op.COPY})  # the result is one array, even of copies


def _multi(node: UOp, stage: Stage) -> str | None:
    argument = node.arg
    # The shape rule has checked that the argument has two items.
    if not is_tuple(argument) or not is_tuple(argument[1]):
        return f"its argument is (axis or None, one bool per shard), not {argument!r}"
    axis, real = argument
    if len(real) != len(node.src) or any(flag.__class__ is not bool for flag in real):
        return f"it has {len(node.src)} shards; its argument is (axis or None, one bool for each), not {argument!r}"
    if not any(real):
        return "at least one shard holds data"
    wrong = next((shard for shard in node.src if not same(shard.dtype, node.dtype)), None)
    if wrong is not None:
        return f"its shards are {node.dtype}, and one is {wrong.dtype}; cast it"
    return _shard_shapes(node, axis)


def _shard_shapes(node: UOp, axis: object) -> str | None:
    shapes = [shard.shape or () for shard in node.src]
    if axis is None:
        return None if len(set(shapes)) == 1 else f"its copies have shapes {shapes}; they are of one array"
    if not is_count(axis) or axis >= len(shapes[0]):
        return f"its shards of shape {shapes[0]} have no axis {axis!r}"
    others = {(*shape[:axis], None, *shape[axis + 1 :]) for shape in shapes}
    return None if len(others) == 1 else f"its shards have shapes {shapes}; all but axis {axis} agree"


def _stack(node: UOp, stage: Stage) -> str | None:
    wrong = next((copy for copy in node.src if not same(copy.dtype, node.dtype)), None)
    return None if wrong is None else f"its copies are {node.dtype}, and one is {wrong.dtype}; cast it"


def _select(node: UOp, stage: Stage) -> str | None:
    source = node.src[0]
    if source.op not in COPIES or (source.op is Op.MULTI and source.arg[0] is not None):
        return (
            f"it selects a copy of an MSTACK, or of a MULTI without an axis, not of a {source.op.name}; MSELECT what that is made of, "
            f"or SHRINK shards along an axis"
        )
    if not is_count(node.arg) or node.arg >= len(source.src):
        return f"its argument is the number of a device, in 0..{len(source.src) - 1}, not {node.arg!r}"
    if source.op is Op.MULTI and not source.arg[1][node.arg]:
        return f"copy {node.arg} of its MULTI holds no data; select another"
    return None


def _all_reduce(node: UOp, stage: Stage) -> str | None:
    if node.arg not in REDUCE_OPS:
        return f"{node.arg!r} does not reduce; use one of {', '.join(sorted(op.name for op in REDUCE_OPS))}"
    if node.src[0].op is Op.MULTI and node.src[0].arg[0] is not None:
        return "it combines whole arrays; shards along an axis are concatenated, not combined"
    return None if len(node.src) == 1 or node.src[1].op is Op.DEVICE else "its second source is a DEVICE"


def _copy(node: UOp, stage: Stage) -> str | None:
    if node.src[0].op is not Op.DEVICE:
        return f"its sources are a DEVICE and a value, not a {node.src[0].op.name}"
    if node.arg is not None and not isinstance(node.arg, bool):
        return f"its argument is whether to make a clone, not {node.arg!r}"
    return (
        None
        if same(node.dtype, node.src[1].dtype)
        else f"its dtype is that of the value, {node.src[1].dtype}, not {node.dtype}"
    )


def _device(node: UOp, stage: Stage) -> str | None:
    named = isinstance(node.arg, str) and bool(node.arg)
    return None if named else f"its argument is the device's name, not {node.arg!r}"


def _unique(node: UOp, stage: Stage) -> str | None:
    argument: Any = node.arg
    if is_count(argument) or (node.op is Op.UNIQUE and not isinstance(argument, _PLAIN)):
        return None
    return f"its argument is a number or a handle that tells it from others, not {argument!r}"


def copies_agree(nodes: Sequence[UOp]) -> Complaint:
    """Checks that the operands of each operation have the same number of copies, apart from operands that are one array."""
    if not any(node.op in COPIES for node in nodes):  # shortcut
        return None
    copies: dict[UOp, int] = {}
    for node in nodes:
        counts = {copies.get(source, 1) for source in node.src} - {1}
        if counts and node.op is Op.ASSIGN:
            return node, "it writes one array, and its value lies in copies; MSELECT one of them"
        if len(counts) > 1:
            listed = " and ".join(map(str, sorted(counts)))
            return node, f"it combines arrays of {listed} copies; MSELECT one of each first"
        if node.op is Op.MSTACK or (node.op is Op.MULTI and node.arg[0] is None):
            if counts:
                return node, "one of its copies lies in copies itself; MSELECT one of them"
            copies[node] = len(node.src)
        else:
            copies[node] = 1 if node.op in _WHOLE or not counts or not is_array(node) else counts.pop()
    return None


STRUCTURE: Mapping[Op, Rule] = {
    Op.MULTI: _multi,
    Op.MSTACK: _stack,
    Op.MSELECT: _select,
    Op.ALLREDUCE: _all_reduce,
    Op.COPY: _copy,
    Op.DEVICE: _device,
    Op.UNIQUE: _unique,
    Op.LUNIQUE: _unique,
}
