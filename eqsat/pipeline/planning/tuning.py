"""Tuning: measures the choices of loops that are predicted to be fastest for each kernel, and takes the fastest.

The choices for one kernel take turns in a separate process, and drop out as soon as they are clearly slower than another one. Every turn is
written to the cache, with a key of what was measured (the sources, the device, the version of eqsat). So an interrupted tuning continues where
it stopped, and kernels that occur again, also in other programs, are not measured again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import eqsat
from eqsat.codegen import Dialect, RenderedKernel
from eqsat.codegen import render as render_kernel
from eqsat.pipeline.planning.place import suited
from eqsat.pipeline.planning.plan import Plan
from eqsat.runtime import MEASUREMENTS, Device, digest
from eqsat.runtime.task import Failure
from eqsat.runtime.timing import KernelTimer
from eqsat.schedule.draft import Draft, Drafts
from eqsat.schedule.kernel import Schedule, Tuning
from eqsat.schedule.tiling import Tiling

FEWEST_TURNS, MOST_TURNS = 3, 10
# Once the turns of all choices of a kernel sum to more seconds than this, no turns beyond the fewest are begun.
KERNEL_SECONDS = 2.0
# A turn has as many runs as take this many seconds, within these limits. The time of its fastest run counts.
TURN_SECONDS, FEWEST_RUNS, MOST_RUNS = (
    1e-3,
    2,
    20,
)
GAIN = 0.02  # relative gain over the choice that is predicted to be fastest, for another one to be taken
NAME = "candidate"  # the name of every kernel while it is measured, so that equal ones have equal sources
LONGEST_REASON = 200  # characters

Choices = list[tuple[Tiling, RenderedKernel]]


def tuned(drafts: Drafts, device: Device, plan: Plan) -> Schedule:
    """The schedule in which each kernel has the loops that were measured to be fastest.

    For each kernel, the plan's `tune` choices that are predicted to be fastest are measured.

    Raises:
        DeviceError: another process cannot use the device.
    """
    place = suited(device, drafts.schedule())
    dialect = replace(device.dialect, contract=plan.contracts)
    chosen: dict[Any, tuple[Tiling, Tuning]] = {}
    with KernelTimer(place) as timer:
        for draft in drafts.kernels:
            if draft.sink not in chosen:
                race = Race.of(draft, dialect, plan.tune, f"{place.name}\n{place.identity}")
                race.run(timer)
                chosen[draft.sink] = race.outcome(draft)
    tilings = {number: chosen[draft.sink][0] for number, draft in enumerate(drafts.kernels)}
    made = drafts.schedule(tilings)
    kernels = zip(made.kernels, drafts.kernels, strict=True)
    return replace(
        made, kernels=tuple(replace(kernel, tuning=chosen[draft.sink][1]) for kernel, draft in kernels)
    )


def distinct(draft: Draft, ranked: Sequence[Tiling], places: Sequence[int], dialect: Dialect) -> Choices:
    """Choices with distinct sources, and these sources. For each place, the tiling at this place in `ranked`, or the next one with a new source.

    After the last tiling, the search continues from the place backwards.
    """
    rendered: dict[Tiling, RenderedKernel] = {}
    found: dict[str, tuple[Tiling, RenderedKernel]] = {}
    for place in places:
        for tiling in (*ranked[place:], *reversed(ranked[:place])):
            if tiling not in rendered:
                rendered[tiling] = render_kernel(draft.kernel(tiling).ast, dialect)
            kernel = rendered[tiling]
            if kernel.source not in found:
                found[kernel.source] = tiling, kernel
                break
    return list(found.values())


@dataclass(frozen=True, eq=False)
class Race:
    """The choices of one kernel, and what was measured of them.

    Attributes:
        choices: the choices; the one that is predicted to be fastest is the first.
        key: the key of the measurements in the cache.
        seconds: by number of a choice, the seconds of each of its turns.
        failed: by number of a choice, why it takes no further turns.
    """

    choices: Choices
    key: str
    seconds: dict[int, list[float]] = field(default_factory=dict[int, list[float]])
    failed: dict[int, str] = field(default_factory=dict[int, str])

    @staticmethod
    def of(draft: Draft, dialect: Dialect, most: int, place: str) -> Race:
        """The race of a draft, with the turns that the cache has from earlier runs."""
        ranked = [draft.choice.best, *draft.choice.ranked]
        choices = distinct(replace(draft, name=NAME), ranked, range(min(most, len(ranked))), dialect)
        launches = [f"{kernel.source}\n{kernel.global_size} {kernel.local_size}" for _, kernel in choices]
        key = digest("tuning", eqsat.__version__, place, *launches)
        return Race(choices, key, *_stored(key, len(choices)))

    def run(self, timer: KernelTimer) -> None:
        """Gives each choice its turns."""
        if len(self.choices) < 2 or 0 in self.choices[0][1].global_size:
            return
        for turn in range(MOST_TURNS):
            if turn >= FEWEST_TURNS and sum(map(sum, self.seconds.values())) > KERNEL_SECONDS:
                return
            for number in self._running(turn):
                self._take_turn(number, timer)

    def _running(self, turn: int) -> list[int]:
        """The choices that take this turn: they have not had it, did not fail, and are not clearly slower than the best.

        Clearly slower means by a factor of more than 5 after one turn, 2 after two, 1.4 after three, and so on: one disturbed turn does not
        exclude a choice. The first choice, with which the result is compared, takes all turns.
        """
        best = min((min(taken) for taken in self.seconds.values()), default=0.0)
        return [
            number
            for number in range(len(self.choices))
            if number not in self.failed
            and len(taken := self.seconds.get(number, [])) == turn
            and (not number or not taken or min(taken) <= best * (1 + 4 / turn**2))
        ]

    def _take_turn(self, number: int, timer: KernelTimer) -> None:
        kernel = self.choices[number][1]
        before = self.seconds.get(number)
        wanted = TURN_SECONDS / max(min(before), 1e-9) if before else 0.0
        runs = int(min(max(wanted, FEWEST_RUNS), MOST_RUNS))
        found = timer.times(kernel, runs)
        if isinstance(found, Failure):
            self.failed[number] = found.message.partition("\n")[0][:LONGEST_REASON]
        else:
            self.seconds.setdefault(number, []).append(min(found))
        document = {
            "seconds": {str(each): taken for each, taken in self.seconds.items()},
            "failed": {str(each): reason for each, reason in self.failed.items()},
        }
        MEASUREMENTS.put(self.key, json.dumps(document).encode())

    def outcome(self, draft: Draft) -> tuple[Tiling, Tuning]:
        """The loops to take, and what was measured."""
        least = {number: min(taken) for number, taken in self.seconds.items() if number not in self.failed}
        best = min(least, key=least.__getitem__, default=0)
        if 0 in least and least[0] <= least[best] * (1 + GAIN):
            best = 0
        failed = tuple(self.failed.values())
        tuning = Tuning(draft.choice.best_seconds, least.get(0), least.get(best), len(self.choices), failed)
        return self.choices[best][0], tuning


def _stored(key: str, count: int) -> tuple[dict[int, list[float]], dict[int, str]]:
    """The seconds and failures that the cache has for a race of `count` choices; empty if its entry is no record of such a race."""
    data = MEASUREMENTS.get(key)
    try:
        document = json.loads(data or b"{}")
        seconds = {
            int(each): [float(one) for one in taken] for each, taken in document.get("seconds", {}).items()
        }
        failed = {int(each): str(reason) for each, reason in document.get("failed", {}).items()}
    except (AttributeError, TypeError, ValueError):
        MEASUREMENTS.drop(key)
        return {}, {}
    if not {*seconds, *failed} <= set(range(count)) or not all(seconds.values()):
        return {}, {}
    return seconds, failed
