"""Extracting every file of a collection, with results that outlive an interruption."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any

from eqsat.errors import EqsatError, GraphFileError
from eqsat.extract.gym.files import load
from eqsat.extract.registry import extractor_named

COLUMNS = (
    "file, digest, extractor, time_limit, dag_cost, tree_cost, lower_bound, gap, optimal, seconds, error"
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one extractor made of one file.

    Attributes:
        file: its path.
        digest: of its contents.
        extractor: by name.
        time_limit: seconds that it had.
        dag_cost: of the choice, each node counted once.
        tree_cost: of the terms written out.
        lower_bound: no choice costs less.
        gap: between them, relative to the cost.
        optimal: whether there is none.
        seconds: that it took, reading aside.
        error: what went wrong; empty if nothing did.
    """

    file: str
    digest: str
    extractor: str
    time_limit: float
    dag_cost: float = 0.0
    tree_cost: float = 0.0
    lower_bound: float = 0.0
    gap: float = 0.0
    optimal: bool = False
    seconds: float = 0.0
    error: str = ""

    def to_json(self) -> dict[str, Any]:
        """The fields."""
        return asdict(self)


class Results:
    """The rows computed so far, in a SQLite file, or in memory where no file is named. Use it in a `with` statement.

    Raises:
        GraphFileError: the file cannot be opened, or is no SQLite file.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        try:
            self.database = sqlite3.connect(path or ":memory:")
            self.database.execute(
                f"CREATE TABLE IF NOT EXISTS outcomes ({COLUMNS}, PRIMARY KEY (digest, extractor, time_limit))"
            )
        except sqlite3.Error as error:
            raise GraphFileError(f"cannot keep results in {path}: {error}; name another file") from error

    def __enter__(self) -> Results:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.database.close()

    def find(self, digest: str, extractor: str, time_limit: float) -> Outcome | None:
        """The row of a file with these contents, if it was computed before."""
        row = self.database.execute(
            f"SELECT {COLUMNS} FROM outcomes WHERE digest = ? AND extractor = ? AND time_limit = ?",
            (digest, extractor, time_limit),
        ).fetchone()
        if row is None:
            return None
        fields: dict[str, Any] = dict(zip(COLUMNS.split(", "), row, strict=True))
        fields["optimal"] = bool(fields["optimal"])
        return Outcome(**fields)

    def keep(self, outcome: Outcome) -> None:
        """Stores a row at once."""
        fields = outcome.to_json()
        with self.database:
            self.database.execute(
                f"INSERT OR REPLACE INTO outcomes ({COLUMNS}) VALUES ({', '.join('?' * len(fields))})",
                [fields[column] for column in COLUMNS.split(", ")],
            )


def find_files(directory: Path) -> list[Path]:
    """The JSON files below a directory, in alphabetical order.

    Raises:
        GraphFileError: there are none.
    """
    files = sorted(directory.rglob("*.json")) if directory.is_dir() else []
    if not files:
        raise GraphFileError(f"no JSON files are in {directory}; name a directory of extraction-gym files")
    return files


def run_collection(
    files: Sequence[Path],
    extractors: Sequence[str],
    time_limit: float,
    results: Results,
    progress: Callable[[str], None] = lambda message: None,
) -> list[Outcome]:
    """A row for each file and extractor. A file that cannot be extracted gives a row that says why.

    Raises:
        ExtractionError: there is no such extractor.
    """
    for name in extractors:
        extractor_named(name)
    outcomes: list[Outcome] = []
    for file in files:
        digest = sha256(file.read_bytes()).hexdigest()
        for name in extractors:
            progress(f"{file.name}, {name}")
            known = results.find(digest, name, time_limit)
            outcome = known or _extract(file, digest, name, time_limit)
            if known is None:
                results.keep(outcome)
            outcomes.append(outcome)
    return outcomes


def _extract(file: Path, digest: str, name: str, time_limit: float) -> Outcome:
    try:
        found = extractor_named(name, time_limit).extract(load(file))
        found.validate()
    except EqsatError as error:
        return Outcome(str(file), digest, name, time_limit, error=str(error))
    return Outcome(
        str(file), digest, name, time_limit, found.dag_cost, found.tree_cost, found.lower_bound, found.gap, found.optimal,
        found.seconds,
    )  # fmt: skip
