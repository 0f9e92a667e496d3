"""The list of all theories, and the theory step, which runs them on a frozen e-graph and feeds the equalities that they find back to egglog.

All theories of a step read one `Context`. Each claim is passed on once: to egglog (`Theories.step`), or to an explanation.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

from eqsat.egraph.snapshot.frozen import FrozenEGraph
from eqsat.egraph.tables.syntax import Action
from eqsat.egraph.theories.actions import ActionWriter
from eqsat.egraph.theories.bitcasts import BITCASTS
from eqsat.egraph.theories.claims import Claim, Theory, key_of
from eqsat.egraph.theories.comparisons import COMPARISONS
from eqsat.egraph.theories.constants import CONSTANTS
from eqsat.egraph.theories.context import Context
from eqsat.egraph.theories.division import DIVISION
from eqsat.egraph.theories.known_bits import KNOWN_BITS
from eqsat.egraph.theories.nary import NARY
from eqsat.egraph.theories.sums import SUMS

THEORIES: tuple[Theory, ...] = (CONSTANTS, SUMS, NARY, BITCASTS, COMPARISONS, DIVISION)
LAST_RESORT: Theory = KNOWN_BITS  # runs only if the others claim nothing new


class Listener(Protocol):
    """A receiver of claims."""

    def claim(self, claim: Claim) -> None:
        """Takes a claim."""
        ...

    def lasting_name(self, owner: int) -> int:
        """A number for an e-class that stays the same from step to step."""
        ...


@dataclass(slots=True)
class Theories:
    """Runs the theories during one saturation, and remembers which claims were passed on.

    Attributes:
        next_name: the first unused number for `NAMED`.
        counts: how many claims of each kind were passed on.
        claimed: the keys of these claims.
    """

    next_name: int
    counts: dict[str, int] = field(default_factory=dict[str, int])
    claimed: set[tuple[Any, ...]] = field(default_factory=set[tuple[Any, ...]])

    def step(self, frozen: FrozenEGraph) -> list[Action]:
        """The egglog actions that state all new claims about a frozen e-graph; empty if no theory claims anything new."""
        writer = ActionWriter(frozen, self.next_name)
        context = Context(frozen)
        if not self.claim(context, THEORIES, writer):
            self.claim(context, (LAST_RESORT,), writer)
        self.next_name = writer.next_name
        return writer.actions

    def claim(self, context: Context, theories: Iterable[Theory], listener: Listener) -> bool:
        """Passes the new claims of some theories to a listener; returns whether there were any."""
        before = len(self.claimed)
        for theory in theories:
            for claim in theory.find(context):
                if key_of(claim, listener.lasting_name) not in self.claimed:
                    listener.claim(claim)
                    # Again: the listener may have named classes
                    self.claimed.add(key_of(claim, listener.lasting_name))
                    self.counts[claim.reason] = self.counts.get(claim.reason, 0) + 1
        return len(self.claimed) > before
