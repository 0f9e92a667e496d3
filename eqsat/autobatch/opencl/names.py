"""Makes identifiers for variables and labels for blocks of a kernel."""

from __future__ import annotations

import re
from collections.abc import Iterable


def identifiers(names: Iterable[str], ending: str) -> dict[str, str]:
    """A distinct C identifier for each name. The ending keeps them apart from the renderer's own identifiers.

    >>> identifiers(["fib.n", "fib_n"], "top")
    {'fib.n': 'fib_n_top', 'fib_n': 'fib_n_2_top'}
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        stem = re.sub(r"\W", "_", name, flags=re.ASCII)
        stem = f"v{stem}" if not stem[:1].isalpha() else stem
        number, chosen = 1, stem
        while chosen in taken:
            number += 1
            chosen = f"{stem}_{number}"
        taken.add(chosen)
        found[name] = f"{chosen}_{ending}"
    return found
