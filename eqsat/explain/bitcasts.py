"""The check of a theory step: sums and chains that read bits as integers of one width, before or after they are combined."""

from __future__ import annotations

from eqsat.dtype import DType
from eqsat.explain.bounds import Bounds
from eqsat.explain.constants import constant_of
from eqsat.explain.elements import same_chain
from eqsat.explain.polynomials import polynomial
from eqsat.ops import MOVEMENT, Op
from eqsat.rules.instantiate import wrap
from eqsat.uop import UOp, toposort

_WRAPPING = frozenset({Op.ADD, Op.SUB, Op.NEG, Op.MUL, Op.MULACC, Op.AND, Op.OR, Op.XOR})


def same_bits(before: UOp, after: UOp, bounds: Bounds) -> bool:
    """Whether two integers are one sum, or one chain, once all bits are read before they are combined."""
    if before.dtype != after.dtype or not before.dtype.scalar.is_int:
        return False
    first, second = _read_first(before), _read_first(after)
    return polynomial(first) == polynomial(second) or same_chain(first, second, bounds)


def _read_first(root: UOp) -> UOp:
    """The same integer, with bitcasts below the operations that combine integers."""
    known: dict[UOp, UOp] = {}
    for node in toposort([root], _NotCombined()):
        if _is_reading(node):
            known[node] = _as_dtype(known.get(node.src[0], node.src[0]), node.dtype.scalar)
        elif _is_combined(node):
            known[node] = node.with_src(tuple(known.get(source, source) for source in node.src))
    return known.get(root, root)


def _as_dtype(root: UOp, dtype: DType) -> UOp:
    """The bits of an integer as another one of its width, read below the operations that combine integers."""
    known: dict[UOp, UOp] = {}
    for node in toposort([root], _NotCombined()):
        value = constant_of(node)
        if _is_reading(node) and node.src[0].dtype == dtype:
            known[node] = node.src[0]
        elif value is not None and not node.src:
            known[node] = UOp.const(dtype, wrap(dtype, value))
        elif _is_combined(node) and node.op is not Op.BITCAST:
            known[node] = UOp(node.op, dtype, tuple(known[source] for source in node.src), node.arg)
        else:
            known[node] = node.bitcast(dtype)
    return known[root]


def _is_reading(node: UOp) -> bool:
    """Whether bits of an integer are read as an integer of the same width."""
    return node.op is Op.BITCAST and node.dtype.scalar.is_int and node.src[0].dtype.scalar.is_int


def _is_combined(node: UOp) -> bool:
    if constant_of(node) is not None:
        return node.op in MOVEMENT
    return (node.op in _WRAPPING and node.dtype.scalar.is_int) or _is_reading(node)


class _NotCombined:
    """All terms that are not looked into."""

    def __contains__(self, node: object) -> bool:
        return isinstance(node, UOp) and not _is_combined(node)
