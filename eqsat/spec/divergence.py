"""Checks that all work-items of a group reach each BARRIER. A barrier that only some of them reach has no meaning in OpenCL.

The checks run on linear programs: those that `verify` is given, and those into which code generation has lowered kernels and put BARRIERs.
"""

from __future__ import annotations

from collections.abc import Sequence

from eqsat.ops import OPENS, Op
from eqsat.spec.order import closed_by
from eqsat.spec.rule import Complaint
from eqsat.uop import UOp

_OWN = frozenset({Op.DEFINE_REG, Op.DEFINE_ACC})  # private memory: each work-item has its own
_WRITES = frozenset({Op.STORE, Op.ASSIGN})


def barriers_for_all(instructions: Sequence[UOp]) -> Complaint:
    """Checks that each BARRIER stands only in blocks that all work-items of a group enter, and enter equally often.

    Values that differ between work-items are computed from their `lid` coordinates. Private memory holds such a value once one was stored there,
    or once anything was stored inside a block that only some work-items enter. Shared memory gives all of them the same value at one address.
    """
    if not any(node.op is Op.BARRIER for node in instructions):  # shortcut
        return None
    varying: set[UOp] = set()
    known, complaint = -1, None
    while len(varying) != known:  # a loop carries the values stored in it back to its beginning
        known = len(varying)
        complaint = _walk(instructions, varying)
    return complaint


def _walk(instructions: Sequence[UOp], varying: set[UOp]) -> Complaint:
    """Returns the first BARRIER that not all work-items reach. Adds to `varying` the nodes whose values differ between work-items.

    Nodes that are already in `varying` are taken to differ.
    """
    parted: list[UOp] = []
    complaint: Complaint = None
    for node in instructions:
        if node.op is Op.BARRIER and parted and complaint is None:
            complaint = node, _reached_by_some(parted[-1])
        if _varies(node, varying):
            varying.add(node)
        if node.op in OPENS and any(source in varying for source in _values(node)):
            parted.append(node)
        if node.op in _WRITES and (parted or any(source in varying for source in _values(node))):
            varying.update(_own(node.src[0]))
        closed = closed_by(node)
        parted = [block for block in parted if block not in closed]
    return complaint


def _reached_by_some(block: UOp) -> str:
    what = "the condition" if block.op is Op.IF else "the end"
    why = f"only some work-items of a group may reach it, because {what} of {block!r} differs between them"
    return f"{why}; put it outside of that block, or let all items of a group enter it together"


def _varies(node: UOp, varying: set[UOp]) -> bool:
    """Whether work-items of a group may have different values of an instruction."""
    if node.op is Op.SPECIAL:
        end = node.src[0]
        return node.arg.startswith("lid") and not (end.op is Op.CONST and end.arg == 1)
    return any(source in varying for source in _values(node))


def _values(node: UOp) -> list[UOp]:
    """The sources whose values an instruction uses. Sources that only have to come before it are left out."""
    return [source for source in node.src if source.dtype.scalar.kind != "v"]


def _own(address: UOp) -> list[UOp]:
    """The private memory that an address points into; none if the memory is shared."""
    while address.src and address.op not in _OWN:
        address = address.src[0]
    return [address] if address.op in _OWN else []
