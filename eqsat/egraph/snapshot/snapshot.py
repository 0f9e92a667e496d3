"""The saturated e-graph as flat arrays, and graphs of UOps rebuilt from it.

The order of classes and of nodes depends on structure alone: classes by the height of their smallest term and then by that term, nodes of
a class by operation, dtype, argument and operands. So the same e-graph gives the same snapshot, whatever egglog's internal numbers are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eqsat.dtype import DType, PtrDType
from eqsat.errors import ExtractionError
from eqsat.ops import TABLE, Category, Op
from eqsat.shape import Shape
from eqsat.uop import UOp

UNKNOWN_LO = np.iinfo(np.int64).min  # the sentinels of `Snapshot.lo` and `.hi`
UNKNOWN_HI = np.iinfo(np.int64).max

Int = npt.NDArray[np.int64]
Choice = Sequence[int] | npt.NDArray[np.integer[Any]]


class Term(NamedTuple):
    """A node without its operands.

    Attributes:
        op: the operation; an n-ary operator on integers or bools may have more than two operands.
        dtype: the dtype of the result.
        arg: the argument of the UOp; for a CONST its value, which is repeated to the shape of its class.
        kept: the last sources of the UOp that are not operands: the ranges that it ends, or the extent of a RANGE.
    """

    op: Op
    dtype: DType | PtrDType
    arg: Any
    kept: tuple[UOp, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """An e-graph. Node i is `terms[i]` applied to the classes `children[child_start[i]:child_start[i + 1]]`; it belongs to `node_class[i]`.

    Attributes:
        root_classes: the classes of the roots, in their order.
        class_start: class c has the nodes from class_start[c] up to, but without, class_start[c + 1]; nodes are sorted by class.
        class_dtype: the dtype of each class.
        class_shape: the shape of each class; None if it is not a value.
        lo: the lower bound of each class; UNKNOWN_LO if there is none, or none in int64.
        hi: the upper bound of each class; UNKNOWN_HI if there is none, or none in int64.
    """

    terms: tuple[Term, ...]
    node_class: Int
    child_start: Int
    children: Int
    root_classes: Int
    class_start: Int
    class_dtype: tuple[DType | PtrDType, ...]
    class_shape: tuple[Shape | None, ...]
    lo: Int
    hi: Int

    def operands(self, node: int) -> list[int]:
        """The classes of a node's operands."""
        return self.children[self.child_start[node] : self.child_start[node + 1]].tolist()

    def build(self, choice: Choice) -> list[UOp]:
        """Builds the roots as UOps from a choice of a node for each class (−1: not needed).

        A node with more than two operands becomes several binary nodes, in the order of its operands.

        Raises:
            ExtractionError: a needed class has no chosen node, has the node of another class, or needs itself.
        """
        built: dict[int, UOp] = {}
        for root in self.root_classes.tolist():
            self._build_class(root, choice, built)
        return [built[root] for root in self.root_classes.tolist()]

    def _build_class(self, root: int, choice: Choice, built: dict[int, UOp]) -> None:
        stack, opened = [root], set[int]()
        while stack:
            current = stack[-1]
            if current in built:
                stack.pop()
                continue
            node = int(choice[current])
            if node < 0 or self.node_class[node] != current:
                raise ExtractionError(
                    f"no node of class {current} is chosen, which the roots need; choose one for each class they reach"
                )
            operands = self.operands(node)
            missing = [operand for operand in operands if operand not in built]
            if not missing:
                built[current] = self.write(node, [built[operand] for operand in operands])
            elif current in opened:
                raise ExtractionError(
                    f"the choice is cyclic: class {current} is needed to build itself; choose acyclic nodes"
                )
            else:
                opened.add(current)
                stack.extend(reversed(missing))

    def write(self, node: int, operands: list[UOp]) -> UOp:
        """An e-node as a UOp on these operands; more than two become a chain of binary operations."""
        term = self.terms[node]
        if term.op is Op.CONST:
            shape = self.class_shape[int(self.node_class[node])]
            return UOp(Op.CONST, term.dtype, (), term.arg).broadcast(shape or ())
        if len(operands) > 2 and TABLE[term.op].category is Category.BINARY:
            return reduce(lambda left, right: UOp(term.op, term.dtype, (left, right)), operands)
        return UOp(term.op, term.dtype, (*operands, *term.kept), term.arg)
