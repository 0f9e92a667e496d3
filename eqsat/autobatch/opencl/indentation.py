"""Formats the text of a kernel for readers."""

from __future__ import annotations

import re


def indented(source: str, name: str) -> str:
    """The source with the kernel's lines indented by their enclosing braces, and with a comment that says what a work-item does.

    The functions before the kernel stay as they are, so that other sources with the same functions can be joined to it.
    """
    # The renderer's comment would be wrong, because the sizes of arrays depend on the batch
    functions, kernel = re.split(rf"^// \w*{name}: .*\n", source, maxsplit=1, flags=re.MULTILINE)
    lines = [f"// {name}: each work-item runs chunk_ members of the batch"]
    depth = 0
    for line in map(str.strip, kernel.splitlines()):
        depth -= line.startswith("}")
        lines.append(
            "    " * (depth - line.endswith(": {")) + line if line and not line.startswith("#") else line
        )
        depth += line.count("{") - line.count("}") + line.startswith("}")
    return functions + "\n".join(lines) + "\n"
