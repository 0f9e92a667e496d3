"""Formats the text of a kernel for readers."""

from __future__ import annotations

import re


def indented(source: str, name: str) -> str:
    """The source with lines indented by their enclosing braces, and with a comment that says what a work-item does."""
    lines: list[str] = []
    depth = 0
    for line in map(str.strip, _with_comment(source, name).splitlines()):
        depth -= line.startswith("}")
        lines.append(
            "    " * (depth - line.endswith(": {")) + line if line and not line.startswith("#") else line
        )
        depth += line.count("{") - line.count("}") + line.startswith("}")
    return "\n".join(lines) + "\n"


def _with_comment(source: str, name: str) -> str:
    """Replaces the renderer's comment, which would be wrong because the sizes of arrays depend on the batch."""
    return re.sub(
        rf"^// \w*{name}: .*$",
        f"// {name}: each work-item runs chunk_ members of the batch",
        source,
        flags=re.MULTILINE,
    )
