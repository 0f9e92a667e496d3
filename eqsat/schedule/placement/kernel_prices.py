"""Exact prices of kernels: the seconds that the cost model predicts for their best loops. Equal kernels are lowered and searched once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import NamedTuple

from eqsat.errors import ScheduleError
from eqsat.machine import Machine
from eqsat.ops import ACROSS, ALU, AXES_REDUCED, TABLE, Op
from eqsat.schedule.cost.profile import Profile
from eqsat.schedule.draft import Draft
from eqsat.schedule.dynamic.restrictions import NO_DYNAMIC_EXTENTS, DynamicExtents
from eqsat.schedule.loops.bases import Indices
from eqsat.schedule.loops.search import Choice, TooSlowError, choose
from eqsat.schedule.lowering.blocks import lower_in_blocks
from eqsat.schedule.lowering.in_order import NoKernelError
from eqsat.schedule.lowering.merge import merge_ranges, with_filling_outermost
from eqsat.schedule.lowering.panels import in_panels
from eqsat.schedule.lowering.pieces import in_pieces
from eqsat.schedule.lowering.scatter import arranged
from eqsat.schedule.placement.kernel_limits import KERNEL_BUFFERS
from eqsat.schedule.placement.staging import LOCAL_ARRAYS
from eqsat.uop import UOp, toposort

COPIES = 8  # indices for each node of a kernel, on average; computing at more costs more than storing saves
FREE_COPIES = 256  # further indices that a kernel may compute its nodes at
REDUCTION_NAMES = {Op.ADD: "sum", Op.MUL: "prod", Op.MAX: "max", Op.MIN: "min"}

PREFIXES = {Op.ARGREDUCE_AXIS: "arg", Op.SCATTER_AXIS: "scatter_"}


class Price(NamedTuple):
    """The seconds that a kernel takes, or a lower bound of them.

    Attributes:
        seconds: the price or the bound.
        is_exact: whether it is the price.
        without_arithmetic: seconds that all kernels that differ from this one only in `ARITHMETIC` take at least.
    """

    seconds: float
    is_exact: bool
    without_arithmetic: float = 0.0


@dataclass(eq=False)
class KernelPrices:
    """The prices of kernels on a machine, and their drafts.

    Attributes:
        machine: the machine that runs the kernels.
        dynamic: extents of axes that may end before their capacity.
        drafts: the draft of each kernel, by the arrays that it stores, over PARAMs numbered from 0; None if one kernel cannot compute these or
            would be too large.
        slow: by the same key, the lower bounds of kernels whose search ended early because they were too slow.
        indices: the index expressions of all these kernels.
        choices: the best loops, by `Profile.price_key`, which has all that the cost model knows of a kernel.
        bounds: by the same key, the lower bounds of kernels that were too slow.
    """

    machine: Machine
    dynamic: DynamicExtents = NO_DYNAMIC_EXTENTS
    drafts: dict[tuple[UOp, ...], Draft | None] = field(default_factory=dict[tuple[UOp, ...], Draft | None])
    slow: dict[tuple[UOp, ...], Price] = field(default_factory=dict[tuple[UOp, ...], Price])
    indices: Indices = field(init=False)
    choices: dict[str, Choice] = field(default_factory=dict[str, Choice])
    bounds: dict[str, Price] = field(default_factory=dict[str, Price])

    def __post_init__(self) -> None:
        self.indices = Indices(self.machine)

    def price(self, roots: tuple[UOp, ...], most: float = inf) -> Price:
        """The price of the kernel that stores these arrays; infinite if it cannot be built. If it exceeds `most` seconds, a bound may do."""
        slow = self.slow.get(roots)
        if slow is not None and slow.seconds > most and roots not in self.drafts:
            return slow
        if roots not in self.drafts:
            try:
                self.drafts[roots] = self._draft(roots, bounded=True, most=most)
            except TooSlowError as error:
                self.slow[roots] = slow = Price(
                    error.lower_bound, is_exact=False, without_arithmetic=error.without_arithmetic
                )
                return slow
        found = self.drafts[roots]
        return Price(inf if found is None else found.choice.best_seconds, is_exact=True)

    def draft(self, roots: tuple[UOp, ...]) -> Draft:
        """The kernel that stores these arrays, however large: one that only copies views has nothing below it that could be stored.

        Raises:
            ScheduleError: its arrays need more than one kernel.
        """
        found = self.drafts.get(roots)
        if found is None:
            self.drafts[roots] = found = self._draft(roots, bounded=False)
        if found is None:
            raise ScheduleError(
                f"no one kernel computes {kernel_name(roots, toposort(roots))}; try another plan, or compile a part of the program by itself"
            )
        return found

    def _draft(self, roots: tuple[UOp, ...], *, bounded: bool, most: float = inf) -> Draft | None:
        cone = toposort(roots)
        params = [node for node in cone if node.op is Op.PARAM]
        buffers = {node: number for number, node in enumerate([*params, *roots])}
        if len(buffers) < len(params) + len(roots) or (bounded and len(buffers) > KERNEL_BUFFERS):
            return None
        copies = COPIES * len(cone) + FREE_COPIES if bounded else None
        name = kernel_name(roots, cone)
        try:
            sink = lower_in_blocks(
                roots, buffers, _depths(cone), name, copies, self.machine.local_bytes // LOCAL_ARRAYS
            )
        except NoKernelError:
            return None
        sink = with_filling_outermost(merge_ranges(sink, self.dynamic.unmerged))
        if roots[0].op is Op.SCATTER_AXIS:
            sink = arranged(
                sink, 1 if self.machine.has_groups else self.machine.cores, self.machine.line_bytes
            )
        return self._best(self._lowerings(sink), name, most)

    def _lowerings(self, sink: UOp) -> Iterator[UOp]:
        """Yields the alternative lowerings of a kernel: as it is, with one store for each piece, and with panels of its operands in local memory."""
        yield sink
        pieces = in_pieces(sink)
        if pieces is not None:
            yield merge_ranges(pieces, self.dynamic.unmerged)
        if self.machine.has_groups and not self.dynamic.unmerged:
            yield from in_panels(sink)

    def _best(self, sinks: Iterable[UOp], name: str, most: float) -> Draft:
        """The draft of the quickest of these lowered kernels.

        Raises:
            TooSlowError: all take longer than `most` seconds.
        """
        best: Draft | None = None
        lower_bound, without_arithmetic = inf, inf
        for sink in sinks:
            try:
                draft = self._of(sink, name, most)
            except TooSlowError as error:
                lower_bound = min(lower_bound, error.lower_bound)
                without_arithmetic = min(without_arithmetic, error.without_arithmetic)
                continue
            if best is None or draft.choice.best_seconds <= best.choice.best_seconds:
                best = draft
                most = min(most, draft.choice.best_seconds)
        if best is None:
            raise TooSlowError(lower_bound, without_arithmetic)
        return best

    def _of(self, sink: UOp, name: str, most: float) -> Draft:
        """The draft of a lowered kernel.

        Raises:
            TooSlowError: it takes longer than `most` seconds.
        """
        return Draft.of(
            sink, name, self.indices, partial(self._choose, most=most), is_masked=bool(self.dynamic.unmerged)
        )

    def _choose(self, kernel: Profile, most: float) -> Choice:
        """The best loops. Kernels that do not differ in anything that has a cost share one search."""
        key = kernel.price_key
        slow = self.bounds.get(key)
        if slow is not None and slow.seconds > most and key not in self.choices:
            raise TooSlowError(slow.seconds, slow.without_arithmetic)
        if key not in self.choices:
            try:
                self.choices[key] = choose(kernel, self.machine, most)
            except TooSlowError as error:  # only its numbers are saved: its traceback holds the whole search
                self.bounds[key] = Price(
                    error.lower_bound, is_exact=False, without_arithmetic=error.without_arithmetic
                )
                raise
        return self.choices[key]


def _depths(cone: Iterable[UOp]) -> dict[UOp, int]:
    """The greatest number of nested reductions that each node of a kernel contains, itself included."""
    depth: dict[UOp, int] = {}
    for node in cone:
        below = max((depth[source] for source in node.src), default=0)
        depth[node] = below + (node.op in AXES_REDUCED)
    return depth


def kernel_name(nodes: Sequence[UOp], cone: Iterable[UOp]) -> str:
    """A name for a kernel, fit for an identifier: its reductions, the operations of its results, and its shape."""
    words = [
        "recurrence" if node.op is Op.RECUR_AXIS else PREFIXES.get(node.op, "") + REDUCTION_NAMES[node.arg[0]]
        for node in cone
        if node.op in ACROSS
    ]
    words.extend(node.op.name.lower() for node in nodes if node.op in ALU)
    short = list(dict.fromkeys(words))[-4:] or [TABLE[nodes[0].op].category.value]
    shape = "x".join(map(str, nodes[0].shape or ())) or "scalar"
    return "_".join([*short, shape])
