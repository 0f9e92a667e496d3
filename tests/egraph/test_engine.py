"""E-graphs that serve one graph after another."""

import pytest

import eqsat as eq
from eqsat.egraph.search import engine
from eqsat.egraph.search.engine import Engine
from eqsat.egraph.tables.syntax import call, integer, let, text
from eqsat.rules.language.rule import RuleSet


def use(served: Engine, number: int) -> int:
    """Has a graph of one constant in an engine; the rows that it then has."""
    with served.graph():
        served.feed([let("x", call("CONST", text("index"), text("()"), integer(number)))])
        return served.rows()


@pytest.mark.parametrize(("restored", "made"), [(10_000, 10_000), (20, 10_000), (10_000, 20), (20, 60)])
def test_graphs_leave_nothing_behind(monkeypatch: pytest.MonkeyPatch, restored: int, made: int) -> None:
    monkeypatch.setattr(engine, "RESTORED_AFTER", restored)
    monkeypatch.setattr(engine, "MADE_AFTER", made)
    served = Engine(RuleSet())
    assert [use(served, number) for number in range(30)] == [1] * 30


def test_what_egglog_keeps_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    served = Engine(RuleSet())
    monkeypatch.setattr(engine, "MADE_AFTER", served.commands + 50)
    before = served.egraph
    most = 0
    for number in range(30):
        use(served, number)
        most = max(most, served.commands)
    assert served.egraph is not before
    assert most < engine.MADE_AFTER + 50


def test_results_stay_the_same_when_the_e_graph_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = eq.variable("a", 0, 99), eq.variable("b", 0, 9)
    written = (a * 15 + b) // 10 * 10 + (a * 15 + b) % 10 + (a < b).where(a // 4, b)
    expected = eq.simplify(written)
    monkeypatch.setattr(engine, "MADE_AFTER", 1)
    assert all(eq.simplify(written) is expected for _ in range(3))
