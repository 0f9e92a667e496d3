"""A launch in progress: its work-items, open blocks and values, and the elements that an access touches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from eqsat.errors import EvaluationError
from eqsat.ops import OPENS, Op
from eqsat.reference.linear.tracked_memory import Items, Owner, Touch, TrackedMemory
from eqsat.reference.number import Array
from eqsat.spec.order import closed_by
from eqsat.uop import UOp


@dataclass(frozen=True, slots=True)
class Access:
    """Elements of a memory where the gate holds: one per work-item, or with `lanes` one per work-item and lane."""

    cells: TrackedMemory
    offset: Array
    gate: Array | None
    lanes: bool


@dataclass(slots=True)
class Block:
    """An open loop or conditional."""

    opener: UOp
    body: int  # place of the first instruction inside
    active: Array  # the items that were active before it
    defined: list[UOp]  # values that end with it
    value: Array  # the loop variable


class Launch:
    """A running program.

    Attributes:
        values: the result of each instruction: arrays with one row per work-item, or one row for all.
        memories: the memories of arguments and of groups, which last until the end of the launch.
        blocks: the open loops and conditionals.
        active: the work-items that execute the current block.
        place: the position of the next instruction.
    """

    def __init__(
        self, code: Sequence[UOp], buffers: Sequence[Array], global_size: tuple[int, ...], local_size: tuple[int, ...],
        variables: Mapping[str, int],
    ) -> None:  # fmt: skip
        self.code, self.buffers, self.variables = code, buffers, variables
        self.global_size, self.local_size = global_size, local_size
        if len(local_size) != len(global_size) or any(
            g % s for g, s in zip(global_size, local_size, strict=True)
        ):
            raise EvaluationError(
                f"groups of {local_size} do not fill {global_size} work-items; choose divisors"
            )
        self.count = prod(global_size)
        self.coordinates = self._coordinates()
        groups = self.coordinates["group"]
        counts = tuple(g // s for g, s in zip(global_size, local_size, strict=True))
        number = np.zeros(self.count, np.int64)
        for dimension in reversed(range(len(counts))):
            number = number * counts[dimension] + groups[dimension]
        self.items = Items(np.arange(self.count), number, np.zeros(max(1, prod(counts)), np.int64))
        self.values: dict[UOp, Any] = {}
        self.memories: dict[UOp, TrackedMemory] = {}
        self.blocks: list[Block] = []
        self.active = np.ones(self.count, bool)
        self.place = 0
        self.closers = _closers(code)
        self.stored = {_definition(node.src[0]) for node in code if node.op is Op.STORE}

    def _coordinates(self) -> dict[str, list[Array]]:
        rest, ids = np.arange(self.count), list[Array]()
        for extent in self.global_size:
            ids.append(rest % max(extent, 1))
            rest = rest // max(extent, 1)
        group = [place // size for place, size in zip(ids, self.local_size, strict=True)]
        local = [place % size for place, size in zip(ids, self.local_size, strict=True)]
        return {"global": ids, "local": local, "group": group}

    def define(self, node: UOp, result: Any) -> None:
        """Stores the result of an instruction until its block ends."""
        self.values[node] = result
        if self.blocks:
            self.blocks[-1].defined.append(node)

    def get(self, node: UOp) -> Any:
        """The current value of an instruction. The value of an ASSIGN is the value of its accumulator."""
        while node.op is Op.ASSIGN:
            node = node.src[0]
        if node not in self.values:
            raise EvaluationError(
                f"{node!r} is used before it is computed, or outside the block it is computed in; move it up"
            )
        return self.values[node]

    def sources(self, node: UOp) -> list[Any]:
        """The current values of all sources."""
        return [self.get(source) for source in node.src]

    def open(self, node: UOp, active: Array, value: Array) -> None:
        """Enters a block with these work-items active, or skips it if there are none."""
        self.blocks.append(Block(node, self.place, self.active, [], value))
        self.active = active
        if not np.any(active):
            self.place = self.closers[node]

    def close(self, opener: UOp) -> None:
        """Leaves the innermost block. `opener` must be the instruction that opened it."""
        if not self.blocks or self.blocks[-1].opener is not opener:
            raise EvaluationError(
                f"{opener!r} is closed while it is not the innermost open block; nest the blocks"
            )
        self._forget(self.blocks[-1].defined)
        self.values.pop(opener, None)
        self.active = self.blocks.pop().active

    def repeat(self, active: Array) -> None:
        """Goes back to the start of the innermost loop with these work-items."""
        block = self.blocks[-1]
        self._forget(block.defined)
        self.values[block.opener] = block.value
        self.active, self.place = active, block.body

    def _forget(self, defined: list[UOp]) -> None:
        for node in defined:
            self.values.pop(node, None)
        defined.clear()

    def touch(self, access: Access, lanes: int) -> tuple[Touch, Array]:
        """The elements that active, ungated work-items access, and which work-items these are. Rows are work-items, groups, or one row for all."""
        mask = self.active if access.gate is None else self.active & access.gate
        chosen = np.flatnonzero(mask)
        everywhere = per_item(access.offset, self.count)
        offset = everywhere if len(chosen) == self.count else everywhere[chosen]
        columns = offset if access.lanes else offset[:, None] + np.arange(lanes)
        match access.cells.owner:
            case Owner.LAUNCH:
                rows = np.zeros((1, 1), np.int64)
            case Owner.GROUP:
                rows = self.items.group[chosen][:, None]
            case Owner.ITEM:
                rows = chosen[:, None]
        return Touch(chosen, rows, columns.astype(np.int64, copy=False)), chosen


def _closers(code: Sequence[UOp]) -> dict[UOp, int]:
    """For each RANGE and IF, the position of the instruction that closes it."""
    found: dict[UOp, int] = {}
    for place, node in enumerate(code):
        if node.op in (Op.END, Op.ENDRANGE, Op.ENDIF):
            found.update((source, place) for source in closed_by(node))
    missing = [node for node in code if node.op in OPENS and node not in found]
    if missing:
        raise EvaluationError(f"{missing[0]!r} is never closed; add its END, ENDRANGE or ENDIF")
    return found


def _definition(address: UOp) -> UOp:
    while address.src and address.op not in (Op.DEFINE_GLOBAL, Op.DEFINE_LOCAL, Op.DEFINE_REG):
        address = address.src[0]
    return address


def per_item(values: Array, count: int) -> Array:
    """Repeats a single row of `values` so that there is a row for each of `count` work-items."""
    return values if len(values) == count else np.broadcast_to(values, (count, *values.shape[1:]))
