import io
import json

import pytest
from rich.console import Console

from eqsat.cli import output as module
from eqsat.cli.output import Output, duration


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (2.5, "2.5 s"),
        (1.234e-3, "1.23 ms"),
        (0.9996, "1 s"),
        (12345.0, "12,300 s"),
        (5e-6, "5 µs"),
        (3e-8, "30 ns"),
        (0.0, "0 ns"),
    ],
)
def test_duration_has_the_unit_that_suits_it(seconds, text):
    assert duration(seconds) == text


def test_text_only_without_json(capsys):
    Output(as_json=False).show("a result")
    Output(as_json=False).document({"a": 1})
    assert capsys.readouterr().out == "a result\n"


def test_one_document_only_with_json(capsys):
    output = Output(as_json=True)
    output.show("a result")
    output.note("a remark")
    output.document({"a": 1})
    captured = capsys.readouterr()
    assert json.loads(captured.out) == {"a": 1}
    assert "a remark" in captured.err


def test_pipes_get_no_escape_codes_and_no_progress_bar(capsys):
    output = Output(as_json=False)
    with output.progress("work", total=2) as step:
        step("first")
    output.show("[bold red]plain[/]")
    captured = capsys.readouterr()
    assert captured.out == "plain\n"
    assert captured.err == ""


def test_long_lines_are_not_broken_in_a_pipe(capsys):
    Output(as_json=False).show("word " * 100)
    assert capsys.readouterr().out.count("\n") == 1


def test_no_color_is_respected_on_a_terminal(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setenv("NO_COLOR", "1")
    Console(file=stream, force_terminal=True).print("[red]text[/]")
    assert "\x1b[31m" not in stream.getvalue()


def test_progress_shows_the_step_on_a_terminal(monkeypatch):
    stream = io.StringIO()
    terminal = Console(file=stream, force_terminal=True, width=100)
    monkeypatch.setattr(module, "_console", lambda **_: terminal)
    with Output(as_json=False).progress("work", total=2) as step:
        step("first [part]")
        step("second")
    assert "work: first [part]" in stream.getvalue()
    assert "1/2" in stream.getvalue()
    assert "2/2" not in stream.getvalue()
