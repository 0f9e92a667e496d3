"""The page as text: what its data say, what it must not contain, and how large it is."""

import json
import re
import time

import numpy as np
import pytest

import eqsat as eq
from eqsat.errors import GraphFileError
from eqsat.extract import Extraction, Portfolio, Problem
from eqsat.show import Subject, page, write_page
from eqsat.show.document import document
from eqsat.show.page import SCRIPTS, embedded_json
from eqsat.show.summary import summary_html
from tests.show.subjects import HOSTILE, graph_subject, large_subject


def embedded(text):
    """The data in a page."""
    return json.loads(
        re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1]
    )


def test_the_data_are_the_problem_and_the_choice():
    shared = Problem.build(
        [5, 4, 4, 3, 6, float("inf")], [0, 1, 2, 1, 2, 2], [[], [0], [0], [], [], []], roots=[1, 2],
        labels=["x", "neg", "abs", "a", "b", "c"], class_names=["leaf", "left", "right"],
    )  # fmt: skip
    extraction = Portfolio().extract(shared)
    data = embedded(page(Subject(extraction, "shared")))
    nodes = data["nodes"]
    assert data["choice"] == extraction.choice.tolist() == [-1, 3, 4]
    assert data["classes"]["names"] == ["leaf", "left", "right"]
    assert [nodes["ops"][op] for op in nodes["op"]] == list(shared.labels)
    assert nodes["cost"] == [5, 4, 4, 3, 6, None]
    assert nodes["usable"] == [1, 1, 1, 1, 1, 0]
    assert data["summary"]["cost"] == 9
    assert data["prices"] == {"nodes": [[1, 13, 1], [2, 12, 1]], "runners_up": [[1, 1], [2, 2]]}


def test_a_graph_brings_dtypes_arguments_bounds_and_rules():
    subject = graph_subject()
    data = document(subject)
    assert "index in 0..63" in data["classes"]["values"]
    assert "('x', 0, 63)" in data["nodes"]["detail"]
    assert data["summary"]["saturation"]["stop"] == subject.report.stop.value
    counts = {count.name: count.matches for count in subject.report.rules}
    assert {rule["name"]: rule["matches"] for rule in data["rules"]} == counts
    assert any(rule["sites"] and rule["claim"] and "=" in rule["equation"] for rule in data["rules"])


def test_a_program_brings_its_kernels():
    graph = eq.trace(lambda x: eq.sum(eq.exp(x), axis=0), eq.spec((64, 48), eq.float32))
    data = document(eq.optimize(graph).subject())
    kernels = eq.compile(graph).schedule.kernels
    assert [(each["name"], each["predicted_seconds"]) for each in data["kernels"]] == [
        (kernel.name, kernel.predicted_seconds) for kernel in kernels
    ]
    assert all("for k0 in" in each["loops"] for each in data["kernels"])
    assert document(graph_subject())["kernels"] == [], "a scalar has none"


def test_no_text_breaks_out_of_the_page():
    text = page(large_subject(40))
    assert "<img" not in text
    assert text.count("</script>") == 2
    assert embedded(text)["title"].endswith(HOSTILE)
    assert embedded_json({"</": "\u2028<!--"}) == '{"\\u003c/":"\\u2028\\u003c!--"}'


def test_the_page_loads_nothing():
    text = page(graph_subject())
    assert not re.search(r'(?:src|href)="', text)
    assert re.findall(r"https?://[^\"' ]*", text) == ["http://www.w3.org/2000/svg"]
    assert "default-src 'none'" in text


def test_the_same_subject_gives_the_same_page():
    assert page(graph_subject()) == page(graph_subject())
    assert page(large_subject(120)) == page(large_subject(120))


def test_5000_nodes_make_a_page_below_a_megabyte_in_seconds():
    subject = large_subject()
    start = time.process_time()
    text = page(subject)
    assert time.process_time() - start < 60  # about one
    assert len(embedded(text)["nodes"]["op"]) == 5000
    assert len(text) < 1_000_000


def test_scripts_and_styles_are_part_of_the_package():
    text = page(graph_subject())
    assert len(SCRIPTS) == 4
    assert "function readEgraph" in text
    assert "prefers-color-scheme: dark" in text


def test_show_writes_a_page_where_it_is_told_or_to_a_temporary_file(tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    best = eq.optimize(eq.UOp.sink(eq.variable("x", 0, 7) // 2))
    assert best.show(tmp_path / "page.html") == tmp_path / "page.html"
    assert opened == []
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = best.show(browse=True)
    assert path.parent == tmp_path
    assert path.read_text(encoding="utf-8") == (tmp_path / "page.html").read_text(encoding="utf-8")
    assert opened == [path.as_uri()]


def test_a_place_that_cannot_be_written_is_an_error(tmp_path):
    with pytest.raises(GraphFileError, match=r"missing.*choose another place"):
        write_page(graph_subject(), tmp_path / "missing" / "page.html")


def test_a_notebook_shows_the_kernels_of_a_program():
    graph = eq.trace(lambda x: eq.sum(x, axis=-1), eq.spec((8, 16), eq.float32))
    program = eq.compile(graph)
    html = program._repr_html_()
    assert all(f"<td>{kernel.name}</td>" in html for kernel in program.kernels)
    assert html.count("<tr>") == 1 + len(program.kernels)


def test_a_notebook_shows_the_cost_and_the_dearest_nodes():
    x = eq.variable("x", 0, 63)
    best = eq.optimize(eq.UOp.sink(x * x // 5))
    html = best._repr_html_()
    assert "proved optimal" in html
    assert "FLOORDIV" in html
    assert len(html) < 3000
    assert "<script" not in html


def test_a_notebook_shows_how_much_of_the_cost_can_be_saved():
    problem = Problem.build([3.0], [0], [[]], roots=[0])
    found = Extraction.from_choice(problem, np.zeros(1, np.int32), 2.0, 0.0)
    assert "at most 33.33% of it can be saved" in summary_html(Subject(found, "drawn"))
