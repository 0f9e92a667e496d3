"""A task for another process: a call, its time limit, and the failure that may come back."""

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
        """The message of an error; an error that is not eqsat's has its type in front."""
        return Failure(str(error) if isinstance(error, EqsatError) else f"{type(error).__name__}: {error}")

    @staticmethod
    def of_exit(code: int) -> Failure:
        """The failure of a process that ended before it answered. Negative exit codes are signals."""
        if code < 0:
            return Failure(f"the process was ended by {signal.Signals(-code).name}")
        return Failure(f"the process ended with exit code {code}")


@dataclass(frozen=True, slots=True)
class Task:
    """The call `function(subject, *arguments)`, with a time limit.

    Both parts are pickled by the sender and unpickled only by the process that runs them. So everything in between (threads, a cluster)
    need not know the user's classes.

    Attributes:
        subject: the subject, pickled; many tasks have the same one, which a process unpickles once.
        call: the function and its further arguments, pickled.
        seconds: the time limit; after it the process is ended.
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
    """`value` pickled, including classes and functions of scripts and notebooks; a Failure if it cannot be pickled."""
    try:
        return cloudpickle.dumps(value)  # pyright: ignore[reportUnknownMemberType]
    except Exception as error:  # noqa: BLE001  (users' classes may raise anything when they are pickled)
        return Failure(f"it cannot be sent to another process: {Failure.of(error).message}")
