"""Which values are kept in memory, and which kernels compute them.

A value equals a LOAD of what a kernel stored of it; storing costs a kernel and memory traffic, not storing costs computing it again in
every loop that needs it. Starting from every reduction stored, each is tried without, then each shared expensive value with, then all of these
again without, and what the cost model prefers stays.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from eqsat.ops import ALU, MOVEMENT, TABLE, Op
from eqsat.schedule.device import DeviceDescription
from eqsat.schedule.lower import is_empty, lower, size_of
from eqsat.schedule.merge import merge_ranges
from eqsat.schedule.profile import CYCLES, Profile, profile
from eqsat.uop import UOp, toposort

KERNEL_NODES = 400  # a larger kernel takes the OpenCL compiler minutes
KERNEL_BUFFERS = 60  # arguments that every device accepts
TRIALS = 64  # values that are tried stored and not stored; in larger graphs the rest keeps its first choice
SHARING_CYCLES = 1.0  # below this a value is cheaper computed twice than stored


@dataclass
class Partition:
    """A choice of stored values, with the kernel of each.

    Attributes:
        outputs: array nodes that the caller wants.
        inputs: PARAM nodes.
        order: all nodes, sources first; `numbers` has each one's position, its buffer's number while kernels are lowered.
        stored: what is kept in memory, besides inputs.
        kernels: those lowered so far, by what they compute and load.
    """

    outputs: tuple[UOp, ...]
    inputs: tuple[UOp, ...]
    order: list[UOp]
    numbers: Mapping[UOp, int]
    device: DeviceDescription
    stored: set[UOp] = field(default_factory=set[UOp])
    kernels: dict[tuple[UOp, frozenset[UOp]], tuple[UOp, float]] = field(
        default_factory=dict[tuple[UOp, frozenset[UOp]], tuple[UOp, float]]
    )

    def cone(self, nodes: Sequence[UOp]) -> list[UOp]:
        """What one kernel for all of `nodes` computes, sources first, and the stored values that it loads."""
        return toposort(nodes, self.stored)

    def reads(self, node: UOp) -> frozenset[UOp]:
        """The stored values and inputs that the kernel of `node` loads."""
        return frozenset(
            each
            for each in self.cone([node])
            if each is not node and (each in self.stored or each.op is Op.PARAM)
        )

    def is_elementwise(self, node: UOp) -> bool:
        """Whether the kernel of a stored value has no reduction."""
        return all(
            each.op is not Op.REDUCE_AXIS or (each in self.stored and each is not node)
            for each in self.cone([node])
        )

    def kernel(self, node: UOp) -> tuple[UOp, float]:
        """The lowered kernel of a stored value (buffer numbers are positions in `order`) and its quick cost in seconds."""
        key = node, self.reads(node)
        if key not in self.kernels:
            sink = self.lowered([node])
            self.kernels[key] = sink, quick_cost(profile(sink), self.device)
        return self.kernels[key]

    def lowered(self, nodes: Sequence[UOp]) -> UOp:
        """The kernel that computes several stored values of one shape together."""
        cone = self.cone(nodes)
        buffers = {node: self.numbers[node] for node in cone if node in self.stored or node.op is Op.PARAM}
        return merge_ranges(
            lower(nodes, buffers, self._depths(cone, nodes), kernel_name(nodes, cone, self.stored))
        )

    def _depths(self, cone: Sequence[UOp], nodes: Sequence[UOp]) -> dict[UOp, int]:
        """How many reductions are nested below each node inside its kernel."""
        depth: dict[UOp, int] = {}
        for node in cone:
            loaded = node in self.stored and node not in nodes
            below = 0 if loaded else max((depth[source] for source in node.src), default=0)
            depth[node] = below + (node.op is Op.REDUCE_AXIS and not loaded)
        return depth


def partition(outputs: Sequence[UOp], device: DeviceDescription) -> Partition:
    """Chooses what is stored."""
    order = list(toposort(outputs))
    inputs = tuple(node for node in order if node.op is Op.PARAM)
    result = Partition(
        tuple(outputs), inputs, order, {node: number for number, node in enumerate(order)}, device
    )
    readers = _readers(order)
    reductions = [node for node in order if node.op is Op.REDUCE_AXIS and not is_empty(node.src[0])]
    forced = {node for node in order if node.op is Op.CONTIGUOUS} | set(outputs)
    result.stored |= forced | set(reductions)
    _bound_kernels(result)
    free = [node for node in reductions if node not in forced][:TRIALS]
    for node in free:
        _try_without(result, node, readers)
    shared = [
        node
        for node in order
        if node not in result.stored and node.op in ALU and _is_repeated(result, node, readers)
    ]
    for node in [node for node in shared if _worth_sharing(node)][:TRIALS]:
        _try_with(result, node, readers)
    for node in [node for node in (*free, *shared) if node in result.stored]:
        _try_without(result, node, readers)
    return result


def _readers(order: Iterable[UOp]) -> dict[UOp, list[UOp]]:
    readers: dict[UOp, list[UOp]] = {}
    for node in order:
        readers[node] = []
        for source in dict.fromkeys(node.src):
            readers[source].append(node)
    return readers


def _bound_kernels(result: Partition) -> None:
    """Cuts the order into segments of KERNEL_NODES operations or KERNEL_BUFFERS buffers; what crosses a cut is stored."""
    segment: dict[UOp, int] = {}
    owner: dict[UOp, UOp] = {}
    current = operations = 0
    buffers: set[UOp] = set()
    for node in result.order:
        owner[node] = owner[node.src[0]] if node.op in MOVEMENT else node
        if node.op is Op.PARAM or node.op not in ALU:
            segment[node] = current
            continue
        operations += 1
        buffers.update(
            each
            for each in (owner[source] for source in node.src)
            if each in result.stored or each.op is Op.PARAM
        )
        if operations > KERNEL_NODES or len(buffers) > KERNEL_BUFFERS:
            current, operations, buffers = current + 1, 1, set[UOp]()
        segment[node] = current
        for source in node.src:
            if owner[source].op in ALU and segment[owner[source]] != current:
                result.stored.add(owner[source])


def _cone_size(root: UOp, stored: set[UOp]) -> int:
    """Distinct unstored nodes below, counted up to KERNEL_NODES + 1."""
    seen = {root}
    stack = [root]
    while stack and len(seen) <= KERNEL_NODES:
        for source in stack.pop().src:
            if source not in seen and source not in stored:
                seen.add(source)
                stack.append(source)
    return len(seen)


def _try_without(result: Partition, node: UOp, readers: Mapping[UOp, Sequence[UOp]]) -> None:
    """Computes `node` inside its readers' kernels if that is predicted to be faster."""
    consumers = _consumers(node, result.stored, readers)
    before = result.kernel(node)[1] + sum(result.kernel(each)[1] for each in consumers)
    result.stored.discard(node)
    if any(_cone_size(each, result.stored) > KERNEL_NODES for each in consumers):
        result.stored.add(node)
        return
    after = sum(result.kernel(each)[1] for each in consumers)
    if after >= before:
        result.stored.add(node)


def _is_repeated(result: Partition, node: UOp, readers: Mapping[UOp, Sequence[UOp]]) -> bool:
    """Whether `node` is computed more than once: for each copy of an EXPAND, at several places, by several kernels, or in and after
    a reduction of one.
    """
    if len(readers[node]) == 1:
        return _is_expanded(node, readers)
    if any(reader.op in MOVEMENT for reader in readers[node]):
        return True
    consumers = _consumers(node, result.stored, readers)
    return len(consumers) > 1 or any(not result.is_elementwise(consumer) for consumer in consumers)


def _is_expanded(node: UOp, readers: Mapping[UOp, Sequence[UOp]]) -> bool:
    """Whether the only reader repeats it, maybe in another order."""
    while len(readers[node]) == 1 and readers[node][0].op in MOVEMENT:
        node = readers[node][0]
        if node.op is Op.EXPAND:
            return True
    return False


def _try_with(result: Partition, node: UOp, readers: Mapping[UOp, Sequence[UOp]]) -> None:
    """Stores `node` if that is predicted to be faster."""
    consumers = _consumers(node, result.stored, readers)
    before = sum(result.kernel(each)[1] for each in consumers)
    result.stored.add(node)
    after = result.kernel(node)[1] + sum(result.kernel(each)[1] for each in consumers)
    if after >= before:
        result.stored.discard(node)


def _consumers(node: UOp, stored: set[UOp], readers: Mapping[UOp, Sequence[UOp]]) -> list[UOp]:
    """The stored values whose kernels read `node`."""
    found: dict[UOp, None] = {}
    seen: set[UOp] = set()
    stack = list(readers[node])
    while stack:
        each = stack.pop()
        if each in seen:
            continue
        seen.add(each)
        if each in stored:
            found[each] = None
        else:
            stack.extend(readers[each])
    return list(found)


def _worth_sharing(node: UOp) -> bool:
    """Whether the value takes more than a few cycles an element since the nearest reduction or input."""
    cycles, seen, stack = 0.0, {node}, [node]
    while stack and cycles < SHARING_CYCLES:
        each = stack.pop()
        cycles += CYCLES.get(each.op, 0.5) if each.op in ALU else 0
        for source in each.src:
            if source not in seen and (source.op in ALU or source.op in MOVEMENT):
                seen.add(source)
                stack.append(source)
    return cycles >= SHARING_CYCLES


def quick_cost(kernel: Profile, device: DeviceDescription) -> float:
    """Seconds if every loop were chosen well: each value computed once in the loops it needs, all memory read once."""
    scale = 8 * 4 / device.vector_bytes
    cycles = sum(
        cost * _points(kernel, sits) * itemsize / 4 / 8 * scale
        for (_, sits, itemsize), cost in kernel.work.items()
    )
    accesses = sum(
        _points(kernel, access.sits) * (access.itemsize / device.vector_bytes if access.has_runs else 1.0)
        for access in kernel.accesses
    )
    cycles = max(cycles, accesses / device.loads_per_cycle)
    parallel = min(device.cores, max(1, _points(kernel, kernel.hoisted)))
    size: dict[int, int] = {}
    for access in kernel.accesses:
        touched = min(access.size, _points(kernel, access.depends))
        size[access.buffer] = max(size.get(access.buffer, 0), touched * access.itemsize)
    share = parallel / device.cores
    memory = sum(size.values()) / (device.bandwidth * (0.5 + share / 2))
    return device.launch_seconds + max(cycles / device.frequency / parallel, memory)


def _points(kernel: Profile, mask: int) -> int:
    total = 1
    for position, extent in enumerate(kernel.extents):
        if mask >> position & 1:
            total *= extent
    return total


REDUCTION_NAMES = {Op.ADD: "sum", Op.MUL: "prod", Op.MAX: "max", Op.MIN: "min"}


def kernel_name(nodes: Sequence[UOp], cone: Sequence[UOp], stored: Container[UOp]) -> str:
    """What a kernel computes, in a few words fit for an identifier: its reductions, its last operations, its shape."""
    computed = [node for node in cone if node in nodes or node not in stored]
    words = [REDUCTION_NAMES[node.arg[0]] for node in computed if node.op is Op.REDUCE_AXIS]
    words.extend(node.op.name.lower() for node in nodes if node.op in ALU)
    short = list(dict.fromkeys(words))[-4:] or [TABLE[nodes[0].op].category.value]
    shape = "x".join(map(str, nodes[0].shape or ())) or "scalar"
    return "_".join([*short, shape])


def total_size(node: UOp) -> int:
    """Elements of an array node."""
    return size_of(node.shape or ())
