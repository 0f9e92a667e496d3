"""The table of all live nodes, which keeps equal nodes one object. It holds weak references only."""

from __future__ import annotations

import os
from threading import RLock
from typing import Any
from weakref import ReferenceType


class Interned(ReferenceType[Any]):
    """A weak reference to the only node that has this key.

    A WeakValueDictionary would do the same, but makes four more Python calls for each node.
    """

    __slots__ = ("key",)
    key: tuple[Any, ...]


INTERNED: dict[tuple[Any, ...], Interned] = {}
INTERNING = RLock()  # reentrant: an allocation may start the garbage collector, and finalizers may make UOps
if hasattr(os, "register_at_fork"):
    # The thread that held the lock may not exist in the child. The modules threading and logging reset their locks, too.
    os.register_at_fork(after_in_child=INTERNING._at_fork_reinit)  # pyright: ignore


def forget(reference: ReferenceType[Any]) -> None:
    """Removes the key of a node that was freed, unless a new node has taken the key since."""
    assert isinstance(reference, Interned)
    with INTERNING:
        found = INTERNED.pop(reference.key, reference)
        if found is not reference:
            INTERNED[reference.key] = found
