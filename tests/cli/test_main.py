import json
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


def test_unknown_command_is_exit_code_2(capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(["demonstrate"])
    assert stop.value.code == 2
    assert "demo" in capsys.readouterr().err


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


def test_reader_that_leaves_a_pipe_is_no_error():
    script = "import sys; from eqsat.cli import main; sys.exit(main(['devices']))"
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.close()
        message = process.stderr.read()
        assert process.wait(timeout=60) == 0
    assert b"Traceback" not in message
