"""The order of a LINEAR's instructions, given the block of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from eqsat.codegen.linearization.loops import Block
from eqsat.codegen.linearization.register_pressure import with_few_live
from eqsat.dtype import index, void
from eqsat.errors import CodegenError
from eqsat.ops import Op
from eqsat.uop import UOp, toposort

Item = UOp  # an item of a block: one of its nodes, or the RANGE of a loop in it


class Emission:
    """Orders the items of each block: the values that a statement needs come right before it, so that few values are live at once."""

    def __init__(
        self,
        block: Mapping[UOp, Block],
        after: Mapping[UOp, Sequence[UOp]],
        updates: Mapping[UOp, UOp],
        statements: list[UOp],
    ) -> None:
        """`block` has the block of each node, `after` the nodes before one that are no sources of it, `updates` the register of each update."""
        self.block = block
        self.after = after
        self.updates = updates
        self.needs: dict[Item, dict[Item, None]] = {}
        self.roots: dict[Block, dict[Item, None]] = {}
        self.reached = self._connect(statements)

    def run(self) -> list[UOp]:
        """All instructions in program order."""
        arguments = [node for node in self.reached if node.op is Op.DEFINE_GLOBAL]
        result = sorted(arguments, key=lambda node: node.arg)
        result += sorted(
            (node for node in self.reached if node.op is Op.DEFINE_VAR), key=lambda node: node.arg
        )
        coordinates = sorted(
            (node for node in self.reached if node.op is Op.SPECIAL), key=lambda node: node.arg
        )
        result += dict.fromkeys(each for each in toposort(coordinates) if each.op is not Op.DEFINE_VAR)
        self._emit_block((), result, set(result))
        return result

    def _connect(self, statements: list[UOp]) -> list[UOp]:
        """Finds the needs of every item and the roots of every block; returns the nodes in use."""
        reached: dict[UOp, None] = {}
        stack = list(reversed(statements))
        for statement in statements:
            block = self.block[statement]
            for depth in range(len(block) + 1):
                item = block[depth] if depth < len(block) else statement
                self.roots.setdefault(block[:depth], {})[item] = None
            stack += block  # maybe nothing in a loop reads its RANGE
        while stack:
            node = stack.pop()
            if node in reached:
                continue
            reached[node] = None
            sources = [*self.after.get(node, ()), *node.src]
            block = self._block(node)
            for source in sources:
                if source.op is not Op.RANGE:
                    self._need(source, node, block)
            stack.extend(reversed(sources))
        return list(reached)

    def _need(self, source: UOp, node: UOp, mine: Block) -> None:
        theirs = self.block[source]
        if mine is theirs:  # shortcut: as most are
            self.needs.setdefault(node, {})[source] = None
            return
        shared = 0
        while shared < min(len(mine), len(theirs)) and mine[shared] is theirs[shared]:
            shared += 1
        user = mine[shared] if shared < len(mine) else node
        used = theirs[shared] if shared < len(theirs) else source
        if user is not used:
            self.needs.setdefault(user, {})[used] = None

    def _block(self, node: UOp) -> Block:
        """The block of a node; for a RANGE, the block around its loop, in which its sources must be."""
        return self.block[node][:-1] if node.op is Op.RANGE else self.block[node]

    def _emit_block(self, block: Block, result: list[UOp], done: set[Item]) -> None:
        """Appends the items of a block; after the RANGE of a loop, the items of the block inside."""
        work: list[tuple[Item, str]] = [(root, "visit") for root in reversed(self._roots_of(block))]
        waiting: set[Item] = set()
        while work:
            item, step = work.pop()
            if step == "close":
                result.append(UOp(Op.END, void, (result[-1], item)))
            elif step == "emit":
                done.add(item)
                result.append(item)
                if item.op is Op.RANGE:
                    work.append((item, "close"))
                    inside = self._roots_of((*self._block(item), item))
                    work.extend((root, "visit") for root in reversed(inside))
            elif item not in done:
                if item in waiting:
                    raise CodegenError(
                        f"{item!r} needs its own result; give reductions that need each other loops of their own"
                    )
                waiting.add(item)
                work.append((item, "emit"))
                needs = sorted(self.needs.get(item, ()), key=_is_store)  # initial values are stored last
                work += [(each, "visit") for each in reversed(needs)]

    def _roots_of(self, block: Block) -> list[Item]:
        """The roots of a block in order. Updates of accumulators are reordered among each other, so that few values are live at once."""
        roots = list(self.roots.get(block, {}))
        places = [place for place, root in enumerate(roots) if root in self.updates]
        updates = [roots[place] for place in places]
        order = with_few_live(self._shared_needs(updates), [self.updates[each] for each in updates])
        for place, number in zip(places, order, strict=True):
            roots[place] = updates[number]
        return roots

    def _shared_needs(self, roots: Sequence[Item]) -> list[list[Item]]:
        """For each root, the values that it shares with other roots; the search ends at the first shared value on each path."""
        users = Counter(each for root in roots for each in self._below(root, frozenset()))
        shared = frozenset(each for each, count in users.items() if count > 1)
        return [[each for each in self._below(root, shared) if each in shared] for root in roots]

    def _below(self, root: Item, ends: frozenset[Item]) -> list[Item]:
        """The values of its block that an item needs, except indices; the search ends at `ends`."""
        found: dict[Item, None] = {}
        stack = [root]
        while stack:
            for each in self.needs.get(stack.pop(), ()):
                is_index = each.dtype is index or each.dtype is void
                if each not in found and not is_index:
                    found[each] = None
                    if each not in ends:
                        stack.append(each)
        return list(found)


def _is_store(node: UOp) -> bool:
    return node.op is Op.STORE
