"""The variants of one kernel: for each e-class of its cone, whether it is loaded, or which e-node computes it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from math import inf
from time import perf_counter

import numpy as np

from eqsat.schedule.placement.cone import LOADED, STAGED, Cone
from eqsat.schedule.placement.partial_choices import Decisions, PartialChoice
from eqsat.schedule.placement.variant_bounds import PartialBounds, lower_bound_of

MOST_EXTENDED = 64  # partial choices that are extended, those of the least bounds first
MOST_WITH_LOCAL_MEMORY = 48  # variants of a kernel that use local memory
MOST_WITH_COPIES_ALONE = 12  # further variants that use it only for copies of arrays that lie in memory
STATES_PER_VARIANT = 16  # partial choices that may be visited for each variant that is asked for
MOST_BOUNDED = 4096  # classes of a cone whose partial choices get bounds, for which all pairs of its classes are looked at


@dataclass(eq=False)
class Variant:
    """One way to compute a kernel.

    Attributes:
        kernel: the number of the kernel.
        inside: the chosen node of each class of the cone that the variant needs.
        reads: the buffers that it loads.
        uses_local_memory: whether it uses local memory.
        lower_bound: a lower bound of its price, in seconds.
        seconds: its price if that is known, otherwise the best lower bound so far.
        is_exact: whether the price is known.
    """

    kernel: int
    inside: dict[int, int]
    reads: frozenset[int]
    uses_local_memory: bool
    lower_bound: float
    seconds: float
    is_exact: bool = False


class Enumeration:
    """The variants of a cone, up to a given number.

    If there are more, half of the result compute where they could load, up to a quarter have the least bounds, and the others load where
    they can. Variants that use local memory come on top, up to `MOST_WITH_LOCAL_MEMORY`, half of them computing and half loading, and then up
    to `MOST_WITH_COPIES_ALONE` that only copy arrays to local memory. None reads more buffers than a kernel can have, unless all do. After the
    `perf_counter` time `until` no more are looked for, once there is one that uses no local memory.

    Attributes:
        decisions: the order in which classes are decided, and what rules a choice out.
        variants: the variants found.
        stand_ins: stand-ins without nodes for the variants without local memory that were not enumerated: what they read and take at least.
    """

    def __init__(self, kernel: int, cone: Cone, most: int, until: float = inf) -> None:
        self.kernel, self.cone, self._end = kernel, cone, until
        self.decisions = Decisions(cone)
        self.variants, self.stand_ins = self._without_local_memory(most)
        if not self.variants:
            self.variants = self._too_large()
        self._until = self._end
        if cone.filling and not self._is_over:
            self.variants += self._using_local_memory()

    def _without_local_memory(self, most: int) -> tuple[list[Variant], list[Variant]]:
        """The variants that use no local memory, and stand-ins for the others. Each of the three searches has a third of the time."""
        now = perf_counter()
        third = (self._end - now) / 3
        self._until = now + third
        loading, others = self._enumerated(most, loads_first=True)
        if not others:
            return loading, []
        self._until = now + 2 * third
        computing, _ = self._enumerated(most // 2, loads_first=False)
        self._until = self._end
        if self._is_over or self.cone.class_count > MOST_BOUNDED:
            least = lower_bound_of(self.cone, np.zeros_like(self.cone.needs[0]))
            return _distinct(computing, loading)[:most], [self._stand_in(least, ())]
        promising, rest = self._most_promising(others, most // 4)
        found = _distinct(computing, promising, loading)
        return found[:most], _least_by_reads([*rest, *found[most:]])

    def _too_large(self) -> list[Variant]:
        """One variant that loads where it can and one that computes, however many buffers they read."""
        self.decisions.forced_reads = []
        return [
            variant
            for loads_first in (True, False)
            for variant in self._enumerated(1, loads_first=loads_first)[0]
        ]

    def _using_local_memory(self) -> list[Variant]:
        """The variants that use local memory."""
        found, others = self._enumerated(MOST_WITH_LOCAL_MEMORY, loads_first=True, with_local_memory=True)
        if not others:
            return found
        computing, _ = self._enumerated(
            MOST_WITH_LOCAL_MEMORY // 2, loads_first=False, with_local_memory=True
        )
        found = _distinct(computing, found)[:MOST_WITH_LOCAL_MEMORY]
        if not self.cone.copied:
            return found
        copying, _ = self._enumerated(
            MOST_WITH_COPIES_ALONE, loads_first=True, with_local_memory=True, only_copies=True
        )
        return _distinct(found, copying)

    def _most_promising(
        self, states: Sequence[PartialChoice], most: int
    ) -> tuple[list[Variant], list[Variant]]:
        """Extends partial choices, those of the least bounds first: up to `most` variants, and stand-ins with bounds for all others."""
        bounds = PartialBounds(self.cone, self.decisions.order)
        heap = [(*state.bound(bounds), number, state) for number, state in enumerate(states)]
        heapify(heap)
        found: list[Variant] = []
        number = len(heap)
        for _ in range(MOST_EXTENDED):
            if not heap or len(found) == most or self._is_over:
                break
            *_, state = heappop(heap)
            options = [each for each in self._run(state) if self.decisions.is_possible(each)]
            for each in options:
                number += 1
                heappush(heap, (*each.bound(bounds), number, each))
            if not options and self.decisions.is_complete(state):
                found.append(self._variant(state))
        return found, [self._stand_in(least, reads) for least, reads, *_ in heap]

    def _stand_in(self, least: float, reads: Iterable[int]) -> Variant:
        """A stand-in for variants that read these buffers, and perhaps more, and take at least so long."""
        return Variant(self.kernel, {}, frozenset(reads), False, least, least)

    @property
    def _is_over(self) -> bool:
        return perf_counter() > self._until

    def _enumerated(
        self, most: int, *, loads_first: bool, with_local_memory: bool = False, only_copies: bool = False
    ) -> tuple[list[Variant], list[PartialChoice]]:
        """The first `most` variants in depth-first order, with local memory or without, and the partial choices that are left.

        With local memory, variants that differ in what is staged, loaded or computed come first. Those that only use another e-node for
        the same value come later, as there are many of them. With `only_copies`, local memory only has copies of arrays.
        """
        self.with_local_memory, self.only_copies = with_local_memory, only_copies
        self.computes_first = not loads_first
        found: list[Variant] = []
        stack, later = [PartialChoice(self.decisions.roots)], list[PartialChoice]()
        straight = 2 * len(
            self.decisions.deciding
        )  # choices on the way to the first variant, with some detours
        for visited in range(max(straight, STATES_PER_VARIANT * most)):
            if not stack:
                stack, later = later[::-1], []
            if not stack or len(found) == most or ((found or visited > straight) and self._is_over):
                break
            state = stack.pop()
            options = [each for each in self._run(state) if self.decisions.is_possible(each)]
            if with_local_memory:
                later += [each for each in options if each.detours > state.detours]
                options = [each for each in options if each.detours == state.detours]
            stack += reversed(options)
            if options or not self.decisions.is_complete(state):
                continue
            variant = self._variant(state)
            if variant.uses_local_memory == with_local_memory:
                found.append(variant)
        return found, [*later, *stack]

    def _run(self, state: PartialChoice) -> list[PartialChoice]:
        """Takes all forced decisions. Returns the states after each option of the next one; none if all are taken, or if one has no option."""
        while (pending := self.decisions.next_turn(state)) is not None:
            turn, deciding = pending
            options = (
                [state.decisions[turn]] if turn in state.decisions else self._common(state, turn, deciding)
            )
            if len(options) != 1:
                return [self._option(state, turn, deciding, option, options) for option in options]
            self.decisions.decide(state, turn, deciding, options[0])
        return []

    def _option(
        self, state: PartialChoice, turn: int, deciding: Sequence[int], option: int, options: Sequence[int]
    ) -> PartialChoice:
        """Returns a copy of the state in which the given option is chosen."""
        found = state.copy()
        self.decisions.decide(found, turn, deciding, option)
        found.detours += option >= 0 and any(0 <= each != option for each in options[: options.index(option)])
        return found

    def _common(self, state: PartialChoice, turn: int, deciding: Sequence[int]) -> list[int]:
        """Returns the options that all classes of a turn share; STAGED comes first if it saves work.

        If local memory holds computed values, every array that can be copied to it is, except those in `Cone.copied_alone`. If it holds none, at most
        one array is copied.
        """
        first, *more = deciding
        options = list(self.decisions.options[first])
        if more:
            options = [
                option for option in options if all(option in self.decisions.options[each] for each in more)
            ]
        others = [option for option in options if option != STAGED]
        if self.computes_first:
            others.sort(key=lambda option: option == LOADED)
        if STAGED not in options or not (more or first in self.cone.reread):
            return others
        staged = [each for each, option in state.decisions.items() if option == STAGED]
        if turn < 0 and any(each > 0 for each in staged):
            return others if self.cone.elements[first][0] in self.cone.copied_alone else [STAGED]
        is_offered = self.with_local_memory and not (staged if turn < 0 else self.only_copies)
        return [STAGED, *others] if is_offered else others

    def _variant(self, state: PartialChoice) -> Variant:
        """The variant of a complete choice."""
        reads = self.decisions.reads_of(state.waiting)
        inside = state.inside | {self.cone.owner[node]: node for node in reads}
        least = lower_bound_of(self.cone, self.cone.needs_of(list(inside.values())))
        buffers = frozenset(self.cone.reads[node] for node in reads)
        return Variant(self.kernel, inside, buffers, STAGED in state.decisions.values(), least, least)


def _distinct(*groups: Sequence[Variant]) -> list[Variant]:
    """The variants of some groups, in order, without those that choose the same nodes as one of a group before."""
    found: list[Variant] = []
    for group in groups:
        known = [each.inside for each in found]
        found += [each for each in group if each.inside not in known]
    return found


def _least_by_reads(variants: Iterable[Variant]) -> list[Variant]:
    """For each set of buffers, the variant of the least bound that reads these, as a stand-in without nodes."""
    found: dict[frozenset[int], Variant] = {}
    for each in variants:
        if each.reads not in found or each.lower_bound < found[each.reads].lower_bound:
            found[each.reads] = replace(each, inside={})
    return list(found.values())
