"""Graphs as text: JSON both ways, and an indented tree for people.

The document is `{"nodes": [[op, dtype, arg, [source number…]]…], "roots": [number…]}`, each node after its sources. That is version 1,
which a document need not name.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Sequence
from typing import Any, cast

from eqsat.dtype import DType, PtrDType, parse_dtype
from eqsat.errors import BuildError, GraphFileError
from eqsat.ops import AxisType, KernelInfo, Op, View
from eqsat.uop import UOp, toposort

VERSION = 1


def to_json(roots: Sequence[UOp]) -> dict[str, Any]:
    """A document of plain lists, strings and numbers that `from_json` reads back to the same UOps."""
    order = toposort(roots)
    number = {node: position for position, node in enumerate(order)}
    nodes = [
        [node.op.name, node.dtype.name, encode_argument(node.arg), [number[source] for source in node.src]]
        for node in order
    ]
    return {"nodes": nodes, "roots": [number[root] for root in roots]}


def from_json(document: Any) -> list[UOp]:
    """The roots of a document.

    Raises:
        GraphFileError: it is no such document; the message names the node at fault.
    """
    if (
        not isinstance(document, dict)
        or not isinstance(document.get("nodes"), list)  # pyright: ignore[reportUnknownMemberType]
        or "roots" not in document
    ):
        raise GraphFileError(
            'not a graph: expected {"nodes": [[op, dtype, arg, [sources]], …], "roots": […]}'
        )
    version = document.get("version", VERSION)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if version != VERSION:
        raise GraphFileError(
            f"the graph is written in version {version!r}, and this eqsat reads version {VERSION}; write it again, or update eqsat"
        )
    built: list[UOp] = []
    for position, row in enumerate(document["nodes"]):  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        built.append(_node(position, row, built))
    roots = document["roots"]  # pyright: ignore[reportUnknownVariableType]
    if not isinstance(roots, list) or any(not _is_number(root, len(built)) for root in roots):  # pyright: ignore[reportUnknownVariableType]
        raise GraphFileError(f"not a graph: roots must be numbers of its {len(built)} nodes, got {roots!r}")
    return [built[root] for root in roots]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def from_json_single(document: dict[str, Any]) -> UOp:
    """The only root of a document."""
    return from_json(document)[0]


def _node(position: int, row: Any, built: Sequence[UOp]) -> UOp:
    try:
        op, dtype, arg, sources = row
        if any(not _is_number(source, len(built)) for source in sources):
            raise GraphFileError(f"node {position}: sources {sources!r} must be numbers of earlier nodes")
        src = tuple(built[source] for source in cast("list[int]", sources))
        return UOp(Op[op], parse_dtype(dtype), src, decode_argument(arg))
    except KeyError as error:
        raise GraphFileError(
            f"node {position}: there is no operation or argument kind {error}; see eqsat.ops.Op"
        ) from error
    except BuildError as error:
        raise GraphFileError(f"node {position} ({row[0]}): {error}") from error
    except (TypeError, ValueError, AttributeError, IndexError, struct.error) as error:
        raise GraphFileError(
            f"node {position}: expected [op, dtype, arg, [sources]] with a fitting arg, got {row!r}"
        ) from error


def _is_number(value: Any, below: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < below


def encode_argument(arg: Any) -> Any:
    """An argument of a UOp for JSON: tuples become lists; what JSON lacks becomes {"kind": value}.

    Raises:
        GraphFileError: it belongs to this process only, as data does.
    """
    match arg:
        case None | bool() | int() | str():
            return arg
        case float():
            if math.isnan(arg):  # of which there are many
                return {"nan": struct.pack(">d", arg).hex()}
            return arg if math.isfinite(arg) else {"float": arg.hex()}
        case tuple():
            return [encode_argument(item) for item in arg]  # pyright: ignore[reportUnknownVariableType]
        case Op():
            return {"op": arg.name}
        case AxisType():
            return {"axis": arg.name}
        case DType() | PtrDType():
            return {"dtype": arg.name}
        case KernelInfo():
            return {"kernel": arg.name}
        case View():
            return {
                "view": [
                    encode_argument(arg.shape),
                    encode_argument(arg.strides),
                    arg.offset,
                    encode_argument(arg.mask),
                ]
            }
        case bytes():
            return {"bytes": arg.hex()}
        case _:
            raise GraphFileError(
                f"{arg!r} is held by this process only, so its graph cannot be written; use PARAMs for data"
            )


def _decode_nan(bits: str) -> float:
    return struct.unpack(">d", bytes.fromhex(bits))[0]


def _decode_view(fields: Sequence[Any]) -> View:
    return View(*(decode_argument(field) for field in fields))


_DECODERS: dict[str, Any] = {
    "float": float.fromhex,
    "nan": _decode_nan,
    "op": Op.__getitem__,
    "axis": AxisType.__getitem__,
    "dtype": parse_dtype,
    "kernel": KernelInfo,
    "view": _decode_view,
    "bytes": bytes.fromhex,
}


def decode_argument(arg: Any) -> Any:
    """What `encode_argument` was given."""
    if isinstance(arg, list):
        return tuple(decode_argument(item) for item in arg)  # pyright: ignore[reportUnknownVariableType]
    if isinstance(arg, dict):
        ((kind, value),) = arg.items()  # pyright: ignore[reportUnknownVariableType]
        return _DECODERS[kind](value)
    return arg


def pretty(root: UOp, limit: int = 1_000_000) -> str:
    """The graph as a tree, one line a node, at most `limit` lines; a shared node is printed once and then referred to by number.

    Indentation stops growing at depth 60, so that deep chains print in linear space.
    """
    lines: list[str] = []
    number: dict[UOp, int] = {}
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


def _label(node: UOp) -> str:
    shape = "" if not node.shape else f" {list(node.shape)}"
    arg = "" if node.arg is None else f" {_show(node.arg)}"
    return f"{node.op.name}{arg} : {node.dtype}{shape}"


def _show(arg: Any) -> str:
    if isinstance(arg, tuple):
        return "(" + ", ".join(map(_show, arg)) + ")"  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return arg.name.lower() if isinstance(arg, AxisType) else repr(arg)


def count(roots: Iterable[UOp]) -> int:
    """How many distinct nodes there are."""
    return len(toposort(roots))
