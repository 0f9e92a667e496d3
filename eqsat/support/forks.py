"""Detects that this process was forked off one that had started threads.

A fork copies no threads, so code that needs them would wait for ever.
"""

from __future__ import annotations

import os

from eqsat.errors import ForkError


class Threads:
    """Whether the threads of one library were started in this process, or in a process that it was forked off."""

    def __init__(self, what: str) -> None:
        """`what` names the things that need the threads, such as "devices", for messages."""
        self._what = what
        self._started = False
        self.lost = False  # whether this process was forked off one that had used the threads
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._note)

    def require(self) -> None:
        """Records that this process uses the threads from now on.

        Raises:
            ForkError: the process was forked off one that had used the threads.
        """
        if self.lost:
            raise ForkError(
                f"process {os.getpid()} was forked off one that had used {self._what}, which work with threads that a fork does not copy; "
                "start processes with multiprocessing.get_context('spawn') or 'forkserver', or fork before the first use"
            )
        self._started = True

    def _note(self) -> None:
        self.lost = self._started or self.lost
