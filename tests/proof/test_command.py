"""`eqsat rules`, and the page that it writes."""

import json
import re
from pathlib import Path

import pytest

from eqsat import cli
from eqsat.proof import verify
from eqsat.proof.document import document, table_row
from eqsat.rules.integers.bits import bits
from eqsat.rules.integers.booleans import booleans
from eqsat.rules.language.rule import RuleSet
from eqsat.rules.library import LIBRARY
from tests.rules.planted import WRONG

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Runs `eqsat rules …`; gives the exit code, what it printed, and its errors."""
    monkeypatch.setenv("EQSAT_CACHE", str(tmp_path))

    def run_command(*arguments):
        code = cli.main(["rules", *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run_command


def test_all_rules_are_listed(run):
    code, text, _ = run("--json")
    listed = json.loads(text)
    assert code == 0
    assert listed["rules"] == len(LIBRARY)
    row = next(row for row in listed["rows"] if row["name"] == "divide_multiple")
    assert (row["equation"], row["soundness"]) == ("(x * c) // c = x where c != 0", "exact")


def test_a_topic_is_listed_as_a_table(run):
    code, text, _ = run("bits")
    assert code == 0
    assert f"{len(bits.ruleset)} rules" in text
    assert "x << 0 = x" in text


def test_a_topic_is_verified(run):
    count = len(booleans.ruleset)
    code, text, _ = run("booleans", "--verify", "--json")
    found = json.loads(text)
    assert code == 0
    assert {name: found[name] for name in ("rules", "obligations", "proved", "sampled", "timed_out", "refuted")} == {
        "rules": count, "obligations": count, "proved": count, "sampled": 0, "timed_out": 0, "refuted": 0,
    }  # fmt: skip
    _, text, _ = run("booleans", "--verify")
    assert f"{count} claims from the cache" in text


def test_fewer_samples_are_drawn_and_kept_apart(run):
    def elements(*options):
        code, text, _ = run("power_of_logarithm_exp", "--verify", "--json", *options)
        (row,) = json.loads(text)["rows"]
        return code, [result["elements"] for result in row["results"]]

    _, few = elements("--samples", "2")
    _, usual = elements()
    assert all(0 < one < other for one, other in zip(few, usual, strict=True))
    assert elements("--samples", "2") == (0, few)
    assert run("bits", "--verify", "--samples", "0")[0] == 2


def test_a_wrong_rule_is_shown_and_the_exit_code_is_1(run, monkeypatch):
    rules = RuleSet(tuple(rule for rule in WRONG if rule.name == "truncate_like_floor"))
    monkeypatch.setattr("eqsat.cli.rules.chosen_rules", lambda names: rules)
    code, text, _ = run("--verify", "--no-cache")
    assert code == 1
    assert "truncate_like_floor is wrong" in text
    assert "UOp(Op.IDIV" in text


def test_a_topic_that_is_none_is_named(run):
    code, _, error = run("astrology")
    assert code == 2
    assert "no topic or rule is named 'astrology'" in error


def test_the_page_is_up_to_date():
    text = PAGE.read_text()
    listed = re.findall(r"^\| `(\w+)`<br>", text, re.MULTILINE)
    assert listed == [rule.name for rule in LIBRARY], "run: eqsat rules --markdown > docs/rules.md"
    for rule in LIBRARY:
        assert table_row(rule) in text, "run: eqsat rules --markdown > docs/rules.md"


def test_the_page_is_what_a_verification_makes():
    rules = [rule for rule in LIBRARY if rule.topic == "booleans"]
    rows = re.findall(r"^\| `.*$", document(verify(rules, cache=None)), re.MULTILINE)
    assert len(rows) == len(rules)
    assert set(rows) <= set(PAGE.read_text().splitlines())
