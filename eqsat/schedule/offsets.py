"""Kernels on arrays that begin inside a buffer.

Kernels that differ only in where their arrays begin become one kernel, which gets the beginnings as arguments when it is launched.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Sequence
from dataclasses import replace

from eqsat.dtype import DType, index
from eqsat.integers.bounds import bounds
from eqsat.ops import Op
from eqsat.schedule.kernel import Kernel
from eqsat.uop import UOp, rewrite, toposort


def with_offsets(kernels: Sequence[Kernel], offsets: Sequence[Sequence[int]]) -> list[Kernel]:
    """The kernels, each on arrays that begin later than its buffers; `offsets` has the number of elements for each PARAM slot."""
    made = list(kernels)
    groups: dict[UOp, list[int]] = defaultdict(list)
    for number, kernel in enumerate(kernels):
        if any(offsets[number]):
            groups[kernel.ast].append(number)
    for ast, numbers in groups.items():
        columns = list(zip(*(offsets[number] for number in numbers), strict=True))
        known = {node.arg[0] for node in toposort([ast]) if node.op is Op.DEFINE_VAR}
        places = [_place(slot, column, known) for slot, column in enumerate(columns)]
        moved = _moved(ast, places)
        for number in numbers:
            values = tuple(
                (place.arg[0], offset)
                for place, offset in zip(places, offsets[number], strict=True)
                if place.op is Op.DEFINE_VAR
            )
            made[number] = replace(kernels[number], ast=moved, values=(*kernels[number].values, *values))
    return made


def _place(slot: int, offsets: Sequence[int], known: Container[str]) -> UOp:
    """Where the array of a slot begins: at a constant, or at a variable with a new name, to which each launch gives a value."""
    least, greatest = min(offsets), max(offsets)
    if least == greatest:
        return UOp.const(index, least)
    name = f"begin{slot}"
    while name in known:
        name += "_"
    return UOp.variable(name, least, greatest)


def _moved(ast: UOp, places: Sequence[UOp]) -> UOp:
    """A kernel on arrays that begin at these places.

    A copy in local memory may be larger than the part of the array that is read, and reach beyond the buffer: it holds zeros there.
    """
    late = {slot: place for slot, place in enumerate(places) if place.op is not Op.CONST or place.arg}

    def moved(node: UOp) -> UOp:
        address = node.src[0] if node.op is Op.LOAD else node
        if (
            address.op is not Op.INDEX
            or address.src[0].op is not Op.PARAM
            or address.src[0].arg[0] not in late
        ):
            return node
        if node.op is Op.LOAD:
            return _inside(node)
        return node.with_src((node.src[0], node.src[1] + late[node.src[0].arg[0]], *node.src[2:]))

    return rewrite([ast], {}, moved)[0]


def _inside(load: UOp) -> UOp:
    """A load of an element of a PARAM, with a gate if it could read beyond the end of the buffer."""
    address = load.src[0]
    buffer, place, *gates = address.src
    size: int = buffer.arg[1]
    if bounds(place)[1] < size:
        return load
    inside = place < size
    gate = gates[0].alu(Op.AND, inside) if gates else inside
    assert isinstance(load.dtype, DType)
    otherwise = load.src[1:] or (UOp.const(load.dtype, 0),)
    return load.with_src((address.with_src((buffer, place, gate)), *otherwise))
