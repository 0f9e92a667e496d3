"""Regroups the operands of n-ary operators, so that sums and other applications share common parts.

An n-ary application (a + b + c) is extracted as a whole, because its cost does not depend on the order of its operands. This pass chooses the
order: it repeatedly takes the pair of operands that occurs in most applications, and makes it one operand of all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations

from eqsat.dtype import DType, PtrDType
from eqsat.ops import ALU, NARY_OPS, Op
from eqsat.uop import UOp, rewrite, toposort

LONGEST = 64  # most operands of an application into which nested applications are merged

Kind = tuple[Op, DType | PtrDType]


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two operands that several applications combine first. Pairs are numbered in the order in which they are found."""

    number: int


Operand = UOp | _Pair


def share_operands(roots: Sequence[UOp]) -> list[UOp]:
    """Regroups the operands of n-ary operators in `roots` so that common parts are shared. The result never has more operations.

    >>> a, b, c, d = (UOp.variable(name, 0, 9) for name in "abcd")
    >>> shared = share_operands([a + b + c, b + (d + c)])
    >>> count_operations([a + b + c, b + (d + c)]), count_operations(shared)
    (4, 3)
    """
    best = list(roots)
    for regrouped in (_Regrouping(roots).build(), _Regrouping(_factored(roots)).build()):
        if count_operations(regrouped) < count_operations(best):
            best = regrouped
    return best


def count_operations(roots: Sequence[UOp]) -> int:
    """The number of distinct operations in the graphs."""
    return sum(node.op in ALU for node in toposort(roots))


def _factored(roots: Sequence[UOp]) -> list[UOp]:
    """Factors constants out of sums in `roots`: 2 * a + b + 2 * c becomes 2 * (a + c) + b."""
    regrouping = _Regrouping(roots, share=False)
    for head, operands in regrouping.applications.items():
        multiples: dict[UOp, list[tuple[UOp, UOp]]] = {}
        for operand in operands if head.op is Op.ADD else ():
            if isinstance(operand, UOp) and operand.op is Op.MUL and not operand.dtype.scalar.is_float:
                for constant, value in (operand.src, operand.src[::-1]):
                    if constant.op is Op.CONST and value.op is not Op.CONST:
                        multiples.setdefault(constant, []).append((operand, value))
        for constant, members in multiples.items():
            if len(members) < 2:
                continue
            kind = (Op.ADD, members[0][0].dtype)
            for operand, _ in members:
                operands.remove(operand)
            total = _joined(kind, [value for _, value in members])
            operands.insert(0, UOp(Op.MUL, kind[1], (total, constant)))
    return regrouping.build()


class _Regrouping:
    def __init__(self, roots: Sequence[UOp], *, share: bool = True) -> None:
        self.roots = roots
        self.order = toposort(roots)
        self.place = {node: position for position, node in enumerate(self.order)}
        self.applications = self._applications()
        self.pairs: list[tuple[Kind, Operand, Operand]] = []
        for kind in dict.fromkeys(_kind(node) for node in self.applications) if share else ():
            self._share(
                [operands for node, operands in self.applications.items() if _kind(node) == kind], kind
            )

    def _applications(self) -> dict[UOp, list[Operand]]:
        """Maps each application to its operands, except applications that are only used as operands of the same operator."""
        heads = dict.fromkeys(root for root in self.roots if _is_nary(root))
        for node in self.order:
            heads.update(
                (source, None) for source in node.src if _is_nary(source) and _kind(source) != _kind(node)
            )
        return {head: self._flat(head) for head in heads}

    def _flat(self, head: UOp) -> list[Operand]:
        """The operands of an application, with nested applications of the same operator flattened; constants last."""
        found: list[UOp] = []
        stack = [head]
        while stack:
            node = stack.pop()
            if node is head or (_kind(node) == _kind(head) and len(found) + len(stack) < LONGEST):
                stack += reversed(node.src)
            else:
                found.append(node)
        found.sort(key=lambda node: (node.op is Op.CONST, self.place[node]))
        return list[Operand](found)

    def _share(self, applications: list[list[Operand]], kind: Kind) -> None:
        while True:
            users: dict[tuple[Operand, Operand], list[int]] = {}
            for number, operands in enumerate(applications):
                for pair in dict.fromkeys(combinations(operands, 2)):
                    users.setdefault(pair, []).append(number)
            most = max(users, key=lambda pair: len(users[pair]), default=None)
            if most is None or len(users[most]) < 2:
                return
            joined = _Pair(len(self.pairs))
            self.pairs.append((kind, *most))
            for number in users[most]:
                operands = applications[number]
                position = operands.index(most[0])
                operands.remove(most[0])
                operands.remove(most[1])
                operands.insert(position, joined)

    def build(self) -> list[UOp]:
        done: dict[Operand, UOp] = {}
        for node in self.order:
            operands = self.applications.get(node)
            if operands is None:
                done[node] = node.with_src(tuple(done[source] for source in node.src))
                continue
            parts = [self._operand(operand, done) for operand in operands]
            done[node] = _product(_kind(node), parts) if node.op is Op.MUL else _joined(_kind(node), parts)
        return [done[root] for root in self.roots]

    def _operand(self, operand: Operand, done: dict[Operand, UOp]) -> UOp:
        """Builds an operand. The parts of a pair are built before the pair. In a product made by `_factored`, nodes get their regrouped forms."""
        if isinstance(operand, UOp) and operand not in done:
            done[operand] = rewrite([operand], {node: done[node] for node in self.order if node in done})[0]
        stack = [operand]
        while stack:
            current = stack[-1]
            if current in done or isinstance(current, UOp):
                stack.pop()
                continue
            (op, dtype), left, right = self.pairs[current.number]
            missing = [part for part in (left, right) if part not in done]
            if not missing:
                done[current] = UOp(op, dtype, (done[left], done[right]))
            stack += missing
        return done[operand]


def _joined(kind: Kind, parts: Sequence[UOp]) -> UOp:
    """The parts combined from left to right."""
    return reduce(lambda left, right: UOp(*kind, (left, right)), parts)


def _product(kind: Kind, factors: Sequence[UOp]) -> UOp:
    """Multiplies the factors. Repeated factors are squared, for fewer operations: x * x * y * x * x becomes y * (x * x) * (x * x)."""
    counts = Counter(factors)
    halves = [factor for factor, count in counts.items() for _ in range(count // 2)]
    if not halves:
        return _joined(kind, factors)
    root = _product(kind, halves)
    return _joined(
        kind, [*(factor for factor, count in counts.items() if count % 2), UOp(*kind, (root, root))]
    )


def _is_nary(node: UOp) -> bool:
    """Whether the operands of a node may be regrouped; those of float operations may not."""
    return node.op in NARY_OPS and not node.dtype.scalar.is_float


def _kind(node: UOp) -> Kind:
    return node.op, node.dtype
