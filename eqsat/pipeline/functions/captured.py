"""Captured values, which a function reads besides its arguments: globals, closure cells, defaults, attributes, and the object of a method.

A traced function runs once, so the values that it read then are part of the program. All reads are found in the code of the function and of the
functions that it may call. Each call compares their values with those at the time of the trace: numbers and strings by value, arrays by
their bytes, containers and objects by their contents. Values that the function itself changes during the trace are left out. Changes of
values from elsewhere are not noticed: attributes that are named at run time, attributes of installed packages, files, clocks, random numbers.
"""

from __future__ import annotations

import dis
import functools
import operator
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, cast

from eqsat.pipeline.functions.fingerprints import (
    Watch,
    attribute_of,
    fingerprint,
    former_attributes,
    is_data,
    parts_of,
    watches,
)

_MOST_READS = 2000  # reads of attributes of classes, modules and functions; further ones are not compared
_MOST_VALUES = 100_000  # values that are searched for functions, classes and objects
_MISSING = (KeyError, ValueError, AttributeError)  # raised if a name was deleted or a cell emptied
_LIBRARIES = frozenset({"eqsat", "numpy", "scipy", *sys.stdlib_module_names})
# Special methods that Python's syntax does not call, or whose results are in no program.
_NEVER_CALLED = frozenset(
    f"__{name}__"
    for name in (
        "repr", "str", "format", "hash", "dir", "sizeof", "del", "reduce", "reduce_ex", "replace", "getstate", "setstate", "getnewargs",
        "getnewargs_ex", "setattr", "delattr", "init_subclass", "subclasshook", "class_getitem",
    )
)  # fmt: skip
_LOADS_OF_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR")
_INSTALLED = frozenset({"site-packages", "dist-packages"})  # folders of installed packages

Namespace = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Read:
    """One value that a function read.

    Attributes:
        get: reads the value again.
        value: the value at the time of the trace.
        print: the fingerprint of that value.
        watched: quick checks, which together show that the same object still has this fingerprint.
    """

    get: Callable[[], Any]
    value: Any
    print: Any
    watched: tuple[Watch, ...]

    @staticmethod
    def of(get: Callable[[], Any]) -> Read:
        """Reads the value now."""
        value = get()
        return Read(get, value, fingerprint(value), tuple(watches(value)))

    def is_unchanged(self) -> bool:
        """Whether reading again gives the same value."""
        try:
            value = self.get()
        except _MISSING:
            return False
        if value is self.value:
            for is_same in self.watched:
                if not is_same():
                    break
            else:
                return True
        return fingerprint(value) == self.print


def reads_of(function: Callable[..., Any], arguments: Iterable[Any] = ()) -> tuple[Read, ...]:
    """All values that a function reads, and the functions that it may call: by name, or because they are in a value that it reads.

    `arguments` are values that it is given. They are no reads themselves, but functions and classes in them are followed.
    """
    walk = _Walk(_package_of(getattr(function, "__module__", "")))
    if isinstance(function, MethodType):
        walk.read(lambda: function.__self__)
    elif not isinstance(function, FunctionType):
        walk.read(lambda: function)
    walk.search([function, *arguments])
    return tuple(walk.reads)


def unchanged_by(reads: Sequence[Read]) -> tuple[Read, ...]:
    """The reads whose values have not changed since. Of an object that has changed, the attributes that have not."""
    kept: list[Read] = []
    for read in reads:
        kept += (read,) if read.is_unchanged() else _unchanged_parts(read.get, read.print)
    return tuple(kept)


def _unchanged_parts(get: Callable[[], Any], printed: Any) -> Iterator[Read]:
    """Reads of what still has the given fingerprint: of the value, or else of its attributes."""
    try:
        read = Read.of(get)
    except _MISSING:
        return
    if read.print == printed:
        yield read
        return
    for name, former in former_attributes(read.value, printed):
        yield from _unchanged_parts(lambda name=name: attribute_of(get(), name), former)


class _Walk:
    """Finds what functions read. It goes from functions to the values that they read, and from these to functions, until it finds nothing new.

    Which object has which attribute is not known before a function runs. So every attribute of a class, module or function counts as read if any
    function names it. Attributes of objects themselves are in the fingerprints of these.
    """

    def __init__(self, package: str) -> None:
        self.reads: list[Read] = []
        self._package = package
        self._pending: list[Any] = []
        self._seen: dict[int, Any] = {}  # holds the values, so that no other one gets their identity
        self._names: dict[str, None] = {}  # of the attributes that functions read
        self._owners: list[tuple[Namespace, ...]] = []
        self._of_class: dict[type[Any], Namespace] = {}
        self._attributes: set[tuple[int, int, str]] = set()

    def read(self, get: Callable[[], Any]) -> None:
        """Adds the value that `get` reads, if there is one."""
        try:
            read = Read.of(get)
        except _MISSING:
            return
        self.reads.append(read)
        self._pending.append(read.value)

    def search(self, values: Iterable[Any]) -> None:
        """Follows all functions and classes in these values, and in the values that they read."""
        self._pending += values
        while self._pending:
            value = self._pending.pop()
            kind = cast("type[Any]", type(value))
            if is_data(kind) or id(value) in self._seen or len(self._seen) > _MOST_VALUES:
                continue
            self._seen[id(value)] = value
            if isinstance(value, FunctionType):
                self._follow(value)
            elif isinstance(value, ModuleType) and self._is_compared(value.__name__):
                self._own((vars(value),))
            elif isinstance(value, type):
                self._enter(value)
            self._enter(kind)
            self._pending += parts_of(value)

    def _follow(self, function: FunctionType) -> None:
        if _package_of(function.__globals__.get("__name__")) in _LIBRARIES:
            return
        for get in _getters(function):
            self.read(get)
        if vars(function):
            self._own((vars(function),))
        for name in _names_in(function.__code__)[1]:
            if name not in self._names:
                self._names[name] = None
                for namespaces in self._owners:
                    self._read_attribute(namespaces, name)

    def _enter(self, kind: type[Any]) -> None:
        if kind in self._of_class:  # itself, or a class that inherits from it
            return
        bases = [base for base in kind.__mro__ if self._is_compared(base.__module__)]
        namespaces = tuple(self._of_class.setdefault(base, vars(base)) for base in bases)
        if namespaces:
            self._own(namespaces)
        for name in dict.fromkeys(name for each in namespaces for name in each if _is_called(name, each)):
            self._read_attribute(namespaces, name)

    def _own(self, namespaces: tuple[Namespace, ...]) -> None:
        """Adds something with attributes, which are in these namespaces. Those in an earlier one hide those in a later one."""
        self._owners.append(namespaces)
        for name in self._names:
            self._read_attribute(namespaces, name)

    def _read_attribute(self, namespaces: tuple[Namespace, ...], name: str) -> None:
        """Reads an attribute from all namespaces that have it, as `super()` reads hidden ones."""
        first = 0  # of the namespaces that could get an attribute that hides the one that is read
        for place, namespace in enumerate(namespaces):
            key = (id(namespaces[first]), id(namespace), name)
            if name in namespace and key not in self._attributes and len(self.reads) < _MOST_READS:
                self._attributes.add(key)
                self.read(_getter(namespaces[first : place + 1], name))
            if name in namespace:
                first = place + 1

    def _is_compared(self, module: Any) -> bool:
        """Whether attributes of a module and of its classes are compared. Those of installed packages are not, except for the function's own one."""
        package = _package_of(module)
        return package not in _LIBRARIES and (package == self._package or not _is_installed(package))


def _getter(namespaces: tuple[Namespace, ...], name: str) -> Callable[[], Any]:
    """A function that reads the attribute of this name from the first namespace that has it."""
    if len(namespaces) == 1:
        return functools.partial(operator.getitem, namespaces[0], name)

    def get() -> Any:
        for namespace in namespaces:
            if name in namespace:
                return namespace[name]
        raise KeyError(name)

    return get


def _is_called(name: str, namespace: Namespace) -> bool:
    """Whether Python's syntax may call a method, as operators do."""
    is_special = name.startswith("__") and name.endswith("__") and name not in _NEVER_CALLED
    return is_special and callable(namespace[name])


def _package_of(module: Any) -> str:
    return str(module).partition(".")[0]


@functools.lru_cache(maxsize=1 << 10)
def _is_installed(package: str) -> bool:
    """Whether a package was installed, other than as a link to its source."""
    module = sys.modules.get(package)
    places = [getattr(module, "__file__", None), *getattr(module, "__path__", ())]
    return any(not _INSTALLED.isdisjoint(Path(place).parts) for place in places if place)


def _getters(function: FunctionType) -> Iterator[Callable[[], Any]]:
    """For each value that a function reads by a name, a function that reads it again."""
    for cell in function.__closure__ or ():
        yield lambda cell=cell: cell.cell_contents
    if function.__defaults__ or function.__kwdefaults__:
        yield lambda: (function.__defaults__, function.__kwdefaults__)
    names = function.__globals__
    for name in _names_in(function.__code__)[0]:
        if name in names:
            yield functools.partial(operator.getitem, names, name)


@functools.lru_cache(maxsize=1 << 12)
def _names_in(code: CodeType) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the globals, and of the attributes, that code reads. Where it calls `getattr` or `globals`, its strings count as such names."""
    globals_read: dict[str, None] = {}
    attributes: dict[str, None] = {}
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            globals_read[instruction.argval] = None
        elif instruction.opname in _LOADS_OF_ATTRIBUTES:
            attributes[instruction.argval] = None
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            inner_globals, inner_attributes = _names_in(constant)
            globals_read |= dict.fromkeys(inner_globals)
            attributes |= dict.fromkeys(inner_attributes)
        elif isinstance(constant, str):
            attributes |= {constant: None} if "getattr" in code.co_names else {}
            globals_read |= {constant: None} if "globals" in code.co_names else {}
    return tuple(globals_read), tuple(attributes)
