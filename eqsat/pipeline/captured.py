"""Captured values: what a function reads besides its arguments, such as globals, closure cells, defaults, and the object of a method.

A traced function runs once, so the values that it read then are part of the program. All reads are found in the code of the function and of the
functions that it names, and each call compares their values with those at the time of the trace: numbers and strings by value, arrays by
their bytes, containers and objects by what they hold. Values that the function itself changes during the trace are left out. Values
from elsewhere are not noticed: attributes of modules, files, clocks, random numbers.
"""

from __future__ import annotations

import dis
import functools
import struct
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from enum import Enum, auto
from operator import is_
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from eqsat.array import Array
from eqsat.dtype import DType
from eqsat.uop import UOp

_DEEPEST = 100  # of containers in containers, for the same reason
_MOST_ITEMS = 2000  # of one value; what is larger is told by its identity alone
_MOST_WATCHED = 100  # containers and objects of one value; of more, fingerprints tell
_MOST_BYTES = 1 << 20  # of an array of which a copy is kept, as bytes are compared sooner than hashed
_NOTHING = object()  # in place of an attribute that is not there
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
)
_LIBRARIES = frozenset({"eqsat", "numpy", "scipy", *sys.stdlib_module_names})


Watch = Callable[[], bool]
"""Whether a container still holds the very same objects; False where that takes a fingerprint to tell."""


@dataclass(frozen=True, slots=True)
class Read:
    """One value that a function read: how to read it again, the value at the time, its fingerprint, and what tells sooner that it is the same."""

    get: Callable[[], Any]
    value: Any
    print: Any
    watched: tuple[Watch, ...]

    @staticmethod
    def of(get: Callable[[], Any]) -> Read:
        """What is read now."""
        value = get()
        return Read(get, value, fingerprint(value), tuple(_watches(value)))

    def is_unchanged(self) -> bool:
        """Whether reading again gives the same value."""
        try:
            value = self.get()
        except (KeyError, ValueError):  # a name that was deleted, a cell that was emptied
            return False
        if value is self.value:
            for is_same in self.watched:
                if not is_same():
                    break
            else:
                return True
        return fingerprint(value) == self.print


def reads_of(function: Callable[..., Any]) -> tuple[Read, ...]:
    """All values that a function, and the functions that it names, read."""
    found: list[Read] = []
    pending: list[Any] = [function]
    seen: set[int] = set()
    while pending:
        current = pending.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        for get in _getters(current):
            try:
                read = Read.of(get)
            except (KeyError, ValueError):
                continue
            found.append(read)
            value = read.value
            if isinstance(value, FunctionType | MethodType | functools.partial) or hasattr(
                value, "__wrapped__"
            ):
                pending.append(value)
    return tuple(found)


def unchanged_by(reads: Sequence[Read]) -> tuple[Read, ...]:
    """The reads whose values have not changed since."""
    return tuple(read for read in reads if read.is_unchanged())


def fingerprint(value: Any) -> Any:
    """A hashable value that differs for different values. It covers type and bits of numbers, identity and bytes of arrays, contents of objects."""
    printed = _print_of_fixed(cast("type[Any]", type(value)))
    return _Printing().print(value) if printed is None else printed(value)


@functools.lru_cache(maxsize=1 << 12)
def _print_of_fixed(kind: type[Any]) -> Callable[[Any], Any] | None:
    """The fingerprint of values of a class that never change; None for other classes."""
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
    """The fingerprint of values of a class that are never data, plain Python values and modules; None for other classes."""
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
            case _Form.ARRAY:
                contents = id(value) if value.dtype.hasobject else hash(value.tobytes())
                return id(value), value.shape, value.dtype.str, contents
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
                return id(value), *((name, self.print(item)) for name, item in _attributes(value, kind))


def _watches(value: Any) -> Iterator[Watch]:
    """What has to be True together for a value that is the same object to have the same fingerprint: it is looked at without a walk."""
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
            case _Form.OBJECT:
                names = ("__dict__", *_slots(kind))
                yield _holder(
                    names, lambda names=names, of=current: [getattr(of, name, _NOTHING) for name in names]
                )
                pending += [getattr(current, name) for name in names if hasattr(current, name)]
            case _:
                yield _never


def _holder(container: Sized, items: Callable[[], Iterable[Any]]) -> Watch:
    """Whether a container has as many items, and each of them is the object that it was."""
    held = tuple(items())
    count = len(held)
    return lambda: len(container) == count and all(map(is_, items(), held))


def _keeper(array: NDArray[Any]) -> Watch:
    """Whether an array has the same elements."""
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
    if issubclass(kind, _BY_IDENTITY):
        return _Form.IDENTITY
    bases: tuple[tuple[Any, _Form], ...] = (
        (np.generic, _Form.SCALAR),
        (np.ndarray, _Form.ARRAY),
        ((tuple, list), _Form.SEQUENCE),
        ((set, frozenset), _Form.SET),
        (dict, _Form.MAPPING),
        (MethodType, _Form.METHOD),
        (functools.partial, _Form.PARTIAL),
    )
    return next((form for base, form in bases if issubclass(kind, base)), _Form.OBJECT)


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


def _getters(function: Any) -> Iterator[Callable[[], Any]]:
    """A function for each value that a function reads; it reads the value again."""
    if isinstance(function, functools.partial):
        yield lambda: function.func
        yield lambda: (function.args, function.keywords)
        return
    if isinstance(function, MethodType):
        yield lambda: function.__self__
        yield lambda: function.__func__
        return
    if not isinstance(function, FunctionType):
        wrapped = getattr(function, "__wrapped__", None)
        if wrapped is not None:
            yield lambda: wrapped
        elif callable(function) and isinstance(type(function).__call__, FunctionType):
            yield lambda: function
            yield lambda: type(function).__call__
        return
    if str(function.__globals__.get("__name__", "")).partition(".")[0] in _LIBRARIES:
        return
    for cell in function.__closure__ or ():
        yield lambda cell=cell: cell.cell_contents
    if function.__defaults__ or function.__kwdefaults__:
        yield lambda: (function.__defaults__, function.__kwdefaults__)
    names = function.__globals__
    for name in dict.fromkeys(_global_names(function.__code__)):
        if name in names:
            yield lambda name=name: names[name]


def _global_names(code: CodeType) -> Iterator[str]:
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _global_names(constant)
