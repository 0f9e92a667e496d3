"""The costs of a kernel's single operations, and which operations stay the same however algebra rewrites a value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from eqsat.dtype import DType, float32, index
from eqsat.machine import Machine
from eqsat.ops import ALU, COMMUTATIVE, COMPARISON, ELEMENTARY, REDUCES, Op
from eqsat.uop import UOp, toposort

ACCUMULATING = REDUCES | {Op.SCAN}
ARITHMETIC = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.MULACC, Op.NEG})
"""Arithmetic with which one value can be written in many equal ways."""
SUMS = frozenset({Op.ADD, Op.SUB})
"""Operations that compilers fuse with a product."""
BARE = ELEMENTARY | ACCUMULATING | {Op.FDIV, Op.MAX, Op.MIN}
"""Operations whose price does not depend on the operations around them, except that a sum may fuse with a product."""
CHOOSING = COMPARISON | {Op.WHERE, Op.MAX, Op.MIN, Op.CAST, Op.BITCAST}
"""Operations of floats that take few instructions, each a cycle."""
WAITING = 2.5
"""Cycles until the result of a division or a function is there, relative to the cycles after which the next one can begin."""
STAYING = frozenset({Op.FLOORDIV, Op.FLOORMOD})
"""Index operations that do not move out of loops or into addresses."""


def costly(order: list[UOp], machine: Machine) -> list[tuple[UOp, float, float]]:
    """(operation, cycles for a vector register, cycles for half of one) for each operation that is not free.

    A product is free if its only user adds or subtracts it: the pair is one multiply-add. The operations that spell out a magnitude are free,
    too, and so is index arithmetic, which moves out of loops or into addresses; quotients and remainders of indices stay.
    """
    readers: Counter[UOp] = Counter(source for node in order for source in node.src)
    alone = {node for node, count in readers.items() if count == 1}
    fused = {node: product for node in order for product in _added_products(node, alone)}
    free = {*fused.values()} | _in_magnitudes(order, alone)
    costs: list[tuple[UOp, float, float]] = []
    for node in order:
        op = Op.MULACC if node in fused else node.op
        if node.op in ACCUMULATING:
            op = op if node in fused else combining(node)
            types = [each.dtype for each in accumulated(node)]
            taken = [(machine.cycles(op, dtype), machine.wide(op, dtype)) for dtype in types]  # pyright: ignore[reportArgumentType]
            costs.extend((node, cycles, cycles / wide) for cycles, wide in taken)
        elif node.op is Op.STORE and node.arg is not None:
            dtype = node.src[1].dtype
            cycles = machine.cycles(node.arg, dtype)  # pyright: ignore[reportArgumentType]
            costs.append((node, cycles, cycles / machine.wide(node.arg, dtype)))  # pyright: ignore[reportArgumentType]
        elif node.op in ALU and node not in free and (node.dtype is not index or node.op in STAYING):
            operand = node.src[0].dtype if node.op in COMPARISON else node.dtype
            constants = node.src if node.op in COMMUTATIVE else node.src[-1:]
            is_by_constant = any(source.op is Op.CONST for source in constants)
            price = machine.cycles_by_constant if is_by_constant else machine.cycles
            cycles = price(op, operand)
            costs.append((node, cycles, cycles / machine.wide(op, operand)))  # pyright: ignore[reportArgumentType]
    return costs


def latency(kept: Sequence[UOp], following: Sequence[UOp], machine: Machine) -> float:
    """Cycles from the kept values of a recurrence to the last of the values that they have in the next iteration."""
    depth: dict[UOp, float] = dict.fromkeys(kept, 0.0)
    for node in toposort(following, depth):
        if known := [depth[source] for source in node.src if source in depth]:
            depth[node] = max(known) + _latency(node, machine)
    return max((depth.get(node, 0.0) for node in following), default=0.0) or 1.0


def _latency(node: UOp, machine: Machine) -> float:
    """Cycles until the result of an operation is there: a few for arithmetic of floats, more for what takes several instructions."""
    operand = node.src[0].dtype if node.op in COMPARISON else node.dtype
    assert isinstance(operand, DType)
    if operand.is_float and node.op in ARITHMETIC:
        return machine.sum_cycles
    return 1.0 + machine.cycles(node.op, operand) * (
        WAITING if operand.is_float and node.op not in CHOOSING else 1.0
    )


def share_alone(node: UOp, machine: Machine) -> float:
    """The share of an operation's cycles that remains if it is a sum that fuses with no product."""
    if node.op not in ACCUMULATING or combining(node) is not Op.ADD:
        return 1.0
    dtype = accumulated(node)[0].dtype
    return min(1.0, machine.cycles(Op.ADD, dtype) / machine.cycles(Op.MULACC, dtype))  # pyright: ignore[reportArgumentType]


def _added_products(node: UOp, alone: set[UOp]) -> list[UOp]:
    """The float product that a sum, a difference or a REDUCE adds and that has no other user, as a list; only the first if there are two."""
    if node.op not in SUMS and not (node.op in ACCUMULATING and combining(node) is Op.ADD):
        return []
    found = [source for source in node.src[:2] if source.op is Op.MUL and source in alone]
    return [source for source in found if is_float(source)][:1]


def _in_magnitudes(order: list[UOp], alone: set[UOp]) -> set[UOp]:
    """The comparisons and negations of `where(0 < x, x, -x)`, for which processors have one instruction."""
    found: set[UOp] = set()
    for node in order:
        if node.op is Op.WHERE and node.src[0].op is Op.CMPLT:
            test, *choices = node.src
            for x, other in (choices, choices[::-1]):
                if _is_negative_of(other, x) and x in test.src and any(map(_is_zero, test.src)):
                    found |= {test, other} & alone
    return found


def _is_negative_of(node: UOp, x: UOp) -> bool:
    match node.op:
        case Op.NEG:
            return node.src[0] is x
        case Op.SUB:
            return _is_zero(node.src[0]) and node.src[1] is x
        case Op.MUL:
            return node.src[0] is x and node.src[1].op is Op.CONST and node.src[1].arg == -1
        case _:
            return False


def _is_zero(node: UOp) -> bool:
    return node.op is Op.CONST and node.arg == 0


def widest(node: UOp) -> int:
    """Bytes of the widest element among a node's result and operands, in registers: half precision is held in single precision."""
    types = [
        each.dtype for each in (node, *node.src) if isinstance(each.dtype, DType) and each.op is not Op.RANGE
    ]
    return max(max(dtype.itemsize, float32.itemsize) if dtype.is_float else dtype.itemsize for dtype in types)


def is_float(node: UOp) -> bool:
    """Whether a node is a float, or a vector of floats."""
    return isinstance(node.dtype, DType) and node.dtype.is_float


def combining(node: UOp) -> Op:
    """The operation with which a REDUCE, ARGREDUCE or SCAN combines."""
    return node.arg if node.op is Op.REDUCE else node.arg[0]


def accumulated(node: UOp) -> tuple[UOp, ...]:
    """The operands that a REDUCE, ARGREDUCE or SCAN accumulates: two for an ARGREDUCE, the value and its index."""
    return node.src[:2] if node.op is Op.ARGREDUCE else node.src[:1]
