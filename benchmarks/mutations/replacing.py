"""Puts a changed function in place of the one that a process has imported.

This is the same as importing the changed file if only the bodies of functions differ, and none of these functions was called before. What a
function did while modules were imported is not done again.
"""

from __future__ import annotations

import ast
import gc
import inspect
from collections import Counter
from collections.abc import Collection, Iterator
from types import CodeType, FunctionType
from typing import Any

Replacement = tuple[FunctionType, CodeType]


def plain(source: str) -> str:
    """The source as `sites.changed` would write it, but without a change."""
    return ast.unparse(ast.parse(source))


def is_same(before: str, after: str) -> bool:
    """Whether two sources are compiled to the same code, for example because only texts that no code reads differ."""
    try:
        return _all(compile(before, "", "exec")) == _all(compile(after, "", "exec"))
    except SyntaxError:
        return False


def replacements(
    file: str, before: str, after: str, called: Collection[CodeType]
) -> list[Replacement] | None:
    """The functions of this process that a change of a file concerns, and their new code; None if the file must be imported again.

    Args:
        file: the absolute path.
        before: its text, as `plain` gives it.
        after: its text after the change.
        called: all code that has run in this process.
    """
    differing = _differences(compile(before, file, "exec"), compile(after, file, "exec"))
    if differing is None:
        return None
    gc.unfreeze()  # `gc.get_objects` leaves out frozen objects
    here = [
        each
        for each in gc.get_objects()
        if isinstance(each, FunctionType) and each.__code__.co_filename == file
    ]
    found: list[Replacement] = []
    for name, code in differing.items():
        mine = [each for each in here if each.__code__.co_qualname == name]
        if not mine or any(
            each.__code__ in called or each.__code__.co_freevars != code.co_freevars for each in mine
        ):
            return None
        found += [(each, code) for each in mine]
    return found


def _differences(before: CodeType, after: CodeType) -> dict[str, CodeType] | None:
    """The new code of each function whose body differs, by name; None if something else differs, too."""
    if _own(before) != _own(after):
        return None
    pairs = list(zip(_nested(before), _nested(after), strict=True))
    names = Counter(each.co_qualname for each, _ in pairs)
    found: dict[str, CodeType] = {}
    for old, new in pairs:
        if _all(old) == _all(new):
            continue
        if old.co_flags & inspect.CO_OPTIMIZED:
            if old.co_name.startswith("<") or names[old.co_qualname] > 1 or old.co_name != new.co_name:
                return None  # it may have run already, or another function has the same name
            found[old.co_qualname] = new
        else:
            inner = _differences(old, new)
            if inner is None:
                return None
            found |= inner
    return found


def _nested(code: CodeType) -> Iterator[CodeType]:
    return (each for each in code.co_consts if isinstance(each, CodeType))


def _own(code: CodeType) -> tuple[Any, ...]:
    """The content of a piece of code, apart from the functions and classes that it defines."""
    constants = tuple(
        "code" if isinstance(each, CodeType) else (type(each), repr(each)) for each in code.co_consts
    )
    return (
        code.co_name, code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_flags,
        code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_exceptiontable,
    )  # fmt: skip


def _all(code: CodeType) -> tuple[Any, ...]:
    return _own(code), tuple(_all(each) for each in _nested(code))
