"""The operation names that the two published UOp references list: read from their text where it is at hand."""

from __future__ import annotations

import json
import re
from pathlib import Path

from eqsat.ops import Op

SEEDS = Path(__file__).parent.parent.parent / "shared" / "seeds"
RECORDED = Path(__file__).parent / "data" / "seed_ops.json"

_BY_LETTERS = {op.name.replace("_", ""): op.name for op in Op}


def recorded() -> dict[str, list[str]]:
    """The checked-in lists, by seed number."""
    return json.loads(RECORDED.read_text())


def parse(number: str, text: str) -> list[str]:
    """The operations that a seed describes, sorted."""
    return sorted({"000": _described_000, "001": _described_001}[number](text))


def _described_000(text: str) -> set[str]:
    """Headings stand right before a line "- Description:", possibly over several lines, possibly as a list in parentheses."""
    names: set[str] = set()
    lines = text.splitlines()
    for position, line in enumerate(lines):
        if not line.startswith("- Description:"):
            continue
        begin = position
        while begin and not re.search(r"[.:]$|^- ", lines[begin - 1]):
            begin -= 1
        names.update(re.findall(r"\b[A-Z][A-Z0-9_]+\b", " ".join(lines[begin:position])))
    return names


def _described_001(text: str) -> set[str]:
    """Headings "NAME — what", rows of the table "Additional Operations", rows of "By Category", and the reduce operations."""
    names: set[str] = set()
    for heading in re.findall(r"^([A-Za-z_]+(?: / [A-Za-z_]+)*) — [A-Z]", text, re.MULTILINE):
        names.update(_spelled(name) for name in heading.split(" / "))
    table = text.partition("\nOperationPurpose\n")[2].partition("\n\n")[0]
    for row in table.splitlines():
        names.update(_camel_names(row))
    categories = text.partition("\nCategoryOperations\n")[2].partition("\n\n")[0]
    for row in categories.splitlines():
        names.update(re.findall(r"(?:(?<=[a-z])|(?<=, ))[A-Z][A-Z_]{1,}(?=,|$)", row))
    movement = text.partition("\nOperationSignaturePurpose\n")[2].partition("\n\n")[0]
    names.update(_spelled(row.partition("{")[0]) for row in movement.splitlines())
    reductions = text.partition("\nOpIdentityOperationTinygrad\n")[2].partition("\n\n")[0]
    names.update(_spelled(re.match("[A-Z][a-z]+", row).group()) for row in reductions.splitlines())
    return names


def _camel_names(row: str) -> list[str]:
    """The known names that a row of a table without column separators starts with: "Custom / CustomIInline …"."""
    names: list[str] = []
    for part in row.split(" / "):
        starts = [part[:end] for end in range(len(part), 0, -1) if part[:end].upper() in _BY_LETTERS]
        known = [
            start
            for start in starts
            if re.fullmatch(r"[A-Z]\w*", start) and not part[len(start) :][:1].islower()
        ]
        names += [_spelled(known[0])] if known else [f"unknown: {part}"]
    return names


def _spelled(name: str) -> str:
    """`PtrCat` and `PTRCAT` as the table spells them; a name that it lacks stays visible."""
    return _BY_LETTERS.get(name.replace("_", "").upper(), f"unknown: {name}")
