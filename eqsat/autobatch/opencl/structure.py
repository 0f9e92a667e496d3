"""Turns the graph of a program without calls into nested loops and branches, with `goto` only where neither break nor continue will do.

The dominator tree decides where a block stands. A block that only one branch reaches stands within that branch, and a block that several jumps
reach stands after them. A block outside of a loop stands after the loop, unless only one branch reaches it, which is not at the loop's first
block, and it dominates no other block.

Source: N. Ramsey, Beyond Relooper, ICFP 2022; here with `goto` instead of numbered exits.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from eqsat.autobatch.ir import EXIT, BranchOp, ControlFlowGraph, GotoOp
from eqsat.autobatch.ir.operations import targets


@dataclass(frozen=True, slots=True)
class Code:
    """The computation of a block, without its terminator."""

    block: str


@dataclass(frozen=True, slots=True)
class Loop:
    """Repeats its parts until a jump leaves it; if `has_test`, it also ends after an iteration in which the last decision was false."""

    parts: tuple[Part, ...]
    has_test: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """A branch on the last decision."""

    true_parts: tuple[Part, ...]
    false_parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Jump:
    """A jump to a block; `how` is "break" or "continue", which refer to the innermost loop, or "goto"."""

    block: str
    how: str


@dataclass(frozen=True, slots=True)
class Target:
    """The beginning of a block, to which a Jump may go by `goto`."""

    block: str


Part = Code | Loop | Choice | Jump | Target
_MOST_BLOCKS = 200  # blocks of a program in nested parts, at most: compilers admit 256 open brackets


def structured(graph: ControlFlowGraph) -> tuple[Part, ...] | None:
    """The graph as nested parts; falling off the end means EXIT. None if it has calls, too many blocks, or a loop with several entries."""
    has_calls = not all(isinstance(block.terminator, GotoOp | BranchOp) for block in graph.blocks)
    if has_calls or len(graph.blocks) > _MOST_BLOCKS:
        return None
    flow = _Flow(graph)
    if not flow.is_reducible:
        return None
    return tuple(_Writer(flow).tree(graph.entry, EXIT, ()))


class _Flow:
    """Reverse postorder, dominators and loops of a graph."""

    def __init__(self, graph: ControlFlowGraph) -> None:
        self.graph = graph
        self.following = {
            block.name: tuple(dict.fromkeys(targets(block.terminator))) for block in graph.blocks
        }
        self.order = {
            name: number for number, name in enumerate(_reverse_postorder(self.following, graph.entry))
        }
        self.before: dict[str, list[str]] = {name: [] for name in self.order}
        for name in self.order:
            for after in self.following[name]:
                if after != EXIT:
                    self.before[after].append(name)
        self.dominators = self._dominators()
        self._closest = {
            name: max(found - {name}, key=lambda each: len(self.dominators[each]), default="")
            for name, found in self.dominators.items()
        }
        self.loops = self._loops()

    def _dominators(self) -> dict[str, frozenset[str]]:
        """The dominators of each block: the blocks on every path to it, itself included."""
        everything = frozenset(self.order)
        found = dict.fromkeys(self.order, everything)
        found[self.graph.entry] = frozenset({self.graph.entry})
        changed = True
        while changed:
            changed = False
            for name in self.order:
                if name == self.graph.entry:
                    continue
                first, *others = (found[each] for each in self.before[name])
                new = first.intersection(*others) | {name}
                changed |= new != found[name]
                found[name] = new
        return found

    def _goes_back(self, name: str, after: str) -> bool:
        return after != EXIT and self.order[after] <= self.order[name]

    @property
    def is_reducible(self) -> bool:
        """Whether the graph is reducible: every loop is entered only at its first block."""
        return all(
            after in self.dominators[name]
            for name in self.order
            for after in self.following[name]
            if self._goes_back(name, after)
        )

    def _loops(self) -> dict[str, frozenset[str]]:
        """The blocks of each loop, by its first block."""
        found: dict[str, set[str]] = {}
        for name in self.order:
            for head in self.following[name]:
                if not self._goes_back(name, head):
                    continue
                blocks = found.setdefault(head, {head})
                pending = [name]
                while pending:
                    each = pending.pop()
                    if each not in blocks:
                        blocks.add(each)
                        pending += self.before[each]
        return {head: frozenset(blocks) for head, blocks in found.items()}

    def children(self, name: str) -> Iterator[str]:
        """The blocks whose immediate dominator is this block, in order."""
        yield from (other for other in self.order if self._closest[other] == name)

    def is_met(self, name: str) -> bool:
        """Whether a block is a merge point: several forward edges lead to it."""
        return sum(not self._goes_back(each, name) for each in self.before[name]) > 1

    def left_loop(self, name: str, after: str) -> str | None:
        """The first block of the outermost loop that contains `name` but not `after`; None if there is no such loop."""
        left = [head for head, blocks in self.loops.items() if name in blocks and after not in blocks]
        return min(left, key=self.order.__getitem__, default=None)


def _reverse_postorder(following: Mapping[str, Sequence[str]], entry: str) -> list[str]:
    """The reachable blocks in reverse postorder, which has each block before those that it dominates."""
    found: list[str] = []
    seen = {entry}
    stack = [(entry, iter(following[entry]))]
    while stack:
        name, rest = stack[-1]
        after = next((each for each in rest if each != EXIT and each not in seen), None)
        if after is None:
            found.append(name)
            stack.pop()
        else:
            seen.add(after)
            stack.append((after, iter(following[after])))
    return found[::-1]


# The loops around a place, innermost last: the first block of each, and the block that follows the loop
_Loops = tuple[tuple[str, str], ...]


class _Writer:
    def __init__(self, flow: _Flow) -> None:
        self._flow = flow
        self._within: dict[str, list[str]] = {}  # for each block, the blocks after it in the same loop
        self._after: dict[str, list[str]] = {}  # for each loop, the blocks that stand after it
        self._inline: set[str] = set()  # blocks that stand within a branch
        for name in flow.order:
            for child in flow.children(name):
                loop = flow.left_loop(name, child)
                if loop is not None and (name == loop or flow.is_met(child) or any(flow.children(child))):
                    self._after.setdefault(loop, []).append(child)
                elif flow.is_met(child):
                    self._within.setdefault(name, []).append(child)
                else:
                    self._inline.add(child)
        for places in (*self._within.values(), *self._after.values()):
            places.sort(key=flow.order.__getitem__)

    def tree(self, name: str, following: str, loops: _Loops) -> Iterator[Part]:
        """A block with the blocks that it dominates; falling off the end leads to `following`."""
        yield Target(name)
        if name not in self._flow.loops:
            yield from self._block(name, following, loops)
            return
        after = self._after.get(name, [])
        end = after[0] if after else following
        yield _tested(tuple(self._block(name, name, (*loops, (name, end)))))
        yield from self._sequence(after, following, loops)

    def _block(self, name: str, following: str, loops: _Loops) -> Iterator[Part]:
        later = self._within.get(name, [])
        yield Code(name)
        end = later[0] if later else following
        terminator = self._flow.graph.by_name[name].terminator
        if isinstance(terminator, BranchOp):
            ways = [
                tuple(self._jump(each, end, loops))
                for each in (terminator.true_block, terminator.false_block)
            ]
            if any(ways):
                yield Choice(*ways)
        else:
            yield from self._jump(self._flow.following[name][0], end, loops)
        yield from self._sequence(later, following, loops)

    def _sequence(self, names: Sequence[str], following: str, loops: _Loops) -> Iterator[Part]:
        for name, after in zip(names, (*names[1:], following), strict=False):
            yield from self.tree(name, after, loops)

    def _jump(self, name: str, following: str, loops: _Loops) -> Iterator[Part]:
        """Goes to a block, from a place where falling off the end leads to `following`."""
        if name == following:
            return
        if name in self._inline and not any(name == head for head, _ in loops):
            yield from self.tree(name, following, loops)
            return
        head, end = loops[-1] if loops else ("", "")
        yield Jump(name, "continue" if name == head else "break" if name == end else "goto")


def _tested(parts: tuple[Part, ...]) -> Loop:
    """A loop of these parts. A last part that breaks if the decision is false becomes the test, unless `continue` would wrongly go to it."""
    match parts[-1]:
        case Choice((), (Jump(_, "break"),)) if "continue" not in _jumps(parts):
            return Loop(parts[:-1], has_test=True)
        case _:
            return Loop(parts)


def _jumps(parts: Sequence[Part]) -> Iterator[str]:
    """The kinds of the jumps in these parts, without those in nested loops."""
    for part in parts:
        match part:
            case Jump(_, how):
                yield how
            case Choice(true_parts, false_parts):
                yield from _jumps((*true_parts, *false_parts))
            case _:
                pass


def labelled(parts: Sequence[Part]) -> frozenset[str]:
    """The blocks that a `goto` needs a label for."""
    return frozenset(part.block for part in _within(parts) if isinstance(part, Jump) and part.how == "goto")


def is_short(parts: Sequence[Part], apart: Container[str]) -> bool:
    """Whether a loop of these parts contains neither loops nor blocks in `apart`, so that unrolling it pays.

    It needs a pragma: Clang forbids LLVM to unroll loops of OpenCL C that have none.
    """
    return not any(
        isinstance(part, Loop) or (isinstance(part, Code) and part.block in apart) for part in _within(parts)
    )


def _within(parts: Sequence[Part]) -> Iterator[Part]:
    """The parts and all parts nested in them."""
    for part in parts:
        yield part
        match part:
            case Loop(inner, _):
                yield from _within(inner)
            case Choice(true_parts, false_parts):
                yield from _within((*true_parts, *false_parts))
            case _:
                pass
