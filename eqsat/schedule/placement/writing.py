"""Writes the chosen nodes of a cone as the array graph of one kernel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from eqsat.dtype import DType
from eqsat.ops import Op
from eqsat.schedule.placement.array_graph import ArrayGraph
from eqsat.schedule.placement.cone import LOADED, STAGED, Cone
from eqsat.uop import UOp, toposort


class Written(NamedTuple):
    """A kernel.

    Attributes:
        roots: the arrays that it stores, over PARAMs numbered in the order in which they are met.
        reads: the buffer that each PARAM stands for.
    """

    roots: tuple[UOp, ...]
    reads: tuple[int, ...]


def write(graph: ArrayGraph, cone: Cone, inside: Mapping[int, int]) -> Written:
    """Builds the array graph of one kernel from a cone and `inside`, the chosen node of each class that the kernel needs."""
    built: dict[int, UOp] = {}
    for owner, node in operands_first(cone, inside):
        row = [] if cone.kinds[node].node == LOADED else cone.rows[node]
        built[owner] = _built(graph, cone, node, [built[each] for each in row])
    roots = tuple(built[root] for root in cone.roots)
    plain = tuple(map(_unshaped, roots))
    return _numbered(plain if len({root.shape for root in plain}) == 1 else roots)


def operands_first(cone: Cone, inside: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """The classes that a kernel computes or loads, operands first, with the chosen node of each."""
    kinds, rows = cone.kinds, cone.rows
    seen: set[int] = set()
    stack = list(cone.roots)
    while stack:
        owner = stack.pop()
        if owner < 0:  # its operands are done
            yield ~owner, inside[~owner]
        elif owner not in seen:
            seen.add(owner)
            stack.append(~owner)
            node = inside[owner]
            if kinds[node].node != LOADED:
                stack += rows[node]


def _unshaped(root: UOp) -> UOp:
    """The computed array that a stored one only reshapes, or itself: kernels that store either are the same."""
    while root.op is Op.RESHAPE and root.src[0].op is not Op.PARAM:
        root = root.src[0]
    return root


def _built(graph: ArrayGraph, cone: Cone, node: int, operands: list[UOp]) -> UOp:
    """The array that a node computes: a PARAM if it loads, a CONTIGUOUS if it is staged, otherwise its e-node on these operands."""
    c, enode, staged = cone.kinds[node]
    if enode == LOADED:
        (read,) = cone.rows[node]
        buffer = cone.reads[cone.read_nodes[read]]
        dtype = graph.snapshot.class_dtype[c]
        assert isinstance(dtype, DType)
        param = UOp.param(buffer, graph.sizes[c], dtype)
        return param if param.shape == graph.shapes[c] else param.reshape(graph.shapes[c])
    if enode == STAGED:
        return UOp(Op.CONTIGUOUS, operands[0].dtype, tuple(operands), staged)
    row = graph.rows[enode]
    if len(operands) < len(row):  # a formula over its own ranges, or an e-node with an empty operand
        operands = [_empty(graph, each) if 0 in graph.shapes[each] else formula(graph, each) for each in row]
    return graph.snapshot.write(enode, operands)


def _empty(graph: ArrayGraph, c: int) -> UOp:
    """An array of no elements that reads no memory, in place of an e-class of the same shape."""
    dtype, shape = graph.snapshot.class_dtype[c], graph.shapes[c]
    assert isinstance(dtype, DType)
    return UOp.const(dtype, 0).reshape((1,) * len(shape)).expand(shape)


def formula(graph: ArrayGraph, c: int) -> UOp:
    """An e-class written with the cheapest e-nodes."""
    built: dict[int, UOp] = {}
    stack = [c]
    while stack:
        at = stack[-1]
        node = graph.cheapest[at]
        missing = [each for each in graph.rows[node] if each not in built]
        if missing:
            stack += missing
            continue
        stack.pop()
        if at in graph.inputs:  # PARAMs of kernels have the number of their buffer
            dtype = graph.snapshot.class_dtype[at]
            assert isinstance(dtype, DType)
            built[at] = UOp.param(graph.buffer[at], graph.sizes[at], dtype)
        else:
            built[at] = graph.snapshot.write(node, [built[each] for each in graph.rows[node]])
    return built[c]


def _numbered(roots: tuple[UOp, ...]) -> Written:
    params = [node for node in toposort(roots) if node.op is Op.PARAM]
    renamed = {param: param.replace(arg=(slot, *param.arg[1:])) for slot, param in enumerate(params)}
    sink = UOp.sink(*roots).substitute(renamed)
    return Written(sink.src, tuple(param.arg[0] for param in params))
