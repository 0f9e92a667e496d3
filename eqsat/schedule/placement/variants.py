"""The variants of one kernel: for each e-class of its cone, whether it is loaded, or which e-node computes it.

A variant treats an e-class in the same way at all its index maps in the kernel. The enumeration decides one e-class after the other, the
highest first, so that all index maps at which the kernel needs an e-class are known when it is decided.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from heapq import heapify, heappop, heappush
from math import inf
from time import perf_counter

import numpy as np

from eqsat.schedule.placement.cone import LOADED, STAGED, Cone
from eqsat.schedule.placement.kernel_limits import KERNEL_BUFFERS
from eqsat.schedule.placement.variant_bounds import PartialBounds, lower_bound_of
from eqsat.support.bits import bits_of, union

MOST_EXTENDED = 64  # partial choices that are extended, those of the least bounds first
MOST_WITH_LOCAL_MEMORY = 48  # variants of a kernel that use local memory
MOST_WITH_COPIES_ALONE = 12  # further variants that use it only for copies of arrays that lie in memory
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
    """A partial choice. Sets of classes are bit masks of their positions in `Enumeration.order`.

    Decisions are numbered by turn, and the highest turn comes first. Turn 2c + 1 chooses the node of e-class c, turn 2c the nodes of the classes
    that fill local memory with c. Arrays that local memory may have copies of have negative turns, so that they come last.

    Attributes:
        waiting: the classes of the cone that are needed and not yet decided.
        decided: the classes that are decided.
        decisions: the option that was chosen in each turn.
        inside: the node that was chosen for each class that is decided.
        detours: number of e-classes that are computed by another e-node than the first one offered.
    """

    waiting: int
    decided: int = 0
    decisions: dict[int, int] = field(default_factory=dict[int, int])
    inside: dict[int, int] = field(default_factory=dict[int, int])
    detours: int = 0

    def copy(self) -> _State:
        """An independent copy."""
        return _State(self.waiting, self.decided, self.decisions.copy(), self.inside.copy(), self.detours)

    def bound(self, bounds: PartialBounds) -> tuple[float, tuple[int, ...]]:
        """The least seconds of all completions, and the buffers that all of them read."""
        return bounds.of(self.inside, self.decided, self.waiting)


class Enumeration:
    """The variants of a cone, up to a given number.

    If there are more, half of the result compute where they could load, up to a quarter have the least bounds, and the others load where
    they can. Variants that use local memory come on top, up to `MOST_WITH_LOCAL_MEMORY`, half of them computing and half loading, and then up
    to `MOST_WITH_COPIES_ALONE` that only copy arrays to local memory. None reads more buffers than a kernel can have, unless all do. After the
    `perf_counter` time `until` no more are looked for, once there is one that uses no local memory.

    Attributes:
        order: the classes, first the reads of buffers, which are nowhere decided, then the others, those of the highest turn last.
        turns: the turn of each class, in this order.
        undecided: one more than the greatest set of classes that has reads of buffers only.
        deciding: the classes that are decided in each turn.
        needed: for each node, the classes of its operands.
        roots: the classes of the elements that the kernel stores.
        most_reads: how many buffers a variant may read.
        forced_reads: for each class, in this order, the reads that it needs whichever nodes are chosen; none where all variants read few buffers.
        variants: the variants found.
        rising: the nodes that need an e-class that is not below their own; each cycle contains one.
        stand_ins: stand-ins without nodes for the variants without local memory that were not enumerated: what they read and take at least.
    """

    def __init__(self, kernel: int, cone: Cone, most: int, until: float = inf) -> None:
        self.kernel, self.cone, self._end = kernel, cone, until
        self.options: list[dict[int, int]] = [{} for _ in cone.elements]
        for node in sorted(range(len(cone.owner)), key=lambda node: cone.kinds[node].node == STAGED):
            self.options[cone.owner[node]][cone.kinds[node].node] = node
        self._leave_out_dominated()
        turns = self._in_turns()
        self.order = sorted(
            range(cone.class_count), key=lambda owner: (owner not in cone.read_nodes, turns[owner])
        )
        self.turns = [turns[owner] for owner in self.order]
        self.undecided = 1 << len(cone.read_nodes)
        bits = {owner: 1 << position for position, owner in enumerate(self.order)}
        self.deciding: dict[int, int] = {}
        for owner, turn in enumerate(turns):
            if owner not in cone.read_nodes:
                self.deciding[turn] = self.deciding.get(turn, 0) | bits[owner]
        self.needed = [union(bits[each] for each in row) for row in cone.rows]
        self.roots = union(bits[root] for root in cone.roots)
        self.most_reads = KERNEL_BUFFERS - len(cone.stores)
        self.forced_reads = self._forced_reads() if len({*cone.reads}) > self.most_reads else []
        self.rising = {
            node
            for node, (owner, row, kind) in enumerate(zip(cone.owner, cone.rows, cone.kinds, strict=True))
            if kind.node >= 0 and any(cone.elements[each][0] >= cone.elements[owner][0] for each in row)
        }
        self.variants, self.stand_ins = self._without_local_memory(most)
        if not self.variants:
            self.variants = self._too_large()
        self._until = self._end
        if cone.filling and not self._is_over:
            self.variants += self._using_local_memory()

    def _leave_out_dominated(self) -> None:
        """Leaves out e-nodes in whose place other e-nodes need no more: a fused sum and product, where a sum of a product is priced alike.

        Otherwise, a chain of n such sums would have 2ⁿ variants, which are all the same kernel.
        """
        for options in self.options:
            for option, node in list(options.items()):
                others = (each for other, each in options.items() if other not in (option, LOADED, STAGED))
                if option >= 0 and any(self._needs_no_more(each, node) for each in others):
                    del options[option]

    def _needs_no_more(self, node: int, other: int) -> bool:
        """Whether a node, with the nodes of those operands that the other lacks and that have no other node, needs no more than the other."""
        rows, needs, wanted = self.cone.rows, [self.cone.needs[node]], set(self.cone.rows[other])
        for owner in {*rows[node]} - wanted:
            (only, *more) = self.options[owner].values()
            if more or not wanted.issuperset(rows[only]) or not rows[only]:
                return False
            needs.append(self.cone.needs[only])
        return len(needs) > 1 and bool((sum(needs) <= self.cone.needs[other] * (1 + 1e-9)).all())

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
        if self._is_over:
            least = lower_bound_of(self.cone, np.zeros_like(self.cone.needs[0]))
            return _distinct(computing, loading)[:most], [self._stand_in(least, ())]
        promising, rest = self._most_promising(others, most // 4)
        found = _distinct(computing, promising, loading)
        return found[:most], _least_by_reads([*rest, *found[most:]])

    def _forced_reads(self) -> list[int]:
        places = {owner: place for place, owner in enumerate(self.order)}
        reads = union(1 << owner for owner in self.cone.read_nodes)
        required = self.cone.required(with_local_memory=True)
        return [union(1 << places[each] for each in bits_of(required[owner] & reads)) for owner in self.order]

    def _too_large(self) -> list[Variant]:
        """One variant that loads where it can and one that computes, however many buffers they read."""
        self.forced_reads = []
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
        bounds = PartialBounds(self.cone, self.order)
        heap = [(*state.bound(bounds), number, state) for number, state in enumerate(states)]
        heapify(heap)
        found: list[Variant] = []
        number = len(heap)
        for _ in range(MOST_EXTENDED):
            if not heap or len(found) == most or self._is_over:
                break
            *_, state = heappop(heap)
            options = [each for each in self._run(state) if self._is_possible(each)]
            for each in options:
                number += 1
                heappush(heap, (*each.bound(bounds), number, each))
            if not options and self._is_complete(state):
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
    ) -> tuple[list[Variant], list[_State]]:
        """The first `most` variants in depth-first order, with local memory or without, and the partial choices that are left.

        With local memory, variants that differ in what is staged, loaded or computed come first. Those that only use another e-node for
        the same value come later, as there are many of them. With `only_copies`, local memory only has copies of arrays.
        """
        self.with_local_memory, self.only_copies = with_local_memory, only_copies
        self.computes_first = not loads_first
        found: list[Variant] = []
        stack, later = [_State(self.roots)], list[_State]()
        straight = 2 * len(
            self.deciding
        )  # partial choices on the way to the first variant, with some detours
        for visited in range(max(straight, STATES_PER_VARIANT * most)):
            if not stack:
                stack, later = later[::-1], []
            if not stack or len(found) == most or ((found or visited > straight) and self._is_over):
                break
            state = stack.pop()
            options = [each for each in self._run(state) if self._is_possible(each)]
            if with_local_memory:
                later += [each for each in options if each.detours > state.detours]
                options = [each for each in options if each.detours == state.detours]
            stack += reversed(options)
            if options or not self._is_complete(state):
                continue
            variant = self._variant(state)
            if variant.uses_local_memory == with_local_memory:
                found.append(variant)
        return found, [*later, *stack]

    def _is_complete(self, state: _State) -> bool:
        """Whether all classes that are needed are decided, none of which needs itself."""
        return state.waiting < self.undecided and self._is_possible(state)

    def _is_possible(self, state: _State) -> bool:
        """Whether the kernel may read as few buffers as it must, and no class needs itself."""
        return not ((self.forced_reads and self._reads_too_many(state)) or self._is_cyclic(state))

    def _reads_too_many(self, state: _State) -> bool:
        """Whether all completions read more buffers than a kernel can have."""
        reads = state.waiting & (self.undecided - 1)
        for each in bits_of(state.waiting ^ reads):
            reads |= self.forced_reads[each]
        return reads.bit_count() > self.most_reads and len(self._buffers(reads)) > self.most_reads

    def _buffers(self, reads: int) -> frozenset[int]:
        """The buffers that some of the reads are of."""
        return frozenset(self.cone.reads[self.cone.read_nodes[self.order[each]]] for each in bits_of(reads))

    def _is_cyclic(self, state: _State) -> bool:
        """Whether the chosen nodes form a cycle. Loads have no operands; those of a load from local memory are the values that fill it."""
        inside = state.inside
        if self.rising.isdisjoint(inside.values()):
            return False
        owner, places = self.cone.owner, self.cone.elements
        rising = [owner[node] for node in inside.values() if node in self.rising]
        # the lowest e-class of a cycle has a rising node
        return _has_cycle(self.cone, inside, rising, min(places[each][0] for each in rising))

    def _run(self, state: _State) -> list[_State]:
        """Takes all forced decisions. Returns the states after each option of the next one; none if all are taken, or if one has no option."""
        while state.waiting >= self.undecided:
            highest = state.waiting.bit_length() - 1
            turn = self.turns[highest]
            together = state.waiting & self.deciding[turn]
            alone = together == 1 << highest
            deciding = [self.order[each] for each in ([highest] if alone else bits_of(together))]
            options = (
                [state.decisions[turn]] if turn in state.decisions else self._common(state, turn, deciding)
            )
            if len(options) != 1:
                return [self._option(state, turn, deciding, option, options) for option in options]
            self._decide(state, turn, deciding, options[0])
        return []

    def _option(
        self, state: _State, turn: int, deciding: Sequence[int], option: int, options: Sequence[int]
    ) -> _State:
        """Returns a copy of the state in which the given option is chosen."""
        found = state.copy()
        self._decide(found, turn, deciding, option)
        found.detours += option >= 0 and any(0 <= each != option for each in options[: options.index(option)])
        return found

    def _common(self, state: _State, turn: int, deciding: Sequence[int]) -> list[int]:
        """Returns the options that all classes of a turn share; STAGED comes first if it saves work.

        If local memory holds computed values, every array that can be copied to it is, except those in `Cone.copied_alone`. If it holds none, at most
        one array is copied.
        """
        first, *more = deciding
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

    def _decide(self, state: _State, turn: int, deciding: Sequence[int], option: int) -> None:
        """Decides the classes of a turn, in place."""
        state.decisions[turn] = option
        state.decided |= state.waiting & self.deciding[turn]
        for owner in deciding:
            options = self.options[owner]
            # a class that came after its e-class was decided may not have that option
            node = options[option] if option in options else next(iter(options.values()))
            state.inside[owner] = node
            state.waiting |= self.needed[node]
        state.waiting &= ~state.decided

    def _variant(self, state: _State) -> Variant:
        """The variant of a complete choice."""
        reads = [self.cone.read_nodes[self.order[position]] for position in bits_of(state.waiting)]
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
            if each in inside and each not in done and cone.elements[each][0] >= lowest:
                stack.append(each)
    return False
