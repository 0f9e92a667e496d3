"""Whether this process was forked off one that had started threads: fork copies none of them, and what needs them waits for ever."""

from __future__ import annotations

import os

from eqsat.errors import ForkError


class Threads:
    """Threads of one library, in whatever process they are."""

    def __init__(self, what: str) -> None:
        """`what` works with them, as in "devices"."""
        self._what = what
        self._started = False
        self.lost = False  # whether this process was forked off one that had used them
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._note)

    def require(self) -> None:
        """Say that this process uses them from now on.

        Raises:
            ForkError: it cannot, because the process that it was forked off does.
        """
        if self.lost:
            raise ForkError(
                f"process {os.getpid()} was forked off one that had used {self._what}, which work with threads that a fork does not copy; "
                "start processes with multiprocessing.get_context('spawn') or 'forkserver', or fork before the first use"
            )
        self._started = True

    def _note(self) -> None:
        self.lost = self._started or self.lost
