"""Linearization: a kernel's graph becomes a list of instructions with loops.

Before: an expanded SINK. After: a LINEAR of DEFINE_GLOBAL, SPECIAL, DEFINE_REG, RANGE … END, LOAD, STORE and arithmetic in program order, every
source before its use. A value lies in exactly the loops that it varies with (and, inside a reduction, in the loops around the reduction), as far
out as that allows. Reductions that share a range share its loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from eqsat.codegen.expansion.combining import following, members, starts
from eqsat.codegen.expansion.lanes import pick, vector_of
from eqsat.codegen.linearization.barriers import with_barriers
from eqsat.codegen.linearization.emission import Emission
from eqsat.codegen.linearization.launch import GROUPS, for_work_items
from eqsat.codegen.linearization.loops import ITEMS, Block, LoopNest, ended_by
from eqsat.dtype import LANES, AddrSpace, DType, PtrDType, index, void
from eqsat.errors import CodegenError
from eqsat.integers.conditions import gated
from eqsat.ops import ABREAST, REDUCES, Op, Stage, identity_element
from eqsat.spec.divergence import barriers_for_all
from eqsat.spec.rule import complain
from eqsat.uop import UOp, rewrite, toposort

ZERO = UOp.const(index, 0)


def linearize(sink: UOp) -> UOp:
    """The instructions of an expanded kernel, in program order.

    Raises:
        CodegenError: reductions that share a loop depend on each other, or loops cross.
        SpecError: only some work-items of a group would reach a BARRIER.
    """
    order = toposort([sink])
    if any(node.op is Op.CAT and not all(map(_is_vector, node.src)) for node in order):
        sink = rewrite([sink], {}, _of_vectors)[0]
        order = toposort([sink])
    kernel, others = for_work_items(order)
    order = _in_loops_alone(order if kernel is sink else toposort([kernel]), others)
    registers = 1 + max((node.arg[1] for node in order if node.op is Op.DEFINE_REG), default=-1)
    made = _Instructions(LoopNest.of(order, (*GROUPS, *ABREAST, *ITEMS)), registers, others)
    for node in order:
        made.add(node)
    emission = Emission(made.block, made.after, made.updates, made.statements)
    ordered = tuple(with_barriers(emission.run()))
    complain(barriers_for_all(ordered), Stage.LINEAR)
    return UOp(Op.LINEAR, void, ordered, sink.arg)


def _is_vector(node: UOp) -> bool:
    return node.dtype.lanes in (1, *LANES)


def _of_vectors(node: UOp) -> UOp:
    """Replaces a CAT of parts for whose number of lanes there is no vector type: by a VECTORIZE of single lanes."""
    if node.op is not Op.CAT or all(map(_is_vector, node.src)):
        return node
    lanes, stack = list[UOp](), [node]
    while stack:
        part = stack.pop()
        if part.op is Op.CAT:
            stack += reversed(part.src)
        else:
            lanes += [pick(part, (lane,)) for lane in range(part.dtype.lanes)]
    return vector_of(lanes)


def _in_loops_alone(order: list[UOp], items: Mapping[UOp, UOp]) -> list[UOp]:
    """The nodes of a kernel whose RANGEs no longer list ranges over work-items among the ranges around them."""

    def without_items(node: UOp) -> UOp:
        if node.op is not Op.RANGE:
            return node
        return node.with_src((node.src[0], *(each for each in node.src[1:] if each not in items)))

    if all(without_items(node) is node for node in order):  # shortcut: most kernels have none
        return order
    return toposort(rewrite(order[-1:], {}, without_items))


class _Register(NamedTuple):
    """An accumulator.

    Attributes:
        pointer: its DEFINE_REG.
        initial: the STORE of its initial value.
        last: the last STORE to it in an iteration; its innermost loop before there is one.
        now: the LOAD of its value after `last`.
    """

    pointer: UOp
    initial: UOp
    last: UOp
    now: UOp


class _Instructions:
    """The nodes of a LINEAR: the block of each, and the nodes that must come before it."""

    def __init__(self, nest: LoopNest, registers: int, others: Mapping[UOp, UOp]) -> None:
        """`registers` is the first register number that the kernel does not use. `others` maps PARAMs and ranges over work-items to instructions."""
        self.nest = nest
        self.block: dict[UOp, Block] = {}
        self.after: dict[UOp, list[UOp]] = {}  # nodes that must precede a node without being its sources
        self.statements: list[UOp] = []  # stores, in the order they were met
        self.updates: dict[UOp, UOp] = {}  # the statements that update an accumulator, with its register
        self._others = others
        self._linear: dict[UOp, UOp] = {}
        self._finished: dict[tuple[object, ...], list[UOp]] = {}
        self._kept: dict[UOp, _Register] = {}
        self._accumulators = registers

    def add(self, node: UOp) -> None:
        """Translates one node, whose sources have been translated."""
        if node.op is Op.SCAN:
            self._linear[node] = self._scan(node)
            return
        if node.op in REDUCES:
            self._linear[node] = self._reduction(node)
            return
        if node.op is Op.CARRY:
            self._kept[node] = self._register(node, node.dtype, 0)
            self._linear[node] = self._kept[node].now
            return
        if node.op is Op.RECUR:
            self._linear[node] = self._recurrence(node)
            return
        if node in self._others:
            self._linear[node] = self._others[node]
            self._place_with_operands([self._others[node]], ())
            return
        source = self._sources_of(node)
        dtype = source[0].dtype if node.op is Op.AFTER else node.dtype  # a PARAM has become a pointer
        argument = node.arg
        if node.op is Op.STORE and argument is not None:
            address = self._once(node, source)
            source, argument = (address, self._combined(node, address, source[1])), None
        renewed = UOp(node.op, dtype, source, argument)
        self._linear[node] = self._place(renewed, self._block_for(node, source))
        if node.op in (Op.STORE, Op.BARRIER, Op.CUSTOM):
            self.statements.append(renewed)

    def _sources_of(self, node: UOp) -> tuple[UOp, ...]:
        """The translated sources of a node, without the ranges of a STORE: these are the loops around it."""
        given = node.src[:2] if node.op is Op.STORE else node.src
        return tuple(self._linear[each] for each in given)

    def _once(self, store: UOp, source: tuple[UOp, ...]) -> UOp:
        """The address of a combining STORE, with a gate that holds in the first iteration of the loops around it that it does not end.

        Its own loops lie in such a loop if another statement shares them and varies with that.
        """
        block = self._block_for(store, source)
        others = [loop for loop in block if loop not in ended_by(store)]
        address = gated(source[0], [loop < 1 for loop in others])
        self._place_with_operands([address], block)
        return address

    def _combined(self, store: UOp, address: UOp, value: UOp) -> UOp:
        """The value that a combining STORE writes: the element at its address combined with a value, both in the loops of the store.

        Raises:
            CodegenError: two stores combine at one address in one iteration.
        """
        block = self._block_for(store, (address, value))
        assert isinstance(value.dtype, DType)
        otherwise = (self._place(_constant(value.dtype, 0), ()),) if address.src[2:] else ()
        before = UOp(Op.LOAD, value.dtype, (address, *otherwise))
        if before in self.block:
            raise CodegenError(
                f"{store!r} combines with what another store has just stored; combine the values first"
            )
        return self._place(self._place(before, block).alu(store.arg, value), block)

    def _block_for(self, node: UOp, source: Sequence[UOp]) -> Block:
        """The block of a node: the innermost among the block of its ranges and the blocks of its sources.

        A source may lie further in than the ranges say: a reduction of a constant depends on no range, but its loop may lie inside others. A STORE
        before an AFTER counts by the loops around its own loops, which have ended by then.
        """
        block = self.nest.block_of(node)
        if node.op is Op.RANGE:
            return block
        if node.op is Op.AFTER:
            happened = zip(node.src[1:], source[1:], strict=True)
            stores = [self._around(store, made) for store, made in happened if store.op is Op.STORE]
            return max([block, self.block.get(source[0], ()), *stores], key=len)
        return max([block, *(self.block.get(each, ()) for each in source)], key=len)

    def _around(self, store: UOp, made: UOp) -> Block:
        """The loops around the loops that a STORE ends."""
        written = ended_by(store)
        return tuple(takewhile(lambda loop: loop not in written, self.block.get(made, ())))

    def _scan(self, scan: UOp) -> UOp:
        """The value of a SCAN in each iteration: its accumulator before the update if it is exclusive, else after it."""
        (op, exclusive), body = scan.arg, self.nest.body_of(scan)
        register = self._register(scan, scan.dtype, identity_element(op, scan.dtype.scalar))
        total = register.now.alu(op, self._linear[scan.src[0]])
        self._updated(register, self._place(total, body), body)
        return register.now if exclusive else total

    def _recurrence(self, recurrence: UOp) -> UOp:
        """The value of a RECUR. Its CARRYs are updated, unless another RECUR that shares them has done so."""
        value, *pairs = recurrence.src[: 1 + 2 * recurrence.arg]
        if pairs[1] in self._kept:
            body = self.nest.body_of(recurrence)
            totals = [self._linear[following] for following in pairs[::2]]
            registers = [self._kept.pop(kept) for kept in pairs[1::2]]
            before = [*totals, *(register.now for register in registers)]
            for register, total in zip(registers, totals, strict=True):
                self._updated(register, total, body, before)
        return self._linear[value]

    def _reduction(self, reduction: UOp) -> UOp:
        """The value of an accumulator after the loops. The value and the position of an ARGREDUCE are accumulated together."""
        member = reduction.arg[1] if reduction.op is Op.ARGREDUCE else 0
        key = (
            reduction.op,
            reduction.src,
            reduction.arg if reduction.op is Op.REDUCE else reduction.arg[0],
            reduction.dtype.lanes,
        )
        if key not in self._finished:
            self._finished[key] = self._accumulated(reduction)
        return self._finished[key][member]

    def _accumulated(self, reduction: UOp) -> list[UOp]:
        """The values of all accumulators of a reduction after its loops."""
        outside, inside = self.nest.block_of(reduction), self.nest.body_of(reduction)
        values, registers = members(reduction), list[_Register]()
        for value, start in zip(values, starts(reduction), strict=True):
            dtype = value.dtype.scalar.vec(reduction.dtype.lanes)
            registers.append(self._register(reduction, dtype, start))
        for copy in zip(*(_addends(reduction, value) for value in values), strict=True):
            before = tuple(register.now for register in registers)
            totals = following(reduction)(before, tuple(self._linear[each] for each in copy))
            self._place_with_operands(totals, inside)
            registers = [
                self._updated(register, total, inside)
                for register, total in zip(registers, totals, strict=True)
            ]
        return [self._now(register.pointer, register.last, outside) for register in registers]

    def _register(self, reduction: UOp, dtype: DType | PtrDType, first: float) -> _Register:
        """A register that is set to a number before the loops of a reduction, and loaded in each iteration."""
        assert isinstance(dtype, DType)
        outside, inside = self.nest.block_of(reduction), self.nest.body_of(reduction)
        pointer = PtrDType(dtype, AddrSpace.REG, 1)
        register = self._place(UOp(Op.DEFINE_REG, pointer, (), (1, self._accumulators)), outside)
        self._accumulators += 1
        start = self._place(_constant(dtype, first), ())
        initial = self._place(UOp(Op.STORE, void, (self._element(register, outside), start)), outside)
        return _Register(register, initial, inside[-1], self._now(register, inside[-1], inside))

    def _now(self, pointer: UOp, last: UOp, block: Block) -> UOp:
        """The value of a register after `last`, its last update or a loop that updates it."""
        after = self._place(UOp(Op.AFTER, pointer.dtype, (pointer, last)), block)
        address = self._element(after, block)
        return self._place(UOp(Op.LOAD, address.dtype, (address,)), block)

    def _updated(
        self, register: _Register, total: UOp, inside: Block, before: Sequence[UOp] = ()
    ) -> _Register:
        """Stores a total to a register, after the values `before`, and returns the register after that."""
        update = self._place(UOp(Op.STORE, void, (register.now.src[0], total)), inside)
        self.after[update] = [register.initial, *before]
        self.statements.append(update)
        self.updates[update] = register.pointer
        return register._replace(last=update, now=self._now(register.pointer, update, inside))

    def _place_with_operands(self, values: Sequence[UOp], block: Block) -> None:
        """Places values and their operands in a block; constants go outside of all loops."""
        stack = list(values)
        while stack:
            node = stack.pop()
            if node not in self.block:
                self._place(node, block if node.src else ())
                stack += node.src

    def _element(self, pointer: UOp, block: Block) -> UOp:
        """The only element of a register."""
        assert isinstance(pointer.dtype, PtrDType)
        return self._place(UOp(Op.INDEX, pointer.dtype.base, (pointer, self._place(ZERO, ()))), block)

    def _place(self, node: UOp, block: Block) -> UOp:
        """Puts a node into a block. If it has a block already, one of the two lies inside the other, and the outer one is taken."""
        self.block[node] = min(self.block.get(node, block), block, key=len)
        return node


def _addends(reduction: UOp, value: UOp) -> tuple[UOp, ...]:
    """The addends of one iteration for the accumulator of `value`. If the reduction folds lanes, it is a VECTORIZE or CAT of several addends."""
    if value.dtype.lanes == reduction.dtype.lanes:
        return (value,)
    return value.src


def _constant(dtype: DType, value: float) -> UOp:
    if dtype.lanes == 1:
        return UOp.const(dtype, value)
    return UOp(Op.VCONST, dtype, (), (UOp.const(dtype.scalar, value).arg,) * dtype.lanes)
