"""Detects contradictions in an e-graph.

Equalities that cannot all hold make everything equal in the end, because all terms share the constants that were merged. Such equalities come from a
wrong rule, or from assuming a condition that never holds.
"""

from __future__ import annotations

from eqsat.dtype import FLOATS
from eqsat.egraph.snapshot.frozen import FrozenEGraph

_FLOATS = frozenset(dtype.name for dtype in FLOATS)  # -0.0 may equal 0.0, and one NaN another


def contradiction(frozen: FrozenEGraph) -> str | None:
    """Describes a contradiction in words: two integers or bools in one e-class, or bounds without a value between them. None if there is none."""
    constants: dict[int, int] = {}
    for row in frozen.rows:
        if row.table == "CONST" and row.dtype not in _FLOATS:
            value = constants.setdefault(row.owner, row.columns[2])
            if value != row.columns[2]:
                return f"{value} equals {row.columns[2]}"
    for owner, least in frozen.lo.items():
        if least > frozen.hi.get(owner, least):
            return f"a number is at least {least} and at most {frozen.hi[owner]}"
    return None
