"""The computation of a lowered block as one graph of UOps, and what it does to the stacks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from eqsat.array.data import stand_in
from eqsat.autobatch.ir import BranchOp, Operation, PopOp, PrimOp, Program, Type
from eqsat.autobatch.ir.program import Block
from eqsat.autobatch.ir.types import tensor_of
from eqsat.autobatch.primitives import traced
from eqsat.dtype import DType
from eqsat.ops import Op
from eqsat.uop import UOp, rewrite, toposort


@dataclass(frozen=True, slots=True)
class Read:
    """A value on the stack of a variable when a block begins: its top (depth 0), or one below."""

    name: str
    depth: int


@dataclass(frozen=True, slots=True)
class Effect:
    """What a block does to the stack of a variable.

    Attributes:
        pops: how many values it takes off.
        pushes: which outputs of the graph it then puts on, the top last.
    """

    pops: int
    pushes: tuple[int, ...]


@dataclass(frozen=True)
class Region:
    """A block as a graph: what it reads of the stacks, what it computes of that at once, and what becomes of the stacks.

    Attributes:
        reads: PARAM slot k of the graph is the k-th of these.
        graph: a SINK of values, each once.
        effects: of the variables that the block changes.
        condition: which value of the graph decides a branch.
    """

    reads: tuple[Read, ...]
    graph: UOp
    effects: Mapping[str, Effect]
    condition: int | None = None


def is_scalar(region: Region) -> bool:
    """Whether a region computes scalars of scalars."""
    return all(
        not node.shape or (node.op is Op.PARAM and node.shape == (1,))
        for node in toposort([region.graph])
        if node.op is not Op.SINK
    ) and not any(node.op is Op.BUFFER for node in toposort([region.graph]))


def region_of(program: Program, block: Block) -> Region:
    """The region of a block of a lowered program whose variables each hold one tensor."""
    stacks = Stacks(program.var_defs)
    for operation in block.operations:
        stacks.apply(operation)
    terminator = block.terminator
    return stacks.region(stacks.top(terminator.cond_var) if isinstance(terminator, BranchOp) else None)


class Stacks:
    """The stacks of all variables while a block is followed: how much of the old content is gone, and what is on top of it."""

    def __init__(self, types: Mapping[str, Type]) -> None:
        self._types = types
        self._inputs: dict[Read, UOp] = {}
        self._pops: dict[str, int] = {}
        self._pushed: dict[str, list[UOp]] = {}

    def apply(self, operation: Operation) -> None:
        """Follows an operation of a lowered program."""
        if isinstance(operation, PrimOp):
            self._compute(operation)
        else:
            assert isinstance(operation, PopOp), "a lowered program has no calls"
            for name in operation.vars:
                self.pop(name)

    def copy(self) -> Stacks:
        """The same stacks, to be followed on another path. Values that are read of the old content are known to both."""
        other = Stacks(self._types)
        other._inputs = self._inputs
        other._pops = dict(self._pops)
        other._pushed = {name: list(values) for name, values in self._pushed.items()}
        return other

    def choose(self, condition: UOp, one: Stacks, other: Stacks) -> None:
        """Becomes `one` where the condition holds, and `other` elsewhere; both are of the same depths."""
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
        """What is on the stack of a variable above its `pops` upper old values, these taken off."""
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
        """The value on top of a stack."""
        if self._pushed.get(name):
            return self._pushed[name][-1]
        return self._read(Read(name, self._pops.get(name, 0)))

    def _read(self, read: Read) -> UOp:
        """A value of the old content."""
        if read not in self._inputs:
            held = tensor_of(self._types, read.name)
            self._inputs[read] = stand_in(_FIRST + len(self._inputs), held.shape, held.dtype)
        return self._inputs[read]

    def pop(self, name: str) -> None:
        """Takes the top off a stack."""
        if self._pushed.get(name):
            self._pushed[name].pop()
        else:
            self._pops[name] = self._pops.get(name, 0) + 1

    def region(self, condition: UOp | None) -> Region:
        """What was followed, with inputs numbered from 0 and without effects that leave a stack as it is."""
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
    """The region with its effects on some variables only."""
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
    inputs = {read: stand_in(slot, *_shape_and_dtype(read, types)) for slot, read in enumerate(region.reads)}
    values = [region.graph.src[number] for number in numbers]
    return _made(inputs, values, renumbered, condition, types)


def _made(
    inputs: Mapping[Read, UOp],
    values: list[UOp],
    effects: Mapping[str, Effect],
    condition: int | None,
    types: Mapping[str, Type],
) -> Region:
    """A region of values, with those of the inputs that they use numbered from 0."""
    used = set(UOp.sink(*values).toposort())
    reads = {read: value for read, value in inputs.items() if _param(value) in used}
    renumbered = {
        value: stand_in(slot, *_shape_and_dtype(read, types))
        for slot, (read, value) in enumerate(reads.items())
    }
    graph = UOp.sink(*rewrite(values, renumbered))
    return Region(tuple(reads), graph, effects, condition)


def _shape_and_dtype(read: Read, types: Mapping[str, Type]) -> tuple[tuple[int, ...], DType]:
    held = tensor_of(types, read.name)
    return held.shape, held.dtype


_FIRST = 1 << 20  # slots of inputs while a block is followed, apart from those of its PrimOps


def _param(value: UOp) -> UOp:
    return value if value.op is Op.PARAM else value.src[0]
