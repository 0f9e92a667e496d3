"""Statistics of how well a batch keeps a machine busy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass
class Statistics:
    """The counts of one run of a machine.

    Attributes:
        batch: the number of members.
        runs: for each block, how often it was run for some members at once.
        members: for each block, the number of members for which it was run, summed over its runs.
        depths: for each variable with a stack, the most values on it; on the static machine, for each function, the most calls in progress.
    """

    batch: int
    runs: dict[str, int] = field(default_factory=dict[str, int])
    members: dict[str, int] = field(default_factory=dict[str, int])
    depths: dict[str, int] = field(default_factory=dict[str, int])

    def count(self, block: str, members: int) -> None:
        """Counts a run of a block for some members."""
        self.runs[block] = self.runs.get(block, 0) + 1
        self.members[block] = self.members.get(block, 0) + members

    @property
    def utilization(self) -> Mapping[str, float]:
        """For each block, the mean fraction of the batch for which it was run."""
        return {name: self.members[name] / (runs * self.batch) for name, runs in self.runs.items()}
