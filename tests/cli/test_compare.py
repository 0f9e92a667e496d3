"""`eqsat compare`: the table in each form, failing cells, and mistakes."""

import json

import pytest

import eqsat as eq
from eqsat import cli
from eqsat.extract import Problem


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """Runs `eqsat compare …` where two files are; gives the exit code, what it printed, and its errors."""
    Problem.build([5, 1, 5.5], [0, 1, 1], [[], [0], []], roots=[1]).save(tmp_path / "problem.json")
    Problem.build([1, 1], [0, 1], [[1], [0]], roots=[0]).save(tmp_path / "cyclic.json")
    graph = eq.trace(lambda x: x * 2.0 + x * 2.0, eq.spec((8,), eq.float32))
    (tmp_path / "graph.json").write_text(json.dumps(eq.to_json([graph])))
    monkeypatch.chdir(tmp_path)

    def run_command(*arguments):
        code = cli.main(["compare", *arguments, "--processes", "1"])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run_command


def test_table_as_text_markdown_json_and_picture(run, tmp_path):
    options = ("--cost", "operations", "--cost", "latency", "--extractor", "greedy-dag", "--measure")
    code, text, errors = run("graph.json", *options, "--markdown", "table.md", "--plot", "plot.svg")
    assert (code, errors) == (0, "")
    assert "prediction against measurement" in text
    table = (tmp_path / "table.md").read_text()
    assert [line.split(" | ")[1] for line in table.splitlines()[2:4]] == ["operations", "latency"]
    assert (tmp_path / "plot.svg").read_text().startswith("<?xml")


def test_rows_as_json(run):
    code, text, _ = run(
        "graph.json", "problem.json", "--cost", "operations", "--extractor", "greedy-dag", "--json"
    )
    rows = json.loads(text)["rows"]
    assert code == 0
    assert [(row["graph"], row["cost_model"], row["dag_cost"], row["kernels"]) for row in rows] == [
        ("graph.json", "operations", 2.0, 1),
        ("problem.json", "file", 5.5, None),
    ]


def test_a_cell_that_fails_is_a_row_and_the_exit_code(run):
    code, text, _ = run("cyclic.json", "problem.json", "--extractor", "greedy-dag")
    assert code == 1
    assert "no finite" in text.replace("\n", " ")
    assert "5.5" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: FILE_OR_EXAMPLE"),
        (["softmaks"], "no file or example is named 'softmaks'; the examples are softmax"),
        (["graph.json", "--cost", "beauty"], "no cost model is named 'beauty'; there are operations"),
        (["graph.json", "--extractor", "oracle"], "no extractor is named 'oracle'; there are bottom-up"),
        (["graph.json", "--time-limit", "0"], "'0' is no number above 0"),
        (["graph.json", "--plot", "no/such/plot.png"], "there is no folder no/such to write plot.png to"),
        (["graph.json", "--markdown", "no/table.md"], "there is no folder no to write table.md to"),
        (["graph.json", "--processes", "none"], "'none' is no integer from 1"),
    ],
)
def test_mistakes_are_told_before_any_work(run, arguments, message):
    code, _, errors = run(*arguments)
    assert code == 2
    assert message in errors
    assert errors.count("\n") == 1


def test_a_missing_extra_is_named(run, monkeypatch, capsys):
    import eqsat.comparison as comparison

    monkeypatch.setattr(comparison, "find_spec", lambda name: None)
    assert cli.main(["compare", "graph.json", "--cluster", "tcp://127.0.0.1:9"]) == 2
    assert 'pip install "eqsat[cluster]"' in capsys.readouterr().err
