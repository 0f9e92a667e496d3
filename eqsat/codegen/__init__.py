"""Code generation: translates one kernel over ranges to source in a C-like language.

`render` verifies the kernel and runs the passes in this order:

- `shared_by_groups` stages partial results of reductions in local memory.
- `expand` makes vector lanes and unrolled copies explicit.
- `in_blocks` sums long sequences of floats in blocks.
- `join_loads` merges adjacent loads into vector loads, on graphics cards.
- `narrow` computes lanes in 16 bits where these are enough.
- `linearize` builds loops and puts the instructions in order.
- `render_source` writes the source.
"""

from __future__ import annotations

from dataclasses import dataclass

from eqsat.codegen.dialects import (
    OPENCL_CPU,
    OPENCL_GPU,
    OPENCL_NVIDIA,
    C,
    Dialect,
    with_sub_groups,
    with_tiles,
)
from eqsat.codegen.expansion.blocked_sums import in_blocks
from eqsat.codegen.expansion.expand import expand as expand_legal
from eqsat.codegen.expansion.groups import shared_by_groups, unshared
from eqsat.codegen.expansion.joining import join_loads
from eqsat.codegen.expansion.narrowing import narrow
from eqsat.codegen.expansion.older_forms import modernize as modernize_kernel
from eqsat.codegen.linearization.launch import launch_expressions, launch_sizes
from eqsat.codegen.linearization.linearize import linearize as linearize_legal
from eqsat.codegen.linearization.older_forms import modernize
from eqsat.codegen.linearization.sequential import sequential
from eqsat.codegen.rendering.memory import definition
from eqsat.codegen.rendering.names import kernel_name
from eqsat.codegen.rendering.source import render_source
from eqsat.dtype import DType, PtrDType
from eqsat.errors import CodegenError
from eqsat.ops import Op, Stage
from eqsat.spec import require_uop, verify
from eqsat.uop import UOp

__all__ = [
    "OPENCL_CPU",
    "OPENCL_GPU",
    "OPENCL_NVIDIA",
    "Argument",
    "C",
    "Dialect",
    "RenderedKernel",
    "expand",
    "launch_sizes",
    "linearize",
    "render",
    "render_source",
    "with_sub_groups",
    "with_tiles",
]


@dataclass(frozen=True, slots=True)
class Argument:
    """One buffer that a kernel takes.

    Attributes:
        slot: its number among the PARAMs of the kernel.
        dtype: the dtype of its elements.
        size: the number of its elements.
        written: whether the kernel stores to it.
    """

    slot: int
    dtype: DType
    size: int
    written: bool


@dataclass(frozen=True, slots=True)
class Variable:
    """An integer that a kernel takes when it is launched, from `least` to `greatest`."""

    name: str
    dtype: DType
    least: int
    greatest: int

    @staticmethod
    def of(node: UOp) -> Variable:
        """The variable that a DEFINE_VAR declares."""
        assert isinstance(node.dtype, DType)
        return Variable(node.arg[0], node.dtype, *node.arg[1:])


@dataclass(frozen=True, slots=True)
class RenderedKernel:
    """A kernel ready to be compiled.

    Attributes:
        name: the name of the function in `source`.
        source: the text of the kernel, in the dialect that it was rendered in.
        global_size: work-items per dimension. If `sizes` is not empty, this is the greatest size.
        local_size: work-items of a group per dimension; divides `global_size`.
        arguments: the buffers in the order of the function's parameters.
        variables: the integer parameters, which follow the buffers.
        linear: the instructions that `source` was rendered from.
        sizes: `global_size` as expressions of the variables; empty if it depends on no variable.
        binary: the program that a device compiled from the source; None if it is not compiled yet. One binary may hold several kernels.
    """

    name: str
    source: str
    global_size: tuple[int, ...]
    local_size: tuple[int, ...]
    arguments: tuple[Argument, ...]
    variables: tuple[Variable, ...]
    linear: UOp
    binary: bytes | None = None
    sizes: tuple[UOp, ...] = ()


def render(graph: UOp, dialect: Dialect = OPENCL_CPU) -> RenderedKernel:
    """Renders a LINEAR or a SINK of the kernel stage: its source and its launch sizes.

    Raises:
        CodegenError: the kernel cannot be expanded, ordered, or written in this dialect.
        SpecError: the graph is not a legal kernel or linear program.
    """
    linear = modernize(_instructions(graph, dialect), dialect.matrices)
    name = kernel_name(getattr(graph.arg, "name", "kernel"))
    size, group = launch_sizes(linear)
    stored = {definition(node.src[0]) for node in linear.src if node.op is Op.STORE}
    arguments: list[Argument] = []
    for node in linear.src:
        if node.op is Op.DEFINE_GLOBAL:
            assert isinstance(node.dtype, PtrDType)
            arguments.append(Argument(node.arg, node.dtype.base, node.dtype.size, node in stored))
    variables = tuple(Variable.of(node) for node in linear.src if node.op is Op.DEFINE_VAR)
    source = render_source(linear, name, dialect)
    return RenderedKernel(
        name, source, size, group, tuple(arguments), variables, linear, sizes=launch_expressions(linear)
    )


def _instructions(graph: UOp, dialect: Dialect) -> UOp:
    """The instructions of a kernel."""
    require_uop(graph)
    if graph.op is Op.LINEAR:
        verify(graph, Stage.LINEAR)
        return graph
    require_kernel(graph)
    verify(graph, Stage.KERNEL)
    graph = modernize_kernel(graph)
    alone = unshared(graph) if dialect.sequential else shared_by_groups(graph, dialect.sub_group)
    expanded = in_blocks(expand_legal(alone))
    if dialect.aligned_bytes:
        expanded = join_loads(expanded, dialect.aligned_bytes)
    return linearize_legal(sequential(expanded) if dialect.sequential else narrow(expanded))


def expand(kernel: UOp) -> UOp:
    """The same kernel with explicit vector lanes and unrolled copies: from the kernel stage to the expanded stage.

    Raises:
        SpecError: the graph is not a legal kernel.
        CodegenError: a value varies along two UPCAST ranges, or an explicit vector varies along one.
    """
    require_kernel(kernel)
    verify(kernel, Stage.KERNEL)
    return expand_legal(unshared(kernel))


def linearize(kernel: UOp) -> UOp:
    """The instructions of an expanded kernel, in program order: from the expanded stage to the linear stage.

    Raises:
        SpecError: the graph is not a legal kernel of the expanded stage.
        CodegenError: reductions that share a loop depend on each other, or loops cross.
    """
    require_kernel(kernel)
    verify(kernel, Stage.EXPANDED)
    return linearize_legal(unshared(modernize_kernel(kernel)))


def require_kernel(graph: UOp) -> None:
    """Checks that a graph is a SINK of stores.

    Raises:
        CodegenError: it is something else.
    """
    require_uop(graph)
    if graph.op is not Op.SINK or not graph.src:
        raise CodegenError(f"a kernel is a SINK of stores, not {graph!r}; schedule the graph first")
