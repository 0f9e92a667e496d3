"""Prints a graph as an indented tree, for human readers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from eqsat.dtype import DType, PtrDType
from eqsat.errors import BRIEF, shortened
from eqsat.ops import AxisType, Op
from eqsat.shape import Shape


class TreeNode(Protocol):
    """The attributes of a node that the tree shows. `eqsat.uop.UOp` has them all."""

    op: Op
    dtype: DType | PtrDType
    arg: Any
    shape: Shape | None

    @property
    def src(self) -> Sequence[TreeNode]:
        """The node's sources."""
        ...

    def __hash__(self) -> int: ...


def indented_tree(root: TreeNode, limit: int = 1_000_000) -> str:
    """The graph as a tree with one line for each node, `limit` lines at most. A shared node is printed once and then referred to by number.

    Indentation stops growing at depth 60, so that the text of a deep graph grows linearly with its depth.
    """
    lines: list[str] = []
    number: dict[TreeNode, int] = {}
    stack = [(root, 0)]
    while stack and len(lines) < limit:
        node, depth = stack.pop()
        indent = "  " * min(depth, 60) + ("" if depth <= 60 else f"({depth}) ")
        if node in number:
            lines.append(f"{indent}%{number[node]}")
            continue
        number[node] = len(number)
        lines.append(f"{indent}%{number[node]} {_label(node)}")
        stack.extend((source, depth + 1) for source in reversed(node.src))
    return "\n".join(lines + ["…"] * bool(stack))


def _label(node: TreeNode) -> str:
    shape = "" if not node.shape else f" {list(node.shape)}"
    arg = "" if node.arg is None else f" {_show(node.arg)}"
    return f"{node.op.name}{arg} : {node.dtype}{shape}"


def _show(arg: Any) -> str:
    if isinstance(arg, tuple):
        return "(" + ", ".join(map(_show, arg)) + ")"  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return arg.name.lower() if isinstance(arg, AxisType) else argument_text(arg)


def argument_text(arg: Any) -> str:
    """The `repr` of an argument, shortened if it is long: source code and binaries are arguments, too."""
    return shortened(
        repr(arg[:BRIEF] if isinstance(arg, str | bytes) and len(arg) > BRIEF else arg), 2 * BRIEF
    )
