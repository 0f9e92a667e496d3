"""Suggestions hold, are news, are found where they are missing, and are the same on every run."""

import os
import subprocess
import sys

import pytest

from eqsat.dtype import bool_, index, int8
from eqsat.ops import Op
from eqsat.proof import equation, verify
from eqsat.rules.language.rule import INDEX, INTS, RuleSet
from eqsat.rules.library import INDEX_LIBRARY
from eqsat.suggest import GRAMMARS, Search
from eqsat.suggest.candidate import Candidate
from eqsat.suggest.derivation import underivable
from eqsat.suggest.grammar import NOT_ZERO, NOTHING, POSITIVE, Grammar, over

DIVISIONS = Grammar(
    "divisions", {"x": index}, ("c", "d"), index, (0, 1), over(index, Op.MUL, Op.FLOORDIV, Op.FLOORMOD), (index,), (INDEX,),
    (NOTHING, NOT_ZERO, POSITIVE),
)  # fmt: skip
EXTREMES = Grammar(
    "extremes", {"x": index, "y": index}, (), index, (), over(index, Op.MAX, Op.CMPLT), (bool_,), (INDEX,), (NOTHING,)
)  # fmt: skip
BITS = Grammar(
    "bits", {"x": int8, "y": int8}, (), int8, (0, 1), over(int8, Op.SHL, Op.MUL), (int8,), (INTS,), (NOTHING,)
)


def equations(grammar, rules, size=2):
    return [equation(suggestion.rule) for suggestion in Search(grammar, rules, size)]


@pytest.mark.parametrize(
    ("grammar", "missing", "found"),
    [
        (DIVISIONS, ("divide_multiple",), "(x * c) // c = x where c != 0"),
        (EXTREMES, ("operand_below_greater",), "x < max(x, y) = x < y"),
        (BITS, ("multiply_by_shifted_one",), "(1 << x) * y = y << x"),
    ],
)
def test_rule_that_is_taken_away_is_found_again(grammar, missing, found):
    assert found not in equations(grammar, INDEX_LIBRARY)
    assert found in equations(grammar, INDEX_LIBRARY.without(*missing))


def test_suggestions_hold_and_do_not_follow_from_those_before():
    search = Search(DIVISIONS, INDEX_LIBRARY.without("modulo_one", "floor_divide_by_one"))
    rules, found = search.rules, []
    for suggestion in search:
        assert suggestion.is_proved
        rule = suggestion.rule
        as_candidate = Candidate(rule.left, rule.right, suggestion.size, suggestion.gain, True, True, NOTHING)
        if rule.where is None:
            assert underivable([as_candidate], rules, DIVISIONS)
            assert not underivable([as_candidate], rules + RuleSet((rule,)), DIVISIONS)
        rules += RuleSet((rule,))
        found.append(rule)
    assert search.is_complete
    assert len(found) > 2
    report = verify(found, cache=None)
    assert report.proved == report.obligations


def test_what_only_samples_satisfy_is_refuted():
    """No point of the samples is large enough to tell these apart: a sum of squares and its remainder by a large number."""
    found = Search(
        Grammar(
            "far",
            {"x": index},
            (),
            index,
            (10**9,),
            over(index, Op.FLOORMOD, Op.MAX),
            (index,),
            (INDEX,),
            (NOTHING,),
        )
    )
    assert "max(x, 1000000000) = 1000000000" not in [equation(suggestion.rule) for suggestion in found]
    assert found.refuted > 0


def test_smaller_suggestions_come_first():
    sizes = [suggestion.size for suggestion in Search(DIVISIONS, INDEX_LIBRARY)]
    assert sizes == sorted(sizes)
    assert set(sizes) == {1, 2}


def test_time_that_is_up_leaves_a_partial_result():
    search = Search(GRAMMARS["index"], size=3, seconds=0.0)
    assert list(search) == []
    assert not search.is_complete


def test_output_does_not_depend_on_hashes():
    arguments = [
        "rules",
        "sums",
        "--suggest",
        "--domain",
        "unsigned",
        "--size",
        "1",
        "--limit",
        "6",
        "--json",
    ]
    texts = []
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-m", "eqsat", *arguments]
        texts.append(
            subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
        )
    assert texts[0] == texts[1]
    assert texts[0].count('"equation"') == 6
