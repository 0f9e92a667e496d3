"""The devices on which nodes are computed, and copies to other devices."""

from __future__ import annotations

from eqsat.dtype import void
from eqsat.extents import capacity
from eqsat.ops import MOVEMENT, Op
from eqsat.uop import UOp

HOST = "HOST"  # the memory of the caller's arrays; every device gets what it needs from there

Place = str | None  # the name of a device; None means anywhere, for constants and values on the host


class Placement:
    """The device of each node: the one that a DEVICE among its sources names, or else the device of its sources."""

    def __init__(self) -> None:
        self._known: dict[UOp, Place] = {}

    def __call__(self, node: UOp) -> Place:
        """The device of a node; None if it may be anywhere."""
        stack = [node]
        while stack:
            each = stack[-1]
            named = any(source.op is Op.DEVICE for source in each.src)
            missing = [] if named else [source for source in each.src if source not in self._known]
            if missing:
                stack.extend(missing)
                continue
            places = [own_device(each)] if named else [self._known[source] for source in each.src]
            self._known[stack.pop()] = next((place for place in places if place is not None), None)
        return self._known[node]

    def fetch(self, node: UOp, place: Place) -> UOp:
        """The value of a node on a device. Unless it is there or anywhere, a COPY is inserted in its chain of movements where it is smallest."""
        if place is None or self(node) in (None, place):
            return node
        chain = [node]
        while chain[-1].op in MOVEMENT:
            chain.append(chain[-1].src[0])
        smallest = min(range(len(chain)), key=lambda step: (capacity(chain[step].elements), -step))
        value = copy(chain[smallest], place)
        for moved in reversed(chain[:smallest]):
            value = moved.with_src((value,))
        return value


def own_device(node: UOp) -> Place:
    """The device that a node's own DEVICE source names; None if it names the host, or if there is none."""
    named = next((source.arg for source in node.src if source.op is Op.DEVICE), None)
    return None if named == HOST else named


def device(place: str) -> UOp:
    """The DEVICE node of this name."""
    return UOp(Op.DEVICE, void, (), place)


def copy(node: UOp, place: str) -> UOp:
    """A COPY of a value to a device."""
    return UOp(Op.COPY, node.dtype, (device(place), node))
