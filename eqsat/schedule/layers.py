"""Cuts a deep network into layers, so that equal layers are saturated and scheduled once.

Saturating, extracting and searching loops take time for each value of a program, even if the program repeats itself. So a program is cut where
that costs next to nothing: at arrays that good choices of kernels store. Such an array post-dominates all that it is computed from, each of
its elements takes a reduction, and its elements are used more than once. A program with few reductions is cut only if it has equal steps.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from math import prod
from typing import Any

from eqsat.dtype import DType, index
from eqsat.ops import ACROSS, ALU, MOVEMENT, Op
from eqsat.schedule.element_work import ElementWork, element_work
from eqsat.schedule.post_dominators import PostDominators
from eqsat.schedule.steps import FEWEST_STEPS, Steps
from eqsat.schedule.windows import Windows, windows_of
from eqsat.uop import UOp, rewrite, toposort

MOST_SHALLOW = 16  # reductions of a program that is one layer, unless it has steps
ELEMENTWISE = ALU | MOVEMENT | {Op.SINK}


@dataclass(frozen=True, eq=False)
class Layer:
    """A part of a program.

    Attributes:
        sink: the SINK of its results.
        reads: the array that the PARAM of each slot stands for: a PARAM of the program, or a result of an earlier layer.
        results: the nodes of the program that the sources of `sink` compute.
        offsets: by slot, how many elements later the array of a PARAM begins; slots that are missing have 0.
    """

    sink: UOp
    reads: Mapping[int, UOp]
    results: tuple[UOp, ...]
    offsets: Mapping[int, int] = field(default_factory=dict[int, int])


def layers_of(sink: UOp, *, moving: bool = True, shallow: bool = True) -> list[Layer]:
    """The layers of a SINK of arrays, each after those whose results it reads: layers that occur more than once, and the parts between them.

    PARAMs of a layer are numbered in the order in which they are met, so that equal layers have equal sinks. If `moving`, an array may begin
    later for a layer, so that layers that read different parts of it are equal. Otherwise the program is cut at the same places, and such
    layers differ. If `shallow`, a program that is not deep may be cut into steps. Where kernels take long to start, it should not be: one
    kernel for several steps may be better.
    """
    order = toposort([sink])
    if not is_deep(order) and (not shallow or _reductions(order) < FEWEST_STEPS):
        return [_whole(sink, order)]
    if any(node.op is Op.BUFFER for node in order):
        return [_whole(sink, order)]
    cutting = _Cutting(sink, order)
    repeated = _repeated(cutting, moving=moving) if is_deep(order) else []
    return repeated or _steps(cutting, moving=moving) or [_whole(sink, order)]


def is_deep(order: Iterable[UOp]) -> bool:
    """Whether a program of these nodes has so many reductions that it is cut at single arrays."""
    return _reductions(order) > MOST_SHALLOW


def _reductions(order: Iterable[UOp]) -> int:
    return sum(node.op in ACROSS for node in order)


def _repeated(cutting: _Cutting, *, moving: bool) -> list[Layer]:
    """The layers between cuts at single arrays; empty if no two of them are equal, even where arrays may begin later."""
    every = cutting.layers(cutting.cuts)
    around = {each for layer in _equal_ones(every) for each in (*layer.results, *layer.reads.values())}
    kept = [cut for cut in cutting.cuts if cut in around]
    if not kept:
        return []
    return every if moving and len(kept) == len(cutting.cuts) else cutting.layers(kept, moving=moving)


def _steps(cutting: _Cutting, *, moving: bool) -> list[Layer]:
    """The layers between cuts at sets of arrays; empty if fewer than `FEWEST_STEPS` are equal, even where arrays may begin later."""
    steps = Steps(cutting.order, cutting.inner_readers, cutting.given)
    every = cutting.steps(steps, steps.cuts)
    equal = set(_equal_ones(every))
    if len(equal) < FEWEST_STEPS:
        return []
    # cuts next to a layer that occurs more than once
    kept = [
        cut
        for cut, before, after in zip(reversed(steps.cuts), every, every[1:], strict=False)
        if before in equal or after in equal
    ]
    if moving and len(kept) == len(steps.cuts):
        return every
    return cutting.steps(steps, kept[::-1], moving=moving)


def _equal_ones(layers: Sequence[Layer]) -> list[Layer]:
    """The layers that occur more than once."""
    times = Counter(layer.sink for layer in layers)
    return [layer for layer in layers if times[layer.sink] > 1]


def _whole(sink: UOp, order: Iterable[UOp]) -> Layer:
    return Layer(sink, {node.arg[0]: node for node in order if node.op is Op.PARAM}, sink.src)


class _Cutting:
    """Where a program may be cut.

    Attributes:
        readers: the readers of each node.
        result_views: the SINK, and the views that only the SINK reads.
        given: constants, inputs and views of these; each layer recomputes them.
        dominators: the post-dominators of the nodes.
        cuts: the arrays at which it may be cut, each after those that it is computed from.
    """

    def __init__(self, sink: UOp, order: Sequence[UOp]) -> None:
        self.sink, self.order = sink, order
        self.readers: dict[UOp, list[UOp]] = defaultdict(list)
        for node in order:
            for source in dict.fromkeys(node.src):
                self.readers[source].append(node)
        self.result_views, self.given = {sink}, set[UOp]()
        self.dominators = PostDominators(sink)
        for node in reversed(order[:-1]):
            if node.op in MOVEMENT and self.result_views.issuperset(self.readers[node]):
                self.result_views.add(node)
            self.dominators.add(node, self.inner_readers(node))
        self.cuts = self._found()

    def inner_readers(self, node: UOp) -> list[UOp]:
        """The readers of a node, without the SINK and views for it, as these only say what is stored; the SINK if there are no others."""
        return [each for each in self.readers[node] if each not in self.result_views] or [self.sink]

    def _found(self) -> list[UOp]:
        """All cuts, in the order of the nodes."""
        cuts: list[UOp] = []
        constants, given = set[UOp](), self.given
        # The first node through which all paths from a node and its operands lead
        dominator: dict[UOp, UOp] = {}
        work: dict[UOp, ElementWork] = {}
        for node in self.order[:-1]:
            if _is_constant(node, constants):
                constants.add(node)
                given.add(node)
            elif node.op is Op.PARAM or (node.op in MOVEMENT and node.src[0] in given):
                given.add(node)
            else:
                computed = [source for source in node.src if source not in given]
                dominators = (dominator[source] for source in computed)
                dominator[node] = reduce(self.dominators.common, dominators, node)
                below = max((work[source] for source in computed), default=ElementWork.LITTLE)
                work[node] = element_work(node, below)
                if dominator[node] is node and self._is_stored(node, work[node]):
                    cuts.append(node)
                    work[node] = ElementWork.LITTLE
        return cuts

    def _is_stored(self, node: UOp, work: ElementWork) -> bool:
        """Whether good choices of kernels store a value that takes this work."""
        is_read_again = len(self.inner_readers(node)) > 1
        if (
            not _is_array(node)
            or node.elements <= 1
            or work is ElementWork.LITTLE
            or (work is ElementWork.SUM and not is_read_again)
        ):
            return False
        seen, agenda = {node}, [node]
        while agenda:
            for reader in self.inner_readers(agenda.pop()):
                if _expands(reader) or (is_read_again and reader.op not in ELEMENTWISE):
                    return True
                if reader is not self.dominators.immediate[node] and reader not in seen:
                    seen.add(reader)
                    agenda.append(reader)
        return False

    def layers(self, cuts: Sequence[UOp], *, moving: bool = True) -> list[Layer]:
        """The layers between some of the cuts."""
        results: dict[UOp, list[UOp]] = {cut: [cut] for cut in cuts} | {self.sink: []}
        owner = {self.sink: self.sink}
        for node in reversed(self.order[:-1]):
            owner[node] = node if node in results else owner[self.inner_readers(node)[0]]
        return self._layers(
            results, lambda base: results[self.sink if base in self.given else owner[base]], moving=moving
        )

    def steps(self, steps: Steps, cuts: Sequence[int], *, moving: bool = True) -> list[Layer]:
        """The layers between cuts at some levels.

        Empty if an array that is handed on cannot be stored, or if `FEWEST_STEPS` of them are single numbers, which take kernels of their own.
        """
        handed = steps.handed_on(cuts)
        if not all(map(_is_array, handed)) or sum(each.elements <= 1 for each in handed) >= FEWEST_STEPS:
            return []
        results: dict[int, list[UOp]] = {step: [] for step in reversed(range(len(cuts) + 1))}
        for node in handed:
            results[steps.step(node, cuts)].append(node)
        return self._layers(
            results,
            lambda base: results[0 if base in self.given else steps.step(base, cuts)],
            set(handed),
            moving=moving,
        )

    def _layers(
        self,
        results: Mapping[Any, list[UOp]],
        of: Callable[[UOp], list[UOp]],
        cuts: Container[UOp] | None = None,
        *,
        moving: bool,
    ) -> list[Layer]:
        """The layers with these results and the program's; `of` returns the list of results of the layer that computes an array."""
        for node in self.sink.src:
            base = node
            while base in self.result_views:
                (base,) = base.src
            own = of(base)
            if node not in own:
                own.append(node)
        stored = results if cuts is None else cuts
        place = {node: number for number, node in enumerate(self.order)}
        ordered = (sorted(own, key=place.__getitem__) for own in results.values() if own)
        return [_layer(own, stored, moving=moving) for own in ordered]


def _is_constant(node: UOp, constants: Container[UOp]) -> bool:
    """Whether a node is computed from constants alone, without reductions."""
    if not node.src:
        return node.op is not Op.PARAM
    return node.op not in ACROSS and all(source in constants for source in node.src)


def _is_array(node: UOp) -> bool:
    """Whether a value may be stored."""
    return isinstance(node.dtype, DType) and node.dtype is not index and not node.ranges


def _expands(node: UOp) -> bool:
    return node.op is Op.EXPAND and node.elements > node.src[0].elements


def _layer(results: Sequence[UOp], cuts: Container[UOp], *, moving: bool) -> Layer:
    """The layer that computes these nodes; if `moving`, an array of which it only reads parts may begin later."""
    reads: dict[int, UOp] = {}
    params: dict[UOp, UOp] = {}
    agenda = list(results)[::-1]
    seen: set[UOp] = set()
    while agenda:
        node = agenda.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.op is Op.PARAM or (node in cuts and node not in results):
            slot, shape = len(reads), node.shape or ()
            assert isinstance(node.dtype, DType)
            params[node] = UOp.param(slot, prod(shape), node.dtype).reshape(shape)
            reads[slot] = node
        else:
            agenda += reversed(node.src)
    windows = windows_of(toposort(results, params), params, results) if moving else Windows()
    mapping = dict(params)
    for shrink, window in windows.moved.items():
        (source,) = rewrite(shrink.src, mapping)
        mapping[shrink] = source.shrink(window)
    offsets = {slot: windows.offsets[node] for slot, node in reads.items() if windows.offsets.get(node)}
    return Layer(UOp.sink(*rewrite(results, mapping)), reads, tuple(results), offsets)
