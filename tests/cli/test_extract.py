"""`eqsat extract` and `eqsat gym`: results, resumption, and mistakes."""

import json
import sqlite3

import pytest

from eqsat.extract import Problem


@pytest.fixture
def directory(tmp_path):
    """Two e-graphs: one whose sharing only a set cost sees, and a smaller one."""
    shared = Problem.build([5, 4, 4, 3, 6, 9], [0, 1, 2, 1, 2, 2], [[], [0], [0], [], [], []], roots=[1, 2])
    shared.save(tmp_path / "shared.json")
    Problem.build([1, 2], [0, 0], [[], []], roots=[0]).save(tmp_path / "small.json")
    return tmp_path


def test_extract_prints_costs_and_bound(run, directory):
    code, text, _ = run("extract", directory / "shared.json", "--json")
    document = json.loads(text)
    assert code == 0
    assert {key: document[key] for key in ("extractor", "dag_cost", "lower_bound", "tree_cost", "optimal", "gap")} == {
        "extractor": "portfolio", "dag_cost": 9.0, "lower_bound": 9.0, "tree_cost": 9.0, "optimal": True, "gap": 0.0,
    }  # fmt: skip
    assert document["seconds"] > 0


def test_extract_writes_the_choice_and_a_table(run, directory):
    chosen = directory / "choice.txt"
    code, text, _ = run("extract", directory / "small.json", "--extractor", "bottom-up", "--output", chosen)
    assert code == 0
    assert "optimal" in text
    assert json.loads(chosen.read_text()) == {"0": "node0"}


def test_gym_goes_on_where_it_was_interrupted(run, directory):
    results = directory / "results.sqlite"
    options = [
        "--extractor",
        "greedy-dag",
        "--extractor",
        "milp",
        "--time-limit",
        "5",
        "--results",
        results,
        "--json",
    ]
    code, text, _ = run("gym", directory, *options)
    first = json.loads(text)
    assert code == 0
    assert len(first["rows"]) == 4
    with sqlite3.connect(results) as database:
        database.execute("DELETE FROM outcomes WHERE extractor = 'milp'")
        database.execute("UPDATE outcomes SET seconds = 1234")
    _, text, _ = run("gym", directory, *options)
    again = json.loads(text)
    assert [row["seconds"] == 1234 for row in again["rows"]] == [True, False, True, False]
    assert [row["dag_cost"] for row in again["rows"]] == [row["dag_cost"] for row in first["rows"]]


def test_gym_tells_of_a_file_that_cannot_be_extracted_and_goes_on(run, directory):
    (directory / "broken.json").write_text('{"nodes": {')
    code, text, _ = run("gym", directory, "--extractor", "greedy-dag")
    assert code == 1
    assert "broken.json" in text
    assert "is not JSON" in text
    assert (
        "greedy-dag: 2 of 3 files, 1 proved optimal" in text
        or "greedy-dag: 2 of 3 files, 2 proved optimal" in text
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["extract", "missing.json"], "cannot read missing.json"),
        (
            ["extract", "{}/shared.json", "--extractor", "oracle"],
            "no extractor is named 'oracle'; there are bottom-up",
        ),
        (["extract", "{}/shared.json", "--time-limit", "-1"], "'-1' is no number above 0"),
        (["extract", "{}/shared.json", "--output", "{}/no/such/place"], "there is no folder"),
        (["gym", "{}/nowhere"], "no JSON files are in"),
        (["gym", "{}", "--extractor", "oracle"], "no extractor is named 'oracle'"),
        (["gym", "{}", "--results", "{}/shared.json"], "cannot keep results in"),
    ],
)
def test_mistakes_are_told(run, directory, arguments, message):
    code, _, errors = run(*(argument.format(directory) for argument in arguments))
    assert code == 2
    assert message in errors
