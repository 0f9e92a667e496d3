"""The best choice of stored arrays, by trying all: `python -m tests.schedule.brute_force [graphs] [seed] [usual] [wide]`.

Each drawn graph has up to twelve arrays that may be stored, which are all that it computes, not only those that the scheduler considers. Each
choice of them is priced as the scheduler prices kernels, one kernel for each stored array. With `usual` the scheduler takes its usual effort
instead of a thorough one; with `wide` graphs have products, windows, scans, three dimensions and other dtypes, on machines of drawn rates.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, combinations
from math import inf, prod
from typing import NamedTuple

from eqsat.dtype import DType, float32, float64, int32
from eqsat.egraph.snapshot.unsaturated import snapshot_as_written
from eqsat.machine import Machine
from eqsat.ops import ALONG_AXES, ALU, Op
from eqsat.schedule.placement import Effort, KernelPrices, extract_kernels
from eqsat.uop import UOp, toposort

MOST = 12  # arrays that may be stored, outputs aside
THOROUGH = Effort(candidates=20, prices=2000, gap=0.0)
UNARY = (Op.EXP, Op.SQRT, Op.NEG, Op.SIN)
BINARY = (Op.ADD, Op.MUL, Op.SUB, Op.MAX)


class Outcome(NamedTuple):
    """Seconds: chosen by the scheduler, its lower bound, the best of all choices; arrays that may be stored; whether a kernel stores several."""

    chosen: float
    lower_bound: float
    best: float
    candidates: int
    several: bool


def drawn_graph(seed: int) -> UOp:
    """A SINK of element-wise operations, reductions, broadcasts, permutations and shifts of two-dimensional arrays."""
    draw = random.Random(seed)
    rows, columns = draw.choice([(64, 64), (256, 256), (1024, 512), (16, 4096)])
    values = [UOp.param(slot, rows * columns, float32).reshape((rows, columns)) for slot in range(2)]
    for _ in range(draw.randint(3, 7)):
        x, y = draw.choice(values), draw.choice(values[-2:])
        kind = draw.random()
        if kind < 0.25:
            values.append(y.alu(draw.choice(UNARY)))
        elif kind < 0.6:
            values.append(x.alu(draw.choice(BINARY), y))
        elif kind < 0.85:
            values.append(with_totals(draw, x, y, (draw.randrange(2),)))
        else:
            inner = y.shrink(((0, rows - 1), (0, columns)))
            values.append(x.alu(Op.ADD, inner.pad(((1, 0), (0, 0)))))
    outputs = values[-1:] if draw.random() < 0.8 else values[-2:]
    return UOp.sink(*dict.fromkeys(outputs))


def with_totals(draw: random.Random, x: UOp, y: UOp, axes: tuple[int, ...]) -> UOp:
    """An array combined with another one of its shape, which is reduced along axes and repeated there."""
    shape = x.shape
    assert shape is not None
    total = y.reduce_axis(draw.choice((Op.ADD, Op.MAX)), axes)
    ones = tuple(1 if axis in axes else extent for axis, extent in enumerate(shape))
    return x.alu(draw.choice(BINARY), total.reshape(ones).expand(shape))


def wide_graph(seed: int) -> UOp:
    """A SINK of products, windows, scans, element-wise operations and reductions of arrays of up to three dimensions, of one dtype."""
    draw = random.Random(f"wide {seed}")
    dtype = draw.choice((float32, float32, float64, int32))
    shape = draw.choice([(8, 64, 64), (64, 16, 128), (3, 5, 7), (1000,), (1 << 18,), (100, 300), (512, 512)])
    size, last = prod(shape), len(shape) - 1
    values = [UOp.param(slot, size, dtype).reshape(shape) for slot in range(2)]
    unary = UNARY if dtype is not int32 else (Op.NEG,)
    for _ in range(draw.randint(2, 6)):
        x, y = draw.choice(values), draw.choice(values[-2:])
        kind = draw.random()
        if kind < 0.2:
            values.append(y.alu(draw.choice(unary)))
        elif kind < 0.45:
            values.append(x.alu(draw.choice(BINARY), y))
        elif kind < 0.65:
            axes = tuple(sorted(draw.sample(range(last + 1), draw.randint(1, last + 1))))
            values.append(with_totals(draw, x, y, axes))
        elif kind < 0.75 and last and shape[-1] == shape[-2]:
            values.append(_product(x, y))
        elif kind < 0.85:
            values.append(y.scan_axis(draw.choice((Op.ADD, Op.MAX)), draw.randrange(last + 1)))
        else:
            axis = draw.randrange(last + 1)
            margins = [
                ((1, 0), (0, 1), (1, 1))[draw.randrange(2)] if each == axis else (0, 0)
                for each in range(last + 1)
            ]
            kept = tuple(
                (0, n) if margin == (0, 0) else (margin[1], n + margin[1])
                for n, margin in zip(shape, margins, strict=True)
            )
            values.append(x.alu(draw.choice(BINARY), y.pad(tuple(margins)).shrink(kept)))
    outputs = values[-1:] if draw.random() < 0.8 else values[-2:]
    return UOp.sink(*dict.fromkeys(outputs))


def _product(x: UOp, y: UOp) -> UOp:
    """Of square matrices, for each index of the axes before."""
    *before, n, _ = x.shape or ()
    left = x.reshape((*before, n, 1, n)).expand((*before, n, n, n))
    axes = len(before)
    turned = y.permute((*range(axes), axes + 1, axes)).reshape((*before, 1, n, n)).expand((*before, n, n, n))
    return left.alu(Op.MUL, turned).reduce_axis(Op.ADD, (axes + 2,)).reshape((*before, n, n))


def drawn_machine(seed: int) -> Machine:
    """A machine of other rates, for which other choices are best."""
    draw = random.Random(f"machine {seed}")
    return replace(
        Machine(),
        cores=draw.choice((1, 2, 16)),
        launch_seconds=draw.choice((1e-6, 1e-5, 5e-5)),
        bandwidth=draw.choice((5e9, 2e10, 2e11)),
    )


def outcome(graph: UOp, machine: Machine, effort: Effort = THOROUGH) -> Outcome | None:
    """What the scheduler chooses and what is best; None for a graph of too many arrays."""
    outputs = [node for node in graph.src if node.op is not Op.PARAM]
    free = [
        node
        for node in toposort([graph])
        if (node.op in ALU or node.op in ALONG_AXES) and node not in outputs and node.shape
    ]
    if len(free) > MOST or any(node.op not in ALU for node in outputs):
        return None
    prices = KernelPrices(machine)
    placed = extract_kernels(snapshot_as_written([graph]), prices, effort)
    subsets = chain.from_iterable(combinations(free, size) for size in range(len(free) + 1))
    best = min(_seconds(outputs, frozenset(each), prices) for each in subsets)
    several = any(len(kernel.stores) > 1 for kernel in placed.kernels)
    return Outcome(placed.seconds, placed.lower_bound, best, len(free), several)


def _seconds(outputs: list[UOp], stored: frozenset[UOp], prices: KernelPrices) -> float:
    """Of one kernel for each output and each stored array; infinite if one of these is not read."""
    total, done, agenda = 0.0, set[UOp](), list(outputs)
    while agenda:
        root = agenda.pop()
        if root not in done:
            done.add(root)
            kernel, reads = _kernel(root, stored | frozenset(outputs))
            total += prices.price((kernel,)).seconds
            agenda += reads
    return total if stored <= done else inf


def _kernel(root: UOp, stored: frozenset[UOp]) -> tuple[UOp, list[UOp]]:
    """What one kernel computes, over PARAMs numbered from 0, and the stored arrays that it reads."""
    built: dict[UOp, UOp] = {}
    reads: list[UOp] = []
    slots = 0
    for node in toposort([root], stored - {root}):
        if node.op is Op.PARAM or (node in stored and node is not root):
            size = node.arg[1] if node.op is Op.PARAM else _size(node)
            dtype = node.dtype
            assert isinstance(dtype, DType)
            param = UOp.param(slots, size, dtype)
            slots += 1
            built[node] = param if node.op is Op.PARAM else param.reshape(node.shape or ())
            reads += [node] if node in stored else []
        else:
            built[node] = node.with_src(tuple(built[source] for source in node.src))
    return built[root], reads


def _size(node: UOp) -> int:
    size = 1
    for extent in node.shape or ():
        size *= extent
    return size


def outcomes(
    graphs: int, seed: int, effort: Effort = THOROUGH, *, wide: bool = False
) -> Iterator[tuple[int, Outcome]]:
    """The outcomes of so many drawn graphs, with their seeds."""
    found = 0
    while found < graphs:
        drawn = (wide_graph(seed), drawn_machine(seed)) if wide else (drawn_graph(seed), Machine())
        result = outcome(*drawn, effort)
        if result is not None:
            found += 1
            yield seed, result
        seed += 1


def main() -> None:
    """Prints how the scheduler compares."""
    graphs, seed = (int(word) for word in (*sys.argv[1:3], *("200", "0")[len(sys.argv) - 1 :]))
    effort = Effort() if "usual" in sys.argv[3:] else THOROUGH
    worse = equal = better = above = 0
    worst = 1.0
    for number, found in outcomes(graphs, seed, effort, wide="wide" in sys.argv[3:]):
        ratio = found.chosen / found.best
        worse += ratio > 1 + 1e-9
        equal += abs(ratio - 1) <= 1e-9
        better += ratio < 1 - 1e-9
        above += found.lower_bound > min(found.best, found.chosen) * (1 + 1e-9)
        worst = max(worst, ratio)
        if ratio > 1 + 1e-9 or found.lower_bound > min(found.best, found.chosen) * (1 + 1e-9):
            print(f"seed {number}: {found}")
    print(
        f"{graphs} graphs: {equal} equal, {better} better, {worse} worse (worst {worst:.3f}), {above} bounds above"
    )


if __name__ == "__main__":
    main()
