"""What a stage asks of a graph as a whole."""

from __future__ import annotations

from collections.abc import Sequence

from eqsat.ops import AxisType, KernelInfo, Op
from eqsat.spec.rule import Complaint, axis_type, range_number
from eqsat.uop import UOp

STATEMENTS = frozenset(
    {Op.STORE, Op.END, Op.GROUP, Op.BARRIER, Op.IF, Op.ENDIF, Op.CUSTOM, Op.AFTER, Op.NOOP}
)


def any_graph(roots: Sequence[UOp], nodes: Sequence[UOp]) -> Complaint:
    """Nothing beyond its nodes."""
    return None


def array_graph(roots: Sequence[UOp], nodes: Sequence[UOp]) -> Complaint:
    """The outputs of a SINK are values (or stores, in the older form), and no range is open in them."""
    for root in roots:
        if root.op is not Op.SINK:
            continue
        for output in root.src:
            if output.shape is None and output.op not in STATEMENTS:
                return root, f"its source {output.op.name} has no value; collect values"
        if any(node.op is Op.RANGE for node in nodes) and root.ranges:
            return root, f"{_listed(root.ranges)} is still open in its outputs; close it with BUFFERIZE"
    return None


def kernel_graph(roots: Sequence[UOp], nodes: Sequence[UOp]) -> Complaint:
    """A kernel names what it computes, closes its ranges, tells them apart, and vectorizes along one at a time."""
    return _kernel_sinks(roots) or _distinct(nodes) or _one_vector_axis(nodes) or _separate_reductions(nodes)


def expanded_graph(roots: Sequence[UOp], nodes: Sequence[UOp]) -> Complaint:
    """As a kernel, without vector axes."""
    return _kernel_sinks(roots) or _distinct(nodes) or _separate_reductions(nodes)


def _kernel_sinks(roots: Sequence[UOp]) -> Complaint:
    for root in roots:
        if root.op is not Op.SINK:
            continue
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


def _distinct(nodes: Sequence[UOp]) -> Complaint:
    """No two ranges have one number, and no two buffers one slot."""
    seen: dict[tuple[Op, int], UOp] = {}
    for node in nodes:
        if node.op not in (Op.RANGE, Op.PARAM):
            continue
        key = (node.op, range_number(node))
        other = seen.setdefault(key, node)
        if other is not node:
            return (
                node,
                f"number {key[1]} is taken by another {node.op.name}, {other!r}; number them differently",
            )
    return None


def _one_vector_axis(nodes: Sequence[UOp]) -> Complaint:
    if not any(node.op is Op.RANGE and axis_type(node) is AxisType.UPCAST for node in nodes):
        return None
    for node in nodes:
        upcast = [bound for bound in node.ranges if axis_type(bound) is AxisType.UPCAST]
        if len(upcast) > 1 and node.dtype.scalar.kind != "v":
            return (
                node,
                f"it varies along {_listed(upcast)}; a value may be a vector along one of them, UNROLL the others",
            )
    return None


def _separate_reductions(nodes: Sequence[UOp]) -> Complaint:
    """A REDUCE of something that contains another REDUCE runs over other ranges than that."""
    if sum(node.op is Op.REDUCE for node in nodes) < 2:
        return None
    nothing: frozenset[UOp] = frozenset()
    ended: dict[UOp, frozenset[UOp]] = {}
    for node in nodes:
        below = nothing
        for source in node.src:
            other = ended[source]
            if other is not below:
                below = below | other if below else other
        if node.op is Op.REDUCE:
            both = below.intersection(node.src[1:])
            if both:
                return (
                    node,
                    f"a REDUCE inside its value already runs over {_listed(both)}; give one of them ranges of its own",
                )
            below = below.union(node.src[1:])
        ended[node] = below
    return None


def _listed(bounds: frozenset[UOp] | Sequence[UOp]) -> str:
    numbers = sorted(str(range_number(bound)) for bound in bounds)
    return f"range {numbers[0]}" if len(numbers) == 1 else f"ranges {', '.join(numbers)}"
