"""The rooms, which are parts of the source that are changed, and the tests that may notice changes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

TESTS = (
    "tests/test_ops_table.py", "tests/test_ops_rows.py", "tests/spec", "tests/forms", "tests/codegen", "tests/reference/test_linear.py",
    "tests/reference/test_kernels.py", "tests/schedule/test_forms.py",
)  # fmt: skip
IGNORED = tuple(
    f"tests/codegen/test_{name}.py"
    for name in (
        "functions_circular",
        "functions_exponential",
        "operations",
        "c",
        "half",
        "extremes",
        "shortcuts",
    )
)
"""Tests that are not run: those of elementary functions, which are in no room here, take long; those of shortcuts replace code themselves."""
PAGES = {"tests/forms/test_table.py::test_page_is_current": "eqsat/spec/stages.py"}
"""Tests of a page that a file generates from others. They notice any change of the others, whatever it means, so they run for that file only."""


@dataclass(frozen=True)
class Room:
    """A part of the source whose files are changed together; in rooms with `texts`, strings are changed as well."""

    name: str
    places: tuple[str, ...]
    texts: bool = False

    def files(self, root: Path) -> list[str]:
        """Its files, as paths from the root of the tree."""
        found = [
            each
            for place in self.places
            for each in ([root / place] if place.endswith(".py") else sorted((root / place).rglob("*.py")))
        ]
        return [str(each.relative_to(root)) for each in found]


ROOMS = (
    Room("table", ("eqsat/ops",)),
    Room("spec", ("eqsat/spec",)),
    Room("older forms", ("eqsat/codegen/linearization/older_forms.py", "eqsat/codegen/expansion/older_forms.py")),
    Room("expansion", ("eqsat/codegen/expansion",)),
    Room("linearization", ("eqsat/codegen/linearization",)),
    Room("rendering", ("eqsat/codegen/rendering",), texts=True),
)  # fmt: skip
