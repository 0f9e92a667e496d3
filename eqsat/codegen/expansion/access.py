"""Pieces that expansion builds: vector accesses with a fall-back for borders, and accumulations of several values."""

from __future__ import annotations

from eqsat.codegen.expansion.lanes import broadcast, fold, pick, vector_of
from eqsat.dtype import DType, void
from eqsat.integers.linear import Affine, affine_forms
from eqsat.ops import Op
from eqsat.uop import UOp


def whole_or_parts(first: UOp, last: UOp, lanes: list[UOp]) -> UOp:
    """One vector load where all lanes may be read, the lanes one by one elsewhere (at the borders of a padded array)."""
    gates = [address.src[2] for address in (first, last) if len(address.src) > 2]
    if any(gate.op is Op.CONST and not gate.arg for gate in gates):
        return vector_of(lanes)
    parts = vector_of(lanes)
    known = [gate for gate in gates if gate.op is not Op.CONST]
    if not known:
        return UOp(Op.LOAD, parts.dtype, (first.with_src(first.src[:2]),))
    gate = fold(known[0].alu(Op.AND, known[1])) if len(known) > 1 else known[0]
    return UOp(Op.LOAD, parts.dtype, (first.with_src((*first.src[:2], gate)), parts))


def stores_of(target: UOp, value: UOp, kept: tuple[UOp, ...]) -> list[UOp]:
    """A store, or none where its gate is known to be false."""
    if len(target.src) > 2 and target.src[2].op is Op.CONST:
        return (
            [UOp(Op.STORE, void, (target.with_src(target.src[:2]), value, *kept))]
            if target.src[2].arg
            else []
        )
    return [UOp(Op.STORE, void, (target, value, *kept))]


def store_whole_or_parts(targets: list[UOp], value: UOp, kept: tuple[UOp, ...]) -> list[UOp]:
    """One vector store where all lanes may be written, and lane by lane elsewhere."""
    whole = fold(targets[0].src[2].alu(Op.AND, targets[-1].src[2]))
    statements = stores_of(
        targets[0].with_src((*targets[0].src[:2], whole)), broadcast(value, len(targets)), kept
    )
    for position, target in enumerate(targets):
        gate = fold(target.src[2].alu(Op.AND, fold(whole.logical_not())))
        statements += stores_of(target.with_src((*target.src[:2], gate)), pick(value, (position,)), kept)
    return statements


def accumulate(copies: list[UOp], op: Op, loops: tuple[UOp, ...]) -> UOp:
    """Values added to one accumulator in turn, in every iteration of `loops`."""
    if not loops:
        total = copies[0]
        for value in copies[1:]:
            total = total.alu(op, value)
        return total
    dtype = copies[0].dtype
    assert isinstance(dtype, DType)
    source = copies[0]
    if len(copies) > 1:
        op_of_copies = Op.VECTORIZE if dtype.lanes == 1 else Op.CAT
        source = UOp(op_of_copies, dtype.scalar.vec(dtype.lanes * len(copies)), tuple(copies))
    return UOp(Op.REDUCE, dtype, (source, *loops), op)


def consecutive(addresses: list[UOp]) -> bool:
    """Whether ungated addresses of one buffer follow each other element by element."""
    first = addresses[0]
    if any(len(address.src) != 2 or address.src[0] is not first.src[0] for address in addresses):
        return False
    forms = affine_forms(address.src[1] for address in addresses)
    return all(
        forms[address.src[1]] == forms[first.src[1]].plus(Affine(position))
        for position, address in enumerate(addresses)
    )
