"""Each row of docs/faults.md has tests in this folder, and each test here belongs to a row."""

import re
from pathlib import Path

HERE = Path(__file__).parent
TABLE = HERE.parents[2] / "docs" / "faults.md"


def test_rows_of_the_table_name_the_tests_beside_this_one() -> None:
    named = set(re.findall(r"`(test_\w+)`", TABLE.read_text(encoding="utf-8")))
    files = [file for file in HERE.glob("test_*.py") if file != Path(__file__)]
    written = {
        name
        for file in files
        for name in re.findall(r"^def (test_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert named == written
