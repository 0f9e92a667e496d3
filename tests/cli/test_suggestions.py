"""`eqsat rules --suggest`."""

import json

import pytest

from eqsat import cli
from eqsat.suggest import Search


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Runs `eqsat rules --suggest …`; gives the exit code, what it printed, and its errors."""
    monkeypatch.setenv("EQSAT_CACHE", str(tmp_path))

    def run_command(*arguments):
        code = cli.main(["rules", "--suggest", *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run_command


def test_suggestions_are_printed_as_a_table_and_as_code(run):
    code, text, _ = run("--domain", "bits", "--size", "1", "sums")
    assert code == 0
    assert "x << 0 = x" in text
    assert "@suggestions.rule(INTS)\ndef shl_2(x: Value) -> Rewrite:" in text
    assert "return rewrite(x << 0, x)" in text
    assert "complete: all left sides of up to 1 operations" in text


def test_suggestions_as_json(run):
    code, text, _ = run("--domain", "bits", "--size", "1", "--json", "sums")
    found = json.loads(text)
    assert code == 0
    assert (found["end"], found["searched"]) == ("complete", 1)
    row = next(row for row in found["suggestions"] if row["equation"] == "x << 0 = x")
    assert (row["domain"], row["size"], row["gain"], row["verified"]) == ("INTS", 1, 1, {"proved": 8})


def test_a_limit_makes_the_result_partial(run):
    code, text, _ = run("--domain", "bits", "--size", "1", "--limit", "1", "sums")
    assert code == 0
    assert "partial: stopped at the limit" in text


def test_time_makes_the_result_partial(run):
    code, text, _ = run("--seconds", "0.001", "--json")
    assert (code, json.loads(text)["end"]) == (0, "seconds")


def test_an_interrupted_search_prints_what_it_has(run, monkeypatch):
    search = Search.__iter__

    def interrupted(self):
        yield next(search(self))
        raise KeyboardInterrupt

    monkeypatch.setattr(Search, "__iter__", interrupted)
    code, text, error = run("--domain", "bits", "--size", "1", "sums")
    assert code == 130
    assert "@suggestions.rule" in text
    assert "partial: interrupted" in text
    assert error.endswith("interrupted\n")


def test_a_domain_that_is_none_is_an_error(run):
    code, _, error = run("--domain", "astrology")
    assert code == 2
    assert "astrology" in error
