"""Graph files and e-graph files from anybody: a typed error on one line, or a legal graph, in little time and memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from math import prod
from pathlib import Path
from typing import Any

import pytest

import eqsat as eq
from eqsat import cli
from eqsat.errors import ExtractionError, GraphFileError
from eqsat.extract import Problem, load
from eqsat.graph_files.inputs import Input, random_arrays
from eqsat.graph_files.reading import graph_of, read_graph, read_json
from eqsat.graph_files.serialize import from_json, to_json
from eqsat.runtime.record import VARIABLE as RECORD
from eqsat.show import Subject
from eqsat.show.page import page
from tests.mutation import TEXTS

posix = pytest.mark.skipif(os.name != "posix", reason="limits of processes are POSIX's")


@posix
@pytest.mark.parametrize("kind", ["graph", "egraph"])
def test_mutated_file_gives_a_typed_error_or_is_legal(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    count, seed = request.config.getoption("--mutations"), request.config.getoption("--seed")
    command = [sys.executable, "-m", "tests.hostile", kind, str(seed), str(count), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[1], check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert found["findings"] == []
    assert found["peak"] < 2000, "MiB"
    assert sum(found["counts"].values()) == count
    assert count < 50 or 0 < found["counts"]["legal"] < count


CONST = ["CONST", "float32", 1.0, []]
INDEX = ["CONST", "index", 3, []]
ARRAY = ["PARAM", "float32", [0, 4], []]
ONE = ["PARAM", "float32", [0, 1], []]


def graph(*nodes: Any) -> dict[str, Any]:
    return {"nodes": list(nodes), "roots": [len(nodes) - 1]}


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (graph(["PARAM", "float32", [0, 1 << 63], []]), r"argument is \(slot, size\)"),
        (graph(["PARAM", "float32", [-1, 4], []]), r"argument is \(slot, size\)"),
        (graph(["PARAM", "float32", [True, 4], []]), r"argument is \(slot, size\)"),
        (graph(["PARAM", "float32", [1 << 40, 4], []]), "number them from 0, below"),
        (graph(ARRAY, ["RESHAPE", "float32", [4, 10**9, "a"], [0]]), "a list of extents"),
        (graph(ARRAY, ["RESHAPE", "float32", [1] * 300, [0]]), "a list of extents"),
        (graph(ARRAY, ["RESHAPE", "float32", [-2, -2], [0]]), "a list of extents"),
        (graph(ONE, ["RESHAPE", "float32", [1, 1], [0]], ["EXPAND", "float32", [1 << 40] * 2, [1]]), "at most 256 axes and 2"),
        (graph(ARRAY, ["PAD", "float32", [[1 << 62, 1 << 62]], [0]]), "at most 256 axes and 2"),
        (graph(["CONST", "float32x2147483648", 1.0, []]), "too large; a vector has at most"),
        (graph(["CONST", "float32*global[99999999999999999999]", 1.0, []]), "too large"),
        (graph(["CONST", "index", [[[[[[[[[[1]]]]]]]]]], []]), "nested more than 8 deep"),
        (graph(["CONST", "float64", {"nan": "3ff0000000000000"}, []]), "expected .op, dtype, arg"),
        (graph(["CONST", "float64", {"float": "0x1p99999"}, []]), "expected .op, dtype, arg"),
        (graph(["CUSTOMI", "float32", "system()", []]), r"holds code.*allow_custom=True.*--allow-custom"),
        (graph(["SOURCE", "void", "kernel void f() {}", []]), "holds code"),
        (graph(CONST, ["ADD", "float32", None, [0, 2]]), "must be numbers of earlier nodes"),
        (graph(CONST, ["ADD", "float32", None, [0, -1]]), "must be numbers of earlier nodes"),
        (graph(["ADD", "float32", None, [0, 0]]), "must be numbers of earlier nodes"),
        (graph(CONST, ["ADD", "float32", None, [0, 0.0]]), "must be numbers of earlier nodes"),
        (graph(CONST, ["ADD", "float32", None, "00"]), "must be numbers of earlier nodes"),
        (graph(["DEFINE_VAR", "index", ["n" * 10**6, 0, 1], []]), "is .name, least, greatest"),
        (graph(["DEFINE_VAR", "index", ["n", 0, 1], []], ["CONST", "index", 10**4000, []], ["BIND", "index", None, [0, 1]]), "not legal at the"),
        (graph(["a" * 10**6, "float32", None, []]), "no operation"),
        (graph(["CONST", "a" * 10**6, 1.0, []]), "no dtype is named"),
    ],
)  # fmt: skip
def test_size_depth_and_number_is_checked(document: Any, words: str, tmp_path: Path) -> None:
    path = tmp_path / "graph.json"
    path.write_text(json.dumps(document))
    with pytest.raises(GraphFileError, match=words) as caught:
        read_graph(path)
    assert len(str(caught.value)) < 1000
    assert "\n" not in str(caught.value)


def test_code_is_admitted_where_it_is_allowed() -> None:
    (root,) = from_json(graph(["CUSTOMI", "float32", "cbrt(1.0f)", []]), allow_custom=True)
    assert root.arg == "cbrt(1.0f)"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"nodes": [["CONST", "float32", 1e999, []]], "roots": [0]}', "1e999 is too large for a float"),
        ('{"nodes": [["CONST", "float32", NaN, []]], "roots": [0]}', "NaN is no JSON"),
        ('{"nodes": [], "nodes": [], "roots": []}', "'nodes' occurs twice"),
        ("[" * 100_000, "is not JSON"),
        ('{"a":' * 100_000, "is not JSON"),
        ("9" * 5000, r"graph\.json: an integer has more than 4,300 digits; write a smaller number"),
        ("9" * 10**6, "an integer has more than 4,300 digits"),
        ('{"nodes": {"n": {"op": "x", "cost": -' + "9" * 5000 + "}}}", "an integer has more than 4,300 digits"),
        (b"\xff".decode("latin-1") + '"', "is not JSON"),
        ("\0", "is not JSON"),
        ("", "is not JSON"),
    ],
)  # fmt: skip
def test_what_json_would_pass_over_is_refused(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "graph.json"
    path.write_text(text)
    with pytest.raises(GraphFileError, match=words) as caught:
        read_json(path)
    assert len(str(caught.value)) < 1000
    assert ("is not JSON" in str(caught.value)) == (words == "is not JSON")


@posix
def test_endless_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eqsat.graph_files.reading.LARGEST_FILE", 1 << 20)
    with pytest.raises(GraphFileError, match="larger than 1 MiB"):
        read_json(Path("/dev/zero"))


def test_arrays_larger_than_memory_are_not_drawn() -> None:
    with pytest.raises(eq.MemoryExhaustedError, match="more than this machine has"):
        random_arrays([Input(0, (1 << 60,), eq.float32)], 0)


def test_constant_is_the_nearest_of_its_dtype() -> None:
    assert from_json(graph(["CONST", "float32", 0.1, []])) == [eq.UOp.const(eq.float32, 0.1)]


@pytest.mark.parametrize("op", ["MUL", "ADD"])
def test_squares_of_squares_do_not_fill_the_memory(op: str) -> None:
    squares = graph_of(graph(INDEX, *([op, "index", None, [k, k]] for k in range(64))), Path("squares"))
    with pytest.raises(eq.ScheduleError, match="does not fit 64 bits"):
        eq.compile(squares)


def test_schedule_of_a_huge_prime_array_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(RECORD, raising=False)  # the referee could not allocate it
    rows = 1_000_000_000_039
    (kernel,) = eq.compile(eq.trace(lambda x: eq.sum(x, axis=1), eq.spec((rows, 3), eq.float32))).kernels
    assert kernel.name == f"sum_{rows}"
    assert 1 <= prod(kernel.global_size) <= rows


LEAF = {"op": "x", "cost": 1.0, "eclass": "a", "children": []}


@pytest.mark.parametrize(
    ("node", "words"),
    [
        ({"cost": "1"}, "has the cost '1'; give a number"),
        ({"cost": True}, "has the cost True"),
        ({"cost": 10**400}, "has the cost 1"),
        ({"cost": [1.0]}, "has the cost"),
        ({"children": "a0"}, "no usable children"),
        ({"children": [["a0"]]}, "no usable children"),
        ({"children": {"a0": 1}}, "no usable children"),
        ({"eclass": ["a"]}, "give a name"),
        ({"eclass": None}, "give a name"),
        ({"op": {"x": 1}}, "give a name"),
    ],
)  # fmt: skip
def test_field_of_an_egraph_is_checked(node: dict[str, Any], words: str, tmp_path: Path) -> None:
    path = tmp_path / "egraph.json"
    path.write_text(json.dumps({"nodes": {"a0": LEAF | node}, "root_eclasses": ["a"]}))
    with pytest.raises(ExtractionError, match=words):
        load(path)


@pytest.mark.parametrize("root", [None, ["a"], {"a": 1}, "b" * 10**6, 1.5, True])
def test_root_of_an_egraph_is_checked(root: Any, tmp_path: Path) -> None:
    path = tmp_path / "egraph.json"
    path.write_text(json.dumps({"nodes": {"a0": LEAF}, "root_eclasses": [root]}))
    with pytest.raises(ExtractionError) as caught:
        load(path)
    assert len(str(caught.value)) < 1000


def test_node_that_occurs_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "egraph.json"
    leaf = json.dumps(LEAF)
    path.write_text(f'{{"nodes": {{"a0": {leaf}, "a0": {leaf}}}, "root_eclasses": ["a"]}}')
    with pytest.raises(GraphFileError, match="'a0' occurs twice"):
        load(path)


@pytest.mark.parametrize("command", ["run", "explain", "show", "extract"])
@pytest.mark.parametrize("text", ["", "[" * 10**5, "{}", '{"nodes": [["CUSTOM", "void", "x", []]], "roots": [0]}',
                                  '{"nodes": {"a": 1}, "root_eclasses": ["a"]}',
                                  '{"nodes": [["PARAM", "float32", [0, 1e999], []]], "roots": [0]}', "\xff\0"])  # fmt: skip
def test_command_says_it_in_one_line(
    command: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "file.json"
    path.write_text(text, encoding="latin-1")
    assert cli.main([command, str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert captured.err.count("\n") == 1
    assert "Traceback" not in captured.err


def test_command_admits_code_only_when_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "file.json"
    path.write_text(json.dumps(graph(["CUSTOMI", "float32", "cbrt(1.0f)", []])))
    assert cli.main(["run", str(path)]) == 2
    assert "holds code" in capsys.readouterr().err
    assert cli.main(["run", str(path), "--allow-custom"]) == 2
    assert "CUSTOMI belongs to kernel" in capsys.readouterr().err, "no array program holds any"


def test_names_do_not_break_out_of_a_page(tmp_path: Path) -> None:
    names = [
        *TEXTS,
        "</script><script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "<!--",
        "]]>",
        "\u2028",
    ]
    problem = Problem.build([1.0] * len(names), list(range(len(names))), [[]] * len(names), roots=[0], labels=names,
                            class_names=[f"{k}{name}" for k, name in enumerate(names)],
                            node_names=[f"{name}{k}" for k, name in enumerate(names)])  # fmt: skip
    path = tmp_path / "egraph.json"
    problem.save(path)
    found = eq.Portfolio(1.0).extract(load(path))
    text = page(Subject(found, '</title><script>alert("title")</script>'))
    assert "<script>alert" not in text
    assert text.count("</script>") == 2, "its own data and script"
    assert "<img" not in text
    assert "script-src 'sha256-" in text


def test_graph_whose_names_are_hostile_comes_back(tmp_path: Path) -> None:
    roots = [eq.variable(name, 0, 3) for name in TEXTS if 0 < len(name) < 1000]
    path = tmp_path / "graph.json"
    path.write_text(json.dumps(to_json(roots)), encoding="utf-8")
    assert list(read_graph(path).src) == roots
