"""A region: the computation of a lowered block as one graph of UOps, and its effects on the stacks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from eqsat.array.data import stand_in
from eqsat.autobatch.ir import BranchOp, Operation, PopOp, PrimOp, Program, TensorType, Type
from eqsat.autobatch.ir.program import Block
from eqsat.autobatch.ir.types import tensor_of
from eqsat.autobatch.primitives import traced
from eqsat.ops import Op
from eqsat.uop import UOp, rewrite, toposort


@dataclass(frozen=True, slots=True)
class Read:
    """A read of a value on a variable's stack as it is when a block begins: the top (depth 0), or a value below it."""

    name: str
    depth: int


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of a block on the stack of a variable.

    Attributes:
        pops: the number of values that are popped.
        pushes: the numbers of the graph's outputs that are then pushed, the new top last.
    """

    pops: int
    pushes: tuple[int, ...]


@dataclass(frozen=True)
class Region:
    """A block as a graph: its reads of the stacks, the values that it computes from them, and its effects on the stacks.

    Attributes:
        reads: the values read from stacks; PARAM slot k of the graph stands for read k.
        held: the type of each read.
        graph: a SINK of distinct values.
        effects: for each variable that the block changes, the effect on its stack.
        condition: the number of the graph's value that decides a branch; None without a branch.
    """

    reads: tuple[Read, ...]
    held: tuple[TensorType, ...]
    graph: UOp
    effects: Mapping[str, Effect]
    condition: int | None = None


def is_scalar(region: Region) -> bool:
    """Whether a region computes scalars from scalars only.

    A scalar's PARAM has one element, and is reshaped where it is used. Other operations take it for an array, as they take an array of one element.
    """
    return not any(held.shape for held in region.held) and all(
        node.op is Op.PARAM
        or (not node.shape and node.op is Op.RESHAPE)
        or not (node.shape or node.op is Op.BUFFER or any(source.shape for source in node.src))
        for node in toposort([region.graph])
    )


def region_of(program: Program, block: Block) -> Region:
    """The region of a block of a lowered program; each variable holds one tensor."""
    stacks = Stacks(program.var_defs)
    for operation in block.operations:
        stacks.apply(operation)
    terminator = block.terminator
    return stacks.region(stacks.top(terminator.cond_var) if isinstance(terminator, BranchOp) else None)


class Stacks:
    """The stacks of all variables during symbolic execution of a block: how many old values were popped, and which new ones were pushed."""

    def __init__(self, types: Mapping[str, Type]) -> None:
        self._types = types
        self._inputs: dict[Read, UOp] = {}
        self._pops: dict[str, int] = {}
        self._pushed: dict[str, list[UOp]] = {}

    def apply(self, operation: Operation) -> None:
        """Applies an operation of a lowered program to the stacks."""
        if isinstance(operation, PrimOp):
            self._compute(operation)
        else:
            assert isinstance(operation, PopOp), "a lowered program has no calls"
            for name in operation.vars:
                self.pop(name)

    def copy(self) -> Stacks:
        """A copy of the stacks for another path. Both share the inputs, the values that were read from the old content."""
        other = Stacks(self._types)
        other._inputs = self._inputs
        other._pops = dict(self._pops)
        other._pushed = {name: list(values) for name, values in self._pushed.items()}
        return other

    def choose(self, condition: UOp, one: Stacks, other: Stacks) -> None:
        """Sets these stacks to `one` where the condition holds and to `other` elsewhere; both must have the same depths."""
        for name in {**one._pops, **one._pushed, **other._pops, **other._pushed}:
            pops = max(one._pops.get(name, 0), other._pops.get(name, 0))
            left, right = one._content(name, pops), other._content(name, pops)
            assert len(left) == len(right), f"two paths leave different depths of {name!r}"
            self._pops[name] = pops
            self._pushed[name] = [
                a if a is b else UOp(Op.WHERE, a.dtype, (condition, a, b))
                for a, b in zip(left, right, strict=True)
            ]

    def _content(self, name: str, pops: int) -> list[UOp]:
        """The values that lie on a variable's stack in place of its uppermost `pops` old values, the top last."""
        own = self._pops.get(name, 0)
        kept = [self._read(Read(name, depth)) for depth in range(pops - 1, own - 1, -1)]
        return kept + self._pushed.get(name, [])

    def _compute(self, operation: PrimOp) -> None:
        values = [self.top(name) for name in operation.vars_in]
        primitive = traced(operation, self._types)
        slots: dict[UOp, UOp] = {}
        for slot, (name, value) in enumerate(zip(operation.vars_in, values, strict=True)):
            held = tensor_of(self._types, name)
            slots[stand_in(slot, held.shape, held.dtype)] = value
        results = rewrite(list(primitive.graph.src), slots)
        for name, result in zip(operation.vars_out, results, strict=True):
            if name in operation.skip_push_mask:
                self.pop(name)
            self._pushed.setdefault(name, []).append(result)

    def top(self, name: str) -> UOp:
        """The value on top of a variable's stack."""
        if self._pushed.get(name):
            return self._pushed[name][-1]
        return self._read(Read(name, self._pops.get(name, 0)))

    def _read(self, read: Read) -> UOp:
        """The input that stands for a value of the old content."""
        if read not in self._inputs:
            held = tensor_of(self._types, read.name)
            self._inputs[read] = stand_in(_FIRST + len(self._inputs), held.shape, held.dtype)
        return self._inputs[read]

    def pop(self, name: str) -> None:
        """Pops the top of a variable's stack."""
        if self._pushed.get(name):
            self._pushed[name].pop()
        else:
            self._pops[name] = self._pops.get(name, 0) + 1

    def region(self, condition: UOp | None) -> Region:
        """The region of the operations applied so far, with inputs numbered from 0 and without effects that leave a stack as it is."""
        numbers: dict[UOp, int] = {}
        effects: dict[str, Effect] = {}
        for name in sorted({*self._pops, *self._pushed}):
            pops, pushed = self._pops.get(name, 0), self._pushed.get(name, [])
            while pops and pushed and pushed[0] is self._inputs.get(Read(name, pops - 1)):
                pops, pushed = pops - 1, pushed[1:]
            if pops or pushed:
                pushes = tuple(numbers.setdefault(value, len(numbers)) for value in pushed)
                effects[name] = Effect(pops, pushes)
        number = None if condition is None else numbers.setdefault(condition, len(numbers))
        return _made(self._inputs, list(numbers), effects, number, self._types)


def with_effects_on(region: Region, is_wanted: Callable[[str], bool], types: Mapping[str, Type]) -> Region:
    """The region, restricted to its effects on the variables that are wanted."""
    effects = {name: effect for name, effect in region.effects.items() if is_wanted(name)}
    if len(effects) == len(region.effects):
        return region
    numbers: dict[int, int] = {}
    renumbered = {
        name: Effect(effect.pops, tuple(numbers.setdefault(number, len(numbers)) for number in effect.pushes))
        for name, effect in effects.items()
    }
    condition = region.condition
    if condition is not None:
        condition = numbers.setdefault(condition, len(numbers))
    inputs = {
        read: stand_in(slot, held.shape, held.dtype)
        for slot, (read, held) in enumerate(zip(region.reads, region.held, strict=True))
    }
    values = [region.graph.src[number] for number in numbers]
    return _made(inputs, values, renumbered, condition, types)


def _made(
    inputs: Mapping[Read, UOp],
    values: list[UOp],
    effects: Mapping[str, Effect],
    condition: int | None,
    types: Mapping[str, Type],
) -> Region:
    """A region of these values, with the inputs that they use numbered from 0."""
    used = set(UOp.sink(*values).toposort())
    reads = {read: value for read, value in inputs.items() if _param(value) in used}
    held = tuple(tensor_of(types, read.name) for read in reads)
    renumbered = {
        value: stand_in(slot, each.shape, each.dtype)
        for slot, (value, each) in enumerate(zip(reads.values(), held, strict=True))
    }
    graph = UOp.sink(*rewrite(values, renumbered))
    return Region(tuple(reads), held, graph, effects, condition)


_FIRST = 1 << 20  # first slot of inputs during symbolic execution, beyond the slots of PrimOps


def _param(value: UOp) -> UOp:
    return value if value.op is Op.PARAM else value.src[0]
