"""Finds the dynamic extents of a graph, and the arguments that have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from eqsat.errors import BuildError
from eqsat.extents import Extent, is_dynamic
from eqsat.extents.factors import Dim
from eqsat.ops import Op
from eqsat.shape import Shape
from eqsat.uop import UOp


def has_extents(nodes: Sequence[UOp]) -> bool:
    """Whether a node has a dynamic extent, or an argument of the traced function has one, even if no node reads that argument."""
    return any(is_dynamic(node.shape) or any(map(is_dynamic, traced_shapes(node))) for node in nodes)


def extents_of(nodes: Sequence[UOp]) -> frozenset[Extent]:
    """All dynamic extents of the nodes.

    Raises:
        BuildError: dims of one name have different bounds, or a variable of the graph has the name of a dim but other bounds.
    """
    found = frozenset(each for node in nodes for each in node.shape or () if isinstance(each, Extent))
    known = {node.arg[0]: Dim(*node.arg) for node in nodes if node.op is Op.DEFINE_VAR}
    for extent in sorted(found, key=repr):
        for dim in extent.dims:
            other = known.setdefault(dim.name, dim)
            if other != dim:
                raise BuildError(
                    f"dim {dim.name!r} is {dim.least}..{dim.greatest} in one place and {other.least}..{other.greatest} in another; "
                    f"make it once by eqsat.dim, or give them different names"
                )
    return found


def all_extents_of(nodes: Sequence[UOp]) -> frozenset[Extent]:
    """All dynamic extents of the nodes, and of the arguments of the traced function, even if no node reads these.

    Raises:
        BuildError: dims of one name have different bounds.
    """
    shapes = [shape for node in nodes for shape in traced_shapes(node)]
    return extents_of(nodes) | {each for shape in shapes for each in shape or () if isinstance(each, Extent)}


def greatest_values(nodes: Sequence[UOp]) -> dict[str, int]:
    """The greatest value of each dim of the nodes, and of the arguments of the traced function, by name.

    Raises:
        BuildError: dims of one name have different bounds.
    """
    found = sorted(all_extents_of(nodes), key=repr)
    return {dim.name: dim.greatest for extent in found for dim in extent.dims}


def argument_shapes(nodes: Sequence[UOp]) -> dict[int, Shape]:
    """The shapes of the arguments that have dynamic extents, by slot."""
    found: dict[int, Shape] = {}
    for node in nodes:
        found |= {
            slot: shape for slot, shape in enumerate(traced_shapes(node)) if shape and is_dynamic(shape)
        }
    for node in nodes:
        if node.op is Op.RESHAPE and node.src[0].op is Op.PARAM and is_dynamic(node.shape):
            found.setdefault(node.src[0].arg[0], node.shape or ())
    for node in nodes:
        if node.op is Op.PARAM and is_dynamic(node.shape):
            found.setdefault(node.arg[0], node.shape or ())
    return found


def traced_shapes(node: UOp) -> tuple[Shape | None, ...]:
    """The shapes of a function's arguments, which `trace` stores in the SINK; empty for any other node, or any other argument.

    Programs with steps on the host are cut into parts. Their SINKs have None for an array that the part does not read.
    """
    is_traced = node.op is Op.SINK and type(node.arg) is tuple
    shapes = cast("tuple[Any, ...]", node.arg) if is_traced else ()  # pyright: ignore[reportUnknownMemberType]
    return shapes if all(each is None or isinstance(each, tuple) for each in shapes) else ()
