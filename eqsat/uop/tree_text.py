"""A graph as an indented tree, for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from eqsat.dtype import DType, PtrDType
from eqsat.errors import BRIEF, shortened
from eqsat.ops import AxisType, Op
from eqsat.shape import Shape


class TreeNode(Protocol):
    """What is shown of a node: `eqsat.uop.UOp` has it all."""

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
    """The graph as a tree, one line a node, at most `limit` lines; a shared node is printed once and then referred to by number.

    Indentation stops growing at depth 60, so that deep chains print in linear space.
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
    """An argument as Python writes it, shortened where it is long: source code and binaries are arguments, too."""
    return shortened(
        repr(arg[:BRIEF] if isinstance(arg, str | bytes) and len(arg) > BRIEF else arg), 2 * BRIEF
    )
