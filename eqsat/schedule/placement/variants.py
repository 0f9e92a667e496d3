"""The variants of one kernel: for each e-class of its cone, whether it is loaded, or which e-node computes it.

A variant treats an e-class in the same way at all its index maps in the kernel. The enumeration decides one e-class after the other, the
highest first, so that all index maps at which the kernel needs an e-class are known when it is decided.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from heapq import heapify, heappop, heappush
from math import inf

import numpy as np

from eqsat.schedule.cost.estimates import NOT_HIDDEN
from eqsat.schedule.placement.cone import LOADED, READ, STAGED, Cone
from eqsat.support.bits import bits_of

MOST_EXTENDED = 64  # partial choices that are extended, those of the least bounds first
MOST_WITH_LOCAL_MEMORY = 48  # variants of a kernel that use local memory
MOST_WITH_COPIES_ALONE = 12  # further variants that use it only for copies of arrays that lie in memory
NOTHING = (0.0,) * 7  # a row of `Cone.needs` that needs nothing
STATES_PER_VARIANT = 16  # partial choices that may be visited for each variant that is asked for


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


@dataclass(eq=False)
class _State:
    """A partial choice.

    Decisions are numbered by turn, and the highest turn comes first. Turn 2c + 1 chooses the node of e-class c, turn 2c the nodes of the classes
    that fill local memory with c. Arrays that local memory may have copies of have negative turns, so that they come last.

    Attributes:
        agenda: heap of the negated turns that are still to be decided.
        waiting: the classes of the cone that wait for each of these turns.
        decisions: the option that was chosen in each turn.
        inside: the node that was chosen for each class.
        needs: what these nodes need together: sums of `Cone.needs`, and of the chains the longest.
        reads: the buffers that they read.
        detours: number of e-classes that are computed by another e-node than the first one offered.
    """

    agenda: list[int]
    waiting: dict[int, list[int]]
    decisions: dict[int, int] = field(default_factory=dict[int, int])
    inside: dict[int, int] = field(default_factory=dict[int, int])
    needs: list[float] = field(default_factory=lambda: list(NOTHING))
    reads: list[int] = field(default_factory=list[int])
    detours: int = 0

    def copy(self) -> _State:
        waiting = {c: list(owners) for c, owners in self.waiting.items()}
        return _State(
            list(self.agenda),
            waiting,
            dict(self.decisions),
            dict(self.inside),
            list(self.needs),
            list(self.reads),
            self.detours,
        )

    def choose(self, cone: Cone, owner: int, node: int) -> None:
        """Chooses the node of a class."""
        self.inside[owner] = node
        needs, (arithmetic, ports, inner_arithmetic, inner_ports, memory, moved, chain) = (
            self.needs,
            cone.needs[node],
        )
        needs[0] += arithmetic
        needs[1] += ports
        needs[2] += inner_arithmetic
        needs[3] += inner_ports
        needs[4] += memory
        needs[5] += moved
        needs[6] = max(needs[6], chain)
        if cone.reads[node] >= 0:
            self.reads.append(cone.reads[node])


class Enumeration:
    """The variants of a cone, up to a given number.

    If there are more, half of the result compute where they could load, up to a quarter have the least bounds, and the others load where
    they can. Variants that use local memory come on top, up to `MOST_WITH_LOCAL_MEMORY`, half of them computing and half loading, and then up
    to `MOST_WITH_COPIES_ALONE` that only copy arrays to local memory.

    Attributes:
        variants: the variants found.
        rising: the nodes that need an e-class that is not below their own; each cycle contains one.
        stand_ins: stand-ins without nodes for the variants without local memory that were not enumerated: what they read and take at least.
    """

    def __init__(self, kernel: int, cone: Cone, most: int) -> None:
        self.kernel, self.cone = kernel, cone
        self.options: list[dict[int, int]] = [{} for _ in cone.elements]
        for node in sorted(range(len(cone.owner)), key=lambda node: cone.kinds[node].node == STAGED):
            self.options[cone.owner[node]][cone.kinds[node].node] = node
        self.turns = self._in_turns()
        self.stand_ins: list[Variant] = []
        self.rising = {
            node
            for node, (owner, row, kind) in enumerate(zip(cone.owner, cone.rows, cone.kinds, strict=True))
            if kind.node >= 0 and any(cone.elements[each][0] >= cone.elements[owner][0] for each in row)
        }
        self.variants, others = self._enumerated(most, loads_first=True)
        if others:
            computing, _ = self._enumerated(most // 2, loads_first=False)
            promising, rest = self._most_promising(others, most // 4)
            known = [each.inside for each in computing]
            computing += [each for each in promising if each.inside not in known]
            known = [each.inside for each in computing]
            loading = [each for each in self.variants if each.inside not in known]
            self.variants = computing + loading[: most - len(computing)]
            self.stand_ins = _least_by_reads([*rest, *loading[most - len(computing) :]])
        if cone.filling:
            staging, others = self._enumerated(
                MOST_WITH_LOCAL_MEMORY, loads_first=True, with_local_memory=True
            )
            if others:
                computing, _ = self._enumerated(
                    MOST_WITH_LOCAL_MEMORY // 2, loads_first=False, with_local_memory=True
                )
                known = [each.inside for each in computing]
                staging = computing + [each for each in staging if each.inside not in known]
            self.variants += staging[:MOST_WITH_LOCAL_MEMORY]
            if others and cone.copied:
                copying, _ = self._enumerated(
                    MOST_WITH_COPIES_ALONE, loads_first=True, with_local_memory=True, only_copies=True
                )
                known = [each.inside for each in staging[:MOST_WITH_LOCAL_MEMORY]]
                self.variants += [each for each in copying if each.inside not in known]

    def _in_turns(self) -> list[int]:
        """The turn in which each class is decided. Classes that read the same copy of an array share a turn."""
        cone = self.cone
        last = 2 * max((c for c, _ in cone.elements), default=0) + 2
        copy_of = {
            owner: row[0]
            for owner, row, kind in zip(cone.owner, cone.rows, cone.kinds, strict=True)
            if kind.node == STAGED
        }
        return [
            2 * c + (owner not in cone.filling) - last * (c in cone.copied) * (1 + copy_of.get(owner, owner))
            for owner, (c, _) in enumerate(cone.elements)
        ]

    def _most_promising(self, states: Sequence[_State], most: int) -> tuple[list[Variant], list[Variant]]:
        """Extends partial choices, those of the least bounds first: up to `most` variants, and stand-ins with bounds for all others."""
        bounds = _Bounds(self.cone)
        heap = [(*bounds.of(state), number, state) for number, state in enumerate(states)]
        heapify(heap)
        found: list[Variant] = []
        number = len(heap)
        for _ in range(MOST_EXTENDED):
            if not heap or len(found) == most:
                break
            *_, state = heappop(heap)
            options = self._run(state)
            for each in options:
                number += 1
                heappush(heap, (*bounds.of(each), number, each))
            if not options and not state.agenda and not self._is_cyclic(state.inside):
                found.append(self._variant(state))
        rest = [Variant(self.kernel, {}, frozenset(reads), False, least, least) for least, reads, *_ in heap]
        return found, rest

    def _enumerated(
        self, most: int, *, loads_first: bool, with_local_memory: bool = False, only_copies: bool = False
    ) -> tuple[list[Variant], list[_State]]:
        """The first `most` variants in depth-first order, with local memory or without, and the partial choices that are left.

        With local memory, variants that differ in what is staged, loaded or computed come first. Those that only use another e-node for
        the same value come later, as there are many of them. With `only_copies`, local memory only has copies of arrays.
        """
        self.with_local_memory, self.only_copies = with_local_memory, only_copies
        self.computes_first = with_local_memory and not loads_first
        found: list[Variant] = []
        start = _State([], {})
        for root in self.cone.roots:
            self._need(start, root)
        stack, later = [start], list[_State]()
        for _ in range(STATES_PER_VARIANT * most):
            if not stack:
                stack, later = later[::-1], []
            if not stack or len(found) == most:
                break
            state = stack.pop()
            options = self._run(state)
            if with_local_memory:
                later += [each for each in options if each.detours > state.detours]
                options = [each for each in options if each.detours == state.detours]
            stack += reversed(options) if loads_first or with_local_memory else options
            if options or state.agenda or self._is_cyclic(state.inside):
                continue
            variant = self._variant(state)
            if variant.uses_local_memory == with_local_memory:
                found.append(variant)
        return found, [*later, *stack]

    def _is_cyclic(self, inside: dict[int, int]) -> bool:
        """Whether the chosen nodes form a cycle. Loads have no operands; those of a load from local memory are the values that fill it."""
        if self.rising.isdisjoint(inside.values()):
            return False
        owner, places = self.cone.owner, self.cone.elements
        rising = [owner[node] for node in inside.values() if node in self.rising]
        # the lowest e-class of a cycle has a rising node
        return _has_cycle(self.cone, inside, rising, min(places[each][0] for each in rising))

    def _need(self, state: _State, owner: int) -> None:
        """Puts a class on the agenda, in its turn."""
        if owner in state.inside:
            return
        if self.cone.elements[owner][1] == READ:
            state.choose(self.cone, owner, self.cone.read_nodes[owner])
            return
        turn = self.turns[owner]
        if turn not in state.waiting:
            heappush(state.agenda, -turn)
            state.waiting[turn] = []
        if owner not in state.waiting[turn]:
            state.waiting[turn].append(owner)

    def _run(self, state: _State) -> list[_State]:
        """Takes all forced decisions. Returns the states after each option of the next one; none if all are taken, or if one has no option."""
        while state.agenda:
            turn = -state.agenda[0]
            options = [state.decisions[turn]] if turn in state.decisions else self._common(state, turn)
            if len(options) != 1:
                return [self._option(state, turn, option, options) for option in options]
            self._after(state, turn, options[0])
        return []

    def _option(self, state: _State, turn: int, option: int, options: Sequence[int]) -> _State:
        """Returns a copy of the state in which the given option is chosen."""
        found = self._after(state.copy(), turn, option)
        found.detours += option >= 0 and any(0 <= each != option for each in options[: options.index(option)])
        return found

    def _common(self, state: _State, turn: int) -> list[int]:
        """Returns the options that all waiting classes share; STAGED comes first if it saves work.

        If local memory holds computed values, every array that can be copied to it is, except those in `Cone.copied_alone`. If it holds none, at most
        one array is copied.
        """
        first, *more = state.waiting[turn]
        options = list(self.options[first])
        if more:
            options = [option for option in options if all(option in self.options[each] for each in more)]
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

    def _after(self, state: _State, turn: int, option: int) -> _State:
        """Decides a turn in place, and returns the state."""
        heappop(state.agenda)
        state.decisions[turn] = option
        for owner in state.waiting.pop(turn):
            options = self.options[owner]
            # a class that came after its e-class was decided may not have that option
            node = options[option] if option in options else next(iter(options.values()))
            state.choose(self.cone, owner, node)
            for each in self.cone.rows[node]:
                self._need(state, each)
        return state

    def _variant(self, state: _State) -> Variant:
        least = lower_bound_of(self.cone, state.needs)
        uses_local_memory = STAGED in state.decisions.values()
        return Variant(self.kernel, state.inside, frozenset(state.reads), uses_local_memory, least, least)


class _Bounds:
    """Lower bounds of all variants that complete a partial choice: its nodes, and the cheapest node of each class that they all need."""

    def __init__(self, cone: Cone) -> None:
        self.cone = cone
        everything = (1 << cone.class_count) - 1
        self.required = [each & everything for each in cone.required(with_local_memory=False)]
        self.cheapest = np.full((cone.class_count, len(NOTHING)), inf)
        own = np.array(cone.needs).reshape(len(cone.owner), -1)
        for node, owner in enumerate(cone.owner):
            if cone.kinds[node].node != STAGED:
                self.cheapest[owner] = np.minimum(self.cheapest[owner], own[node])

    def of(self, state: _State) -> tuple[float, tuple[int, ...]]:
        """The seconds that all completions of a partial choice take at least, and the buffers that all of them read."""
        cone = self.cone
        waiting = (owner for owners in state.waiting.values() for owner in owners)
        needed = reduce(int.__or__, (self.required[owner] for owner in waiting), 0)
        more = [owner for owner in bits_of(needed) if owner not in state.inside]
        rest = self.cheapest[more].sum(axis=0).tolist()
        rest[-1] = 0.0  # chains do not add up
        needs = [one + other for one, other in zip(state.needs, rest, strict=True)]
        read = {cone.reads[cone.read_nodes[owner]] for owner in more if owner in cone.read_nodes}
        return lower_bound_of(cone, needs), tuple(sorted(read.union(state.reads)))


def _least_by_reads(variants: Iterable[Variant]) -> list[Variant]:
    """For each set of buffers, the variant of the least bound that reads these, as a stand-in without nodes."""
    found: dict[frozenset[int], Variant] = {}
    for each in variants:
        if each.reads not in found or each.lower_bound < found[each.reads].lower_bound:
            found[each.reads] = replace(each, inside={})
    return list(found.values())


def lower_bound_of(cone: Cone, needs: Sequence[float]) -> float:
    """A lower bound of a variant's exact price, summed as in `Estimates.seconds`: the busiest resource, and the part of the others it does not hide.

    Computing takes at least as long as the busier of arithmetic and access ports, first in the bodies of inner loops and then around them.
    Of several reductions only the one that waits longest for its accumulators counts, as they may share a loop. `needs` are those of all its nodes
    together.
    """
    arithmetic, ports, memory = cone.store_seconds
    memory += needs[4]
    if cone.transfer is not None:
        moved = cone.stored_bytes + needs[5]
        memory = max(memory, cone.transfer.seconds(moved, moved))
    computing = max(arithmetic + needs[0], ports + needs[1]) + max(needs[2], needs[3])
    resources = computing, needs[6], memory
    busiest = max(resources)
    return cone.launch + busiest + NOT_HIDDEN * (sum(resources) - busiest)


def _has_cycle(cone: Cone, inside: dict[int, int], starts: Iterable[int], lowest: int) -> bool:
    """Whether a class that `starts` reach through e-classes from `lowest` up needs itself."""
    done: set[int] = set()
    opened: set[int] = set()
    stack = [*starts]
    while stack:
        owner = stack[-1]
        if owner in opened or owner in done:
            opened.discard(owner)
            done.add(owner)
            stack.pop()
            continue
        opened.add(owner)
        for each in cone.rows[inside[owner]]:
            if each in opened:
                return True
            if each not in done and cone.elements[each][0] >= lowest:
                stack.append(each)
    return False
