"""From an array graph to a `Schedule`: what is stored, in which kernels, with which loops, in which memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

from eqsat.dtype import DType
from eqsat.errors import ScheduleError
from eqsat.machine import Machine
from eqsat.ops import Op
from eqsat.schedule.bases import Bases
from eqsat.schedule.draft import Draft, Drafts
from eqsat.schedule.kernel import BufferSpec, Role, Schedule
from eqsat.schedule.legacy import modernize
from eqsat.schedule.lower import is_empty
from eqsat.schedule.materialize import (
    KERNEL_BUFFERS,
    KERNEL_NODES,
    Partition,
    partition,
    total_size,
)
from eqsat.schedule.profile import profile
from eqsat.schedule.search import tile_sizes
from eqsat.uop import UOp

KERNELS_TOGETHER = 32  # have their index expressions in one e-graph, all of which is looked at for each basis


@dataclass(frozen=True)
class Group:
    """Stored values of one shape that one kernel computes.

    Attributes:
        level: its place in the order of dependence; what it loads is computed at lower levels.
        elementwise: whether it has no reduction.
        seconds: its quick cost.
    """

    nodes: tuple[UOp, ...]
    level: int
    elementwise: bool
    seconds: float


def schedule(sink: UOp, device: Machine) -> Schedule:
    """Kernels for the outputs of `sink`, an array graph over PARAMs, each with the loops that are predicted to be quickest.

    Raises:
        ScheduleError: the graph holds something that is no array computation.
    """
    return draft(sink, device).schedule()


def draft(sink: UOp, device: Machine) -> Drafts:
    """The kernels for the outputs of `sink`, with all the loops that each may have.

    Raises:
        ScheduleError: the graph holds something that is no array computation.
    """
    if sink.op is not Op.SINK:
        raise ScheduleError(
            f"only a SINK of arrays can be scheduled, got {sink!r}; wrap the results in UOp.sink"
        )
    outputs = [_base(node) for node in modernize(sink).src]
    chosen = partition([node for node in dict.fromkeys(outputs) if node.op is not Op.PARAM], device)
    groups = _groups(chosen)
    buffers, numbers = _buffers(chosen, outputs, groups)
    lowered = [chosen.final(group.nodes) for group in groups]
    sinks = list(dict.fromkeys(sink for sink, _ in lowered))
    names = unique([sink.arg.name for sink in sinks])
    drafts: dict[UOp, Draft] = {}
    for start in range(0, len(sinks), KERNELS_TOGETHER):
        together = sinks[start : start + KERNELS_TOGETHER]
        bases = Bases.of(together, _tile_sizes(together, device), device)
        for sink, name in zip(together, names[start:], strict=False):
            drafts[sink] = Draft.of(sink, name, bases, device)
    kernels = tuple(drafts[sink].on([numbers[node] for node in operands]) for sink, operands in lowered)
    inputs = sorted(
        {*chosen.inputs, *(node for node in outputs if node.op is Op.PARAM)}, key=lambda node: node.arg[0]
    )
    return Drafts(
        kernels, buffers, tuple(numbers[node] for node in inputs), tuple(numbers[node] for node in outputs)
    )


def _base(node: UOp) -> UOp:
    """The node whose row-major elements are the output's: an output that is an input needs no kernel."""
    while node.op is Op.RESHAPE:
        node = node.src[0]
    return node


def _groups(chosen: Partition) -> list[Group]:
    """One kernel per stored value, merged with others of its shape where that is predicted to pay."""
    levels: dict[UOp, int] = {}
    groups: list[Group] = []
    for node in chosen.order:
        if node not in chosen.stored or is_empty(node):
            continue
        reads = chosen.reads(node)
        level = 1 + max((levels.get(read, 0) for read in reads), default=0)
        single = Group((node,), level, chosen.is_elementwise(node), chosen.kernel(node)[1])
        for position in reversed(range(len(groups))):
            group = groups[position]
            merged = _merged(group, single, chosen) if _can_join(group, node, reads, levels) else None
            if merged is not None:
                groups[position] = merged
                levels[node] = merged.level
                break
        else:
            groups.append(single)
            levels[node] = level
    return sorted(groups, key=lambda group: group.level)


def _can_join(group: Group, node: UOp, reads: frozenset[UOp], levels: Mapping[UOp, int]) -> bool:
    """Whether `node`, of the group's shape, needs nothing that is not there yet when the group runs."""
    outside = (read for read in reads if read not in group.nodes)
    return group.nodes[0].shape == node.shape and all(levels.get(read, 0) < group.level for read in outside)


def _merged(group: Group, other: Group, chosen: Partition) -> Group | None:
    """Both in one kernel; None if they share nothing, would need too many buffers, or are not predicted to gain."""
    reads = [frozenset[UOp]().union(*(chosen.reads(node) for node in each.nodes)) for each in (group, other)]
    nodes = (*group.nodes, *other.nodes)
    if not reads[1] & (reads[0] | set(group.nodes)) or len(reads[0] | reads[1]) + len(nodes) > KERNEL_BUFFERS:
        return None
    if chosen.is_spent:
        return None
    (_, seconds), _ = chosen.lowered(nodes)
    if group.elementwise and other.elementwise and seconds < inf:
        if len(chosen.cone(nodes)) > 2 * KERNEL_NODES:
            return None
        return Group(nodes, group.level, True, group.seconds + other.seconds - chosen.device.launch_seconds)
    return Group(nodes, group.level, False, seconds) if seconds < group.seconds + other.seconds else None


def _buffers(chosen: Partition, outputs: Sequence[UOp],
             groups: Sequence[Group]) -> tuple[tuple[BufferSpec, ...], dict[UOp, int]]:  # fmt: skip
    """Every buffer, and the number of the one that holds each stored value or input."""
    arenas = _arenas(chosen, outputs, groups)
    specs: list[BufferSpec] = []
    numbers: dict[UOp, int] = {}
    inputs = {*chosen.inputs, *(node for node in outputs if node.op is Op.PARAM)}
    for node in (*sorted(inputs, key=lambda node: node.arg[0]), *dict.fromkeys(outputs),
                 *(node for group in groups for node in group.nodes)):  # fmt: skip
        if node in numbers:
            continue
        numbers[node] = len(specs)
        assert isinstance(node.dtype, DType)
        if node.op is Op.PARAM:
            specs.append(BufferSpec(node.dtype, node.arg[1], Role.INPUT, node.arg[0]))
        elif node in outputs:
            specs.append(BufferSpec(node.dtype, total_size(node), Role.OUTPUT, outputs.index(node)))
        else:
            specs.append(BufferSpec(node.dtype, total_size(node), Role.TEMPORARY, arena=arenas[node]))
    return tuple(specs), numbers


def _arenas(chosen: Partition, outputs: Sequence[UOp], groups: Sequence[Group]) -> dict[UOp, int]:
    """A number per temporary; those with one number are never alive together."""
    last_read: dict[UOp, int] = {}
    for time, group in enumerate(groups):
        for node in group.nodes:
            last_read.update(dict.fromkeys(chosen.reads(node), time))
    free_at: list[int] = []  # by arena: when its present owner has been read for the last time
    arenas: dict[UOp, int] = {}
    for time, group in enumerate(groups):
        for node in group.nodes:
            if node in outputs:
                continue
            arena = next((number for number, until in enumerate(free_at) if until < time), len(free_at))
            free_at[arena:arena + 1] = [last_read.get(node, time)]  # fmt: skip
            arenas[node] = arena
    return arenas


def _tile_sizes(sinks: Sequence[UOp], device: Machine) -> dict[UOp, tuple[int, ...]]:
    """The tiles of each range in any kernel; kernels share range numbers."""
    sizes: dict[UOp, tuple[int, ...]] = {}
    for sink in sinks:
        for bound, found in tile_sizes(profile(sink, device), device).items():
            sizes[bound] = tuple(sorted({*sizes.get(bound, ()), *found}))
    return sizes


def unique(names: Sequence[str]) -> list[str]:
    """The names, numbered where one occurs again."""
    seen: Counter[str] = Counter()
    result: list[str] = []
    for name in names:
        seen[name] += 1
        result.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return result
