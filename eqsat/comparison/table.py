"""The rows of a comparison as text, Markdown, JSON and plots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from eqsat.comparison.cell import Row
from eqsat.comparison.correlation import Correlation, Prediction, correlate

if TYPE_CHECKING:
    from rich.console import RenderableType

NOTHING = "–"


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its title, the text of a row in it, and whether that is a number."""

    title: str
    text: Callable[[Row], str]
    is_number: bool = True


def _number(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.6g}"


def _time(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.3g}"


def _gap(row: Row) -> str:
    if row.gap is None:
        return "failed" if row.error else NOTHING
    return "optimal" if row.optimal else f"{row.gap:.2%}"


COLUMNS = (
    Column("graph", lambda row: row.graph, is_number=False),
    Column("cost model", lambda row: row.cost_model, is_number=False),
    Column("extractor", lambda row: row.extractor, is_number=False),
    Column("predicted", lambda row: _number(row.predicted)),
    Column("tree cost", lambda row: _number(row.tree_cost)),
    Column("DAG cost", lambda row: _number(row.dag_cost)),
    Column("bound", lambda row: _number(row.lower_bound)),
    Column("gap", _gap),
    Column("unit", lambda row: row.unit or NOTHING, is_number=False),
    Column("extraction, s", lambda row: _time(row.seconds)),
    Column("kernels", lambda row: NOTHING if row.kernels is None else str(row.kernels)),
    Column("run, s", lambda row: _time(row.run_seconds)),
    Column("error", lambda row: row.error, is_number=False),
)
CORRELATION_TITLES = ("cost model", "programs", "rank correlation")


@dataclass(frozen=True, slots=True)
class Comparison:
    """A table with a row for each graph, cost model and extractor. Rich and notebooks show it.

    Attributes:
        rows: the rows by graph, cost model and extractor, in the order in which these were given.
        predictions: if run times were measured, the predictions of each cost model for every program of the table.
    """

    rows: tuple[Row, ...]
    predictions: tuple[Prediction, ...] = ()

    @property
    def correlations(self) -> tuple[Correlation, ...]:
        """For each cost model, how well its predictions rank the programs that ran."""
        return correlate(self.predictions)

    def to_json(self) -> dict[str, Any]:
        """A document of plain values: `rows`, `predictions` and `correlations` with the fields of their classes."""
        return {
            "rows": [document(row) for row in self.rows],
            "predictions": [document(each) for each in self.predictions],
            "correlations": [document(each) for each in self.correlations],
        }

    def to_markdown(self) -> str:
        """The table in GitHub's Markdown; if run times were measured, also a table of the correlations."""
        columns = _filled(COLUMNS, self.rows)
        table = _markdown(
            [column.title for column in columns],
            [column.is_number for column in columns],
            [[column.text(row) for column in columns] for row in self.rows],
        )
        if not self.correlations:
            return table
        correlations = [_correlation_cells(each) for each in self.correlations]
        return table + "\n" + _markdown(CORRELATION_TITLES, (False, True, True), correlations)

    def plot(self, path: str | Path) -> None:
        """Writes a plot in the format that the ending of `path` names.

        It shows cost against time for each extractor and, if run times were measured, prediction against measurement for each cost model. Needs
        the extra: pip install "eqsat[plot]".

        Raises:
            ComparisonError: Matplotlib is not installed, or the file cannot be written.
        """
        from eqsat.comparison.plots import draw

        draw(self.rows, self.predictions, Path(path))

    def _repr_markdown_(self) -> str:
        return self.to_markdown()

    def __rich__(self) -> RenderableType:
        from rich.console import Group

        tables = [
            part
            for graph in dict.fromkeys(row.graph for row in self.rows)
            for part in _rich_tables(graph, [row for row in self.rows if row.graph == graph])
        ]
        if not self.correlations:
            return Group(*tables)
        correlations = Table(
            *CORRELATION_TITLES, title="prediction against measurement", title_justify="left"
        )
        for each in self.correlations:
            correlations.add_row(*(escape(text) for text in _correlation_cells(each)))
        return Group(*tables, correlations)


def document(record: Row | Prediction | Correlation) -> dict[str, Any]:
    """The fields of a record, with None in place of infinities and NaN, which JSON does not have."""
    return {
        name: None if isinstance(value, float) and not isfinite(value) else value
        for name, value in asdict(record).items()
    }


def _filled(columns: Sequence[Column], rows: Sequence[Row]) -> list[Column]:
    """The columns in which some row has a text."""
    return [column for column in columns if any(column.text(row) not in ("", NOTHING) for row in rows)]


def _rich_tables(graph: str, rows: Sequence[Row]) -> list[RenderableType]:
    """The rows of one graph as a table; the units and errors stand below it, because in the table they would take the width of the numbers."""
    table = Table(title=escape(graph), title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    columns = _filled([column for column in COLUMNS if column.title not in ("graph", "unit", "error")], rows)
    for column in columns:
        justify = "right" if column.is_number else "left"
        table.add_column(column.title, justify=justify, no_wrap=column.is_number)
    for row in rows:
        table.add_row(*(escape(column.text(row)) for column in columns), style="red" if row.error else None)
    units = {row.cost_model: row.unit for row in rows if row.unit}
    notes = [", ".join(f"{model} in {unit}" for model, unit in units.items())] if units else []
    notes += [f"{row.cost_model}, {row.extractor}: {row.error}" for row in rows if row.error]
    notes += [f"no kernels: {why}" for why in dict.fromkeys(row.unscheduled for row in rows) if why]
    return [table, *map(Text, notes)]


def _correlation_cells(correlation: Correlation) -> list[str]:
    value = correlation.spearman
    return [
        correlation.cost_model,
        str(correlation.programs),
        NOTHING if value is None else f"{value:.3f}",
    ]


def _markdown(titles: Sequence[str], numbers: Sequence[bool], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown; characters that would end a cell or a line are escaped."""
    rules = ["---:" if is_number else "---" for is_number in numbers]
    cells = [[" ".join(text.split()).replace("|", "\\|") for text in row] for row in rows]
    return "".join(f"| {' | '.join(row)} |\n" for row in (titles, rules, *cells))
