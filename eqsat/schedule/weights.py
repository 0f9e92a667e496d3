"""Values that count in sums alone: they are factors of terms that a kernel adds up, and nothing else, in all kernels of a program.

Weights of attention are such values. Where a weight is e to a number less the maximum of its row, the greatest of the row is 1, and a weight that
is below the least normal number makes no difference to the sum of them. It may then be 0, so that nothing is multiplied by a subnormal number,
which takes processors some 150 cycles.
"""

from __future__ import annotations

from collections.abc import Mapping

from eqsat.dtype import DType
from eqsat.ops import Op
from eqsat.schedule.draft import Drafts, params_in_order
from eqsat.spec.memory import definition
from eqsat.uop import UOp, toposort

# Operations whose results are multiples of each of these operands.
_LINEAR = {Op.MUL: (0, 1), Op.FDIV: (0,), Op.NEG: (0,), Op.WHERE: (1, 2), Op.CAST: (0,)}
# Operations that hold a value, or point to it.
_CARRYING = frozenset({Op.BUFFERIZE, Op.INDEX, Op.LOAD})


def values_in_sums(drafts: Drafts) -> list[frozenset[UOp]]:
    """For each kernel, its nodes that count in sums alone."""
    loaded: dict[int, bool] = dict.fromkeys(
        drafts.outputs, False
    )  # by buffer: whether what later kernels load counts in sums alone
    known: dict[tuple[UOp, tuple[bool, ...]], frozenset[UOp]] = {}
    found: list[frozenset[UOp]] = []
    for draft in reversed(drafts.kernels):
        params = params_in_order(draft.sink)
        like = draft.sink, tuple(loaded.get(buffer, True) for buffer in draft.buffers)
        if like not in known:  # equal layers have equal kernels
            known[like] = _in_sums(draft.sink, dict(zip(params, like[1], strict=True)))
        found.append(known[like])
        for param, buffer in zip(params, draft.buffers, strict=True):
            loaded[buffer] = loaded.get(buffer, True) and param in known[like]
    return found[::-1]


def _in_sums(sink: UOp, stored: Mapping[UOp, bool]) -> frozenset[UOp]:
    """The nodes of a kernel that count in sums alone; `stored` tells it of what the PARAMs hold after the kernel."""
    nodes = toposort([sink])
    others: set[UOp] = set()
    for node in reversed(nodes):
        for place, source in enumerate(node.src):
            if not _counts_in_sums(node, place, node not in others, stored):
                others.add(source)
    return frozenset(nodes) - others


def _counts_in_sums(node: UOp, place: int, in_sums: bool, stored: Mapping[UOp, bool]) -> bool:
    """Whether the operand at a place of a node counts in sums alone, as far as that node goes; `in_sums` tells it of the node."""
    if node.op is Op.STORE:
        return place == 0 or (place == 1 and node.arg is None and stored[definition(node.src[0])])
    if node.op in _CARRYING:
        return place == 0 and in_sums
    if node.op is Op.BITCAST:  # whose bits are read back: integers count in no sums
        return in_sums
    if not (_is_float(node) and _is_float(node.src[place])):
        return False
    if node.op is Op.REDUCE:
        return place == 0 and node.arg is Op.ADD
    return place in _LINEAR.get(node.op, ()) and in_sums


def _is_float(node: UOp) -> bool:
    return isinstance(node.dtype, DType) and node.dtype.is_float
