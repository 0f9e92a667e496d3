"""The budget of a saturation: how much of it is spent, and how many more rows it has room for.

A row costs more than its place in the e-graph, because it is read back at the end. Time and memory for reading back are reserved from the
beginning, so that the result is there when the budget is spent.
"""

from __future__ import annotations

import math
import os
import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from time import perf_counter
from typing import Any

from eqsat.errors import ScheduleError, brief
from eqsat.uop.limits import LARGEST, plain

_SECONDS_PER_READ_ROW = 3e-5
_SECONDS_PER_ADDED_ROW = 2e-6
_SECONDS_PER_MATCH = 5e-7  # also for each copied element of a multiset
_BYTES_PER_READ_ROW = 1_200
_BYTES_PER_ADDED_ROW = 300
# Factor by which one application of a rule may exceed the budget of nodes; then saturation ends
_NODE_EXCESS = 4
_LARGE_SHARE = 1 / 4  # share of the room at the beginning, see `Meter.large`
_BYTES_PER_COPY = 16  # for one copied element of a multiset, which egglog does not free
_MEBIBYTE = 1 << 20
_COUNTS = ("iterations", "explorations")  # limits that count iterations of loops, so they are integers


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of a saturation. A spent budget is no error: the result is what was found until then. If the graph itself is too large for the
    budget, the result is the graph as it was.

    Attributes:
        nodes: rows of the e-graph's tables (terms and facts).
        iterations: applications of all rules of a phase.
        seconds: wall time, including the time to read the result back. A function that a rule calls is not interrupted, but not called again.
        matches: matches of one rule in one iteration; a rule with more matches, and more than the e-graph has rows, is left out from then on.
        explorations: iterations of the explore phase.
        memory: MiB by which the process may grow, for the e-graph and for reading it back. A row takes 1 to 1.5 KiB.
    """

    nodes: int = 100_000
    iterations: int = 60
    seconds: float = 20.0
    matches: int = 2_000
    explorations: int = 2
    memory: int = 1_024

    def __post_init__(self) -> None:
        """Checks the limits.

        Raises:
            ScheduleError: a limit is not a number from 0 on, or is too large.
        """
        for name in ("nodes", "iterations", "seconds", "matches", "explorations", "memory"):
            limit: Any = plain(getattr(self, name))
            object.__setattr__(self, name, limit)
            kinds = (int,) if name in _COUNTS else (int, float)
            if type(limit) not in kinds or not (0 <= limit <= LARGEST or limit == math.inf):
                raise ScheduleError(
                    f"a budget limits {name} by {'an integer' if name in _COUNTS else 'a number'} from 0 on, below 2⁶³, not {brief(limit)}; "
                    "Budget() has usual limits"
                )

    def until(self, deadline: float) -> Budget:
        """The budget with the seconds that are left until the deadline, by `perf_counter`; at most its own, because long times are rounded."""
        return replace(self, seconds=min(self.seconds, max(0.0, deadline - perf_counter())))


DEFAULT_BUDGET = Budget()


class StopReason(Enum):
    """Why saturation ended."""

    SATURATED = "saturated"  # rules and theories find nothing more
    EXPLORED = "explored"  # all explorations were made
    NODES = "nodes"
    ITERATIONS = "iterations"
    SECONDS = "seconds"
    MEMORY = "memory"


class BudgetSpentError(Exception):
    """Ends a saturation. The function that began the saturation catches it."""

    def __init__(self, reason: StopReason) -> None:
        super().__init__(reason.value)
        self.reason = reason


class Meter:
    """Measures how much of its budget one saturation has spent. Time starts when the meter is made.

    Attributes:
        large: a rule that makes more rows than this in one application takes too large a part of the budget.
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.start = perf_counter()
        self._resident = resident_bytes()
        self.large = _LARGE_SHARE * self.room(0)

    @property
    def seconds(self) -> float:
        """Seconds since the beginning."""
        return perf_counter() - self.start

    def deadline(self, rows: int) -> float:
        """The time, by `perf_counter`, at which `rows` rows must be read back."""
        return self.start + self.budget.seconds - rows * _SECONDS_PER_READ_ROW

    def check(self, rows: int, ahead: float = 0) -> None:
        """Checks that the budget allows more than `rows` rows, and a step of `ahead` seconds.

        Raises:
            BudgetSpentError: it does not.
        """
        if self._seconds_left(rows) < ahead:
            raise BudgetSpentError(StopReason.SECONDS)
        if rows > self.budget.nodes:
            raise BudgetSpentError(StopReason.NODES)
        if self._bytes_left(rows) < 0:
            raise BudgetSpentError(StopReason.MEMORY)

    def room(self, rows: int) -> float:
        """How many rows can be added to `rows`, so that all of them fit into memory and are read back in time."""
        return min(self._rooms(rows).values())

    def scarcest(self, rows: int) -> StopReason:
        """The part of the budget that leaves the least room."""
        rooms = self._rooms(rows)
        return min(rooms, key=rooms.__getitem__)

    def _rooms(self, rows: int) -> dict[StopReason, float]:
        return {
            StopReason.SECONDS: self._seconds_left(rows) / (_SECONDS_PER_ADDED_ROW + _SECONDS_PER_READ_ROW),
            StopReason.NODES: _NODE_EXCESS * self.budget.nodes - rows,
            StopReason.MEMORY: self._bytes_left(rows) / (_BYTES_PER_ADDED_ROW + _BYTES_PER_READ_ROW),
        }

    def steps(self, rows: int) -> float:
        """How many steps of finding matches (see `Forecast`) the time and the memory allow."""
        return min(self._seconds_left(rows) / _SECONDS_PER_MATCH, self._bytes_left(rows) / _BYTES_PER_COPY)

    def _seconds_left(self, rows: int) -> float:
        return self.deadline(rows) - perf_counter()

    def _bytes_left(self, rows: int) -> float:
        limit = self.budget.memory * _MEBIBYTE
        taken = rows * _BYTES_PER_ADDED_ROW
        # Else not asked, because that takes 50 µs
        if 4 * rows * (_BYTES_PER_ADDED_ROW + _BYTES_PER_READ_ROW) > limit:
            taken = max(taken, resident_bytes() - self._resident)
        return limit - taken - rows * _BYTES_PER_READ_ROW


def resident_bytes() -> int:
    """Bytes of memory that this process holds; where the operating system does not say, the most it ever held, or 0."""
    with suppress(ImportError):
        import resource  # not on Windows

        with suppress(OSError):
            file = os.open("/proc/self/statm", os.O_RDONLY)  # a Path takes 0.1 ms more, for each expression
            try:
                pages = os.read(file, 64).split()[1]
            finally:
                os.close(file)
            return int(pages) * resource.getpagesize()
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024
    return 0
