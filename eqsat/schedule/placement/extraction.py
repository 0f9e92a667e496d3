"""From an e-graph to the kernels that are predicted to compute its root soonest."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter

from eqsat.egraph.snapshot.snapshot import Snapshot
from eqsat.errors import ExtractionError, ScheduleError
from eqsat.schedule.draft import Draft
from eqsat.schedule.placement.array_graph import ArrayGraph
from eqsat.schedule.placement.candidates import StorageCandidates
from eqsat.schedule.placement.cone import Cone
from eqsat.schedule.placement.cone_builder import ConeBuilder
from eqsat.schedule.placement.effort import Effort
from eqsat.schedule.placement.equal_variants import VariantComparison
from eqsat.schedule.placement.kernel_prices import KernelPrices, Price
from eqsat.schedule.placement.refinement import Refinement, Solution
from eqsat.schedule.placement.regions import Region, regions
from eqsat.schedule.placement.writing import write


@dataclass(frozen=True, eq=False)
class PlacedKernel:
    """A kernel of the program.

    Attributes:
        draft: the kernel before its loops are chosen; its PARAMs are numbered from 0, those that it reads before those that it stores.
        reads, stores: the buffers that it reads and stores, by the lowest e-class in each.
        cone, inside: all that it might compute, and the chosen node of each class that it does compute.
    """

    draft: Draft
    reads: tuple[int, ...]
    stores: tuple[int, ...]
    cone: Cone
    inside: Mapping[int, int]


@dataclass(frozen=True, eq=False)
class Placed:
    """The kernels of a program in an order in which they can run.

    Attributes:
        graph: the e-graph.
        kernels: the kernels in such an order.
        seconds: predicted seconds of all kernels together, under their best loops.
        lower_bound: seconds that every choice of the considered kernels is predicted to take at least.
    """

    graph: ArrayGraph
    kernels: tuple[PlacedKernel, ...]
    seconds: float
    lower_bound: float


def extract_kernels(snapshot: Snapshot, prices: KernelPrices, effort: Effort | None = None) -> Placed:
    """The kernels that compute the SINK that is the only root of an e-graph.

    Raises:
        ScheduleError: it holds something that is no array computation.
    """
    graph = ArrayGraph(snapshot, prices.machine, prices.dynamic)
    effort = effort or Effort()
    try:
        candidates = StorageCandidates(graph, effort.candidates)
        return _ordered(ConeBuilder(graph, candidates, until=effort.halfway), prices, effort)
    except ExtractionError:  # some kernel is too large however it is computed
        every = StorageCandidates(graph, effort.candidates, is_complete=True)
        return _ordered(ConeBuilder(graph, every, until=effort.halfway), prices, effort)


def _ordered(builder: ConeBuilder, prices: KernelPrices, effort: Effort) -> Placed:
    """The kernels in an order in which they can run.

    If kernels of different regions need each other, they are extracted again without kernels that store several arrays. If they still do, as
    each of two arrays that must be stored may be computed from the other, kernels may only load buffers that precede all that they store.

    Raises:
        ExtractionError: there are no kernels of bounded size.
    """
    for joining, falling in ((True, False), (False, False), (False, True)):
        found = _extracted(
            replace(builder, falling=True) if falling else builder, prices, effort, joining=joining
        )
        kernels = in_running_order(found.kernels)
        if kernels is not None:
            return replace(found, kernels=kernels)
    raise ScheduleError("kernels of one array each need each other; the graph has a cycle")


def _extracted(builder: ConeBuilder, prices: KernelPrices, effort: Effort, *, joining: bool) -> Placed:
    """The kernels of all regions.

    Raises:
        ExtractionError: there are none of bounded size.
    """
    graph = builder.graph
    solved: dict[Hashable, Solution] = {}
    kernels: list[PlacedKernel] = []
    seconds = bound = 0.0
    every = regions(builder, joining=joining and not builder.is_over)
    is_cut = (
        builder.is_over
    )  # some kernels were left out, so that the bounds of regions say nothing of choices with these
    for region in every:
        key = region.signature() if len(every) > 1 else None
        solution = solved.get(key)
        if solution is None:
            solution = solved[key] = _solve(region, prices, effort)
        kernels += [_kernel(region, prices, k, variant.inside) for k, variant in solution.kernels]
        seconds += solution.seconds
        bound += solution.lower_bound
    return Placed(graph, tuple(kernels), seconds, 0.0 if is_cut else bound)


def _solve(region: Region, prices: KernelPrices, effort: Effort) -> Solution:
    def price(k: int, inside: Mapping[int, int], most: float) -> Price:
        return prices.price(write(region.graph, region.cones[k], inside).roots, most)

    stored = [region.stored(cone) for cone in region.cones]
    comparisons = {k: VariantComparison(region.graph, region.cones[k]) for k in set(region.alike)}
    return Refinement(
        region.cones,
        region.alike,
        stored,
        region.roots,
        price,
        lambda k, inside: comparisons[k].keys(inside),
        effort,
    ).solve()


def _kernel(region: Region, prices: KernelPrices, k: int, inside: Mapping[int, int]) -> PlacedKernel:
    cone = region.cones[k]
    written = write(region.graph, cone, inside)
    stores = tuple(region.stored(cone))
    return PlacedKernel(prices.draft(written.roots), written.reads, stores, cone, inside)


def in_running_order(kernels: Sequence[PlacedKernel]) -> tuple[PlacedKernel, ...] | None:
    """The kernels, each after those that store the buffers that it reads; None if some need each other."""
    writer = {buffer: number for number, kernel in enumerate(kernels) for buffer in kernel.stores}
    sorter = TopologicalSorter(
        {
            number: [writer[buffer] for buffer in kernel.reads if buffer in writer]
            for number, kernel in enumerate(kernels)
        }
    )
    try:
        return tuple(kernels[number] for number in sorter.static_order())
    except CycleError:
        return None
