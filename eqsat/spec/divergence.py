"""Checks that work-items of a group do not part before a BARRIER: one that only some of them reach has no meaning in OpenCL.

Linear programs are checked, and what code generation makes of kernels, whose BARRIERs it puts.
"""

from __future__ import annotations

from collections.abc import Sequence

from eqsat.ops import Op
from eqsat.spec.order import closed_by
from eqsat.spec.rule import Complaint
from eqsat.uop import UOp

_OPENS = frozenset({Op.RANGE, Op.IF})
_OWN = frozenset({Op.DEFINE_REG, Op.DEFINE_ACC})  # memory that each work-item has to itself
_WRITES = frozenset({Op.STORE, Op.ASSIGN})


def barriers_for_all(instructions: Sequence[UOp]) -> Complaint:
    """Every BARRIER stands in blocks only that all work-items of a group enter, and as often.

    What differs between them is made of their `lid` coordinates. Memory of their own holds such values once one was stored there, or something was
    stored where they had parted; other memory, which they share, gives all of them the same at one address.
    """
    if not any(node.op is Op.BARRIER for node in instructions):  # shortcut
        return None
    varying: set[UOp] = set()
    known, complaint = -1, None
    while len(varying) != known:  # loops carry what is stored in them back to their beginning
        known = len(varying)
        complaint = _walk(instructions, varying)
    return complaint


def _walk(instructions: Sequence[UOp], varying: set[UOp]) -> Complaint:
    """Adds what varies between work-items, by what is known so far; the first BARRIER that not all of them reach."""
    parted: list[UOp] = []
    complaint: Complaint = None
    for node in instructions:
        if node.op is Op.BARRIER and parted and complaint is None:
            complaint = node, _reached_by_some(parted[-1])
        if _varies(node, varying):
            varying.add(node)
        if node.op in _OPENS and any(source in varying for source in _values(node)):
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
    """The sources of which an instruction takes the value, not those that only come before it."""
    return [source for source in node.src if source.dtype.scalar.kind != "v"]


def _own(address: UOp) -> list[UOp]:
    """The memory that an address is in, if each work-item has its own."""
    while address.src and address.op not in _OWN:
        address = address.src[0]
    return [address] if address.op in _OWN else []
