"""Whether an e-graph contradicts itself.

Equalities that cannot all hold make everything equal in the end: constants that were merged are shared by all that the e-graph says. They come
from the assumption that a condition holds which never does, or from a rule that is wrong.
"""

from __future__ import annotations

from eqsat.dtype import FLOATS
from eqsat.egraph.snapshot.frozen import FrozenEGraph

_FLOATS = frozenset(dtype.name for dtype in FLOATS)  # -0.0 may equal 0.0, and one NaN another


def contradiction(frozen: FrozenEGraph) -> str | None:
    """What an e-graph says that cannot be, in words: two integers or bools that are one, or bounds without a value between them."""
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
