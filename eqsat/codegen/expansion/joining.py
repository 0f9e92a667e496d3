"""Joins loads of adjacent scalars to one load of a vector, if it begins at a multiple of its lanes.

Before and after: an expanded SINK; all values are the same. On graphics cards, a load of four elements by each work-item takes as long as a load of
one element. Unrolled copies of a loop's body, such as that of a sum along rows, load adjacent elements.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import NamedTuple

from eqsat.dtype import AddrSpace, DType, PtrDType
from eqsat.integers.bounds import facts_of
from eqsat.integers.linear import Affine, affine_forms
from eqsat.ops import Op
from eqsat.spec.sources import behind
from eqsat.uop import UOp, rewrite, toposort


class _Row(NamedTuple):
    """The common part of loads whose positions differ only by a constant."""

    memory: UOp
    terms: frozenset[tuple[UOp, int]]
    dtype: DType


def join_loads(sink: UOp, most_bytes: int) -> UOp:
    """An expanded kernel in which adjacent loads are joined to vectors of up to `most_bytes`."""
    order = toposort([sink])
    stored = {behind(node.src[0].src[0], (Op.AFTER,)) for node in order if node.op is Op.STORE}
    loads = [node for node in order if node.op is Op.LOAD and _is_plain(node, stored)]
    forms = affine_forms(load.src[0].src[1] for load in loads)
    rows: dict[_Row, dict[int, UOp]] = {}
    for load in loads:
        form = forms[load.src[0].src[1]]
        assert isinstance(load.dtype, DType)
        row = _Row(load.src[0].src[0], frozenset(form.terms), load.dtype)
        rows.setdefault(row, {})[form.constant] = load
    joined: dict[UOp, UOp] = {}
    for row, places in rows.items():
        for parts in _joined(row, places, most_bytes):
            whole = UOp(Op.LOAD, row.dtype.vec(len(parts)), parts[0].src)
            joined |= {part: UOp(Op.GEP, row.dtype, (whole,), (lane,)) for lane, part in enumerate(parts)}
    return rewrite([sink], joined)[0] if joined else sink


def _is_plain(load: UOp, stored: Container[UOp]) -> bool:
    """Whether a load reads one number without a gate, from local memory that is already filled or an argument that the kernel never writes."""
    address = load.src[0]
    if address.op is not Op.INDEX or load.dtype.lanes > 1 or load.dtype.scalar.is_bool:
        return False
    memory, *rest = address.src
    if len(rest) > 1:  # gated
        return False
    if not isinstance(memory.dtype, PtrDType) or memory.dtype.space is not AddrSpace.LOCAL:
        return memory.op is Op.PARAM and memory not in stored
    return memory.op is Op.AFTER


def _joined(row: _Row, places: dict[int, UOp], most_bytes: int) -> Iterator[list[UOp]]:
    """Groups of loads that form one vector each, the longest vectors first; `places` has the loads of a row by their constants."""
    if len(places) < 2:
        return
    known = facts_of(Affine(0, tuple(row.terms)).build(), {})
    left = set(places)
    lanes = most_bytes // row.dtype.itemsize
    while lanes > 1:
        if known.divisor % lanes == known.remainder % lanes == 0:
            for start in sorted(place for place in left if place % lanes == 0):
                together = range(start, start + lanes)
                if left.issuperset(together):
                    left.difference_update(together)
                    yield [places[place] for place in together]
        lanes //= 2
