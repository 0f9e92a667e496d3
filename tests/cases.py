"""Files that tests use where they are at hand: they lie beside the project and are no part of it."""

from pathlib import Path

CASES = Path(__file__).parents[2] / "shared" / "cases"
SYMBOLIC = CASES / "symbolic.json"
