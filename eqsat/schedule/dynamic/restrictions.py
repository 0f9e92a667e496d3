"""Restrictions on kernels for axes with dynamic extents."""

from __future__ import annotations

from typing import NamedTuple


class DynamicExtents(NamedTuple):
    """Extents of axes that may end before their capacity.

    Attributes:
        unmerged: extents of axes whose loops are not merged with the loops around them, so that each loop can end where its axis does.
        unstaged: extents of axes that are not staged in local memory.
    """

    unmerged: frozenset[int] = frozenset()
    unstaged: frozenset[int] = frozenset()


NO_DYNAMIC_EXTENTS = DynamicExtents()
