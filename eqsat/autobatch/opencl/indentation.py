"""The text of a kernel as people read it."""

from __future__ import annotations

import re


def indented(source: str, name: str) -> str:
    """The source with lines indented by the braces around them, and a comment that says what a work-item does."""
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
    """Sizes of arrays are those of the batch, so the renderer's comment would not be true."""
    return re.sub(
        rf"^// \w*{name}: .*$",
        f"// {name}: each work-item runs chunk_ members of the batch",
        source,
        flags=re.MULTILINE,
    )
