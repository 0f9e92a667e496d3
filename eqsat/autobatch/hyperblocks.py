"""Makes the blocks of a lowered program larger: short branches become choices between values, and loops become blocks that jump to themselves.

A hyperblock is a block that runs operations under conditions. Its region computes both sides of a branch and chooses between their values.
A side is therefore included only if it is cheap and defined for all inputs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from eqsat.array import logical_not
from eqsat.autobatch.ir import (
    EXIT,
    PROGRAM_COUNTER,
    Block,
    BranchOp,
    ControlFlowGraph,
    GotoOp,
    Operation,
    PopOp,
    PrimOp,
    Program,
    PushGotoOp,
    TensorType,
    Terminator,
    Type,
    VariableAllocation,
)
from eqsat.autobatch.ir.copies import identity
from eqsat.autobatch.ir.operations import targets
from eqsat.autobatch.primitives import traced
from eqsat.autobatch.regions import Region, Stacks
from eqsat.autobatch.registers import overwriting, without_dead_values
from eqsat.dtype import bool_
from eqsat.ops import ALU, Op
from eqsat.uop import UOp, toposort

_MOST_OPERATIONS = 12  # operations, at most, in a side that is computed speculatively, and in a loop's condition that is duplicated
_DIVISIONS = frozenset({Op.IDIV, Op.MOD, Op.FLOORDIV, Op.FLOORMOD})
_SHIFTS = frozenset({Op.SHL, Op.SHR})
_EXPENSIVE = (ALU | {Op.CALL}) - frozenset({
    Op.ADD, Op.SUB, Op.MUL, Op.NEG, Op.MAX, Op.MIN, Op.AND, Op.OR, Op.XOR, Op.WHERE, Op.CMPLT, Op.CMPNE, Op.CAST, Op.BITCAST,
    Op.MULACC,
}) - _DIVISIONS - _SHIFTS  # fmt: skip


@dataclass(frozen=True, slots=True)
class Choice:
    """Two lists of steps, of which one takes effect; the value of `cond_var` before them decides which."""

    cond_var: str
    true_steps: tuple[Step, ...]
    false_steps: tuple[Step, ...]


Step = Operation | Choice


@dataclass(frozen=True, slots=True)
class _Hyperblock:
    name: str
    steps: tuple[Step, ...]
    terminator: Terminator


def hyperblocks(program: Program) -> tuple[Program, Mapping[str, Region]]:
    """The program with fewer and larger blocks, and the region of each. The blocks have no operations of their own, only terminators."""
    growing = _Growing(overwriting(program))
    blocks = growing.grown()
    program = growing.program
    regions = {block.name: _region_of(program, block) for block in blocks}
    graph = ControlFlowGraph(tuple(Block(block.name, (), block.terminator) for block in blocks))
    program = replace(program, graph=graph)
    regions = without_dead_values(program, regions)
    touched = {*program.vars_in, *program.outputs, PROGRAM_COUNTER}.union(
        *(region.effects for region in regions.values()),
        *((read.name for read in region.reads) for region in regions.values()),
    )
    left = {name: how for name, how in program.var_alloc.items() if name in touched}
    return program.replace(var_alloc=left), regions


class _Growing:
    """The blocks of a program while they are joined."""

    def __init__(self, program: Program) -> None:
        self.program = program  # gains variables for joined conditions
        self._entry = program.graph.entry
        self._blocks = {
            block.name: _Hyperblock(block.name, block.operations, block.terminator)
            for block in program.graph.blocks
        }
        self._returned_to = {
            block.terminator.push_block
            for block in program.graph.blocks
            if isinstance(block.terminator, PushGotoOp)
        }
        self._costs: dict[int, int | None] = {}

    def grown(self) -> list[_Hyperblock]:
        """Joins blocks until nothing changes, and returns them."""
        ways = (self._chosen, self._followed, self._decided_at_once, self._rotated)
        changed = True
        while changed:
            changed = False
            self._arrivals = Counter(
                target for block in self._blocks.values() for target in targets(block.terminator)
            )
            for block in list(self._blocks.values()):
                if block.name not in self._blocks:
                    continue
                found = next(filter(None, (grow(block) for grow in ways)), None)
                if found is not None:
                    self._blocks[block.name] = found
                    changed = True
                    break
            self._remove_unreachable()
        return list(self._blocks.values())

    def _is_arm(self, name: str) -> bool:
        """Whether exactly one jump leads to a block, and no call returns to it."""
        return name not in (EXIT, self._entry) and self._arrivals[name] == 1 and name not in self._returned_to

    def _chosen(self, block: _Hyperblock) -> _Hyperblock | None:
        """Replaces a branch around one or two cheap blocks by a choice."""
        if not isinstance(block.terminator, BranchOp):
            return None
        condition, true_block, false_block = block.terminator.cond_var, *targets(block.terminator)
        ends = [self._end_of_arm(true_block), self._end_of_arm(false_block)]
        for true_end, false_end in ((ends[0], ends[1]), (true_block, ends[1]), (ends[0], false_block)):
            if true_end is None or true_end != false_end:
                continue
            true_steps = self._blocks[true_block].steps if true_end != true_block else ()
            false_steps = self._blocks[false_block].steps if false_end != false_block else ()
            costs = [self._cost(true_steps), self._cost(false_steps)]
            if all(cost is not None and cost <= _MOST_OPERATIONS for cost in costs):
                choice = Choice(condition, true_steps, false_steps)
                return replace(block, steps=(*block.steps, choice), terminator=GotoOp(true_end))
        return None

    def _end_of_arm(self, name: str) -> str | None:
        """The successor of a block that could be a side of a choice; None if it could not."""
        if not self._is_arm(name) or not isinstance(self._blocks[name].terminator, GotoOp):
            return None
        return targets(self._blocks[name].terminator)[0]

    def _followed(self, block: _Hyperblock) -> _Hyperblock | None:
        """Joins a block with its successor, if that has no other predecessor."""
        if not isinstance(block.terminator, GotoOp):
            return None
        name = block.terminator.block
        if name == block.name or not self._is_arm(name):
            return None
        following = self._blocks[name]
        return replace(block, steps=block.steps + following.steps, terminator=following.terminator)

    def _decided_at_once(self, block: _Hyperblock) -> _Hyperblock | None:
        """Joins two successive branches that share a target into one branch, as in `if a and b` with a cheap `b`."""
        if not isinstance(block.terminator, BranchOp):
            return None
        condition, *ways = block.terminator.cond_var, *targets(block.terminator)
        for goes_on, (name, other) in ((True, ways), (False, ways[::-1])):
            second = self._blocks[name] if self._is_arm(name) and name != block.name else None
            if second is None or not isinstance(second.terminator, BranchOp):
                continue
            cost = self._cost(second.steps)
            if other not in targets(second.terminator) or cost is None or cost > _MOST_OPERATIONS:
                continue
            holds = other == second.terminator.false_block
            far = second.terminator.true_block if holds else second.terminator.false_block
            both = self._new_condition()
            decided = _decision(second.terminator.cond_var, both, holds)
            sides = ((*second.steps, decided), (_never(both),))
            choice = Choice(condition, *(sides if goes_on else sides[::-1]))
            return replace(block, steps=(*block.steps, choice), terminator=BranchOp(both, far, other))
        return None

    def _new_condition(self) -> str:
        """A new variable that holds a bool and is used in one block only."""
        name = f"both{len(self.program.var_defs)}"
        self.program = self.program.replace(
            {**self.program.var_defs, name: Type(TensorType(bool_))},
            {**self.program.var_alloc, name: VariableAllocation.REGISTER},
        )
        return name

    def _rotated(self, block: _Hyperblock) -> _Hyperblock | None:
        """Loop rotation: joins the last block of a loop with a copy of the loop's head, if the head is cheap and branches to this block."""
        if not isinstance(block.terminator, GotoOp) or block.terminator.block in (EXIT, block.name):
            return None
        head = self._blocks[block.terminator.block]
        if not isinstance(head.terminator, BranchOp) or block.name not in targets(head.terminator):
            return None
        if not self._is_arm(block.name):
            return None
        cost = self._cost(head.steps)
        if cost is None or cost > _MOST_OPERATIONS:
            return None
        return replace(block, steps=block.steps + head.steps, terminator=head.terminator)

    def _cost(self, steps: tuple[Step, ...]) -> int | None:
        """The number of operations in the steps; None if one of them must not be computed speculatively."""
        total = 0
        for step in steps:
            if isinstance(step, Choice):
                found = [self._cost(step.true_steps), self._cost(step.false_steps)]
                cost = None if None in found else sum(each or 0 for each in found) + 1
            else:
                cost = 0 if isinstance(step, PopOp) else self._cost_of(step)
            if cost is None:
                return None
            total += cost
        return total

    def _cost_of(self, operation: Operation) -> int | None:
        assert isinstance(operation, PrimOp), "a lowered program has no calls"
        if id(operation) not in self._costs:
            graph = traced(operation, self.program.var_defs).graph
            self._costs[id(operation)] = _operations(graph)
        return self._costs[id(operation)]

    def _remove_unreachable(self) -> None:
        found, pending = {self._entry}, [self._entry]
        while pending:
            new = set(targets(self._blocks[pending.pop()].terminator)) - found - {EXIT}
            found |= new
            pending += new
        self._blocks = {name: block for name, block in self._blocks.items() if name in found}


def _decision(condition: str, name: str, holds: bool) -> PrimOp:
    """An operation that sets a variable to a condition, or to its negation."""
    function = identity if holds else logical_not
    return PrimOp((condition,), (name,), function, frozenset({name}), name)


def _never(name: str) -> PrimOp:
    """An operation that sets a variable to false."""
    return PrimOp((), (name,), lambda: False, frozenset({name}), name)


def _operations(graph: UOp) -> int | None:
    """The number of operations of a graph; None if one is expensive, not defined for all inputs, or not on scalars."""
    if any(root.shape for root in graph.src):
        return None
    count = 0
    for node in toposort([graph]):
        if node.op in (Op.SINK, Op.CONST) or (node.op is Op.PARAM and node.shape == (1,)):
            continue
        constant = next((source.arg for source in node.src[1:2] if source.op is Op.CONST), None)
        if node.shape or (node.op in _DIVISIONS and constant in (None, 0, -1)) or node.op in _EXPENSIVE:
            return None
        if node.op in _SHIFTS and (constant is None or not 0 <= constant < node.dtype.scalar.bits):
            return None
        if node.op is Op.CAST and node.src[0].dtype.scalar.is_float and not node.dtype.scalar.is_float:
            return None
        count += node.op in ALU
    return count


def _region_of(program: Program, block: _Hyperblock) -> Region:
    stacks = Stacks(program.var_defs)
    _follow(stacks, block.steps)
    terminator = block.terminator
    return stacks.region(stacks.top(terminator.cond_var) if isinstance(terminator, BranchOp) else None)


def _follow(stacks: Stacks, steps: tuple[Step, ...]) -> None:
    for step in steps:
        if isinstance(step, Choice):
            condition = stacks.top(step.cond_var)
            sides = stacks.copy(), stacks.copy()
            for side, taken in zip(sides, (step.true_steps, step.false_steps), strict=True):
                _follow(side, taken)
            stacks.choose(condition, *sides)
        else:
            stacks.apply(step)
