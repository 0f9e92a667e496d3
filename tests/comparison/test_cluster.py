"""On a Dask cluster the rows are those of one machine."""

import psutil
import pytest
from distributed import LocalCluster

import eqsat as eq
from eqsat.comparison import cluster, run
from eqsat.errors import ComparisonError
from tests.comparison.suites import LIMIT, EndsItsProcess, Hangs, Ones, graph, without_times


@pytest.fixture(scope="module")
def address():
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as started:
        yield started.scheduler_address


def test_rows_are_those_of_one_machine(address):
    models, extractors = ["operations", Ones(), EndsItsProcess()], ["bottom-up", "greedy-dag"]
    alone = eq.compare(graph(), models, extractors, processes=1)
    together = eq.compare(graph(), models, extractors, cluster=address)
    assert without_times(together.rows) == without_times(alone.rows)
    assert [row.error for row in together.rows] == [*[""] * 4, *["the process ended with exit code 3"] * 2]


def test_a_cell_that_hangs_is_ended_on_the_cluster(address, monkeypatch):
    monkeypatch.setattr(run, "EXTRACTING", LIMIT)
    table = eq.compare(graph(), ["operations"], [Hangs(), "greedy-dag"], cluster=address)
    assert [row.error for row in table.rows] == [f"timed out: ended after {LIMIT + 0.2:g} s", ""]


def test_no_process_outlives_an_interrupted_comparison(address):
    def interrupt(done):
        if done.endswith("greedy-dag"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        eq.compare(graph(), ["operations"], [Hangs(), "greedy-dag"], cluster=address, progress=interrupt)
    _, alive = psutil.wait_procs(children(), timeout=10)
    assert alive == []


def children():
    """The processes in which workers run cells."""
    processes = psutil.Process().children(recursive=True)
    return [process for process in processes if any("comparison.child" in part for part in process.cmdline())]


def test_programs_are_measured_on_the_cluster(address):
    table = eq.compare(graph(), ["operations"], ["bottom-up", "greedy-dag"], cluster=address, measure=True)
    assert all(row.run_seconds > 0 for row in table.rows)


def test_a_cluster_without_workers_is_an_error(monkeypatch):
    monkeypatch.setattr(cluster, "PATIENCE", 1)
    with (
        LocalCluster(n_workers=0, dashboard_address=":0") as empty,
        pytest.raises(ComparisonError, match="has no worker; start some"),
    ):
        eq.compare(graph(), cluster=empty.scheduler_address)
