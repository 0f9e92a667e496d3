import json
import os
import subprocess
import sys

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
        "argument --seed: '-1' is no integer from 0; see `eqsat run --help`",
    ),
    (["explain", "softmax", "--lines", "few"], "argument --lines: 'few' is no integer from 0"),
]


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


def test_reader_that_leaves_a_pipe_is_no_error():
    script = "import sys; from eqsat.cli import main; sys.exit(main(['devices']))"
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.close()
        message = process.stderr.read()
        assert process.wait(timeout=60) == 0
    assert b"Traceback" not in message
