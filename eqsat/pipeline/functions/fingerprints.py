"""Fingerprints of values: what tells whether a value is still the same, and the parts that it is made of.

Numbers and strings are compared by value, arrays by identity and bytes, containers and objects by their contents, functions and classes by identity.
Arrays of other libraries are objects that also have elements.
"""

from __future__ import annotations

import array
import functools
import struct
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from enum import Enum, auto
from operator import is_
from types import BuiltinFunctionType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from eqsat.array import Array
from eqsat.array.data import as_host
from eqsat.dtype import DType
from eqsat.errors import EqsatError
from eqsat.uop import UOp

_DEEPEST = 100  # greatest depth of nested containers; deeper ones are compared by identity alone
_MOST_ITEMS = 2000  # items of one value whose contents are compared; further ones are compared by identity
_MOST_WATCHED = 100  # containers and objects of one value that are watched; with more, fingerprints decide
_MOST_BYTES = 1 << 20  # largest array of which a copy is compared, which is faster than hashing its bytes
_NOTHING = object()  # stands for a missing attribute
_BY_VALUE = (int, bool, str, bytes, type(None), range, type(Ellipsis))
_BY_IDENTITY = (
    type,
    ModuleType,
    BuiltinFunctionType,
    FunctionType,
    np.ufunc,
    np.dtype,
    DType,
    UOp,
    Array,
    Enum,
    property,
    staticmethod,
    classmethod,
    functools.cached_property,
)
# The attributes of objects that wrap functions under which they have them; all others use `__wrapped__`.
_WRAPPERS: dict[type[Any], tuple[str, ...]] = {
    property: ("fget", "fset"),
    staticmethod: ("__func__",),
    classmethod: ("__func__",),
    functools.cached_property: ("func",),
    functools.partial: ("func", "args", "keywords"),
    MethodType: ("__func__", "__self__"),
}


Watch = Callable[[], bool]
"""Whether a container still holds the very same objects; False if only a fingerprint can tell."""


def fingerprint(value: Any) -> Any:
    """A hashable value that differs for different values. It covers type and bits of numbers, identity and bytes of arrays, contents of objects."""
    printed = _print_of_fixed(cast("type[Any]", type(value)))
    return _Printing().print(value) if printed is None else printed(value)


@functools.lru_cache(maxsize=1 << 12)
def _print_of_fixed(kind: type[Any]) -> Callable[[Any], Any] | None:
    """Returns a function that makes the fingerprint of a value, for classes whose values never change; None for other classes."""
    match _form(kind):
        case _Form.VALUE:
            return lambda value: (kind, value)
        case _Form.FLOAT:
            return lambda value: (kind, struct.pack("<dd", value.real, value.imag))
        case _Form.IDENTITY:
            return id
        case _Form.SCALAR:
            return lambda value: (kind, value.tobytes())
        case _:
            return None


@functools.lru_cache(maxsize=1 << 12)
def print_of_constant(kind: type[Any]) -> Callable[[Any], Any] | None:
    """Returns such a function for classes whose values are never data, plain Python values and modules; None for other classes."""
    is_constant = kind in (*_BY_VALUE, float, complex) or issubclass(kind, ModuleType)
    return _print_of_fixed(kind) if is_constant else None


class _Printing:
    """One walk over a value. The value may contain itself."""

    __slots__ = ("depth", "left", "seen")

    def __init__(self) -> None:
        self.left = _MOST_ITEMS
        self.depth = 0
        self.seen: set[int] = set()

    def print(self, value: Any) -> Any:
        kind = cast("type[Any]", type(value))
        printed = _print_of_fixed(kind)
        if printed is not None:
            return printed(value)
        self.left -= 1
        if id(value) in self.seen or self.left < 0 or self.depth == _DEEPEST:
            return id(value)
        self.seen.add(id(value))
        self.depth += 1
        contents = self._contents(value, kind)
        self.depth -= 1
        return contents

    def _contents(self, value: Any, kind: type[Any]) -> Any:
        match _form(kind):
            case _Form.ARRAY if value.dtype.hasobject:
                return id(value), value.shape, value.dtype.str, *map(self.print, value.ravel().tolist())
            case _Form.ARRAY:
                return id(value), value.shape, value.dtype.str, hash(value.tobytes())
            case _Form.BYTES:
                return kind, bytes(value)
            case _Form.SEQUENCE:
                return kind, tuple(map(self.print, value))
            case _Form.SET:
                return kind, frozenset(map(self.print, value))
            case _Form.MAPPING:
                return kind, tuple((self.print(key), self.print(item)) for key, item in value.items())
            case _Form.METHOD:
                return id(value.__func__), self.print(value.__self__)
            case _Form.PARTIAL:
                return id(value.func), self.print(value.args), self.print(value.keywords)
            case _:
                elements = (("its elements", _elements(value)),) if hasattr(kind, "__array__") else ()
                attributes = ((name, self.print(item)) for name, item in _attributes(value, kind))
                return id(value), *attributes, *elements


def _elements(value: Any) -> Any:
    """What tells whether an array of another library has the same elements: their bytes, or else how often PyTorch changed the tensor."""
    try:
        elements = as_host(value.detach() if getattr(value, "requires_grad", False) else value)
        return elements.shape, elements.dtype.str, hash(elements.tobytes())
    except EqsatError:  # such as a tensor on another device
        return getattr(value, "_version", None)


def watches(value: Any) -> Iterator[Watch]:
    """Checks without a walk over the value: if it is the same object and all of them are True, it has the same fingerprint."""
    pending, seen = [value], set[int]()
    while pending:
        current = pending.pop()
        kind = cast("type[Any]", type(current))
        if _print_of_fixed(kind) is not None or kind is slice or id(current) in seen:
            continue
        seen.add(id(current))
        if len(seen) > _MOST_WATCHED:
            yield _never
            return
        match _form(kind):
            case _Form.ARRAY if not current.dtype.hasobject and current.nbytes <= _MOST_BYTES:
                yield _keeper(current)
            case _Form.SEQUENCE:
                if not isinstance(current, tuple):
                    yield _holder(current, lambda current=current: current)
                pending += current
            case _Form.MAPPING:
                yield _holder(current, lambda current=current: current)
                yield _holder(current, current.values)
                pending += [*current, *current.values()]
            case _Form.PARTIAL:
                pending += [current.args, current.keywords]
            case _Form.METHOD:
                pending.append(current.__self__)
            case _Form.OBJECT if not hasattr(kind, "__array__"):
                names = ("__dict__", *_slots(kind))
                yield _holder(
                    names, lambda names=names, of=current: [getattr(of, name, _NOTHING) for name in names]
                )
                pending += [getattr(current, name) for name in names if hasattr(current, name)]
            case _:
                yield _never


def _holder(container: Sized, items: Callable[[], Iterable[Any]]) -> Watch:
    """Makes a check: whether a container has as many items as now, and each is the same object as now."""
    held = tuple(items())
    count = len(held)
    return lambda: len(container) == count and all(map(is_, items(), held))


def _keeper(array: NDArray[Any]) -> Watch:
    """Makes a check: whether an array has the same elements, shape and dtype as now."""
    shape, dtype, held = array.shape, array.dtype, array.tobytes()
    return lambda: array.tobytes() == held and array.shape == shape and array.dtype == dtype


def _never() -> bool:
    return False


class _Form(Enum):
    """How the fingerprint of a value of one class is made."""

    VALUE = auto()
    FLOAT = auto()
    IDENTITY = auto()
    SCALAR = auto()
    ARRAY = auto()
    BYTES = auto()
    SEQUENCE = auto()
    SET = auto()
    MAPPING = auto()
    METHOD = auto()
    PARTIAL = auto()
    OBJECT = auto()


@functools.lru_cache(maxsize=1 << 12)
def _form(kind: type[Any]) -> _Form:
    if kind in _BY_VALUE:
        return _Form.VALUE
    if kind in (float, complex):
        return _Form.FLOAT
    if issubclass(kind, _BY_IDENTITY) or _is_own_function(kind):
        return _Form.IDENTITY
    bases: tuple[tuple[Any, _Form], ...] = (
        (np.generic, _Form.SCALAR),
        (np.ndarray, _Form.ARRAY),
        ((bytearray, memoryview, array.array), _Form.BYTES),
        ((tuple, list, deque), _Form.SEQUENCE),
        ((set, frozenset), _Form.SET),
        ((dict, MappingProxyType), _Form.MAPPING),
        (MethodType, _Form.METHOD),
        (functools.partial, _Form.PARTIAL),
    )
    return next((form for base, form in bases if issubclass(kind, base)), _Form.OBJECT)


def _is_own_function(kind: type[Any]) -> bool:
    """Whether instances are functions that eqsat made, such as `jit`'s. They hold compiled programs, which are no part of what they compute."""
    is_own = kind.__module__.partition(".")[0] == "eqsat"
    return is_own and any("__call__" in vars(base) for base in kind.__mro__)


@functools.lru_cache(maxsize=1 << 12)
def is_data(kind: type[Any]) -> bool:
    """Whether values of a class lead to no functions, classes or other objects."""
    flat = (_Form.VALUE, _Form.FLOAT, _Form.SCALAR, _Form.ARRAY, _Form.BYTES)
    return _form(kind) in flat or issubclass(
        kind, (UOp, Array, DType, np.dtype, np.ufunc, BuiltinFunctionType)
    )


def parts_of(value: Any) -> list[Any]:
    """The items of a container, the attributes of an object, or the functions that a function wraps."""
    kind = cast("type[Any]", type(value))
    match _form(kind):
        case _Form.SEQUENCE | _Form.SET:
            return list(value)
        case _Form.MAPPING:
            return [*value, *value.values()]
        case _Form.OBJECT:
            return [item for _, item in _attributes(value, kind)]
        case _ if issubclass(kind, type | ModuleType):
            return []
        case _:
            names = next(
                (each for base, each in _WRAPPERS.items() if issubclass(kind, base)), ("__wrapped__",)
            )
            return [getattr(value, name) for name in names if hasattr(value, name)]


def former_attributes(value: Any, printed: Any) -> Iterator[tuple[str, Any]]:
    """The attributes of an object with their former fingerprints, given its own; none if it was another object, or is none with attributes."""
    is_object = _form(cast("type[Any]", type(value))) is _Form.OBJECT
    if is_object and isinstance(printed, tuple) and printed[0] == id(value):
        yield from printed[1:]


def attribute_of(value: Any, name: str) -> Any:
    """The attribute that an object itself has under a name, in its `__dict__` or in a slot.

    Raises:
        KeyError: it has none.
    """
    found = dict(_attributes(value, cast("type[Any]", type(value))))
    return found[name]


def _attributes(value: Any, kind: type[Any]) -> Iterator[tuple[str, Any]]:
    yield from getattr(value, "__dict__", {}).items()
    for name in _slots(kind):
        if hasattr(value, name):
            yield name, getattr(value, name)


@functools.lru_cache(maxsize=1 << 12)
def _slots(kind: type[Any]) -> tuple[str, ...]:
    listed = [base.__dict__.get("__slots__", ()) for base in kind.__mro__]
    names = [name for each in listed for name in ((each,) if isinstance(each, str) else each)]
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))
