"""The table in which each node is stored once, for as long as anybody has it."""

from __future__ import annotations

import os
from threading import RLock
from typing import Any
from weakref import ReferenceType


class Interned(ReferenceType[Any]):
    """A reference to the only node of a key; a WeakValueDictionary has the like, at four more calls of Python's for each node."""

    __slots__ = ("key",)
    key: tuple[Any, ...]


INTERNED: dict[tuple[Any, ...], Interned] = {}
INTERNING = RLock()  # reentrant: what is made may set off the removal of something that makes UOps
if hasattr(os, "register_at_fork"):
    # The thread that held it may not be in the child. threading and logging do so, too.
    os.register_at_fork(after_in_child=INTERNING._at_fork_reinit)  # pyright: ignore


def forget(reference: ReferenceType[Any]) -> None:
    """Removes the key of a node that is no more, unless there is another node of it by now."""
    assert isinstance(reference, Interned)
    with INTERNING:
        found = INTERNED.pop(reference.key, reference)
        if found is not reference:
            INTERNED[reference.key] = found
