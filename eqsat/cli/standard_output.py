"""What may go wrong with standard output itself: it is closed, its disk is full, or its reader has gone."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager

from eqsat.errors import CommandError


def replace_what_is_not_encoded() -> None:
    """Lets standard output write a question mark for a character that its encoding lacks, such as an arrow in ASCII."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)  # there is none if it is closed
    if reconfigure is not None:
        reconfigure(errors="replace")


@contextmanager
def results_written() -> Generator[None]:
    """Runs a block that writes to standard output, and flushes it at the end. After an error, later output is discarded.

    Raises:
        CommandError: standard output is closed, or cannot be written.
        BrokenPipeError: the reader of a pipe has gone.
    """
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]
        raise CommandError("standard output is closed, so the results have no place; send them to a file")
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
        raise
    except OSError as error:
        _discard_output()
        raise CommandError(
            f"cannot write the results to standard output: {error.strerror or error}; send them elsewhere"
        ) from error


def _discard_output() -> None:
    """Sends what is still buffered, and later output, nowhere; otherwise Python would try again to write it when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
