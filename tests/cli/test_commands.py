"""The four commands, run as a user does, on the default device."""

import json
from dataclasses import replace

import numpy as np
import pytest

import eqsat as eq
from eqsat import calibrate
from eqsat.cli.run import result_facts
from eqsat.comparison.subject import find_subjects
from eqsat.extract.costs.learned import FEATURES
from eqsat.machine import PROCESSOR
from eqsat.runtime import MEASUREMENTS, PLANS


@pytest.fixture
def graph_file(tmp_path):
    """A file with the graph of `x @ y + 1`, shapes (3, 4) and (4, 2)."""
    graph = eq.trace(
        lambda x, y: eq.matmul(x, y) + 1.0, eq.spec((3, 4), eq.float32), eq.spec((4, 2), eq.float32)
    )
    path = tmp_path / "graph.json"
    path.write_text(json.dumps(eq.to_json([graph])))
    return path


def test_devices_lists_the_default_one(run):
    code, text, _ = run("devices")
    assert code == 0
    assert "→" in text
    code, document, _ = run("devices", "--json")
    devices = json.loads(document)["devices"]
    assert code == 0
    assert sum(device["default"] for device in devices) == 1
    assert all(device["machine"]["cores"] >= 1 for device in devices)


def test_calibrating_measures_anew_and_says_what_was_found(run, monkeypatch):
    asked = []

    def measured(*, again):
        asked.append(again)
        return eq.Measured("an abacus", {"ADD float32 elementwise": 1.0}, 0.5)

    def learned(*, again):
        asked.append(again)
        return eq.Learned("an abacus", (1.0,) * len(FEATURES), 0.25)

    monkeypatch.setattr(calibrate, "machine", lambda: replace(PROCESSOR, cores=77))
    monkeypatch.setattr(calibrate, "measured", measured)
    monkeypatch.setattr(calibrate, "learned", learned)
    code, text, _ = run("devices", "--calibrate")
    assert code == 0
    assert "an abacus: 1 operations" in text
    assert "25%" in text
    code, document, _ = run("devices", "--calibrate", "--json")
    assert json.loads(document)["calibration"]["measured"]["seconds"] == {"ADD float32 elementwise": 1.0}
    assert json.loads(document)["calibration"]["machine"]["cores"] == 77
    assert asked == [True] * 4


def test_unknown_device_in_the_environment_is_named(run, monkeypatch):
    monkeypatch.setenv("EQSAT_DEVICE", "abacus")
    code, _, error = run("devices")
    assert code == 2
    assert "abacus" in error


def test_a_graph_runs_on_the_devices_that_it_names(run, tmp_path):
    devices = ["pthread", "basic"]
    graph = eq.trace(lambda x: eq.sum(eq.shard(x, devices, 0), axis=0), eq.spec((6, 4), eq.float32))
    path = tmp_path / "sharded.json"
    path.write_text(json.dumps(eq.to_json([graph])))
    code, document, _ = run("run", str(path), "--check", "--json")
    assert code == 0
    assert json.loads(document)["device"].split(", ") == [eq.get_device(name).name for name in devices]


def test_tune_prints_what_was_measured(run, graph_file, tmp_path, monkeypatch):
    monkeypatch.setenv("EQSAT_CACHE", str(tmp_path / "cache"))
    code, text, _ = run("tune", graph_file, "--candidates", "2")
    assert code == 0
    assert "measured before" in text
    code, document, _ = run("tune", graph_file, "--candidates", "2", "--json")
    assert code == 0
    for kernel in json.loads(document)["kernels"]:
        assert kernel["launches"] == 1
        assert kernel["tried"] == 2
        assert kernel["failed"] == []
        assert 0 < kernel["measured"] <= kernel["measured_before"]
        assert kernel["name"] in text
    PLANS.close()
    MEASUREMENTS.close()


def test_tune_asks_for_at_least_one_choice(run, graph_file):
    code, _, error = run("tune", graph_file, "--candidates", "0")
    assert code == 2
    assert "'0' is no integer from 1" in error


def test_run_on_random_arrays_says_so_and_checks(run, graph_file):
    code, text, _ = run("run", graph_file, "--check")
    assert code == 0
    assert "random, seed 0" in text
    assert "largest error" in text


def test_run_on_files_writes_results(run, graph_file, tmp_path):
    x, y = np.arange(12, dtype=np.float32).reshape(3, 4), np.ones((4, 2), np.float32)
    np.savez(tmp_path / "inputs.npz", x, y)
    code, document, _ = run(
        "run", graph_file, tmp_path / "inputs.npz", "--output", tmp_path / "result.npy", "--json"
    )
    assert code == 0
    assert json.loads(document)["results"][0]["shape"] == [3, 2]
    assert np.allclose(np.load(tmp_path / "result.npy"), x @ y + 1)


def test_files_may_follow_options(run, graph_file, tmp_path):
    np.savez(tmp_path / "inputs.npz", np.ones((3, 4), np.float32), np.ones((4, 2), np.float32))
    first = run("run", "--check", "--json", graph_file, tmp_path / "inputs.npz")
    last = run("run", graph_file, "--json", "--check", tmp_path / "inputs.npz")
    assert first[0] == last[0] == 0
    assert json.loads(first[1])["results"] == json.loads(last[1])["results"]


def test_run_emits_c_and_runs_nothing(run, graph_file, monkeypatch):
    monkeypatch.setenv("EQSAT_DEVICE", "abacus")
    code, text, _ = run("run", graph_file, "--emit", "c")
    assert code == 0
    assert "\nvoid run(const float *in0, const float *in1, float *out0) {" in text
    code, document, _ = run("run", graph_file, "--emit", "c", "--json")
    assert code == 0
    emitted = json.loads(document)
    assert emitted["source"] == text.removesuffix("\n")
    assert emitted["parameters"][0] == {"name": "in0", "dtype": "float32", "size": 12}


def test_run_reports_values_that_json_cannot_hold(run, tmp_path):
    graph = eq.trace(lambda x: x / 0.0, eq.spec((3,), eq.float32))
    (tmp_path / "graph.json").write_text(json.dumps(eq.to_json([graph])))
    np.save(tmp_path / "x.npy", np.ones(3, np.float32))
    code, document, _ = run("run", tmp_path / "graph.json", tmp_path / "x.npy", "--json")
    assert code == 0
    assert json.loads(document)["results"][0]["greatest"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "nothing.json"], "no file or example is named 'nothing.json'"),
        (["explain", "nothing"], "the examples are softmax"),
        (["explain", ""], "no file or example is named ''"),
        (["compare", ""], "no file or example is named ''"),
        (["run", "softmax", "--device", "abacus"], "no device is named 'abacus'; there are 0: "),
        (["explain", "softmax", "--device", "abacus"], "no device is named 'abacus'"),
        (["demo", "--device", "abacus"], "no device is named 'abacus'"),
        (["run", "softmax", "nothing.npy"], "cannot read nothing.npy"),
    ],
)
def test_wrong_input_is_one_message(run, arguments, message):
    code, text, error = run(*arguments)
    assert code == 2
    assert text == ""
    assert error.startswith("error: ")
    assert message in error
    assert error.count("\n") == 1
    code, document, _ = run(*arguments, "--json")
    assert code == 2
    assert message in json.loads(document)["error"]["message"]


@pytest.mark.parametrize("command", ["run", "explain"])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"nodes": [["PARAM", "flo', "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ('{"name": "x"}', 'expected {"nodes":'),
        ('{"nodes": [], "roots": [], "version": 7}', "version 7, and this eqsat reads version 1"),
        ('{"nodes": [["PARAM", "float32", ["a", 12], []]], "roots": [0]}', "its argument is (slot, size)"),
        (json.dumps(eq.to_json([eq.UOp.range(3, 0)])), "range 0 is still open"),
    ],
)
def test_file_without_a_graph_is_named(run, tmp_path, command, content, message):
    path = tmp_path / "wrong.json"
    path.write_text(content)
    code, text, error = run(command, path)
    assert (code, text) == (2, "")
    assert error.startswith(f"error: {path}")
    assert message in error
    code, document, _ = run(command, path, "--json")
    assert (code, json.loads(document)["error"]["type"]) == (2, "GraphFileError")


def test_variable_of_a_graph_file_is_named(run, tmp_path):
    (tmp_path / "index.json").write_text(json.dumps(eq.to_json([eq.variable("i", 0, 9) * 3])))
    code, _, error = run("run", tmp_path / "index.json")
    assert code == 2
    assert "variable 'i' has no value; give values by name" in error
    assert run("run", tmp_path / "index.json", "--set", "i=3", "--check", "--json")[0] == 0
    code, _, error = run("run", tmp_path / "index.json", "--set", "i")
    assert code == 2
    assert "'i' is no assignment; write NAME=VALUE, with an integer" in error


@pytest.fixture
def file_with_dims(tmp_path):
    """A file with a graph of arrays of shapes (n, m) and (m,), and of an argument (k + 1,) that is not used."""
    n, m, k = eq.dim("n", 1, 20), eq.dim("m", 1, 6), eq.dim("k", 1, 6)
    shapes = [(n, m), (m,), (k + 1,)]
    graph = eq.trace(lambda x, y, z: x + y, *[eq.spec(shape, eq.float32) for shape in shapes])
    (tmp_path / "dims.json").write_text(json.dumps(eq.to_json([graph])))
    return tmp_path / "dims.json"


def test_arrays_give_the_dims_of_a_graph_file_their_values(run, file_with_dims, tmp_path):
    np.savez(tmp_path / "given.npz", np.ones((5, 4), np.float32), np.ones(4, np.float32))
    np.savez(tmp_path / "wrong.npz", np.ones((5, 4), np.float32), np.ones(5, np.float32))
    for arguments, shape in (
        ([tmp_path / "given.npz"], [5, 4]),
        ([], [20, 6]),
        (["--set", "n=7"], [7, 6]),
        (["--set", "m=2", "--set", "n=1"], [1, 2]),
    ):
        code, text, _ = run("run", file_with_dims, *arguments, "--check", "--json")
        report = json.loads(text)
        assert (code, report["agrees"]) == (0, True)
        assert [each["shape"] for each in report["results"]] == [shape]
    for name, reason in {"n": "takes its value from the shapes", "q": "is not in the program"}.items():
        code, _, error = run("run", file_with_dims, tmp_path / "given.npz", "--set", f"{name}=5")
        assert (code, f"'{name}'" in error, reason in error) == (2, True, True)
    code, _, error = run("run", file_with_dims, tmp_path / "wrong.npz")
    assert code == 2
    assert "arrays that share a dim have one extent" in error
    for value in (-3, 0, 21):
        code, _, error = run("run", file_with_dims, "--set", f"n={value}")
        assert code == 2
        assert f"input 0 has extent {value} on axis 0, which is n with n in 1..20" in error


def test_a_dim_that_no_array_has_is_set(run, tmp_path):
    graph = eq.trace(lambda: eq.arange(eq.dim("n", 1, 20)))
    (tmp_path / "graph.json").write_text(json.dumps(eq.to_json([graph])))
    code, text, _ = run("run", tmp_path / "graph.json", "--set", "n=3", "--check", "--json")
    assert (code, json.loads(text)["results"][0]["shape"]) == (0, [3])


def test_graphs_with_dims_are_explained_and_compared_for_their_greatest_values(run, file_with_dims):
    code, text, note = run("explain", file_with_dims, "--json")
    assert code == 0
    assert "this is the graph of their greatest values" in note
    assert "n = 20" in note
    graph = eq.from_json(json.loads(text)["before"])[0]
    assert [source.shape for source in graph.src] == [(20, 6)]
    (subject,) = find_subjects(file_with_dims)
    assert [array.shape for array in subject.arguments.arrays()] == [(20, 6), (6,), (7,)]


def test_graphs_with_dims_are_emitted_shown_and_tuned(run, file_with_dims, tmp_path):
    code, source, _ = run("run", file_with_dims, "--emit", "c")
    assert code == 0
    assert "n, index in 1..20" in source
    assert run("show", file_with_dims, "--output", tmp_path / "page.html")[0] == 0
    assert run("tune", file_with_dims, "--candidates", "1")[0] == 0


def test_argument_that_a_graph_does_not_use_is_not_asked_for(run, tmp_path):
    graph = eq.trace(lambda x, y: y + 1.0, eq.spec((2,), eq.float32), eq.spec((3,), eq.float32))
    (tmp_path / "graph.json").write_text(json.dumps(eq.to_json([graph])))
    np.save(tmp_path / "y.npy", np.arange(3, dtype=np.float32))
    code, document, _ = run("run", tmp_path / "graph.json", tmp_path / "y.npy", "--check", "--json")
    assert code == 0
    assert json.loads(document)["results"][0]["greatest"] == 3


def test_explain_prints_every_stage(run, graph_file):
    code, text, _ = run("explain", graph_file)
    assert code == 0
    for part in (
        "as written: ",
        "after the e-graph: ",
        " UOps, cost ",
        "schedule:",
        "candidates",
        "for i0 in ",
        "sum0 += in0[",
        "out0: 6 float32, 24 bytes, result 0",
        "time by resource",
        "memory ",
        "runner-up, ",
        "__kernel",
    ):
        assert part in text


def test_explain_saves_a_problem_that_extract_solves(run, graph_file, tmp_path):
    saved = tmp_path / "problem.json"
    assert run("explain", graph_file, "--save-problem", saved)[0] == 0
    code, text, _ = run("extract", saved)
    assert code == 0
    assert "(optimal)" in text
    _, printed, _ = run("explain", graph_file, "--json")
    document, solved = json.loads(printed), eq.Portfolio().extract(eq.extract.load(saved))
    assert document["unit"] == "seconds"
    # costs are lower bounds, in microseconds, of the place where the program runs
    predicted = 1e6 * sum(kernel["predicted_seconds"] for kernel in document["kernels"])
    assert 0.0 < solved.dag_cost <= predicted
    code, _, errors = run("explain", graph_file, "--save-problem", tmp_path / "missing" / "problem.json")
    assert code == 2
    assert "there is no folder" in errors


def test_explained_source_is_whole(run, graph_file):
    _, text, _ = run("explain", graph_file)
    _, document, _ = run("explain", graph_file, "--json")
    assert json.loads(document)["kernels"][0]["source"].strip() in text


def test_explain_document_holds_graphs_that_can_be_read_back(run, graph_file):
    code, text, _ = run("explain", graph_file, "--json")
    document = json.loads(text)
    assert code == 0
    assert eq.from_json(document["before"]) == eq.from_json(json.loads(graph_file.read_text()))
    rounding = 1e-12 * document["cost"]  # costs are added up in different orders
    assert document["lower_bound"] - rounding <= document["cost"] <= document["cost_before"] + rounding
    assert "__kernel" in document["kernels"][0]["source"]


def test_explained_chain_replays(run, graph_file):
    code, text, _ = run("explain", graph_file, "--chain")
    assert code == 0
    assert "chain of rules" in text
    code, text, _ = run("explain", graph_file, "--chain", "--json")
    document = json.loads(text)
    explanation = eq.Explanation.from_json(document["chain"])
    assert eq.to_json([explanation.replay()]) == document["after"]
    assert eq.to_json([explanation.before]) == document["before"]


def test_explain_profile_tells_what_rules_did(run, graph_file):
    code, text, _ = run("explain", graph_file, "--profile", "--json")
    document = json.loads(text)
    assert code == 0
    assert document["stop"] in ("saturated", "explored")
    fired = [rule for rule in document["rules"] if rule["matches"]]
    assert fired
    assert not {rule["name"] for rule in fired} & set(document["never_fired"])
    code, text, _ = run("explain", graph_file, "--profile")
    assert code == 0
    assert "other steps" in text
    assert "never fired" in text


def test_devices_lists_parts_of_the_default_one(run):
    code, document, _ = run("devices", "--split", "1", "--json")
    assert code == 0
    assert len(json.loads(document)["devices"]) == 1
    code, _, error = run("devices", "--split", "7777")
    assert code == 2
    assert "not divided into 7777 equal parts" in error


@pytest.mark.skipif(
    eq.get_device("pocl").described.cores % 2 != 0, reason="the cores are not divided into two"
)
def test_halves_of_a_device_are_chosen_by_name(run, monkeypatch):
    code, document, _ = run("devices", "--split", "2", "--json")
    assert code == 0
    names = [device["name"] for device in json.loads(document)["devices"]]
    monkeypatch.setenv("EQSAT_DEVICE", names[1])
    code, document, _ = run("run", "softmax", "--json")
    assert code == 0
    assert json.loads(document)["device"] == names[1]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_infinite_results_are_summed_up_without_a_warning(dtype):
    facts = result_facts(np.array([np.inf, -np.inf, np.nan, 1, np.finfo(dtype).max], dtype))
    assert [facts[name] for name in ("least", "mean", "greatest")] == [None] * 3


def test_a_check_of_a_result_that_is_no_number_is_a_document(run, monkeypatch, graph_file):
    monkeypatch.setattr("eqsat.cli.run.reference_error", lambda *arguments: np.inf)
    code, text, _ = run("run", graph_file, "--check", "--json")
    report = json.loads(text)
    assert (code, report["largest_error"], report["agrees"]) == (1, None, False)


def test_an_interrupted_command_prints_one_document(run, monkeypatch, graph_file):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("eqsat.cli.run.compile_and_run", interrupted)
    code, text, errors = run("run", graph_file, "--json")
    assert (code, errors) == (130, "interrupted\n")
    assert json.loads(text) == {"error": {"type": "KeyboardInterrupt", "message": "interrupted"}}
