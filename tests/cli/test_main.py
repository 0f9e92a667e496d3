import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import eqsat
from eqsat import cli
from eqsat.errors import CompileError


@pytest.fixture
def command(monkeypatch):
    """Makes `eqsat devices` do something else."""

    def replace(action):
        monkeypatch.setattr(cli.devices, "execute", lambda arguments, output: action())

    return replace


def raising(error):
    def action():
        raise error

    return action


def test_typed_error_is_one_message_and_exit_code_2(command, capsys):
    command(raising(CompileError("kernel [softmax] did not build; see the log")))
    assert cli.main(["devices"]) == 2
    captured = capsys.readouterr()
    assert captured.err == "error: kernel [softmax] did not build; see the log\n"
    assert captured.out == ""


def test_typed_error_is_a_document_with_json(command, capsys):
    command(raising(CompileError("it did not build")))
    assert cli.main(["devices", "--json"]) == 2
    assert json.loads(capsys.readouterr().out) == {
        "error": {"type": "CompileError", "message": "it did not build"}
    }


PLACES = [
    ["run", "softmax", "--output", "{}.npz"],
    ["demo", "--output", "{}.png"],
    ["show", "softmax", "--output", "{}.html"],
    ["extract", "no.json", "--output", "{}.json"],
    ["explain", "softmax", "--save-problem", "{}.json"],
    ["gym", "nowhere", "--results", "{}.db"],
    ["compare", "softmax", "--markdown", "{}.md"],
    ["compare", "softmax", "--plot", "{}.png"],
]


@pytest.mark.parametrize("arguments", PLACES, ids=" ".join)
def test_the_place_of_a_result_is_checked_before_the_work(arguments, tmp_path, monkeypatch, capsys):
    """No command is executed."""
    monkeypatch.setattr(cli.COMMANDS[arguments[0]], "execute", lambda arguments, output: 0)
    *before, place = arguments
    assert cli.main([*before, place.format(tmp_path / "result")]) == 0
    assert cli.main([*before, place.format(tmp_path / "no" / "result")]) == 2
    assert "there is no folder" in capsys.readouterr().err
    folder = Path(place.format(tmp_path / "folder"))
    folder.mkdir()
    assert cli.main([*before, str(folder)]) == 2
    assert "is no file that can be written" in capsys.readouterr().err


def test_the_ending_of_a_result_is_checked_before_the_work(tmp_path, capsys):
    assert cli.main(["run", "softmax", "--output", str(tmp_path / "x.txt")]) == 2
    assert "does not end in .npz or .npy" in capsys.readouterr().err
    assert cli.main(["demo", "--output", str(tmp_path / "x.txt")]) == 2
    assert "does not end in .png" in capsys.readouterr().err
    pytest.importorskip("matplotlib")
    assert cli.main(["compare", "softmax", "--plot", str(tmp_path / "x.xyz")]) == 2
    assert "Matplotlib draws no x.xyz" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_interrupt_is_a_document_with_json(command, capsys):
    command(raising(KeyboardInterrupt()))
    assert cli.main(["devices", "--json"]) == 130
    captured = capsys.readouterr()
    assert json.loads(captured.out) == {"error": {"type": "KeyboardInterrupt", "message": "interrupted"}}
    assert captured.err == "interrupted\n"


@pytest.mark.parametrize("error", [KeyboardInterrupt(), CompileError("late")])
def test_what_fails_after_the_document_adds_none(error, monkeypatch, capsys):
    def execute(arguments, output):
        output.document({"devices": []})
        raise error

    monkeypatch.setattr(cli.devices, "execute", execute)
    assert cli.main(["devices", "--json"]) in (2, 130)
    assert json.loads(capsys.readouterr().out) == {"devices": []}


def test_interrupt_is_exit_code_130(command, capsys):
    command(raising(KeyboardInterrupt()))
    assert cli.main(["devices"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_a_bug_is_not_hidden(command):
    command(raising(ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError):
        cli.main(["devices"])


WRONG_ARGUMENTS = [
    ([], "the following arguments are required: COMMAND; see `eqsat --help`"),
    (["demonstrate"], "invalid choice: 'demonstrate' (choose from "),
    (["devices", "all"], "unrecognized arguments: all; see `eqsat devices --help`"),
    (["run"], "the following arguments are required: graph; see `eqsat run --help`"),
    (
        ["run", "softmax", "--seed", "-1"],
        "argument --seed: '-1' is no integer from 0, below 2⁶³; see `eqsat run --help`",
    ),
    (["explain", "softmax", "--lines", "few"], "argument --lines: 'few' is no integer from 0"),
    *(
        (["rules", *mode, "--seconds", seconds], f"argument --seconds: '{seconds}' is no number above 0")
        for mode in ([], ["--suggest"], ["--verify"])
        for seconds in ("0", "-1", "nan", "inf")
    ),
    (["explain", "softmax", "--batch", "int32"], "--batch has no effect if a graph is explained"),
    (
        ["explain", "f.py:f", "--batch", "int32", "--chain"],
        "--chain has no effect if a batched function is explained",
    ),
    (["explain", "softmax", "--profile", "--lines", "3"], "--lines has no effect with --profile"),
    (["run", "softmax", "x.npy", "--emit", "c"], "arrays has no effect with --emit"),
    (["run", "softmax", "--emit", "c", "--set", "n=3"], "--set has no effect with --emit"),
    (["run", "softmax", "--emit", "c", "x.npy"], "arrays has no effect with --emit"),
    (
        ["run", "softmax", "--check", "x.npy", "--bogus"],
        "unrecognized arguments: --bogus; see `eqsat run --help`",
    ),
    (["run", "softmax", "--set", "n=3", "--set", "n=4"], "--set gives 'n' several values; drop all but one"),
    (["run", "softmax", "x.npy", "--seed", "1"], "--seed has no effect if arrays are given"),
    (["ops", "--markdown", "ADD"], "operation has no effect with --markdown; drop it"),
    (["ops", "mul", "add", "--markdown"], "operation has no effect with --markdown; drop it"),
    (["ops", "--markdown", "no-such"], "operation has no effect with --markdown; drop it"),
    (["rules", "--domain", "bool"], "--domain has no effect without --suggest"),
    (["rules", "--suggest", "--verify"], "--verify has no effect with --suggest"),
    (["rules", "--no-cache"], "--no-cache has no effect without --verify or --suggest"),
    (
        ["compare", "softmax", "--cluster", "tcp://nowhere", "--processes", "1"],
        "--processes has no effect with --cluster",
    ),
]


@pytest.mark.parametrize(
    "text",
    ["-1", "1.0", "", "few", "1_0", "0x1", str(1 << 63), "9" * 20, "9" * 5000, "-" + "9" * 5000, "--1"],
)
@pytest.mark.parametrize(
    ("option", "least"), [("tune --candidates", 1), ("run --seed", 0), ("compare --processes", 1)]
)
def test_what_is_no_integer_of_a_command_line_is_told(option, least, text, capsys):
    command, name = option.split()
    assert cli.main([command, "softmax", f"{name}={text}"]) == 2
    error = capsys.readouterr().err
    assert re.search(f"argument {name}: '.*' is no integer from {least}, below 2⁶³; see", error)
    assert len(error) < 500


@pytest.mark.parametrize(
    "text", ["", "n", "=3", "n=", "n=x", "n=1.5", "n=--1", f"n={1 << 63}", "n=" + "9" * 5000]
)
def test_what_is_no_assignment_is_told(text, capsys):
    assert cli.main(["run", "softmax", f"--set={text}"]) == 2
    error = capsys.readouterr().err
    assert re.search(
        r"argument --set: '.*' is no assignment; write NAME=VALUE, with an integer below 2⁶³", error
    )
    assert len(error) < 500


@pytest.mark.parametrize(("arguments", "message"), WRONG_ARGUMENTS)
def test_wrong_arguments_are_one_line_that_leads_to_help(arguments, message, capsys):
    assert cli.main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert captured.err.count("\n") == 1
    assert message in captured.err


@pytest.mark.parametrize(("arguments", "message"), WRONG_ARGUMENTS)
def test_wrong_arguments_are_a_document_with_json(arguments, message, capsys):
    assert cli.main([*arguments, "--json"]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["type"] == "CommandError"
    assert message in error["message"]


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_explains_itself_and_knows_json(name, capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main([name, "--help"])
    assert stop.value.code == 0
    assert "--json" in capsys.readouterr().out


def test_help_imports_no_library():
    script = (
        "import sys; from eqsat.cli import build_parser; build_parser().format_help(); print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert not {"numpy", "egglog", "pyopencl", "rich", "sklearn"} & set(loaded.split())


def test_version_is_that_of_the_package(capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"eqsat {eqsat.__version__}\n"


def test_no_driver_is_one_message_wherever_eqsat_is_called(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "eqsat", "run", "softmax", "--json"],
        cwd=tmp_path,
        env={**os.environ, "OCL_ICD_VENDORS": str(tmp_path / "nothing")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["type"] == "DeviceError"
    assert done.stderr.startswith("error: no OpenCL platform with a device was found; install one: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("arguments", [["devices"], ["explain", "softmax"]], ids=" ".join)
def test_output_in_ascii_has_question_marks(arguments):
    done = subprocess.run(
        [sys.executable, "-m", "eqsat", *arguments],
        env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "?" in done.stdout.decode("ascii")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no file that is always full")
@pytest.mark.parametrize("arguments", [["ops"], ["ops", "--json"], ["nothing", "--json"]], ids=" ".join)
@pytest.mark.parametrize("place", [">/dev/full", ">&-"])
def test_output_that_cannot_be_written_is_one_message(arguments, place):
    command = f"exec {sys.executable} -m eqsat {' '.join(arguments)} {place}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert ("standard output" in done.stderr) == (arguments[0] == "ops")
    assert done.stderr.count("\n") == 1


def test_without_standard_error_the_document_stands_alone():
    command = f"exec {sys.executable} -m eqsat nothing --json 2>&-"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["type"] == "CommandError"


def test_reader_that_leaves_a_pipe_is_no_error():
    script = "import sys; from eqsat.cli import main; sys.exit(main(['devices']))"
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.close()
        message = process.stderr.read()
        assert process.wait(timeout=60) == 0
    assert b"Traceback" not in message
