"""Text of the target language that a graph contains: CUSTOM and CUSTOMI."""

from __future__ import annotations

from collections.abc import Sequence
from string import Formatter

from eqsat.errors import CodegenError, brief


def fill(template: str, operands: Sequence[str]) -> str:
    """Replaces the fields of a text by operands: `{0}` is the first one, `{}` the next, and `{{` and `}}` are braces.

    Nothing else may stand between braces. `str.format` also allows attributes and items of operands, conversions and widths: with these, a
    text could reach into the process that fills it, or become arbitrarily large.

    Raises:
        CodegenError: something else stands between braces, or there is no such operand.

    >>> fill("if ({0}) {{ {1}; }}", ["x < 3", "y"])
    'if (x < 3) { y; }'
    """
    pieces: list[str] = []
    following = 0
    try:
        for text, field, width, conversion in Formatter().parse(template):
            pieces.append(text)
            if field is None:
                continue
            if (
                width
                or conversion
                or not (field == "" or (field.isascii() and field.isdigit() and len(field) < 6))
            ):
                raise ValueError(f"{{{field}}} is no number of a source")
            number = int(field) if field else following
            following += field == ""
            pieces.append(operands[number])
    except (ValueError, IndexError) as error:
        raise CodegenError(
            f"the text {brief(template)} cannot be filled with {len(operands)} sources ({error}); write {{0}} for the first"
        ) from error
    return "".join(pieces)
