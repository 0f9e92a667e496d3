"""Which values are kept in memory, and which kernels compute them.

A value equals a LOAD of what a kernel stored of it; storing costs a kernel and memory traffic, not storing costs computing it again in
every loop that needs it. Starting from every reduction stored, each is tried without, then each shared expensive value with, then all of these
again without, and what the cost model prefers stays.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from eqsat.dtype import DType, float32
from eqsat.machine import Machine
from eqsat.ops import ALU, MOVEMENT, TABLE, Op
from eqsat.schedule.lower import TooManyCopiesError, is_empty, lower, size_of
from eqsat.schedule.merge import merge_ranges
from eqsat.schedule.profile import Profile, profile
from eqsat.uop import UOp, toposort

KERNEL_NODES = 400  # a larger kernel takes the OpenCL compiler minutes
KERNEL_BUFFERS = 60  # arguments that every device accepts
COPIES = 8  # of each node of a kernel, at different indices; more of them are not worth what storing the values saves
FREE_COPIES = 256  # of a kernel besides
POINTS_PER_NODE = 100  # that may be lowered while looking for a better choice, for each node of the graph; about a second for 200 nodes
FREE_POINTS = 10_000  # besides
SHARING_CYCLES = 1.0  # below this a value is cheaper computed twice than stored


@dataclass
class Partition:
    """A choice of stored values, with the kernel of each.

    Attributes:
        outputs: array nodes that the caller wants.
        inputs: PARAM nodes.
        order: all nodes, sources first.
        stored: what is kept in memory, besides inputs.
        kernels: those lowered so far, by what they compute and load.
        structures: the same by their graphs over PARAMs numbered from 0.
        work: points computed while lowering.
    """

    outputs: tuple[UOp, ...]
    inputs: tuple[UOp, ...]
    order: list[UOp]
    device: Machine
    stored: set[UOp] = field(default_factory=set[UOp])
    kernels: dict[tuple[UOp, frozenset[UOp]], tuple[UOp, float]] = field(
        default_factory=dict[tuple[UOp, frozenset[UOp]], tuple[UOp, float]]
    )
    structures: dict[tuple[UOp, ...], tuple[UOp, float]] = field(
        default_factory=dict[tuple[UOp, ...], tuple[UOp, float]]
    )
    work: int = 0

    @property
    def is_spent(self) -> bool:
        """Whether as much was lowered as the graph's size allows: what is stored then stays."""
        return self.work > POINTS_PER_NODE * len(self.order) + FREE_POINTS

    @property
    def computed(self) -> list[UOp]:
        """The stored values that have elements."""
        return [node for node in self.order if node in self.stored and not is_empty(node)]

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
        """The lowered kernel of a stored value and its quick cost in seconds: infinite if it would compute too many copies."""
        key = node, self.reads(node)
        if key not in self.kernels:
            self.kernels[key] = self.lowered([node])[0]
        return self.kernels[key]

    def lowered(self, nodes: Sequence[UOp]) -> tuple[tuple[UOp, float], tuple[UOp, ...]]:
        """The kernel that computes several stored values of one shape together, its quick cost, and what its buffers hold.

        Kernels of one structure are one object, whatever they read, so that each is lowered, priced and searched once.
        """
        cone = self.cone(nodes)
        roots, buffers = isolated(nodes, cone, self.stored)
        if roots not in self.structures:
            self.structures[roots] = self._lowered(roots)
        return self.structures[roots], buffers

    def final(self, nodes: Sequence[UOp]) -> tuple[UOp, tuple[UOp, ...]]:
        """The same without its cost, however many copies it computes: where nothing is left to store, they are copies of views."""
        (sink, seconds), buffers = self.lowered(nodes)
        if seconds == inf:
            roots, _ = isolated(nodes, self.cone(nodes), self.stored)
            self.structures[roots] = sink, _ = self._lowered(roots, bounded=False)
        return sink, buffers

    def _lowered(self, roots: tuple[UOp, ...], bounded: bool = True) -> tuple[UOp, float]:
        cone = toposort(roots)
        params = [node for node in cone if node.op is Op.PARAM]
        buffers = {node: number for number, node in enumerate([*params, *roots])}
        most = COPIES * len(cone) + FREE_COPIES
        try:
            sink, points = lower(
                roots, buffers, _depths(cone), kernel_name(roots, cone), most if bounded else None
            )
        except TooManyCopiesError:
            self.work += most
            return UOp.sink(), inf
        self.work += points
        sink = merge_ranges(sink)
        return sink, quick_cost(profile(sink, self.device), self.device)


def isolated(nodes: Sequence[UOp], cone: Iterable[UOp],
             stored: Container[UOp]) -> tuple[tuple[UOp, ...], tuple[UOp, ...]]:  # fmt: skip
    """`nodes` over PARAMs numbered from 0 instead of what they read, and what the buffers are: what is read, then `nodes`."""
    read: list[UOp] = []
    alone: dict[UOp, UOp] = {}
    for node in cone:
        if node.op is Op.PARAM or (node in stored and node not in nodes):
            assert isinstance(node.dtype, DType)
            param = UOp.param(len(read), total_size(node), node.dtype)
            alone[node] = param if param.shape == node.shape else param.reshape(node.shape or ())
            read.append(node)
        else:
            alone[node] = node.with_src(tuple(alone[source] for source in node.src))
    return tuple(alone[node] for node in nodes), (*read, *nodes)


def _depths(cone: Iterable[UOp]) -> dict[UOp, int]:
    """How many reductions are nested below each node of a kernel."""
    depth: dict[UOp, int] = {}
    for node in cone:
        below = max((depth[source] for source in node.src), default=0)
        depth[node] = below + (node.op is Op.REDUCE_AXIS)
    return depth


def partition(outputs: Sequence[UOp], device: Machine) -> Partition:
    """Chooses what is stored."""
    order = list(toposort(outputs))
    inputs = tuple(node for node in order if node.op is Op.PARAM)
    result = Partition(tuple(outputs), inputs, order, device)
    readers = _readers(order)
    reductions = [node for node in order if node.op is Op.REDUCE_AXIS and not is_empty(node.src[0])]
    forced = {node for node in order if node.op is Op.CONTIGUOUS} | set(outputs)
    result.stored |= forced | set(reductions)
    _bound_kernels(result)
    _bound_copies(result, readers)
    free = [node for node in reductions if node not in forced]
    for node in free:
        _try_without(result, node, readers)
    shared = [
        node
        for node in order
        if node not in result.stored and node.op in ALU and _is_repeated(result, node, readers)
    ]
    for node in [node for node in shared if _worth_sharing(node, device)]:
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


def _bound_copies(result: Partition, readers: Mapping[UOp, Sequence[UOp]]) -> None:
    """Stores values below those that would need too many copies of what they read, before such a kernel is built.

    A value that several movements read, as each step of a stencil does, is computed at several indices. Sources come first, so that a
    kernel is never much larger than allowed when it is looked at.
    """
    shared = [
        node for node in result.order if (node.op in ALU or node.op is Op.INDEX) and _is_shared(node, readers)
    ]
    moved = {node for node in shared if _is_moved(node, readers)}
    for places in (moved, set(shared)):
        if places is moved or any(result.kernel(node)[1] == inf for node in result.computed):
            _cut(result, places)


def _cut(result: Partition, places: set[UOp]) -> None:
    """Stores the nearest of `places` below each kernel, and below what would be a kernel of one of them, that is too large."""
    for node in [node for node in result.order if node in places or node in result.stored]:
        if not is_empty(node) and (result.is_spent or result.kernel(node)[1] == inf):
            result.stored.update(_nearest(node, places, result.stored))


def _is_shared(node: UOp, readers: Mapping[UOp, Sequence[UOp]]) -> bool:
    """Whether a value has several readers, or a view of it has."""
    while len(readers[node]) == 1 and readers[node][0].op in MOVEMENT:
        node = readers[node][0]
    return len(readers[node]) > 1


def _is_moved(node: UOp, readers: Mapping[UOp, Sequence[UOp]]) -> bool:
    """Whether some reader of a shared value is a view of it."""
    return any(reader.op in MOVEMENT for reader in readers[node])


def _nearest(root: UOp, places: Container[UOp], stored: Container[UOp]) -> list[UOp]:
    """The `places` below a node with no other of them, and nothing stored, in between."""
    found: dict[UOp, None] = {}
    seen: set[UOp] = set()
    stack = [*root.src]
    while stack:
        node = stack.pop()
        if node in seen or node in stored:
            continue
        seen.add(node)
        if node in places:
            found[node] = None
        else:
            stack.extend(node.src)
    return list(found)


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
    if result.is_spent:
        return
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
    if result.is_spent:
        return
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


def _worth_sharing(node: UOp, device: Machine) -> bool:
    """Whether the value takes more than a few cycles an element since the nearest reduction or input."""
    cycles, seen, stack = 0.0, {node}, [node]
    while stack and cycles < SHARING_CYCLES:
        each = stack.pop()
        cycles += device.cycles(each.op, each.dtype) if each.op in ALU else 0
        for source in each.src:
            if source not in seen and (source.op in ALU or source.op in MOVEMENT):
                seen.add(source)
                stack.append(source)
    return cycles >= SHARING_CYCLES


def quick_cost(kernel: Profile, device: Machine) -> float:
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
    cycles = max(cycles, accesses * device.cycles(Op.LOAD, float32))
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


def kernel_name(nodes: Sequence[UOp], cone: Iterable[UOp]) -> str:
    """What a kernel computes, in a few words fit for an identifier: its reductions, its last operations, its shape."""
    words = [REDUCTION_NAMES[node.arg[0]] for node in cone if node.op is Op.REDUCE_AXIS]
    words.extend(node.op.name.lower() for node in nodes if node.op in ALU)
    short = list(dict.fromkeys(words))[-4:] or [TABLE[nodes[0].op].category.value]
    shape = "x".join(map(str, nodes[0].shape or ())) or "scalar"
    return "_".join([*short, shape])


def total_size(node: UOp) -> int:
    """Elements of an array node."""
    return size_of(node.shape or ())
