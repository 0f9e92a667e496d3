"""Partial choices of one kernel's nodes: the order in which the classes of its cone are decided, and what rules a choice out.

A choice treats an e-class in the same way at all its index maps in the kernel. One e-class is decided after the other, the highest first, so that
all index maps at which the kernel needs an e-class are known when it is decided.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from eqsat.schedule.placement.cone import LOADED, STAGED, Cone
from eqsat.schedule.placement.kernel_limits import KERNEL_BUFFERS
from eqsat.schedule.placement.variant_bounds import PartialBounds
from eqsat.support.bits import bits_of, union

ROUNDING = 1e-9  # relative rounding error allowed in sums of what nodes need


@dataclass(eq=False)
class PartialChoice:
    """A partial choice. Sets of classes are bit masks of their positions in `Decisions.order`.

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

    def copy(self) -> PartialChoice:
        """An independent copy."""
        return PartialChoice(
            self.waiting, self.decided, self.decisions.copy(), self.inside.copy(), self.detours
        )

    def bound(self, bounds: PartialBounds) -> tuple[float, tuple[int, ...]]:
        """The least seconds of all completions, and the buffers that all of them read."""
        return bounds.of(self.inside, self.decided, self.waiting)


class Decisions:
    """The order in which the classes of a cone are decided, and what rules a choice out: too many buffers to read, or a class that needs itself.

    Attributes:
        options: for each class, its nodes by what they do: an e-node, LOADED, or STAGED, which comes last.
        order: the classes, first the reads of buffers, which are nowhere decided, then the others, those of the highest turn last.
        turns: the turn of each class, in this order.
        undecided: one more than the greatest set of classes that has reads of buffers only.
        deciding: the classes that are decided in each turn.
        needed: for each node, the classes of its operands.
        roots: the classes of the elements that the kernel stores.
        forced_reads: for each class, in this order, the reads that it needs whichever nodes are chosen; none where no choice reads too many buffers.
        rising: the nodes that need an e-class that is not below their own; each cycle contains one.
    """

    def __init__(self, cone: Cone) -> None:
        self.cone = cone
        self.options = _options_of(cone)
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
        self.forced_reads = self._forced_reads(bits) if len({*cone.reads}) > self.most_reads else []
        self.rising = {
            node
            for node, (owner, row, kind) in enumerate(zip(cone.owner, cone.rows, cone.kinds, strict=True))
            if kind.node >= 0 and any(cone.elements[each][0] >= cone.elements[owner][0] for each in row)
        }

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

    def _forced_reads(self, bits: Mapping[int, int]) -> list[int]:
        reads = union(1 << owner for owner in self.cone.read_nodes)
        required = self.cone.required(with_local_memory=True)
        return [union(bits[each] for each in bits_of(required[owner] & reads)) for owner in self.order]

    def next_turn(self, state: PartialChoice) -> tuple[int, list[int]] | None:
        """The next turn and the classes that are decided in it; None if all classes that are needed are decided."""
        if state.waiting < self.undecided:
            return None
        highest = state.waiting.bit_length() - 1
        turn = self.turns[highest]
        together = state.waiting & self.deciding[turn]
        places = [highest] if together == 1 << highest else bits_of(together)
        return turn, [self.order[each] for each in places]

    def decide(self, state: PartialChoice, turn: int, deciding: Sequence[int], option: int) -> None:
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

    def is_complete(self, state: PartialChoice) -> bool:
        """Whether all classes that are needed are decided, none of which needs itself."""
        return state.waiting < self.undecided and self.is_possible(state)

    def is_possible(self, state: PartialChoice) -> bool:
        """Whether the kernel may read as few buffers as it must, and no class needs itself."""
        return not ((self.forced_reads and self._reads_too_many(state)) or self._is_cyclic(state))

    def _reads_too_many(self, state: PartialChoice) -> bool:
        """Whether all completions read more buffers than a kernel can have."""
        reads = state.waiting & (self.undecided - 1)
        for each in bits_of(state.waiting ^ reads):
            reads |= self.forced_reads[each]
        return (
            reads.bit_count() > self.most_reads
            and len({self.cone.reads[node] for node in self.reads_of(reads)}) > self.most_reads
        )

    def _is_cyclic(self, state: PartialChoice) -> bool:
        """Whether the chosen nodes form a cycle. Loads have no operands; those of a load from local memory are the values that fill it."""
        inside = state.inside
        if self.rising.isdisjoint(inside.values()):
            return False
        owner, places = self.cone.owner, self.cone.elements
        rising = [owner[node] for node in inside.values() if node in self.rising]
        # the lowest e-class of a cycle has a rising node
        return _has_cycle(self.cone, inside, rising, min(places[each][0] for each in rising))

    def reads_of(self, classes: int) -> list[int]:
        """The nodes of reads, of a set of their classes."""
        return [self.cone.read_nodes[self.order[each]] for each in bits_of(classes)]


def _options_of(cone: Cone) -> list[dict[int, int]]:
    """The options of each class, without e-nodes in whose place others need no more.

    Such is a sum fused with a product, where a sum of a product is priced alike: a chain of n of these would have 2ⁿ variants, which are all the
    same kernel.
    """
    found: list[dict[int, int]] = [{} for _ in cone.elements]
    for node in sorted(range(len(cone.owner)), key=lambda node: cone.kinds[node].node == STAGED):
        found[cone.owner[node]][cone.kinds[node].node] = node
    for options in found:
        for option, node in list(options.items()):
            others = [each for other, each in options.items() if other not in (option, LOADED, STAGED)]
            if option >= 0 and any(_needs_no_more(cone, found, each, node) for each in others):
                del options[option]
    return found


def _needs_no_more(cone: Cone, options: Sequence[dict[int, int]], node: int, other: int) -> bool:
    """Whether a node needs no more than another one, together with the only nodes of those operands that the other has not.

    These must have no operands but the other's, and there must be some: nodes of equal operands are different ways to compute.
    """
    wanted, needs = set(cone.rows[other]), cone.needs[node]
    more = {*cone.rows[node]} - wanted
    for owner in more:
        nodes = list(options[owner].values())
        if len(nodes) != 1 or not cone.rows[nodes[0]] or not wanted.issuperset(cone.rows[nodes[0]]):
            return False
        needs = needs + cone.needs[nodes[0]]
    return bool(more) and bool((needs <= cone.needs[other] * (1 + ROUNDING)).all())


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
