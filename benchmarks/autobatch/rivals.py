"""Runs libraries in processes of their own, which take turns: each line on their input is a call, and each answer is a line of JSON."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from time import perf_counter
from typing import Any

FEWEST_TURNS = 3  # turns that each library takes, however long they last


def started(stack: ExitStack, command: Sequence[str], *, quiet: bool = False) -> subprocess.Popen[str]:
    """Starts a process that ends with the stack; what a `quiet` one writes to standard error is dropped."""
    child = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL if quiet else None,
        text=True,
    )
    stack.callback(child.wait)
    assert child.stdin
    stack.callback(child.stdin.close)
    return child


def answer(child: subprocess.Popen[str]) -> Any:
    """The value on the next line that a process writes; None if it has ended."""
    assert child.stdout
    return json.loads(child.stdout.readline() or "null")


def taken_in_turns(
    children: Mapping[str, subprocess.Popen[str]], rounds: int, seconds: float
) -> dict[str, list[float]]:
    """The measurements of each process in its turns, until the rounds are over or, after a few rounds, the seconds."""
    taken: dict[str, list[float]] = {name: [] for name in children}
    end = perf_counter() + seconds
    for number in range(1, rounds + 1):
        for name, child in children.items():
            assert child.stdin
            child.stdin.write("\n")
            child.stdin.flush()
            taken[name] += answer(child) or []
        if number >= FEWEST_TURNS and perf_counter() > end:
            break
    return taken
