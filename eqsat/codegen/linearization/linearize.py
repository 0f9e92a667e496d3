"""Linearization: a kernel's graph becomes a list of instructions with loops.

Before: an expanded SINK. After: a LINEAR of DEFINE_GLOBAL, SPECIAL, DEFINE_REG, RANGE … END, LOAD, STORE and arithmetic in
program order, every source before its use. A value sits in exactly the loops that it varies with (and, inside a reduction, in
the loops that the reduction sits in), as far out as that allows. Reductions that share a range share its loop.
"""

from __future__ import annotations

from eqsat.codegen.linearization.launch import with_work_items
from eqsat.codegen.linearization.loops import Block, LoopNest
from eqsat.dtype import AddrSpace, DType, PtrDType, index, void
from eqsat.errors import CodegenError
from eqsat.ops import Op, identity_element
from eqsat.uop import UOp, toposort

ZERO = UOp.const(index, 0)


def linearize(sink: UOp) -> UOp:
    """The instructions of an expanded kernel, in program order.

    Raises:
        CodegenError: reductions that share a loop depend on each other, or loops cross.
    """
    kernel = with_work_items(sink)
    order = toposort([kernel])
    instructions = _Instructions(LoopNest.of(order))
    for node in order:
        instructions.add(node)
    return UOp(Op.LINEAR, void, tuple(_Emission(instructions).run()), sink.arg)


class _Instructions:
    """The nodes of a LINEAR, each with the block it belongs to, and which must come before which."""

    def __init__(self, nest: LoopNest) -> None:
        self.nest = nest
        self.block: dict[UOp, Block] = {}
        self.after: dict[UOp, list[UOp]] = {}  # what must precede a node although it is no source of it
        self.statements: list[UOp] = []  # stores, in the order they were met
        self._linear: dict[UOp, UOp] = {}
        self._accumulators = 0

    def add(self, node: UOp) -> None:
        """Translates one node, its sources being translated."""
        if node.op in (Op.REDUCE, Op.SCAN):
            self._linear[node] = self._accumulator(node)
            return
        source = [self._linear[each] for each in node.src]
        if node.op is Op.STORE:
            source = source[:2]
        renewed = self._place(node.with_src(tuple(source)), self._block_for(node, source))
        self._linear[node] = renewed
        if node.op in (Op.STORE, Op.BARRIER, Op.CUSTOM):
            self.statements.append(renewed)

    def _block_for(self, node: UOp, source: list[UOp]) -> tuple[UOp, ...]:
        """Where a node goes: into the block of what it depends on, and no further out than what it reads.

        A reduction of a constant depends on no range, though its loop may stand inside others.
        """
        block = self.nest.block_of(node)
        if node.op is Op.RANGE:
            return block
        return max([block, *(self.block[each] for each in source if each in self.block)], key=len)

    def _accumulator(self, reduction: UOp) -> UOp:
        """Register, initial value, update within the loops, and the value after them; of a SCAN, the value before or after the update."""
        dtype, (op, scans, exclusive) = reduction.dtype, _manner(reduction)
        assert isinstance(dtype, DType)
        outside, inside = self.nest.block_of(reduction), self.nest.body_of(reduction)
        pointer = PtrDType(dtype, AddrSpace.REG, 1)
        register = self._place(UOp(Op.DEFINE_REG, pointer, (), (1, self._accumulators)), outside)
        self._accumulators += 1
        start = self._place(_constant(dtype, identity_element(op, dtype.scalar)), ())
        initial = self._place(UOp(Op.STORE, void, (self._element(register, outside), start)), outside)
        address = self._element(self._place(UOp(Op.AFTER, pointer, (register, inside[-1])), inside), inside)
        before = total = self._place(UOp(Op.LOAD, dtype, (address,)), inside)
        for value in _addends(reduction):
            total = self._place(total.alu(op, self._linear[value]), inside)
        update = self._place(UOp(Op.STORE, void, (address, total)), inside)
        self.after[update] = [initial]
        self.statements.append(update)
        if scans:
            return before if exclusive else total
        finished = self._place(UOp(Op.AFTER, pointer, (register, update)), outside)
        return self._place(UOp(Op.LOAD, dtype, (self._element(finished, outside),)), outside)

    def _element(self, pointer: UOp, block: Block) -> UOp:
        """The only element of a register."""
        assert isinstance(pointer.dtype, PtrDType)
        return self._place(UOp(Op.INDEX, pointer.dtype.base, (pointer, self._place(ZERO, ()))), block)

    def _place(self, node: UOp, block: Block) -> UOp:
        known = self.block.get(node)
        if known is None or len(block) < len(known):
            self.block[node] = block
        return node


Item = UOp  # within a block: a node of the block, or the RANGE of a loop in it


class _Emission:
    """Orders the items of each block: what a statement needs comes right before it, so that few values are alive at once."""

    def __init__(self, instructions: _Instructions) -> None:
        self.block = instructions.block
        self.after = instructions.after
        self.needs: dict[Item, dict[Item, None]] = {}
        self.roots: dict[Block, dict[Item, None]] = {}
        self.reached = self._connect(instructions.statements)

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
        result += dict.fromkeys(each for node in coordinates for each in (*node.src, node))
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
        while stack:
            node = stack.pop()
            if node in reached:
                continue
            reached[node] = None
            sources = [*self.after.get(node, ()), *node.src]
            for source in sources:
                self._need(source, node)
            stack.extend(reversed(sources))
        return list(reached)

    def _need(self, source: UOp, node: UOp) -> None:
        if source.op is Op.RANGE:
            return
        mine, theirs = self._block(node), self._block(source)
        shared = 0
        while shared < min(len(mine), len(theirs)) and mine[shared] is theirs[shared]:
            shared += 1
        user = mine[shared] if shared < len(mine) else node
        used = theirs[shared] if shared < len(theirs) else source
        if user is not used:
            self.needs.setdefault(user, {})[used] = None

    def _block(self, node: UOp) -> Block:
        """Where a node belongs; what a RANGE needs belongs outside of its loop."""
        return self.block[node][:-1] if node.op is Op.RANGE else self.block[node]

    def _emit_block(self, block: Block, result: list[UOp], done: set[Item]) -> None:
        """Appends the items of a block and, where a loop comes up, of the blocks in it."""
        work: list[tuple[Item, str]] = [(root, "visit") for root in reversed(self.roots.get(block, {}))]
        waiting: set[Item] = set()
        while work:
            item, step = work.pop()
            if step == "close":
                result.append(UOp(Op.END, void, (result[-1], item)))
            elif step == "emit":
                waiting.discard(item)
                done.add(item)
                result.append(item)
                if item.op is Op.RANGE:
                    work.append((item, "close"))
                    inside = self.roots[(*self._block(item), item)]
                    work.extend((root, "visit") for root in reversed(inside))
            elif item not in done:
                if item in waiting:
                    raise CodegenError(
                        f"{item!r} needs its own result; give reductions that need each other loops of their own"
                    )
                waiting.add(item)
                work.append((item, "emit"))
                needs = sorted(
                    self.needs.get(item, {}), key=lambda each: each.op is Op.STORE
                )  # accumulators start last
                work.extend((each, "visit") for each in reversed(needs) if each not in done)


def _manner(node: UOp) -> tuple[Op, bool, bool]:
    """What a REDUCE or SCAN combines with, whether it gives a value in each iteration, and if so without that iteration."""
    return (node.arg[0], True, node.arg[1]) if node.op is Op.SCAN else (node.arg, False, False)


def _addends(reduction: UOp) -> tuple[UOp, ...]:
    """The values that one iteration adds to the accumulator: several, if the source is a VECTORIZE or CAT of them."""
    value = reduction.src[0]
    if value.dtype.lanes == reduction.dtype.lanes:
        return (value,)
    parts = value.src if value.op in (Op.VECTORIZE, Op.CAT) else ()
    if not parts or any(part.dtype != reduction.dtype for part in parts):
        raise CodegenError(
            f"{reduction!r} reduces {value!r}; its source must be {reduction.dtype} or a VECTORIZE or CAT of such"
        )
    return parts


def _constant(dtype: DType, value: float) -> UOp:
    if dtype.lanes == 1:
        return UOp.const(dtype, value)
    return UOp(Op.VCONST, dtype, (), (UOp.const(dtype.scalar, value).arg,) * dtype.lanes)
