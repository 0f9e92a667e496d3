"""Puts BARRIERs between stores to local memory and loads from it by other work-items of the group.

A BARRIER comes before the first access that needs one. If a loop accesses memory that was stored or read before the loop, the BARRIER comes before
the loop rather than in it. Loops have the same trip count in all items of a group, and stores that only some items make are gated one by one, so
all items reach each BARRIER.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from eqsat.codegen.linearization.loops import memory_of
from eqsat.dtype import void
from eqsat.ops import Op
from eqsat.uop import UOp

BARRIER = UOp(Op.BARRIER, void)


def with_barriers(instructions: Sequence[UOp]) -> list[UOp]:
    """The instructions of a kernel with BARRIERs; the same instructions if groups have one item."""
    together = any(node.op is Op.SPECIAL and node.arg.startswith("lid") for node in instructions)
    return _ordered(_parts(iter(instructions)), _Pending()) if together else list(instructions)


@dataclass
class _Loop:
    """A loop: its RANGE, its body, and its END."""

    opening: UOp
    body: list[UOp | _Loop]
    end: UOp


@dataclass
class _Pending:
    """The local memories that were stored to, and those that were read, since the last BARRIER."""

    stored: set[UOp] = field(default_factory=set[UOp])
    read: set[UOp] = field(default_factory=set[UOp])

    def __or__(self, other: _Pending) -> _Pending:
        return _Pending(self.stored | other.stored, self.read | other.read)

    def conflicts(self, stores: set[UOp], loads: set[UOp]) -> bool:
        """Whether stores to, and loads from, these memories must wait for the pending accesses."""
        return bool(self.stored & loads or self.read & stores)


def _parts(instructions: Iterator[UOp]) -> list[UOp | _Loop]:
    """The instructions up to the END of the current loop, which is the last of them. Each inner loop is one part."""
    found: list[UOp | _Loop] = []
    for node in instructions:
        if node.op is Op.RANGE:
            body = _parts(instructions)
            end = body.pop()
            assert isinstance(end, UOp)
            found.append(_Loop(node, body, end))
            continue
        found.append(node)
        if node.op is Op.END:
            break
    return found


def _ordered(parts: Sequence[UOp | _Loop], pending: _Pending) -> list[UOp]:
    """The instructions of these parts, with BARRIERs. `pending` has the accesses before them, and is updated to those before their end."""
    found: list[UOp] = []
    for part in parts:
        stores, loads = _touched([part])
        if pending.conflicts(stores, loads):
            found.append(BARRIER)
            pending.stored.clear()
            pending.read.clear()
        if isinstance(part, _Loop):
            found += [part.opening, *_repeated(part.body, pending), part.end]
        else:
            found.append(part)
            pending.stored |= stores
            pending.read |= loads
    return found


def _repeated(body: Sequence[UOp | _Loop], pending: _Pending) -> list[UOp]:
    """The body of a loop, with BARRIERs. An iteration follows the accesses before the loop, or the iteration before it."""
    before = _Pending()
    while True:
        after = before | pending
        found = _ordered(body, after)
        if after.stored <= before.stored and after.read <= before.read:
            pending.stored, pending.read = after.stored, after.read
            return found
        before = before | after


def _touched(parts: Sequence[UOp | _Loop]) -> tuple[set[UOp], set[UOp]]:
    """The local memories that these parts store to, and those that they read."""
    stores, loads = set[UOp](), set[UOp]()
    for part in parts:
        if isinstance(part, _Loop):
            inner = _touched(part.body)
            stores |= inner[0]
            loads |= inner[1]
        elif part.op in (Op.STORE, Op.LOAD):
            memory = memory_of(part.src[0])
            if memory.op is Op.DEFINE_LOCAL:
                (stores if part.op is Op.STORE else loads).add(memory)
    return stores, loads
