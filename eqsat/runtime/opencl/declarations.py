"""What a source needs of the header that declares OpenCL's built-in functions, so that PoCL need not read all of it.

PoCL reads `opencl-c.h`, 18,500 lines, twice before each program that it compiles, which takes 0.25 of the 0.28 s of a small one. The header
is left out where its guard is defined; `with_declarations` puts the declarations of those functions that a source names before it,
as that very header has them, conditions included. Compilers make the same code of both, because a declaration that is not used leaves no trace.

The header is the one beside the library that the process has loaded: that of pip's PoCL. Any other PoCL reads its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

# PoCL 3.0's library looks for its headers here, starting from the directory that it is in.
INCLUDED = "../../pocl_binary_distribution/.libs/share/pocl/include/opencl-c.h"
LEAVE_OUT = "-D_OPENCL_H_"  # the header's guard
MAPPED = Path("/proc/self/maps")

_LIBRARY = re.compile(r"(/\S*/libpocl[^/\s]*\.so\S*)$", re.MULTILINE)
_FUNCTION = re.compile(r"^[^#;{}()]*\b__ovld\b[^;{}()]*?(\w+)\([^;{}]*\);$")
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class Header:
    """A header, by lines.

    Attributes:
        kept: by number, the lines that every source needs: directives, types, macros.
        declared: by name of a function, the lines that declare it with their numbers.
    """

    kept: dict[int, str]
    declared: dict[str, dict[int, str]]


def with_declarations(source: str) -> str | None:
    """The source after the declarations of what it names, to be compiled with `LEAVE_OUT`; None where the header is not known."""
    header = _header(_library(MAPPED))
    if header is None:
        return None
    needed = dict(header.kept)
    for name in set(_WORD.findall(source)):
        needed.update(header.declared.get(name, {}))
    return "\n".join((*(line for _, line in sorted(needed.items())), source))


@cache
def _library(mapped: Path) -> Path | None:
    """The PoCL that this process has loaded; None where that is none, or not one. Looked up once: PoCL maps a file for each kernel."""
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
    r"""The lines of a header; the guard is dropped, and the header that PoCL always reads before.

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
    """Lines without comments, a declaration or directive in each."""
    code = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text.replace("\\\n", " "), flags=re.DOTALL)
    return [line.strip() for line in re.sub(r",\s*\n\s*", ", ", code).splitlines()]
