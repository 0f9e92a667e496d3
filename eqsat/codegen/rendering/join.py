"""Joins several texts that share definitions."""

from __future__ import annotations

from collections.abc import Iterable


def join(sources: Iterable[str]) -> str:
    r"""Joins sources into one, in which each top-level definition, with the comment above it, stands once.

    >>> print(join(["int f(int x) { return x; }\nint g();", "int f(int x) { return x; }\nint h();"]))
    int f(int x) { return x; }
    int g();
    int h();
    """
    found: dict[str, None] = {}
    for source in sources:
        depth, lines = 0, list[str]()
        for line in source.splitlines():
            lines.append(line)
            code = line.partition("//")[0].rstrip()
            depth += code.count("{") - code.count("}")
            if depth == 0 and (code.endswith(("}", ";")) or code.startswith("#")):
                found["\n".join(lines).strip("\n")] = None
                lines = []
        found["\n".join(lines).strip("\n")] = None
    return "\n".join(definition for definition in found if definition) + "\n"
