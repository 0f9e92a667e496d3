"""`eqsat show`: graphs, examples and e-graph files; mistakes."""

import json

import pytest

import eqsat as eq
from eqsat import cli
from eqsat.extract import Problem
from eqsat.graph_files.serialize import to_json


@pytest.fixture
def run(capsys):
    """Runs `eqsat show …`; gives the exit code, what it printed, and its errors."""

    def run_command(*arguments):
        code = cli.main(["show", *map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run_command


@pytest.fixture
def egraph(tmp_path):
    """A file of the extraction-gym format."""
    path = tmp_path / "egraph.json"
    Problem.build([1, 2, 3], [0, 0, 1], [[], [], [0]], roots=[1]).save(path)
    return path


def test_an_example_is_shown(run, tmp_path):
    code, text, _ = run("softmax", "--output", tmp_path / "page.html", "--json")
    document = json.loads(text)
    assert code == 0
    assert document["path"] == str(tmp_path / "page.html")
    assert document["bytes"] == (tmp_path / "page.html").stat().st_size
    assert document["optimal"] is True


def test_an_egraph_file_is_shown_by_the_extractor_asked_for(run, egraph, tmp_path):
    code, text, _ = run(egraph, "--extractor", "greedy-dag", "--output", tmp_path / "page.html")
    assert code == 0
    assert text.split() == [str(tmp_path / "page.html")]
    assert "<title>egraph.json" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_graph_file_is_costed_by_the_model_asked_for(run, tmp_path):
    graph = tmp_path / "graph.json"
    graph.write_text(json.dumps(to_json([eq.variable("x", 0, 63) // 5])))
    code, text, _ = run(graph, "--cost", "operations", "--output", tmp_path / "page.html", "--json")
    assert code == 0
    assert json.loads(text)["cost"] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "no file or example"),
        (["softmax", "--extractor", "none"], "no extractor is named"),
        (["softmax", "--cost", "none"], "no cost model is named"),
    ],
)
def test_mistakes_are_named(run, arguments, message):
    code, _, errors = run(*arguments)
    assert code == 2
    assert message in errors


def test_an_egraph_file_takes_no_cost_model(run, egraph):
    code, _, errors = run(egraph, "--cost", "operations")
    assert code == 2
    assert "drop --cost" in errors
