import json

import numpy as np
import pytest

import eqsat as eq
from eqsat.cli.graphs import read_arrays, write_arrays
from eqsat.dtype import bool_, float32, int8
from eqsat.errors import EqsatError, ExecutionError, GraphFileError
from eqsat.graph_files.inputs import inputs_of, random_arrays
from eqsat.graph_files.reading import read_graph
from eqsat.graph_files.serialize import to_json
from eqsat.ops import Op
from eqsat.uop import UOp


@pytest.fixture
def graph():
    """The sum of a (2, 3) float32 array and a flat one of six elements."""
    return UOp.sink(
        UOp.param(0, 6, float32).reshape((2, 3)) + UOp.param(1, 6, float32).reshape((2, 3)),
        UOp.param(2, 4, int8),
    )


@pytest.fixture
def write(tmp_path):
    def write_text(text):
        path = tmp_path / "graph.json"
        path.write_text(text)
        return path

    return write_text


def test_graph_file_is_read_back(graph, write):
    assert read_graph(write(json.dumps(to_json([graph])))) is graph


def test_several_roots_are_gathered(write):
    roots = [UOp.param(0, 3, float32), UOp.param(1, 3, float32)]
    graph = read_graph(write(json.dumps(to_json(roots))))
    assert graph.op is Op.SINK
    assert list(graph.src) == roots


def test_a_program_with_a_step_of_the_host_is_run_and_not_explained(write, run):
    sort = eq.trace(lambda x: eq.sort(x) + 1.0, eq.spec((1000,), float32))
    path = write(json.dumps(to_json([sort])))
    code, printed, _ = run("run", path)
    assert code == 0
    assert "1 kernel" in printed
    code, _, errors = run("explain", path)
    assert code
    assert "eqsat.sorted_elements" in errors


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("not json", "is not JSON"),
        ("[1, 2]", "not a graph"),
        ('{"nodes": [], "roots": []}', "no roots"),
        ('{"nodes": [["DANCE", "float32", null, []]], "roots": [0]}', "DANCE"),
        ('{"nodes": [["CONST", "float33", 1.0, []]], "roots": [0]}', "float33"),
        ('{"nodes": [["CONST", "float32", 1.0, [4]]], "roots": [0]}', "node 0"),
    ],
)
def test_what_is_no_graph_is_named(write, text, message):
    with pytest.raises(GraphFileError, match=message):
        read_graph(write(text))


def test_missing_file_is_named(tmp_path):
    with pytest.raises(GraphFileError, match="cannot read .*nowhere.json"):
        read_graph(tmp_path / "nowhere.json")


def test_inputs_have_the_shape_the_graph_gives_them(graph):
    assert [str(spec) for spec in inputs_of(graph)] == ["0: float32[2, 3]", "1: float32[2, 3]", "2: int8[4]"]


def test_random_arrays_fit_and_repeat(graph):
    inputs = inputs_of(UOp.sink(*graph.src, UOp.param(3, 5, bool_)))
    first, second = random_arrays(inputs, seed=1), random_arrays(inputs, seed=1)
    assert [(array.shape, str(array.dtype)) for array in first] == [
        ((2, 3), "float32"), ((2, 3), "float32"), ((4,), "int8"), ((5,), "bool"),
    ]  # fmt: skip
    assert all(np.array_equal(one, other) for one, other in zip(first, second, strict=True))


def test_arrays_are_read_in_argument_order(graph, tmp_path):
    ones, twos, threes = np.ones((2, 3), np.float32), np.full(6, 2, np.float32), np.full(4, 3, np.int8)
    np.save(tmp_path / "first.npy", ones)
    np.savez(tmp_path / "rest.npz", twos, threes)
    arrays = read_arrays([str(tmp_path / "first.npy"), str(tmp_path / "rest.npz")], inputs_of(graph))
    assert [array.shape for array in arrays] == [(2, 3), (2, 3), (4,)]
    assert [array.flat[0] for array in arrays] == [1, 2, 3]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ([np.ones((2, 3), np.float32)], "takes 3 arrays"),
        (
            [np.ones((3, 2), np.float32), np.ones(6, np.float32), np.ones(4, np.int8)],
            r"input 0 has shape \(3, 2\)",
        ),
        ([np.ones((2, 3)), np.ones(6, np.float32), np.ones(4, np.int8)], "input 0 has dtype float64"),
    ],
)
def test_arrays_that_do_not_fit_are_named(graph, tmp_path, arrays, message):
    np.savez(tmp_path / "arrays.npz", *arrays)
    with pytest.raises(ExecutionError, match=message):
        read_arrays([str(tmp_path / "arrays.npz")], inputs_of(graph))


def test_complex_arrays_are_refused(tmp_path):
    np.save(tmp_path / "complex.npy", np.ones(3, complex))
    with pytest.raises(EqsatError, match="complex128"):
        read_arrays([str(tmp_path / "complex.npy")], inputs_of(UOp.sink(UOp.param(0, 3, float32))))


@pytest.mark.parametrize("content", [b"", b"hello", b"\x93NUMPY\x01"])
def test_file_that_is_no_array_is_named(graph, tmp_path, content):
    (tmp_path / "bad.npy").write_bytes(content)
    with pytest.raises(ExecutionError, match="bad.npy"):
        read_arrays([str(tmp_path / "bad.npy")], inputs_of(graph))


def test_results_are_written_by_the_ending_of_the_path(tmp_path):
    one, two = np.arange(3), np.arange(4.0)
    write_arrays(tmp_path / "one.npy", [one])
    write_arrays(tmp_path / "both.npz", [one, two])
    assert np.array_equal(np.load(tmp_path / "one.npy"), one)
    with np.load(tmp_path / "both.npz") as both:
        assert [both[name].tolist() for name in both.files] == [one.tolist(), two.tolist()]


@pytest.mark.parametrize(("name", "count"), [("two.npy", 2), ("one.txt", 1), ("nowhere/one.npy", 1)])
def test_results_that_cannot_be_written_are_named(tmp_path, name, count):
    with pytest.raises(ExecutionError, match=name):
        write_arrays(tmp_path / name, [np.zeros(1)] * count)
