"""Array and scalar programs, optimized by equality saturation and run through OpenCL.

>>> import numpy as np
>>> import eqsat as eq
>>> @eq.jit
... def normalized(x):
...     return x / eq.sum(x, axis=-1, keepdims=True)
>>> normalized(np.array([[1.0, 3.0]]))
array([[0.25, 0.75]])
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from types import ModuleType

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Imports a public name or a submodule at its first use, because importing everything takes a third of a second."""
    from eqsat.support.garbage_collection import collector_paused

    with collector_paused():  # modules make objects that stay alive, so a collection would free nothing
        value = _value_of(name)
    globals()[name] = value
    return value


def _value_of(name: str) -> object:
    if name == "__all__":
        return _public_names()
    if _homes().get(name, __name__) != __name__:
        return getattr(import_module(_homes()[name]), name)
    return _submodule(name) or _array_name(name)


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *_public_names()})


def _public_names() -> list[str]:
    array_names: list[str] = import_module("eqsat.array").__all__
    return sorted([*_homes(), *array_names, "__version__"])


@cache
def _homes() -> dict[str, str]:
    """The module of each public name outside `eqsat.array`, from the lines `from module import name as name` of the stub."""
    with open(f"{__file__}i", encoding="utf-8") as stub:  # noqa: PTH123  importing pathlib takes 10 ms
        return {line.split()[-1]: line.split()[1] for line in stub if " as " in line}


def _submodule(name: str) -> ModuleType | None:
    try:
        return None if name.startswith("_") else import_module(f"eqsat.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"eqsat.{name}":
            raise
        return None


def _array_name(name: str) -> object:
    array = None if name.startswith("_") else import_module("eqsat.array")
    if array is None or name not in array.__all__:
        spelled: dict[str, str] = {} if array is None else import_module("eqsat.array.interoperation").SPELLED
        hint = f"use eqsat.{spelled[name]}" if name in spelled else "dir(eqsat) lists those it has"
        raise AttributeError(f"module 'eqsat' has no attribute {name!r}; {hint}")
    return getattr(array, name)


class _Package(ModuleType):
    """This package. Its attribute `spec` stays the function even after the subpackage `eqsat.spec` has been imported."""

    @property
    def spec(self) -> object:
        return import_module("eqsat.pipeline").spec

    @spec.setter
    def spec(self, subpackage: ModuleType) -> None:
        """Ignores the assignment with which an import makes the subpackage an attribute."""

    def __reduce__(self) -> tuple[object, ...]:
        """Pickles and copies the package by its name, because functions that mention it are sent to other processes."""
        return import_module, (__name__,)


sys.modules[__name__].__class__ = _Package
