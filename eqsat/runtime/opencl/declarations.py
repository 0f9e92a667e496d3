"""Puts the declarations of OpenCL's built-in functions that a source needs before it, so that PoCL need not read its whole header.

PoCL reads `opencl-c.h`, 18,500 lines, twice before each program that it compiles. That takes 0.25 s of the 0.28 s of a small program. The
header is left out if its include guard is defined. `with_declarations` then declares the functions that a source names, with the lines of
that very header, preprocessor conditions included. Compilers make the same code of both, because an unused declaration leaves no trace.

The header is the one beside the library that the process has loaded: that of pip's PoCL. Any other PoCL reads its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

# PoCL 3.0's library looks for its header at this path, relative to the library's directory.
INCLUDED = "../../pocl_binary_distribution/.libs/share/pocl/include/opencl-c.h"
LEAVE_OUT = "-D_OPENCL_H_"  # the header's guard
MAPPED = Path("/proc/self/maps")

_LIBRARY = re.compile(r"(/\S*/libpocl[^/\s]*\.so\S*)$", re.MULTILINE)
_FUNCTION = re.compile(r"^[^#;{}()]*?\b__ovld\b[^;{}()]*\b(\w+)\([^;{}]*\);$")
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class Header:
    """The lines of a header.

    Attributes:
        kept: by line number, the lines that every source needs: directives, types, macros.
        declared: by name of a function, the lines that declare it, each by its number.
    """

    kept: dict[int, str]
    declared: dict[str, dict[int, str]]


def with_declarations(source: str) -> str | None:
    """The source with declarations of all functions that it names in front, to be compiled with `LEAVE_OUT`; None if the header is unknown."""
    header = _header(_library(MAPPED))
    if header is None:
        return None
    needed = dict(header.kept)
    for name in set(_WORD.findall(source)):
        needed.update(header.declared.get(name, {}))
    return "\n".join((*(line for _, line in sorted(needed.items())), source))


@cache
def _library(mapped: Path) -> Path | None:
    """The PoCL library that this process has loaded; None if there is none, or several. Looked up once: PoCL maps a file for each kernel."""
    try:
        found = set(_LIBRARY.findall(mapped.read_text(encoding="utf-8", errors="replace")))
    except OSError:
        return None
    return Path(found.pop()) if len(found) == 1 else None


@cache
def _header(library: Path | None) -> Header | None:
    try:
        return read(Path(library.parent, INCLUDED).read_text(encoding="utf-8")) if library else None
    except OSError:
        return None


def read(text: str) -> Header:
    r"""Parses the text of a header. Drops its include guard, and the header that it includes, which PoCL always reads before.

    >>> header = read("#ifdef cl_khr_fp64\ndouble __ovld sin(double);\n#endif\n")
    >>> header.kept, header.declared
    ({0: '#ifdef cl_khr_fp64', 2: '#endif'}, {'sin': {1: 'double __ovld sin(double);'}})
    """
    kept: dict[int, str] = {}
    declared: dict[str, dict[int, str]] = {}
    for number, line in enumerate(_joined(text)):
        if function := _FUNCTION.match(line):
            declared.setdefault(function[1], {})[number] = line
        elif line == "#ifndef _OPENCL_H_":
            kept[number] = "#if 1"
        elif line and not line.startswith(("#include", "#define _OPENCL_H_")):
            kept[number] = line
    return Header(kept, declared)


def _joined(text: str) -> list[str]:
    """The lines of a text without comments, each with a whole declaration or directive."""
    code = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text.replace("\\\n", " "), flags=re.DOTALL)
    return [line.strip() for line in re.sub(r",\s*\n\s*", ", ", code).splitlines()]
