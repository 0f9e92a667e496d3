"""The choice of loops for one kernel: the cheapest of its candidates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eqsat.errors import ScheduleError
from eqsat.machine import Machine
from eqsat.schedule.cost.estimates import (
    BODY_INSTRUCTIONS,
    TEXT_INSTRUCTIONS,
    Costs,
    Estimates,
    costs_without_arithmetic,
    lower_bound_of_bodies,
    lower_bound_without_memory,
    with_memory,
)
from eqsat.schedule.cost.groups import shared_bytes
from eqsat.schedule.cost.profile import Profile
from eqsat.schedule.cost.tables import Tables
from eqsat.schedule.cost.traffic import local_bytes
from eqsat.schedule.loops.candidates import (
    ACCUMULATORS,
    LOADED_TOGETHER,
    SHORT,
    TILES,
    VECTOR_COPIES,
    arrangements,
    bodies,
    copies_of,
    count_of_plain_orders,
    fits,
    in_plain_orders,
)
from eqsat.schedule.loops.lanes import lanes_along
from eqsat.schedule.tiling import Floats, Tiling, Tilings, across
from eqsat.uop import UOp

FINALISTS = 8
BATCH = 64  # candidates whose memory traffic is priced together
MANY = 8 * BATCH  # number of bodies above which a lower bound prunes them before outer loops are tried
VERY_MANY = 32 * BATCH  # number of bodies above which a lower bound prunes them before they are costed

Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TilingCandidates:
    """Tilings of one kernel, priced as far as that is quick.

    Attributes:
        kernel: the tables of the kernel.
        device: the machine that it runs on.
        tilings: the candidates.
        costs: the costs of their bodies.
        bounds: lower bounds of their seconds: the estimates without memory traffic.
    """

    kernel: Tables
    device: Machine
    tilings: Tilings
    costs: Costs
    bounds: Estimates

    @staticmethod
    def of(kernel: Tables, device: Machine, tilings: Tilings, costs: Costs) -> TilingCandidates:
        """The candidates with these tilings, and lower bounds of their seconds."""
        return TilingCandidates(
            kernel, device, tilings, costs, lower_bound_without_memory(kernel, tilings, costs, device)
        )

    def cheapest(self, count: int, most: float = np.inf) -> Ranking:
        """The `count` cheapest candidates that take no longer than `most` seconds.

        Memory traffic takes longest to price. It is priced in batches, those with the least lower bounds first, until no other candidate
        can be among the cheapest.
        """
        bounds = self.bounds.seconds
        seconds = np.full(len(bounds), np.inf)
        waiting = np.argsort(bounds, kind="stable")
        while (waiting := waiting[bounds[waiting] <= most]).size:
            batch, waiting = waiting[:BATCH], waiting[BATCH:]
            seconds[batch] = self._priced(batch).seconds
            if count < len(seconds):
                most = min(most, np.partition(seconds, count - 1)[count - 1])
        rows = np.argsort(seconds, kind="stable")[:count]
        rows = rows[seconds[rows] <= most]
        others = np.where(np.isinf(seconds), bounds, seconds)
        others[rows] = np.inf
        return Ranking(self, rows, seconds[rows].tolist(), float(others.min(initial=np.inf)))

    def _priced(self, rows: Rows) -> Estimates:
        return with_memory(self.bounds.take(rows), self.kernel, self.tilings.take(rows), self.device)

    def arranged(self, rows: Rows) -> TilingCandidates:
        """The bodies in these rows under all other arrangements of outer loops."""
        tilings, among = arrangements(self.kernel.kernel, self.tilings.take(rows))
        return TilingCandidates.of(self.kernel, self.device, tilings, self.costs.take(rows[among]))


class Ranking(NamedTuple):
    """Some of the candidates, the cheapest first; all others take at least `least_of_others` seconds."""

    candidates: TilingCandidates
    rows: Rows
    seconds: list[float]
    least_of_others: float

    @property
    def tilings(self) -> list[Tiling]:
        """The ranked tilings, the cheapest first."""
        return self.candidates.tilings.take(self.rows).each()


@dataclass(frozen=True, eq=False)
class Bodies:
    """Bodies of one kernel, and the costs of each.

    Attributes:
        kernel: the tables of the kernel.
        device: the machine that it runs on.
        tilings: the bodies, under the plainest outer loops.
        costs: their costs.
        every: (tilings, costs) that also include bodies that are too long.
        least_of_others: a lower bound of the seconds of bodies that were dropped before they were costed.
    """

    kernel: Tables
    device: Machine
    tilings: Tilings
    costs: Costs
    every: tuple[Tilings, Costs]
    least_of_others: float = np.inf

    @staticmethod
    def of(kernel: Profile, device: Machine) -> Bodies:
        """All candidate bodies that fit local memory and are not too long."""
        tables = Tables.of(kernel)
        return Bodies.among(tables, device, _fitting(tables, device, bodies(kernel, device)))

    @staticmethod
    def among(kernel: Tables, device: Machine, tilings: Tilings) -> Bodies:
        """The bodies among these that are not too long; bodies without copies are never too long.

        A vector with contiguous lanes does not lengthen the body, so only unrolling is limited.
        """
        costs = Costs.of(kernel, tilings, device)
        every = tilings, costs
        rows = _of_some_length(kernel, tilings, costs)
        if len(rows) < len(tilings):
            tilings, costs = tilings.take(rows), costs.take(rows)
        return Bodies(kernel, device, tilings, costs, every)

    def among_least(self, most: float) -> Bodies:
        """The bodies whose lower bound is at most `most` seconds."""
        rows = np.flatnonzero(self.least <= most)
        if len(rows) == len(self.tilings):
            return self
        return replace(self, tilings=self.tilings.take(rows), costs=self.costs.take(rows))

    @cached_property
    def least(self) -> Floats:
        """A lower bound of the seconds of each body, whatever the loops around it."""
        return lower_bound_of_bodies(self.kernel, self.tilings, self.costs, self.device)

    def plain(self, rows: Rows) -> TilingCandidates:
        """The bodies in these rows under the plainest outer loops."""
        tilings, among = in_plain_orders(self.kernel.kernel, self.tilings.take(rows))
        return TilingCandidates.of(self.kernel, self.device, tilings, self.costs.take(rows[among]))

    @cached_property
    def all_plain(self) -> TilingCandidates:
        """All bodies under the plainest outer loops."""
        if count_of_plain_orders(self.kernel.kernel) == 1:  # the bodies are under it already
            return TilingCandidates.of(self.kernel, self.device, self.tilings, self.costs)
        return self.plain(np.arange(len(self.tilings)))

    def promising(self, count: int) -> TilingCandidates:
        """Candidates under the plainest outer loops that include the `count` cheapest of all bodies."""
        if len(self.tilings) <= MANY:
            return self.all_plain
        some = self.plain(np.sort(np.argsort(self.least, kind="stable")[:BATCH])).cheapest(count)
        most = some.seconds[-1] if len(some.seconds) == count else np.inf
        return self.plain(np.flatnonzero(self.least <= most))


@dataclass(frozen=True, eq=False)
class Choice:
    """The cheapest of the tilings that were looked at.

    Attributes:
        best: the cheapest tiling.
        best_seconds: the seconds that it is predicted to take.
        kernel, device: the kernel, and the machine that it runs on.
        looked_at: how many tilings there were to choose from. If there were very many bodies, those that are too long count, too.
        arranged: the best bodies under other outer loops than the plainest.
        least_of_others: a lower bound of the seconds of all tilings of `arranged` but the cheapest.
    """

    best: Tiling
    best_seconds: float
    kernel: Profile
    device: Machine
    looked_at: int
    arranged: TilingCandidates
    least_of_others: float

    @cached_property
    def bodies(self) -> Bodies:
        """All bodies of the kernel, costed; the choice itself needed the costs of few of them if there are many."""
        return Bodies.of(self.kernel, self.device)

    @property
    def candidates(self) -> tuple[TilingCandidates, TilingCandidates]:
        """(tilings under the plainest outer loops, tilings under others): all that were looked at."""
        return self.bodies.all_plain, self.arranged

    @cached_property
    def ranked(self) -> tuple[Tiling, ...]:
        """All tilings that were looked at, the cheapest first; they are priced on first use."""
        return tuple(tiling for _, tiling in self._all)

    @cached_property
    def seconds(self) -> tuple[float, ...]:
        """The predicted seconds of each tiling of `ranked`."""
        return tuple(seconds for seconds, _ in self._all)

    @cached_property
    def _all(self) -> list[tuple[float, Tiling]]:
        rankings = [each.cheapest(len(each.tilings)) for each in self.candidates]
        priced = [one for each in rankings for one in zip(each.seconds, each.tilings, strict=True)]
        return sorted(priced, key=lambda one: one[0])


class TooSlowError(ScheduleError):
    """A kernel takes longer than the caller's limit, whatever its loops.

    Attributes:
        lower_bound: a lower bound of its seconds.
        without_arithmetic: a lower bound of the seconds of every kernel that differs from it in `ARITHMETIC` operations alone.
    """

    def __init__(self, lower_bound: float, without_arithmetic: float) -> None:
        super().__init__(f"the kernel takes {lower_bound:.3g} seconds or more")
        self.lower_bound, self.without_arithmetic = lower_bound, without_arithmetic


def choose(kernel: Profile, device: Machine, most: float = np.inf) -> Choice:
    """Prices the bodies under the plainest outer loops, then every arrangement of outer loops around the best bodies.

    Raises:
        TooSlowError: all choices take longer than `most` seconds.
    """
    tables = Tables.of(kernel)
    every = _fitting(tables, device, bodies(kernel, device))
    found = _promising(tables, device, every, most)
    count = len(every) if len(every) > VERY_MANY else len(found.tilings)
    if most == np.inf:
        return choose_among(found, found.promising(FINALISTS), FINALISTS, count)
    quick = found.among_least(most)
    hopeless = float(found.least[found.least > most].min(initial=found.least_of_others))
    if not len(quick.tilings):
        raise TooSlowError(hopeless, _bare(found, every))
    choice = choose_among(quick, quick.promising(FINALISTS), FINALISTS, count, most)
    if choice.best_seconds > most:
        raise TooSlowError(min(choice.best_seconds, choice.least_of_others, hopeless), _bare(found, every))
    return choice


def _of_some_length(kernel: Tables, tilings: Tilings, costs: Costs) -> Rows:
    """The rows of bodies that are not too long, or have no copies."""
    longest = costs.instructions[:, kernel.innermost].max(axis=1)
    short = (longest <= BODY_INSTRUCTIONS) & (costs.instructions.sum(axis=1) <= TEXT_INSTRUCTIONS)
    return np.flatnonzero(short | across(tilings.copies == 1).all(axis=0))


def _bare(found: Bodies, every: Tilings) -> float:
    """The seconds `costs_without_arithmetic` of `TooSlowError`; 0 if not all bodies were costed."""
    if len(every) > VERY_MANY:
        return 0.0
    kernel, tilings, costs = found.kernel, *found.every
    bounds = costs_without_arithmetic(kernel, tilings, costs)
    rows = _of_some_length(kernel, tilings, bounds)
    least = lower_bound_of_bodies(kernel, tilings.take(rows), bounds.take(rows), found.device)
    return float(least.min())


def _fitting(kernel: Tables, device: Machine, tilings: Tilings) -> Tilings:
    """The tilings whose local memory fits the device; if none does, those that need the least."""
    if not kernel.accesses.holds and not device.has_groups:
        return tilings
    local = local_bytes(kernel.accesses, tilings) + shared_bytes(kernel, tilings, device)
    fits = local <= max(device.local_bytes, local.min())
    return tilings if fits.all() else tilings.take(np.flatnonzero(fits))


def _promising(kernel: Tables, device: Machine, every: Tilings, most: float) -> Bodies:
    """The bodies that include the finalists.

    Very many bodies are filtered before they are costed fully: their arithmetic alone must take no longer than `most`, and no longer than
    the last of a few good finalists.

    Raises:
        TooSlowError: the arithmetic of all bodies takes longer than `most`.
    """
    if len(every) <= VERY_MANY:
        return Bodies.among(kernel, device, every)
    costs = Costs.without_accesses(kernel, every, device)
    least = lower_bound_of_bodies(kernel, every, costs, device)
    some = every.take(np.sort(np.argsort(least, kind="stable")[:BATCH]))
    ranking = Bodies.among(kernel, device, some).all_plain.cheapest(FINALISTS)
    most = min(most, ranking.seconds[-1] if len(ranking.seconds) == FINALISTS else np.inf)
    rows = np.flatnonzero(least <= most)
    others = float(least[least > most].min(initial=np.inf))
    if not len(rows):
        raise TooSlowError(others, 0.0)
    return replace(Bodies.among(kernel, device, every.take(rows)), least_of_others=others)


def choose_among(
    found: Bodies, plain: TilingCandidates, finalists: int, bodies: int, most: float = np.inf
) -> Choice:
    """The cheapest of the `plain` candidates, and of other arrangements of outer loops around the `finalists` best of these.

    `found` are the bodies that are left of `bodies` many. Other arrangements are priced only if they may take no longer than `most` seconds.
    """
    first = plain.cheapest(finalists)
    arranged = plain.arranged(first.rows)
    second = arranged.cheapest(1, min(most, first.seconds[0]))
    best = second if second.seconds and second.seconds[0] < first.seconds[0] else first
    profile = found.kernel.kernel
    looked_at = bodies * count_of_plain_orders(profile) + len(arranged.tilings)
    return Choice(
        best.tilings[0], best.seconds[0], profile, found.device, looked_at, arranged, second.least_of_others
    )


def tile_sizes(kernel: Profile, device: Machine) -> dict[UOp, tuple[int, ...]]:
    """The tile sizes that candidates cut each range into."""
    sizes: dict[UOp, tuple[int, ...]] = {}
    for position, (bound, extent) in enumerate(zip(kernel.ranges, kernel.extents, strict=True)):
        found: set[int] = set()
        vectors = lanes_along(kernel, device, position)
        if kernel.written >> position & 1:
            found = {
                lanes * copies for lanes in vectors for copies in copies_of(extent, lanes, VECTOR_COPIES)
            }
            found.update(copies_of(extent, 1, (*TILES, *vectors)))
        if not kernel.outputs >> position & 1:
            found |= {lanes * copies for lanes in vectors for copies in ACCUMULATORS}
            found.update({extent} if extent <= SHORT else ())
            found.update(LOADED_TOGETHER if device.has_groups else ())
        sizes[bound] = tuple(size for size in sorted(found) if size > 1 and fits(kernel, position, size))
    return sizes
