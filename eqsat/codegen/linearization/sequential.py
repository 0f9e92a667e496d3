"""For languages with one thread and one lane: ranges over work-items become loops, vectors become scalars.

Before: an expanded SINK. After: an equal one in which all ranges are loops and no value has more than one lane. Each lane computes the same
as before, so results are the same bit by bit.
"""

from __future__ import annotations

from eqsat.codegen.expansion.combining import members
from eqsat.codegen.expansion.lanes import concatenated
from eqsat.codegen.expansion.selection import moved
from eqsat.dtype import DType
from eqsat.errors import CodegenError
from eqsat.ops import ALU, WORK_ITEMS, AxisType, Op
from eqsat.uop import UOp, rewrite, toposort

_ITEMS = (AxisType.LOCAL, AxisType.WARP)
_TOGETHER = {
    Op.SPECIAL: "the number of a work-item",
    Op.BARRIER: "work-items that wait for each other",
    Op.DEFINE_LOCAL: "memory that work-items share",
}
Lanes = tuple[UOp, ...]


def sequential(sink: UOp) -> UOp:
    """An expanded kernel for one thread and one lane.

    Raises:
        CodegenError: the kernel needs work-items that run concurrently, or has a vector that cannot be split into lanes.
    """
    lanes: dict[UOp, Lanes] = {}
    looped = _in_loops(sink)
    refused = set(_TOGETHER)
    if not any(node.op is Op.RANGE and node.arg[1] in _ITEMS for node in toposort([sink])):
        refused.remove(Op.DEFINE_LOCAL)  # groups have one item, which shares its memory with no other
    for node in toposort([looped]):
        if node.op in refused:
            raise CodegenError(
                f"{node!r} is {_TOGETHER[node.op]}, which one thread has not; schedule the kernel for a device without work-groups"
            )
        lanes[node] = _split(node, lanes)
    return lanes[looped][0]


def _in_loops(sink: UOp) -> UOp:
    """The kernel with ranges over work-items as its outermost loops, which have the lowest numbers."""
    ranges = [node for node in toposort([sink]) if node.op is Op.RANGE]
    nested = sorted(ranges, key=lambda bound: (bound.arg[1] not in WORK_ITEMS, bound.arg[0]))
    numbers = {bound: number for number, bound in enumerate(nested)}
    numbered: dict[UOp, UOp] = {}
    for bound in ranges:  # a range whose end varies comes after the ranges that it varies with
        axis = AxisType.LOOP if bound.arg[1] in WORK_ITEMS else bound.arg[1]
        ends = tuple(rewrite(bound.src, numbered))
        numbered[bound] = bound.replace(src=ends, arg=(numbers[bound], axis))
    return sink.substitute(numbered)


def _split(node: UOp, lanes: dict[UOp, Lanes]) -> Lanes:
    """The lanes of a node as scalars; for a store, one store for each lane."""
    match node.op:
        case Op.SINK | Op.GROUP | Op.AFTER:
            return (node.with_src(tuple(each for source in node.src for each in lanes[source])),)
        case Op.CONST:
            return (node.replace(dtype=node.dtype.scalar),) * node.dtype.lanes
        case Op.VCONST:
            return tuple(UOp(Op.CONST, node.dtype.scalar, (), value) for value in node.arg)
        case Op.VECTORIZE | Op.CAT:
            return tuple(each for source in node.src for each in lanes[source])
        case Op.GEP:
            picked: tuple[int, ...] = node.arg
            return tuple(lanes[node.src[0]][lane] for lane in picked)
        case Op.PTRCAT:
            return tuple(lanes[source][0] for source in node.src)
        case Op.LOAD | Op.STORE:
            return _accesses(node, lanes)
        case Op.REDUCE | Op.ARGREDUCE:
            return _reductions(node, lanes)
        case Op.SCAN:
            loops = tuple(lanes[bound][0] for bound in node.src[1:])
            return tuple(
                UOp(Op.SCAN, node.dtype.scalar, (value, *loops), node.arg) for value in lanes[node.src[0]]
            )
        case Op.CARRY | Op.RECUR:
            return tuple(_lane(node, node.src, lanes, lane) for lane in range(node.dtype.lanes))
        case op if op in ALU:
            return tuple(_lane(node, node.src, lanes, lane) for lane in range(node.dtype.lanes))
        case _:
            if node.dtype.lanes > 1 or any(len(lanes[source]) > 1 for source in node.src):
                raise CodegenError(
                    f"{node!r} is a vector that has no lanes of its own; make it one of scalars"
                )
            return (node.with_src(tuple(lanes[source][0] for source in node.src)),)


def _lane(node: UOp, sources: tuple[UOp, ...], lanes: dict[UOp, Lanes], lane: int) -> UOp:
    """One lane of an operation on each lane; a scalar among vectors has the same value in each lane."""
    assert isinstance(node.dtype, DType)
    chosen = tuple(lanes[source][lane if len(lanes[source]) > 1 else 0] for source in sources)
    return UOp(node.op, node.dtype.scalar, chosen, node.arg)


def _accesses(node: UOp, lanes: dict[UOp, Lanes]) -> Lanes:
    """One load or store for each lane."""
    address, *others = node.src
    count = node.dtype.lanes if node.op is Op.LOAD else others[0].dtype.lanes
    places = lanes[address] if address.op is Op.PTRCAT else (lanes[address][0],) * count
    made: list[UOp] = []
    for lane, place in enumerate(places):
        if address.op is not Op.PTRCAT:
            place = _moved(place, lane, address)
        rest = (lanes[other][lane if len(lanes[other]) > 1 else 0] for other in others)
        made.append(UOp(node.op, node.dtype.scalar, (place, *rest), node.arg))
    return tuple(made)


def _moved(place: UOp, lane: int, address: UOp) -> UOp:
    """The address `lane` elements further on."""
    if not lane:
        return place
    if place.op is not Op.INDEX:
        raise CodegenError(f"a vector at {address!r} cannot be told into elements; INDEX the buffer")
    return moved(place, lane)


def _reductions(node: UOp, lanes: dict[UOp, Lanes]) -> Lanes:
    """One reduction for each lane, all in the same loops. If a value has several addends, each lane takes its own part of each."""
    values = members(node)
    assert isinstance(node.dtype, DType)
    count = node.dtype.lanes
    loops = tuple(lanes[bound][0] for bound in node.src[len(values) :])
    made: list[UOp] = []
    for lane in range(count):
        sources = tuple(concatenated(lanes[value][lane::count]) for value in values)
        made.append(node.replace(dtype=node.dtype.scalar, src=(*sources, *loops)))
    return tuple(made)
