"""A machine that runs a lowered program for a whole batch: every member has its own program counter and stacks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqsat.autobatch.ir import (
    EXIT,
    PROGRAM_COUNTER,
    Block,
    BranchOp,
    GotoOp,
    IndirectGotoOp,
    Program,
    PushGotoOp,
    TensorType,
)
from eqsat.autobatch.ir.types import tensor_of
from eqsat.autobatch.machines.limits import most_levels
from eqsat.autobatch.machines.statistics import Statistics
from eqsat.autobatch.machines.values import blank, computed
from eqsat.autobatch.regions import Region, region_of
from eqsat.dtype import int32
from eqsat.errors import StackOverflowError, StepLimitError

_FIRST_DEPTH = 8  # the initial capacity of a stack, in values
_COUNTER = TensorType(int32)


class Stack:
    """The stacks of one variable for all members. The stack of member m is `values[:depths[m], m]`, with its top last."""

    def __init__(self, held: TensorType, batch: int) -> None:
        self.values = blank(held, _FIRST_DEPTH, batch)
        self.depths = np.zeros(batch, np.int64)
        self.deepest = 0

    def read(self, members: NDArray[Any], depth: int) -> NDArray[Any]:
        """The value `depth` below the top, for each of these members. Values that were never pushed are zero."""
        return self.values[np.maximum(self.depths[members] - 1 - depth, 0), members]

    def change(self, members: NDArray[Any], pops: int, pushed: Sequence[NDArray[Any]]) -> None:
        """Pops up to `pops` values, as many as there are, and pushes others."""
        depths = np.maximum(self.depths[members] - pops, 0)
        for values in pushed:
            if depths.max(initial=0) >= len(self.values):
                self.values = np.concatenate([self.values, np.zeros_like(self.values)])
            self.values[depths, members] = values
            depths = depths + 1
        self.depths[members] = depths
        self.deepest = max(self.deepest, int(depths.max(initial=0)))


def run_lowered(
    program: Program,
    inputs: Sequence[Any],
    regions: Mapping[str, Region],
    *,
    most_steps: int | None,
    max_depth: int | None,
) -> tuple[list[NDArray[Any]], Statistics]:
    """The outputs of a lowered program, one array for each leaf, and statistics. `regions` has the regions of blocks that are known already.

    Each step runs the first block at which members wait, for all members that wait there.

    Raises:
        StepLimitError: a member ran more than `most_steps` blocks.
        StackOverflowError: a stack would hold more than `max_depth` values; the default is `most_levels`. The error holds the
            results of the other members.
    """
    return _Machine(program, inputs, regions, max_depth).run(most_steps)


class _Machine:
    def __init__(
        self, program: Program, inputs: Sequence[Any], regions: Mapping[str, Region], max_depth: int | None
    ) -> None:
        self._program = program
        self._batch = len(inputs[0]) if inputs else 1
        self._blocks = program.graph.blocks
        self._number = {block.name: number for number, block in enumerate(self._blocks)}
        self._number[EXIT] = len(self._blocks)
        self._regions = dict(regions)
        self._max_depth = max_depth or most_levels(
            [_COUNTER, *(tensor_of(program.var_defs, name) for name in program.var_defs)], self._batch
        )
        self._stacks = {
            name: Stack(tensor_of(program.var_defs, name), self._batch) for name in program.var_defs
        }
        self._stacks[PROGRAM_COUNTER] = Stack(_COUNTER, self._batch)
        everyone = np.arange(self._batch)
        for name, values in zip(program.vars_in, inputs, strict=True):
            self._stacks[name].change(everyone, 0, [np.asarray(values)])

    def run(self, most_steps: int | None) -> tuple[list[NDArray[Any]], Statistics]:
        """Runs until all members have reached the end."""
        statistics = Statistics(self._batch)
        failed: dict[str, NDArray[Any]] = {}
        at = np.zeros(self._batch, np.int32)
        steps = np.zeros(self._batch, np.int64)
        while self._batch and (first := int(at.min())) < len(self._blocks):
            members = np.flatnonzero(at == first)
            steps[members] += 1
            if most_steps is not None and (over := members[steps[members] > most_steps]).size:
                raise StepLimitError(
                    f"member {over[0]} of the batch took more than {most_steps} steps; it may not end, or raise most_steps"
                )
            block = self._blocks[first]
            statistics.count(block.name, len(members))
            at[members] = self._run_block(block, members)
            for name, over in self._too_deep(members):
                failed[name] = np.union1d(failed.get(name, over), over)
                at[over] = len(self._blocks)
        statistics.depths = {name: stack.deepest for name, stack in self._stacks.items() if stack.deepest > 1}
        everyone = np.arange(self._batch)
        results = [self._stacks[name].read(everyone, 0) for name in self._program.outputs]
        self._require_depth(failed, results)
        return results, statistics

    def _run_block(self, block: Block, members: NDArray[Any]) -> Any:
        """Runs a block for some members, and returns the number of the block that follows for each, or for all."""
        region = self._regions.get(block.name)
        if region is None:
            region = self._regions[block.name] = region_of(self._program, block)
        inputs = [self._stacks[read.name].read(members, read.depth) for read in region.reads]
        values = computed(region.graph, inputs, region.held, len(members))
        for name, effect in region.effects.items():
            self._stacks[name].change(members, effect.pops, [values[number] for number in effect.pushes])
        counters = self._stacks[PROGRAM_COUNTER]
        match block.terminator:
            case GotoOp(target):
                return self._number[target]
            case BranchOp(_, true_block, false_block):
                assert region.condition is not None
                chosen = values[region.condition].astype(bool)
                return np.where(chosen, self._number[true_block], self._number[false_block])
            case PushGotoOp(push_block, goto_block):
                counters.change(members, 0, [np.full(len(members), self._number[push_block], np.int32)])
                return self._number[goto_block]
            case IndirectGotoOp():
                following = counters.read(members, 0)
                counters.change(members, 1, [])
                return following

    def _too_deep(self, members: NDArray[Any]) -> Iterator[tuple[str, NDArray[Any]]]:
        """The variables whose stacks are too deep for some of these members, each with those members."""
        for name, stack in self._stacks.items():
            if stack.deepest > self._max_depth:
                over = members[stack.depths[members] > self._max_depth]
                if len(over):
                    yield name, over

    def _require_depth(self, failed: Mapping[str, NDArray[Any]], results: list[NDArray[Any]]) -> None:
        if failed:
            name, over = next(iter(failed.items()))
            raise StackOverflowError(
                f"the stack of {name!r} of member {over[0]} is deeper than {self._max_depth}; raise max_depth",
                np.unique(np.concatenate([*failed.values()])),
                results,
            )
