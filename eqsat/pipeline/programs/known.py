"""The direct calls of a program that runs differently for other extents and other values of variables."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from threading import Lock
from typing import Any

from numpy.typing import NDArray

from eqsat.runtime.device import Direct
from eqsat.shape import Shape

Items = tuple[tuple[str, int], ...]  # values of variables, by name
Key = tuple[tuple[Shape, ...], Items]  # the shapes of all arrays, and the values that a call gives

_SHAPE = attrgetter("shape")
MOST_KNOWN = 1 << 10  # combinations of shapes and values that are remembered


class KnownCalls:
    """The direct call for each known combination of shapes and values; None for those that have to go through the queue.

    Attributes:
        direct: runs a program on arrays of any known shapes, for calls that give no values.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._found: dict[Key, Direct | None] = {}
        self._by_shapes: dict[tuple[Shape, ...], Direct] = {}  # those for calls without values
        self.direct = self._directly()

    def __contains__(self, key: Key) -> bool:
        return key in self._found

    def get(self, key: Key) -> Direct | None:
        """The direct call for this key, if one is known."""
        return self._found.get(key)

    def add(self, key: Key, found: Direct | None) -> None:
        """Remembers the direct call for a key, or that there is none. If there are too many keys, the oldest is forgotten."""
        with self._lock:
            if len(self._found) >= MOST_KNOWN:
                oldest = next(iter(self._found))
                del self._found[oldest]
                self._by_shapes.pop(oldest[0], None)
            self._found[key] = found
            if found is not None and not key[1]:
                self._by_shapes[key[0]] = found

    def _directly(self) -> Direct:
        """A function that looks up the direct call for the shapes of arrays.

        If two calls in a row use the same direct call, and that checks shapes by itself, it is tried first from then on.
        """
        known = self._by_shapes
        repeated: list[Direct | None] = [None]
        latest: list[Direct | None] = [None]

        def call(arrays: Sequence[NDArray[Any]]) -> tuple[NDArray[Any], ...] | None:
            quick = repeated[0]
            if quick is not None:
                if (made := quick(arrays)) is not None:
                    return made
                repeated[0] = None
            try:
                found = known.get(tuple(map(_SHAPE, arrays)))
            except (AttributeError, TypeError):  # some arguments are no NumPy arrays
                return None
            if found is latest[0] and hasattr(found, "among"):
                repeated[0] = found
            latest[0] = found
            return None if found is None else found(arrays)

        return call
