"""Patterns: values in nested tuples, lists and named tuples. Whatever is none of these is a leaf."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
    """The pattern with `function` applied to each leaf, from left to right.

    >>> mapped(str.upper, ("x", ["y"]))
    ('X', ['Y'])
    """
    if not isinstance(pattern, tuple | list):
        return function(pattern)
    parts: list[Any] = [mapped(function, part) for part in pattern]  # pyright: ignore[reportUnknownVariableType]
    kind: type[Any] = type(pattern)  # pyright: ignore[reportUnknownArgumentType]
    return kind(*parts) if hasattr(kind, "_fields") else kind(parts)
