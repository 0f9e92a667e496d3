"""Nodes that expansion builds: vector accesses with a fall-back for borders, and accumulations of several values."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from eqsat.codegen.expansion.combining import Members, following
from eqsat.codegen.expansion.lanes import (
    broadcast,
    combine,
    concatenated,
    fold,
    identity,
    pick,
    scanned_lanes,
    shifted,
    vector_of,
)
from eqsat.codegen.expansion.selection import Cover, Place, select
from eqsat.dtype import DType, void
from eqsat.integers.linear import Affine, affine_forms
from eqsat.ops import Op
from eqsat.uop import UOp


def whole_or_parts(ends: tuple[UOp, UOp], stride: int, lanes: list[UOp], has_variables: bool) -> UOp:
    """Whole vector loads where all lanes may be read, and loads of single lanes elsewhere (at the borders of a padded array).

    Args:
        ends: the addresses of the first and the last lane.
        stride: elements from one lane to the next.
        lanes: the lanes, each loaded by itself.
        has_variables: whether the kernel has variables.
    """
    gates = [address.src[2] for address in ends if len(address.src) > 2]
    if any(gate.op is Op.CONST and not gate.arg for gate in gates):
        return vector_of(lanes)
    lowest = ends[0] if stride > 0 else ends[1]
    address = lowest.with_src(lowest.src[:2])
    known = [gate for gate in gates if gate.op is not Op.CONST]
    if known:
        gate = fold(known[0].alu(Op.AND, known[1])) if len(known) > 1 else known[0]
        address = address.with_src((*address.src, gate))
    cover = Cover.of(address, stride, len(lanes), has_variables)
    numbers = range(len(cover.starts))
    alternatives = [(_spread(lanes, cover.places, number),) if known else () for number in numbers]
    return select(cover.loads(UOp(Op.LOAD, vector_of(lanes).dtype, (address,)), alternatives), cover.places)


def _spread(lanes: list[UOp], places: tuple[Place, ...], number: int) -> UOp:
    """Vector `number` of a cover, built from single lanes: each at its place in the vector, with zeros between them."""
    dtype = lanes[0].dtype
    assert isinstance(dtype, DType)
    parts = [UOp.const(dtype, 0) for _ in lanes]
    for (vector, position), lane in zip(places, lanes, strict=True):
        if vector == number:
            parts[position] = lane
    return vector_of(parts)


def stores_of(target: UOp, value: UOp, loops: tuple[UOp, ...]) -> list[UOp]:
    """A store; no statement if its gate is known to be false."""
    if len(target.src) > 2 and target.src[2].op is Op.CONST:
        return (
            [UOp(Op.STORE, void, (target.with_src(target.src[:2]), value, *loops))]
            if target.src[2].arg
            else []
        )
    return [UOp(Op.STORE, void, (target, value, *loops))]


def without_duplicates(statements: Sequence[UOp]) -> tuple[UOp, ...]:
    """The statements in order, without duplicates. Of equal ones the last remains, since it overwrites stores in between."""
    return tuple(reversed(dict.fromkeys(reversed(statements))))


def store_whole_or_parts(targets: list[UOp], value: UOp, loops: tuple[UOp, ...]) -> list[UOp]:
    """One vector store where all lanes may be written, and stores of single lanes elsewhere."""
    whole = fold(targets[0].src[2].alu(Op.AND, targets[-1].src[2]))
    statements = stores_of(
        targets[0].with_src((*targets[0].src[:2], whole)), broadcast(value, len(targets)), loops
    )
    for position, target in enumerate(targets):
        gate = fold(target.src[2].alu(Op.AND, fold(whole.logical_not())))
        statements += stores_of(target.with_src((*target.src[:2], gate)), pick(value, (position,)), loops)
    return statements


def accumulate(reduction: UOp, copies: list[Members], loops: tuple[UOp, ...]) -> Members:
    """Combines copies of the values of a REDUCE or ARGREDUCE in turn into one set of accumulators, in every iteration of `loops`."""
    if not loops:
        return reduce(following(reduction), copies)
    sources = tuple(concatenated(each) for each in zip(*copies, strict=True))
    if reduction.op is Op.REDUCE:
        return (reduction.replace(dtype=copies[0][0].dtype, src=(*sources, *loops)),)
    op, _ = reduction.arg
    return tuple(
        UOp(Op.ARGREDUCE, each.dtype, (*sources, *loops), (op, member))
        for member, each in enumerate(copies[0])
    )


def scanned_copy(
    copies: list[UOp], number: int, arg: tuple[Op, bool], loops: tuple[UOp, ...], across: bool
) -> UOp:
    """One of the copies of an iteration, combined with the copies before it and with all earlier iterations of `loops`.

    `arg` is the argument of the SCAN. With `across`, the lanes of a copy are consecutive elements, and those of the next copy follow them.
    """
    op, exclusive = arg
    parts = [scanned_lanes(value, op) if across else value for value in copies]
    totals = [pick(part, (part.dtype.lanes - 1,)) if across else part for part in parts]
    before = totals[:number]
    if loops:
        carried = UOp(Op.SCAN, totals[0].dtype, (combine(totals, op), *loops), (op, True))
        before = [carried, *before]
    part = shifted(parts[number], 1, op) if exclusive and across else parts[number]
    if not before:
        return part if across or not exclusive else identity(part, op)
    total = before[0]
    for value in before[1:]:
        total = total.alu(op, value)
    if exclusive and not across:
        return total
    return broadcast(total, part.dtype.lanes).alu(op, part)


def load_of(load: UOp, addresses: list[UOp]) -> UOp:
    """A LOAD from several addresses: one access if they are consecutive, else lane by lane."""
    assert isinstance(load.dtype, DType)
    if consecutive(addresses):
        return UOp(Op.LOAD, load.dtype, (addresses[0],))
    return vector_of([UOp(Op.LOAD, load.dtype.scalar, (address,)) for address in addresses])


def consecutive(addresses: list[UOp]) -> bool:
    """Whether these are ungated addresses of consecutive elements of one buffer."""
    first = addresses[0]
    if any(len(address.src) != 2 or address.src[0] is not first.src[0] for address in addresses):
        return False
    forms = affine_forms(address.src[1] for address in addresses)
    return all(
        forms[address.src[1]] == forms[first.src[1]].plus(Affine(position))
        for position, address in enumerate(addresses)
    )
