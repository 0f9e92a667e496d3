"""Patterns: values in nested tuples, lists and named tuples. Every other value is a leaf."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any


def leaves(pattern: Any) -> Iterator[Any]:
    """The leaves from left to right.

    >>> list(leaves(("x", ["y", ("z",)])))
    ['x', 'y', 'z']
    """
    if isinstance(pattern, tuple | list):
        for part in pattern:  # pyright: ignore[reportUnknownVariableType]
            yield from leaves(part)
    else:
        yield pattern


def mapped(function: Callable[[Any], Any], pattern: Any) -> Any:
    """The pattern after `function` was applied to each leaf, from left to right.

    >>> mapped(str.upper, ("x", ["y"]))
    ('X', ['Y'])
    """
    if not isinstance(pattern, tuple | list):
        return function(pattern)
    return with_parts(pattern, [mapped(function, part) for part in pattern])  # pyright: ignore[reportUnknownVariableType]


def with_parts(pattern: Any, parts: Sequence[Any]) -> Any:
    """A tuple, list or named tuple of the same class as `pattern`, with other parts.

    >>> with_parts(["x"], [1, 2])
    [1, 2]
    """
    kind: Any = pattern.__class__
    return kind(*parts) if hasattr(kind, "_fields") else kind(parts)
