"""Lets rules call Python functions: converts values to strings of egglog and back.

egglog's `py-call` takes about 7 µs for each value that it passes to Python or back; it works the same in egglog 13 and 14. So all operands are passed
as one string: an integer in decimal, a float as its bits in decimal, a tuple as Python prints it, an operation or dtype by name. The answer "!" means
"no value"; the rule then does not match.
"""

from __future__ import annotations

import os
import pickle
import struct
from ast import literal_eval
from base64 import b64encode
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache, lru_cache
from threading import Lock
from time import perf_counter
from typing import Any

from eqsat.dtype import DType, parse_dtype
from eqsat.egraph.tables.syntax import Expression, call, text
from eqsat.errors import RuleError, brief
from eqsat.ops import Op

NOTHING = "!"
BETWEEN = "\x1f"  # separates the operands; `repr` never prints it
# The rule's name, the function, a letter for each operand that says how to read it, and the letter for the result
Signature = tuple[str, Callable[..., Any], str, str]
_SIGNATURES: list[Signature] = []  # compiled rules refer to an entry by its position: append only
_NUMBERS: dict[Signature, int] = {}
_NUMBERING = Lock()
if hasattr(os, "register_at_fork"):
    # After a fork, the thread that held the lock may not exist in the child. threading and logging do the same.
    os.register_at_fork(after_in_child=_NUMBERING._at_fork_reinit)  # pyright: ignore


def float_bits(value: float) -> int:
    """The bits of a double as a signed integer."""
    return struct.unpack("<q", struct.pack("<d", value))[0]


def bits_float(bits: int) -> float:
    """The double with these bits."""
    return struct.unpack("<d", struct.pack("<q", bits))[0]


class OverdueError(Exception):
    """Ends a run of egglog in which `rule` still calls functions long after the deadline. The e-graph cannot be used afterwards."""

    def __init__(self, rule: str) -> None:
        super().__init__(f"rule {rule!r} matches without end")
        self.rule = rule


@dataclass(slots=True)
class Calls:
    """The limits and the times of the calls of one saturation.

    Attributes:
        deadline: a time of `perf_counter`, after which no function is called; rules that would call one do not match.
        end: a time of `perf_counter`, after which a call ends the run of egglog with an `OverdueError`.
        seconds: the seconds that each rule spent in its functions, by the rule's name.
    """

    deadline: float = float("inf")
    end: float = float("inf")
    seconds: dict[str, float] = field(default_factory=dict[str, float])


_KINDS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "i": (int, "an integer"),
    "x": (int, "an integer"),
    "b": (int, "a bool"),
    "f": ((int, float), "a number"),
}
_CALLS = ContextVar("calls", default=Calls())  # noqa: B039  (calls outside of a saturation share one default, and their times may add up)


@lru_cache(1 << 14)
def decode(letter: str, value: str) -> Any:
    """Reads a Python value from its string: 'i' int, 'b' bool, 'f' float, 'o' operation, 'd' dtype, 't' tuple."""
    match letter:
        case "i" | "x":
            return int(value)
        case "b":
            return value != "0"
        case "f":
            return bits_float(int(value))
        case "o":
            return Op[value]
        case "d":
            return parse_dtype(value)
        case _:
            return literal_eval(value)


def encode(value: Any, letter: str = "") -> str:
    """The string of a Python value, chosen by its type; with 'f', a number becomes a float first."""
    value = float(value) if letter == "f" and value is not None else value
    match value:
        case None:
            return NOTHING
        case bool():
            return str(int(value))
        case int():
            return str(value)
        case float():
            return str(float_bits(value))
        case Op() | DType():
            return value.name
        case _:
            return repr(value)


def answer(call: str) -> str:
    """Egglog calls this function: it calls a registered function, given by its number, on the strings of the operands. After the deadline, the
    answer is "no value".

    Raises:
        OverdueError: egglog still calls long after the deadline, for example because a rule matches billions of times.
    """
    calls, start = _CALLS.get(), perf_counter()
    if start > calls.deadline:
        if start > calls.end:
            raise OverdueError(_signature(call)[0])
        return NOTHING
    rule, value = _answered(call)
    calls.seconds[rule] = calls.seconds.get(rule, 0.0) + perf_counter() - start
    return value


def _signature(call: str) -> Signature:
    return _SIGNATURES[int(call.partition(BETWEEN)[0])]


@lru_cache(1 << 14)
def _answered(call: str) -> tuple[str, str]:
    """The name of the calling rule, and the answer. Answers are cached, because equal layers of a program call functions on equal operands."""
    rule, function, letters, result = _signature(call)
    _, *operands = call.split(BETWEEN)
    value = function(*map(decode, letters, operands))
    kinds, words = _KINDS.get(result, (object, ""))
    if value is not None and not isinstance(value, kinds):
        raise RuleError(f"rule {rule!r}: a function gave {brief(value)} where {words} is wanted")
    return rule, encode(value, result)


@contextmanager
def recorded(calls: Calls) -> Generator[None]:
    """Inside this context, `calls` limits and times the functions of rules."""
    token = _CALLS.set(calls)
    try:
        yield
    finally:
        _CALLS.reset(token)


def python_call(
    rule: str, function: Callable[..., Any], letters: str, operands: list[Expression], result: str = ""
) -> Expression:
    """The egglog expression, a String, with which `rule` calls `function` on String expressions.

    Each of the `letters` says how to read one operand; `result` says how to write the result (see `decode` and `encode`).
    """
    key = (rule, function, letters, result)
    with _NUMBERING:
        if key not in _NUMBERS:
            _NUMBERS[key] = len(_SIGNATURES)
            _SIGNATURES.append(key)
    joined = [part for operand in operands for part in (text(BETWEEN), operand)]
    given = call("+", text(str(_NUMBERS[key])), *joined)
    return call("py-to-string", call("py-call", _entry(), call("py-from-string", given)))


@cache
def _entry() -> Expression:
    return call("py-object", text(b64encode(pickle.dumps(answer)).decode()))
