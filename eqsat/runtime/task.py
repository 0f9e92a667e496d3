"""Work for another process: what to call on which subject, for how long, and what may come back."""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import cloudpickle

from eqsat.errors import EqsatError


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no result."""

    message: str

    @staticmethod
    def of(error: BaseException) -> Failure:
        """An error of eqsat in its own words; of another one its type as well."""
        return Failure(str(error) if isinstance(error, EqsatError) else f"{type(error).__name__}: {error}")

    @staticmethod
    def of_exit(code: int) -> Failure:
        """What became of a process that ended before it answered; negative codes are signals."""
        if code < 0:
            return Failure(f"the process was ended by {signal.Signals(-code).name}")
        return Failure(f"the process ended with exit code {code}")


@dataclass(frozen=True, slots=True)
class Task:
    """The call `function(subject, *arguments)`. Both parts are pickled where they come from and unpickled only where they are run, so
    that what lies between (threads, a cluster) need not know the user's classes.

    Attributes:
        subject: pickled; many tasks have the same one, which a process unpickles once.
        call: the function and its further arguments, pickled.
        seconds: after which the process is ended.
    """

    subject: bytes
    call: bytes
    seconds: float

    @staticmethod
    def of(
        function: Callable[..., Any], subject: bytes, arguments: Sequence[Any], seconds: float
    ) -> Task | Failure:
        """The task, or why the arguments cannot be pickled."""
        call = packed((function, tuple(arguments)))
        return call if isinstance(call, Failure) else Task(subject, call, seconds)


def packed(value: Any) -> bytes | Failure:
    """`value` pickled, classes and functions of scripts and notebooks included."""
    try:
        return cloudpickle.dumps(value)  # pyright: ignore[reportUnknownMemberType]
    except Exception as error:  # noqa: BLE001  (users' classes may raise anything when they are pickled)
        return Failure(f"it cannot be sent to another process: {Failure.of(error).message}")
