"""Checks of whole graphs, one function for each stage except the linear one (see `order`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

from eqsat.ops import ALU, REDUCES, TABLE, WORK_ITEMS, AxisType, KernelInfo, Op
from eqsat.spec.contents import one_content, one_writer
from eqsat.spec.control import STATEMENTS
from eqsat.spec.races import one_store
from eqsat.spec.rule import Complaint, axis_type, is_tuple, range_number
from eqsat.spec.shards import copies_agree
from eqsat.uop import UOp, toposort

_ELEMENTS = ALU | {Op.RANGE, Op.INDEX, Op.LOAD}
_CALLS = frozenset({Op.CALL, Op.KERNEL, Op.FUNCTION, Op.PROGRAM})
_NAMED = frozenset({Op.PARAM, Op.DEFINE_VAR})
_NUMBERED = frozenset({Op.RANGE, Op.DEFINE_GLOBAL, Op.SPECIAL, Op.DEFINE_LOCAL})
_SUMS = REDUCES | {Op.WMMA}


def program_graph(roots: Sequence[UOp], values: Sequence[UOp]) -> Complaint:
    """Checks that arrays of a program close their ranges, that its inputs and variables are distinct, and that its launches are ordered.

    The inputs and variables of called bodies are not counted among those of the program.
    """
    for value in values:
        if value.ranges and value not in roots:
            return value, f"it leaves {_listed(value.ranges)} open; close that with BUFFERIZE, or pass a BIND"
    bodies = {node.src[0] for node in toposort(roots) if node.op in _CALLS}
    outside = toposort(roots, bodies - set(roots))
    return distinct(outside, _NAMED) or one_writer(outside)


def array_graph(roots: Sequence[UOp], nodes: Sequence[UOp]) -> Complaint:
    """Checks a graph of arrays.

    Its outputs have no open ranges, its inputs fit their shapes and are distinct, ASSIGNs to a buffer are ordered, operands lie in
    equally many copies, and only scalars vary with ranges.
    """
    for root in roots:
        if root.op is not Op.SINK:
            continue
        if any(node.op is Op.RANGE for node in nodes) and root.ranges:
            return root, f"{_listed(root.ranges)} is still open in its outputs; close it with BUFFERIZE"
        wrong = _misfit(root, nodes)
        if wrong is not None:
            return wrong
    return distinct(nodes, _NAMED) or _one_successor(nodes) or copies_agree(nodes) or _comprehensions(nodes)


def _misfit(sink: UOp, nodes: Sequence[UOp]) -> Complaint:
    """Checks that each input has as many elements as the shape that the SINK's argument gives it."""
    shapes: Any = sink.arg
    if not is_tuple(shapes):
        return None
    for node in nodes:
        if node.op is not Op.PARAM or node.arg[0] >= len(shapes):
            continue
        extents = shapes[node.arg[0]]
        if extents is not None and prod(extents) != node.arg[1]:
            return (
                sink,
                f"it gives input {node.arg[0]} shape {extents}, and {node!r} has {node.arg[1]} elements",
            )
    return None


def _one_successor(nodes: Sequence[UOp]) -> Complaint:
    """Checks that each content of a buffer is overwritten once: the next ASSIGN goes to AFTER(buffer, the ASSIGN before)."""
    if not any(node.op is Op.ASSIGN for node in nodes):  # shortcut
        return None
    # for each buffer, part of a buffer, ASSIGN and AFTER: the buffer, and how many ASSIGNs have written it
    version: dict[UOp, tuple[UOp, int]] = {}
    assigned: dict[tuple[UOp, int], UOp] = {}
    for node in nodes:
        if node.op not in (Op.BUFFER_VIEW, Op.ASSIGN, Op.AFTER):
            version[node] = node, 0
            continue
        buffer, number = version.get(node.src[0], (node.src[0], 0))
        if node.op is Op.AFTER:
            number = max(
                other for same, other in (version.get(each, (each, 0)) for each in node.src) if same is buffer
            )
        elif node.op is Op.ASSIGN:
            number += 1
            if assigned.setdefault((buffer, number), node) is not node:
                return (
                    node,
                    f"another ASSIGN writes over the same content of {buffer!r}; order them: assign to AFTER(buffer, the first)",
                )
        version[node] = buffer, number
    return None


def _comprehensions(nodes: Sequence[UOp]) -> Complaint:
    """Checks nodes that vary with a RANGE: up to the BUFFERIZE that ends it, they are scalars computed by arithmetic, INDEX and LOAD."""
    for node in nodes:
        if not node.ranges or node.op is Op.SINK:
            continue
        if node.op not in _ELEMENTS or node.shape != ():
            return (
                node,
                "it varies with a RANGE, which only arithmetic, INDEX and LOAD may; BUFFERIZE that first",
            )
        if node.op is Op.INDEX and node.src[0].ranges:
            return node, "its base varies with a RANGE; BUFFERIZE that first"
    return None


def kernel_graph(roots: Sequence[UOp], nodes: Sequence[UOp]) -> Complaint:
    """Checks a kernel.

    Its SINK names it and has no open ranges, its ranges are distinct, no value is a vector along two of them, nested reductions have separate
    ranges, and its LOADs and STOREs are ordered.
    """
    return (
        _kernel_sinks(roots, nodes)
        or distinct(nodes)
        or coordinates(nodes)
        or _one_vector_axis(nodes)
        or _separate_reductions(nodes)
        or one_content(nodes)
        or one_store(nodes)
    )


def expanded_graph(roots: Sequence[UOp], nodes: Sequence[UOp]) -> Complaint:
    """Checks an expanded kernel: as `kernel_graph`, but there are no vector axes, and reductions by work-items have ranges of their own."""
    return (
        _kernel_sinks(roots, nodes)
        or distinct(nodes)
        or coordinates(nodes)
        or _separate_reductions(nodes)
        or _of_their_own(nodes)
        or one_content(nodes)
        or one_store(nodes)
    )


def _of_their_own(nodes: Sequence[UOp]) -> Complaint:
    """Checks that a reduction does not run over a WARP range along which results are stored. Expansion gives it a range of its own."""
    stored = {
        bound
        for node in nodes
        if node.op is Op.STORE
        for bound in node.src[2:]
        if bound.op is Op.RANGE and axis_type(bound) is AxisType.WARP
    }
    for node in nodes if stored else ():
        both = stored.intersection(node.src[TABLE[node.op].range_start :]) if node.op in REDUCES else ()
        if both:
            return (
                node,
                f"its items store the result along {_listed(frozenset(both))}, over which it runs; expand the kernel, or give it its own",
            )
    return None


def _kernel_sinks(roots: Sequence[UOp], nodes: Sequence[UOp]) -> Complaint:
    inner = next((node for node in nodes if node.op is Op.SINK and node not in roots), None)
    if inner is not None:
        return inner, "it is inside of a kernel, which has one SINK, its root; name the stores themselves"
    for root in roots:
        if root.op is not Op.SINK:
            continue
        if not root.src:
            return root, "it stores nothing; give it STOREs"
        if not isinstance(root.arg, KernelInfo):
            return root, "the SINK of a kernel says what it computes; give it KernelInfo(name) as argument"
        stray = next((source for source in root.src if source.op not in STATEMENTS), None)
        if stray is not None:
            return root, f"it collects stores, not {stray.op.name}; STORE the value in a buffer"
        if root.ranges:
            return (
                root,
                f"{_listed(root.ranges)} is still open; name it among the ranges of a STORE, REDUCE or END",
            )
    return None


def distinct(nodes: Iterable[UOp], ops: frozenset[Op] | None = None) -> Complaint:
    """Checks that no two ranges have the same number, no two buffers the same slot, and no two variables or coordinates the same name."""
    seen: dict[tuple[Op, object], UOp] = {}
    for node in nodes:
        if node.op not in (_NAMED | _NUMBERED if ops is None else ops):
            continue
        number = range_number(node)
        key = (node.op, number)
        other = seen.setdefault(key, node)
        if other is not node:
            what = "number" if node.op in (Op.RANGE, Op.PARAM, Op.DEFINE_GLOBAL) else "name"
            return (
                node,
                f"{what} {number} is taken by another {node.op.name}, {other!r}; {what} them differently",
            )
    return None


def coordinates(nodes: Iterable[UOp]) -> Complaint:
    """Checks that a kernel numbers its work-items in one way: by parallel ranges, by gid, or by group and work-item in it (gidx, lid)."""
    ways: dict[str, UOp] = {}
    for node in nodes:
        if node.op is Op.SPECIAL:
            way = "gid" if node.arg.startswith("gid") and not node.arg.startswith("gidx") else "gidx and lid"
        elif node.op is Op.RANGE and axis_type(node) in WORK_ITEMS and is_tuple(node.arg):
            way = "ranges"
        else:
            continue
        other = ways.setdefault(way, node)
        if len(ways) > 1:
            first = next(each for each in ways.values() if each is not other)
            return (
                node,
                f"{first!r} counts the same work-items in another way; use either ranges, or gid, or gidx and lid",
            )
    return None


def _one_vector_axis(nodes: Sequence[UOp]) -> Complaint:
    if not any(node.op is Op.RANGE and axis_type(node) is AxisType.UPCAST for node in nodes):  # shortcut
        return None
    for node in nodes:
        upcast = [bound for bound in node.ranges if axis_type(bound) is AxisType.UPCAST]
        if upcast and node.dtype.lanes > 1:
            return (
                node,
                f"it is a vector and varies along {_listed(upcast)}, which makes one; make that an UNROLL range",
            )
        if len(upcast) > 1 and node.dtype.scalar.kind != "v":
            return (
                node,
                f"it varies along {_listed(upcast)}; a value may be a vector along one of them, UNROLL the others",
            )
    return None


def _separate_reductions(nodes: Sequence[UOp]) -> Complaint:
    """Checks that a reduction runs over other ranges than the reductions inside of its value."""
    if sum(node.op in _SUMS for node in nodes) < 2:  # shortcut
        return None
    nothing: frozenset[UOp] = frozenset()
    ended: dict[UOp, frozenset[UOp]] = {}
    for node in nodes:
        below = nothing
        for source in node.src:
            other = ended[source]
            if other is not below:
                below = below | other if below else other
        if node.op in _SUMS:
            own = node.src[TABLE[node.op].range_start :]
            both = below.intersection(own)
            if both:
                return (
                    node,
                    f"a reduction inside its value already runs over {_listed(both)}; give one of them ranges of its own",
                )
            below = below.union(own)
        ended[node] = below
    return None


def _listed(bounds: frozenset[UOp] | Sequence[UOp]) -> str:
    numbers = sorted(str(range_number(bound)) for bound in bounds)
    return f"range {numbers[0]}" if len(numbers) == 1 else f"ranges {', '.join(numbers)}"
