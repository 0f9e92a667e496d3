"""How well a batch keeps a machine busy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass
class Statistics:
    """What a machine counted.

    Attributes:
        batch: the members.
        runs: how often each block was run for some members at once.
        members: for how many members in sum.
        depths: the most values on the stack of each variable that has one.
    """

    batch: int
    runs: dict[str, int] = field(default_factory=dict[str, int])
    members: dict[str, int] = field(default_factory=dict[str, int])
    depths: dict[str, int] = field(default_factory=dict[str, int])

    def count(self, block: str, members: int) -> None:
        """A run of a block for some members."""
        self.runs[block] = self.runs.get(block, 0) + 1
        self.members[block] = self.members.get(block, 0) + members

    @property
    def utilization(self) -> Mapping[str, float]:
        """The mean part of the batch for which each block was run."""
        return {name: self.members[name] / (runs * self.batch) for name, runs in self.runs.items()}
