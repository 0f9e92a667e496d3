"""Arguments that several commands share, and a parser that raises errors about a command line."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NoReturn

from eqsat.errors import CommandError, brief

EXTRACTOR = "portfolio"  # the default
LARGEST = (1 << 63) - 1  # the largest integer, as in `eqsat.uop.limits`, which imports NumPy


class Parser(argparse.ArgumentParser):
    """A parser that raises its errors, so that they are printed like all others. Files may stand before and after the options."""

    _is_inside = False  # argparse implements parse_known_intermixed_args by parse_known_args

    def error(self, message: str) -> NoReturn:
        """Raises an error that says what is wrong, and which command explains the arguments.

        Raises:
            CommandError: always.
        """
        raise CommandError(f"{message}; see `{self.prog} --help`")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Refuses unknown arguments. The parser of a command does so itself, because its help lists the arguments of the command.

        Raises:
            CommandError: there are unknown arguments.
        """
        if self._is_inside or self._subparsers is not None:  # argparse intermixes no commands
            parsed, strange = super().parse_known_args(args, namespace)
        else:
            self._is_inside = True
            try:
                parsed, strange = super().parse_known_intermixed_args(args, namespace)
            finally:
                self._is_inside = False
        if strange and not self._is_inside:
            self.error(f"unrecognized arguments: {' '.join(strange)}")
        return parsed, strange


def add_device(parser: argparse.ArgumentParser) -> None:
    """Adds the choice of a device."""
    parser.add_argument(
        "--device", help="OpenCL device, by its name or a part of the name (see `eqsat devices`)"
    )


def add_allow_custom(parser: argparse.ArgumentParser) -> None:
    """Adds whether a graph file may hold code."""
    parser.add_argument(
        "--allow-custom",
        action="store_true",
        help="accept operations that contain source code, and run this code; use it only for files that you trust",
    )


def add_extractor(parser: argparse.ArgumentParser) -> None:
    """Adds the choice of an extractor."""
    parser.add_argument(
        "--extractor", default=EXTRACTOR, metavar="NAME", help="extraction algorithm (default: %(default)s)"
    )


def add_extractors(parser: argparse.ArgumentParser, default: str) -> None:
    """Adds the choice of several extractors."""
    parser.add_argument(
        "--extractor",
        action="append",
        metavar="NAME",
        help=f"extraction algorithm; may be given several times (default: {default})",
    )


def add_time_limit(parser: argparse.ArgumentParser, default: float, meaning: str) -> None:
    """Adds the time limit of an extractor in seconds."""
    parser.add_argument(
        "--time-limit",
        type=positive,
        default=default,
        metavar="S",
        help=f"{meaning} (default: %(default)s)",
    )


def require_used(arguments: argparse.Namespace, options: tuple[str, ...], where: str) -> None:
    """Checks that no option was given that would be ignored.

    Raises:
        CommandError: one of `options` differs from its default.
    """
    for option in options:
        name = option.lstrip("-").replace("-", "_")
        if getattr(arguments, name) != arguments.default_of(name):
            raise CommandError(f"{option} has no effect {where}; drop it")


def destination(*endings: str) -> Callable[[str], Path]:
    """The type of an option that names a file to write. It is checked before the work: a result must not be lost for a mistyped path.

    Args:
        endings: the endings that the file may have; any if there are none.
    """

    def path_of(text: str) -> Path:
        path = Path(text)
        folder = path.resolve().parent
        if endings and path.suffix not in endings:
            raise argparse.ArgumentTypeError(f"{text!r} does not end in {' or '.join(endings)}; rename it")
        if not folder.is_dir():
            raise argparse.ArgumentTypeError(
                f"there is no folder {path.parent} to write {path.name} to; choose another place"
            )
        if path.is_dir() or not os.access(path if path.exists() else folder, os.W_OK):
            raise argparse.ArgumentTypeError(f"{text!r} is no file that can be written; choose another place")
        return path

    return path_of


def natural(text: str) -> int:
    """An integer from 0, below 2⁶³."""
    return _integer_from(0, text)


def positive_integer(text: str) -> int:
    """An integer from 1, below 2⁶³."""
    return _integer_from(1, text)


def _integer_from(least: int, text: str) -> int:
    value = _integer(text)
    if value is None or value < least:
        raise argparse.ArgumentTypeError(f"{brief(text)} is no integer from {least}, below 2⁶³")
    return value


def _integer(text: str) -> int | None:
    """The integer that a text writes; None if it is too large, or the text is none."""
    try:
        value = int(text) if text.removeprefix("-").isdecimal() else None
    except ValueError:  # it has more digits than Python reads
        return None
    return value if value is not None and abs(value) <= LARGEST else None


def assignment(text: str) -> tuple[str, int]:
    """A name and an integer, as in `n=3`."""
    name, _, written = text.partition("=")
    value = _integer(written)
    if not name or value is None:
        raise argparse.ArgumentTypeError(
            f"{brief(text)} is no assignment; write NAME=VALUE, with an integer below 2⁶³"
        )
    return name, value


def require_different(assignments: Iterable[tuple[str, int]]) -> None:
    """Checks that no name is given two values.

    Raises:
        CommandError: one is.
    """
    counts = Counter(name for name, _ in assignments)
    if twice := [name for name, count in counts.items() if count > 1]:
        raise CommandError(f"--set gives {twice[0]!r} several values; drop all but one")


def positive(text: str) -> float:
    """A number above 0."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return value
