"""Which graphs are legal at which stage.

`verify` first checks each node:

- against the row of its operation in `ops.TABLE`: stages, number of sources, dtype rule;
- against the rules of the stage for all operations (`sources`);
- against the rule of its operation for its sources and argument (`values`, `matrices`, `memory`, `reductions`, `control`, `shards`, `programs`).

Then it checks the graph as a whole against the rules of the stage (`graphs`, `order`, `divergence`). A broken rule is a `SpecError` that
names the node, the stage, the rule, and what would be legal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from eqsat.errors import SpecError, brief
from eqsat.ops import TABLE, KernelInfo, Op, Stage
from eqsat.spec import control, graphs, matrices, memory, order, programs, reductions, shards, values
from eqsat.spec.divergence import barriers_for_all
from eqsat.spec.dtypes import DTYPE_RULES
from eqsat.spec.rule import Complaint, Rule, complain
from eqsat.spec.sources import general
from eqsat.spec.stages import misplaced
from eqsat.uop import UOp, toposort

__all__ = ["STRUCTURE", "fault_of", "require_uop", "require_uops", "verify"]

STRUCTURE: Mapping[Op, Rule] = {
    **values.STRUCTURE,
    **matrices.STRUCTURE,
    **memory.STRUCTURE,
    **reductions.STRUCTURE,
    **control.STRUCTURE,
    **shards.STRUCTURE,
    **programs.STRUCTURE,
}
_WHOLE: Mapping[Stage, Callable[[Sequence[UOp], Sequence[UOp]], Complaint]] = {
    Stage.ARRAY: graphs.array_graph,
    Stage.KERNEL: graphs.kernel_graph,
    Stage.EXPANDED: graphs.expanded_graph,
}
_Check = tuple[int, float, Rule, Rule | None]


def verify(root: UOp | Sequence[UOp], stage: Stage) -> None:
    """Checks that a graph with one or several roots is legal at a stage. A linear program is given as a LINEAR, or as its instructions in order.

    A graph of the PROGRAM stage is checked with everything it contains: kernels, linear programs and function bodies, each at its
    own stage. Time grows linearly with the graph; nothing recurses.

    Raises:
        SpecError: the graph is not legal at this stage, or no graph.
    """
    require_uops(root)
    if not isinstance(stage, Stage):  # pyright: ignore[reportUnnecessaryIsInstance]
        names = ", ".join(f"Stage.{each.name}" for each in Stage)
        raise SpecError(f"a stage is one of {names}, not {brief(stage)}")
    roots = [root] if isinstance(root, UOp) else list(root)
    match stage:
        case Stage.LINEAR:
            _verify_linear(root)
        case Stage.PROGRAM:
            _verify_program(roots)
        case _:
            _verify_graph(roots, stage, frozenset())


def _verify_program(roots: list[UOp]) -> None:
    called = programs.called(toposort(roots))
    inner: list[tuple[UOp, Stage]] = []
    nodes = _program_nodes([*roots, *called], inner)
    for node, below in inner:  # before the calls, whose rules look into the kernels and bodies that they call
        if below is Stage.LINEAR:
            _verify_linear(node)
        else:
            _verify_graph([node], below, called if below is Stage.ARRAY else frozenset())
    _check_nodes(nodes, Stage.PROGRAM)
    complain(
        graphs.program_graph(roots, [node for node, below in inner if below is Stage.ARRAY]), Stage.PROGRAM
    )


def _verify_graph(roots: list[UOp], stage: Stage, called: frozenset[UOp]) -> None:
    """Checks a graph of one stage. The results of calls that it reads (`called`) are checked with the program around it."""
    nodes = toposort(roots, called)
    _check_nodes([node for node in nodes if node not in called], stage)
    complain(_WHOLE[stage](roots, nodes), stage)


def require_uop(graph: Any) -> None:
    """Checks that this is a UOp.

    Raises:
        SpecError: it is something else.
    """
    if not isinstance(graph, UOp):
        raise SpecError(
            f"a graph is a UOp, not {brief(graph)}; trace a function to get one, take the .uop of an array, or collect several in a UOp.sink"
        )


def require_uops(root: Any) -> None:
    """Checks that this is a UOp, or a sequence of them.

    Raises:
        SpecError: something else is among them.
    """
    for each in cast("Sequence[Any]", root) if isinstance(root, list | tuple) else [root]:
        if not isinstance(each, UOp):
            raise SpecError(
                f"a graph is made of UOps, not of {type(each).__name__}; trace a function to get one, or take the .uop of an array"
            )


def fault_of(node: UOp) -> str | None:
    """Why a node by itself is legal at none of the stages that have its operation; None if it is legal at one of them.

    The text is about the last of these stages.
    """
    text = None
    for stage in TABLE[node.op].stages:
        text = _fault(node, stage, _CHECKS[stage][node.op])
        if text is None:
            return None
    return text


def _verify_linear(root: UOp | Sequence[UOp]) -> None:
    if isinstance(root, UOp) and root.op is not Op.LINEAR:
        complain(
            (
                root,
                "a linear program is a LINEAR; linearize the kernel first, or pass the list of its instructions",
            ),
            Stage.LINEAR,
        )
    instructions = root.src if isinstance(root, UOp) else tuple(root)
    _check_nodes((*instructions, root) if isinstance(root, UOp) else instructions, Stage.LINEAR)
    complain(order.instruction_order(instructions) or barriers_for_all(instructions), Stage.LINEAR)


def _program_nodes(roots: Sequence[UOp], inner: list[tuple[UOp, Stage]]) -> list[UOp]:
    """The nodes of the PROGRAM stage, sources first. The roots of subgraphs that belong to other stages are appended to `inner`."""
    found: dict[UOp, None] = {}
    stack = [(root, False) for root in reversed(roots)]
    while stack:
        node, ready = stack.pop()
        if node in found:
            continue
        below = _stage_below(node)
        if below is not None:
            inner.append((node, below))
            found[node] = None
        elif ready or not node.src:
            found[node] = None
        else:
            stack.append((node, True))
            stack.extend((source, False) for source in reversed(node.src) if source not in found)
    nested = {node for node, _ in inner}
    return [node for node in found if node not in nested]


def _stage_below(node: UOp) -> Stage | None:
    if node.op is Op.SINK and isinstance(node.arg, KernelInfo):
        return Stage.KERNEL
    if node.op is Op.LINEAR:
        return Stage.LINEAR
    stages = TABLE[node.op].stages
    return Stage.ARRAY if Stage.PROGRAM not in stages and Stage.ARRAY in stages else None


def _checks(stage: Stage) -> dict[Op, _Check]:
    """For each operation of a stage: the fewest and the most sources, the dtype rule, and the structural rule."""
    return {
        op: (
            info.arity[0],
            float("inf") if info.arity[1] is None else info.arity[1],
            DTYPE_RULES[info.dtype],
            STRUCTURE.get(op),
        )
        for op, info in TABLE.items()
        if stage in info.stages
    }


_CHECKS: Mapping[Stage, dict[Op, _Check]] = {stage: _checks(stage) for stage in Stage}


def _check_nodes(nodes: Sequence[UOp], stage: Stage) -> None:
    checks = _CHECKS[stage]
    for node in nodes:
        check = checks.get(node.op)
        text = misplaced(node.op, stage) if check is None else _fault(node, stage, check)
        if text:
            complain((node, text), stage)


def _fault(node: UOp, stage: Stage, check: _Check) -> str | None:
    least, most, dtype_rule, structure = check
    if not least <= len(node.src) <= most:
        return f"it has {len(node.src)} sources; give it {_count(least, most)}"
    return dtype_rule(node, stage) or (structure(node, stage) if structure else None) or general(node, stage)


def _count(least: int, most: float) -> str:
    if least == most:
        return f"exactly {least}"
    return f"at least {least}" if most == float("inf") else f"{least} to {most}"
