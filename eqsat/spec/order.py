"""Checks the order of instructions in a linear program."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from eqsat.ops import OPENS, Op
from eqsat.spec.graphs import coordinates, distinct
from eqsat.spec.rule import Complaint
from eqsat.uop import UOp

_CLOSES = frozenset({Op.END, Op.ENDRANGE, Op.ENDIF})
_NAMES = frozenset({Op.DEFINE_GLOBAL, Op.DEFINE_VAR, Op.SPECIAL, Op.DEFINE_LOCAL})
_REPEATABLE = frozenset({Op.BARRIER})  # two BARRIERs without sources are one UOp, which is listed twice


def instruction_order(instructions: Sequence[UOp]) -> Complaint:
    """Checks that each source comes before its use, in a block that is still open there, and that blocks nest and are all closed.

    A source without a value (a STORE to wait for) only has to come before. An ASSIGN is usable wherever its accumulator is.
    """
    complaint = distinct(instructions, _NAMES) or coordinates(
        node for node in instructions if node.op is Op.SPECIAL
    )
    if complaint:
        return complaint
    block_of: dict[UOp, UOp | None] = {}  # instruction -> the one that opens its block; None: outermost
    open_blocks: dict[UOp | None, None] = {None: None}  # the openers of open blocks, the innermost last
    for node in instructions:
        if node.op is Op.LINEAR:
            return node, "it is among the instructions of a LINEAR; list its own there"
        complaint = _sources_ready(node, block_of, open_blocks)
        if complaint:
            return complaint
        if node in block_of and node.op not in _REPEATABLE:
            return node, "it stands in the list twice; keep the first"
        if node.op in _CLOSES:
            complaint = _close(node, open_blocks)
            if complaint:
                return complaint
        if node.op in OPENS:
            open_blocks[node] = None
        block_of[node] = block_of[node.src[0]] if node.op is Op.ASSIGN else _innermost(open_blocks)
    opener = _innermost(open_blocks)
    return (opener, "it is never closed; add its END, ENDRANGE or ENDIF") if opener is not None else None


def closed_by(node: UOp) -> tuple[UOp, ...]:
    """The RANGEs or the IF that an instruction closes. Source 0 of an END is no RANGE but the statement in its loops."""
    return node.src[1:] if node.op is Op.END else node.src if node.op in _CLOSES else ()


def _sources_ready(
    node: UOp, block_of: Mapping[UOp, UOp | None], open_blocks: Collection[UOp | None]
) -> Complaint:
    sources = node.src
    if node.op is Op.DEFINE_ACC:
        inside = next((bound for bound in node.src[1:] if bound in block_of), None)
        if inside is not None:
            return (
                node,
                f"it would begin anew in each iteration of {inside!r}; put it before the loops that it names",
            )
        sources = node.src[:1]
    for source in sources:
        if source not in block_of:
            return (
                node,
                f"its source {source!r} is not before it in the list; put every source before its use",
            )
        if block_of[source] not in open_blocks and source.dtype.scalar.kind != "v":
            return (
                node,
                f"its source {source!r} was computed in a block that is closed; compute it outside, or use it inside",
            )
    return None


def _close(node: UOp, open_blocks: dict[UOp | None, None]) -> Complaint:
    closed = set(closed_by(node))
    while closed:
        opener = _innermost(open_blocks)
        if opener is None or opener not in closed:
            innermost = "no block is open" if opener is None else f"{opener!r} is the innermost open block"
            return (
                node,
                f"it closes {len(closed)} block(s), but {innermost}; close blocks in the reverse order of opening",
            )
        closed.remove(opener)
        del open_blocks[opener]
    return None


def _innermost(open_blocks: dict[UOp | None, None]) -> UOp | None:
    return next(reversed(open_blocks))
