"""A deep network in layers: equal ones are saturated and scheduled once.

Saturating, extracting and searching loops take time for each value of a program, also where it does the same again and again. So a program
is cut where that costs next to nothing: at arrays that good choices of kernels store. Such an array is all that is used of what it is computed
from, each of its elements takes a reduction, and what reads it does so more than once. A program with few reductions is one layer.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import reduce
from math import prod

from eqsat.dtype import DType, index
from eqsat.ops import ALONG_AXES, ALU, AXES_REDUCED, MOVEMENT, Op
from eqsat.uop import UOp, rewrite, toposort

FEW = 16  # reductions of a program that is one layer
LONG = 16  # elements of a reduction, from which its result is not computed anew for each use
LINEAR = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.FDIV, Op.NEG})  # matrices around these may be one
SAME_ELEMENTS = frozenset({Op.RESHAPE, Op.PERMUTE, Op.FLIP})
ELEMENTWISE = ALU | MOVEMENT | {Op.SINK}


class Takes(IntEnum):
    """What each element of an array takes, from the inputs of its layer on: little, a long sum of its own, or more than that and linear ones."""

    LITTLE = 0
    SUM = 1
    MORE = 2


@dataclass(frozen=True, eq=False)
class Layer:
    """A part of a program.

    Attributes:
        sink: of its results.
        reads: by the slot of each of its PARAMs, what that stands for: a PARAM of the program, or a result of an earlier layer.
        results: the nodes of the program that the sources of `sink` are.
    """

    sink: UOp
    reads: Mapping[int, UOp]
    results: tuple[UOp, ...]


def layers_of(sink: UOp) -> list[Layer]:
    """The layers of a SINK of arrays, each after those that it reads: those that occur more than once, and what is between them.

    PARAMs of a layer are numbered in the order in which they are met, so that equal layers have one sink.
    """
    order = toposort([sink])
    if sum(node.op in ALONG_AXES for node in order) <= FEW or any(node.op is Op.BUFFER for node in order):
        return [_whole(sink, order)]
    cutting = _Cutting(sink, order)
    every = cutting.layers(cutting.cuts)
    times = Counter(layer.sink for layer in every)
    repeated = [layer for layer in every if times[layer.sink] > 1]
    around = {each for layer in repeated for each in (*layer.results, *layer.reads.values())}
    kept = [cut for cut in cutting.cuts if cut in around]
    if not kept:
        return [_whole(sink, order)]
    return every if len(kept) == len(cutting.cuts) else cutting.layers(kept)


def _whole(sink: UOp, order: Iterable[UOp]) -> Layer:
    return Layer(sink, {node.arg[0]: node for node in order if node.op is Op.PARAM}, sink.src)


class _Cutting:
    """Where a program may be cut.

    Attributes:
        readers: of each node.
        shown: the SINK, and views that are made for it alone.
        given: constants, inputs, and views of these, which each layer makes for itself.
        meeting: of each node, the first one through which all must pass that is made of it: its immediate post-dominator.
        depth: of each node, how many such there are up to the SINK.
        cuts: the arrays that are stored there, each after those that it is made of.
    """

    def __init__(self, sink: UOp, order: Sequence[UOp]) -> None:
        self.sink, self.order = sink, order
        self.readers: dict[UOp, list[UOp]] = defaultdict(list)
        for node in order:
            for source in dict.fromkeys(node.src):
                self.readers[source].append(node)
        self.shown, self.given = {sink}, set[UOp]()
        self.meeting, self.depth = {sink: sink}, {sink: 0}
        for node in reversed(order[:-1]):
            if node.op in MOVEMENT and self.shown.issuperset(self.readers[node]):
                self.shown.add(node)
            above = reduce(self._common, self._inner_readers(node))
            self.meeting[node], self.depth[node] = above, self.depth[above] + 1
        self.cuts = self._found()

    def _inner_readers(self, node: UOp) -> list[UOp]:
        """What reads a node; results of the program, which only say what is stored, count where there is nothing else."""
        return [each for each in self.readers[node] if each not in self.shown] or [self.sink]

    def _common(self, one: UOp, other: UOp) -> UOp:
        """The first node through which all must pass that is made of either."""
        while one is not other:
            if self.depth[one] < self.depth[other]:
                one, other = other, one
            one = self.meeting[one]
        return one

    def _found(self) -> list[UOp]:
        """All cuts, from the inputs on."""
        cuts: list[UOp] = []
        constants, given = set[UOp](), self.given
        until: dict[UOp, UOp] = {}  # the first node through which all must pass that a node is made of
        takes: dict[UOp, Takes] = {}
        for node in self.order[:-1]:
            if _is_constant(node, constants):
                constants.add(node)
                given.add(node)
            elif node.op is Op.PARAM or (node.op in MOVEMENT and node.src[0] in given):
                given.add(node)
            else:
                work = [source for source in node.src if source not in given]
                until[node] = reduce(self._common, (until[source] for source in work), node)
                takes[node] = _takes(node, max((takes[source] for source in work), default=Takes.LITTLE))
                if until[node] is node and self._is_stored(node, takes[node]):
                    cuts.append(node)
                    takes[node] = Takes.LITTLE
        return cuts

    def _is_stored(self, node: UOp, takes: Takes) -> bool:
        """Whether good choices of kernels store a value."""
        is_array = isinstance(node.dtype, DType) and node.dtype is not index and _size(node) > 1
        is_read_again = len(self._inner_readers(node)) > 1
        if not is_array or node.ranges or takes is Takes.LITTLE or (takes is Takes.SUM and not is_read_again):
            return False
        seen, agenda = {node}, [node]
        while agenda:
            for reader in self._inner_readers(agenda.pop()):
                if _expands(reader) or (is_read_again and reader.op not in ELEMENTWISE):
                    return True
                if reader is not self.meeting[node] and reader not in seen:
                    seen.add(reader)
                    agenda.append(reader)
        return False

    def layers(self, cuts: Sequence[UOp]) -> list[Layer]:
        """The layers between some of the cuts."""
        results: dict[UOp, list[UOp]] = {cut: [cut] for cut in cuts} | {self.sink: []}
        owner = {self.sink: self.sink}
        for node in reversed(self.order[:-1]):
            owner[node] = node if node in results else owner[self._inner_readers(node)[0]]
        for node in self.sink.src:
            base = node
            while base in self.shown:
                (base,) = base.src
            own = results[self.sink if base in self.given else owner[base]]
            if node not in own:
                own.append(node)
        return [_layer(own, results) for own in results.values() if own]


def _is_constant(node: UOp, constants: Container[UOp]) -> bool:
    """Whether a node is made of constants alone, without reductions."""
    if not node.src:
        return node.op is not Op.PARAM
    return node.op not in ALONG_AXES and all(source in constants for source in node.src)


def _takes(node: UOp, sources: Takes) -> Takes:
    """What each element of a node takes, if those of its sources take that."""
    if node.op in AXES_REDUCED and _size(node.src[0]) >= LONG * _size(node):
        return Takes.SUM if node.arg[0] is Op.ADD else Takes.MORE
    if node.op in ALU and sources is not Takes.LITTLE:
        return sources if node.op in LINEAR else Takes.MORE
    return sources if node.op in SAME_ELEMENTS else Takes.LITTLE


def _expands(node: UOp) -> bool:
    return node.op is Op.EXPAND and _size(node) > _size(node.src[0])


def _size(node: UOp) -> int:
    return prod(node.shape or ())


def _layer(results: Sequence[UOp], cuts: Container[UOp]) -> Layer:
    """The layer that computes these nodes."""
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
    return Layer(UOp.sink(*rewrite(results, params)), reads, tuple(results))
