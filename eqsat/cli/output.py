"""The output of a command: results go to standard output; notes, progress and errors go to standard error.

Colour and width follow the terminal; rich respects `NO_COLOR` and pipes. With `--json`, standard output holds exactly one JSON document,
either the result or the error.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from rich.console import Console, RenderableType
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.syntax import Syntax

from eqsat.cli.standard_output import results_written
from eqsat.errors import CommandError, GraphFileError

_PIPE_WIDTH = 120  # columns if the output is no terminal


class Output:
    """Where a command writes. `as_json` chooses between text and one JSON document."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self._is_documented = False
        self._results = _console()
        self._notes = _console(stderr=True)

    def show(self, *renderables: RenderableType) -> None:
        """Print results as text; nothing with `--json`."""
        if not self.as_json:
            with results_written():
                for renderable in renderables:
                    self._results.print(renderable, highlight=False, soft_wrap=isinstance(renderable, str))

    def source(self, code: str, language: str) -> None:
        """Print source code: coloured on a terminal, plain elsewhere."""
        highlighted = Syntax(code, language, theme="ansi_light", background_color="default", word_wrap=True)
        self.show(highlighted if self._results.is_terminal else escape(code))

    def document(self, value: Any) -> None:
        """Print the JSON document; nothing without `--json`."""
        if self.as_json:
            text = json.dumps(value, indent=2, allow_nan=False, default=str)
            self._is_documented = True
            with results_written():
                sys.stdout.write(text + "\n")

    def note(self, message: str) -> None:
        """Print a remark that is no result."""
        self._notes.print(escape(message), style="dim", highlight=False, soft_wrap=True)

    def error(self, error: Exception) -> None:
        """Print one message about an error, and as the JSON document with `--json`."""
        self._failure(type(error).__name__, str(error))
        self._notes.print(f"[bold red]error:[/] {escape(str(error))}", highlight=False, soft_wrap=True)

    def interrupted(self) -> None:
        """Print that the command was interrupted, and as the JSON document with `--json`."""
        self._failure("KeyboardInterrupt", "interrupted")
        self.note("interrupted")

    def _failure(self, kind: str, message: str) -> None:
        """Prints the JSON document of a failure, unless the command has printed a document already, or it cannot be written."""
        if not self._is_documented:
            with suppress(CommandError, BrokenPipeError):
                self.document({"error": {"type": kind, "message": message}})

    @contextmanager
    def progress(self, title: str, total: int | None = None) -> Generator[Step, None, None]:
        """Shows a progress bar on a terminal, and nothing elsewhere; it vanishes when the block ends.

        The bar stands below the results if these go to a terminal, and otherwise on standard error.
        """
        console = self._results if self._results.is_terminal and not self.as_json else self._notes
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
            yield Step(bars, title, total)


class Step:
    """A running progress bar, which is called whenever a step begins."""

    def __init__(self, bars: Progress, title: str, total: int | None) -> None:
        self._bars = bars
        self._title = title
        self._task = bars.add_task(escape(title), total=total)
        self._begun = False

    def __call__(self, message: str) -> None:
        """Ends the step before, and begins this one."""
        description = escape(f"{self._title}: {message}")
        self._bars.update(self._task, advance=int(self._begun), description=description, refresh=True)
        self._begun = True


class _Console(Console):
    """A console that raises an error when the reader of a pipe has gone, so that the command decides; rich would exit with code 1."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def _console(*, stderr: bool = False) -> Console:
    console = _Console(stderr=stderr)
    return console if console.is_terminal else _Console(stderr=stderr, width=_PIPE_WIDTH)


def write_text(path: Path, text: str) -> None:
    """Writes a file.

    Raises:
        GraphFileError: it cannot be written.
    """
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise GraphFileError(f"cannot write {path}: {error.strerror}; choose another place") from error


def duration(seconds: float) -> str:
    """A time with three significant digits, in a suitable unit.

    >>> duration(0.0012345)
    '1.23 ms'
    """
    seconds = float(f"{seconds:.3g}")
    for unit, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.3g} {unit}" if seconds < 1000 else f"{seconds:,.0f} s"
    return f"{seconds * 1e9:.3g} ns"
