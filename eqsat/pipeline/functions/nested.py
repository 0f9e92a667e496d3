"""Arguments that are tuples, lists and dicts of arrays: their arrays are data, and everything else about them is a constant."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from eqsat.array import Array, asarray
from eqsat.array.data import is_host
from eqsat.errors import BuildError, brief

DEEPEST = 100  # greatest depth of nested containers, since one that contains itself has no end

Place = tuple[Any, ...]  # the name or position of an argument, then keys and positions in it


def has_arrays(value: Any) -> bool:
    """Whether a value is a tuple, list or dict with an array in it, NumPy's or eqsat's, at any depth."""
    return _is_nested(value) and any(is_host(leaf) or isinstance(leaf, Array) for _, leaf in leaves_of(value))


def leaves_of(value: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """The leaves of a value in order, each with its place. Everything that is no tuple, list or dict is a leaf, also the value itself.

    Raises:
        BuildError: containers are nested too deeply, as one that contains itself is.
    """
    pending = [(place, value)]
    while pending:
        here, each = pending.pop()
        if _is_nested(each):
            require_end(value, len(here) - len(place))
            pending += [((*here, key), item) for key, item in reversed(list(_items(each)))]
        else:
            yield here, each


def require_end(value: Any, depth: int) -> None:
    """Raises BuildError for containers that are nested more deeply than `DEEPEST`."""
    if depth > DEEPEST:
        raise BuildError(f"{brief(value)} is nested without end; give containers that do not hold themselves")


def structure_of(value: Any, depth: int = 0) -> Any:
    """A hashable value that differs for values of different structure. It does not depend on the leaves.

    Raises:
        BuildError: containers are nested too deeply.
    """
    if not _is_nested(value):
        return None
    require_end(value, depth)
    return type(value), tuple((key, structure_of(item, depth + 1)) for key, item in _items(value))


def mapped(
    value: Any,
    change: Callable[[Place, Any], Any],
    place: Place = (),
    is_leaf: Callable[[Any], bool] = lambda value: False,
) -> Any:
    """The value with each of its leaves replaced by `change(place, leaf)`. Containers of which `is_leaf` is true are leaves, too.

    Raises:
        BuildError: containers are nested too deeply.
    """
    if not _is_nested(value) or is_leaf(value):
        return change(place, value)
    require_end(value, len(place))
    items = [(key, mapped(item, change, (*place, key), is_leaf)) for key, item in _items(value)]
    if isinstance(value, Mapping):
        return dict(items)
    made = [item for _, item in items]
    return type(value)(*made) if hasattr(value, "_fields") else type(value)(made)


def mapped_arrays(value: Any, change: Callable[[Place, Array], Any]) -> Any:
    """The value with each of its arrays replaced by `change(place, array)`. A list without arrays is an array itself, as for `asarray`."""
    return mapped(value, lambda place, leaf: change(place, asarray(leaf)), is_leaf=_is_plain_list)


def _is_plain_list(value: Any) -> bool:
    return isinstance(value, list) and not has_arrays(value)


def reader_of(values: Sequence[Any]) -> Callable[[Sequence[Any]], Sequence[Any] | None]:
    """Returns a function that reads the leaves of other values, or gives None if their structure differs from that of these.

    >>> read = reader_of([1, {"a": (2, 3)}])
    >>> read([4, {"a": (5, 6)}]), read([4, {"b": (5, 6)}]), read([4, {"a": (5,)}])
    ([4, 5, 6], None, None)
    """
    reader = _reader(tuple(values))
    if reader is None or not any(map(_is_nested, values)):
        return lambda given: given

    def read(given: Sequence[Any]) -> list[Any] | None:
        leaves: list[Any] = []
        return leaves if reader(tuple(given), leaves) else None

    return read


def _reader(value: Any) -> Callable[[Any, list[Any]], bool] | None:
    """Returns a function that appends the leaves of a value to a list, and returns whether its structure is that of this one; None for a leaf."""
    if not _is_nested(value):
        return None
    kind = cast("type[Any]", type(value))
    items = list(_items(value))
    count, keys = len(items), [key for key, _ in items] if issubclass(kind, Mapping) else None
    readers = [_reader(item) for _, item in items]
    is_flat = not any(readers)

    def read(given: Any, leaves: list[Any]) -> bool:
        if type(given) is not kind or len(given) != count:
            return False
        if keys is not None:
            if list(given) != keys:
                return False
            given = given.values()
        if is_flat:
            leaves += given
            return not any(map(_is_nested, given))
        for item, reader in zip(given, readers, strict=True):
            if reader is not None:
                if not reader(item, leaves):
                    return False
            elif _is_nested(item):
                return False
            else:
                leaves.append(item)
        return True

    return read


def text_of(place: Place) -> str:
    """A place as people write it.

    >>> text_of(("batch", "x", 0))
    "batch['x'][0]"
    """
    return f"{place[0]}{''.join(f'[{key!r}]' for key in place[1:])}"


def _is_nested(value: Any) -> bool:
    return isinstance(value, tuple | list | dict)


def _items(value: Mapping[Any, Any] | Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    return iter(value.items()) if isinstance(value, Mapping) else enumerate(value)
