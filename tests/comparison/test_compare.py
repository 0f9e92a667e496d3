"""Rows say what direct extraction says, wherever they are computed, and cells that are lost say so."""

import json
import signal
import subprocess
import sys

import numpy as np
import psutil
import pytest

import eqsat as eq
from eqsat.comparison import cluster, run
from eqsat.errors import ComparisonError, ExtractionError, GraphFileError, SpecError
from eqsat.extract import Problem, extractor_named
from eqsat.ops import Op
from eqsat.uop import UOp
from tests.comparison.suites import (
    LIMIT,
    ClaimsTooMuch,
    EndsItsProcess,
    EndsSearching,
    GivesNaN,
    Hangs,
    Ones,
    Raises,
    Talks,
    graph,
    without_times,
)

# Two classes, each 5.5 alone or 1 with a part, 5, that they can share: 11 as trees, 7 as a DAG.
SHARED = Problem.build([5, 1, 5.5, 1, 5.5], [0, 1, 1, 2, 2], [[], [0], [], [0], []], roots=[1, 2])


def test_rows_say_what_direct_extraction_says():
    models = [eq.OperationCount(), eq.LoopAware(cores=4), Ones()]
    table = eq.compare(graph(), models, ["bottom-up", "portfolio"], processes=1)
    assert [(row.cost_model, row.extractor) for row in table.rows] == [
        (model.name, extractor) for model in models for extractor in ("bottom-up", "portfolio")
    ]
    for row, model in zip(table.rows[::2], models, strict=True):
        check_row(row, eq.optimize(graph(), eq.Plan(cost=model, extractor=eq.BottomUp())))
    for row, model in zip(table.rows[1::2], models, strict=True):
        check_row(row, eq.optimize(graph(), eq.Plan(cost=model)))


def test_models_and_extractors_of_a_script_may_mention_the_package(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("""
import eqsat as eq

class Exponentials:
    name, unit = "exponentials", "operations"
    def cost(self, node):
        return float(node.op is eq.Op.EXP)

class Beam:
    name = "my-beam"
    def extract(self, problem):
        return eq.Beam().extract(problem)

if __name__ == "__main__":
    graph = eq.trace(lambda x: eq.exp(x) + eq.exp(x), eq.spec((8,), eq.float32))
    (row,) = eq.compare(graph, [Exponentials()], [Beam()], processes=1).rows
    assert (row.dag_cost, row.error) == (1.0, ""), row
""")
    subprocess.run([sys.executable, str(script)], check=True)


def check_row(row, best):
    found = best.extraction
    assert (row.graph, row.error, row.kernels) == ("graph 1", "", 1)
    assert (row.tree_cost, row.dag_cost, row.lower_bound) == (found.tree_cost, best.cost, best.lower_bound)
    assert (row.gap, row.optimal) == (found.gap, found.optimal)
    assert (row.nodes, row.classes) == (best.problem.node_count, best.problem.class_count)
    assert row.predicted == pytest.approx(best.cost)
    assert row.seconds > 0
    assert row.run_seconds is None


def test_files_are_compared_at_their_own_costs(tmp_path):
    SHARED.save(tmp_path / "shared.json")
    (tmp_path / "graph.json").write_text(json.dumps(eq.to_json([graph()])))
    files = [tmp_path / "shared.json", str(tmp_path / "graph.json")]
    table = eq.compare(files, ["operations"], ["bottom-up", "milp"], processes=1)
    assert [(row.graph, row.cost_model) for row in table.rows] == [
        ("shared.json", "file"), ("shared.json", "file"), ("graph.json", "operations"), ("graph.json", "operations")
    ]  # fmt: skip
    for row in table.rows[:2]:
        found = extractor_named(row.extractor).extract(SHARED)
        assert (row.dag_cost, row.tree_cost) == (found.dag_cost, found.tree_cost)
    assert table.rows[1].dag_cost < table.rows[0].dag_cost


def test_all_models_predict_all_programs_that_ran():
    graphs = {"small": graph(), "data": eq.trace(lambda x: x + np.arange(8.0), eq.spec((8,), eq.float64))}
    models, extractors = ["latency", Ones()], ["greedy-dag", "bottom-up"]
    table = eq.compare(graphs, models, extractors, processes=1, measure=True)
    assert [row.error for row in table.rows] == [""] * 8
    times = {(row.graph, row.program): row.run_seconds for row in table.rows}
    assert all(times[row.graph, row.program] == row.run_seconds > 0 for row in table.rows)
    assert len(times) >= 3
    predicted = {(each.graph, each.program, each.cost_model): each for each in table.predictions}
    assert set(predicted) == {(*program, model) for program in times for model in ("latency", "ones")}
    assert all(each.run_seconds == times[each.graph, each.program] for each in table.predictions)
    assert all(
        predicted[row.graph, row.program, row.cost_model].predicted == row.predicted for row in table.rows
    )
    assert [(each.cost_model, each.programs) for each in table.correlations] == [
        ("latency", len(times)),
        ("ones", len(times)),
    ]


def test_a_program_that_cannot_run_is_a_row_that_says_so():
    table = eq.compare(
        graph(), ["latency"], ["greedy-dag"], processes=1, measure=True, plan=eq.Plan(device="abacus")
    )
    (row,) = table.rows
    assert (row.kernels, row.run_seconds, row.dag_cost > 0) == (None, None, True)
    assert "abacus" in row.error
    assert "abacus" in row.unscheduled
    assert table.predictions == ()


def test_lost_cells_are_rows_that_say_so_and_the_others_are_there(monkeypatch):
    monkeypatch.setattr(run, "EXTRACTING", LIMIT)
    table = eq.compare(
        graph(), [Ones()], [Hangs(), "greedy-dag", ClaimsTooMuch(), EndsSearching()], processes=2
    )
    hanging, done, wrong, ended = table.rows
    assert hanging.error == f"timed out: ended after {LIMIT + 0.2:g} s"
    assert done.error == ""
    assert done.dag_cost == eq.optimize(graph(), eq.Plan(cost=Ones(), extractor=eq.GreedyDag())).cost
    assert "lower bound" in wrong.error
    assert ended.error == "the process ended with exit code 4"
    assert [row.dag_cost is None for row in table.rows] == [True, False, True, True]


def test_what_a_model_prints_is_not_taken_for_an_answer(capfd):
    ones, talks = eq.compare(graph(), [Ones(), Talks()], ["greedy-dag"], processes=1).rows
    assert (talks.error, talks.dag_cost) == ("", ones.dag_cost)
    captured = capfd.readouterr()
    assert captured.out == ""
    assert "EXP" in captured.err


def test_models_that_fail_are_rows_that_say_so():
    table = eq.compare(graph(), [Raises(), GivesNaN(), EndsItsProcess(), Ones()], ["greedy-dag"], processes=1)
    raised, nan, ended, done = (row.error for row in table.rows)
    assert raised == "ZeroDivisionError: no price"
    assert "costs nan" in nan
    assert ended == "the process ended with exit code 3"
    assert done == ""


def test_a_model_that_cannot_be_pickled_is_a_row_that_says_so():
    class HoldsALock(Ones):
        def __reduce__(self):
            raise TypeError("a lock cannot be pickled")

    table = eq.compare(graph(), [HoldsALock()], ["greedy-dag"], processes=1)
    assert [row.error for row in table.rows] == [
        "it cannot be sent to another process: TypeError: a lock cannot be pickled"
    ]


def test_two_processes_give_the_rows_of_one():
    options = {
        "costs": ["operations", "latency", Ones()],
        "extractors": ["bottom-up", "greedy-dag", "local-search"],
    }
    one, two = (eq.compare([graph(), SHARED], **options, processes=number) for number in (1, 2))
    assert without_times(one.rows) == without_times(two.rows)
    assert len({row.program for row in one.rows}) > 1


def test_models_of_one_name_are_numbered():
    table = eq.compare(graph(), [eq.LoopAware(cores=1), eq.LoopAware(cores=8)], ["greedy-dag"], processes=1)
    assert [row.cost_model for row in table.rows] == ["loop-aware 1", "loop-aware 2"]
    assert table.rows[0].dag_cost > table.rows[1].dag_cost


def test_progress_is_told_of_each_graph_and_cell():
    told = []
    eq.compare({"g": graph()}, ["latency"], ["bottom-up", "greedy-dag"], processes=1, progress=told.append)
    assert told == ["saturate g", "g, latency, bottom-up", "g, latency, greedy-dag"]


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"graphs": []}, ComparisonError, "give at least one graph"),
        ({"graphs": SHARED, "extractors": []}, ComparisonError, "one cost model and one extractor"),
        (
            {"graphs": SHARED, "costs": ["beauty"]},
            ExtractionError,
            "no cost model is named 'beauty'; there are ",
        ),
        ({"graphs": SHARED, "extractors": ["oracle"]}, ExtractionError, "no extractor is named 'oracle'"),
        ({"graphs": "nowhere.json"}, GraphFileError, "cannot read nowhere.json"),
        ({"graphs": UOp(Op.LOAD, eq.float32, (UOp.param(0, 4, eq.float32),))}, SpecError, "LOAD"),
        ({"graphs": SHARED, "cluster": "tcp://127.0.0.1:9"}, ComparisonError, "no Dask scheduler answers at"),
    ],
)
def test_mistakes_are_typed_errors(arguments, kind, message, monkeypatch):
    monkeypatch.setattr(cluster, "PATIENCE", 1)
    with pytest.raises(kind, match=message):
        eq.compare(**arguments)


INTERRUPTED = """
import sys, eqsat as eq
from tests.comparison.suites import Hangs, graph
eq.compare(graph(), ["latency"], [Hangs(), Hangs()], processes=2, progress=lambda what: print(what, flush=True))
"""


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_the_one_that_compares(end):
    command = [sys.executable, "-c", INTERRUPTED]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout.readline() == "saturate graph 1\n"
        children = psutil.Process(process.pid).children()
        process.send_signal(end)
    assert children
    assert psutil.wait_procs(children, timeout=20)[1] == []


INTERRUPTED_EARLY = """
import threading
from eqsat.comparison.local import LocalRunner
from eqsat.runtime.task import Task, packed
start = threading.Thread.start
def interrupted(thread):
    start(thread)
    raise KeyboardInterrupt
threading.Thread.start = interrupted
with LocalRunner(2) as runner:
    list(runner.run([Task.of(len, packed(()), (), 10.0)]))
"""


def test_an_interruption_while_threads_start_ends_the_process():
    command = [sys.executable, "-c", INTERRUPTED_EARLY]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=100)
    assert done.returncode != 0
    assert "KeyboardInterrupt" in done.stderr
