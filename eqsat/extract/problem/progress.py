"""What an extractor that improves with time tells on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """Attributes:
    seconds: since the start.
    dag_cost: of the best choice so far.
    lower_bound: no choice costs less.
    """

    seconds: float
    dag_cost: float
    lower_bound: float


Listener = Callable[[Progress], None]
