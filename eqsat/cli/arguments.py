"""What several commands ask for, and how a command line that cannot be understood is answered."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from eqsat.errors import CommandError

EXTRACTOR = "portfolio"  # where none is named


class Parser(argparse.ArgumentParser):
    """A parser that raises its complaints, so that they are printed like all others."""

    def error(self, message: str) -> NoReturn:
        """What is wrong, and where the arguments are explained.

        Raises:
            CommandError: always.
        """
        raise CommandError(f"{message}; see `{self.prog} --help`")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Also asked of a command's own parser, whose help lists what that command takes.

        Raises:
            CommandError: there are arguments that it does not know.
        """
        parsed, strange = super().parse_known_args(args, namespace)
        if strange:
            self.error(f"unrecognized arguments: {' '.join(strange)}")
        return parsed, strange


def add_device(parser: argparse.ArgumentParser) -> None:
    """The choice of a device."""
    parser.add_argument("--device", help="OpenCL device by name or a part of it (see `eqsat devices`)")


def add_allow_custom(parser: argparse.ArgumentParser) -> None:
    """Whether a graph file may hold code."""
    parser.add_argument(
        "--allow-custom",
        action="store_true",
        help="admit operations that hold code of the target language, which will run: only for files that you trust",
    )


def add_extractor(parser: argparse.ArgumentParser) -> None:
    """The choice of an extractor."""
    parser.add_argument("--extractor", default=EXTRACTOR, metavar="NAME", help="default: %(default)s")


def add_extractors(parser: argparse.ArgumentParser, default: str) -> None:
    """The choice of several extractors."""
    parser.add_argument(
        "--extractor",
        action="append",
        metavar="NAME",
        help=f"may be given several times (default: {default})",
    )


def add_time_limit(parser: argparse.ArgumentParser, default: float, meaning: str) -> None:
    """The seconds that an extractor has."""
    parser.add_argument(
        "--time-limit",
        type=positive,
        default=default,
        metavar="S",
        help=f"{meaning} (default: %(default)s)",
    )


def natural(text: str) -> int:
    """An integer from 0."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no integer from 0")
    return int(text)


def assignment(text: str) -> tuple[str, int]:
    """A name and an integer, as in `n=3`."""
    name, _, value = text.partition("=")
    if not name or not value.removeprefix("-").isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no assignment; write NAME=VALUE, with an integer")
    return name, int(value)


def positive_integer(text: str) -> int:
    """An integer from 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no integer from 1")
    return int(text)


def positive(text: str) -> float:
    """A number above 0."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return value
