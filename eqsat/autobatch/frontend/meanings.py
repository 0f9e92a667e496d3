"""Python's operators and builtins for one member's values, where Python itself would need an actual bool or number."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from eqsat.array import Array, arange, asarray, logical_not, logical_or, trunc, where
from eqsat.array import any as any_
from eqsat.array import round as nearest
from eqsat.autobatch.ir.patterns import leaves, with_parts
from eqsat.autobatch.python_numbers import PythonNumber, is_python_number, python_number
from eqsat.dtype import float64, int64
from eqsat.errors import BuildError, IndexingError, ShapeError, brief


def truth(value: Any) -> Any:
    """Whether a value is true, as in `if value`; a number is true if it is not zero.

    Raises:
        ShapeError: the value is an array with axes.
    """
    if isinstance(value, np.ndarray):
        value = asarray(value)  # pyright: ignore[reportUnknownArgumentType]
    if not isinstance(value, Array):
        return bool(value)
    if value.shape:
        raise ShapeError(
            f"a condition is one bool, not an array of shape {value.shape}; use eqsat.any or eqsat.all"
        )
    return value if value.dtype.is_bool else value != 0


def negation(value: Any) -> Any:
    """The meaning of `not value`."""
    held = truth(value)
    return python_number(logical_not(held)) if isinstance(held, Array) else not held


def contains(container: Any, value: Any) -> Any:
    """The meaning of `value in container`."""
    if not any(isinstance(each, Array) for each in (container, value, *leaves(container))):
        return value in container
    if isinstance(container, tuple | list):
        equals: list[Any] = [value == each for each in container]  # pyright: ignore[reportUnknownVariableType]
        return python_number(reduce(logical_or, equals, False))
    return python_number(any_(asarray(container) == value))


def element(container: Any, key: Any) -> Any:
    """The meaning of `container[key]`, where the key may differ between members; an element of a tuple of numbers is a Python number."""
    held: Any = container
    is_fixed = not any(isinstance(each, Array) for each in leaves(key))
    if is_fixed or not isinstance(container, tuple | list | np.ndarray):
        return held[key]
    if isinstance(container, np.ndarray):
        return asarray(held)[key]
    found = asarray(held)[+key if isinstance(key, PythonNumber) else key]
    return python_number(found) if all(map(is_python_number, leaves(held))) and not found.shape else found


def updated(container: Any, key: Any, value: Any) -> Any:
    """The container after `container[key] = value`. A position out of range changes nothing.

    Raises:
        IndexingError: the key contains something other than integers and full slices, or more parts than the array has axes.
    """
    held: Any = container
    if isinstance(container, tuple | list) and isinstance(key, int):
        parts: list[Any] = [*held]
        parts[key] = value
        return with_parts(held, parts)
    array = asarray(held)
    keys: tuple[Any, ...] = (*key,) if isinstance(key, tuple) else (key,)  # pyright: ignore[reportUnknownVariableType]
    if len(keys) > array.ndim:
        raise IndexingError(
            f"{len(keys)} positions in an array of shape {array.shape}; give one for each axis"
        )
    keys += (slice(None),) * (array.ndim - len(keys))
    mask: Any = True
    kept: list[Any] = []
    for axis, each in enumerate(keys):
        if isinstance(each, slice):
            if each != slice(None):
                raise IndexingError(
                    f"cannot assign to {each}; assign to one position, or to the whole axis by `:`"
                )
            kept.append(slice(None))
            continue
        kept.append(None)
        mask = _at(array, axis, each) & mask
    shape = tuple(extent for extent, each in zip(array.shape, kept, strict=True) if each is not None)
    new = asarray(value).astype(array.dtype)
    wide = Array(new.uop.broadcast(shape)) if new.shape != shape else new
    return where(mask, wide[tuple(kept)] if kept else wide, array)


def _at(array: Array, axis: int, position: Any) -> Any:
    """A mask, which broadcasts against the array, of the elements at a position along an axis."""
    extent = array.shape[axis]
    places = arange(extent).reshape([extent if each == axis else 1 for each in range(array.ndim)])
    wanted = asarray(position)
    if not wanted.dtype.is_int or wanted.shape:
        raise IndexingError(
            f"a position is one integer, not {wanted.dtype} of shape {wanted.shape}; convert it by int(), or use eqsat.where"
        )
    if not wanted.dtype.is_signed:
        return places == wanted
    return (places == wanted) | (places - extent == wanted)


def unpacked(value: Any, pattern: Any) -> list[Any]:
    """The parts of a value that the targets in nested tuples take, from left to right.

    Raises:
        ShapeError: there are more or fewer parts than targets.
    """
    if pattern is None:
        return [value]
    if isinstance(value, Array) and not value.shape:
        raise ShapeError(f"cannot unpack one number into {len(pattern)} targets; it has no parts")
    parts = list(value)
    if len(parts) != len(pattern):
        raise ShapeError(f"cannot unpack {len(parts)} values into {len(pattern)} targets; give as many")
    return [leaf for part, inner in zip(parts, pattern, strict=True) for leaf in unpacked(part, inner)]


def as_index(value: Any) -> Any:
    """An argument of `range` as a Python integer, or as an array that stands for one.

    Raises:
        BuildError: the value is not an integer.
    """
    if not isinstance(value, Array):
        return value.__index__() if hasattr(value, "__index__") else _not_integer(value)
    if not value.dtype.is_int or value.shape:
        _not_integer(value)
    return PythonNumber(value.astype(int64).uop)


def _not_integer(value: Any) -> Any:
    raise BuildError(f"range takes one integer, not {brief(value)}; convert it by int()")


def within(counter: Any, stop: Any, step: Any) -> Any:
    """Whether a loop over a range goes on; a loop whose step is zero does not."""
    return ((step > 0) & (counter < stop)) | ((step < 0) & (counter > stop))


def as_int(value: Any = 0) -> Any:
    """The meaning of `int(value)`, which rounds toward zero."""
    if not isinstance(value, Array):
        return int(value)
    return PythonNumber((trunc(value) if value.dtype.is_float else value).astype(int64).uop)


def as_float(value: Any = 0.0) -> Any:
    """The meaning of `float(value)`."""
    return PythonNumber(value.astype(float64).uop) if isinstance(value, Array) else float(value)


def as_bool(value: Any = False) -> Any:
    """The meaning of `bool(value)`."""
    return python_number(truth(value))


def as_round(value: Any, *digits: Any) -> Any:
    """The meaning of `round(value)`: the nearest integer, ties to even.

    Raises:
        BuildError: `digits` are given for one member's value.
    """
    if not isinstance(value, Array):
        return round(value, *digits)
    if digits:
        raise BuildError("cannot round one member's value to digits; scale it, and use eqsat.round")
    return as_int(nearest(value) if value.dtype.is_float else value)


def any_of(values: Any) -> Any:
    """The meaning of `any(values)`: whether at least one value is true."""
    return python_number(reduce(logical_or, map(truth, values), False))


def all_of(values: Any) -> Any:
    """The meaning of `all(values)`: whether no value is false."""
    return negation(any_of([negation(value) for value in values]))


def least(*values: Any, **options: Any) -> Any:
    """The meaning of `min(...)`: the first of the least values."""
    return _extreme(builtins.min, lambda new, best: new < best, values, options)


def greatest(*values: Any, **options: Any) -> Any:
    """The meaning of `max(...)`: the first of the greatest values."""
    return _extreme(builtins.max, lambda new, best: new > best, values, options)


def _extreme(
    plain: Callable[..., Any],
    is_better: Callable[[Any, Any], Any],
    values: Sequence[Any],
    options: Mapping[str, Any],
) -> Any:
    items = list(values[0] if len(values) == 1 else values)
    if options or not items or not any(isinstance(item, Array) for item in items):
        return plain(*values, **options)
    found = reduce(lambda best, new: where(is_better(new, best), new, best), items)
    return python_number(found) if all(map(is_python_number, items)) else found


BUILTINS: Mapping[Any, Any] = {
    int: as_int,
    float: as_float,
    bool: as_bool,
    min: least,
    max: greatest,
    round: as_round,
    any: any_of,
    all: all_of,
}
