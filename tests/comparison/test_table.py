"""What becomes of rows: text, Markdown, JSON, plots and rank correlations."""

import io
import json
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console

from eqsat.comparison import Comparison, Correlation, Prediction, Row, plots
from eqsat.comparison.correlation import spearman
from eqsat.errors import ComparisonError

DONE = Row(
    "a|b.json",
    "latency",
    "milp",
    "cycles",
    7.0,
    11.0,
    7.0,
    5.25,
    0.25,
    False,
    0.012,
    40,
    20,
    2,
    "5eed",
    1.5e-5,
)
LOST = Row("a|b.json", "latency", "hangs", "cycles", error="timed out:\nended after 2 s [sic]")
TIMES = {"p": 1e-5, "q": 2e-5, "r": 4e-5}
TABLE = Comparison(
    (DONE, LOST),
    (
        *(Prediction("g", program, "falls", -time, time) for program, time in TIMES.items()),
        *(Prediction("g", program, "rises", time**2, time) for program, time in TIMES.items()),
        *(Prediction("g", program, "same", 1.0, time) for program, time in TIMES.items()),
    ),
)


def cells(line):
    """Of a row of Markdown, in which a bar in a cell is escaped."""
    return [cell.strip().replace("\0", "|") for cell in line.replace("\\|", "\0").strip("|").split("|")]


def test_markdown_has_a_line_for_each_row():
    table, correlations = TABLE.to_markdown().split("\n\n")
    titles, rules, done, lost = map(cells, table.splitlines())
    assert len(titles) == len(rules) == len(done) == len(lost)
    assert dict(zip(titles, done, strict=True)) == {
        "graph": "a|b.json", "cost model": "latency", "extractor": "milp", "predicted": "7", "tree cost": "11", "DAG cost": "7",
        "bound": "5.25", "gap": "25.00%", "unit": "cycles", "extraction, s": "0.012", "kernels": "2", "run, s": "1.5e-05", "error": "",
    }  # fmt: skip
    assert lost[-1] == "timed out: ended after 2 s [sic]"
    assert [cells(line) for line in correlations.splitlines()][2:] == [
        ["falls", "3", "-1.000"],
        ["rises", "3", "1.000"],
        ["same", "3", "–"],
    ]
    assert TABLE._repr_markdown_() == TABLE.to_markdown()


def test_columns_that_no_row_fills_are_left_out():
    titles = cells(Comparison((Row("g", "m", "e", dag_cost=1.0),)).to_markdown().splitlines()[0])
    assert titles == ["graph", "cost model", "extractor", "DAG cost"]


def test_json_is_read_back():
    unbounded = Row("g", "m", "e", dag_cost=1.0, lower_bound=float("-inf"), gap=float("inf"))
    document = json.loads(
        json.dumps(Comparison((*TABLE.rows, unbounded), TABLE.predictions).to_json(), allow_nan=False)
    )
    assert [Row(**row) for row in document["rows"][:2]] == [DONE, LOST]
    assert (document["rows"][2]["lower_bound"], document["rows"][2]["gap"]) == (None, None)
    assert tuple(Prediction(**each) for each in document["predictions"]) == TABLE.predictions
    assert tuple(Correlation(**each) for each in document["correlations"]) == TABLE.correlations


def test_text_shows_numbers_whole_and_errors():
    stream = io.StringIO()
    Console(file=stream, width=100).print(TABLE)
    text = stream.getvalue()
    for part in (
        "a|b.json",
        "milp",
        "25.00%",
        "1.5e-05",
        "latency, hangs: timed out:",
        "[sic]",
        "latency in cycles",
        "-1.000",
    ):
        assert part in text


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_plot_is_a_picture_of_its_ending(tmp_path, ending):
    path = tmp_path / f"plot.{ending}"
    TABLE.plot(path)
    start = path.read_bytes()[:5]
    assert start == {"svg": b"<?xml", "png": b"\x89PNG\r", "pdf": b"%PDF-"}[ending]


def test_plot_shows_extractors_and_models(tmp_path):
    TABLE.plot(tmp_path / "plot.svg")
    text = (tmp_path / "plot.svg").read_text()
    ET.fromstring(text)
    for name in ("Cost against time", "milp", "Predicted against measured", "falls", "rises"):
        assert name in text  # Matplotlib writes each text as a comment beside its glyphs
    Comparison((LOST,)).plot(tmp_path / "nothing.svg")
    assert "Predicted against measured" not in (tmp_path / "nothing.svg").read_text()


def test_plot_that_cannot_be_written_is_an_error(tmp_path):
    with pytest.raises(
        ComparisonError, match=r"Matplotlib draws no plot\.doc; name it with one of the endings \."
    ):
        TABLE.plot(tmp_path / "plot.doc")
    with pytest.raises(ComparisonError, match="cannot write"):
        TABLE.plot(tmp_path / "no" / "plot.png")


def test_missing_matplotlib_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(plots, "find_spec", lambda name: None)
    with pytest.raises(ComparisonError, match=r'pip install "eqsat\[plot\]"'):
        TABLE.plot(tmp_path / "plot.png")


def test_equal_numbers_share_their_rank():
    assert spearman([1, 2, 2, 3], [10, 30, 20, 40]) == pytest.approx(3 / 10**0.5)


@pytest.mark.parametrize(("left", "right"), [([], []), ([1, 2], [1, 2]), ([1, 1, 1], [1, 2, 3])])
def test_no_order_has_no_rank_correlation(left, right):
    assert spearman(left, right) is None
