"""Writes graphs as JSON, and reads them back.

The document is `{"nodes": [[op, dtype, arg, [source number…]]…], "roots": [number…]}`, with each node after its sources. This is version 1;
a document may leave out the number of the version.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any, cast

from eqsat.custom import is_built_in
from eqsat.dtype import DType, PtrDType, nearest, parse_dtype
from eqsat.errors import BuildError, GraphFileError, brief, shortened
from eqsat.extents import capacities
from eqsat.graph_files.arguments import CODE, MOST_AXES, MOST_LANES, decode_argument, encode_argument, misfit
from eqsat.ops import Op
from eqsat.uop import UOp, toposort
from eqsat.uop.limits import LARGEST, is_extent

VERSION = 1


def to_json(roots: Sequence[UOp]) -> dict[str, Any]:
    """A document of plain lists, strings and numbers, from which `from_json` reads the same UOps.

    Raises:
        GraphFileError: these are no UOps, or one has an argument that exists in this process only, as data does.
    """
    if not isinstance(roots, list | tuple) or not all(isinstance(root, UOp) for root in roots):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise GraphFileError(
            f"graphs are written from a list of UOps, not {brief(roots)}; use to_json([graph])"
        )
    order = toposort(roots)
    number = {node: position for position, node in enumerate(order)}
    nodes = [
        [node.op.name, node.dtype.name, encode_argument(node.arg), [number[source] for source in node.src]]
        for node in order
    ]
    return {"nodes": nodes, "roots": [number[root] for root in roots]}


def from_json(document: Any, *, allow_custom: bool = False) -> list[UOp]:
    """The roots of a document.

    A document may come from anybody: everything in it is checked, and nothing in it is run. `allow_custom` admits operations that hold
    code (CUSTOM, CUSTOMI, SOURCE, PROGRAM_BINARY, a CUSTOM_FUNCTION that is not the package's own); a program that is compiled from the graph
    runs that code.

    Raises:
        GraphFileError: this is no such document; the message names the node at fault.
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
            f"the graph is written in version {brief(version)}, and this eqsat reads version {VERSION}; write it again, or update eqsat"
        )
    built: list[UOp] = []
    dtypes: dict[str, DType | PtrDType] = {}
    for position, row in enumerate(document["nodes"]):  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        built.append(_node(position, row, built, dtypes, allow_custom))
    roots = document["roots"]  # pyright: ignore[reportUnknownVariableType]
    if not isinstance(roots, list) or any(not _is_number(root, len(built)) for root in roots):  # pyright: ignore[reportUnknownVariableType]
        raise GraphFileError(
            f"not a graph: roots must be numbers of its {len(built)} nodes, got {brief(roots)}"
        )
    return [built[root] for root in roots]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _node(
    position: int,
    row: Any,
    built: Sequence[UOp],
    dtypes: dict[str, DType | PtrDType],
    allow_custom: bool,
) -> UOp:
    """The node of a row; an error names the position of the row."""
    try:
        return _checked(position, _built(row, built, dtypes, allow_custom))
    except GraphFileError as error:
        text = str(error)
        raise error if text.startswith("node ") else GraphFileError(f"node {position}: {text}") from error
    except KeyError as error:
        raise GraphFileError(
            f"node {position}: there is no operation or argument kind {brief(error.args[0])}; see eqsat.ops.Op"
        ) from error
    except BuildError as error:
        raise GraphFileError(
            f"node {position} ({shortened(str(row[0]))}): {shortened(str(error))}"
        ) from error
    except (TypeError, ValueError, AttributeError, IndexError, ArithmeticError, struct.error) as error:
        raise GraphFileError(
            f"node {position}: expected [op, dtype, arg, [sources]] with a fitting arg, got {brief(row)}"
        ) from error


def _built(row: Any, built: Sequence[UOp], dtypes: dict[str, DType | PtrDType], allow_custom: bool) -> UOp:
    name, dtype, arg, sources = row
    if not isinstance(sources, list) or any(not _is_number(source, len(built)) for source in sources):  # pyright: ignore[reportUnknownVariableType]
        raise GraphFileError(f"sources {brief(sources)} must be numbers of earlier nodes")
    src = tuple([built[source] for source in cast("list[int]", sources)])
    op = Op[name]
    if op in CODE and not allow_custom and not (op is Op.CUSTOM_FUNCTION and is_built_in(arg)):
        raise GraphFileError(
            f"{name} holds code, which a program made of it would run; read the code, and if you trust it, "
            f"allow it: from_json(…, allow_custom=True), or --allow-custom on the command line"
        )
    known = dtypes.get(dtype)
    if known is None:
        known = dtypes[dtype] = _dtype(dtype)
    value: Any = None if arg is None else decode_argument(arg)
    complaint = misfit(op, value)
    if complaint is not None:
        raise GraphFileError(f"{name}: its argument is {complaint}; not {brief(arg)}")
    if op is Op.CONST and value.__class__ is float and isinstance(known, DType) and known.is_float:
        value = nearest(known, value)
    return UOp(op, known, src, value)


def _dtype(name: Any) -> DType | PtrDType:
    dtype = parse_dtype(name)
    if dtype.lanes > MOST_LANES or (isinstance(dtype, PtrDType) and dtype.size > LARGEST):
        raise GraphFileError(f"the dtype {brief(name)} is too large; a vector has at most {MOST_LANES} lanes")
    return dtype


def _checked(position: int, node: UOp) -> UOp:
    """The node, if its shape is within the limits of arrays."""
    shape = node.shape
    if shape and (
        len(shape) > MOST_AXES
        or not all(map(is_extent, shape))
        or (math.prod(capacities(shape)) > LARGEST and 0 not in capacities(shape))
    ):
        raise GraphFileError(
            f"node {position} ({node.op.name}): an array has at most {MOST_AXES} axes and 2⁶³-1 elements, so none of shape {brief(shape)}"
        )
    return node


def _is_number(value: Any, below: int) -> bool:
    return value.__class__ is int and 0 <= value < below
